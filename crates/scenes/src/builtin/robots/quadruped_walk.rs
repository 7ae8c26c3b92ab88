//! A quadruped of 25 kg walks at the velocity that it is told, by convex model-predictive control.
//!
//! Chosen here: a trot, friction 0.9 on flat ground and 0.6 on bumps. The bumps are ±20 mm over half a metre, the
//! sum of two waves across each other; the robot does not know them.

use std::f64::consts::TAU;

use stiction_control::walking::{LegNames, Walker, WalkerSettings};
use stiction_control::{Servo, minimum_jerk};
use stiction_sim::collision::shape::HeightField;
use stiction_sim::{Isometry3, Material, Result, RigidBody, Shape, World};

use super::stage::Stage;
use crate::builtin::parts::floor;
use crate::robots::LAIKAGO;
use crate::scene::{Options, Scene, SceneInfo};
use crate::tasks::Walking;

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "quadruped-walk",
    summary: "a Laikago trots at the commanded velocity (--velocity), led by model-predictive control",
    build: build_flat,
};
pub(in crate::builtin) const BUMPY: SceneInfo = SceneInfo {
    name: "quadruped-walk-bumpy",
    summary: "a Laikago trots over bumps of ±20 mm that it does not know",
    build: build_bumpy,
};

/// Forwards and to the left, m/s, and turning to the left, rad/s, where nobody says otherwise.
const VELOCITY: [f64; 3] = [0.5, 0.0, 0.0];
/// When the robot begins to walk, and how long it takes to its full speed, s.
const START: f64 = 0.3;
const RISING: f64 = 1.0;
/// Largest error of the mean velocity as a share of it, on flat ground and on bumps.
const CLOSE: f64 = 0.1;
const CLOSE_ON_BUMPS: f64 = 0.3;
/// Angle of the thigh, rad; the knee bends twice as much, so that the foot stays below the hip.
const THIGH: f64 = 0.75;
/// Length of thigh and of calf, and radius of the foot, m.
const LEG: f64 = 0.25;
const FOOT: f64 = 0.0265;
/// Of joints of swinging legs.
const SWING: Servo = Servo::new(300.0, 8.0);
const LEGS: [&str; 4] = ["front_right", "front_left", "rear_right", "rear_left"];
/// Height of the bumps and length of their waves, m; side of the ground and distance of its samples, m.
const BUMP: f64 = 0.02;
const WAVE: f64 = 0.5;
const SIDE: f64 = 16.0;
const CELL: f64 = 0.05;

/// Ground that a quadruped walks over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalkingGround {
    /// Coefficient of friction under its feet.
    pub friction: f64,
    /// Bumps rise by this above the ground's middle and sink by it, m; 0 is flat.
    pub bump: f64,
    /// Length of their waves, m.
    pub wave: f64,
}

impl WalkingGround {
    /// Flat ground.
    pub fn flat(friction: f64) -> Self {
        Self {
            friction,
            bump: 0.0,
            wave: WAVE,
        }
    }

    fn lay(&self, world: &mut World) -> Result<()> {
        if self.bump == 0.0 {
            floor(world, Material::with_friction(self.friction))?;
            return Ok(());
        }
        bumps(world, self)
    }
}

fn build_flat(options: &Options) -> Result<Scene> {
    build(SCENE.name, options, &WalkingGround::flat(0.9))
}

fn build_bumpy(options: &Options) -> Result<Scene> {
    let ground = WalkingGround {
        friction: 0.6,
        bump: BUMP,
        wave: WAVE,
    };
    build(BUMPY.name, options, &ground)
}

/// Either scene on other ground.
pub(in crate::builtin) fn on(options: &Options, ground: &WalkingGround) -> Result<Scene> {
    let is_flat = ground.bump == 0.0;
    let name = if is_flat { SCENE.name } else { BUMPY.name };
    build(name, options, ground)
}

/// Ground of bumps, flat where the robot starts.
fn bumps(world: &mut World, ground: &WalkingGround) -> Result<()> {
    let &WalkingGround {
        friction,
        bump: height,
        wave,
    } = ground;
    let count = (SIDE / CELL) as usize + 1;
    let at = |index: usize| index as f64 * CELL - 0.5 * SIDE;
    let mut heights = Vec::with_capacity(count * count);
    for row in 0..count {
        for column in 0..count {
            let (x, y) = (at(column), at(row));
            let rises = minimum_jerk((x.hypot(y) - 0.6) / 0.4);
            let wave = 0.5 * ((TAU * x / wave).sin() + (TAU * y / wave).sin());
            heights.push(height * rises * wave);
        }
    }
    let field = HeightField {
        n_x: count,
        n_y: count,
        spacing: (CELL, CELL),
        heights,
    };
    let body = world.add_body(RigidBody::fixed("ground"))?;
    let material = Material::with_friction(friction);
    world.attach(body, Shape::height_field("bumps", &field)?, material)
}

fn build(name: &str, options: &Options, ground: &WalkingGround) -> Result<Scene> {
    let friction = ground.friction;
    let close = if ground.bump == 0.0 {
        CLOSE
    } else {
        CLOSE_ON_BUMPS
    };
    let mut stage = Stage::new(&LAIKAGO, name, 10.0)?;
    for leg in LEGS {
        stage.start(&format!("{leg}_flexion"), THIGH)?;
        stage.start(&format!("{leg}_knee"), -2.0 * THIGH)?;
    }
    stage.cover("rubber", Material::with_friction(friction))?;
    stage.settings().tolerance = Some(1e-6);
    let standing = 2.0 * LEG * THIGH.cos() + FOOT;
    stage.place(Isometry3::translation(0.0, 0.0, standing))?;
    let robot_name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    ground.lay(world)?;
    let velocity = options.velocity.unwrap_or(VELOCITY);
    let command = move |time: f64| {
        let risen = minimum_jerk((time - START) / RISING);
        velocity.map(|velocity| risen * velocity)
    };
    let names = LEGS
        .map(|leg| ["abduction", "flexion", "knee", "foot"].map(|part| format!("{leg}_{part}")));
    let legs = names
        .each_ref()
        .map(|[abduction, flexion, knee, foot]| LegNames {
            joints: [abduction, flexion, knee],
            foot,
        });
    let robot = world.find_robot(&robot_name)?;
    // Less than there is, so that a foot seldom slips.
    let settings = WalkerSettings::trot(2.0 * LEG * THIGH.cos(), 0.7 * friction, SWING);
    let walker = Walker::new(world, robot, &legs, settings, command)?;
    world.add_controller(Box::new(walker));
    let trunk = world.find_body(&format!("{robot_name}/trunk"))?;
    let task = Walking::new(trunk, velocity, close, START + RISING + 0.2);
    scene.task = Some(Box::new(task));
    Ok(scene)
}
