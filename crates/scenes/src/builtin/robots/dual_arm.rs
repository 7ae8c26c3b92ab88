//! Two arms lift a box from a table between their hands.

use stiction_control::Servo;
use stiction_sim::{Isometry3, Material, Result, RigidBody, Shape, Vector3};

use super::stage::{Stage, ease};
use crate::builtin::parts::{floor, solid_box};
use crate::robots::DUAL_ARM;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "dual-arm",
    summary: "two seven-joint arms lift a 1 kg box from a table between their flat hands",
    build,
};

/// A joint of an arm.
struct ArmJoint {
    name: &'static str,
    /// Whether the right arm's turns the other way.
    turns_over: bool,
    /// Stiffness of its servo, N·m/rad.
    stiffness: f64,
    /// Torque that holds its weight, N·m, about the same along the whole way.
    weight: f64,
    /// Positions (rad) with the hands apart, told to be 1 cm inside the box, and 15 cm higher.
    positions: [f64; 3],
}

const fn joint(
    name: &'static str,
    turns_over: bool,
    [stiffness, weight]: [f64; 2],
    positions: [f64; 3],
) -> ArmJoint {
    ArmJoint {
        name,
        turns_over,
        stiffness,
        weight,
        positions,
    }
}

/// Soft wrists let the hands lie flat on the box.
const ARM: [ArmJoint; 7] = [
    joint(
        "shoulder_roll",
        true,
        [2000.0, -53.5],
        [-0.5282, -0.4716, -0.6311],
    ),
    joint(
        "shoulder_pitch",
        false,
        [2000.0, 23.0],
        [1.1782, 1.3189, 1.5117],
    ),
    joint(
        "upper_arm_roll",
        true,
        [2000.0, -30.0],
        [0.3625, 0.3700, 0.3056],
    ),
    joint("elbow", false, [2000.0, 11.0], [-1.6150, -1.5522, -1.2810]),
    joint(
        "forearm_roll",
        true,
        [200.0, -1.6],
        [0.2843, 0.2848, 0.2147],
    ),
    joint("wrist_pitch", false, [60.0, -2.3], [0.5822, 0.4908, 0.6571]),
    joint(
        "wrist_roll",
        true,
        [200.0, 0.0],
        [-0.2687, -0.2835, -0.4509],
    ),
];
/// When the hands begin to close, are closed, begin to lift and have lifted, s.
const TIMES: [f64; 4] = [0.1, 0.5, 0.7, 1.5];
/// Damping per stiffness of all servos, s.
const DAMPING: f64 = 0.04;
/// Height of the table, m, and side of the box, m.
const TABLE: f64 = 0.95;
const SIDE: f64 = 0.2;

fn build(options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&DUAL_ARM, SCENE.name, 4.0)?;
    let turn = ease(&[(1.8, 0.0), (3.0, 0.5)]);
    stage.track("waist", servo(5000.0), turn)?;
    for (side, is_right) in [("left", false), ("right", true)] {
        for joint in ARM {
            let sign = if is_right && joint.turns_over {
                -1.0
            } else {
                1.0
            };
            let [apart, pressed, lifted] = joint.positions.map(|position| sign * position);
            let [close, closed, lift, up] = TIMES;
            let way = [
                (close, apart),
                (closed, pressed),
                (lift, pressed),
                (up, lifted),
            ];
            let name = format!("{side}_{}", joint.name);
            stage.start(&name, apart)?;
            let servo = Servo {
                feed_forward: sign * joint.weight,
                ..servo(joint.stiffness)
            };
            stage.track(&name, servo, ease(&way))?;
        }
    }
    let rubber = Material::with_friction(0.8);
    stage.cover("rubber", rubber)?;
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    let wood = Material::with_friction(0.5);
    floor(world, wood)?;
    let table = RigidBody::fixed("table").at_position(0.5, 0.0, TABLE - 0.02);
    let table = world.add_body(table)?;
    let half = Vector3::new(0.2, 0.3, 0.02);
    world.attach(table, Shape::cuboid("top", half)?, wood)?;
    let pose = Isometry3::translation(0.5, 0.0, TABLE + 0.5 * SIDE);
    solid_box(world, "box", 1.0, Vector3::repeat(SIDE), pose, wood)?;
    Ok(scene)
}

fn servo(stiffness: f64) -> Servo {
    Servo::new(stiffness, DAMPING * stiffness)
}
