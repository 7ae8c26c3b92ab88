//! Tendons: lengths that depend on where things are, with limits, dry friction, a spring and a
//! drive of their own.
//!
//! With the gradient J of the length, l̇ = J v, every part of a tendon is one row: the limits keep
//! l + dt J v̂ in an interval, dry friction opposes J v̂, spring, damper and drive are one implicit
//! force along J.

use nalgebra::{Isometry3, Point3, Vector3, Vector6};
use stiction_constraints::{Law, ProblemError, Subsystem, Tree};

use crate::limit::velocity_interval;
use crate::places::{Motion, Places, Twist};
use crate::scheme::Scheme;
use crate::stabilization::joint_friction_bound;
use crate::tracking::Tracking;
use crate::writer::RowWriter;

/// The [part](Tendon::parts) that is spring, damper and drive.
pub const SPRING_AND_DRIVE: u64 = 2;

/// What the length of a tendon is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Path {
    /// Σ coefficient · coordinate, over any number of subsystems.
    Dofs(Vec<DofTerm>),
    /// Straight lines through points of frames, Σ length / divisor.
    Lines(Vec<Branch>),
}

/// A coordinate that is part of a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DofTerm {
    /// Its subsystem.
    pub subsystem: usize,
    /// Its degree of freedom inside the subsystem.
    pub dof: usize,
    /// What it is multiplied by.
    pub coefficient: f64,
}

/// A run of straight lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// What its length is divided by: how many such branches share a pulley.
    pub divisor: f64,
    /// Frame and point in its axes, m; two or more.
    pub points: Vec<(u32, Point3<f64>)>,
}

/// What acts along a tendon.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strand {
    /// Shortest and longest length, hard; infinite for none.
    pub limits: [f64; 2],
    /// Spring, N/m.
    pub stiffness: f64,
    /// Damper, N·s/m; acts at any length.
    pub damping: f64,
    /// Lengths between which the spring is slack; equal ones are a rest length, m.
    pub rest: [f64; 2],
    /// Dry friction, N.
    pub friction_loss: f64,
}

impl Strand {
    /// How far a length is outside the range in which the spring is slack, m.
    pub fn stretch(&self, length: f64) -> f64 {
        length - length.clamp(self.rest[0], self.rest[1])
    }

    /// How far a length is beyond the limits, m; `None` without limits.
    pub fn beyond(&self, length: f64) -> Option<f64> {
        let [lower, upper] = self.limits;
        let has_limits = lower.is_finite() || upper.is_finite();
        has_limits.then(|| (lower - length).max(length - upper).max(0.0))
    }
}

/// Length and rates of a tendon.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LengthMotion {
    /// m.
    pub length: f64,
    /// l̇ at the start of the step, m/s.
    pub before: f64,
    /// Part of l̇ that driven frames contribute, m/s.
    pub driven: f64,
    /// l̇ with the v̂ of the last pass, m/s.
    pub guess: f64,
}

/// A frame that a tendon pulls at.
#[derive(Debug, Clone)]
pub struct Pulled {
    /// Its index.
    pub frame: u32,
    /// What moves it.
    pub subsystem: usize,
    /// Body inside the subsystem.
    pub body: usize,
    /// ∂l̇ by the velocity of the frame's body at its subsystem's reference point, world axes.
    pub gradient: Vector6<f64>,
}

/// What a tendon sees of one subsystem.
#[derive(Debug, Clone)]
struct Gradient {
    subsystem: usize,
    /// Ascending.
    dofs: Vec<usize>,
}

/// One constraint of a tendon in this pass.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TendonRow {
    part: u64,
    law: Law,
    error: f64,
    push_out: f64,
}

/// A tendon and its gradient at the last linearisation.
#[derive(Debug, Clone)]
pub struct Tendon {
    path: Path,
    /// What acts along it.
    pub strand: Strand,
    pulled: Vec<Pulled>,
    gradients: Vec<Gradient>,
    /// Length at the start of the step, and by how much what is beyond its limits may come back in it, m.
    start: f64,
    recovery: f64,
    /// l̇ at the start of the step, and the part of it that driven frames contribute, m/s.
    rate: f64,
    driven: f64,
    /// Impulse of the drive at v̂ = 0, N·s, what v̂ takes from it, and the same of spring, damper and drive
    /// together.
    drive: [f64; 2],
    sum: [f64; 2],
    direct: f64,
    rows: Vec<TendonRow>,
}

/// A straight line between two points of different frames, from the first to the second.
struct Segment {
    frames: [u32; 2],
    points: [Point3<f64>; 2],
    /// Unit vector over the divisor of the branch.
    direction: Vector3<f64>,
}

/// Calls `visit` with every line that can change its length; returns the length of the whole.
fn walk(branches: &[Branch], poses: &[Isometry3<f64>], mut visit: impl FnMut(&Segment)) -> f64 {
    let mut sum = 0.0;
    for branch in branches {
        for pair in branch.points.windows(2) {
            let [(a, on_a), (b, on_b)] = [pair[0], pair[1]];
            let points = [poses[a as usize] * on_a, poses[b as usize] * on_b];
            let apart = points[1] - points[0];
            let length = apart.norm();
            sum += length / branch.divisor;
            // Two points that coincide have no direction, and no force acts between them.
            if a != b && length > 0.0 {
                visit(&Segment {
                    frames: [a, b],
                    points,
                    direction: apart / (length * branch.divisor),
                });
            }
        }
    }
    sum
}

impl Tendon {
    /// A tendon along a path; `shape` gives the (empty) subsystem of an index.
    pub fn new(
        path: Path,
        strand: Strand,
        places: &Places,
        shape: impl Fn(usize) -> Subsystem,
    ) -> Self {
        let mut pulled: Vec<Pulled> = Vec::new();
        let mut gradients: Vec<Gradient> = Vec::new();
        let mut add = |subsystem: usize, dofs: &mut dyn Iterator<Item = usize>| {
            let known = gradients
                .iter()
                .position(|known| known.subsystem == subsystem);
            let at = known.unwrap_or_else(|| {
                gradients.push(Gradient {
                    subsystem,
                    dofs: Vec::new(),
                });
                gradients.len() - 1
            });
            gradients[at].dofs.extend(dofs);
            gradients[at].dofs.sort_unstable();
            gradients[at].dofs.dedup();
        };
        match &path {
            Path::Dofs(terms) => {
                for term in terms {
                    add(term.subsystem, &mut std::iter::once(term.dof));
                }
            }
            Path::Lines(branches) => {
                for &(frame, _) in branches.iter().flat_map(|branch| &branch.points) {
                    let Motion::Solved { subsystem, index } = places.frames.motion[frame as usize]
                    else {
                        continue;
                    };
                    if pulled.iter().any(|known| known.frame == frame) {
                        continue;
                    }
                    let (subsystem, body) = (subsystem as usize, index as usize);
                    match shape(subsystem) {
                        Subsystem::Tree(tree) => {
                            add(subsystem, &mut tree.path(tree.body_dof(body)));
                        }
                        _ => add(subsystem, &mut (6 * body..6 * body + 6)),
                    }
                    pulled.push(Pulled {
                        frame,
                        subsystem,
                        body,
                        gradient: Vector6::zeros(),
                    });
                }
            }
        }
        Self {
            path,
            strand,
            pulled,
            gradients,
            start: 0.0,
            recovery: 0.0,
            rate: 0.0,
            driven: 0.0,
            drive: [0.0; 2],
            sum: [0.0; 2],
            direct: 0.0,
            rows: Vec::new(),
        }
    }

    /// What its length is made of.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The frames that it pulls at.
    pub fn pulled(&self) -> &[Pulled] {
        &self.pulled
    }

    /// Impulse of a drive without gains in this step, N·s: it is part of b, not a row.
    pub fn direct_impulse(&self) -> f64 {
        self.direct
    }

    /// The drive's part of the impulse of spring, damper and drive, N·s.
    pub fn drive_impulse(&self, impulse: f64) -> f64 {
        let [all, damping] = self.sum;
        let velocity = match damping > 0.0 {
            true => (all - impulse) / damping,
            false => 0.0,
        };
        self.drive[0] - self.drive[1] * velocity
    }

    /// Length at the start of the step, m.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// l̇ at the start of the step, m/s.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Part of l̇ that driven frames contribute in this step, m/s.
    pub fn driven(&self) -> f64 {
        self.driven
    }

    /// Length and rates of a path through points, as the places have them; `None` for a sum of
    /// coordinates, which are not places.
    pub fn measure(&self, places: &Places) -> Option<LengthMotion> {
        let Path::Lines(branches) = &self.path else {
            return None;
        };
        let mut rates = LengthMotion::default();
        let length = walk(branches, &places.frames.pose, |segment| {
            for (end, sign) in [(0, -1.0), (1, 1.0)] {
                let frame = segment.frames[end];
                let rate = |twist: &Twist| {
                    let velocity = twist.at(places.origin(frame), &segment.points[end]);
                    sign * segment.direction.dot(&velocity)
                };
                let before = rate(&places.frames.twist[frame as usize]);
                rates.before += before;
                rates.guess += rate(&places.frames.guess[frame as usize]);
                if places.frames.motion[frame as usize] == Motion::Driven {
                    rates.driven += before;
                }
            }
        });
        Some(LengthMotion { length, ..rates })
    }

    /// Length of a path through points, m; `None` for a sum of coordinates.
    pub fn length(&self, places: &Places) -> Option<f64> {
        match &self.path {
            Path::Lines(branches) => Some(walk(branches, &places.frames.pose, |_| {})),
            Path::Dofs(_) => None,
        }
    }

    /// Energy of the spring at a length, J.
    pub fn energy(&self, length: f64) -> f64 {
        if self.strand.stiffness == 0.0 {
            return 0.0;
        }
        let stretch = self.strand.stretch(length);
        0.5 * self.strand.stiffness * stretch * stretch
    }

    /// Brings J up to date.
    fn linearize(&mut self, places: &Places) {
        let Path::Lines(branches) = &self.path else {
            return;
        };
        let pulled = &mut self.pulled;
        for site in pulled.iter_mut() {
            site.gradient.fill(0.0);
        }
        walk(branches, &places.frames.pose, |segment| {
            for (end, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(site) = pulled.iter_mut().find(|s| s.frame == segment.frames[end]) else {
                    continue;
                };
                let force = segment.direction * sign;
                let arm = segment.points[end].coords
                    - places.reference(segment.frames[end], site.subsystem);
                let torque = arm.cross(&force);
                for axis in 0..3 {
                    site.gradient[axis] += force[axis];
                    site.gradient[3 + axis] += torque[axis];
                }
            }
        });
    }

    /// Decides which rows the tendon has in this pass. A drive without gains is no row but an impulse
    /// along J, see [`add_direct`](Self::add_direct).
    pub fn prepare(
        &mut self,
        motion: LengthMotion,
        places: &Places,
        command: &Tracking,
        scheme: &Scheme,
    ) {
        let (dt, advance) = (scheme.dt, places.advance);
        self.linearize(places);
        if advance == 0.0 {
            self.start = motion.length;
        }
        (self.rate, self.driven) = (motion.before, motion.driven);
        self.recovery = scheme.push_out_speed * dt;
        self.direct = 0.0;
        self.rows.clear();
        // Where the length would be with v̂ = 0, as seen from where this pass linearises.
        let seen = motion.length - advance * motion.guess;
        let strand = self.strand;
        if strand.limits.iter().any(|limit| limit.is_finite()) {
            let mut interval =
                velocity_interval(self.start, seen, strand.limits, f64::INFINITY, scheme);
            // Of a length that meets its limit l̇⁺ is to be zero, not v̂: with θ > 0 it would bounce. What
            // it goes too far is projected out.
            let rate = scheme.theta * self.rate;
            if rate < 0.0 && self.start > strand.limits[0] {
                interval.lower = interval.lower.min(rate);
            }
            if rate > 0.0 && self.start < strand.limits[1] {
                interval.upper = interval.upper.max(rate);
            }
            let (law, error, push) = interval.row();
            self.push(0, law, motion.driven + error, push);
        }
        if strand.friction_loss > 0.0 {
            let bound = joint_friction_bound(strand.friction_loss, dt);
            self.push(1, Law::JointFriction { bound }, motion.driven, 0.0);
        }
        // The spring is slack or not as the motion so far says for the end of the step: one that
        // goes slack within the step must not hold back.
        let rate = if advance > 0.0 {
            motion.guess
        } else {
            motion.before
        };
        let spring = strand.stiffness * f64::from(strand.stretch(seen + dt * rate) != 0.0);
        let rest = match seen + dt * rate > strand.rest[1] {
            true => strand.rest[1],
            false => strand.rest[0],
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
        // The midpoint rule takes the mean of the lengths at both ends of the step.
        let weight = if scheme.is_midpoint() { 0.5 } else { 1.0 };
        let damping = dt * (strand.damping + command.damping)
            + dt * dt * (weight * spring + command.stiffness);
        self.drive = [
            dt * drive,
            dt * command.damping + dt * dt * command.stiffness,
        ];
        self.sum = [impulse, damping];
        if damping > 0.0 {
            let law = Law::Soft {
                stiffness: 1.0,
                damping,
            };
            self.push(
                SPRING_AND_DRIVE,
                law,
                damping * motion.driven - impulse,
                0.0,
            );
        } else if impulse != 0.0 {
            self.direct = impulse;
        }
    }

    /// Decides which row the tendon has in a projection of positions: its limits, at this `length`. One
    /// that began the step beyond comes back by its velocity; the projection only undoes what the step
    /// added.
    pub fn prepare_positions(&mut self, length: f64, places: &Places) {
        self.linearize(places);
        self.rows.clear();
        if self.strand.beyond(length).is_some() {
            let [lower, upper] = self.strand.limits;
            // What starts far beyond comes back no faster than anything else.
            let law = Law::JointLimit {
                lower: lower.min(self.start + self.recovery) - length,
                upper: upper.max(self.start - self.recovery) - length,
            };
            self.push(0, law, 0.0, 0.0);
        }
    }

    fn push(&mut self, part: u64, law: Law, error: f64, push_out: f64) {
        // Where nothing changes the length, as between points that coincide, there is no row.
        let has_gradient = match &self.path {
            Path::Dofs(terms) => terms.iter().any(|term| term.coefficient != 0.0),
            Path::Lines(_) => self
                .pulled
                .iter()
                .any(|site| site.gradient.iter().any(|&value| value != 0.0)),
        };
        if has_gradient {
            self.rows.push(TendonRow {
                part,
                law,
                error,
                push_out,
            });
        }
    }

    /// The constraints of this pass, by the numbers that stay theirs from step to step.
    pub fn parts(&self) -> impl Iterator<Item = u64> + '_ {
        self.rows.iter().map(|row| row.part)
    }

    /// The subsystems that it pulls at, each once.
    pub fn touches(&self) -> impl Iterator<Item = usize> + '_ {
        self.gradients.iter().map(|gradient| gradient.subsystem)
    }

    /// Writes one of this pass's constraints, counted in the order of [`parts`](Self::parts). Returns the
    /// part of its error that brings a length back that is beyond its limits, m/s.
    ///
    /// # Errors
    /// Numbers that make no constraint.
    pub fn write(&self, number: usize, mut row: RowWriter<'_>) -> Result<f64, ProblemError> {
        for gradient in &self.gradients {
            let block = row.dofs(gradient.subsystem, gradient.dofs.iter().copied());
            for (value, &dof) in block.values.iter_mut().zip(block.dofs) {
                *value = self.coefficient(gradient.subsystem, dof, block.subsystem);
            }
        }
        let TendonRow {
            law,
            error,
            push_out,
            ..
        } = self.rows[number];
        row.finish(law, &[error])?;
        Ok(push_out)
    }

    /// Adds the impulse of a drive without gains to b of a subsystem; `a` is that subsystem as it
    /// stands in this pass (only a tree needs it).
    pub fn add_direct(&self, subsystem: usize, a: Option<&Subsystem>, b: &mut [f64]) {
        if self.direct == 0.0 {
            return;
        }
        let own = self.gradients.iter().filter(|g| g.subsystem == subsystem);
        for &dof in own.flat_map(|gradient| &gradient.dofs) {
            b[dof] += self.direct * self.coefficient(subsystem, dof, a);
        }
    }

    /// Part of l̇ that the velocities `v` of a subsystem contribute, m/s; `a` as in
    /// [`add_direct`](Self::add_direct).
    pub fn rate_of(&self, subsystem: usize, a: Option<&Subsystem>, v: &[f64]) -> f64 {
        let own = self.gradients.iter().filter(|g| g.subsystem == subsystem);
        own.flat_map(|gradient| &gradient.dofs)
            .map(|&dof| v[dof] * self.coefficient(subsystem, dof, a))
            .sum()
    }

    /// ∂l̇ by one degree of freedom.
    fn coefficient(&self, subsystem: usize, dof: usize, a: Option<&Subsystem>) -> f64 {
        if let Path::Dofs(terms) = &self.path {
            let own = terms.iter();
            return own
                .filter(|term| term.subsystem == subsystem && term.dof == dof)
                .map(|term| term.coefficient)
                .sum();
        }
        let mut sum = 0.0;
        for site in self.pulled.iter().filter(|s| s.subsystem == subsystem) {
            match a {
                Some(Subsystem::Tree(tree)) => sum += through_tree(tree, site, dof),
                _ if dof / 6 == site.body => sum += site.gradient[dof % 6],
                _ => {}
            }
        }
        sum
    }
}

/// What a degree of freedom does to the length by moving a link: nothing unless it lies between the
/// link and the ground.
fn through_tree(tree: &Tree, site: &Pulled, dof: usize) -> f64 {
    if !tree
        .path(tree.body_dof(site.body))
        .any(|moving| moving == dof)
    {
        return 0.0;
    }
    let column = &tree.columns()[dof];
    let part = |vector: &Vector6<f64>, first: usize| -> Vector3<f64> {
        Vector3::new(vector[first], vector[first + 1], vector[first + 2])
    };
    part(column, 0).dot(&part(&site.gradient, 0)) + part(column, 3).dot(&part(&site.gradient, 3))
}
