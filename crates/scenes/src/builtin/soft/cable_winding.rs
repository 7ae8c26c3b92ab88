//! A Panda winds a cable around a cylinder.
//!
//! The cable: radius 2 mm, 0.4 m, 1259 kg/m³, Young's modulus 2.954 MPa, Poisson's ratio 0.49, friction 1.3,
//! 320 links (160 and 120 in the variants); it touches itself. The cylinder: radius 20 mm, fixed. Time step
//! 10 ms, tolerance 1e-6. One end is held at the cylinder, the other one under a stick on the flange; the
//! cable starts straight, along a tangent of the cylinder. The hand rises for 3 s and then goes around
//! one and three quarter times in 32 s, coming nearer as the cable lies down: along the involute of the helix
//! it winds, so that the cable stays just short of taut. Chosen here: places and heights, the stick, the cable's damping.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use stiction_control::{Arm, Reach, minimum_jerk};
use stiction_sim::deformable::rod::{Damping, Profile, Rod, RodError, RodMaterial, RodShape};
use stiction_sim::{Isometry3, Material, Result, RigidBody, RodBody, Shape, SimError, Vector3};

use super::{SoftChoice, stage};
use crate::builtin::parts::floor;
use crate::builtin::robots::cruise::cruise;
use crate::builtin::robots::panda_arm::{PANDA_JOINTS, PANDA_READY, PANDA_SERVOS};
use crate::builtin::robots::stick::{Stick, WRIST};
use crate::robots::PANDA;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "cable-winding",
    summary: "a Panda winds a cable of 320 links around a cylinder, one and three quarter turns",
    build: |options| build(options, SCENE.name, 320, CABLE_STUFF, None),
};
pub(in crate::builtin) const WITH_160: SceneInfo = SceneInfo {
    name: "cable-winding-160",
    summary: "the same with 160 links",
    build: |options| build(options, WITH_160.name, 160, CABLE_STUFF, None),
};
pub(in crate::builtin) const WITH_120: SceneInfo = SceneInfo {
    name: "cable-winding-120",
    summary: "the same with 120 links",
    build: |options| build(options, WITH_120.name, 120, CABLE_STUFF, None),
};

/// Radius and length of the cable, m.
const CABLE: f64 = 0.002;
const LENGTH: f64 = 0.4;
const CABLE_STUFF: SoftChoice = SoftChoice {
    young: 2.954e6,
    poisson: 0.49,
    friction: 1.3,
    is_cut: false,
    pace: 1.0,
};
/// Radius and height of the cylinder, and where it stands, m.
const CYLINDER: f64 = 0.02;
const HEIGHT: f64 = 0.34;
const AT: [f64; 2] = [0.492, -0.2025];
/// From the axis to the middle of a cable that lies on the cylinder, m.
const LAID: f64 = CYLINDER + CABLE;
/// Height of the held end, and how much higher the hand winds, m.
const LOW: f64 = 0.1;
const RISE: f64 = 0.25;
/// Share of the cable's length that the hand makes use of.
const TAUT: f64 = 0.998;
/// How long the hand rises and how long it winds, s.
const RISING: f64 = 3.0;
const WINDING: f64 = 32.0;
/// Within which it gets to its speed, and to rest again, s.
const RAMP: f64 = 2.0;
/// How far around, rad.
const ANGLE: f64 = 1.75 * TAU;
const STICK: Stick = Stick {
    length: 0.04,
    radius: 0.006,
    mass: 0.05,
};

/// The scene with a cable of something else, in another number of links, or with a way of the hand that is given:
/// where it holds the cable at each step of 10 ms, m, whatever the pace.
pub(in crate::builtin) fn of(
    options: &Options,
    links: usize,
    stuff: SoftChoice,
    way: Option<&[Vector3<f64>]>,
) -> Result<Scene> {
    build(options, SCENE.name, links, stuff, way)
}

fn build(
    options: &Options,
    name: &str,
    links: usize,
    stuff: SoftChoice,
    way: Option<&[Vector3<f64>]>,
) -> Result<Scene> {
    if way.is_some_and(<[_]>::is_empty) {
        return Err(SimError::NotPossible {
            element: name.to_owned(),
            reason: "the way of the hand is empty".to_owned(),
        });
    }
    let stuff = stuff.checked(name)?;
    let seconds = way.map_or((RISING + WINDING) / stuff.pace, |way| {
        0.01 * way.len() as f64
    });
    let mut stage = stage(&PANDA, name, seconds)?;
    STICK.mount(&mut stage)?;
    stage.settings().contact_margin = Some(2e-4);
    let robot = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    let surface = Material::with_friction(stuff.friction);
    floor(world, surface)?;
    let cylinder = RigidBody::fixed("cylinder").at_position(AT[0], AT[1], 0.5 * HEIGHT);
    let cylinder = world.add_body(cylinder)?;
    world.attach(
        cylinder,
        Shape::cylinder("cylinder", 0.5 * HEIGHT, CYLINDER)?,
        surface,
    )?;
    let arm = Arm {
        robot: world.find_robot(&robot)?,
        joints: &PANDA_JOINTS,
        near: &PANDA_READY,
        hand: WRIST,
        // The cable is held below the end of the stick, free to leave it to any side.
        tool: STICK.end() * Isometry3::translation(0.0, 0.0, 2.0 * CABLE),
        servos: &PANDA_SERVOS,
    };
    let given = |time: f64| {
        let at = way.map(|way| way[((time / 0.01).round() as usize).min(way.len() - 1)]);
        at.map_or_else(|| path(stuff.pace * time), down)
    };
    let reach = Reach::along(world, &arm, scene.seconds, given)?;
    reach.start(world)?;
    world.add_controller(Box::new(reach));
    let hand = world.find_body(&format!("{robot}/{WRIST}"))?;
    let cable = RodBody::new(
        "cable",
        cable(links, stuff).map_err(|error| refuse(name, &error))?,
    );
    let mut cable = cable.touching(CABLE, surface);
    // A piece has one link more, which it shares with the next.
    cable.links_per_piece = stuff.is_cut.then_some(5);
    world.add_rod(cable.fixed_to(0, cylinder).fixed_to(links - 1, hand))?;
    Ok(scene)
}

fn refuse(name: &str, error: &RodError) -> SimError {
    SimError::NotPossible {
        element: name.to_owned(),
        reason: error.to_string(),
    }
}

/// Where the cable is held at the cylinder.
fn held() -> Vector3<f64> {
    Vector3::new(AT[0] + LAID, AT[1], LOW)
}

/// Straight from where it is held to the hand.
fn cable(links: usize, stuff: SoftChoice) -> std::result::Result<Rod, RodError> {
    let hand = held() + Vector3::y() * LENGTH;
    let shape = RodShape::straight(held(), hand, links)?;
    let material = RodMaterial {
        young: stuff.young,
        poisson: stuff.poisson,
        density: 1259.0,
    };
    Rod::new(shape, Profile::round(CABLE, &material)?)?.with_damping(Damping {
        mass: 1.0,
        stiffness: 0.005,
        ..Damping::default()
    })
}

/// The hand at a place, pointing down.
fn down(at: Vector3<f64>) -> Isometry3<f64> {
    let turned = Isometry3::rotation(Vector3::z() * -FRAC_PI_4);
    Isometry3::from(at) * turned * Isometry3::rotation(Vector3::x() * PI)
}

/// Where the hand holds the cable, pointing down.
fn path(time: f64) -> Isometry3<f64> {
    if time < RISING {
        // About the held end, which the cable is stretched from.
        let share = minimum_jerk(time / RISING);
        let stretched = LENGTH * (1.0 + share * (TAUT - 1.0));
        let rise = share * RISE;
        let away = (stretched * stretched - rise * rise).sqrt();
        return down(held() + Vector3::new(0.0, away, rise));
    }
    let laid = ANGLE * cruise(time - RISING, RAMP, WINDING) / (WINDING - RAMP);
    let taut = TAUT * LENGTH;
    // What is not laid down yet leaves the cylinder along its tangent.
    let free = (taut * taut - RISE * RISE).sqrt() - LAID * laid;
    let (sin, cos) = laid.sin_cos();
    down(Vector3::new(
        AT[0] + LAID * cos - free * sin,
        AT[1] + LAID * sin + free * cos,
        LOW + RISE,
    ))
}
