//! The rows of a tendon: its length, how that changes, and what acts along it.

use nalgebra::{Isometry3, Point3, Vector3, Vector6};
use stiction_constraints::Law;
use stiction_constraints::stabilization::joint_friction_bound;

use super::{Tendon, TendonBranch, TendonPath};
use crate::body::{Body, Kind};
use crate::control::Tracking;
use crate::error::{Result, SimError};
use crate::island::SubsystemData;
use crate::limits::velocity_interval;
use crate::placement::Placement;
use crate::robot::{Robot, RobotHandle};
use crate::rows::{Key, RowBuffer};
use crate::settings::Settings;
use crate::state::RobotState;
use crate::world::World;

/// A body that a tendon pulls at.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(super) body: usize,
    pub(crate) subsystem: usize,
    pub(crate) link: usize,
    /// ∂l̇ by the body's velocity at its subsystem's reference point, world axes.
    pub(crate) values: Vector6<f64>,
}

/// What a tendon sees of one subsystem.
#[derive(Debug, Clone)]
pub(super) struct Gradient {
    subsystem: usize,
    /// Robot and tree of a tree; `None` for a free body.
    tree: Option<(usize, usize)>,
    dofs: Vec<usize>,
    values: Vec<f64>,
}

/// A tendon and its gradient at the last linearisation.
#[derive(Debug, Clone)]
pub(crate) struct TendonEntry {
    pub(crate) tendon: Tendon,
    pub(crate) sites: Vec<Site>,
    pub(super) gradients: Vec<Gradient>,
    /// Length at the start of the step.
    pub(super) start: f64,
    /// Impulse of a drive without gains in this step, N·s.
    pub(crate) direct: f64,
}

/// What the rows of a tendon need of the world.
pub(crate) struct TendonContext<'a> {
    pub(crate) placement: &'a Placement,
    pub(crate) bodies: &'a [Body],
    pub(crate) robots: &'a [Robot],
    pub(crate) states: &'a [RobotState],
    pub(crate) settings: &'a Settings,
}

/// Length and rates of a tendon.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Motion {
    pub(super) length: f64,
    /// l̇ at the start of the step.
    pub(super) before: f64,
    /// Part of l̇ that driven bodies contribute.
    driven: f64,
    /// l̇ with the v̂ of the last pass.
    guess: f64,
}

/// A straight line between two points of different bodies, from the first to the second.
struct Segment {
    bodies: [usize; 2],
    points: [Point3<f64>; 2],
    /// Unit vector over the divisor of the branch.
    direction: Vector3<f64>,
}

/// Calls `visit` with every line that can change its length; returns the length of the whole.
fn walk(
    branches: &[TendonBranch],
    poses: &[Isometry3<f64>],
    mut visit: impl FnMut(&Segment),
) -> f64 {
    let mut sum = 0.0;
    for branch in branches {
        for pair in branch.points.windows(2) {
            let [(a, on_a), (b, on_b)] = [pair[0], pair[1]];
            let points = [poses[a.0] * on_a, poses[b.0] * on_b];
            let apart = points[1] - points[0];
            let length = apart.norm();
            sum += length / branch.divisor;
            // Two points that coincide have no direction, and no force acts between them.
            if a != b && length > 0.0 {
                visit(&Segment {
                    bodies: [a.0, b.0],
                    points,
                    direction: apart / (length * branch.divisor),
                });
            }
        }
    }
    sum
}

impl TendonEntry {
    /// Length and rates, as the placement has them.
    pub(super) fn measure(&self, context: &TendonContext<'_>) -> Motion {
        let mut motion = Motion::default();
        match &self.tendon.path {
            TendonPath::Joints { robot, terms } => {
                let state = &context.states[robot.0];
                for &(dof, coefficient) in terms {
                    let q = context.robots[robot.0].position_of_dof[dof];
                    motion.length += coefficient * q.map_or(0.0, |q| state.q[q]);
                    motion.before += coefficient * state.v[dof];
                }
            }
            TendonPath::Points(branches) => {
                let placement = context.placement;
                let mut rates = [0.0; 3];
                motion.length = walk(branches, &placement.poses, |segment| {
                    for (end, sign) in [(0, -1.0), (1, 1.0)] {
                        let body = segment.bodies[end];
                        let origin = &placement.poses[body].translation.vector;
                        let rate = |twist: &crate::state::Twist| {
                            sign * segment
                                .direction
                                .dot(&twist.at(origin, &segment.points[end]))
                        };
                        let before = rate(&placement.twists[body]);
                        rates[0] += before;
                        rates[1] += rate(&placement.guess[body]);
                        if context.bodies[body].kind == Kind::Driven {
                            rates[2] += before;
                        }
                    }
                });
                [motion.before, motion.guess, motion.driven] = rates;
            }
        }
        motion
    }

    /// Brings J up to date.
    fn linearize(&mut self, context: &TendonContext<'_>) {
        let TendonPath::Points(branches) = &self.tendon.path else {
            return;
        };
        let placement = context.placement;
        for site in &mut self.sites {
            site.values.fill(0.0);
        }
        let sites = &mut self.sites;
        walk(branches, &placement.poses, |segment| {
            for (end, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(site) = sites.iter_mut().find(|s| s.body == segment.bodies[end]) else {
                    continue;
                };
                let force = segment.direction * sign;
                let arm = segment.points[end].coords - placement.references[site.subsystem];
                let torque = arm.cross(&force);
                for axis in 0..3 {
                    site.values[axis] += force[axis];
                    site.values[3 + axis] += torque[axis];
                }
            }
        });
        for gradient in &mut self.gradients {
            gradient.values.fill(0.0);
            let subsystem = gradient.subsystem;
            for site in self.sites.iter().filter(|site| site.subsystem == subsystem) {
                match gradient.tree {
                    None => gradient.values.copy_from_slice(site.values.as_slice()),
                    Some((robot, tree)) => {
                        gradient.add(&context.robots[robot], tree, site);
                    }
                }
            }
        }
    }

    /// Adds the tendon's rows; a drive without gains goes straight into b.
    pub(crate) fn push_rows(
        &mut self,
        index: usize,
        context: &TendonContext<'_>,
        command: &Tracking,
        subsystems: &mut [SubsystemData],
        rows: &mut RowBuffer,
    ) {
        let (settings, dt) = (context.settings, context.settings.time_step);
        let advance = context.placement.advance;
        let motion = self.measure(context);
        self.linearize(context);
        if advance == 0.0 {
            self.start = motion.length;
        }
        self.direct = 0.0;
        // Where the length would be with v̂ = 0, as seen from where this pass linearises.
        let seen = motion.length - advance * motion.guess;
        let tendon = &self.tendon;
        if tendon.limits.iter().any(|limit| limit.is_finite()) {
            let [lower, upper] =
                velocity_interval(self.start, seen, tendon.limits, f64::INFINITY, settings);
            let law = Law::JointLimit { lower, upper };
            self.push(rows, Key::tendon(index, 0), law, motion.driven);
        }
        if tendon.friction_loss > 0.0 {
            let law = Law::JointFriction {
                bound: joint_friction_bound(tendon.friction_loss, dt),
            };
            self.push(rows, Key::tendon(index, 1), law, motion.driven);
        }
        // The spring is slack or not as the motion so far says for the end of the step: one that
        // goes slack within the step must not hold back.
        let rate = if advance > 0.0 {
            motion.guess
        } else {
            motion.before
        };
        let spring = tendon.stiffness * f64::from(tendon.stretch(seen + dt * rate) != 0.0);
        let rest = match seen + dt * rate > tendon.rest[1] {
            true => tendon.rest[1],
            false => tendon.rest[0],
        };
        let pull = if spring > 0.0 {
            spring * (seen - rest)
        } else {
            0.0
        };
        // Force at v̂ = 0 and what v̂ takes from it, both as impulses.
        let drive = command.feed_forward
            + command.stiffness * (command.position - seen)
            + command.damping * command.velocity;
        let impulse = dt * (drive - pull);
        let damping =
            dt * (tendon.damping + command.damping) + dt * dt * (spring + command.stiffness);
        if damping > 0.0 {
            let law = Law::Soft {
                stiffness: 1.0,
                damping,
            };
            let error = damping * motion.driven - impulse;
            self.push(rows, Key::tendon(index, 2), law, error);
        } else if impulse != 0.0 {
            self.direct = impulse;
            for gradient in &self.gradients {
                let b = &mut subsystems[gradient.subsystem].b;
                for (&dof, value) in gradient.dofs.iter().zip(&gradient.values) {
                    b[dof] += impulse * value;
                }
            }
        }
    }

    fn push(&self, rows: &mut RowBuffer, key: Key, law: Law, error: f64) {
        // Where nothing changes the length, as between points that coincide, there is no row.
        let mut values = self.gradients.iter().flat_map(|gradient| &gradient.values);
        if values.all(|&value| value == 0.0) {
            return;
        }
        rows.begin_dofs(key, law, error);
        for gradient in &self.gradients {
            let terms = gradient.dofs.iter().copied();
            rows.add_dofs(
                gradient.subsystem,
                terms.zip(gradient.values.iter().copied()),
            );
        }
    }
}

impl Gradient {
    /// Adds Jᵀ of one link: every joint between it and the ground moves it.
    fn add(&mut self, robot: &Robot, tree: usize, site: &Site) {
        let view = &robot.views[tree];
        let force = site.values.fixed_rows::<3>(0).into_owned();
        let torque = site.values.fixed_rows::<3>(3).into_owned();
        let mut link = Some(site.link);
        while let Some(body) = link {
            for dof in view.dof_start[body]..view.dof_start[body + 1] {
                let column = &view.columns[dof];
                let value = column.linear.dot(&force) + column.angular.dot(&torque);
                if let Ok(at) = self.dofs.binary_search(&dof) {
                    self.values[at] += value;
                }
            }
            link = view.parents[body];
        }
    }
}

impl World {
    /// What a sum of joints sees of the trees of its robot.
    pub(super) fn joint_gradients(
        &self,
        tendon: &Tendon,
        robot: RobotHandle,
        terms: &[(usize, f64)],
    ) -> Result<Vec<Gradient>> {
        let entry = self.robot(robot)?;
        for &(dof, _) in terms {
            match entry.position_of_dof.get(dof) {
                Some(Some(_)) => {}
                Some(None) => {
                    return Err(SimError::NotPossible {
                        element: tendon.name.clone(),
                        reason: format!("degree of freedom {dof} has no coordinate of its own"),
                    });
                }
                None => {
                    return Err(SimError::Unknown {
                        what: "degree of freedom",
                        name: format!("{}, {dof}", entry.name),
                    });
                }
            }
        }
        let mut gradients = Vec::new();
        for (tree, view) in entry.views.iter().enumerate() {
            let inside = terms.iter().filter(|(dof, _)| view.dofs.contains(dof));
            let (dofs, values): (Vec<usize>, Vec<f64>) = inside
                .map(|&(dof, coefficient)| (dof - view.dofs.start, coefficient))
                .unzip();
            if !dofs.is_empty() {
                gradients.push(Gradient {
                    subsystem: entry.first_subsystem + tree,
                    tree: Some((robot.0, tree)),
                    dofs,
                    values,
                });
            }
        }
        Ok(gradients)
    }

    /// What a path through points sees of the bodies that it pulls at.
    pub(super) fn point_gradients(&self, sites: &[Site]) -> Vec<Gradient> {
        let mut gradients: Vec<Gradient> = Vec::new();
        for site in sites {
            let tree = match self.bodies[site.body].kind {
                Kind::Link {
                    robot, subsystem, ..
                } => Some((robot, subsystem - self.robots[robot].first_subsystem)),
                _ => None,
            };
            let found = gradients
                .iter()
                .position(|gradient| gradient.subsystem == site.subsystem);
            let at = found.unwrap_or_else(|| {
                gradients.push(Gradient {
                    subsystem: site.subsystem,
                    tree,
                    dofs: Vec::new(),
                    values: Vec::new(),
                });
                gradients.len() - 1
            });
            let dofs = &mut gradients[at].dofs;
            match tree {
                None => dofs.extend(0..6),
                Some((robot, tree)) => {
                    let view = &self.robots[robot].views[tree];
                    let mut link = Some(site.link);
                    while let Some(body) = link {
                        dofs.extend(view.dof_start[body]..view.dof_start[body + 1]);
                        link = view.parents[body];
                    }
                }
            }
            dofs.sort_unstable();
            dofs.dedup();
        }
        for gradient in &mut gradients {
            gradient.values = vec![0.0; gradient.dofs.len()];
        }
        gradients
    }
}
