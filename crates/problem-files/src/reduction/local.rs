//! Local problems: the Delassus matrix W and the free velocity q, without masses.
//!
//! u = W r + q with contact laws between u and r. To be solved like any other problem it is
//! brought into the primal form by W ≈ L Lᵀ: A = I, b = 0, J = L, e = q, so that
//! J A⁻¹ (Jᵀ r + b) + e = L Lᵀ r + q.

use nalgebra::DMatrix;
use stiction_constraints::{Law, Problem, RowBlock, SparseSymmetric, Subsystem};

use super::contact_residuals::ContactMeter;
use super::rank_factor::{RankFactor, factorize};
use super::reduced_local::ReducedLocal;
use crate::checks::{check_friction, check_vector};
use crate::component_order::{from_file_order, row_of};
use crate::content::Origin;
use crate::csc_matrix::CscMatrix;
use crate::error::{ProblemFileError, Refusal};

/// Identity blocks up to this size are dense, larger ones sparse.
const LARGEST_DENSE_BLOCK: usize = 48;

/// A frictional contact problem u = W r + q, in the file's component order (n, t1, t2).
#[derive(Debug, Clone, PartialEq)]
pub struct LocalProblem {
    /// Name and whatever else the file says about itself.
    pub origin: Origin,
    pub(crate) friction: Vec<f64>,
    pub(crate) delassus: CscMatrix,
    pub(crate) free_velocity: Vec<f64>,
}

impl LocalProblem {
    /// Takes over μ (one per contact), W and q (three per contact: normal, tangent 1, tangent 2)
    /// after checking sizes and values.
    ///
    /// # Errors
    /// Sizes that do not fit, a friction coefficient that is negative, a value that is not finite.
    pub fn new(
        origin: Origin,
        friction: Vec<f64>,
        delassus: CscMatrix,
        free_velocity: Vec<f64>,
    ) -> Result<Self, ProblemFileError> {
        let name = origin.name.clone();
        Self::checked(origin, friction, delassus, free_velocity)
            .map_err(|refusal| refusal.in_file(&name))
    }

    pub(crate) fn checked(
        origin: Origin,
        friction: Vec<f64>,
        delassus: CscMatrix,
        free_velocity: Vec<f64>,
    ) -> Result<Self, Refusal> {
        let rows = check_friction(&friction)?;
        check_vector("q", &free_velocity, rows)?;
        if delassus.rows() != rows || delassus.columns() != rows {
            return Err(Refusal::element(
                "W.shape",
                format!(
                    "is {}×{}, but {} contacts need {rows}×{rows}",
                    delassus.rows(),
                    delassus.columns(),
                    friction.len()
                ),
            ));
        }
        Ok(Self {
            origin,
            friction,
            delassus,
            free_velocity,
        })
    }

    /// Friction coefficient of each contact.
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// W.
    pub fn delassus(&self) -> &CscMatrix {
        &self.delassus
    }

    /// q.
    pub fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }

    /// Brings the problem into primal form.
    ///
    /// # Errors
    /// A symmetric part of W that is indefinite beyond rounding (1e-6 of its largest eigenvalue).
    pub fn reduce(&self) -> Result<ReducedLocal, ProblemFileError> {
        self.reduce_checked()
            .map_err(|refusal| refusal.in_file(&self.origin.name))
    }

    fn reduce_checked(&self) -> Result<ReducedLocal, Refusal> {
        let ours = |index: usize| index - index % 3 + row_of(index % 3);
        let entries: Vec<_> = self
            .delassus
            .entries()
            .map(|(i, j, value)| (ours(i), ours(j), value))
            .collect();
        let rows = self.free_velocity.len();
        let delassus = CscMatrix::from_entries(rows, rows, &entries)
            .map_err(|(_, reason)| Refusal::element("W", reason))?;
        let is_symmetric = delassus.is_symmetric();
        let symmetric = if is_symmetric {
            delassus.clone()
        } else {
            delassus.symmetric_part()
        };
        let (factor, block_start) = factorize_blocks(&symmetric)?;
        let free_velocity = from_file_order(&self.free_velocity);
        let problem = primal_problem(&self.friction, &free_velocity, &factor, &block_start)?;
        let diagonal = delassus.diagonal();
        let mean = diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64;
        Ok(ReducedLocal {
            problem,
            factor,
            delassus,
            symmetric,
            is_symmetric,
            meter: ContactMeter {
                friction: self.friction.clone(),
                free_velocity,
                mean_diagonal: if mean > 0.0 { mean } else { 1.0 },
            },
        })
    }
}

/// Factorises W block by block and returns L with the first column of each block.
fn factorize_blocks(symmetric: &CscMatrix) -> Result<(RankFactor, Vec<usize>), Refusal> {
    let (label, count) = symmetric.connected_blocks();
    let mut members = vec![Vec::new(); count];
    let mut place = vec![0; label.len()];
    for (index, &block) in label.iter().enumerate() {
        place[index] = members[block].len();
        members[block].push(index);
    }
    let scale = symmetric
        .diagonal()
        .iter()
        .fold(0.0, |a: f64, b| a.max(b.abs()));
    let mut total = RankFactor {
        rows: vec![Vec::new(); label.len()],
        ..RankFactor::default()
    };
    let mut start = vec![0];
    for rows in &members {
        let entries: Vec<_> = rows
            .iter()
            .flat_map(|&j| symmetric.column(j).map(move |(i, value)| (i, j, value)))
            .filter(|&(_, _, value)| value != 0.0)
            .map(|(i, j, value)| (place[i], place[j], value))
            .collect();
        let factor = CscMatrix::from_entries(rows.len(), rows.len(), &entries)
            .map_err(|(_, reason)| reason)
            .and_then(|block| factorize(&block, scale))
            .map_err(|reason| {
                let contact = rows[0] / 3;
                Refusal::element(format!("W, block of contact {contact}"), reason)
            })?;
        for (row, values) in rows.iter().zip(factor.rows) {
            total.rows[*row] = values.iter().map(|&(k, v)| (k + total.rank, v)).collect();
        }
        total.rank += factor.rank;
        total.error = total.error.max(factor.error);
        start.push(total.rank);
    }
    Ok((total, start))
}

fn primal_problem(
    friction: &[f64],
    free_velocity: &[f64],
    factor: &RankFactor,
    block_start: &[usize],
) -> Result<Problem, Refusal> {
    let mut problem = Problem::new();
    // Blocks of rank zero have no degrees of freedom and so no subsystem.
    let mut subsystem_of = vec![None; block_start.len()];
    for (block, range) in block_start.windows(2).enumerate() {
        let rank = range[1] - range[0];
        if rank > 0 {
            subsystem_of[block] = Some(problem.push_subsystem(identity(rank)?, &vec![0.0; rank])?);
        }
    }
    let block_of = |column: usize| block_start.partition_point(|&start| start <= column) - 1;
    for (contact, &friction) in friction.iter().enumerate() {
        let rows = &factor.rows[3 * contact..3 * contact + 3];
        let mut columns: Vec<usize> = rows.iter().flatten().map(|&(k, _)| k).collect();
        columns.sort_unstable();
        columns.dedup();
        // The rows of one contact may lie in different blocks of W.
        let mut blocks: Vec<(usize, Vec<usize>, Vec<f64>)> = Vec::new();
        for group in columns.chunk_by(|&a, &b| block_of(a) == block_of(b)) {
            let block = block_of(group[0]);
            let Some(subsystem) = subsystem_of[block] else {
                continue;
            };
            let mut values = vec![0.0; 3 * group.len()];
            for (row, entries) in rows.iter().enumerate() {
                for &(k, value) in entries {
                    if let Ok(position) = group.binary_search(&k) {
                        values[row * group.len() + position] = value;
                    }
                }
            }
            let dofs = group.iter().map(|k| k - block_start[block]).collect();
            blocks.push((subsystem, dofs, values));
        }
        let terms: Vec<_> = blocks
            .iter()
            .map(|(subsystem, dofs, values)| (*subsystem, RowBlock::Dofs { dofs, values }))
            .collect();
        let error = &free_velocity[3 * contact..3 * contact + 3];
        problem.push_constraint(Law::Contact { friction }, error, &terms)?;
    }
    Ok(problem)
}

fn identity(size: usize) -> Result<Subsystem, Refusal> {
    if size <= LARGEST_DENSE_BLOCK {
        return Ok(Subsystem::Dense(DMatrix::identity(size, size)));
    }
    let entries: Vec<_> = (0..size).map(|i| (i, i, 1.0)).collect();
    SparseSymmetric::from_lower_entries(size, &entries)
        .map(Subsystem::Sparse)
        .map_err(|reason| Refusal::element("W", reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_contacts(asymmetry: f64) -> LocalProblem {
        // W = G Gᵀ for random-looking rows in three dimensions: rank 3 of 6.
        let g = |i: usize| [1.0 + i as f64, (3.0 * i as f64).cos(), (i * i % 5) as f64];
        let entries: Vec<_> = (0..36)
            .map(|k| (k / 6, k % 6))
            .map(|(i, j)| {
                let dot: f64 = g(i).iter().zip(g(j)).map(|(a, b)| a * b).sum();
                (i, j, dot + asymmetry * (i as f64 - j as f64))
            })
            .collect();
        LocalProblem::new(
            Origin::named("two"),
            vec![0.5, 0.0],
            CscMatrix::from_entries(6, 6, &entries).unwrap(),
            vec![-1.0, 0.2, 0.3, -2.0, 0.1, 0.0],
        )
        .unwrap()
    }

    #[test]
    fn primal_form_reproduces_the_delassus_matrix() {
        let local = two_contacts(0.0);
        let reduced = local.reduce().unwrap();
        assert_eq!(reduced.rank(), 3);
        assert!(reduced.is_symmetric());
        let r = [0.3, -0.2, 1.0, 0.0, 0.5, 2.0];
        let defect = reduced.factor_defect(&r);
        assert!(defect.iter().all(|d| d.abs() < 1e-11), "{defect:?}");
        let errors = reduced.problem().errors();
        assert_eq!(errors, [0.2, 0.3, -1.0, 0.1, 0.0, -2.0]);
    }

    #[test]
    fn the_defect_of_an_asymmetric_matrix_is_its_skew_part() {
        let reduced = two_contacts(1e-3).reduce().unwrap();
        assert!(!reduced.is_symmetric());
        let r = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        // Column "normal of contact 0" is file index 0; rows in the order (t1, t2, n).
        let expected = [1e-3, 2e-3, 0.0, 4e-3, 5e-3, 3e-3];
        for (value, expected) in reduced.factor_defect(&r).iter().zip(expected) {
            assert!((value - expected).abs() < 1e-11, "{value} {expected}");
        }
    }

    #[test]
    fn wrong_input_is_refused_with_its_element() {
        let good = two_contacts(0.0);
        let text = |friction: Vec<f64>, q: Vec<f64>| {
            LocalProblem::new(Origin::named("x"), friction, good.delassus.clone(), q)
                .unwrap_err()
                .to_string()
        };
        assert!(text(vec![0.5, -0.1], vec![0.0; 6]).contains("mu[1]: is -0.1"));
        assert!(text(vec![0.5, 0.1], vec![0.0; 5]).contains("q: has 5 numbers, 6 expected"));
        assert!(text(vec![0.5], vec![0.0; 3]).contains("W.shape"));
        let mut q = vec![0.0; 6];
        q[4] = f64::NAN;
        assert!(text(vec![0.5, 0.1], q).contains("q[4]: is NaN"));
    }
}
