//! `<compiler>`: how the rest of a file is meant.

use std::path::{Path, PathBuf};

use super::value::Value;
use crate::error::Result;
use crate::xml::Element;

/// How a file is meant.
#[derive(Debug, Clone)]
pub(super) struct Compiler {
    /// Radians per unit of angle.
    pub(super) angle: f64,
    /// Axes of Euler angles: `xyz` about the moved axes, `XYZ` about the fixed ones.
    pub(super) euler_sequence: [char; 3],
    pub(super) autolimits: bool,
    mesh_folder: PathBuf,
    strip_path: bool,
    pub(super) inertia_from_geoms: InertiaFromGeoms,
    pub(super) inertia_groups: [i64; 2],
    pub(super) balance_inertia: bool,
    pub(super) bound_mass: f64,
    pub(super) bound_inertia: f64,
    /// kg, where the file asks for a sum.
    pub(super) total_mass: Option<f64>,
    pub(super) discard_visual: bool,
    pub(super) fit_box: bool,
}

/// When geoms say the inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum InertiaFromGeoms {
    Never,
    Always,
    WithoutInertial,
}

impl Compiler {
    /// All sections together; later ones win.
    pub(super) fn new(root: &Element) -> Result<Self> {
        let mut out = Self {
            angle: 1f64.to_radians(),
            euler_sequence: ['x', 'y', 'z'],
            autolimits: true,
            mesh_folder: PathBuf::new(),
            strip_path: false,
            inertia_from_geoms: InertiaFromGeoms::WithoutInertial,
            inertia_groups: [0, 5],
            balance_inertia: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: None,
            discard_visual: false,
            fit_box: false,
        };
        for element in root.children_of("compiler") {
            out.read(element)?;
        }
        Ok(out)
    }

    fn read(&mut self, element: &Element) -> Result<()> {
        let get = |name| Value::of(element, name);
        if let Some(value) = get("coordinate")
            && value.word(&["local", "global"])? == "global"
        {
            return Err(value.error(
                "global coordinates are no part of the format any more",
                "save the model with local coordinates",
            ));
        }
        if let Some(value) = get("angle") {
            self.angle = match value.word(&["degree", "radian"])? {
                "degree" => 1f64.to_radians(),
                _ => 1.0,
            };
        }
        if let Some(value) = get("eulerseq") {
            let letters: Vec<char> = value.text.trim().chars().collect();
            self.euler_sequence = <[char; 3]>::try_from(letters)
                .ok()
                .filter(|letters| letters.iter().all(|letter| "xyzXYZ".contains(*letter)))
                .ok_or_else(|| {
                    let problem = format!("\"{}\" is no sequence of axes", value.text);
                    value.error(problem, "give three letters out of x, y, z, X, Y, Z")
                })?;
        }
        let flag = |name, flag: &mut bool| {
            if let Some(value) = get(name) {
                *flag = value.flag()?;
            }
            Ok(())
        };
        flag("autolimits", &mut self.autolimits)?;
        flag("strippath", &mut self.strip_path)?;
        flag("balanceinertia", &mut self.balance_inertia)?;
        flag("discardvisual", &mut self.discard_visual)?;
        flag("fitaabb", &mut self.fit_box)?;
        for name in ["assetdir", "meshdir"] {
            if let Some(value) = get(name) {
                self.mesh_folder = path(value.text);
            }
        }
        if let Some(value) = get("inertiafromgeom") {
            self.inertia_from_geoms = match value.flag_or_auto()? {
                Some(true) => InertiaFromGeoms::Always,
                Some(false) => InertiaFromGeoms::Never,
                None => InertiaFromGeoms::WithoutInertial,
            };
        }
        if let Some(value) = get("inertiagrouprange") {
            self.inertia_groups = value.numbers::<2>()?.map(|number| number as i64);
        }
        if let Some(value) = get("boundmass") {
            self.bound_mass = value.non_negative()?;
        }
        if let Some(value) = get("boundinertia") {
            self.bound_inertia = value.non_negative()?;
        }
        if let Some(value) = get("settotalmass") {
            let mass = value.number()?;
            self.total_mass = (mass > 0.0).then_some(mass);
        }
        // How MuJoCo stores and saves models, which changes nothing of what they are.
        for name in [
            "texturedir",
            "fusestatic",
            "usethread",
            "saveinertial",
            "savecanonical",
            "savecompiled",
            "passthrough",
            "conflict",
            "alignfree",
            "convexhull",
        ] {
            get(name);
        }
        element.child("lengthrange").map(Element::mark_all_read);
        Ok(())
    }

    /// Where a mesh or height field is, from the folder of the file.
    pub(super) fn asset_path(&self, file: &str) -> String {
        let file = path(file);
        let file = match (self.strip_path, file.file_name()) {
            (true, Some(name)) => Path::new(name),
            _ => &file,
        };
        self.mesh_folder.join(file).display().to_string()
    }
}

/// A path as files give it, also those written on Windows.
pub(super) fn path(text: &str) -> PathBuf {
    PathBuf::from(text.replace('\\', "/"))
}
