//! Global problems: M v = H r + f, u = Hᵀ v + w with contact laws between u and r.
//!
//! M is split into its diagonal blocks, each a subsystem; J = Hᵀ, e = w. Blocks that no contact
//! touches have no part in the reactions and are left out of the [`Problem`].

use nalgebra::{DMatrix, Matrix6};
use stiction_constraints::{
    DynamicsMatrix, Failure, Law, Problem, Residuals, RowBlock, SparseSymmetric, Subsystem,
};

use super::contact_residuals::{impulses, residuals_at};
use crate::checks::{check_friction, check_vector};
use crate::component_order::row_of;
use crate::content::Origin;
use crate::csc_matrix::CscMatrix;
use crate::error::{ProblemFileError, Refusal};

/// Blocks up to this size are dense, larger ones sparse.
const LARGEST_DENSE_BLOCK: usize = 48;

/// A frictional contact problem with masses, in the file's component order (n, t1, t2).
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalProblem {
    /// Name and whatever else the file says about itself.
    pub origin: Origin,
    pub(crate) friction: Vec<f64>,
    pub(crate) mass: CscMatrix,
    pub(crate) directions: CscMatrix,
    pub(crate) force: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    problem: Problem,
}

impl GlobalProblem {
    /// Takes over μ (one per contact), M (n × n), H (n × three per contact: normal, tangent 1,
    /// tangent 2), f (n) and w (three per contact) after checking them.
    ///
    /// # Errors
    /// Sizes that do not fit, an M that is not symmetric positive definite, a friction coefficient
    /// that is negative, a value that is not finite.
    pub fn new(
        origin: Origin,
        friction: Vec<f64>,
        mass: CscMatrix,
        directions: CscMatrix,
        force: Vec<f64>,
        bias: Vec<f64>,
    ) -> Result<Self, ProblemFileError> {
        let name = origin.name.clone();
        Self::checked(origin, friction, mass, directions, force, bias)
            .map_err(|refusal| refusal.in_file(&name))
    }

    pub(crate) fn checked(
        origin: Origin,
        friction: Vec<f64>,
        mass: CscMatrix,
        directions: CscMatrix,
        force: Vec<f64>,
        bias: Vec<f64>,
    ) -> Result<Self, Refusal> {
        let rows = check_friction(&friction)?;
        let dofs = mass.rows();
        let shape = |name: &str, matrix: &CscMatrix, columns: usize| {
            if (matrix.rows(), matrix.columns()) == (dofs, columns) {
                return Ok(());
            }
            Err(Refusal::element(
                format!("{name}.shape"),
                format!(
                    "is {}×{}, {dofs}×{columns} expected",
                    matrix.rows(),
                    matrix.columns()
                ),
            ))
        };
        shape("M", &mass, dofs)?;
        shape("H", &directions, rows)?;
        check_vector("f", &force, dofs)?;
        check_vector("w", &bias, rows)?;
        check_symmetric(&mass)?;
        let problem = build(
            &friction,
            &mass.symmetric_part(),
            &directions,
            &force,
            &bias,
        )?;
        Ok(Self {
            origin,
            friction,
            mass,
            directions,
            force,
            bias,
            problem,
        })
    }

    /// The problem in the form that solvers take. Contact rows are ordered (t1, t2, n).
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Friction coefficient of each contact.
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// M.
    pub fn mass(&self) -> &CscMatrix {
        &self.mass
    }

    /// H.
    pub fn directions(&self) -> &CscMatrix {
        &self.directions
    }

    /// f.
    pub fn force(&self) -> &[f64] {
        &self.force
    }

    /// w.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// Residuals of reactions r in the file's component order, against M and H as given.
    ///
    /// # Errors
    /// A wrong number of reactions, or a mass matrix that cannot be factorised.
    pub fn residuals(&self, reaction: &[f64]) -> Result<Residuals, Failure> {
        let lambda = impulses(self.problem(), reaction)?;
        residuals_at(self.problem(), &lambda)
    }
}

fn check_symmetric(mass: &CscMatrix) -> Result<(), Refusal> {
    let diagonal = mass.diagonal();
    if let Some(i) = diagonal.iter().position(|&d| d <= 0.0) {
        return Err(Refusal::element(
            format!("M[{i},{i}]"),
            format!("is {}, but M must be positive definite", diagonal[i]),
        ));
    }
    let transpose = mass.transpose();
    for j in 0..mass.columns() {
        // Merge column j of M with row j of M; both ascend.
        let (mut a, mut b) = (mass.column(j).peekable(), transpose.column(j).peekable());
        loop {
            let next_a = a.peek().map_or(usize::MAX, |entry| entry.0);
            let next_b = b.peek().map_or(usize::MAX, |entry| entry.0);
            let i = next_a.min(next_b);
            if i == usize::MAX {
                break;
            }
            let below = if next_a == i { a.next() } else { None }.map_or(0.0, |entry| entry.1);
            let above = if next_b == i { b.next() } else { None }.map_or(0.0, |entry| entry.1);
            let scale = (diagonal[i] * diagonal[j]).sqrt();
            if (below - above).abs() > Subsystem::SYMMETRY_TOLERANCE * scale {
                return Err(Refusal::element(
                    format!("M[{i},{j}]"),
                    format!("is {below}, but M[{j},{i}] is {above}: M must be symmetric"),
                ));
            }
        }
    }
    Ok(())
}

/// Degrees of freedom by blocks: aligned sixes where M respects them (rigid bodies, whose own
/// matrix may well be diagonal), otherwise what M's entries connect.
fn blocks_of(mass: &CscMatrix) -> Vec<Vec<usize>> {
    let dofs = mass.columns();
    let bodies = dofs.is_multiple_of(6)
        && mass
            .entries()
            .all(|(i, j, value)| i / 6 == j / 6 || value == 0.0);
    let (label, count) = if bodies {
        ((0..dofs).map(|dof| dof / 6).collect(), dofs / 6)
    } else {
        mass.connected_blocks()
    };
    let mut blocks = vec![Vec::new(); count];
    for (dof, &block) in label.iter().enumerate() {
        blocks[block].push(dof);
    }
    blocks
}

fn build(
    friction: &[f64],
    mass: &CscMatrix,
    directions: &CscMatrix,
    force: &[f64],
    bias: &[f64],
) -> Result<Problem, Refusal> {
    let blocks = blocks_of(mass);
    let mut place = vec![(0, 0); mass.columns()];
    for (block, dofs) in blocks.iter().enumerate() {
        for (position, &dof) in dofs.iter().enumerate() {
            place[dof] = (block, position);
        }
    }
    let mut is_touched = vec![false; blocks.len()];
    for (dof, _, value) in directions.entries() {
        is_touched[place[dof].0] |= value != 0.0;
    }
    let (mut problem, mut untouched) = (Problem::new(), Problem::new());
    let mut subsystem_of = vec![usize::MAX; blocks.len()];
    let mut first_dofs = [Vec::new(), Vec::new()];
    for (block, dofs) in blocks.iter().enumerate() {
        let subsystem = subsystem(mass, dofs, &place)?;
        let b: Vec<f64> = dofs.iter().map(|&dof| force[dof]).collect();
        let target = if is_touched[block] {
            &mut problem
        } else {
            &mut untouched
        };
        subsystem_of[block] = target.push_subsystem(subsystem, &b)?;
        first_dofs[usize::from(!is_touched[block])].push(dofs[0]);
    }
    for (part, first_dof) in [&problem, &untouched].into_iter().zip(&first_dofs) {
        check_definite(part, first_dof)?;
    }
    for (contact, &friction) in friction.iter().enumerate() {
        let mut entries: Vec<(usize, usize, usize, f64)> = (0..3)
            .flat_map(|component| {
                (directions.column(3 * contact + component))
                    .filter(|&(_, value)| value != 0.0)
                    .map(move |(dof, value)| (dof, component, value))
            })
            .map(|(dof, component, value)| (place[dof].0, place[dof].1, row_of(component), value))
            .collect();
        entries.sort_by_key(|entry| (entry.0, entry.1, entry.2));
        let mut terms: Vec<(usize, Vec<usize>, Vec<f64>)> = Vec::new();
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            let mut dofs: Vec<usize> = group.iter().map(|entry| entry.1).collect();
            dofs.dedup();
            let mut values = vec![0.0; 3 * dofs.len()];
            for &(_, dof, row, value) in group {
                if let Ok(position) = dofs.binary_search(&dof) {
                    values[row * dofs.len() + position] = value;
                }
            }
            terms.push((subsystem_of[group[0].0], dofs, values));
        }
        let terms: Vec<_> = terms
            .iter()
            .map(|(subsystem, dofs, values)| (*subsystem, RowBlock::Dofs { dofs, values }))
            .collect();
        let w = &bias[3 * contact..3 * contact + 3];
        problem.push_constraint(Law::Contact { friction }, &[w[1], w[2], w[0]], &terms)?;
    }
    Ok(problem)
}

fn subsystem(
    mass: &CscMatrix,
    dofs: &[usize],
    place: &[(usize, usize)],
) -> Result<Subsystem, Refusal> {
    let size = dofs.len();
    let entries = || {
        dofs.iter()
            .flat_map(|&j| mass.column(j).map(move |(i, value)| (i, j, value)))
            .filter(|&(_, _, value)| value != 0.0)
            .map(|(i, j, value)| (place[i].1, place[j].1, value))
    };
    if size == 6 {
        let mut inertia = Matrix6::zeros();
        entries().for_each(|(i, j, value)| inertia[(i, j)] = value);
        Ok(Subsystem::FreeBody(inertia))
    } else if size <= LARGEST_DENSE_BLOCK {
        let mut matrix = DMatrix::zeros(size, size);
        entries().for_each(|(i, j, value)| matrix[(i, j)] = value);
        Ok(Subsystem::Dense(matrix))
    } else {
        let lower: Vec<_> = entries().filter(|&(i, j, _)| i >= j).collect();
        SparseSymmetric::from_lower_entries(size, &lower)
            .map(Subsystem::Sparse)
            .map_err(|reason| Refusal::element("M", reason))
    }
}

fn check_definite(problem: &Problem, first_dof: &[usize]) -> Result<(), Refusal> {
    match DynamicsMatrix::default().update(problem) {
        Ok(()) => Ok(()),
        Err(Failure::NotPositiveDefinite { subsystem }) => Err(Refusal::element(
            format!("M, block of degree of freedom {}", first_dof[subsystem]),
            "is not positive definite",
        )),
        Err(failure) => Err(Refusal::element("M", failure.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use stiction_constraints::ResidualEvaluator;

    use super::*;

    fn matrix(rows: usize, columns: usize, entries: &[(usize, usize, f64)]) -> CscMatrix {
        CscMatrix::from_entries(rows, columns, entries).unwrap()
    }

    /// Two blocks of three: a coupled one that the contact touches and one that it does not.
    fn example(coupling: [f64; 2], last: f64) -> Result<GlobalProblem, ProblemFileError> {
        let mass = matrix(
            7,
            7,
            &[
                (0, 0, 2.0),
                (1, 1, 3.0),
                (2, 2, 4.0),
                (0, 1, coupling[0]),
                (1, 0, coupling[1]),
                (3, 3, 1.0),
                (4, 4, 1.0),
                (5, 5, 1.0),
                (6, 6, last),
            ],
        );
        let directions = matrix(7, 3, &[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]);
        GlobalProblem::new(
            Origin::named("example"),
            vec![0.3],
            mass,
            directions,
            vec![-2.0, 0.0, 4.0, 1.0, 1.0, 1.0, 1.0],
            vec![0.1, 0.2, 0.3],
        )
    }

    #[test]
    fn untouched_blocks_are_left_out_and_rows_are_reordered() {
        let global = example([0.5, 0.5], 1.0).unwrap();
        let problem = global.problem();
        assert_eq!(problem.subsystems().len(), 2);
        assert_eq!(problem.dof_count(), 3);
        assert_eq!(problem.error(0), [0.2, 0.3, 0.1]);
        let mut evaluator = ResidualEvaluator::default();
        evaluator.update(problem).unwrap();
        // M⁻¹ f of the coupled block [2 .5; .5 3], and 1 for the third.
        let determinant = 2.0 * 3.0 - 0.25;
        let expected = [0.5 * 2.0 / determinant, 1.0, -2.0 * 3.0 / determinant];
        for (value, expected) in evaluator.free_row_velocity().iter().zip(expected) {
            assert!((value - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn asymmetric_and_indefinite_masses_are_refused() {
        let asymmetric = example([0.5, 0.4], 1.0).unwrap_err().to_string();
        assert!(
            asymmetric.contains("M[1,0]: is 0.4, but M[0,1] is 0.5"),
            "{asymmetric}"
        );
        let indefinite = example([9.0, 9.0], 1.0).unwrap_err().to_string();
        assert!(
            indefinite.contains("block of degree of freedom 0"),
            "{indefinite}"
        );
        let untouched = example([0.5, 0.5], -1.0).unwrap_err().to_string();
        assert!(untouched.contains("M[6,6]: is -1"), "{untouched}");
    }

    #[test]
    fn aligned_sixes_are_bodies() {
        let diagonal: Vec<_> = (0..12).map(|i| (i, i, 1.0)).collect();
        let global = GlobalProblem::new(
            Origin::named("bodies"),
            vec![0.3],
            matrix(12, 12, &diagonal),
            matrix(
                12,
                3,
                &[(2, 0, 1.0), (8, 0, -1.0), (0, 1, 1.0), (1, 2, 1.0)],
            ),
            vec![0.0; 12],
            vec![0.0; 3],
        )
        .unwrap();
        assert!(
            global
                .problem()
                .subsystems()
                .iter()
                .all(|s| s.kind() == "free body")
        );
        assert_eq!(global.problem().subsystems().len(), 2);
    }
}
