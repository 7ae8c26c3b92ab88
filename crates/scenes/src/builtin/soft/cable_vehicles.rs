//! Two vehicles with arms carry a cable between them and wind it around a pillar.
//!
//! The cable: 1.2 m, diameter 8 mm, Young's modulus 0.1 MPa, Poisson's ratio 0.49, 640 links in 160 pieces;
//! it touches itself. A vehicle has ten degrees of freedom: three of its chassis in the plane, two wheels
//! that roll without slipping, five joints of its arm. Time step 10 ms, tolerance 1e-6. Chosen here: density
//! 1000 kg/m³, friction 0.5, the cable's damping, the vehicles, the pillar (radius 50 mm) and the way: side
//! by side until the cable lies against the pillar, then past it and towards each other, so that the two
//! hands, one above the other, change sides behind it.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3};

use stiction_sim::deformable::rod::{Damping, Profile, Rod, RodError, RodMaterial, RodShape};
use stiction_sim::{
    Commands, Controller, Material, Result, RigidBody, RodBody, Settings, Shape, SimError, Vector3,
    World,
};

use super::arc::hanging;
use super::vehicle::Vehicle;
use crate::builtin::parts::floor;
use crate::builtin::robots::reach::eased;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "cable-vehicles",
    summary: "two vehicles with arms carry a cable of 640 links and wind it around a pillar",
    build,
};

/// Length and radius of the cable, m.
const LENGTH: f64 = 1.2;
const CABLE: f64 = 0.004;
const LINKS: usize = 640;
/// Pieces share a link: four joints each, 160 of them.
const LINKS_PER_PIECE: usize = 5;
/// Each vehicle is this far from the middle line, m.
const LANE: f64 = 0.5;
/// Arms of the left and the right vehicle, the left one higher, rad: the hand points ahead.
const POSTURES: [[f64; 5]; 2] = [posture(0.1, 0.9), posture(0.4, 0.9)];
/// Radius and height of the pillar, and how far ahead it stands, m.
const PILLAR: f64 = 0.05;
const HEIGHT: f64 = 1.0;
const AHEAD: f64 = 1.2;
/// Way until the turn begins, over which the curvature rises, and radius of the turn, m; how far they turn,
/// rad; how long it takes, s.
const STRAIGHT: f64 = 1.0;
const ENTRY: f64 = 0.1;
const TURN: f64 = 0.5;
const HEADING: f64 = FRAC_PI_3;
const DRIVING: f64 = 8.0;
const SECONDS: f64 = 9.0;

const fn posture(lift: f64, elbow: f64) -> [f64; 5] {
    [0.0, lift, elbow, FRAC_PI_2 - lift - elbow, 0.0]
}

fn build(options: &Options) -> Result<Scene> {
    with_links(options, LINKS, LINKS_PER_PIECE)
}

/// The scene with another number of links of the same cable, and another cut.
pub(in crate::builtin) fn with_links(
    options: &Options,
    links: usize,
    links_per_piece: usize,
) -> Result<Scene> {
    let settings = Settings {
        time_step: 0.01,
        tolerance: 1e-6,
        contact_margin: 5e-4,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let surface = Material::with_friction(0.5);
    let floor = floor(&mut world, surface)?;
    let pillar = RigidBody::fixed("pillar").at_position(AHEAD, 0.0, 0.5 * HEIGHT);
    let pillar = world.add_body(pillar)?;
    let shape = Shape::cylinder("pillar", 0.5 * HEIGHT, PILLAR)?;
    world.attach(pillar, shape, surface)?;
    let mut add = |name: &str, lane: f64, posture: [f64; 5]| {
        Vehicle::add(&mut world, name, floor, [0.0, lane], posture, surface)
    };
    let left = add("left", LANE, POSTURES[0])?;
    let right = add("right", -LANE, POSTURES[1])?;
    let refuse = |error: RodError| SimError::NotPossible {
        element: SCENE.name.to_owned(),
        reason: error.to_string(),
    };
    let [from, to] = [&right, &left].map(|vehicle| world.pose(vehicle.hand));
    let ends = [from?, to?].map(|hand| {
        // Past the round end of the hand.
        let end = hand * Vehicle::end();
        end.translation.vector + end.rotation * Vector3::z() * (2.0 * CABLE)
    });
    let shape = RodShape::along_points(&between(ends, links)).map_err(refuse)?;
    let cable = RodBody {
        links_per_piece: Some(links_per_piece),
        poses: shape.poses,
        ..RodBody::new("cable", cable(links).map_err(refuse)?)
    };
    let cable = cable.touching(CABLE, surface);
    world.add_rod(cable.fixed_to(0, right.hand).fixed_to(links - 1, left.hand))?;
    world.add_controller(Box::new(Convoy { left, right }));
    Ok(options.scene(SCENE.name, world, SECONDS))
}

/// An arc that hangs between two points.
fn between([from, to]: [Vector3<f64>; 2], links: usize) -> Vec<Vector3<f64>> {
    let span = to - from;
    let middle = 0.5 * (from + to);
    let arc = hanging(LENGTH, span.norm(), links);
    let along = span.normalize();
    let points = arc.into_iter();
    points
        .map(|point| middle + along * point.x + Vector3::z() * point.z)
        .collect()
}

fn cable(links: usize) -> std::result::Result<Rod, RodError> {
    let end = Vector3::new(LENGTH, 0.0, 0.0);
    let shape = RodShape::straight(Vector3::zeros(), end, links)?;
    let rubber = RodMaterial {
        young: 1e5,
        poisson: 0.49,
        density: 1000.0,
    };
    Rod::new(shape, Profile::round(CABLE, &rubber)?)?.with_damping(Damping {
        mass: 1.0,
        stiffness: 0.01,
        ..Damping::default()
    })
}

/// Leads both vehicles, each the mirror image of the other.
struct Convoy {
    left: Vehicle,
    right: Vehicle,
}

impl Controller for Convoy {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let dt = world.settings().time_step;
        let [(before, turned), (way, heading)] = [world.time(), world.time() + dt].map(motion);
        let (speed, rate) = ((way - before) / dt, (heading - turned) / dt);
        for (vehicle, sense, posture) in [
            (&self.left, -1.0, POSTURES[0]),
            (&self.right, 1.0, POSTURES[1]),
        ] {
            vehicle.drive(commands, [way, speed], [sense * heading, sense * rate])?;
            vehicle.hold(commands, posture)?;
        }
        Ok(())
    }
}

/// Way gone (m) and angle turned (rad) at a time (s).
fn motion(time: f64) -> (f64, f64) {
    let whole = STRAIGHT + 0.5 * ENTRY + TURN * HEADING;
    let way = whole * eased(time / DRIVING);
    // The curvature rises linearly over the entry.
    let inside = (way - STRAIGHT).max(0.0);
    let heading = match inside < ENTRY {
        true => 0.5 * inside * inside / (ENTRY * TURN),
        false => (inside - 0.5 * ENTRY) / TURN,
    };
    (way, heading)
}
