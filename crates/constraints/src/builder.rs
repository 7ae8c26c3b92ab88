//! Filling a [`Problem`]: every push validates and names what is wrong.

use nalgebra::{DMatrix, Matrix6};

use crate::error::ProblemError;
use crate::law::Law;
use crate::problem::{Constraint, Problem};
use crate::rows::{RowBlock, Term, TermKind};
use crate::subsystem::{SparseSymmetric, Subsystem, Tree, are_finite};

impl Problem {
    /// Adds a subsystem with its part of b (N·s) and returns its index.
    ///
    /// # Errors
    /// A matrix that is not finite, not symmetric, has no positive diagonal, or does not fit `b`.
    pub fn push_subsystem(
        &mut self,
        subsystem: Subsystem,
        b: &[f64],
    ) -> Result<usize, ProblemError> {
        let index = self.subsystems.len();
        let fail = |reason| ProblemError::Subsystem {
            subsystem: index,
            reason,
        };
        subsystem.check().map_err(fail)?;
        check_right_hand_side(subsystem.dof_count(), b).map_err(fail)?;
        if self.dof_start.is_empty() {
            self.dof_start.push(0);
        }
        self.b.extend_from_slice(b);
        self.dof_start.push(self.b.len());
        self.subsystems.push(subsystem);
        Ok(index)
    }

    /// Adds a free rigid body: 6×6 spatial inertia and b, (linear, angular), world axes at the
    /// body's reference point.
    ///
    /// # Errors
    /// As [`push_subsystem`](Self::push_subsystem).
    pub fn push_free_body(
        &mut self,
        inertia: Matrix6<f64>,
        b: &[f64],
    ) -> Result<usize, ProblemError> {
        self.push_subsystem(Subsystem::FreeBody(inertia), b)
    }

    /// Adds a kinematic tree.
    ///
    /// # Errors
    /// As [`push_subsystem`](Self::push_subsystem).
    pub fn push_tree(&mut self, tree: Tree, b: &[f64]) -> Result<usize, ProblemError> {
        self.push_subsystem(Subsystem::Tree(tree), b)
    }

    /// Adds a sparse symmetric subsystem.
    ///
    /// # Errors
    /// As [`push_subsystem`](Self::push_subsystem).
    pub fn push_sparse(
        &mut self,
        matrix: SparseSymmetric,
        b: &[f64],
    ) -> Result<usize, ProblemError> {
        self.push_subsystem(Subsystem::Sparse(matrix), b)
    }

    /// Adds a dense subsystem.
    ///
    /// # Errors
    /// As [`push_subsystem`](Self::push_subsystem).
    pub fn push_dense(&mut self, matrix: DMatrix<f64>, b: &[f64]) -> Result<usize, ProblemError> {
        self.push_subsystem(Subsystem::Dense(matrix), b)
    }

    /// Replaces a subsystem and its part of b; its number of degrees of freedom must stay.
    ///
    /// # Errors
    /// As [`push_subsystem`](Self::push_subsystem).
    pub fn set_subsystem(
        &mut self,
        index: usize,
        subsystem: Subsystem,
        b: &[f64],
    ) -> Result<(), ProblemError> {
        let fail = |reason| ProblemError::Subsystem {
            subsystem: index,
            reason,
        };
        let Some(old) = self.subsystems.get(index) else {
            return Err(fail(format!(
                "there are only {} subsystems",
                self.subsystems.len()
            )));
        };
        if old.dof_count() != subsystem.dof_count() {
            return Err(fail(format!(
                "has {} degrees of freedom, its replacement has {}",
                old.dof_count(),
                subsystem.dof_count()
            )));
        }
        subsystem.check().map_err(fail)?;
        self.set_b(index, b)?;
        self.subsystems[index] = subsystem;
        Ok(())
    }

    /// Changes the numbers of a subsystem in place, and its part of b: what
    /// [`set_subsystem`](Self::set_subsystem) does without a new allocation.
    ///
    /// # Errors
    /// As [`push_subsystem`](Self::push_subsystem); the subsystem then holds what `update` wrote.
    pub fn update_subsystem(
        &mut self,
        index: usize,
        b: &[f64],
        update: impl FnOnce(&mut Subsystem),
    ) -> Result<(), ProblemError> {
        self.set_b(index, b)?;
        let fail = |reason| ProblemError::Subsystem {
            subsystem: index,
            reason,
        };
        let subsystem = &mut self.subsystems[index];
        update(subsystem);
        subsystem.check().map_err(fail)?;
        check_right_hand_side(subsystem.dof_count(), b).map_err(fail)
    }

    /// Lets `write` fill a subsystem and its part of b in place: what
    /// [`update_subsystem`](Self::update_subsystem) does without a b from elsewhere.
    ///
    /// # Errors
    /// As [`push_subsystem`](Self::push_subsystem), and what `write` reports; the subsystem then
    /// holds what was written.
    pub fn write_subsystem<E: From<ProblemError>>(
        &mut self,
        index: usize,
        write: impl FnOnce(&mut Subsystem, &mut [f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let fail = |reason| ProblemError::Subsystem {
            subsystem: index,
            reason,
        };
        let count = self.subsystems.len();
        let Some(subsystem) = self.subsystems.get_mut(index) else {
            return Err(fail(format!("there are only {count} subsystems")).into());
        };
        let b = &mut self.b[self.dof_start[index]..self.dof_start[index + 1]];
        write(subsystem, b)?;
        subsystem.check().map_err(fail)?;
        Ok(check_right_hand_side(subsystem.dof_count(), b).map_err(fail)?)
    }

    /// Replaces a subsystem's part of b.
    ///
    /// # Errors
    /// A wrong length or a value that is not finite.
    pub fn set_b(&mut self, index: usize, b: &[f64]) -> Result<(), ProblemError> {
        let fail = |reason| ProblemError::Subsystem {
            subsystem: index,
            reason,
        };
        if index >= self.subsystems.len() {
            return Err(fail(format!(
                "there are only {} subsystems",
                self.subsystems.len()
            )));
        }
        check_right_hand_side(self.subsystems[index].dof_count(), b).map_err(fail)?;
        self.b[self.dof_start[index]..self.dof_start[index + 1]].copy_from_slice(b);
        Ok(())
    }

    /// Adds a constraint: its law, its error term (one number per row) and its row blocks, each
    /// with the subsystem it acts on. Returns its index.
    ///
    /// # Errors
    /// A law parameter, an error term, a subsystem, body, dof or node that is not possible.
    pub fn push_constraint(
        &mut self,
        law: Law,
        error: &[f64],
        blocks: &[(usize, RowBlock<'_>)],
    ) -> Result<usize, ProblemError> {
        let index = self.constraints.len();
        let rows = error.len();
        let constraint = Constraint::checked(index, law, rows, error)?;
        for (term, (subsystem, block)) in blocks.iter().enumerate() {
            self.check_block(rows, *subsystem, block)
                .map_err(|reason| ProblemError::Term {
                    constraint: index,
                    term,
                    reason,
                })?;
        }
        let constraint = Constraint {
            first_row: self.row_count(),
            first_term: self.terms.len(),
            term_count: blocks.len(),
            ..constraint
        };
        for (subsystem, block) in blocks {
            self.store_block(*subsystem, block);
        }
        self.constraints.push(constraint);
        self.errors.extend_from_slice(error);
        Ok(index)
    }

    /// Replaces a constraint's error term, one number per row.
    ///
    /// # Errors
    /// A wrong length or a value that is not finite.
    pub fn set_error(&mut self, constraint: usize, error: &[f64]) -> Result<(), ProblemError> {
        let refuse = |value, reason| ProblemError::Constraint {
            constraint,
            field: "e",
            value,
            reason,
        };
        let Some(target) = self.constraints.get(constraint) else {
            return Err(refuse(f64::NAN, "there is no such constraint"));
        };
        if error.len() != target.rows {
            return Err(refuse(
                error.len() as f64,
                "has another number of rows than the constraint",
            ));
        }
        if let Some(&value) = error.iter().find(|value| !value.is_finite()) {
            return Err(refuse(value, "is not finite"));
        }
        self.errors[target.row_range()].copy_from_slice(error);
        Ok(())
    }

    /// Adds a subsystem whose numbers are still to be written, see
    /// [`write_subsystem`](Self::write_subsystem), which checks them. Returns its index.
    pub fn reserve_subsystem(&mut self, subsystem: Subsystem) -> usize {
        if self.dof_start.is_empty() {
            self.dof_start.push(0);
        }
        self.b.resize(self.b.len() + subsystem.dof_count(), 0.0);
        self.dof_start.push(self.b.len());
        self.subsystems.push(subsystem);
        self.subsystems.len() - 1
    }

    /// Removes constraints and subsystems, and hands the latter back to be put in again.
    pub fn clear(&mut self) -> Vec<Subsystem> {
        self.clear_constraints();
        self.b.clear();
        self.dof_start.truncate(1);
        std::mem::take(&mut self.subsystems)
    }

    /// Removes all constraints and keeps the subsystems and all storage.
    pub fn clear_constraints(&mut self) {
        self.constraints.clear();
        self.errors.clear();
        self.terms.clear();
        self.coefficients.clear();
        self.indices.clear();
    }

    /// Pushes everything anew into an empty problem, and so checks a problem that did not come
    /// through the `push_…` methods: one that serde has read is used after this only.
    ///
    /// # Errors
    /// The first element that is not possible.
    pub fn rebuild_checked(self) -> Result<Self, ProblemError> {
        let mut checked = Problem::new();
        let structure = |reason: &str| ProblemError::Subsystem {
            subsystem: 0,
            reason: reason.to_owned(),
        };
        if self.dof_start.len() != self.subsystems.len() + 1
            || self.dof_start.windows(2).any(|pair| pair[0] > pair[1])
            || self.dof_start.first() != Some(&0)
            || self.dof_start.last() != Some(&self.b.len())
        {
            return Err(structure(
                "the starts of the degrees of freedom do not fit the subsystems and b",
            ));
        }
        for (index, subsystem) in self.subsystems.iter().enumerate() {
            checked.push_subsystem(
                subsystem.clone(),
                &self.b[self.dof_start[index]..self.dof_start[index + 1]],
            )?;
        }
        for (index, constraint) in self.constraints.iter().enumerate() {
            let bad = |reason: &str| ProblemError::Term {
                constraint: index,
                term: 0,
                reason: reason.to_owned(),
            };
            let last = constraint.first_term.checked_add(constraint.term_count);
            if last.is_none_or(|last| last > self.terms.len()) {
                return Err(bad("names terms that are not there"));
            }
            for term in
                &self.terms[constraint.first_term..constraint.first_term + constraint.term_count]
            {
                let (values, indices) = term.extent(constraint.rows);
                let fits = |first: usize, count: Option<usize>, available: usize| {
                    count
                        .and_then(|count| first.checked_add(count))
                        .is_some_and(|end| end <= available)
                };
                if !fits(term.first_value, values, self.coefficients.len())
                    || !fits(term.first_index, indices, self.indices.len())
                {
                    return Err(bad("names numbers that are not there"));
                }
            }
            let blocks: Vec<_> = self.terms(index).collect();
            checked.push_constraint(constraint.law, self.error(index), &blocks)?;
        }
        Ok(checked)
    }

    pub(crate) fn check_block(
        &self,
        rows: usize,
        subsystem: usize,
        block: &RowBlock<'_>,
    ) -> Result<(), String> {
        let Some(target) = self.subsystems.get(subsystem) else {
            return Err(format!(
                "subsystem {subsystem} does not exist, there are {}",
                self.subsystems.len()
            ));
        };
        let dofs = target.dof_count();
        match *block {
            RowBlock::Body { body, values } => {
                if body >= target.body_count() {
                    return Err(format!(
                        "body {body} does not exist, subsystem {subsystem} ({}) has {}",
                        target.kind(),
                        target.body_count()
                    ));
                }
                check_values("values", values, 6 * rows)
            }
            RowBlock::Dofs {
                dofs: names,
                values,
            } => {
                check_indices("dof", names, dofs)?;
                check_values("values", values, names.len() * rows)
            }
            RowBlock::Nodes {
                nodes,
                weights,
                frame,
            } => {
                check_indices("node", nodes, dofs / 3)?;
                check_values("weights", weights, nodes.len())?;
                check_values("frame", frame, 3 * rows)
            }
        }
    }

    fn store_block(&mut self, subsystem: usize, block: &RowBlock<'_>) {
        let (first_value, first_index) = (self.coefficients.len(), self.indices.len());
        let kind = match *block {
            RowBlock::Body { body, values } => {
                self.coefficients.extend_from_slice(values);
                TermKind::Body { body }
            }
            RowBlock::Dofs { dofs, values } => {
                self.coefficients.extend_from_slice(values);
                self.indices.extend_from_slice(dofs);
                TermKind::Dofs { count: dofs.len() }
            }
            RowBlock::Nodes {
                nodes,
                weights,
                frame,
            } => {
                self.coefficients.extend_from_slice(weights);
                self.coefficients.extend_from_slice(frame);
                self.indices.extend_from_slice(nodes);
                TermKind::Nodes { count: nodes.len() }
            }
        };
        self.terms.push(Term {
            subsystem,
            kind,
            first_value,
            first_index,
        });
    }
}

fn check_right_hand_side(dofs: usize, b: &[f64]) -> Result<(), String> {
    if b.len() != dofs {
        return Err(format!(
            "A has {dofs} degrees of freedom but b has {}",
            b.len()
        ));
    }
    match b.iter().position(|value| !value.is_finite()) {
        Some(i) => Err(format!("b[{i}] = {} is not finite", b[i])),
        None => Ok(()),
    }
}

fn check_values(what: &str, values: &[f64], expected: usize) -> Result<(), String> {
    if values.len() != expected {
        return Err(format!(
            "{what}: {} numbers given, {expected} expected",
            values.len()
        ));
    }
    if are_finite(values) {
        return Ok(());
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(i) => Err(format!("{what}[{i}] = {} is not finite", values[i])),
        None => Ok(()),
    }
}

fn check_indices(what: &str, indices: &[usize], count: usize) -> Result<(), String> {
    let ascending = indices.windows(2).all(|pair| pair[0] < pair[1]);
    for (position, &index) in indices.iter().enumerate() {
        if index >= count {
            return Err(format!("{what} {index} does not exist, there are {count}"));
        }
        if !ascending && indices[..position].contains(&index) {
            return Err(format!("{what} {index} is named twice"));
        }
    }
    Ok(())
}
