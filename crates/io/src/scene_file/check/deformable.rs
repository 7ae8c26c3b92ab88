//! Names that soft bodies and rods use.

use super::super::SceneFile;
use super::super::touch::TouchDescription;
use super::{Bodies, material, unique};
use crate::error::Result;

/// Refuses names that nobody has, or that two have.
pub(super) fn references(file: &SceneFile, bodies: &Bodies) -> Result<()> {
    let scene = &file.scene;
    let soft_names = scene.soft.iter().map(|soft| soft.name.as_str());
    unique(file, "soft body", "soft", soft_names)?;
    let rod_names = scene.rods.iter().map(|rod| rod.name.as_str());
    unique(file, "rod", "rod", rod_names)?;
    for (index, soft) in scene.soft.iter().enumerate() {
        let key = format!("soft[{index}]");
        touches(file, &key, &soft.touch)?;
        for (number, attachment) in soft.attach.iter().enumerate() {
            let key = format!("{key}.attach[{number}].body");
            bodies.find(file, &key, &attachment.body)?;
        }
    }
    for (index, rod) in scene.rods.iter().enumerate() {
        let key = format!("rod[{index}]");
        touches(file, &key, &rod.touch)?;
        for (number, attachment) in rod.attach.iter().enumerate() {
            let key = format!("{key}.attach[{number}].body");
            bodies.find(file, &key, &attachment.body)?;
        }
    }
    Ok(())
}

fn touches(file: &SceneFile, key: &str, touch: &TouchDescription) -> Result<()> {
    match &touch.material {
        Some(name) => material(file, &format!("{key}.material"), name),
        None => Ok(()),
    }
}
