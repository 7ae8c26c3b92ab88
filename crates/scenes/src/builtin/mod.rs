//! The built-in scenes: one file each, registered here.

mod box_slide;
mod parts;

use stiction_sim::solvers::edits;
use stiction_sim::{Result, SimError};

use crate::scene::{Options, Scene, SceneInfo};

/// All built-in scenes.
const SCENES: &[SceneInfo] = &[box_slide::SCENE];

/// All built-in scenes.
pub fn all() -> &'static [SceneInfo] {
    SCENES
}

/// Builds a scene by its name.
///
/// # Errors
/// A name that no scene has, or options that no world can have.
pub fn build(name: &str, options: &Options) -> Result<Scene> {
    let Some(info) = SCENES.iter().find(|info| info.name == name) else {
        let nearest = SCENES.iter().min_by_key(|info| edits(name, info.name));
        let names: Vec<&str> = SCENES.iter().map(|info| info.name).collect();
        return Err(SimError::NotPossible {
            element: format!("there is no scene \"{name}\""),
            reason: format!(
                "did you mean \"{}\"? There are: {}",
                nearest.map_or("", |info| info.name),
                names.join(", ")
            ),
        });
    };
    (info.build)(options)
}
