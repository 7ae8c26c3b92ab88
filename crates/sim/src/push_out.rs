//! How fast overlapping bodies of an island are pushed apart.

use nalgebra::Matrix6;
use stiction_constraints::{DynamicsMatrix, JointRows, Problem, RowBlock, Subsystem};

use crate::hold::Hold;
use crate::rows::Row;
use crate::warm_start::WarmStart;

/// Pushes slower than this do no harm, m/s.
const NOTABLE: f64 = 0.01;

/// A contact whose bodies miss this share of the speed at which they should come apart cannot be
/// pushed.
const MISSED: f64 = 0.2;

/// Nothing opens or closes a contact where a push would be slowed down to less than this share: its
/// lever is a hundredth of the size of its link.
const IMMOVABLE: f64 = 1e-2;

/// Multiple of the energy m push² that pushes may take together before they are called off.
const VIOLENT: f64 = 10.0;

/// Speed at which no contact closes, m/s.
const OUT_OF_REACH: f64 = 1e3;

/// Which contacts are held instead where pushing fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Those that did not come apart as they should.
    Missed,
    Any,
}

/// What is made of the push of each row of an island; rows are always given in the island's order.
#[derive(Debug, Default)]
pub(crate) struct PushOut {
    holds: Vec<Hold>,
    /// Share of [`Row::push_out`] that is left out.
    left_out: Vec<f64>,
    /// Contacts that no motion opens or closes.
    is_idle: Vec<bool>,
}

impl PushOut {
    /// Pushes all but what is still held since an earlier step.
    pub(crate) fn start<'a>(
        &mut self,
        rows: impl Iterator<Item = &'a Row>,
        warm: Option<&WarmStart>,
    ) {
        self.holds.clear();
        self.holds.extend(rows.map(|row| match warm {
            Some(warm) if row.push_out > 0.0 => warm.guess(row).hold,
            _ => Hold::NONE,
        }));
        self.left_out.clear();
        let held = self
            .holds
            .iter()
            .map(|hold| f64::from(u8::from(hold.is_on())));
        self.left_out.extend(held);
        self.is_idle.clear();
        self.is_idle.resize(self.holds.len(), false);
    }

    /// Takes in a further row that pushes nothing apart.
    pub(crate) fn push_unpushed(&mut self) {
        self.holds.push(Hold::NONE);
        self.left_out.push(0.0);
        self.is_idle.push(false);
    }

    /// Which rows are held, and for how long.
    pub(crate) fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// How many contacts are held, or left out because nothing opens them.
    pub(crate) fn held_count(&self) -> usize {
        let both = self.holds.iter().zip(&self.is_idle);
        both.filter(|(hold, is_idle)| hold.is_on() || **is_idle)
            .count()
    }

    /// The error of a row with the push that is left of it.
    pub(crate) fn error(&self, position: usize, row: &Row) -> [f64; 3] {
        let mut error = row.error;
        if self.is_idle[position] {
            error[2] = OUT_OF_REACH;
        } else {
            error[2] += self.left_out[position] * row.push_out;
        }
        error
    }

    /// Slows pushes down that would fling about: next to a joint a small speed of the contact is a
    /// large one of the link. None may take more energy than moving the touched body as a whole at the
    /// full speed, m_eff u² ≤ m push². A free body never does. A contact right at a joint, which nothing
    /// can open, is no contact. Whether anything has changed.
    pub(crate) fn ease<'a>(
        &mut self,
        rows: impl Iterator<Item = &'a Row>,
        problem: &Problem,
    ) -> bool {
        let pushed: Vec<(usize, f64)> = rows
            .enumerate()
            .filter(|(_, row)| is_deep(row))
            .map(|(position, _)| (position, touched(problem, position)))
            .filter(|(_, touched)| touched.is_robot)
            .map(|(position, touched)| (position, touched.mass))
            .collect();
        let (mut dynamics, mut joint_rows) = (DynamicsMatrix::default(), JointRows::default());
        if pushed.is_empty() || dynamics.update(problem).is_err() {
            return false;
        }
        joint_rows.update(problem);
        let mut has_changed = false;
        for (position, mass) in pushed {
            let mut impulse = vec![0.0; problem.row_count()];
            impulse[problem.constraints()[position].first_row + 2] = 1.0;
            let mut force = vec![0.0; problem.dof_count()];
            joint_rows.mul_transpose_add(&impulse, &mut force);
            let mut response = force.clone();
            dynamics.solve_in_place(&mut response);
            // 1/m_eff.
            let mobility = dot(&force, &response);
            let share = (mass * mobility).max(0.0).sqrt();
            if share < IMMOVABLE {
                self.is_idle[position] = true;
                has_changed = true;
            } else if share < 1.0 && !self.holds[position].is_on() {
                self.left_out[position] = 1.0 - share;
                has_changed = true;
            }
        }
        has_changed
    }

    /// Whether pushes that contradict each other took far more energy than moving what they touch at
    /// their speed: contacts alone only take energy away from the motion without them.
    pub(crate) fn is_violent<'a>(
        &self,
        rows: impl Iterator<Item = &'a Row>,
        problem: &Problem,
        velocity: &[f64],
    ) -> bool {
        let mut allowed = 0.0;
        for (position, row) in rows.enumerate() {
            let pushed = (1.0 - self.left_out[position]) * row.push_out;
            if is_deep(row) && pushed > 0.0 && !self.is_idle[position] {
                allowed += VIOLENT * touched(problem, position).mass * row.push_out.powi(2);
            }
        }
        allowed > 0.0
            && motion(problem, velocity)
                .is_some_and(|motion| !(motion.energy <= motion.free + allowed))
    }

    /// Begins to hold contacts that were to be pushed apart but did not come apart with `velocity`;
    /// whether there were any.
    pub(crate) fn hold<'a>(
        &mut self,
        rows: impl Iterator<Item = &'a Row>,
        problem: &Problem,
        velocity: &[f64],
        choice: Choice,
        tolerance: f64,
    ) -> bool {
        let mut seen = vec![f64::NAN; problem.row_count()];
        if velocity.len() == problem.dof_count() {
            let mut joint_rows = JointRows::default();
            joint_rows.update(problem);
            joint_rows.mul(velocity, &mut seen);
        }
        let mut has_any = false;
        for ((position, row), constraint) in rows.enumerate().zip(problem.constraints()) {
            let pushed = (1.0 - self.left_out[position]) * row.push_out;
            let separation = constraint.load(&seen).z + constraint.load(problem.errors()).z;
            let is_missed = separation.is_nan() || separation < -tolerance.max(MISSED * pushed);
            let is_pushed = is_deep(row) && pushed > 0.0 && !self.is_idle[position];
            if is_pushed && (choice == Choice::Any || is_missed) {
                self.holds[position] = self.holds[position].renewed();
                self.left_out[position] = 1.0;
                has_any = true;
            }
        }
        has_any
    }
}

/// Whether bodies overlap so far that they are pushed apart at a speed that matters.
pub(crate) fn is_deep(row: &Row) -> bool {
    row.push_out > NOTABLE
}

/// A motion beside the one without constraints.
pub(crate) struct Motion {
    /// ½ vᵀ A v, J.
    pub(crate) energy: f64,
    /// The same of the motion without constraints, ½ bᵀ A⁻¹ b.
    pub(crate) free: f64,
    /// A⁻¹ b.
    pub(crate) free_velocity: Vec<f64>,
}

/// `None` where the velocity is not of the problem.
pub(crate) fn motion(problem: &Problem, velocity: &[f64]) -> Option<Motion> {
    let mut dynamics = DynamicsMatrix::default();
    if velocity.len() != problem.dof_count() || dynamics.update(problem).is_err() {
        return None;
    }
    let mut product = vec![0.0; velocity.len()];
    dynamics.mul(velocity, &mut product);
    let mut free_velocity = problem.b().to_vec();
    dynamics.solve_in_place(&mut free_velocity);
    Some(Motion {
        energy: 0.5 * dot(velocity, &product),
        free: 0.5 * dot(problem.b(), &free_velocity),
        free_velocity,
    })
}

/// What a contact touches.
struct Touched {
    /// The smaller mass of its bodies, kg.
    mass: f64,
    /// Whether one of them is part of a robot.
    is_robot: bool,
}

fn touched(problem: &Problem, constraint: usize) -> Touched {
    let mut out = Touched {
        mass: f64::INFINITY,
        is_robot: false,
    };
    let of = |inertia: &Matrix6<f64>| inertia[(0, 0)];
    for (subsystem, block) in problem.terms(constraint) {
        let mass = match (&problem.subsystems()[subsystem], block) {
            (Subsystem::FreeBody(inertia), _) => of(inertia),
            (Subsystem::Tree(tree), RowBlock::Body { body, .. }) => {
                out.is_robot = true;
                match of(&tree.bodies()[body].inertia) {
                    own if own > 0.0 => own,
                    _ => tree.bodies().iter().map(|body| of(&body.inertia)).sum(),
                }
            }
            _ => continue,
        };
        out.mass = out.mass.min(mass);
    }
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
