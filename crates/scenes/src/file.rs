//! Scenes from scene files: descriptions with names become a world with handles.

mod compensation;
mod control;
mod deformable;
mod mass;
mod parts;
mod world;

use std::path::Path;

use stiction_io::IoError;
use stiction_io::scene_file::SceneFile;
use stiction_sim::{Execution, Settings, SimError, solvers};
use thiserror::Error;

use crate::scene::{Options, Scene, changed};

/// Why a file did not become a scene.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Something in the file, named by line and key.
    #[error(transparent)]
    File(#[from] IoError),
    /// Options that no world can have.
    #[error(transparent)]
    Options(#[from] SimError),
}

/// Loads a scene file (`.toml`), a URDF file (`.urdf`) or an MJCF file (`.mjcf`); of `.xml` and other
/// files the first element says what they are. Options override what the file says; a file has nothing random, so the seed
/// changes nothing. What the file asks for and is not supported is in [`Scene::ignored`].
///
/// # Errors
/// A file of another kind, one that cannot be read or makes no scene, with file, line and element or
/// key; options that no world can have.
pub fn load(path: impl AsRef<Path>, options: &Options) -> Result<Scene, LoadError> {
    from_scene_file(&stiction_io::read(path.as_ref(), &options.model)?, options)
}

/// Makes the scene of a file that was read already.
///
/// # Errors
/// As [`load`].
pub fn from_scene_file(file: &SceneFile, options: &Options) -> Result<Scene, LoadError> {
    let scene = &file.scene;
    let solver = scene.settings.solver.as_deref().unwrap_or(solvers::DEFAULT);
    if options.settings.solver.is_none()
        && let Err(error) = solvers::make(solver)
    {
        return Err(file
            .error("settings.solver", error.to_string(), "name one of these")
            .into());
    }
    let settings = changed(Settings::default(), &scene.settings);
    let mut world = options.world(settings, solver)?;
    if let Some(max_contacts) = scene.settings.max_contacts
        && options.settings.max_contacts.is_none()
    {
        world.set_detection(max_contacts, Execution::Parallel)?;
    }
    let mut builder = world::Builder::new(file, world);
    builder.add_bodies()?;
    builder.add_robots()?;
    builder.add_joints()?;
    builder.exclude_pairs()?;
    builder.include_pairs()?;
    builder.add_tendons()?;
    builder.add_controllers()?;
    builder.add_actuators()?;
    if let Some(name) = &options.keyframe {
        let (index, keyframe) = builder.keyframe(name)?;
        let keyframe = keyframe.clone();
        builder.start_at(index, &keyframe)?;
    }
    // Where bodies are by now is where soft bodies and rods are attached to them.
    builder.add_soft_bodies()?;
    builder.add_rods()?;
    builder.add_sensors()?;
    let skipped_overlaps = builder.skip_overlaps()?;
    Ok(Scene {
        skipped_overlaps,
        ignored: file.ignored.clone(),
        ..options.scene(&scene.name, builder.finish(), scene.seconds)
    })
}
