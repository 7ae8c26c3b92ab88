//! Links of a robot that overlap where they are.

use crate::body::{BodyHandle, Kind};
use crate::error::Result;
use crate::robot::RobotHandle;
use crate::world::World;

impl World {
    /// Pairs of links of a robot (its base too) that overlap by more than `depth` m where they are
    /// now. Where these are rigid and cannot come apart, no motion satisfies contact.
    ///
    /// # Errors
    /// An unknown robot, or shapes that cannot be tested.
    pub fn overlapping_links(
        &mut self,
        robot: RobotHandle,
        depth: f64,
    ) -> Result<Vec<[BodyHandle; 2]>> {
        let base = self.robot(robot)?.first_body;
        self.detect_contacts()?;
        let belongs = |body: usize| match self.bodies[body].kind {
            Kind::Link { robot: owner, .. } => owner == robot.0,
            _ => body == base,
        };
        let deep = self.contacts.iter().filter(|contact| {
            contact.gap < -depth && belongs(contact.body_a) && belongs(contact.body_b)
        });
        let mut pairs: Vec<[BodyHandle; 2]> = deep
            .map(|contact| [BodyHandle(contact.body_a), BodyHandle(contact.body_b)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }
}
