//! Without friction in contacts a step is a convex quadratic program, which an interior-point solver
//! solves by other means: min ½ v̂ᵀA v̂ − bᵀv̂ under the rows, with springs, compliance and dry friction
//! of joints as terms of the cost. The velocity is unique; the impulses need not be.

mod common;

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, ZeroConeT};
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolution, DefaultSolver, IPSolver, SolverStatus,
};
use common::{canal, difference, solve_cold};
use nalgebra::{DMatrix, DVector};
use stiction_constraints::{JointRows, Law, Problem, Subsystem};
use stiction_generators::transform::{densify, without_friction};
use stiction_generators::{
    Breadth, MixedLawsParams, RandomSmallParams, RandomWideParams, mixed_laws, random_small,
    random_wide,
};

/// min ½ xᵀP x + qᵀx with `equal` x = 0 and `above` x ≥ 0, each row with its constant last. The first
/// unknowns are v̂, the others belong to laws that need some.
struct Program {
    unknowns: usize,
    quadratic: DMatrix<f64>,
    linear: DVector<f64>,
    equal: Vec<(DVector<f64>, f64)>,
    above: Vec<(DVector<f64>, f64)>,
}

impl Program {
    fn new(problem: &Problem) -> Self {
        let dofs = problem.dof_count();
        // At most one more unknown for each row.
        let unknowns = dofs + problem.row_count();
        let mut program = Self {
            unknowns: dofs,
            quadratic: DMatrix::zeros(unknowns, unknowns),
            linear: DVector::zeros(unknowns),
            equal: Vec::new(),
            above: Vec::new(),
        };
        let dense = densify(problem).expect("a valid problem");
        for (subsystem, &start) in dense.subsystems().iter().zip(dense.dof_starts()) {
            let Subsystem::Dense(block) = subsystem else {
                panic!("not densified");
            };
            let mut view = program.quadratic.view_mut((start, start), block.shape());
            view.copy_from(block);
        }
        for (cost, b) in program.linear.iter_mut().zip(problem.b()) {
            *cost = -b;
        }
        let rows = matrix_of_rows(problem, unknowns);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            for (row, &error) in problem.error(index).iter().enumerate() {
                let jacobian = rows.row(constraint.first_row + row).transpose();
                program.add(&constraint.law, row, &jacobian, error);
            }
        }
        program
    }

    /// One row of a law. Contacts without friction are their normal row.
    fn add(&mut self, law: &Law, row: usize, jacobian: &DVector<f64>, error: f64) {
        match *law {
            Law::Equality => self.equal.push((jacobian.clone(), error)),
            Law::Contact { .. } | Law::CompliantContact { .. } if row < 2 => {
                assert_eq!(law.friction(), Some([0.0; 2]), "no quadratic program");
            }
            Law::Unilateral | Law::Contact { .. } => self.above.push((jacobian.clone(), error)),
            // z + e + s ≥ 0 for the price of s²/(2R): s = R λ.
            Law::CompliantContact {
                normal_compliance, ..
            } => {
                let mut gap = jacobian.clone();
                if normal_compliance > 0.0 {
                    let compliance = self.unknown();
                    self.quadratic[(compliance, compliance)] = 1.0 / normal_compliance;
                    gap[compliance] = 1.0;
                }
                self.above.push((gap, error));
            }
            // c z²/2 + k e z.
            Law::Soft { stiffness, damping } => {
                self.quadratic.ger(damping, jacobian, jacobian, 1.0);
                self.linear.axpy(stiffness * error, jacobian, 1.0);
            }
            // m w with w ≥ ±(z + e).
            Law::JointFriction { bound } => {
                let speed = self.unknown();
                self.linear[speed] = bound;
                for sign in [1.0, -1.0] {
                    let mut over = jacobian * sign;
                    over[speed] = 1.0;
                    self.above.push((over, sign * error));
                }
            }
            Law::JointLimit { lower, upper } => {
                if lower.is_finite() {
                    self.above.push((jacobian.clone(), error - lower));
                }
                if upper.is_finite() {
                    self.above.push((-jacobian, upper - error));
                }
            }
            Law::AnisotropicContact { .. } | Law::Custom { .. } => panic!("no quadratic program"),
        }
    }

    fn unknown(&mut self) -> usize {
        self.unknowns += 1;
        self.unknowns - 1
    }

    /// The minimum, as closely as the interior-point solver gets: where rounding keeps it from a
    /// tolerance, it says so and has an answer to five digits only.
    fn solve(&self) -> Result<Vec<f64>, SolverStatus> {
        let mut status = SolverStatus::Unsolved;
        for tolerance in [1e-13, 1e-12, 1e-11, 1e-10] {
            let solution = self.solve_within(tolerance);
            if solution.status == SolverStatus::Solved {
                return Ok(solution.x);
            }
            status = solution.status;
        }
        Err(status)
    }

    fn solve_within(&self, tolerance: f64) -> DefaultSolution<f64> {
        let n = self.unknowns;
        let quadratic = sparse(&self.quadratic.view((0, 0), (n, n)).into_owned());
        let bounds: Vec<_> = self.equal.iter().chain(&self.above).collect();
        let normals = DMatrix::from_fn(bounds.len(), n, |row, column| -bounds[row].0[column]);
        let constants: Vec<f64> = bounds.iter().map(|(_, constant)| *constant).collect();
        let cones = [
            ZeroConeT(self.equal.len()),
            NonnegativeConeT(self.above.len()),
        ];
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .tol_gap_abs(tolerance)
            .tol_gap_rel(tolerance)
            .tol_feas(tolerance)
            .build()
            .expect("valid settings");
        let linear = &self.linear.as_slice()[..n];
        let mut solver = DefaultSolver::new(
            &quadratic,
            linear,
            &sparse(&normals),
            &constants,
            &cones,
            settings,
        )
        .expect("a valid program");
        solver.solve();
        solver.solution
    }
}

/// J, with columns of zeros for the unknowns beyond v̂.
fn matrix_of_rows(problem: &Problem, columns: usize) -> DMatrix<f64> {
    let mut rows = JointRows::default();
    rows.update(problem);
    let mut out = DMatrix::zeros(problem.row_count(), columns);
    let mut v = vec![0.0; problem.dof_count()];
    for dof in 0..problem.dof_count() {
        v[dof] = 1.0;
        rows.mul(&v, out.column_mut(dof).as_mut_slice());
        v[dof] = 0.0;
    }
    out
}

fn sparse(matrix: &DMatrix<f64>) -> CscMatrix<f64> {
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in matrix.column_iter() {
        for (row, &value) in column.iter().enumerate() {
            if value != 0.0 {
                rows.push(row);
                values.push(value);
            }
        }
        starts.push(rows.len());
    }
    CscMatrix::new(matrix.nrows(), matrix.ncols(), starts, rows, values)
}

/// The velocities of `canal` against those of the programs. At most one program in fifty may be too
/// badly conditioned for the interior-point solver.
fn compare(family: &str, problems: impl ExactSizeIterator<Item = Problem>) {
    let count = problems.len();
    let mut unknown = Vec::new();
    for (seed, problem) in problems.enumerate() {
        let problem = without_friction(&problem).expect("a valid problem");
        let expected = match Program::new(&problem).solve() {
            Ok(unknowns) => unknowns,
            Err(status) => {
                unknown.push((seed, status));
                continue;
            }
        };
        let expected = &expected[..problem.dof_count()];
        let (report, solution) = solve_cold(&mut canal(), &problem, 1e-9);
        let error = difference(&solution.velocity, expected);
        let size = expected.iter().fold(1.0, |most: f64, v| most.max(v.abs()));
        assert!(
            report.outcome.is_converged() && error < 1e-6 * size,
            "{family} {seed}: {}, {error:e} of {size:e} m/s",
            report.outcome
        );
    }
    assert!(50 * unknown.len() <= count, "{family}: {unknown:?}");
}

#[test]
fn every_law_on_one_robot() {
    let problem = |seed: u32| {
        let params = MixedLawsParams { seed: seed.into() };
        mixed_laws(&params).expect("a valid problem")
    };
    compare("mixed_laws", (0..50).map(problem));
}

#[test]
fn small_problems() {
    let problem = |seed: u32| {
        let params = RandomSmallParams {
            seed: seed.into(),
            ..RandomSmallParams::default()
        };
        random_small(&params).expect("a valid problem")
    };
    compare("random_small", (0..200).map(problem));
}

#[test]
fn plain_problems_of_all_kinds() {
    let problem = |seed: u32| {
        let params = RandomWideParams {
            breadth: Breadth::Plain,
            seed: seed.into(),
            ..RandomWideParams::default()
        };
        random_wide(&params).expect("a valid problem").problem
    };
    compare("random_wide", (0..200).map(problem));
}
