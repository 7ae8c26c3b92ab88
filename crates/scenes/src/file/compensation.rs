//! Gravity compensation: something unseen that carries part of a body's weight.

use stiction_sim::{BodyHandle, Commands, Controller, Point3, Result, Vector3, World};

/// Something unseen that carries part of a body's weight.
pub(super) struct Compensation {
    pub(super) body: BodyHandle,
    /// Where, in the body's frame; `None` for its centre of mass.
    pub(super) point: Option<Point3<f64>>,
    /// The mass that it carries, kg.
    pub(super) mass: f64,
}

/// Carries what compensations carry.
pub(super) struct Carry(pub(super) Vec<Compensation>);

impl Controller for Carry {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        for carried in &self.0 {
            let force = world.settings().gravity * -carried.mass;
            match carried.point {
                None => commands.push(carried.body, force, Vector3::zeros())?,
                Some(point) => {
                    commands.push_at(carried.body, force, world.pose(carried.body)? * point)?;
                }
            }
        }
        Ok(())
    }
}
