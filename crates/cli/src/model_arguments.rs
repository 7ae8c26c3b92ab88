//! Options for files that others wrote: URDF and MJCF.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use stiction_io::scene_file::{BodyDescription, BodyKind, SceneFile, ShapeDescription, ShapeKind};
use stiction_io::{Base, MeshUse, ModelOptions};
use stiction_scenes::{Options, Scene};
use stiction_sim::{Groups, Isometry3, Vector3};

use crate::complain;

/// How a robot file is read.
#[derive(Debug, Args, Default, PartialEq)]
#[command(next_help_heading = "Options for URDF and MJCF files")]
pub(crate) struct ModelArguments {
    /// Whether the root of a URDF robot is fixed to the world or free
    #[arg(long, value_enum, default_value_t)]
    pub(crate) base: BaseChoice,

    /// Add a floor at this height, m, or just below everything that collides
    #[arg(long, value_name = "HEIGHT", num_args = 0..=1, default_missing_value = "below", value_parser = floor, allow_negative_numbers = true)]
    pub(crate) floor: Option<Floor>,

    /// What meshes collide as
    #[arg(long, value_enum, default_value_t)]
    pub(crate) meshes: MeshChoice,

    /// A folder in which package:// paths are looked for; may be given several times
    #[arg(long = "package", value_name = "FOLDER")]
    pub(crate) packages: Vec<PathBuf>,

    /// Refuse a file that says anything which is not done
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum BaseChoice {
    /// Does not move
    #[default]
    Fixed,
    /// Moves freely
    Free,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum MeshChoice {
    /// Their convex hulls
    #[default]
    Hull,
    /// Their triangles
    Exact,
    /// Grids of signed distances
    Distance,
    /// Convex parts
    Parts,
}

/// Where a floor is added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Floor {
    /// Just below everything that collides.
    Below,
    /// At a height, m.
    At(f64),
}

fn floor(text: &str) -> Result<Floor, String> {
    match (text, text.parse::<f64>()) {
        ("below", _) => Ok(Floor::Below),
        (_, Ok(height)) if height.is_finite() => Ok(Floor::At(height)),
        _ => Err("a height in m is needed, such as -0.4, or nothing".to_owned()),
    }
}

/// Grid cells along the longest side of a mesh, and most convex parts of one.
const CELLS: usize = 48;
const PARTS: usize = 16;

impl ModelArguments {
    fn options(&self) -> ModelOptions {
        ModelOptions {
            base: match self.base {
                BaseChoice::Fixed => Base::Fixed,
                BaseChoice::Free => Base::Free,
            },
            meshes: match self.meshes {
                MeshChoice::Hull => MeshUse::Hull,
                MeshChoice::Exact => MeshUse::Exact,
                MeshChoice::Distance => MeshUse::SignedDistance { cells: CELLS },
                MeshChoice::Parts => MeshUse::Decomposition { parts: PARTS },
            },
            packages: self.packages.clone(),
            ..ModelOptions::default()
        }
    }

    /// Reads a file of any kind; with `--strict` everything in it must be done.
    pub(crate) fn read(&self, path: &Path) -> anyhow::Result<SceneFile> {
        let file = stiction_io::read(path, &self.options())?;
        if self.strict && !file.ignored.is_empty() {
            let list: Vec<String> = file.ignored.iter().map(ToString::to_string).collect();
            anyhow::bail!(
                "--strict: these are not done or look wrong:\n  {}",
                list.join("\n  ")
            );
        }
        Ok(file)
    }

    /// Makes the scene of a file, with a floor if one was asked for.
    pub(crate) fn build(&self, file: &SceneFile, options: &Options) -> anyhow::Result<Scene> {
        let scene = stiction_scenes::from_scene_file(file, options)?;
        let height = match self.floor {
            None => return Ok(scene),
            Some(Floor::At(height)) => height,
            Some(Floor::Below) => scene.world.bounds().map_or(0.0, |[low, _]| low.z),
        };
        let mut file = file.clone();
        file.scene.bodies.push(floor_body(&file, height));
        Ok(stiction_scenes::from_scene_file(&file, options)?)
    }
}

/// Tells the user what of a file is not done.
pub(crate) fn warn_of_ignored(file: &SceneFile) {
    if file.ignored.is_empty() {
        return;
    }
    complain("the file has what is not done here or looks wrong (--strict makes this an error):");
    for ignored in &file.ignored {
        complain(&format!("  {ignored}"));
    }
}

/// Tells the user which links of a robot cannot touch.
pub(crate) fn tell_overlaps(scene: &Scene) {
    if scene.skipped_overlaps.is_empty() {
        return;
    }
    let pairs = scene.skipped_overlaps.iter();
    let pairs: Vec<String> = pairs.map(|[a, b]| format!("{a} and {b}")).collect();
    complain(&format!(
        "these links overlap at the start, and never touch each other: {}",
        pairs.join(", ")
    ));
}

fn floor_body(file: &SceneFile, height: f64) -> BodyDescription {
    let taken = |name: &str| file.scene.bodies.iter().any(|body| body.name == name);
    let mut name = "floor".to_owned();
    while taken(&name) {
        name.push('\'');
    }
    BodyDescription {
        name,
        kind: BodyKind::Fixed,
        pose: Isometry3::translation(0.0, 0.0, height),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
        color: None,
        gravity_compensation: 0.0,
        shapes: vec![ShapeDescription {
            name: "plane".to_owned(),
            kind: ShapeKind::HalfSpace,
            pose: Isometry3::identity(),
            material: None,
            groups: Groups {
                member_of: u32::MAX,
                ..Groups::default()
            },
            visual_only: false,
            color: None,
        }],
    }
}
