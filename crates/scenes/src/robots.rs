//! The robots that come along, as files in the formats that robots are exchanged in.

use stiction_io::scene_file::SceneFile;
use stiction_io::{Base, IoError, ModelOptions, mjcf, urdf};

/// A robot that comes along: its file, word for word, under `assets/robots`.
///
/// The file's first comment names where its figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobotFile {
    /// Name of the robot.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Name of the file, which ends in `.xml` for MJCF and in `.urdf` for URDF.
    pub file: &'static str,
    /// What the file says.
    pub text: &'static str,
    /// How the root of a URDF robot stands in the world.
    pub base: Base,
}

impl RobotFile {
    /// Reads the file: a scene with nothing but the robot.
    ///
    /// # Errors
    /// None for the files that come along.
    pub fn read(&self) -> Result<SceneFile, IoError> {
        let options = ModelOptions {
            base: self.base,
            ..ModelOptions::default()
        };
        match self.file.ends_with(".urdf") {
            true => urdf::parse(self.text, self.file, &options),
            false => mjcf::parse(self.text, self.file, &options),
        }
    }
}

/// A file under `assets/robots`.
macro_rules! robot {
    ($name:literal, $file:literal, $base:expr, $summary:literal) => {
        RobotFile {
            name: $name,
            summary: $summary,
            file: $file,
            text: include_str!(concat!("../assets/robots/", $file)),
            base: $base,
        }
    };
}

pub(crate) const PANDA: RobotFile = robot!(
    "panda",
    "panda.xml",
    Base::Fixed,
    "Franka Emika Panda, seven joints"
);
pub(crate) const PANDA_GRIPPER: RobotFile = robot!(
    "panda-gripper",
    "panda_gripper.xml",
    Base::Fixed,
    "Franka Emika Panda with its two-finger hand"
);
pub(crate) const PANDA_ALLEGRO: RobotFile = robot!(
    "panda-allegro",
    "panda_allegro.xml",
    Base::Fixed,
    "Franka Emika Panda that carries an Allegro hand by its back"
);
pub(crate) const ALLEGRO_HAND: RobotFile = robot!(
    "allegro-hand",
    "allegro_hand.xml",
    Base::Fixed,
    "Allegro hand, four fingers of four joints"
);
pub(crate) const LAIKAGO: RobotFile = robot!(
    "laikago",
    "laikago.urdf",
    Base::Free,
    "Unitree Laikago, a quadruped of 25 kg"
);
pub(crate) const SOLO12: RobotFile = robot!(
    "solo12",
    "solo12.urdf",
    Base::Free,
    "Solo 12, a quadruped of 2.5 kg"
);
pub(crate) const HUMANOID: RobotFile = robot!(
    "humanoid",
    "humanoid.xml",
    Base::Free,
    "a person of 75 kg with 25 joints"
);
pub(crate) const DUAL_ARM: RobotFile = robot!(
    "dual-arm",
    "dual_arm.urdf",
    Base::Fixed,
    "a turning torso with two seven-joint arms"
);
pub(crate) const UPPER_BODY: RobotFile = robot!(
    "upper-body",
    "upper_body.urdf",
    Base::Fixed,
    "a small humanoid's upper body, two arms and two hands of seven joints"
);
pub(crate) const MOBILE_MANIPULATOR: RobotFile = robot!(
    "mobile-manipulator",
    "mobile_manipulator.xml",
    Base::Free,
    "a differential-drive vehicle with a six-joint arm"
);
pub(crate) const DOOR_HANDLE: RobotFile = robot!(
    "door-handle",
    "door_handle.xml",
    Base::Fixed,
    "a lever on a spindle with dry friction and stops"
);

/// All robots that come along.
pub fn robots() -> &'static [RobotFile] {
    &[
        PANDA,
        PANDA_GRIPPER,
        PANDA_ALLEGRO,
        ALLEGRO_HAND,
        LAIKAGO,
        SOLO12,
        HUMANOID,
        DUAL_ARM,
        UPPER_BODY,
        MOBILE_MANIPULATOR,
        DOOR_HANDLE,
    ]
}
