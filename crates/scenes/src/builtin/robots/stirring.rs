//! A Panda stirs grains in a box.
//!
//! 216 balls of 1 cm and 4 g in a box; time step 10 ms, tolerance 1e-6, solver `canal`. Chosen here: friction 0.2, a
//! box of 30 cm, in which the grains lie one and two deep, a stick of 20 cm by 16 mm on the flange, and its way: the
//! grains fall around it, and then it goes around a circle of 10 cm, an eighth of a turn a second. The arm gives way:
//! its servos have 3 % of their usual stiffness, some 400 N/m at the stick. In a box of 16 cm with friction 0.5
//! the grains lie four deep and jam between a stiff arm and the walls, and most steps end above 1e-6 with every solver. Here
//! one in twenty still does.

use std::f64::consts::PI;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_control::{Arm, Reach, Servo};
use stiction_sim::{Isometry3, Material, Result, Vector3, World};

use super::cruise::cruise;
use super::panda_arm::{PANDA_JOINTS, PANDA_READY, PANDA_SERVOS};
use super::stage::Stage;
use super::stick::{Stick, WRIST};
use crate::builtin::parts::{ball, floor, open_box};
use crate::robots::PANDA;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "stirring",
    summary: "a Panda stirs 216 grains in a box",
    build,
};

const STICK: Stick = Stick {
    length: 0.2,
    radius: 0.008,
    mass: 0.1,
};
/// Middle of the box on the floor; half its inner side, height and thickness of its walls, m.
const MIDDLE: [f64; 2] = [0.5, 0.0];
const HALF: f64 = 0.15;
const HEIGHT: f64 = 0.12;
const THICKNESS: f64 = 0.02;
/// Grains, and how many side by side they fall from; their radius, m, and mass, kg.
const GRAINS: usize = 216;
const EDGE: usize = 12;
const RADIUS: f64 = 0.01;
const MASS: f64 = 0.004;
const FRICTION: f64 = 0.2;
/// Part of the usual stiffness and damping of the arm's servos.
const GIVING: f64 = 0.03;
/// A step that resists ends here; most need some hundred.
const MOST_ITERATIONS: usize = 1500;
/// Height of the stick's end, m: so low that no grain is wedged under it; it goes around from this time on, s, on this circle, m, at this rate, rad/s.
const LOW: f64 = 0.002;
const START: f64 = 0.5;
const CIRCLE: f64 = 0.1;
const RATE: f64 = 0.785;
const SECONDS: f64 = 6.0;

fn build(options: &Options) -> Result<Scene> {
    with_grains(options, GRAINS)
}

/// The scene with another number of grains; walls grow with what they hold.
pub(in crate::builtin) fn with_grains(options: &Options, grains: usize) -> Result<Scene> {
    let mut stage = Stage::new(&PANDA, SCENE.name, SECONDS)?;
    stage.drop_actuators();
    STICK.mount(&mut stage)?;
    let settings = stage.settings();
    settings.time_step = Some(0.01);
    settings.tolerance = Some(1e-6);
    settings.max_iterations = Some(MOST_ITERATIONS);
    settings.contact_margin = Some(2e-4);
    settings.solver = Some("canal".to_owned());
    let name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    let surface = Material::with_friction(FRICTION);
    floor(world, surface)?;
    let middle = Vector3::new(MIDDLE[0], MIDDLE[1], 0.0);
    let height = HEIGHT * (grains as f64 / GRAINS as f64).max(1.0);
    open_box(world, middle, [HALF, height, THICKNESS], surface)?;
    let servos =
        PANDA_SERVOS.map(|servo| Servo::new(GIVING * servo.stiffness, GIVING * servo.damping));
    let arm = Arm {
        robot: world.find_robot(&name)?,
        joints: &PANDA_JOINTS,
        near: &PANDA_READY,
        hand: WRIST,
        tool: STICK.end(),
        servos: &servos,
    };
    let reach = Reach::along(world, &arm, scene.seconds, path)?;
    reach.start(world)?;
    world.add_controller(Box::new(reach));
    pour(world, options.seed, grains, surface)?;
    Ok(scene)
}

/// Grains on a grid, each a little aside, but for where the stick is.
fn pour(world: &mut World, seed: u64, grains: usize, surface: Material) -> Result<()> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut aside = move || random.random_range(-5e-4..5e-4);
    let spacing = 2.2 * RADIUS;
    let along = |index: usize| (index as f64 - 0.5 * (EDGE - 1) as f64) * spacing;
    let mut number = 0;
    for place in 0.. {
        let (layer, row, column) = (place / (EDGE * EDGE), place / EDGE % EDGE, place % EDGE);
        let (x, y) = (along(column), along(row));
        if (x - CIRCLE).hypot(y) < 1.1 * (RADIUS + STICK.radius) {
            continue;
        }
        let at = Vector3::new(
            MIDDLE[0] + x + aside(),
            MIDDLE[1] + y + aside(),
            1.1 * RADIUS + spacing * layer as f64 + aside(),
        );
        ball(world, &format!("grain {number}"), MASS, RADIUS, at, surface)?;
        number += 1;
        if number == grains {
            break;
        }
    }
    Ok(())
}

/// Where the end of the stick is, pointing down.
fn path(time: f64) -> Isometry3<f64> {
    let angle = RATE * cruise(time - START, 1.0, f64::INFINITY);
    let (sin, cos) = angle.sin_cos();
    let at = Vector3::new(MIDDLE[0] + CIRCLE * cos, MIDDLE[1] + CIRCLE * sin, LOW);
    Isometry3::new(at, Vector3::x() * PI)
}
