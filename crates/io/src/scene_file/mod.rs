//! Scenes as readable TOML files.
//!
//! ```
//! let text = r#"
//! seconds = 2
//!
//! [[bodies]]
//! name = "floor"
//! kind = "fixed"
//! shapes = [{ kind = "half-space" }]
//!
//! [[bodies]]
//! name = "ball"
//! kind = "free"
//! mass = "45 g"
//! position = [0, 0, "30 cm"]
//! shapes = [{ kind = "sphere", radius = "2 cm" }]
//! "#;
//! let file = stiction_io::scene_file::parse(text, "ball.toml")?;
//! assert_eq!(file.scene.bodies[1].name, "ball");
//!
//! let error = stiction_io::scene_file::parse(&text.replace("45 g", "45 m"), "ball.toml");
//! assert_eq!(
//!     error.unwrap_err().to_string(),
//!     "ball.toml:12:8: bodies[1].mass: \"45 m\" is not a mass; \
//!      give a mass as a number in kg or as text such as \"45 g\""
//! );
//! # Ok::<(), stiction_io::IoError>(())
//! ```
//!
//! The format is described in `docs/scene-files.md`. Plain numbers are in SI units; text with a
//! unit is accepted wherever a number has a dimension.

mod actuator;
mod check;
mod contact_pair;
mod description;
mod distance;
mod keyframe;
mod node;
mod read;
mod robot;
mod rod;
mod sensor;
mod shape;
mod soft;
mod source;
pub(crate) mod suggest;
mod tendon;
mod touch;
mod units;
mod write;

use std::path::{Path, PathBuf};

use toml::de::DeTable;

pub use actuator::{ActuatorDescription, ActuatorTarget};
pub use contact_pair::ContactPairDescription;
pub use description::{
    Anchors, BodyDescription, BodyKind, ConnectionDescription, ControllerDescription,
    InertiaDescription, LinkDescription, MassDescription, RobotDescription, RobotFrameDescription,
    RobotJointDescription, SceneDescription, SettingsDescription, ShapeDescription,
};
pub use distance::{Distance, DistanceSolid, Operation, Part};
pub use keyframe::{KeyframeBody, KeyframeDescription, KeyframeJoint};
pub use rod::{RodAttachment, RodCurve, RodDescription, RodLink, RodSection, RodStiffness};
pub use sensor::{SensorDescription, SensorKind};
pub use shape::{MeshFile, MeshSource, PointSource, ShapeError, ShapeKind, ThreadDescription};
pub use soft::{
    Cells, MadeMesh, NodeSelection, SoftAttachment, SoftDescription, SoftMesh, SoftMeshError,
    SoftPart,
};
pub use stiction_modeling::{Activation, ConnectionKind, FrameQuantity, Signal};
pub use tendon::{TendonBranch, TendonDescription, TendonPath};
pub use touch::TouchDescription;
pub use write::to_toml;

use crate::bounded;
use crate::error::{IoError, Result};
use node::Node;
use source::Source;
pub(crate) use source::{Place, Places};

/// A scene that was read, and where in its file everything stands.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFile {
    /// What the file says.
    pub scene: SceneDescription,
    /// What the file says and the simulator does not do, or what cannot be right, each said once.
    pub ignored: Vec<Ignored>,
    file: String,
    folder: PathBuf,
    places: Places,
}

/// Something that a file asks for and that was left out, or that cannot be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// What: an element or attribute of the file.
    pub what: String,
    /// Why, or what is done instead.
    pub reason: String,
    /// How often it occurs.
    pub count: usize,
    /// File and line, from 1, where it occurs first.
    pub first: (String, usize),
}

impl std::fmt::Display for Ignored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (file, line) = &self.first;
        write!(f, "{file}:{line}: {}", self.what)?;
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl SceneFile {
    /// A scene that was read from another format, if its names fit together.
    pub(crate) fn checked(
        scene: SceneDescription,
        ignored: Vec<Ignored>,
        file: &str,
        folder: &Path,
        places: Places,
    ) -> Result<Self> {
        let mut scene_file = Self {
            scene,
            ignored,
            file: file.to_owned(),
            folder: folder.to_owned(),
            places,
        };
        let odd = check::references(&scene_file)?;
        scene_file.ignored.extend(odd);
        Ok(scene_file)
    }

    /// File and line of a key.
    fn place(&self, key: &str) -> (String, usize) {
        let place = self.places.find(key);
        let file = place
            .element
            .map_or_else(|| self.file.clone(), |(file, _)| file);
        (file, place.line)
    }

    /// The folder that mesh files are relative to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// An error about a key such as `bodies[2].shapes[0]`, at its line.
    pub fn error(
        &self,
        key: &str,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> IoError {
        let Place {
            line,
            column,
            element,
        } = self.places.find(key);
        let (problem, advice) = (problem.into(), advice.into());
        match element {
            Some((file, element)) => IoError::Element {
                file,
                line,
                column,
                element,
                problem,
                advice,
            },
            None => IoError::Scene {
                file: self.file.clone(),
                line,
                column,
                key: key.to_owned(),
                problem,
                advice,
            },
        }
    }
}

/// Reads a scene file. Mesh files are relative to its folder.
///
/// # Errors
/// A file that cannot be read, and everything that [`parse`] refuses.
pub fn read(path: &Path) -> Result<SceneFile> {
    let file = path.display().to_string();
    let text = bounded::text(path).map_err(|problem| IoError::File {
        file: file.clone(),
        problem,
    })?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    Ok(SceneFile {
        folder,
        ..parse(&text, &file)?
    })
}

/// Reads the text of a scene file; `file` is the name put in errors. Mesh files are relative to the
/// current folder, and not opened here.
///
/// # Errors
/// Text that is not TOML, unknown keys, values of a wrong type, dimension or range, names used twice
/// and references to nothing; each with its line and key.
pub fn parse(text: &str, file: &str) -> Result<SceneFile> {
    let source = Source::new(file, text);
    let table = DeTable::parse(text).map_err(|error| {
        let (line, column) = source.position(error.span().map_or(0, |span| span.start));
        IoError::Syntax {
            file: file.to_owned(),
            line,
            column,
            problem: error.message().trim().replace('\n', ", "),
        }
    })?;
    let root = Node::root(&source, table.get_ref(), read::KEYS)?;
    let scene = read::scene(&root)?;
    SceneFile::checked(scene, Vec::new(), file, Path::new(""), source.places())
}
