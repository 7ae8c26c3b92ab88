//! The inertia that an actuator moves, in the pose that the file describes.

use std::collections::HashMap;

use stiction_dynamics::{Data, MassMatrix, crba};

use super::scene::Builder;
use crate::scene_file::{ActuatorTarget, MassDescription, TendonPath};

impl Builder<'_, '_> {
    /// Inertia at the actuator's side of its gear; `None` for what is not a sum of joints. Joints
    /// that share a tendon add up, as MuJoCo has it.
    pub(super) fn reflected_inertia(&self, target: &ActuatorTarget, gear: f64) -> Option<f64> {
        let inertias = self
            .joint_inertias
            .get_or_init(|| self.joint_inertias().unwrap_or_default());
        let of_joint = |joint: &str, ratio: f64| {
            let inertia = inertias.get(joint)?;
            Some(inertia / (ratio * ratio)).filter(|inertia| inertia.is_finite())
        };
        match target {
            ActuatorTarget::Joint { joint, .. } => of_joint(joint, gear),
            ActuatorTarget::Tendon(name) => {
                let tendon = self
                    .scene
                    .tendons
                    .iter()
                    .find(|other| &other.name == name)?;
                let TendonPath::Joints { terms, .. } = &tendon.path else {
                    return None;
                };
                let terms = terms.iter().filter(|(_, coefficient)| *coefficient != 0.0);
                terms
                    .map(|(joint, coefficient)| of_joint(joint, gear * coefficient))
                    .sum()
            }
            ActuatorTarget::Frame { .. } => None,
        }
    }

    /// The diagonal of the mass matrix by joint; `None` for a robot that cannot be built, which is
    /// refused later.
    fn joint_inertias(&self) -> Option<HashMap<String, f64>> {
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
        let mut mass = MassMatrix::new(&model);
        crba(&model, &mut Data::new(&model), &q, &mut mass).ok()?;
        let diagonal = |joint: &str| {
            let dofs = model.joint(joint)?.v.clone();
            Some((joint.to_owned(), *mass.row(dofs.start).last()?))
        };
        let moving = robot.joints.iter().filter(|joint| joint.kind.nv() == 1);
        Some(moving.filter_map(|joint| diagonal(&joint.name)).collect())
    }
}
