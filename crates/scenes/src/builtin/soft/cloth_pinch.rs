//! A thin sheet hangs in a pinch, and is pulled down harder and harder until it slips.
//!
//! Two pads press on the sheet with a force N from both sides: it holds up to 2 μ N and slips beyond. The
//! sheet is 4 mm thick rubber of 1 MPa; its lower edge is glued to a bar that is pulled with a force that
//! grows by 4 N/s. With μ = 0.5 and N = 10 N it slips when weight and pull come to 10 N. Time step 10 ms.

use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{MeshError, Pattern, solid_box};
use stiction_sim::{
    BodyHandle, Commands, Controller, Inertia, Isometry3, JointKind, Material, ModelDescription,
    Result, RigidBody, Settings, Shape, SimError, SoftBody, Transform, Vector3, World,
};

use crate::scene::{Options, Scene, SceneInfo};

pub(in crate::builtin) const SCENE: SceneInfo = SceneInfo {
    name: "cloth-pinch",
    summary: "a thin sheet is held between two pads and pulled until it slips",
    build,
};

/// Width, thickness and height of the sheet, m, and its cells.
const SHEET: Vector3<f64> = Vector3::new(0.06, 0.004, 0.1);
const CELLS: [usize; 3] = [9, 1, 15];
/// Half sides of a pad, m, and the force that it presses with, N.
const PAD: Vector3<f64> = Vector3::new(0.04, 0.01, 0.02);
const PRESS: f64 = 10.0;
const FRICTION: f64 = 0.5;
/// How fast the pull grows, N/s, after the sheet has settled, s.
const RATE: f64 = 4.0;
const SETTLED: f64 = 0.5;
/// Mass of the bar, kg.
const BAR: f64 = 0.05;

fn build(options: &Options) -> Result<Scene> {
    let settings = Settings {
        time_step: 0.01,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let surface = Material::with_friction(FRICTION);
    // The upper part of the sheet is between the pads. They are wider than it, so that none of its nodes
    // lies on an edge, where the direction of contact is not given.
    let height = 0.5 * SHEET.z - PAD.z + 3e-3;
    let aside = 0.5 * SHEET.y + PAD.y;
    let pad = |side: f64| Isometry3::translation(0.0, side * aside, height);
    let still = world.add_body(RigidBody::fixed("still pad").at(pad(-1.0)))?;
    world.attach(still, Shape::cuboid("pad", PAD)?, surface)?;
    let mut model = ModelDescription::new("press");
    model.add_body("pad", Inertia::solid_box(0.1, 2.0 * PAD));
    let rail = JointKind::Prismatic { axis: Vector3::y() };
    model
        .add_joint("rail", rail, "world", "pad")
        .at(Transform::from_translation(pad(1.0).translation.vector));
    let press = world.add_robot("press", model.build()?)?;
    let pressed = world.find_body("press/pad")?;
    world.attach(pressed, Shape::cuboid("pad", PAD)?, surface)?;
    world.commands().set_torque(press, 0, -PRESS)?;

    let bar = Isometry3::translation(0.0, 0.0, -0.5 * SHEET.z);
    let sides = Vector3::new(SHEET.x, 0.01, 0.01);
    let bar = world.add_body(RigidBody::free("bar", Inertia::solid_box(BAR, sides)).at(bar))?;
    world.attach_visual(
        bar,
        Shape::cuboid("bar", sides / 2.0)?,
        Isometry3::identity(),
        None,
    )?;

    let mesh = solid_box(&SHEET, CELLS, Pattern::Five).map_err(refuse)?;
    let rubber = SoftMaterial::corotational(1e6, 0.4, 1000.0).damped(0.0, 0.005);
    let mut sheet = SoftBody::new("sheet", mesh, rubber).touching(surface);
    let nodes = sheet.mesh.nodes().iter().enumerate();
    let lower = nodes.filter(|(_, at)| at.z < -0.499 * SHEET.z);
    sheet.attached = lower.map(|(node, _)| (node, bar)).collect();
    world.add_soft_body(sheet)?;
    world.add_controller(Box::new(Pull { bar }));
    Ok(options.scene(SCENE.name, world, 4.0))
}

fn refuse(error: MeshError) -> SimError {
    SimError::NotPossible {
        element: SCENE.name.to_owned(),
        reason: error.to_string(),
    }
}

/// Pulls the bar.
struct Pull {
    bar: BodyHandle,
}

impl Controller for Pull {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let pull = RATE * (world.time() - SETTLED).max(0.0);
        commands.push(self.bar, Vector3::z() * -pull, Vector3::zeros())
    }
}
