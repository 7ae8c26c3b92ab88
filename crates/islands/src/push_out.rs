//! How fast overlapping bodies of an island are pushed apart.

use nalgebra::Matrix6;
use stiction_constraints::linear::dot_in_order;
use stiction_constraints::{DynamicsMatrix, JointRows, Problem, ProblemError, RowBlock, Subsystem};

use crate::assembly::RowNote;
use crate::policy::OverlapPolicy;
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
    /// e of the normal row with the whole push in it, m/s.
    normal: f64,
    /// Share of the push that is left out.
    left_out: f64,
    delay: PushDelay,
    /// Whether no motion opens or closes the contact.
    is_idle: bool,
}

impl Push {
    /// e of the normal row with what is left of the push.
    fn error(&self, policy: &OverlapPolicy) -> f64 {
        if self.is_idle {
            policy.out_of_reach
        } else {
            self.normal + self.left_out * self.speed
        }
    }

    /// Speed at which the bodies are to come apart, m/s.
    fn pushed(&self) -> f64 {
        (1.0 - self.left_out) * self.speed
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
        if note.push_out > 0.0 {
            push.delay = delay;
            push.left_out = f64::from(u8::from(delay.is_on()));
            push.normal = normal_error(problem, self.pushes.len());
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
        let [e1, e2, _] = problem.constraints()[position]
            .load(problem.errors())
            .into();
        problem.set_error(position, &[e1, e2, self.pushes[position].error(policy)])
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

    /// Whether any bodies overlap so far that they are pushed apart at a speed that matters.
    pub(crate) fn has_deep(&self, policy: &OverlapPolicy) -> bool {
        self.pushes.iter().any(|push| push.speed > policy.notable)
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
            if self.pushes[position].speed <= policy.notable {
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
        let mut allowed = 0.0;
        for (position, push) in self.pushes.iter().enumerate() {
            if push.speed > policy.notable && push.pushed() > 0.0 && !push.is_idle {
                allowed += policy.violent * touched(problem, position).mass * push.speed.powi(2);
            }
        }
        allowed > 0.0
            && probe
                .energies(problem, velocity)
                .is_some_and(|energies| !(energies.found <= energies.free + allowed))
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
            let constraint = &problem.constraints()[position];
            let pushed = push.pushed();
            let is_pushed = push.speed > policy.notable && pushed > 0.0 && !push.is_idle;
            if !is_pushed {
                continue;
            }
            let separation =
                constraint.load(&self.row_velocity).z + constraint.load(problem.errors()).z;
            let missed = -tolerance.max(policy.missed * pushed);
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

fn normal_error(problem: &Problem, position: usize) -> f64 {
    problem.constraints()[position].load(problem.errors()).z
}

/// Kinetic energies of an island, ½ vᵀ A v, J.
pub(crate) struct Energies {
    /// Of the velocity found.
    pub(crate) found: f64,
    /// Of the motion without constraints.
    pub(crate) free: f64,
}

/// A and J of an island's problem for questions beside solving it; made when somebody asks.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    dynamics: DynamicsMatrix,
    rows: JointRows,
    free_velocity: Vec<f64>,
    product: Vec<f64>,
    /// What of it belongs to the present problem.
    has_dynamics: bool,
    row_count: Option<usize>,
}

impl Probe {
    /// Forgets what it knew of another problem.
    pub(crate) fn forget(&mut self) {
        self.has_dynamics = false;
        self.row_count = None;
    }

    /// J, which changes only when constraints are added.
    fn rows(&mut self, problem: &Problem) -> &JointRows {
        if self.row_count != Some(problem.row_count()) {
            self.rows.update(problem);
            self.row_count = Some(problem.row_count());
        }
        &self.rows
    }

    /// A and J; `None` where A cannot be factorised.
    fn update(&mut self, problem: &Problem) -> Option<(&mut DynamicsMatrix, &JointRows)> {
        if !self.has_dynamics {
            self.dynamics.update(problem).ok()?;
            self.has_dynamics = true;
        }
        self.rows(problem);
        Some((&mut self.dynamics, &self.rows))
    }

    /// Energies of a velocity and of the motion without constraints; `None` where the velocity is not
    /// of the problem.
    pub(crate) fn energies(&mut self, problem: &Problem, velocity: &[f64]) -> Option<Energies> {
        if velocity.len() != problem.dof_count() {
            return None;
        }
        self.update(problem)?;
        self.product.clear();
        self.product.resize(velocity.len(), 0.0);
        self.dynamics.mul(velocity, &mut self.product);
        self.free_velocity.clear();
        self.free_velocity.extend_from_slice(problem.b());
        self.dynamics.solve_in_place(&mut self.free_velocity);
        Some(Energies {
            found: 0.5 * dot_in_order(velocity, &self.product),
            free: 0.5 * dot_in_order(problem.b(), &self.free_velocity),
        })
    }

    /// A⁻¹ b of the last [`energies`](Self::energies).
    pub(crate) fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }
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
