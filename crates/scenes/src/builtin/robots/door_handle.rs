//! A door handle is pressed to and fro against its friction and its stops.

use stiction_sim::Result;

use super::stage::{Stage, swing};
use crate::robots::DOOR_HANDLE;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "door-handle",
    summary: "a periodic torque moves a lever against 0.3 N·m of dry friction and two stops",
    build,
};

/// Mean and half width of the torque (N·m), and its frequency (Hz): more than friction and weight
/// one way, and the other.
const TORQUE: [f64; 3] = [-0.1, 0.6, 0.5];

fn build(options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&DOOR_HANDLE, SCENE.name, 4.0)?;
    stage.start_at_home()?;
    let [mean, amplitude, frequency] = TORQUE;
    stage.control("handle", swing(mean, amplitude, frequency, 0.0))?;
    stage.build(options)
}
