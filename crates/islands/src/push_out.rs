//! How fast overlapping bodies of an island are pushed apart.

use nalgebra::Matrix6;
use stiction_constraints::linear::dot_in_order;
use stiction_constraints::{MAX_ROWS, Problem, ProblemError, RowBlock, Subsystem};

use crate::assembly::RowNote;
use crate::policy::OverlapPolicy;
use crate::probe::Probe;
use crate::push_delay::PushDelay;

/// Which contacts are held instead where pushing fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Those that did not come apart as they should.
    Missed,
    Any,
}

/// What is made of the push of one constraint.
#[derive(Debug, Clone, Copy, Default)]
struct Push {
    /// [`RowNote::push_out`], m/s.
    speed: f64,
    /// e of the pushed row with the whole push in it, m/s.
    normal: f64,
    /// Share of the push that is left out.
    left_out: f64,
    delay: PushDelay,
    /// Whether no motion opens or closes the contact.
    is_idle: bool,
    /// Whether it is a limit, and no contact.
    is_limit: bool,
}

impl Push {
    /// e of the pushed row with what is left of the push.
    fn error(&self, policy: &OverlapPolicy) -> f64 {
        if self.is_idle {
            policy.out_of_reach
        } else {
            self.normal + self.left_out * self.speed
        }
    }

    /// Speed at which the bodies are to come apart, m/s; negative for a joint that is to go down.
    fn pushed(&self) -> f64 {
        (1.0 - self.left_out) * self.speed
    }

    /// Whether it is pushed at a speed that matters.
    fn is_notable(&self, policy: &OverlapPolicy) -> bool {
        self.speed.abs() > policy.notable && self.pushed() != 0.0 && !self.is_idle
    }
}

/// The pushes of an island, one for each constraint of its problem.
#[derive(Debug, Default)]
pub(crate) struct PushOut {
    pushes: Vec<Push>,
    /// Work space.
    row_velocity: Vec<f64>,
    force: Vec<f64>,
    response: Vec<f64>,
}

impl PushOut {
    /// Forgets all pushes.
    pub(crate) fn clear(&mut self) {
        self.pushes.clear();
    }

    /// Takes in the constraint written last: pushed, unless it is still held since an earlier step.
    pub(crate) fn push(
        &mut self,
        problem: &mut Problem,
        note: &RowNote,
        delay: PushDelay,
        policy: &OverlapPolicy,
    ) -> Result<(), ProblemError> {
        let mut push = Push {
            speed: note.push_out,
            ..Push::default()
        };
        if note.push_out != 0.0 {
            push.delay = delay;
            push.left_out = f64::from(u8::from(delay.is_on()));
            let position = self.pushes.len();
            push.is_limit = !problem.constraints()[position].law.is_contact();
            push.normal = problem.errors()[pushed_row(problem, self.pushes.len())];
        }
        self.pushes.push(push);
        if push.left_out > 0.0 {
            self.apply(problem, self.pushes.len() - 1, policy)?;
        }
        Ok(())
    }

    /// Writes the error of a constraint as it is decided now.
    fn apply(
        &self,
        problem: &mut Problem,
        position: usize,
        policy: &OverlapPolicy,
    ) -> Result<(), ProblemError> {
        set_row_error(problem, position, self.pushes[position].error(policy))
    }

    /// Takes all pushes out of e: what is pushed apart keeps no velocity of it.
    pub(crate) fn take_out(&self, problem: &mut Problem) -> Result<(), ProblemError> {
        for (position, push) in self.pushes.iter().enumerate() {
            if push.pushed() != 0.0 && !push.is_idle {
                set_row_error(problem, position, push.normal + push.speed)?;
            }
        }
        Ok(())
    }

    /// Whether joints or tendons come back from beyond their limits.
    pub(crate) fn has_limits(&self) -> bool {
        self.pushes
            .iter()
            .any(|push| push.pushed() != 0.0 && push.is_limit)
    }

    /// Whether anything is pushed faster than this, m/s, and not held.
    pub(crate) fn is_faster(&self, speed: f64) -> bool {
        let mut pushes = self.pushes.iter();
        pushes.any(|push| push.pushed().abs() > speed && !push.is_idle)
    }

    /// Which constraints are held, and for how long.
    pub(crate) fn delays(&self) -> impl Iterator<Item = PushDelay> + '_ {
        self.pushes.iter().map(|push| push.delay)
    }

    /// How many contacts are held, or left out because nothing opens them.
    pub(crate) fn delayed_count(&self) -> usize {
        let held = self.pushes.iter().filter(|p| p.delay.is_on() || p.is_idle);
        held.count()
    }

    /// Slows pushes down that would fling about: next to a joint a small speed of the contact is a
    /// large one of the link. None may take more energy than moving the touched body as a whole at the
    /// full speed, m_eff u² ≤ m push². A free body never does. A contact right at a joint, which nothing
    /// can open, is no contact.
    pub(crate) fn ease(
        &mut self,
        problem: &mut Problem,
        probe: &mut Probe,
        policy: &OverlapPolicy,
    ) -> Result<(), ProblemError> {
        for position in 0..self.pushes.len() {
            if self.pushes[position].speed.abs() <= policy.notable {
                continue;
            }
            let touched = touched(problem, position);
            if !touched.is_robot {
                continue;
            }
            let Some((dynamics, joint_rows)) = probe.update(problem) else {
                return Ok(());
            };
            self.row_velocity.clear();
            self.row_velocity.resize(problem.row_count(), 0.0);
            self.row_velocity[problem.constraints()[position].first_row + 2] = 1.0;
            self.force.clear();
            self.force.resize(problem.dof_count(), 0.0);
            joint_rows.mul_transpose_add(&self.row_velocity, &mut self.force);
            self.response.clone_from(&self.force);
            dynamics.solve_in_place(&mut self.response);
            // 1/m_eff.
            let mobility = dot_in_order(&self.force, &self.response);
            let share = (touched.mass * mobility).max(0.0).sqrt();
            let push = &mut self.pushes[position];
            if share < policy.immovable {
                push.is_idle = true;
            } else if share < 1.0 && !push.delay.is_on() {
                push.left_out = 1.0 - share;
            } else {
                continue;
            }
            self.apply(problem, position, policy)?;
        }
        Ok(())
    }

    /// Whether pushes that contradict each other took far more energy than moving what they touch at
    /// their speed: contacts alone only take energy away from the motion without them.
    pub(crate) fn is_violent(
        &self,
        problem: &Problem,
        probe: &mut Probe,
        velocity: &[f64],
        policy: &OverlapPolicy,
    ) -> bool {
        let allowed = self.allowance(problem, probe, policy);
        allowed > 0.0
            && probe
                .energies(problem, velocity)
                .is_some_and(|energies| !(energies.found <= energies.free + allowed))
    }

    /// Energy that pushes may take together, J.
    pub(crate) fn allowance(
        &self,
        problem: &Problem,
        probe: &mut Probe,
        policy: &OverlapPolicy,
    ) -> f64 {
        let mut allowed = 0.0;
        for (position, push) in self.pushes.iter().enumerate() {
            if push.is_notable(policy) {
                let inertia = match problem.constraints()[position].law.is_contact() {
                    true => touched(problem, position).mass,
                    false => probe.inertia(problem, position),
                };
                allowed += policy.violent * inertia * push.speed.powi(2);
            }
        }
        allowed
    }

    /// Begins to hold contacts that were to be pushed apart but did not come apart with `velocity`;
    /// whether there were any.
    pub(crate) fn delay_push(
        &mut self,
        problem: &mut Problem,
        probe: &mut Probe,
        velocity: &[f64],
        choice: Choice,
        tolerance: f64,
        policy: &OverlapPolicy,
    ) -> Result<bool, ProblemError> {
        self.row_velocity.clear();
        self.row_velocity.resize(problem.row_count(), f64::NAN);
        if velocity.len() == problem.dof_count() {
            let joint_rows = probe.rows(problem);
            joint_rows.mul(velocity, &mut self.row_velocity);
        }
        let mut has_any = false;
        for position in 0..self.pushes.len() {
            let push = &mut self.pushes[position];
            if !push.is_notable(policy) {
                continue;
            }
            let pushed = push.pushed();
            let row = pushed_row(problem, position);
            // A joint that is to come down is pushed the other way.
            let separation = (self.row_velocity[row] + problem.errors()[row]) * pushed.signum();
            let missed = -tolerance.max(policy.missed * pushed.abs());
            let is_missed = separation.is_nan() || separation < missed;
            if choice == Choice::Any || is_missed {
                push.delay = push.delay.renewed();
                push.left_out = 1.0;
                has_any = true;
                self.apply(problem, position, policy)?;
            }
        }
        Ok(has_any)
    }
}

/// The row of a constraint that pushes act on: the normal one of a contact, the last of any other.
fn pushed_row(problem: &Problem, position: usize) -> usize {
    let constraint = &problem.constraints()[position];
    match constraint.law.is_contact() {
        true => constraint.first_row + 2,
        false => constraint.first_row + constraint.rows - 1,
    }
}

/// Replaces e of the pushed row of a constraint.
fn set_row_error(problem: &mut Problem, position: usize, value: f64) -> Result<(), ProblemError> {
    let constraint = &problem.constraints()[position];
    let (first, rows) = (constraint.first_row, constraint.rows);
    let mut error = [0.0; MAX_ROWS];
    error[..rows].copy_from_slice(problem.error(position));
    error[pushed_row(problem, position) - first] = value;
    problem.set_error(position, &error[..rows])
}

/// What a contact touches.
struct Touched {
    /// The smaller mass of its bodies, kg.
    mass: f64,
    /// Whether one of them is part of a robot.
    is_robot: bool,
}

/// The smaller mass of the bodies or nodes that a constraint touches, kg; `None` where it touches none.
pub(crate) fn touched_mass(problem: &Problem, constraint: usize) -> Option<f64> {
    let mass = touched(problem, constraint).mass;
    mass.is_finite().then_some(mass)
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
            // What moves with the touched nodes at once: mass and what stiffness adds to it.
            (Subsystem::Sparse(matrix), RowBlock::Nodes { nodes, weights, .. }) => {
                let diagonal = |node: usize| matrix.values()[matrix.column_start()[3 * node]];
                let both = nodes.iter().zip(weights);
                both.map(|(&node, weight)| weight.abs() * diagonal(node))
                    .sum()
            }
            _ => continue,
        };
        out.mass = out.mass.min(mass);
    }
    out
}
