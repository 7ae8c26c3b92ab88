//! Mass for each row: the pseudodensities of [AL, §VI-D] and the ratios of traces that stand for
//! them where there are no bodies.

use nalgebra::Matrix6;
use stiction_constraints::{Problem, ResidualEvaluator, RowBlock, Subsystem};

use crate::layout::{BlockLayout, Layout};

/// Work space of the rules for β.
#[derive(Debug, Default)]
pub(crate) struct Densities {
    /// Diagonal of A.
    diagonal: Vec<f64>,
    /// Contacts (three rows each) on each body, bodies numbered over all subsystems; Tr(JᵀJ) for a
    /// subsystem without bodies.
    contacts: Vec<f64>,
    /// First of a subsystem's entries in `contacts`.
    first: Vec<usize>,
}

impl Densities {
    /// Reads the diagonal of A.
    pub(crate) fn update(&mut self, problem: &Problem, evaluator: &ResidualEvaluator) {
        self.diagonal.clear();
        self.diagonal.resize(problem.dof_count(), 0.0);
        let (dynamics, _) = evaluator.matrices();
        dynamics.for_each_lower_entry(|row, column, value| {
            if row == column {
                self.diagonal[row] = value;
            }
        });
    }

    /// Tr(A_j) / Tr(J_jᵀJ_j), 0 for a block without rows.
    pub(crate) fn trace_ratio(&self, layout: &Layout, block: &BlockLayout) -> f64 {
        let size = squared_size(layout, block);
        if size > 0.0 {
            self.trace(block.first_dof..block.dof_end) / size
        } else {
            0.0
        }
    }

    /// Tr(A) / Tr(JᵀJ) over all blocks with rows, 0 without any.
    pub(crate) fn common_trace_ratio(&self, layout: &Layout) -> f64 {
        let (mut inertia, mut rows) = (0.0, 0.0);
        for block in &layout.blocks {
            let size = squared_size(layout, block);
            if size > 0.0 {
                inertia += self.trace(block.first_dof..block.dof_end);
                rows += size;
            }
        }
        if rows > 0.0 { inertia / rows } else { 0.0 }
    }

    fn trace(&self, dofs: std::ops::Range<usize>) -> f64 {
        self.diagonal[dofs].iter().sum()
    }

    /// Geometric mean over bodies of mass by number of contacts on it. Subsystems that are not made
    /// of bodies enter with Tr(A)/Tr(JᵀJ), which is the same for a body whose rows are all
    /// translations. The splitting makes no difference to it.
    pub(crate) fn mean_pseudo_density(
        &mut self,
        problem: &Problem,
        layout: &Layout,
        evaluator: &ResidualEvaluator,
    ) -> f64 {
        self.count_contacts(problem, layout, evaluator);
        // Relative to the first one: what is rounded must not depend on the unit of mass.
        let mut reference = None;
        let (mut sum, mut count) = (0.0, 0);
        let mut add = |density: f64| {
            if density.is_finite() && density > 0.0 {
                sum += (density / *reference.get_or_insert(density)).ln();
                count += 1;
            }
        };
        for (index, subsystem) in problem.subsystems().iter().enumerate() {
            let contacts = &self.contacts[self.first[index]..];
            match subsystem {
                Subsystem::FreeBody(inertia) => add(mass_of(inertia) / contacts[0]),
                Subsystem::Tree(tree) => {
                    for (body, contacts) in tree.bodies().iter().zip(contacts) {
                        add(mass_of(&body.inertia) / contacts);
                    }
                }
                Subsystem::Sparse(_) | Subsystem::Dense(_) => {
                    let dofs = problem.dof_starts()[index]..problem.dof_starts()[index + 1];
                    add(self.trace(dofs) / contacts[0]);
                }
            }
        }
        match reference {
            Some(first) => first * (sum / f64::from(count)).exp(),
            None => evaluator.largest_term_mass(),
        }
    }

    fn count_contacts(
        &mut self,
        problem: &Problem,
        layout: &Layout,
        evaluator: &ResidualEvaluator,
    ) {
        self.first.clear();
        let mut total = 0;
        for subsystem in problem.subsystems() {
            self.first.push(total);
            total += counted_bodies(subsystem).max(1);
        }
        self.contacts.clear();
        self.contacts.resize(total, 0.0);
        for active in &layout.active {
            for (subsystem, block) in problem.terms(active.constraint) {
                if let RowBlock::Body { body, .. } = block
                    && counted_bodies(&problem.subsystems()[subsystem]) > 0
                {
                    self.contacts[self.first[subsystem] + body] += active.rows as f64 / 3.0;
                }
            }
            let rows = evaluator.rows();
            for segment in rows.segments(active.constraint) {
                if counted_bodies(&problem.subsystems()[segment.subsystem]) == 0 {
                    let values = rows.values(active.constraint, segment);
                    self.contacts[self.first[segment.subsystem]] +=
                        values.iter().map(|x| x * x).sum::<f64>();
                }
            }
        }
    }
}

/// Bodies of a subsystem whose contacts are counted one by one: those with an inertia of their own.
fn counted_bodies(subsystem: &Subsystem) -> usize {
    match subsystem {
        Subsystem::FreeBody(_) | Subsystem::Tree(_) => subsystem.body_count(),
        Subsystem::Sparse(_) | Subsystem::Dense(_) => 0,
    }
}

fn mass_of(inertia: &Matrix6<f64>) -> f64 {
    (inertia[(0, 0)] + inertia[(1, 1)] + inertia[(2, 2)]) / 3.0
}

/// Tr(J_jᵀJ_j).
fn squared_size(layout: &Layout, block: &BlockLayout) -> f64 {
    block
        .slots()
        .map(|slot| layout.squared_size(block, slot))
        .sum()
}
