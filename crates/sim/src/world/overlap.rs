//! Links of a robot that overlap where they are.

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
