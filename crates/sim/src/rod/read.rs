//! What can be asked of a rod.

use nalgebra::Isometry3;
use stiction_deformable::rod::{JointStress, Rod};

use super::{Cosserat, RodHandle};
use crate::body::BodyHandle;
use crate::error::{Result, SimError};
use crate::world::{ColliderHandle, World};

impl World {
    /// The rod of this name.
    ///
    /// # Errors
    /// A name that no rod has.
    pub fn find_rod(&self, name: &str) -> Result<RodHandle> {
        let found = self.rods.iter().position(|rod| rod.name == name);
        let names = self.rods.iter().map(|rod| rod.name.as_str());
        let found = found.ok_or_else(|| SimError::not_among("rod", name, names))?;
        Ok(RodHandle(found))
    }

    /// All rods with their names, in the order they were added.
    pub fn rods(&self) -> impl Iterator<Item = (RodHandle, &str)> {
        let all = self.rods.iter().enumerate();
        all.map(|(index, rod)| (RodHandle(index), rod.name.as_str()))
    }

    /// How many pieces a rod is cut into.
    ///
    /// # Errors
    /// An unknown rod.
    pub fn rod_pieces(&self, rod: RodHandle) -> Result<usize> {
        Ok(self.cosserat(rod)?.pieces.len())
    }

    pub(crate) fn cosserat(&self, rod: RodHandle) -> Result<&Cosserat> {
        let entry = self.rods.get(rod.0).ok_or_else(|| SimError::Unknown {
            what: "rod",
            name: rod.0.to_string(),
        })?;
        self.mechanism(entry.handle)
    }

    /// The shape of a rod without stress, its stiffness and its damping.
    ///
    /// # Errors
    /// An unknown rod.
    pub fn rod(&self, rod: RodHandle) -> Result<&Rod> {
        Ok(&self.cosserat(rod)?.rod)
    }

    /// The collider of a rod, if it touches.
    ///
    /// # Errors
    /// An unknown rod.
    pub fn rod_collider(&self, rod: RodHandle) -> Result<Option<ColliderHandle>> {
        Ok(self.cosserat(rod)?.collider)
    }

    /// The links of a rod in order, as bodies.
    ///
    /// # Errors
    /// An unknown rod.
    pub fn rod_links(&self, rod: RodHandle) -> Result<&[BodyHandle]> {
        Ok(&self.cosserat(rod)?.frames)
    }

    /// Strains, force and moment of the joint between links `joint` and `joint` + 1 of a rod.
    ///
    /// # Errors
    /// An unknown rod or joint.
    pub fn rod_stress(&self, rod: RodHandle, joint: usize) -> Result<JointStress> {
        let body = self.cosserat(rod)?;
        let stress = body.rod.stress(joint, &self.rod_poses(body));
        stress.map_err(|error| body.error(&error))
    }

    /// Strains, forces and moments of all joints of a rod, in order.
    ///
    /// # Errors
    /// An unknown rod.
    pub fn rod_stresses(&self, rod: RodHandle) -> Result<Vec<JointStress>> {
        let body = self.cosserat(rod)?;
        let poses = self.rod_poses(body);
        let all = (0..body.rod.joint_count()).map(|joint| body.rod.stress(joint, &poses));
        let all: std::result::Result<_, _> = all.collect();
        all.map_err(|error| body.error(&error))
    }

    fn rod_poses(&self, body: &Cosserat) -> Vec<Isometry3<f64>> {
        let frames = body.frames.iter();
        frames
            .map(|frame| self.places.frames.pose[frame.0])
            .collect()
    }
}
