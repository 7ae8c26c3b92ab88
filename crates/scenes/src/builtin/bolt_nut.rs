//! A nut is driven onto an M48 bolt by a torque about its axis.
//!
//! The bolt's thread is the exact one, or a network that has learnt it.

use stiction_sim::sdf::{MetricThread, NutSdf, ThreadEnd};
use stiction_sim::{
    BodyHandle, Commands, Controller, Isometry3, Material, Result, RigidBody, Settings, Shape,
    UnitQuaternion, Vector3, World, uniform_inertia,
};

use super::parts::{Thread, m48_bolt};
use crate::scene::{Options, Scene, SceneInfo};
use crate::tasks::{NutPlace, Threading};

pub(super) const SCENE: SceneInfo = SceneInfo {
    name: "bolt-nut",
    summary: "a nut is driven down an M48 bolt by a wrench, through a 0.2 mm clearance",
    build: build_exact,
};
pub(super) const NEURAL: SceneInfo = SceneInfo {
    name: "bolt-nut-neural",
    summary: "the same, with a bolt whose thread is a network",
    build: build_neural,
};

/// Length of the bolt and height at which the nut starts, m.
const LENGTH: f64 = 0.12;
const START: f64 = 0.06;
const CLEARANCE: f64 = 2e-4;

fn build_exact(options: &Options) -> Result<Scene> {
    build(SCENE.name, options, Thread::Exact)
}

fn build_neural(options: &Options) -> Result<Scene> {
    build(NEURAL.name, options, Thread::Neural)
}

fn build(name: &str, options: &Options, kind: Thread) -> Result<Scene> {
    let settings = Settings {
        contact_margin: 2e-4,
        tolerance: 1e-6,
        ..Settings::default()
    };
    let mut world = options.world(settings, "canal")?;
    let steel = Material::with_friction(0.15);
    let thread = MetricThread::coarse(48)?;
    let nut = NutSdf::new(thread, 0.038, 0.075, CLEARANCE, ThreadEnd::Chamfered)?;
    let fixed = world.add_body(RigidBody::fixed("bolt").colored(0.62, 0.64, 0.68))?;
    world.attach(fixed, m48_bolt(LENGTH, kind)?, steel)?;
    let shape = Shape::nut("thread", nut, 4e-3)?;
    let inertia = uniform_inertia(&shape, 0.9)?;
    // Turned by as much as it would have been on its way there.
    let angle = START / thread.lead();
    let pose = Isometry3::from_parts(
        Vector3::new(0.0, 0.0, START).into(),
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle),
    );
    let body = world.add_body(
        RigidBody::free("nut", inertia)
            .at(pose)
            .colored(0.85, 0.65, 0.3),
    )?;
    world.attach(body, shape, steel)?;
    let axial = inertia.about_com().to_matrix()[(2, 2)];
    world.add_controller(Box::new(Spanner { nut: body, axial }));
    let mut scene = options.scene(name, world, 2.0);
    // A turn at least.
    let sizes = [CLEARANCE, LENGTH, START - thread.pitch()];
    let task = Threading::new(NutPlace::Body(body), fixed, &thread, sizes);
    scene.task = Some(Box::new(task));
    Ok(scene)
}

/// Turns the nut at a steady rate with a limited torque.
struct Spanner {
    nut: BodyHandle,
    /// Inertia of the nut about its axis, kg·m².
    axial: f64,
}

/// Wanted angular velocity (rad/s), gain (N·m·s/rad) and largest torque (N·m).
const RATE: f64 = -6.0;
const GAIN: f64 = 0.5;
const LARGEST: f64 = 2.0;

impl Controller for Spanner {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let rate = world.velocity(self.nut)?.angular.z;
        // The gain acts on the rate at the end of the step, as drives of joints do: on that at its start
        // it would overshoot by more than it corrects, since GAIN · dt exceeds twice the inertia.
        let gain = GAIN / (1.0 + GAIN * world.settings().time_step / self.axial);
        let torque = (gain * (RATE - rate)).clamp(-LARGEST, LARGEST);
        commands.push(self.nut, Vector3::zeros(), Vector3::z() * torque)
    }
}
