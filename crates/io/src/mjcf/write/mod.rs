//! Scenes as MJCF, the format of MuJoCo.

mod body;
mod drive;
mod geom;
mod joint;
mod keyframe;
mod link_up;
mod place;

use std::collections::HashMap;
use std::path::Path;

use nalgebra::Isometry3;
use stiction_dynamics::Integrator;

use crate::error::Result;
use crate::scene_file::{InertiaDescription, SceneDescription};
use crate::written::{LeftOuts, Written};
use crate::xml::XmlWriter;
use joint::Slot;
use place::Places;

/// Writes a scene as MJCF. Mesh files are looked for from `folder`, and the text refers to them from
/// there.
///
/// Masses that follow from shapes are written as numbers, joints with several coordinates as several
/// joints of one body, and the start of the scene as a keyframe. What MJCF has no word for is listed
/// as left out.
///
/// # Errors
/// A body whose mass cannot be found because its shapes cannot be built, and a robot that is no tree.
pub fn to_mjcf(scene: &SceneDescription, folder: &Path) -> Result<Written> {
    let mut left_out = LeftOuts::default();
    let reason = "MJCF's flexes and cables are of another model";
    left_out.add_many("soft bodies", reason, scene.soft.len());
    left_out.add_many("rods", reason, scene.rods.len());
    let inertias = place::inertias(scene, folder)?;
    let places = Places::new(scene, &inertias)?;
    let mut writer = Writer {
        scene,
        folder,
        inertias,
        places,
        left_out: &mut left_out,
        sites: HashMap::new(),
        assets: Vec::new(),
        slots: Vec::new(),
        controls: Vec::new(),
        equalities: XmlWriter::inside("equality"),
        tendons: XmlWriter::inside("tendon"),
        excluded: Vec::new(),
        balance: false,
    };
    // What refers to points on bodies first, because those points stand inside the bodies.
    writer.connections();
    writer.couplings();
    writer.scene_tendons();
    let actuators = writer.actuators();
    let sensors = writer.sensors();
    let bodies = writer.bodies()?;
    let assets = writer.assets();
    let contacts = writer.contacts();
    let keyframes = writer.keyframes();
    let head = writer.head();
    let Writer {
        equalities,
        tendons,
        ..
    } = writer;
    let mut text = head;
    for section in [
        assets,
        bodies,
        contacts,
        equalities.finish_section(),
        tendons.finish_section(),
        actuators,
        sensors,
        keyframes,
    ] {
        text += &section;
    }
    text += "</mujoco>\n";
    Ok(Written {
        text,
        files: Vec::new(),
        left_out: left_out.0,
    })
}

/// A scene on its way into a file.
struct Writer<'a, 'b> {
    scene: &'a SceneDescription,
    folder: &'a Path,
    inertias: Inertias,
    places: Places,
    left_out: &'b mut LeftOuts,
    /// Points on bodies that something refers to, by body.
    sites: HashMap<String, Vec<(String, Isometry3<f64>)>>,
    assets: Vec<geom::Asset>,
    /// Joints in the order in which MuJoCo counts their coordinates.
    slots: Vec<Slot>,
    /// Actuators with their control at the start.
    controls: Vec<(String, f64)>,
    equalities: XmlWriter,
    tendons: XmlWriter,
    /// Pairs of bodies that don't touch, beside those of the scene.
    excluded: Vec<[String; 2]>,
    /// Whether some inertia belongs to no real body.
    balance: bool,
}

/// Masses of bodies by index, and of links by robot and index.
struct Inertias {
    bodies: Vec<Option<InertiaDescription>>,
    links: Vec<Vec<Option<InertiaDescription>>>,
}

impl Writer<'_, '_> {
    /// The name in MJCF of a body, or of a link `robot/link`.
    fn body_name(&self, name: &str) -> String {
        self.places.name(name)
    }

    /// The name of a point on a body.
    fn site(&mut self, body: &str, pose: &Isometry3<f64>) -> String {
        let total: usize = self.sites.values().map(Vec::len).sum();
        // A frame of the scene that is no body of its own moves with one.
        let (body, offset) = self.places.carrier(body);
        let pose = offset * pose;
        let sites = self.sites.entry(body).or_default();
        if let Some((name, _)) = sites.iter().find(|(_, known)| *known == pose) {
            return name.clone();
        }
        let name = format!("site{total}");
        sites.push((name.clone(), pose));
        name
    }

    fn head(&mut self) -> String {
        let settings = &self.scene.settings;
        let mut xml = XmlWriter::default();
        xml.begin("mujoco").attribute("model", &self.scene.name);
        xml.begin("compiler")
            .attribute("angle", "radian")
            .attribute("autolimits", "true")
            .attribute("inertiafromgeom", "false");
        if self.balance {
            xml.attribute("balanceinertia", "true");
            let reason = "break the triangle inequality; MuJoCo is told to even them out";
            self.left_out.add("inertias that no body can have", reason);
        }
        xml.end();
        xml.begin("option");
        if let Some(time_step) = settings.time_step {
            xml.numbers("timestep", [&time_step]);
        }
        if let Some(gravity) = &settings.gravity {
            xml.numbers("gravity", gravity.iter());
        }
        if let Some(tolerance) = settings.tolerance {
            xml.numbers("tolerance", [&tolerance]);
        }
        if let Some(iterations) = settings.max_iterations {
            xml.attribute("iterations", iterations);
        }
        if settings.integrator == Some(Integrator::Rk4) {
            xml.attribute("integrator", "RK4");
        }
        xml.end();
        let own = [
            settings.theta.is_some(),
            settings.integrator == Some(Integrator::Euler),
            settings.integration_tolerance.is_some(),
            settings.max_substeps.is_some(),
            settings.energy_account.is_some(),
            settings.solver.is_some(),
            settings.baumgarte.is_some(),
            settings.push_out_speed.is_some(),
            settings.contact_margin.is_some(),
            settings.contact_reuse.is_some(),
            settings.relinearizations.is_some(),
            settings.joint_tolerance.is_some(),
            settings.islands.is_some(),
            settings.warm_start.is_some(),
            settings.max_contacts.is_some(),
        ];
        let count = own.iter().filter(|given| **given).count();
        let reason = "MuJoCo steps and solves in another way";
        self.left_out
            .add_many("settings of the solver", reason, count);
        xml.unfinished()
    }
}
