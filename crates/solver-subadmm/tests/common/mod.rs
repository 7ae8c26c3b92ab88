//! Problems for tests and benches, all reproducible from a seed.
#![allow(
    dead_code,
    reason = "every test binary uses its own part of these helpers"
)]

pub(crate) mod quadruped;
pub(crate) mod vectors;

use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_constraints::{Law, Problem, RowBlock};

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

fn normals<const N: usize>(dice: &mut Dice, scale: f64) -> [f64; N] {
    std::array::from_fn(|_| scale * dice.normal())
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
pub(crate) fn tower(count: usize, ratio: f64, scale: f64, seed: u64) -> Problem {
    let mut dice = Dice::new(seed);
    let mut problem = Problem::new();
    let half = Vector3::new(0.1, 0.1, 0.1);
    for k in 0..count {
        let mass = scale * if k + 1 == count { ratio } else { 1.0 };
        push_box(
            &mut problem,
            mass,
            &half,
            &normals(&mut dice, 0.02),
            &[0.0; 6],
        );
    }
    for k in 0..count {
        for (x, y) in [(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)] {
            let mut terms = vec![(
                k,
                contact_rows(&Vector3::new(x, y, -0.1), &Vector3::z(), 1.0),
            )];
            if k > 0 {
                terms.push((
                    k - 1,
                    contact_rows(&Vector3::new(x, y, 0.1), &Vector3::z(), -1.0),
                ));
            }
            push_contact(&mut problem, 0.5, [0.0; 3], &terms);
        }
    }
    problem
}

/// One nut on a thread: a single body, overconstrained by contacts on both flanks.
pub(crate) fn bolt_nut(friction: f64, contacts: usize, scale: f64, seed: u64) -> Problem {
    let mut dice = Dice::new(seed);
    let mut problem = Problem::new();
    let (radius, height) = (0.024, 0.04);
    let mut wrench: [f64; 6] = normals(&mut dice, 20.0 * scale);
    let mut velocity: [f64; 6] = normals(&mut dice, 0.05);
    for k in 3..6 {
        wrench[k] *= 0.02;
        velocity[k] *= 5.0;
    }
    push_box(
        &mut problem,
        0.3 * scale,
        &Vector3::new(0.035, 0.035, 0.02),
        &velocity,
        &wrench,
    );
    let lead = 0.005 / (std::f64::consts::TAU * radius);
    for k in 0..contacts {
        let angle = dice.uniform(0.0, std::f64::consts::TAU);
        let up = if k % 2 == 1 { 1.0 } else { -1.0 };
        let tangent = Vector3::new(-angle.sin(), angle.cos(), 0.0);
        let radial = Vector3::new(angle.cos(), angle.sin(), 0.0);
        let normal =
            up * (Vector3::z() - lead * tangent) + 0.577 * radial * (1.0 + 0.02 * dice.normal());
        let point = radius * radial * (1.0 + 0.03 * dice.normal())
            + Vector3::z() * dice.uniform(-height / 2.0, height / 2.0);
        let gap = dice.uniform(0.0, 1e-5) / TIME_STEP;
        push_contact(
            &mut problem,
            friction,
            [0.0, 0.0, gap],
            &[(0, contact_rows(&point, &normal, 1.0))],
        );
    }
    problem
}

/// Bowl, bowl, plate and a pot of fifty times their mass, with rings of slanted contacts.
pub(crate) fn dishes(contacts_each: usize, scale: f64, seed: u64) -> Problem {
    let mut dice = Dice::new(seed);
    let mut problem = Problem::new();
    for mass in [0.1, 0.1, 0.1, 5.0] {
        let strength = 3.0 * mass * scale * if mass < 1.0 { 10.0 } else { 3.0 };
        let mut wrench: [f64; 6] = normals(&mut dice, strength);
        for value in &mut wrench[3..] {
            *value *= 0.05;
        }
        push_box(
            &mut problem,
            mass * scale,
            &Vector3::new(0.1, 0.1, 0.02),
            &normals(&mut dice, 0.02),
            &wrench,
        );
    }
    for k in 0..4 {
        for _ in 0..contacts_each {
            let angle = dice.uniform(0.0, std::f64::consts::TAU);
            let radius = [0.03, 0.06, 0.08][dice.index(3)];
            let radial = Vector3::new(angle.cos(), angle.sin(), 0.0);
            let normal = if k == 0 {
                Vector3::z()
            } else {
                Vector3::z() - radial * (radius / 0.08 * 1.2) + 0.05 * dice.vector()
            };
            let point = radius * radial + Vector3::z() * (0.03 * k as f64 + 0.015);
            let gap = dice.uniform(0.0, 1e-5) / TIME_STEP;
            let arm = |body: usize| point - Vector3::z() * (0.03 * (body + 1) as f64);
            let mut terms = vec![(k, contact_rows(&arm(k), &normal, 1.0))];
            if k > 0 {
                terms.push((k - 1, contact_rows(&arm(k - 1), &normal, -1.0)));
            }
            push_contact(&mut problem, 0.4, [0.0, 0.0, gap], &terms);
        }
    }
    problem
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
        let error = &constraint.error.as_slice()[..constraint.rows];
        problem
            .push_constraint(constraint.law, error, &blocks)
            .expect("a valid constraint");
    }
}
