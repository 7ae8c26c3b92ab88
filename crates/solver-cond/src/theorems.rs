//! The paper's propositions and theorems, on random systems.

use nalgebra::{DMatrix, DVector, Matrix6, Rotation3, Vector3};
use proptest::prelude::*;
use stiction_constraints::{
    Budget, Criterion, Law, Outcome, Problem, RowBlock, Solution, Solver, SparseSymmetric,
};
use stiction_solver_pgs::Pgs;

use crate::contact;
use crate::nodes::Site;
use crate::settings::{CondSettings, Gain, Metric, Operator, StepMatrix};
use crate::solve::Cond;
use crate::velocity_iteration::VelocityIteration;
use crate::weights::gradient;

/// A random system: a chain of nodes on springs, some of them in contact, and a body on one of the nodes and on the
/// ground.
#[derive(Debug, Clone)]
struct Random {
    masses: Vec<f64>,
    stiffness: f64,
    angles: Vec<[f64; 3]>,
    velocity: Vec<[f64; 3]>,
    friction: f64,
    has_body: bool,
}

fn random(has_body: bool) -> impl Strategy<Value = Random> {
    (3..7_usize).prop_flat_map(move |count| {
        (
            prop::collection::vec(0.2..2.0_f64, count),
            0.0..5.0_f64,
            prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), count + 4),
            prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), count + 2),
            0.0..1.5_f64,
        )
            .prop_map(
                move |(masses, stiffness, angles, velocity, friction)| Random {
                    masses,
                    stiffness,
                    angles,
                    velocity,
                    friction,
                    has_body,
                },
            )
    })
}

fn frame(angles: [f64; 3]) -> [f64; 9] {
    let rotation = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
    std::array::from_fn(|at| rotation[(at / 3, at % 3)])
}

impl Random {
    /// A = scale · M + K with springs that act in all directions alike.
    fn problem(&self, scale: f64, stiffness: f64) -> Problem {
        let mut problem = Problem::new();
        let count = self.masses.len();
        let mut entries = Vec::new();
        let mut b = vec![0.0; 3 * count];
        for (node, &mass) in self.masses.iter().enumerate() {
            for axis in 0..3 {
                let at = 3 * node + axis;
                entries.push((at, at, scale * mass));
                b[at] = scale * mass * self.velocity[node][axis] - 0.2 * f64::from(axis == 2);
                if node > 0 {
                    entries.push((at, at, stiffness));
                    entries.push((at - 3, at - 3, stiffness));
                    entries.push((at, at - 3, -stiffness));
                }
            }
        }
        let matrix = SparseSymmetric::from_lower_entries(3 * count, &entries).unwrap();
        let chain = problem.push_sparse(matrix, &b).unwrap();
        let law = Law::Contact {
            friction: self.friction,
        };
        for node in 0..count {
            let frame = frame(self.angles[node]);
            let block = RowBlock::Nodes {
                nodes: &[node],
                weights: &[1.0],
                frame: &frame,
            };
            problem
                .push_constraint(law, &[0.0, 0.0, 0.05], &[(chain, block)])
                .unwrap();
        }
        if self.has_body {
            self.add_body(&mut problem, chain, scale);
        }
        problem
    }

    fn add_body(&self, problem: &mut Problem, chain: usize, scale: f64) {
        let count = self.masses.len();
        let diagonal = [1.0, 1.0, 1.0, 0.1, 0.2, 0.3].map(|value| scale * value);
        let inertia = Matrix6::from_diagonal(&diagonal.into());
        let b: Vec<f64> = (0..6)
            .map(|at| diagonal[at] * self.velocity[count + at / 3][at % 3])
            .collect();
        let body = problem.push_free_body(inertia, &b).unwrap();
        let law = Law::Contact {
            friction: self.friction,
        };
        // The ground, a point between two nodes, and a node that has a contact already.
        for number in 0..3 {
            let frame = frame(self.angles[count + number]);
            let arm = Vector3::from(self.angles[count + 3 - number]);
            let values: Vec<f64> = frame
                .as_chunks::<3>()
                .0
                .iter()
                .flat_map(|row| {
                    let direction = Vector3::from(*row);
                    let turn = arm.cross(&direction);
                    [row[0], row[1], row[2], turn.x, turn.y, turn.z]
                })
                .collect();
            let on_body = RowBlock::Body {
                body: 0,
                values: &values,
            };
            let between = RowBlock::Nodes {
                nodes: &[0, 1],
                weights: &[-0.3, -0.7],
                frame: &frame,
            };
            let on_node = RowBlock::Nodes {
                nodes: &[2],
                weights: &[-1.0],
                frame: &frame,
            };
            let terms = match number {
                0 => vec![(body, on_body)],
                1 => vec![(chain, between), (body, on_body)],
                _ => vec![(chain, on_node), (body, on_body)],
            };
            problem
                .push_constraint(law, &[0.0, 0.0, 0.02], &terms)
                .unwrap();
        }
    }
}

fn begun(problem: &Problem, settings: &CondSettings) -> VelocityIteration {
    let mut iteration = VelocityIteration::default();
    iteration
        .begin(problem, settings, &Solution::cold())
        .unwrap();
    iteration
}

/// A of [COND, (15)], column by column.
fn nodalized_matrix(iteration: &VelocityIteration) -> DMatrix<f64> {
    let size = iteration.x.len();
    let dimension = iteration.product.dimension();
    let (b, mut p) = (vec![0.0; dimension], vec![0.0; size - dimension]);
    let mut matrix = DMatrix::zeros(size, size);
    for column in 0..size {
        let mut x = vec![0.0; size];
        x[column] = 1.0;
        let mut g = vec![0.0; size];
        let state = (x.as_slice(), b.as_slice(), [].as_slice());
        gradient(&iteration.product, &iteration.nodes, state, &mut p, &mut g);
        matrix.set_column(column, &DVector::from_vec(g));
    }
    matrix
}

/// J of [COND, (13)] on nodes and virtual nodes.
fn nodalized_rows(iteration: &VelocityIteration) -> DMatrix<f64> {
    let dimension = iteration.product.dimension();
    let mut rows = DMatrix::zeros(3 * iteration.nodes.locals.len(), iteration.x.len());
    for (index, local) in iteration.nodes.locals.iter().enumerate() {
        for site in iteration.nodes.sites(local) {
            match site {
                Site::Node {
                    first,
                    rows: values,
                    ..
                } => {
                    for at in 0..9 {
                        rows[(3 * index + at / 3, first + at % 3)] += values[at];
                    }
                }
                Site::Virtual(node) => {
                    let first = dimension + iteration.nodes.virtuals[*node].first;
                    for row in 0..3 {
                        rows[(3 * index + row, first + row)] += 1.0;
                    }
                }
            }
        }
    }
    rows
}

fn plain(operator: Operator, step_matrix: StepMatrix) -> CondSettings {
    CondSettings {
        operator,
        step_matrix,
        metric: Metric::Identity,
        chebyshev: None,
        ..CondSettings::default()
    }
}

/// f(x) of the iteration without acceleration.
fn image(
    iteration: &mut VelocityIteration,
    settings: &CondSettings,
    x: &DVector<f64>,
) -> DVector<f64> {
    iteration.x.copy_from_slice(x.as_slice());
    iteration.step(settings);
    DVector::from_column_slice(&iteration.x)
}

fn two_points(size: usize, seed: u64) -> [DVector<f64>; 2] {
    // A small generator of its own: what is asked for is any two points.
    let mut state = seed | 1;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    };
    [(); 2].map(|()| DVector::from_fn(size, |_, _| 4.0 * next()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Prop. 1: A stays symmetric and positive definite with virtual nodes.
    #[test]
    fn a_stays_positive_definite_with_virtual_nodes(
        random in random(true), exponent in -2.0..4.0_f64,
    ) {
        let problem = random.problem(1.0, random.stiffness);
        let settings = CondSettings {
            gain: Gain::Absolute(10.0_f64.powf(exponent)),
            ..CondSettings::default()
        };
        let iteration = begun(&problem, &settings);
        prop_assert_eq!(iteration.nodes.virtuals.len(), 5);
        let matrix = nodalized_matrix(&iteration);
        prop_assert!((&matrix - matrix.transpose()).amax() <= 1e-12 * matrix.amax());
        prop_assert!(matrix.cholesky().is_some());
    }

    /// Prop. 3: Γ = J W Jᵀ is diagonal, γ = Σ w, also where W differs from node to node.
    #[test]
    fn gamma_is_diagonal(random in random(true)) {
        let problem = random.problem(1.0, random.stiffness);
        let settings = plain(Operator::Strict, StepMatrix::Frobenius);
        let iteration = begun(&problem, &settings);
        let rows = nodalized_rows(&iteration);
        let weights = DVector::from_column_slice(&iteration.weights.diagonal);
        let gamma = &rows * DMatrix::from_diagonal(&weights) * rows.transpose();
        let dimension = iteration.product.dimension();
        let mut wanted = DMatrix::zeros(gamma.nrows(), gamma.ncols());
        for (index, local) in iteration.nodes.locals.iter().enumerate() {
            let own = contact::gamma(&iteration.nodes, local, &iteration.weights, dimension);
            for row in 3 * index..3 * index + 3 {
                wanted[(row, row)] = own;
            }
        }
        prop_assert!((&gamma - &wanted).amax() <= 1e-13 * gamma.amax());
    }

    /// Thm 1 with A = 2M + t²K/2: ‖I − M̂⁻¹A‖ = t²/4 ‖M⁻¹K‖ (not t²/2), and the strict operator contracts once it is
    /// small enough.
    #[test]
    fn strict_contracts_for_small_steps_of_nodes_alone(random in random(false), seed: u64) {
        let step: f64 = 0.02;
        let stiffness = 10.0 * random.stiffness;
        let problem = random.problem(2.0, 0.5 * step * step * stiffness);
        let settings = plain(Operator::Strict, StepMatrix::Mass);
        let mut iteration = begun(&problem, &settings);
        let size = iteration.x.len();
        let matrix = nodalized_matrix(&iteration);
        let weights = DVector::from_column_slice(&iteration.weights.diagonal);
        for (node, mass) in random.masses.iter().enumerate() {
            prop_assert!((weights[3 * node] - 0.5 / mass).abs() <= 1e-9 / mass);
        }
        let error = DMatrix::identity(size, size) - DMatrix::from_diagonal(&weights) * &matrix;
        let springs = (matrix - DMatrix::from_diagonal(&weights.map(|weight| 1.0 / weight)))
            * (2.0 / (step * step));
        let inverse_mass = DMatrix::from_diagonal(&(weights * 2.0));
        let predicted = (inverse_mass * springs).norm() * step * step / 4.0;
        prop_assert!((error.norm() - predicted).abs() <= 1e-9 * (1.0 + predicted));
        let [one, two] = two_points(size, seed);
        let (after_one, after_two) = (
            image(&mut iteration, &settings, &one),
            image(&mut iteration, &settings, &two),
        );
        // Lemma 2: the strict operator moves points apart by at most 1 + (1 + μ).
        let lipschitz = 2.0 + random.friction;
        let bound = lipschitz * error.norm() * (one - two).norm();
        prop_assert!((after_one - after_two).norm() <= bound + 1e-12);
        prop_assert!(lipschitz * error.norm() < 1.0);
    }

    /// Thm 2: with W = αI, 0 < α < 2/σ_max, the proximal operator contracts by ‖I − αA‖, bodies and virtual nodes
    /// included.
    #[test]
    fn proximal_contracts_for_any_step_below_two_over_the_largest_eigenvalue(
        random in random(true), share in 0.01..1.0_f64, seed: u64,
    ) {
        let problem = random.problem(1.0, random.stiffness);
        let settings = plain(Operator::Proximal, StepMatrix::BarzilaiBorwein1);
        let fixed = plain(Operator::Proximal, StepMatrix::Eigenvalues);
        let mut iteration = begun(&problem, &settings);
        let matrix = nodalized_matrix(&iteration);
        let eigenvalues = matrix.symmetric_eigenvalues();
        iteration.weights.scale = 1.999 * share / eigenvalues.max();
        // Filling degrees of freedom belong to no subsystem.
        prop_assert!(iteration.weights.diagonal.iter().all(|&weight| weight == 1.0));
        let contraction = eigenvalues
            .iter()
            .map(|value| (1.0 - iteration.weights.scale * value).abs())
            .fold(0.0, f64::max);
        prop_assert!(contraction < 1.0);
        let [one, two] = two_points(iteration.x.len(), seed);
        let (after_one, after_two) = (
            image(&mut iteration, &fixed, &one),
            image(&mut iteration, &fixed, &two),
        );
        prop_assert!((after_one - after_two).norm() <= (contraction + 1e-9) * (one - two).norm());
    }

    /// Prop. 5: proximal COND is the minimiser of the cone complementarity problem, which projected Gauss–Seidel
    /// finds too. Its velocity is unique.
    #[test]
    fn proximal_is_the_cone_complementarity_minimiser(random in random(true)) {
        let problem = random.problem(1.0, random.stiffness);
        let settings = CondSettings {
            operator: Operator::Proximal,
            shift: true,
            gain: Gain::Relative(4.0),
            ..CondSettings::default()
        };
        let mut solvers: [Box<dyn Solver>; 2] = [
            Box::new(Cond::new(settings).unwrap()),
            Box::new(Pgs::named("pgs-ccp").unwrap()),
        ];
        let budget = Budget { max_iterations: Some(20_000), ..Budget::with_tolerance(1e-10) };
        let velocities = solvers.each_mut().map(|solver| {
            let mut solution = Solution::cold();
            let report = solver.solve(&problem, &budget, &mut solution);
            (report.outcome, solution.velocity)
        });
        for (outcome, _) in &velocities {
            prop_assert!(outcome.is_converged(), "{outcome}");
        }
        for (one, other) in velocities[0].1.iter().zip(&velocities[1].1) {
            prop_assert!((one - other).abs() < 1e-6, "{one} {other}");
        }
    }

    /// Steps of Barzilai and Borwein whose changes rise and fall end at a solution, not where steps have been
    /// shortened to nothing.
    #[test]
    fn changing_steps_end_at_a_solution(random in random(false), stiffness in 1e2..1e4_f64) {
        let problem = random.problem(1.0, stiffness);
        let mut solver = Cond::named("cond-bb").unwrap();
        let budget = Budget {
            criterion: Criterion::VelocityChange,
            max_iterations: Some(5000),
            ..Budget::with_tolerance(1e-10)
        };
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &budget, &mut solution);
        let is_met = matches!(report.outcome, Outcome::Stopped(_) | Outcome::Converged);
        prop_assert!(!is_met || report.residuals.scaled < 1e-4, "{:?}", report.residuals);
    }
}

/// A block on the ground, pushed and pressed: four corners, each a virtual node.
fn block() -> Problem {
    let mut problem = Problem::new();
    let inertia = Matrix6::from_diagonal(&[0.5, 0.5, 0.5, 2e-3, 2e-3, 2e-3].into());
    let b = [0.0, 0.004, -0.5 * 9.81 * 0.01, 0.0, 0.0, 0.0];
    let body = problem.push_free_body(inertia, &b).unwrap();
    for (x, y) in [(-0.1, -0.1), (0.1, -0.1), (-0.1, 0.1), (0.1, 0.1)] {
        let z = -0.1;
        let values = [
            1.0, 0.0, 0.0, 0.0, z, -y, //
            0.0, 1.0, 0.0, -z, 0.0, x, //
            0.0, 0.0, 1.0, y, -x, 0.0,
        ];
        let block = RowBlock::Body {
            body: 0,
            values: &values,
        };
        problem
            .push_constraint(Law::Contact { friction: 0.2 }, &[0.0; 3], &[(body, block)])
            .unwrap();
    }
    problem
}

/// Prop. 2: what the contacts give way by is λ/k_v, and nothing else acts on the body.
#[test]
fn virtual_nodes_err_by_one_over_their_gain_and_add_no_force() {
    let problem = block();
    let budget = Budget {
        criterion: Criterion::VelocityChange,
        max_iterations: Some(200_000),
        ..Budget::with_tolerance(1e-15)
    };
    let weight = 0.5 * 9.81 * 0.01;
    for gain in [10.0, 100.0, 1000.0] {
        let mut solver = Cond::new(CondSettings {
            gain: Gain::Absolute(gain),
            ..CondSettings::default()
        })
        .unwrap();
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &budget, &mut solution);
        assert_eq!(solver.virtual_nodes(), 4);
        // m v = λ − m g t from rest, v = −λ/(4 k_v).
        let wanted = -weight / (4.0 * gain + 0.5);
        let sinks = solution.velocity[2];
        assert!(
            (sinks / wanted - 1.0).abs() < 1e-6,
            "{gain}: {sinks} {wanted}"
        );
        assert!(report.residuals.dynamics < 1e-9, "{:?}", report.residuals);
    }
    let mut shifted = Cond::named("cond-shifted").unwrap();
    let mut solution = Solution::cold();
    let report = shifted.solve(&problem, &Budget::with_tolerance(1e-12), &mut solution);
    assert!(report.outcome.is_converged(), "{}", report.outcome);
    assert!(solution.velocity[2].abs() < 1e-11);
}
