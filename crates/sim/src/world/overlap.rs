//! What is not as it should be where a world stands: overlaps, joints beyond their limits, masses that
//! numbers do not carry.

use super::World;
use crate::body::{BodyHandle, Kind};
use crate::error::Result;
use crate::robot::RobotHandle;

/// Two links that overlap.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Overlap {
    /// The links, or the base.
    pub bodies: [BodyHandle; 2],
    /// Names of the two shapes.
    pub shapes: [String; 2],
}

impl World {
    /// Shapes of different links of a robot (its base too) that overlap by more than `depth` m where
    /// they are now. Where these are rigid and cannot come apart, no motion satisfies contact.
    ///
    /// # Errors
    /// An unknown robot, or shapes that cannot be tested.
    pub fn overlapping_links(&mut self, robot: RobotHandle, depth: f64) -> Result<Vec<Overlap>> {
        self.robot(robot)?;
        self.detect_contacts()?;
        let belongs = |body: usize| {
            let kind = self.tables.bodies[body].kind;
            matches!(kind, Kind::Link { robot: owner, .. } if owner == robot.0)
        };
        let colliders = self.colliders.as_slice();
        let mut pairs = Vec::new();
        for contact in self.contacts.points.iter().filter(|c| c.gap < -depth) {
            let Some(frames) = contact.frames() else {
                continue;
            };
            let bodies = frames.map(|frame| frame as usize);
            if bodies.into_iter().all(belongs) {
                pairs.push(Overlap {
                    bodies: bodies.map(BodyHandle),
                    shapes: contact
                        .colliders
                        .map(|collider| colliders[collider as usize].name.clone()),
                });
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }
}

/// Two bodies that overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyOverlap {
    /// Names of the bodies, or of the shapes where these are of none.
    pub names: [String; 2],
    /// Deepest penetration, m.
    pub depth: f64,
}

/// A joint beyond its limits.
#[derive(Debug, Clone, PartialEq)]
pub struct JointBeyondLimits {
    /// `robot/joint`.
    pub name: String,
    /// How far, rad or m.
    pub beyond: f64,
}

/// Masses that are too different for the numbers of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct MassRatio {
    /// Names of the heaviest and of the lightest body.
    pub names: [String; 2],
    /// Their masses, kg.
    pub masses: [f64; 2],
}

impl MassRatio {
    /// The heavier mass over the lighter.
    pub fn ratio(&self) -> f64 {
        self.masses[0] / self.masses[1]
    }
}

impl World {
    /// Rigid bodies that overlap by more than `depth` m where they are now, the deepest first.
    ///
    /// # Errors
    /// Shapes that cannot be tested.
    pub fn overlaps(&mut self, depth: f64) -> Result<Vec<BodyOverlap>> {
        let (penetration, stages) = (self.report.penetration, self.report.stages);
        self.detect_contacts()?;
        // The report is of the last step.
        (self.report.penetration, self.report.stages) = (penetration, stages);
        let colliders = self.colliders.as_slice();
        let mut found: Vec<BodyOverlap> = Vec::new();
        for contact in &self.contacts.points {
            // What is soft overlaps where it carries.
            if contact.gap >= -depth || contact.material.compliance > 0.0 {
                continue;
            }
            let names = [0, 1].map(|side| match contact.on[side].frame() {
                Some(frame) => self.tables.bodies[frame as usize].name.clone(),
                None => colliders[contact.colliders[side] as usize].name.clone(),
            });
            match found.iter_mut().find(|known| known.names == names) {
                Some(known) => known.depth = known.depth.max(-contact.gap),
                None => found.push(BodyOverlap {
                    names,
                    depth: -contact.gap,
                }),
            }
        }
        found.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        Ok(found)
    }

    /// Joints of robots that are beyond their limits by more than `beyond` rad or m, the furthest first.
    pub fn joints_beyond_limits(&self, beyond: f64) -> Vec<JointBeyondLimits> {
        let mut found = Vec::new();
        for robot in (0..self.robots.len()).map(RobotHandle) {
            let Ok(robot) = self.robot(robot) else {
                continue;
            };
            for joint in &robot.model.description().joints {
                let Some(info) = robot.model.joint(&joint.name) else {
                    continue;
                };
                for dof in info.v.clone() {
                    let properties = &robot.model.dof_properties()[dof];
                    let Ok(Some(at)) = robot.position_of_dof(dof) else {
                        continue;
                    };
                    let position = self.state.q[robot.q.start + at];
                    let far = (properties.lower - position).max(position - properties.upper);
                    if far > beyond {
                        found.push(JointBeyondLimits {
                            name: format!("{}/{}", robot.name, joint.name),
                            beyond: far,
                        });
                    }
                }
            }
        }
        found.sort_by(|a, b| b.beyond.total_cmp(&a.beyond));
        found
    }

    /// The heaviest and the lightest body that forces move, where the weight of one, rounded to 64 bits,
    /// moves the other by more than the solvers' tolerance: one that lies on the other may sink into it.
    pub fn excessive_mass_ratio(&self) -> Option<MassRatio> {
        let bodies = self.tables.bodies.iter().zip(&self.places.frames.motion);
        let moving =
            bodies.filter(|(body, motion)| motion.subsystem().is_some() && body.mass > 0.0);
        let by_mass = |a: &&crate::body::Body, b: &&crate::body::Body| a.mass.total_cmp(&b.mass);
        let heaviest = moving.clone().map(|(body, _)| body).max_by(by_mass)?;
        let lightest = moving.map(|(body, _)| body).min_by(by_mass)?;
        let fall = self.settings.gravity.norm().max(1.0) * self.settings.time_step;
        let noise = f64::EPSILON * fall * heaviest.mass / lightest.mass;
        (noise > Self::SEEN_NOISE * self.settings.tolerance).then(|| MassRatio {
            names: [heaviest.name.clone(), lightest.name.clone()],
            masses: [heaviest.mass, lightest.mass],
        })
    }

    /// Times the tolerance that rounding of a weight may move another body.
    const SEEN_NOISE: f64 = 20.0;
}
