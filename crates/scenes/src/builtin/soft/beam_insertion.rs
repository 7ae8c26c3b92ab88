//! A Panda pushes a rubber beam through a gap that is narrower than the beam.
//!
//! The beam is 0.05 × 0.05 × 0.5 m, 1 501 nodes, 6 912 tetrahedra, 10 MPa, ν 0.45, cut into 20 pieces;
//! its upper end is fixed to the flange, as in the paper: «total dimension is 4780» is three for each of its 1591
//! nodes and seven for the arm, which has no fingers then. Chosen here: density 1100 kg/m³ and damping; a gap of 49.6 mm between
//! two blocks that are flat over 30 mm and have slopes above; μ 0.15; the beam comes 3 mm off the middle,
//! so that the slope has to guide it, and goes down by 0.2 m in 1.6 s. Time step 10 ms.

use std::f64::consts::PI;

use stiction_control::{Arm, Reach, through};
use stiction_sim::deformable::cut::PieceSize;
use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{Pattern, solid_box};
use stiction_sim::{
    Isometry3, Material, Point3, Result, RigidBody, Shape, SoftBody, Vector3, World,
};

use super::{of_mesh, stage};
use crate::builtin::robots::panda_arm::{PANDA_JOINTS, PANDA_READY, PANDA_SERVOS};
use crate::robots::PANDA;
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "beam-insertion",
    summary: "a Panda pushes a rubber beam through a gap that is narrower than the beam",
    build,
};

/// Sides of the beam, m, its cells, and the most nodes of a piece.
const BEAM: Vector3<f64> = Vector3::new(0.05, 0.05, 0.5);
const CELLS: [usize; 3] = [4, 4, 36];
const PIECE: usize = 124;
/// From the last link's frame to the end of the beam, along the axis of the last joint, m: 5 mm off the
/// flange, which is glue.
const HOLD: f64 = 0.107 + 5e-3;
/// Where the gap is, and where the beam starts off from, m.
const GAP: Vector3<f64> = Vector3::new(0.5, 0.0, 0.1);
const OFF: f64 = 3e-3;
/// Width of the gap, half the length of its flat part, width and height of the slopes above, m.
const WIDTH: f64 = 0.0496;
const FLAT: f64 = 0.015;
const SLOPE: [f64; 2] = [0.015, 0.04];
const FRICTION: f64 = 0.15;
/// Where the beam's tip starts above the middle of the gap and where it ends, m.
const TIP: [f64; 2] = [0.06, -0.14];
/// When it arrives, s.
const ARRIVED: f64 = 1.6;

fn build(options: &Options) -> Result<Scene> {
    let stage = stage(&PANDA, SCENE.name, 1.8)?;
    let name = stage.robot_name();
    let mut scene = stage.build(options)?;
    let world = &mut scene.world;
    let surface = Material::with_friction(FRICTION);
    for (name, side) in [("left block", 1.0), ("right block", -1.0)] {
        let block = world.add_body(RigidBody::fixed(name).at(Isometry3::from(GAP)))?;
        world.attach(block, block_shape(side)?, surface)?;
    }
    let arm = Arm {
        robot: world.find_robot(&name)?,
        joints: &PANDA_JOINTS,
        near: &PANDA_READY,
        hand: "wrist_roll",
        tool: Isometry3::translation(0.0, 0.0, HOLD),
        servos: &PANDA_SERVOS,
    };
    let down = Isometry3::rotation(Vector3::x() * PI);
    let held = |tip: f64| {
        let above = Vector3::new(OFF, 0.0, tip + BEAM.z);
        Isometry3::from(GAP + above) * down
    };
    let path = through(vec![(0.0, held(TIP[0])), (ARRIVED, held(TIP[1]))]);
    let reach = Reach::along(world, &arm, scene.seconds, path)?;
    reach.start(world)?;
    world.add_controller(Box::new(reach));
    add_beam(world, &format!("{name}/wrist_roll"), held(TIP[0]))?;
    Ok(scene)
}

/// A block on one side of the gap: flat inside, sloping away above.
fn block_shape(side: f64) -> Result<Shape> {
    let inner = 0.5 * WIDTH;
    let [away, rise] = SLOPE;
    let outline = [
        [inner, -FLAT],
        [inner, FLAT],
        [inner + away, FLAT + rise],
        [inner + 2.0 * away, FLAT + rise],
        [inner + 2.0 * away, -FLAT],
    ];
    let corners = outline.iter().flat_map(|&[x, z]| {
        let half = 0.8 * BEAM.y;
        [half, -half].map(|y| Point3::new(side * x, y, z))
    });
    Ok(Shape::convex_hull("block", &corners.collect::<Vec<_>>())?)
}

/// The beam hangs from its upper end, which is at `held`.
fn add_beam(world: &mut World, wrist: &str, held: Isometry3<f64>) -> Result<()> {
    let wrist = world.find_body(wrist)?;
    let mesh = solid_box(&BEAM, CELLS, Pattern::BodyCentred);
    let mesh = mesh.map_err(|error| of_mesh(SCENE.name, &error))?;
    let rubber = SoftMaterial::corotational(1e7, 0.45, 1100.0).damped(0.1, 0.002);
    let mut beam = SoftBody::new("beam", mesh, rubber).touching(Material::with_friction(FRICTION));
    beam.pieces = PieceSize::AtMost(PIECE);
    let nodes = beam.mesh.nodes().iter().enumerate();
    let end = nodes.filter(|(_, at)| at.z < -0.499 * BEAM.z);
    beam.attached = end.map(|(node, _)| (node, wrist)).collect();
    let middle = Isometry3::translation(0.0, 0.0, 0.5 * BEAM.z);
    world.add_soft_body(beam.at(held * middle))?;
    Ok(())
}
