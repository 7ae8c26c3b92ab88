//! Problems for the tests: analytic blocks and random ones.
#![allow(dead_code, reason = "every test binary uses its own part of this")]

use nalgebra::{DMatrix, Matrix6};
use stiction_constraints::{Budget, Law, Problem, Report, RowBlock, Solution, Solver};
use stiction_solver_pgs::Pgs;

/// A small generator of numbers in (−1, 1), so that one seed makes one problem.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((0.5 + 0.5 * self.next()) * count as f64) as usize % count
    }

    pub(crate) fn take<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.next())
    }
}

pub(crate) fn solve(name: &str, problem: &Problem, tolerance: f64) -> (Solution, Report) {
    let mut solver = Pgs::named(name).unwrap();
    let mut solution = Solution::cold();
    let report = solver.solve(problem, &Budget::with_tolerance(tolerance), &mut solution);
    (solution, report)
}

/// Rows (t1, t2, n) = (x, y, z) of a world-fixed frame at `point` on a free body, by rows.
pub(crate) fn contact_rows(point: [f64; 3]) -> [f64; 18] {
    let [x, y, z] = point;
    // v_point = v + ω × p.
    [
        1.0, 0.0, 0.0, 0.0, z, -y, //
        0.0, 1.0, 0.0, -z, 0.0, x, //
        0.0, 0.0, 1.0, y, -x, 0.0,
    ]
}

/// Mass 1 kg block with edge 0.2 m on four corner contacts, with a law and b of choice.
pub(crate) fn block(law: Law, error: [f64; 3], b: [f64; 6]) -> Problem {
    let mut problem = Problem::new();
    let mut inertia = Matrix6::identity();
    for axis in 3..6 {
        inertia[(axis, axis)] = 1.0 / 150.0;
    }
    problem.push_free_body(inertia, &b).unwrap();
    for (x, y) in [(0.1, 0.1), (-0.1, 0.1), (0.1, -0.1), (-0.1, -0.1)] {
        let values = contact_rows([x, y, -0.1]);
        let rows = RowBlock::Body {
            body: 0,
            values: &values,
        };
        problem.push_constraint(law, &error, &[(0, rows)]).unwrap();
    }
    problem
}

/// A point mass (no rotation) of `mass` kg on one contact.
pub(crate) fn point_mass(law: Law, mass: f64, error: [f64; 3], velocity: [f64; 3]) -> Problem {
    let mut problem = Problem::new();
    let b = velocity.map(|value| mass * value);
    problem
        .push_dense(DMatrix::identity(3, 3) * mass, &b)
        .unwrap();
    let values = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let rows = RowBlock::Dofs {
        dofs: &[0, 1, 2],
        values: &values,
    };
    problem.push_constraint(law, &error, &[(0, rows)]).unwrap();
    problem
}

/// Random bodies with one law of every kind among them, feasible by construction: every
/// unilateral row is open at zero velocity.
pub(crate) fn random_problem(seed: u64, mass_scale: f64, order: Order) -> Problem {
    let mut numbers = Numbers::new(seed);
    let mut problem = Problem::new();
    let n_bodies = 1 + numbers.below(3);
    for _ in 0..n_bodies {
        let mut inertia = Matrix6::zeros();
        let root = Matrix6::from_iterator((0..36).map(|_| 0.3 * numbers.next()));
        inertia += root * root.transpose() + Matrix6::identity() * 0.5;
        let b: [f64; 6] = numbers.take();
        problem
            .push_free_body(inertia * mass_scale, &b.map(|value| value * mass_scale))
            .unwrap();
    }
    let mut constraints = Vec::new();
    for index in 0..2 + numbers.below(5) {
        let law = match index % 4 {
            0 | 2 => Law::Contact {
                friction: 0.5 + 0.4 * numbers.next(),
            },
            1 => match numbers.below(5) {
                0 => Law::Unilateral,
                1 => Law::Equality,
                2 => Law::Soft {
                    stiffness: 2.0 * mass_scale,
                    damping: 0.7 * mass_scale,
                },
                3 => Law::JointFriction {
                    bound: 0.1 * mass_scale,
                },
                _ => Law::JointLimit {
                    lower: -0.1,
                    upper: 0.05,
                },
            },
            _ => match numbers.below(2) {
                0 => Law::AnisotropicContact {
                    friction: [0.3, 0.8],
                },
                _ => Law::CompliantContact {
                    friction: [0.4; 2],
                    tangential_compliance: 0.1 / mass_scale,
                    normal_compliance: 0.2 / mass_scale,
                },
            },
        };
        let rows = if law.is_contact() {
            3
        } else {
            1 + numbers.below(2)
        };
        let error = [0.0, 0.0, 0.05 * (1.0 + numbers.next())];
        let first = numbers.below(n_bodies);
        let second = numbers.below(n_bodies);
        let values = contact_rows(numbers.take());
        let other = contact_rows(numbers.take()).map(|value| -value);
        constraints.push((
            law,
            error[3 - rows..].to_vec(),
            rows,
            first,
            second,
            values,
            other,
        ));
    }
    if order == Order::Reversed {
        constraints.reverse();
    }
    for (law, error, rows, first, second, values, other) in &constraints {
        let on = |values| RowBlock::Body { body: 0, values };
        let mut blocks = vec![(*first, on(&values[..6 * rows]))];
        if first != second {
            blocks.push((*second, on(&other[..6 * rows])));
        }
        problem.push_constraint(*law, error, &blocks).unwrap();
    }
    problem
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Given,
    Reversed,
}

/// One body under many contacts all around a ring, as a nut on a bolt: 3 n rows on six degrees of
/// freedom.
pub(crate) fn ring(contacts: usize, friction: f64, seed: u64) -> Problem {
    let mut numbers = Numbers::new(seed);
    let mut problem = Problem::new();
    let mut inertia = Matrix6::identity() * 0.1;
    for axis in 3..6 {
        inertia[(axis, axis)] = 1e-4;
    }
    let b: [f64; 6] = numbers.take();
    problem
        .push_free_body(inertia, &b.map(|value| 0.05 * value * inertia[(0, 0)]))
        .unwrap();
    for index in 0..contacts {
        let angle = index as f64 * 0.7;
        let height = 0.02 * numbers.next();
        let point = [0.05 * angle.cos(), 0.05 * angle.sin(), height];
        let inward = nalgebra::Vector3::new(-angle.cos(), -angle.sin(), 0.3 * numbers.next());
        let normal = inward.normalize();
        let first = normal.cross(&nalgebra::Vector3::z()).normalize();
        let second = normal.cross(&first);
        let frame = contact_rows(point);
        let mut values = [0.0; 18];
        for (row, axis) in [first, second, normal].iter().enumerate() {
            for column in 0..6 {
                values[6 * row + column] =
                    (0..3).map(|k| axis[k] * frame[6 * k + column]).sum::<f64>();
            }
        }
        let rows = RowBlock::Body {
            body: 0,
            values: &values,
        };
        let gap = 0.01 * (1.0 + numbers.next());
        problem
            .push_constraint(Law::Contact { friction }, &[0.0, 0.0, gap], &[(0, rows)])
            .unwrap();
    }
    problem
}

/// Blocks of 1 kg on top of each other, falling for a hundredth of a second, four contacts each.
pub(crate) fn stack(blocks: usize) -> Problem {
    let mut problem = Problem::new();
    let mut inertia = Matrix6::identity();
    for axis in 3..6 {
        inertia[(axis, axis)] = 1.0 / 150.0;
    }
    for index in 0..blocks {
        let b = [0.01 * index as f64, 0.0, -0.0981, 0.0, 0.0, 0.0];
        problem.push_free_body(inertia, &b).unwrap();
    }
    for index in 0..blocks {
        for (x, y) in [(0.1, 0.1), (-0.1, 0.1), (0.1, -0.1), (-0.1, -0.1)] {
            let upper = contact_rows([x, y, -0.1]);
            let lower = contact_rows([x, y, 0.1]).map(|value| -value);
            let on = |values| RowBlock::Body { body: 0, values };
            let mut blocks = vec![(index, on(&upper))];
            if index > 0 {
                blocks.push((index - 1, on(&lower)));
            }
            let law = Law::Contact { friction: 0.5 };
            problem.push_constraint(law, &[0.0; 3], &blocks).unwrap();
        }
    }
    problem
}
