//! A stick on the flange of a Panda: what it stirs and winds with.

use stiction_io::scene_file::{
    LinkDescription, MassDescription, RobotJointDescription, ShapeDescription, ShapeKind,
};
use stiction_sim::{DofProperties, Groups, Isometry3, JointKind, Result};

use super::stage::Stage;

/// The flange is this far along the axis of the last joint, m.
const FLANGE: f64 = 0.107;
/// The link whose frame the last joint turns.
pub(in crate::builtin) const WRIST: &str = "wrist_roll";

/// A stick with a round end that goes on from the flange.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Stick {
    /// From the flange to its very end, m.
    pub(in crate::builtin) length: f64,
    /// m.
    pub(in crate::builtin) radius: f64,
    /// kg.
    pub(in crate::builtin) mass: f64,
}

impl Stick {
    /// Its very end in the frame of the [wrist](WRIST), z outwards.
    pub(in crate::builtin) fn end(&self) -> Isometry3<f64> {
        Isometry3::translation(0.0, 0.0, FLANGE + self.length)
    }

    /// Puts it on the robot of a stage.
    pub(in crate::builtin) fn mount(&self, stage: &mut Stage) -> Result<()> {
        let between = self.length - 2.0 * self.radius;
        let robot = stage.robot()?;
        robot.links.push(LinkDescription {
            name: "stick".to_owned(),
            mass: Some(MassDescription::Mass(self.mass)),
            gravity_compensation: 0.0,
            shapes: vec![ShapeDescription {
                name: "stick".to_owned(),
                kind: ShapeKind::Capsule {
                    length: between,
                    radius: self.radius,
                },
                pose: Isometry3::identity(),
                material: None,
                groups: Groups::default(),
                visual_only: false,
                color: None,
            }],
        });
        robot.joints.push(RobotJointDescription {
            name: "stick".to_owned(),
            kind: JointKind::Fixed,
            parent: WRIST.to_owned(),
            child: "stick".to_owned(),
            pose: Isometry3::translation(0.0, 0.0, FLANGE + 0.5 * self.length),
            properties: DofProperties::default(),
            initial: Vec::new(),
            initial_velocity: Vec::new(),
        });
        Ok(())
    }
}
