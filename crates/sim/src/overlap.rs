//! Links of a robot that overlap where they are.

use crate::body::{BodyHandle, Kind};
use crate::contact_rows::bodies_of;
use crate::error::Result;
use crate::robot::RobotHandle;
use crate::world::World;

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
        let base = self.robot(robot)?.first_body;
        self.detect_contacts()?;
        let belongs = |body: usize| match self.bodies[body].kind {
            Kind::Link { robot: owner, .. } => owner == robot.0,
            _ => body == base,
        };
        let deep = self
            .contacts
            .iter()
            .filter(|contact| contact.gap < -depth && bodies_of(contact).into_iter().all(belongs));
        let colliders = self.colliders.as_slice();
        let mut pairs: Vec<Overlap> = deep
            .map(|contact| Overlap {
                bodies: bodies_of(contact).map(BodyHandle),
                shapes: contact
                    .colliders
                    .map(|collider| colliders[collider as usize].name.clone()),
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }
}
