//! A rope is pulled over a drum that it is wound around, and lifts a weight.
//!
//! While the rope slides, Euler and Eytelwein's T₁/T₀ = e^{kΘ} holds, with k < μ because friction acts on
//! the drum and tension in the middle of the rope: a μ k² + k − μ (1 − a) = 0, a = r/(R + r). The rope is
//! thin and limp enough for it: r/R 1 %, EI/(T₀ρ²) 0.8 %. Turns (one and a half by default) at 40 links each
//! touch the drum with the middles of the straight pieces between their links, so that links are a little
//! farther out; time step 10 ms; the rope is pulled at 5 mm/s. Sensors read the tension at both ends.

use std::f64::consts::{PI, TAU};

use stiction_sim::deformable::rod::{Damping, Profile, Rod, RodError, RodShape, Stiffness};
use stiction_sim::{
    BodyHandle, Commands, Controller, Inertia, Isometry3, Material, Result, RigidBody, RodBody,
    Sensor, SensorKind, Settings, Shape, SimError, Vector3, World,
};

use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "capstan",
    summary: "a rope is pulled over a drum, one and a half turns, and lifts a weight",
    build: |options| of(options, 1.5, 0.3),
};

/// Radii of drum and rope, m, and how far one turn lies from the next.
const DRUM: f64 = 0.05;
const ROPE: f64 = 5e-4;
const PITCH: f64 = 2e-3;
/// By how much the drum is longer at both ends, m.
const BEYOND: f64 = 0.015;
/// EA and kGA, N: four hundred times the weight hardly stretches it.
const STRETCH: f64 = 1e5;
const SHEAR: f64 = 3e4;
/// Links of a turn, and of each straight end.
const LINKS: usize = 40;
const END: usize = 12;
/// Most links around the drum.
const MOST_LINKS: f64 = 400.0;
const SECONDS: f64 = 4.0;
/// Tension of the end with the weight, N.
const TENSION: f64 = 1.0;
/// Speed of the other end, m/s, reached in this time, s.
const SPEED: f64 = 5e-3;
const RISE: f64 = 0.2;

/// The scene with other turns and another friction coefficient of rope and drum.
pub(in crate::builtin) fn of(options: &Options, turns: f64, friction: f64) -> Result<Scene> {
    let around = turns * LINKS as f64;
    if !(1.0..=MOST_LINKS).contains(&around) {
        return Err(refuse(&format!(
            "cannot be wound {turns} times around: from one link of {LINKS} a turn to {MOST_LINKS}"
        )));
    }
    let around = around.round() as usize;
    let settings = Settings {
        time_step: 0.01,
        contact_margin: 1e-4,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let surface = Material::with_friction(friction);
    let along_y = Vector3::x() * (0.5 * PI);
    let drum = RigidBody::fixed("drum").at(Isometry3::new(Vector3::zeros(), along_y));
    let drum = world.add_body(drum)?;
    let half = 0.5 * PITCH * turns + BEYOND;
    world.attach(drum, Shape::cylinder("drum", half, DRUM)?, surface)?;

    let points = path(around);
    let last = points.len() - 1;
    let weight = Inertia::solid_sphere(TENSION / settings_gravity(&world), 0.01);
    let weight =
        world.add_body(RigidBody::free("weight", weight).at(Isometry3::from(points[0])))?;
    let hand = RigidBody::driven("hand").at(Isometry3::from(points[last]));
    let hand = world.add_body(hand)?;
    let rope = RodBody {
        poses: RodShape::along_points(&points)
            .map_err(|error| refuse(&error))?
            .poses,
        ..RodBody::new("rope", rope(&points).map_err(|error| refuse(&error))?)
    };
    let rope = rope.touching(ROPE, surface);
    let rod = world.add_rod(rope.fixed_to(0, weight).fixed_to(last, hand))?;
    for (name, joint) in [("slack end", 4), ("tight end", last - 5)] {
        world.add_sensor(Sensor::new(name, SensorKind::RodForce { rod, joint }))?;
    }
    let along = (points[last] - points[last - 1]).normalize();
    world.add_controller(Box::new(Hand { hand, along }));
    Ok(options.scene(SCENE.name, world, SECONDS))
}

fn settings_gravity(world: &World) -> f64 {
    world.settings().gravity.norm()
}

fn refuse(error: &impl ToString) -> SimError {
    SimError::NotPossible {
        element: SCENE.name.to_owned(),
        reason: error.to_string(),
    }
}

/// Where the links are: up on the left, around, down on the right.
fn path(around: usize) -> Vec<Vector3<f64>> {
    let step = TAU / LINKS as f64;
    let end = step * around as f64;
    // Straight pieces touch the drum with their middles, the first and the last one at angles 0 and `end`.
    let out = (DRUM + ROPE) / (0.5 * step).cos();
    let on_drum = |at: f64| {
        let (sin, cos) = at.sin_cos();
        Vector3::new(-out * cos, PITCH * (at - 0.5 * end) / TAU, out * sin)
    };
    let spacing = 2.0 * out * (0.5 * step).sin();
    let away = |at: f64, sense: f64, links: usize| {
        let (sin, cos) = at.sin_cos();
        let along = Vector3::new(sin, 0.0, cos) * sense;
        on_drum(at + 0.5 * step * -sense) + along * (spacing * links as f64)
    };
    let left = (1..=END).rev().map(|links| away(0.0, -1.0, links));
    let middle = (0..around).map(|link| on_drum(step * (link as f64 + 0.5)));
    let right = (1..=END).map(|links| away(end, 1.0, links));
    left.chain(middle).chain(right).collect()
}

/// A straight rope, limp but hardly extensible.
fn rope(points: &[Vector3<f64>]) -> std::result::Result<Rod, RodError> {
    let length = points
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).norm())
        .sum();
    let end = Vector3::new(length, 0.0, 0.0);
    let shape = RodShape::straight(Vector3::zeros(), end, points.len())?;
    let profile = Profile {
        stiffness: Stiffness {
            shear: [SHEAR; 2],
            stretch: STRETCH,
            bend: [2e-5; 2],
            twist: 2e-5,
        },
        mass_per_length: 1e-3,
        rotary_inertia: [1e-9; 2],
    };
    Rod::new(shape, profile)?.with_damping(Damping {
        mass: 1.0,
        stiffness: 0.01,
        ..Damping::default()
    })
}

/// Pulls its end down.
struct Hand {
    hand: BodyHandle,
    /// Direction of the end.
    along: Vector3<f64>,
}

impl Controller for Hand {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let speed = SPEED * (world.time() / RISE).min(1.0);
        commands.drive(self.hand, self.along * speed, Vector3::zeros())
    }
}
