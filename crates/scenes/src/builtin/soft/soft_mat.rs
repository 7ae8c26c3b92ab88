//! A Panda folds a soft mat over.
//!
//! The mat is 0.3 × 0.3 m and 8 mm thick, 1 386 nodes and 4 200 tetrahedra, E 50 kPa, ν 0.35, μ 0.4; it
//! touches the floor and itself. Chosen here: density 500 kg/m³ and damping; the near edge is taped to the
//! floor, because the mat would slide away in front of the hand; the hand holds the mat by a short line of
//! nodes at the middle of its far edge, about which it may turn, and leads that edge over the rest in half
//! an ellipse in 2.4 s. That the fingers hold and do not grip follows the paper: its «total DOF is 4438» is three
//! for each of 1477 nodes and seven for the arm. Time step 10 ms.

use std::f64::consts::PI;

use stiction_control::{Arm, Reach, Servo, minimum_jerk};
use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{Pattern, mat};
use stiction_sim::{
    BodyHandle, Isometry3, Material, Result, SoftBody, SoftContact, Vector3, World,
};

use super::{SoftChoice, of_mesh, stage};
use crate::builtin::parts::floor;
use crate::builtin::robots::panda_arm::{PANDA_JOINTS, PANDA_READY, PANDA_SERVOS};
use crate::builtin::robots::stage::swing;
use crate::robots::PANDA_GRIPPER;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "soft-mat",
    summary: "a Panda folds a soft mat over",
    build: |options| of(options, FOAM, CELL),
};

/// Sides of the mat, m, its layers and the length of a cell, m.
const MAT: Vector3<f64> = Vector3::new(0.3, 0.3, 0.008);
const LAYERS: usize = 2;
const CELL: f64 = 0.0146;
/// Where its middle is, m.
const MIDDLE: f64 = 0.5;
const FOAM: SoftChoice = SoftChoice {
    young: 5e4,
    poisson: 0.35,
    friction: 0.4,
    is_cut: false,
    pace: 1.0,
};
/// Half the length of the line that is held, m.
const LINE: f64 = 0.02;
/// From the hand's frame to the line, m: 12 mm beyond the pads of the fingers.
const TOOL: f64 = 0.1244;
/// Where the line ends, and how far up it goes on its way, m. Two layers are 12 mm there: it presses a little.
const END: [f64; 2] = [0.37, 0.0105];
const HEIGHT: f64 = 0.13;
/// When it starts and arrives, s.
const START: f64 = 0.1;
const ARRIVED: f64 = 2.5;
const FINGER: Servo = Servo::new(1e4, 1e2);

/// The scene with a mat of something else, or with another length of a cell, m.
pub(in crate::builtin) fn of(options: &Options, stuff: SoftChoice, cell: f64) -> Result<Scene> {
    let stuff = stuff.checked(SCENE.name)?;
    let mut stage = stage(&PANDA_GRIPPER, SCENE.name, 2.8 / stuff.pace)?;
    for finger in ["left_finger", "right_finger"] {
        stage.start(finger, 0.001)?;
        stage.track(finger, FINGER, swing(0.001, 0.0, 0.0, 0.0))?;
    }
    let name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    let ground = floor(world, Material::with_friction(stuff.friction))?;
    let arm = Arm {
        robot: world.find_robot(&name)?,
        joints: &PANDA_JOINTS,
        near: &PANDA_READY,
        hand: "hand",
        tool: Isometry3::translation(0.0, 0.0, TOOL),
        servos: &PANDA_SERVOS,
    };
    let reach = Reach::along(world, &arm, scene.seconds, |time| {
        line_at(stuff.pace * time)
    })?;
    reach.start(world)?;
    world.add_controller(Box::new(reach));
    let wrist = world.find_body(&format!("{name}/wrist_roll"))?;
    add_mat(world, (wrist, ground), stuff, cell)?;
    Ok(scene)
}

/// Where the middle of the line that is held is at a time (s), with the hand above it.
fn line_at(time: f64) -> Isometry3<f64> {
    let angle = PI * minimum_jerk((time - START) / (ARRIVED - START));
    let (from, across) = (MIDDLE + 0.5 * MAT.x, 0.5 * (1.0 - angle.cos()));
    let x = from + across * (END[0] - from);
    let z = 0.5 * MAT.z + across * (END[1] - 0.5 * MAT.z) + HEIGHT * angle.sin();
    Isometry3::translation(x, 0.0, z) * Isometry3::rotation(Vector3::x() * PI)
}

/// `wrist` is the link that the hand is fixed to.
fn add_mat(
    world: &mut World,
    (wrist, ground): (BodyHandle, BodyHandle),
    stuff: SoftChoice,
    cell: f64,
) -> Result<()> {
    let mesh = mat(&MAT, LAYERS, cell, Pattern::Five);
    let mesh = mesh.map_err(|error| of_mesh(SCENE.name, &error))?;
    let foam = SoftMaterial::corotational(stuff.young, stuff.poisson, 500.0).damped(0.5, 0.01);
    let mut body = SoftBody::new("mat", mesh, foam);
    body.pieces = stuff.pieces();
    body.contact = Some(SoftContact {
        touches_itself: true,
        ..SoftContact::new(Material::with_friction(stuff.friction))
    });
    for (node, at) in body.mesh.nodes().iter().enumerate() {
        let is_on_line = at.y.abs() < LINE && at.z.abs() < 1e-3 * MAT.z;
        if at.x > 0.499 * MAT.x && is_on_line {
            body.attached.push((node, wrist));
        } else if at.x < -0.499 * MAT.x && at.z < -0.499 * MAT.z {
            body.attached.push((node, ground));
        }
    }
    world.add_soft_body(body.at(Isometry3::translation(MIDDLE, 0.0, 0.5 * MAT.z)))?;
    Ok(())
}
