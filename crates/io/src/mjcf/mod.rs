//! Models and scenes in MuJoCo's format, MJCF.
//!
//! ```
//! use stiction_io::{ModelOptions, mjcf};
//!
//! let text = r#"<mujoco model="pendulum">
//!   <option timestep="0.001"/>
//!   <worldbody>
//!     <light pos="0 0 3"/>
//!     <body name="rod" pos="0 0 1">
//!       <joint name="hinge" axis="0 1 0" damping="0.1"/>
//!       <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02"/>
//!     </body>
//!   </worldbody>
//! </mujoco>"#;
//! let file = mjcf::parse(text, "pendulum.xml", &ModelOptions::default())?;
//! let robot = &file.scene.robots[0];
//! assert_eq!((robot.name.as_str(), robot.links[0].name.as_str()), ("pendulum", "rod"));
//! assert_eq!(file.ignored[0].to_string(), "pendulum.xml:4: <light>: is only drawing");
//!
//! let error = mjcf::parse(&text.replace("capsule", "capsul"), "pendulum.xml", &ModelOptions::default());
//! assert!(error.unwrap_err().to_string().starts_with(
//!     "pendulum.xml:7:13: geom: type: \"capsul\" is not known; did you mean \"capsule\"?"
//! ));
//! # Ok::<(), stiction_io::IoError>(())
//! ```
//!
//! It reads XML itself: the crate `mjcf-rs` knows no lines and drops without a word what it does
//! not know, while here every error names file, line and element, and
//! [`SceneFile::ignored`](crate::scene_file::SceneFile::ignored) lists what a file asks for and the
//! simulator does not do. What becomes of a model is told in the README of this crate.

mod actuator;
mod asset;
mod body;
mod body_flex;
mod cable;
mod compiler;
mod contact;
mod defaults;
mod equality;
mod fit;
mod flex;
mod flex_mesh;
mod geom;
mod include;
mod inertia;
mod joint;
mod keyframe;
mod layout;
mod lookup;
mod notes;
mod option;
mod pose;
mod reasons;
mod reflected;
mod robot;
mod scene;
mod schema;
mod sensor;
mod string;
mod tendon;
mod value;
mod write;

pub use write::to_mjcf;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::bounded;
use crate::error::{IoError, Result};
use crate::options::{MeshUse, ModelOptions};
use crate::scene_file::{Ignored, SceneFile};
use crate::xml::{self, Element};

use asset::Assets;
use compiler::Compiler;
use defaults::Defaults;
use option::Options;
pub use reasons::not_done;
use reasons::reasons;
use scene::Builder;

/// What the parts of a file are read with.
struct Context<'a> {
    root: &'a Element,
    /// Name of the model.
    name: String,
    compiler: Compiler,
    options: Options,
    defaults: Defaults<'a>,
    assets: Assets<'a>,
    meshes: MeshUse,
    /// How long the scene is simulated, s.
    seconds: f64,
}

/// Reads an MJCF file. Included files and meshes are relative to its folder.
///
/// # Errors
/// A file that cannot be read, and everything that [`parse`] refuses.
pub fn read(path: &Path, options: &ModelOptions) -> Result<SceneFile> {
    let text = bounded::text(path).map_err(|problem| IoError::File {
        file: path.display().to_string(),
        problem,
    })?;
    read_text(&text, path, options)
}

/// Reads the text of an MJCF file; `file` is the name put in errors. Included files and meshes are
/// relative to the current folder.
///
/// # Errors
/// Text that is not XML, files that are missing or include themselves, words, numbers and sizes
/// that make no sense, names used twice and references to nothing, moving bodies without mass; each
/// with file, line and element.
pub fn parse(text: &str, file: &str, options: &ModelOptions) -> Result<SceneFile> {
    read_text(text, Path::new(file), options)
}

fn read_text(text: &str, path: &Path, options: &ModelOptions) -> Result<SceneFile> {
    let file = path.display().to_string();
    let mut root = xml::parse(text, &file)?;
    if root.tag != "mujoco" {
        let advice = "give an MJCF file; URDF files begin with <robot>";
        return Err(root.error("is not <mujoco>", advice));
    }
    include::expand(&mut root, path)?;
    schema::check(&root)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    convert(&root, path, folder, options)
}

fn convert(
    root: &Element,
    path: &Path,
    folder: PathBuf,
    options: &ModelOptions,
) -> Result<SceneFile> {
    root.mark_read();
    let stem = || {
        path.file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    };
    let named = root.attribute("model").filter(|name| !name.is_empty());
    let name = named.map(str::to_owned).or_else(stem);
    let compiler = Compiler::new(root)?;
    let defaults = Defaults::new(root)?;
    let context = Context {
        root,
        name: name.unwrap_or_else(|| "model".to_owned()),
        options: Options::new(root, &defaults.notes)?,
        assets: Assets::new(root, &folder, &compiler, &defaults)?,
        compiler,
        defaults,
        meshes: options.meshes,
        seconds: options.seconds,
    };
    let mut tree = body::read(&context)?;
    body_flex::mark_nodes(&context, &mut tree);
    let mut builder = Builder::new(&context, tree, contact::paired(root))?;
    builder.add_bodies()?;
    builder.add_deformables()?;
    builder.add_body_flexes()?;
    builder.add_contacts()?;
    builder.add_tendons()?;
    builder.add_equalities()?;
    let actuators = builder.add_actuators()?;
    builder.add_sensors(&actuators)?;
    builder.add_keyframes(&actuators)?;
    builder.finish();
    let (scene, mut places) = (builder.scene, builder.places);
    for list in ["bodies", "robots", "soft", "rod", "settings"] {
        places.insert(list.to_owned(), root.place());
    }
    // Memory and data for programs, which are no part of a model.
    for tag in ["size", "custom"] {
        root.children_of(tag).for_each(Element::mark_all_read);
    }
    let ignored = ignored(context);
    let file = path.display().to_string();
    SceneFile::checked(scene, ignored, &file, &folder, places)
}

/// Everything that was not done, in the order of the file.
fn ignored(context: Context<'_>) -> Vec<Ignored> {
    context.defaults.settle();
    let root = context.root;
    note_text(root, &context.defaults.notes);
    let notes = context.defaults.notes.clone();
    drop(context);
    let mut list = Rc::try_unwrap(notes).map_or_else(|_| Vec::new(), notes::Notes::into_ignored);
    for unread in xml::unread(root, reasons) {
        match list
            .iter_mut()
            .find(|other| other.what == unread.what && other.reason == unread.reason)
        {
            Some(other) => other.count += unread.count,
            None => list.push(unread),
        }
    }
    // The model itself first, then what it includes.
    list.sort_by_key(|ignored| {
        let (file, line) = &ignored.first;
        (**file != *root.file, file.clone(), *line)
    });
    list
}

/// Text between tags, of which MJCF has none.
fn note_text(element: &Element, notes: &notes::Notes) {
    if !element.text.is_empty() {
        let what = format!("text in <{}>", element.tag);
        notes.ignore(element, what, "MJCF says everything in attributes");
    }
    for child in &element.children {
        note_text(child, notes);
    }
}
