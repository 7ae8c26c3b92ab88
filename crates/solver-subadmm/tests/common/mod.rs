//! Problems for tests and benches, all reproducible from a seed.
#![allow(
    dead_code,
    reason = "every test binary uses its own part of these helpers"
)]

pub(crate) mod quadruped;

use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_constraints::{Law, Problem, ProblemError, RowBlock};
use stiction_generators::transform::scale_mass;
use stiction_generators::{BoltNutParams, DishStackParams, TowerParams, dish_stack};

pub(crate) const GRAVITY: f64 = 9.81;
pub(crate) const TIME_STEP: f64 = 1.0 / 240.0;

/// Deterministic random numbers.
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(crate) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.random::<f64>()
    }

    /// Standard normal, by Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let (u, w) = (1.0 - self.0.random::<f64>(), self.0.random::<f64>());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * w).cos()
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.normal(), self.normal(), self.normal())
    }

    pub(crate) fn index(&mut self, count: usize) -> usize {
        self.0.random_range(0..count)
    }
}

/// Rows (t1, t2, n) of a contact frame.
pub(crate) fn frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let n = normal.normalize();
    let helper = if n.x.abs() < 0.7 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let t1 = n.cross(&helper).normalize();
    let t2 = n.cross(&t1);
    Matrix3::from_rows(&[t1.transpose(), t2.transpose(), n.transpose()])
}

/// 3×6 rows by rows of a contact at `arm` from the body's reference point, times `sign`.
pub(crate) fn contact_rows(arm: &Vector3<f64>, normal: &Vector3<f64>, sign: f64) -> Vec<f64> {
    let frame = frame(normal);
    let mut jacobian = SMatrix::<f64, 3, 6>::zeros();
    jacobian.fixed_columns_mut::<3>(0).copy_from(&frame);
    jacobian
        .fixed_columns_mut::<3>(3)
        .copy_from(&(-frame * arm.cross_matrix()));
    (jacobian * sign).transpose().as_slice().to_vec()
}

/// Spatial inertia of a box about its centre.
pub(crate) fn box_inertia(mass: f64, half: &Vector3<f64>) -> Matrix6<f64> {
    let a = half * 2.0;
    let i = mass / 12.0;
    Matrix6::from_diagonal(&nalgebra::Vector6::new(
        mass,
        mass,
        mass,
        i * (a.y * a.y + a.z * a.z),
        i * (a.x * a.x + a.z * a.z),
        i * (a.x * a.x + a.y * a.y),
    ))
}

/// A box with a velocity, under gravity and a wrench.
pub(crate) fn push_box(
    problem: &mut Problem,
    mass: f64,
    half: &Vector3<f64>,
    velocity: &[f64; 6],
    wrench: &[f64; 6],
) -> usize {
    let inertia = box_inertia(mass, half);
    let mut b = [0.0; 6];
    for k in 0..6 {
        b[k] = inertia[(k, k)] * velocity[k] + wrench[k] * TIME_STEP;
    }
    b[2] -= mass * GRAVITY * TIME_STEP;
    problem.push_free_body(inertia, &b).expect("a valid body")
}

pub(crate) fn push_contact(
    problem: &mut Problem,
    friction: f64,
    error: [f64; 3],
    terms: &[(usize, Vec<f64>)],
) {
    let blocks: Vec<_> = terms
        .iter()
        .map(|(body, values)| (*body, RowBlock::Body { body: 0, values }))
        .collect();
    problem
        .push_constraint(Law::Contact { friction }, &error, &blocks)
        .expect("a valid contact");
}

/// What a single cube on a plane does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Motion {
    Stick,
    Slip,
    Open,
    Bounce,
}

/// A 1 kg cube with contacts at its four lower corners, friction 0.5, and the velocity it must get.
pub(crate) fn block(motion: Motion, mass: f64) -> (Problem, [f64; 6]) {
    let friction = 0.5;
    let half = Vector3::new(0.1, 0.1, 0.1);
    let fall = GRAVITY * TIME_STEP;
    let (velocity, error, expected) = match motion {
        Motion::Stick => ([0.01, 0.0, 0.0, 0.0, 0.0, 0.0], 0.0, [0.0; 6]),
        Motion::Slip => {
            let slip = 1.0 - friction * fall;
            (
                [0.6, 0.8, 0.0, 0.0, 0.0, 0.0],
                0.0,
                [0.6 * slip, 0.8 * slip, 0.0, 0.0, 0.0, 0.0],
            )
        }
        Motion::Open => (
            [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            0.0,
            [0.0, 0.0, 1.0 - fall, 0.0, 0.0, 0.0],
        ),
        // Restitution 0.5 of an approach at 1 m/s.
        Motion::Bounce => (
            [0.0, 0.0, -1.0, 0.0, 0.0, 0.0],
            -0.5,
            [0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
        ),
    };
    let mut problem = Problem::new();
    push_box(&mut problem, mass, &half, &velocity, &[0.0; 6]);
    for (x, y) in [(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)] {
        let arm = Vector3::new(x, y, -0.1);
        push_contact(
            &mut problem,
            friction,
            [0.0, 0.0, error],
            &[(0, contact_rows(&arm, &Vector3::z(), 1.0))],
        );
    }
    (problem, expected)
}

/// A tower of cubes, the top one heavier by `ratio`, all masses times `scale`.
pub(crate) fn tower(cubes: usize, ratio: f64, scale: f64, seed: u64) -> Problem {
    let params = TowerParams {
        cubes,
        top_ratio: ratio,
        seed,
        ..TowerParams::default()
    };
    scaled(stiction_generators::tower(&params), scale)
}

/// One nut on a thread: a single body, overconstrained by contacts on both flanks.
pub(crate) fn bolt_nut(friction: f64, contacts: usize, scale: f64, seed: u64) -> Problem {
    let params = BoltNutParams {
        contacts,
        friction,
        seed,
        ..BoltNutParams::default()
    };
    scaled(stiction_generators::bolt_nut(&params), scale)
}

/// Bowl, bowl, plate and a pot of fifty times their mass, with rings of slanted contacts.
pub(crate) fn dishes(contacts_each: usize, scale: f64, seed: u64) -> Problem {
    let params = DishStackParams {
        contacts_per_dish: contacts_each,
        seed,
        ..DishStackParams::default()
    };
    scaled(dish_stack(&params), scale)
}

/// The same problem in another unit of mass.
fn scaled(problem: Result<Problem, ProblemError>, scale: f64) -> Problem {
    let problem = problem.expect("valid parameters");
    if scale == 1.0 {
        return problem;
    }
    scale_mass(&problem, scale).expect("a valid scale")
}

/// Adds a copy of another problem.
pub(crate) fn append(problem: &mut Problem, other: &Problem) {
    let first = problem.subsystems().len();
    for (index, subsystem) in other.subsystems().iter().enumerate() {
        let b = &other.b()[other.dof_starts()[index]..other.dof_starts()[index + 1]];
        problem
            .push_subsystem(subsystem.clone(), b)
            .expect("a valid subsystem");
    }
    for (index, constraint) in other.constraints().iter().enumerate() {
        let blocks: Vec<_> = other
            .terms(index)
            .map(|(subsystem, block)| (first + subsystem, block))
            .collect();
        let error = other.error(index);
        problem
            .push_constraint(constraint.law, error, &blocks)
            .expect("a valid constraint");
    }
}
