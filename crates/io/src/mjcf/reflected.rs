//! The inertia that an actuator moves, in the pose that the file describes.

use stiction_dynamics::{Data, Model, articulated_inertias, mass_inverse_product};

use super::scene::Builder;
use crate::scene_file::{ActuatorTarget, MassDescription, TendonPath};

impl Builder<'_, '_> {
    /// Inertia at the actuator's side of its gear, 1 / (j M⁻¹ jᵀ) with j the row of its length by
    /// the velocities; `None` for what is not a sum of joints.
    pub(super) fn reflected_inertia(&self, target: &ActuatorTarget, gear: f64) -> Option<f64> {
        let (model, q) = self.model.get_or_init(|| self.build_model()).as_ref()?;
        let mut row = vec![0.0; model.nv()];
        match target {
            ActuatorTarget::Joint { joint, .. } => row[model.joint(joint)?.v.start] = gear,
            ActuatorTarget::Tendon(name) => {
                let tendon = self
                    .scene
                    .tendons
                    .iter()
                    .find(|other| &other.name == name)?;
                let TendonPath::Joints { terms, .. } = &tendon.path else {
                    return None;
                };
                for (joint, coefficient) in terms {
                    row[model.joint(joint)?.v.start] += gear * coefficient;
                }
            }
            ActuatorTarget::Frame { .. } => return None,
        }
        let mut data = Data::new(model);
        articulated_inertias(model, &mut data, q).ok()?;
        let rates = mass_inverse_product(model, &mut data, &row).ok()?;
        let inverse: f64 = row.iter().zip(rates).map(|(a, b)| a * b).sum();
        (inverse > 0.0).then(|| inverse.recip())
    }

    /// The robot and its coordinates at the start; `None` for one that cannot be built, which is
    /// refused later.
    fn build_model(&self) -> Option<(Model, Vec<f64>)> {
        let robot = self.scene.robots.first()?;
        let links = robot.links.iter().map(|link| match link.mass {
            Some(MassDescription::Inertia(inertia)) => Some(inertia.to_inertia()),
            _ => None,
        });
        let model = robot.model(&links.collect::<Vec<_>>()).build().ok()?;
        let mut q = model.neutral();
        for joint in &robot.joints {
            let range = model.joint(&joint.name)?.q.clone();
            if joint.initial.len() == range.len() {
                q[range].copy_from_slice(&joint.initial);
            }
        }
        Some((model, q))
    }
}
