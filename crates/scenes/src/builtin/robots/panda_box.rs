//! A Panda carries a box on a plate while its joints wander at random.

use std::f64::consts::TAU;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_io::scene_file::{
    InertiaDescription, LinkDescription, MassDescription, RobotJointDescription, ShapeDescription,
    ShapeKind,
};
use stiction_sim::{
    Commands, Controller, DofProperties, Groups, Inertia, Isometry3, JointKind, Material, Result,
    RobotHandle, Tracking, Vector3, World,
};

use super::stage::Stage;
use crate::builtin::parts::{floor, solid_box};
use crate::robots::PANDA;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "panda-box",
    summary: "a Panda carries a 0.5 kg box on a plate while its joints wander at random",
    build,
};

/// Where the arm holds the plate level, rad; joint 6 is close to its limit of 3.7525 rad.
const LEVEL: [f64; 7] = [0.0, -0.6, 0.0, -1.1, 0.0, 3.6416, 0.0];
/// Stiffness (N·m/rad) and damping (N·m·s/rad) of each servo.
const GAINS: [[f64; 2]; 7] = [
    [4500.0, 450.0],
    [4500.0, 450.0],
    [3500.0, 350.0],
    [3500.0, 350.0],
    [2000.0, 200.0],
    [2000.0, 200.0],
    [2000.0, 200.0],
];
/// Sides of the plate and of the box, m, and what they weigh, kg.
const PLATE: [f64; 3] = [0.2, 0.2, 0.01];
const PLATE_MASS: f64 = 0.3;
const BOX_SIDE: f64 = 0.1;
const BOX_MASS: f64 = 0.5;
/// The flange is this far along the axis of the last joint, m.
const FLANGE: f64 = 0.107;

fn build(options: &Options) -> Result<Scene> {
    let mut stage = Stage::new(&PANDA, SCENE.name, 8.0)?;
    stage.drop_actuators();
    for (index, position) in LEVEL.into_iter().enumerate() {
        stage.start(&format!("joint{}", index + 1), position)?;
    }
    mount_plate(&mut stage)?;
    let name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    floor(world, Material::default())?;
    let robot = world.find_robot(&name)?;
    let wander = Wander::new(world, robot, options.seed)?;
    world.add_controller(Box::new(wander));
    let wrist = world.pose(world.find_body(&format!("{name}/wrist_roll"))?)?;
    let above = Isometry3::translation(0.0, 0.0, FLANGE + PLATE[2] + 0.5 * BOX_SIDE);
    solid_box(
        world,
        "box",
        BOX_MASS,
        Vector3::repeat(BOX_SIDE),
        wrist * above,
        Material::with_friction(0.5),
    )?;
    Ok(scene)
}

/// Puts a plate on the flange.
fn mount_plate(stage: &mut Stage) -> Result<()> {
    let sides = Vector3::from(PLATE);
    let robot = stage.robot()?;
    robot.links.push(LinkDescription {
        name: "plate".to_owned(),
        mass: Some(MassDescription::Inertia(InertiaDescription::from(
            Inertia::solid_box(PLATE_MASS, sides),
        ))),
        gravity_compensation: 0.0,
        shapes: vec![ShapeDescription {
            name: "plate".to_owned(),
            kind: ShapeKind::Box { size: sides },
            pose: Isometry3::identity(),
            material: None,
            groups: Groups::default(),
            visual_only: false,
            color: None,
        }],
    });
    robot.joints.push(RobotJointDescription {
        name: "plate".to_owned(),
        kind: JointKind::Fixed,
        parent: "wrist_roll".to_owned(),
        child: "plate".to_owned(),
        pose: Isometry3::translation(0.0, 0.0, FLANGE + 0.5 * PLATE[2]),
        properties: DofProperties::default(),
        initial: Vec::new(),
        initial_velocity: Vec::new(),
    });
    Ok(())
}

/// Three random sinusoids per joint, which begin at rest where the joint is.
struct Wander {
    robot: RobotHandle,
    dofs: [usize; 7],
    /// Amplitude (rad) and angular frequency (rad/s).
    waves: [[[f64; 2]; 3]; 7],
}

impl Wander {
    fn new(world: &World, robot: RobotHandle, seed: u64) -> Result<Self> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut dofs = [0; 7];
        for (index, dof) in dofs.iter_mut().enumerate() {
            *dof = world.dof(robot, &format!("joint{}", index + 1))?;
        }
        let waves = std::array::from_fn(|joint| {
            std::array::from_fn(|_| {
                // The joints that tilt the plate move less than those that turn it.
                let most = if joint == 0 || joint == 6 { 0.2 } else { 0.05 };
                let amplitude: f64 = random.random_range(0.3..1.0);
                let sign = if random.random_bool(0.5) { 1.0 } else { -1.0 };
                [sign * most * amplitude, TAU * random.random_range(0.1..0.7)]
            })
        });
        Ok(Self { robot, dofs, waves })
    }
}

impl Controller for Wander {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let time = world.time() + world.settings().time_step;
        for (joint, waves) in self.waves.iter().enumerate() {
            let (mut position, mut velocity) = (LEVEL[joint], 0.0);
            for [amplitude, rate] in waves {
                position += amplitude * (1.0 - (rate * time).cos());
                velocity += amplitude * rate * (rate * time).sin();
            }
            let [stiffness, damping] = GAINS[joint];
            commands.track(
                self.robot,
                self.dofs[joint],
                Tracking {
                    position,
                    velocity,
                    stiffness,
                    damping,
                    feed_forward: 0.0,
                },
            )?;
        }
        Ok(())
    }
}
