//! From the robot of a scene file to the model of the dynamics.

use nalgebra::Isometry3;
use stiction_dynamics::{
    BodyDescription, FrameDescription, Inertia, JointDescription, ModelDescription, Transform,
    WORLD,
};

use super::description::RobotDescription;

impl RobotDescription {
    /// The robot's model, with the inertia of each link in the order of `links`.
    pub fn model(&self, inertias: &[Option<Inertia>]) -> ModelDescription {
        let mut model = ModelDescription::new(self.name.clone());
        for (link, inertia) in self.links.iter().zip(inertias) {
            model.bodies.push(BodyDescription {
                name: link.name.clone(),
                inertia: *inertia,
            });
        }
        // What stands on the robot's world stands where the robot was placed.
        let placed = |parent: &str, pose: &Isometry3<f64>| {
            transform(&match parent == WORLD {
                true => self.base * pose,
                false => *pose,
            })
        };
        for joint in &self.joints {
            model.joints.push(JointDescription {
                name: joint.name.clone(),
                kind: joint.kind.clone(),
                parent: joint.parent.clone(),
                child: joint.child.clone(),
                placement: placed(&joint.parent, &joint.pose),
                dofs: vec![joint.properties],
            });
        }
        for frame in &self.frames {
            model.frames.push(FrameDescription {
                name: frame.name.clone(),
                body: frame.link.clone(),
                placement: placed(&frame.link, &frame.pose),
            });
        }
        model.couplings.clone_from(&self.couplings);
        model
    }
}

fn transform(pose: &Isometry3<f64>) -> Transform {
    let rotation = pose.rotation.to_rotation_matrix();
    Transform::new(*rotation.matrix(), pose.translation.vector)
}
