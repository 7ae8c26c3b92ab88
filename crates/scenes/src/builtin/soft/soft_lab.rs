//! A soft ball, a soft block, a cable and rigid parts fall into a box, where an arm stirs them.
//!
//! Everything touches everything in one solve: soft bodies each other and the arm, the cable itself. The
//! ball and the block are of rubber (100 and 50 kPa), the cable is 0.4 m of 8 mm at 1 MPa. The arm has two
//! joints and sweeps to and fro. Time step 10 ms.

use std::f64::consts::TAU;

use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{MeshError, Pattern, ball, solid_box};
use stiction_sim::deformable::rod::{Damping, Profile, Rod, RodError, RodMaterial, RodShape};
use stiction_sim::{
    Commands, Controller, Inertia, Isometry3, JointKind, Material, ModelDescription, Result,
    RigidBody, RobotHandle, RodBody, Shape, SimError, SoftBody, Tracking, Transform, Vector3,
    World,
};

use super::settings;
use crate::builtin::parts::{ball as rigid_ball, floor, solid_box as rigid_box};
use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "soft-lab",
    summary: "soft bodies, a cable and rigid parts in a box, stirred by an arm",
    build,
};

/// Half the inner side of the box, and half the thickness and height of its walls, m.
const ROOM: f64 = 0.15;
const WALL: [f64; 2] = [0.01, 0.06];
const CABLE: f64 = 0.004;

fn build(options: &Options) -> Result<Scene> {
    let mut world = options.world(settings(), "canal")?;
    let surface = Material::with_friction(0.4);
    floor(&mut world, surface)?;
    for (name, x, y) in [
        ("east", 1.0, 0.0),
        ("west", -1.0, 0.0),
        ("north", 0.0, 1.0),
        ("south", 0.0, -1.0),
    ] {
        let [thickness, height] = WALL;
        let away = ROOM + thickness;
        let wall = RigidBody::fixed(name).at_position(x * away, y * away, height);
        let wall = world.add_body(wall)?;
        let along = |at: f64| {
            if at == 0.0 {
                ROOM + 2.0 * thickness
            } else {
                thickness
            }
        };
        let half = Vector3::new(along(x), along(y), height);
        world.attach(wall, Shape::cuboid("wall", half)?, surface)?;
    }
    add_arm(&mut world, surface)?;

    let firm = SoftMaterial::corotational(1e5, 0.4, 900.0).damped(0.1, 0.005);
    let soft = SoftMaterial::corotational(5e4, 0.35, 900.0).damped(0.1, 0.005);
    let mesh = ball(0.04, 0.02).map_err(of_mesh)?;
    let body = SoftBody::new("ball", mesh, firm).touching(surface);
    world.add_soft_body(body.at(Isometry3::translation(0.06, 0.05, 0.09)))?;
    let mesh = solid_box(&Vector3::new(0.08, 0.06, 0.04), [4, 3, 2], Pattern::Five);
    let body = SoftBody::new("block", mesh.map_err(of_mesh)?, soft).touching(surface);
    world.add_soft_body(body.at(Isometry3::translation(-0.06, 0.04, 0.12)))?;
    let cable = RodBody::new("cable", cable().map_err(of_rod)?).touching(CABLE, surface);
    world.add_rod(cable)?;
    for index in 0..3 {
        let at = Vector3::new(-0.07 + 0.07 * f64::from(index), -0.07, 0.05);
        let side = Vector3::repeat(0.03);
        let name = format!("cube {index}");
        rigid_box(&mut world, &name, 0.03, side, Isometry3::from(at), surface)?;
        let at = Vector3::new(-0.07 + 0.07 * f64::from(index), 0.06, 0.2);
        rigid_ball(
            &mut world,
            &format!("ball {index}"),
            0.02,
            0.015,
            at,
            surface,
        )?;
    }
    Ok(options.scene(SCENE.name, world, 10.0))
}

fn of_mesh(error: MeshError) -> SimError {
    refuse(&error)
}

fn of_rod(error: RodError) -> SimError {
    refuse(&error)
}

fn refuse(error: &dyn std::error::Error) -> SimError {
    SimError::NotPossible {
        element: SCENE.name.to_owned(),
        reason: error.to_string(),
    }
}

/// Lies in a wave above everything.
fn cable() -> std::result::Result<Rod, RodError> {
    let curve = |at: f64| Vector3::new(0.2 * at - 0.1, 0.03 * (TAU * at).sin() - 0.02, 0.26);
    let shape = RodShape::along_curve(curve, 0.0..1.0, 41)?;
    let rubber = RodMaterial {
        young: 1e6,
        poisson: 0.49,
        density: 1200.0,
    };
    Rod::new(shape, Profile::round(CABLE, &rubber)?)?.with_damping(Damping {
        mass: 0.1,
        stiffness: 0.005,
        ..Damping::default()
    })
}

/// A mast above the middle turns, and a finger on it swings.
fn add_arm(world: &mut World, surface: Material) -> Result<()> {
    let mut model = ModelDescription::new("arm");
    model.add_body("mast", Inertia::solid_sphere(0.5, 0.03));
    model.add_body("finger", Inertia::solid_sphere(0.2, 0.05));
    let turn = JointKind::Revolute { axis: Vector3::z() };
    let swing = JointKind::Revolute { axis: Vector3::y() };
    model
        .add_joint("turn", turn, "world", "mast")
        .at(Transform::from_translation(Vector3::z() * 0.18));
    model.add_joint("swing", swing, "mast", "finger");
    let robot = world.add_robot("arm", model.build()?)?;
    let finger = world.find_body("arm/finger")?;
    let down = Isometry3::translation(0.0, 0.0, -0.08);
    world.attach_at(
        finger,
        Shape::capsule("finger", 0.06, 0.012)?,
        down,
        surface,
    )?;
    world.add_controller(Box::new(Stir { robot }));
    Ok(())
}

/// Moves the finger around and to and fro.
struct Stir {
    robot: RobotHandle,
}

impl Controller for Stir {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let time = world.time() + world.settings().time_step;
        for (dof, amplitude, rate, damping) in [(0, 1.5, 1.1, 0.3), (1, 0.7, 1.7, 0.3)] {
            let begin = (time / 1.0).min(1.0);
            let position = begin * amplitude * (rate * time).sin();
            let velocity = begin * amplitude * rate * (rate * time).cos();
            let stiffness = 6.0;
            let tracking = Tracking {
                position,
                velocity,
                stiffness,
                damping,
                feed_forward: 0.0,
            };
            commands.track(self.robot, dof, tracking)?;
        }
        Ok(())
    }
}
