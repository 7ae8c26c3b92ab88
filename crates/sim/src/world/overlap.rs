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
        let deep = self.contacts.points.iter().filter(|contact| {
            contact.gap < -depth && belongs(contact.body_a) && belongs(contact.body_b)
        });
        let colliders = self.collision.colliders();
        let mut pairs: Vec<Overlap> = deep
            .map(|contact| Overlap {
                bodies: [contact.body_a, contact.body_b].map(BodyHandle),
                shapes: [contact.collider_a, contact.collider_b]
                    .map(|collider| colliders[collider].name.clone()),
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }
}
