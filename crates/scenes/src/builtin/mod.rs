//! The built-in scenes: one file each, registered here.

mod arch;
mod bolt_nut;
mod box_slide;
mod box_tower;
mod chain;
mod dish_piling;
mod dish_sliding;
mod grip;
mod gyroscope;
mod mass_ratio;
mod newton_cradle;
mod nut_runner;
mod parts;
mod robots;
mod rolling;
mod soft;
mod spheres;
mod wedge;

use stiction_sim::{Result, SimError};
use strsim::levenshtein;

use crate::scene::{Options, Scene, SceneInfo};

/// All built-in scenes.
const SCENES: &[SceneInfo] = &[
    dish_piling::SCENE,
    dish_sliding::SCENE,
    bolt_nut::SCENE,
    nut_runner::SCENE,
    box_slide::SCENE,
    box_tower::SCENE,
    mass_ratio::SCENE,
    spheres::SCENE,
    grip::SCENE,
    arch::SCENE,
    gyroscope::SCENE,
    newton_cradle::SCENE,
    rolling::SCENE,
    wedge::SCENE,
    chain::SCENE,
    robots::panda::SCENE,
    robots::panda_gripper::SCENE,
    robots::panda_box::SCENE,
    robots::bolt_nut_assembly::SCENE,
    robots::bolt_nut_grasp::SCENE,
    robots::allegro_hand::SCENE,
    robots::laikago::SCENE,
    robots::laikago::EIGHT,
    robots::quadruped_drop::SCENE,
    robots::quadruped_drop::WITH_27,
    robots::quadruped_walk::SCENE,
    robots::quadruped_walk::BUMPY,
    robots::solo12::SCENE,
    robots::humanoid::SCENE,
    robots::dual_arm::SCENE,
    robots::pouring::SCENE,
    robots::pouring::WITH_9,
    robots::pouring::WITH_18,
    robots::pouring::WITH_36,
    robots::pouring::WITH_45,
    robots::mobile_manipulator::SCENE,
    robots::door_handle::SCENE,
    robots::stirring::SCENE,
    soft::capstan::SCENE,
    soft::catenary::SCENE,
    soft::cloth_pinch::SCENE,
    soft::soft_lab::SCENE,
    soft::soft_ball::SCENE,
    soft::beam_insertion::SCENE,
    soft::soft_gripper::SCENE,
    soft::soft_mat::SCENE,
    soft::cable_winding::SCENE,
    soft::cable_winding::WITH_160,
    soft::cable_winding::WITH_120,
    soft::cable_vehicles::SCENE,
];

/// The scene `stirring` with another number of grains.
///
/// # Errors
/// Options that no world can have.
pub fn stirring(options: &Options, grains: usize) -> Result<Scene> {
    robots::stirring::with_grains(options, grains)
}

/// The scene `cable-vehicles` with another number of links of the same cable, and with this many links in a
/// piece, one of them shared with the next.
///
/// # Errors
/// Options that no world can have, a rod or a cut that is none.
pub fn cable_vehicles(options: &Options, links: usize, links_per_piece: usize) -> Result<Scene> {
    soft::cable_vehicles::with_links(options, links, links_per_piece)
}

/// All built-in scenes.
pub fn all() -> &'static [SceneInfo] {
    SCENES
}

/// Builds a scene by its name.
///
/// # Errors
/// A name that no scene has, or options that no world or this scene cannot have.
pub fn build(name: &str, options: &Options) -> Result<Scene> {
    let Some(info) = SCENES.iter().find(|info| info.name == name) else {
        let nearest = SCENES
            .iter()
            .min_by_key(|info| levenshtein(name, info.name));
        let names: Vec<&str> = SCENES.iter().map(|info| info.name).collect();
        let nearest = nearest.map_or("", |info| info.name);
        return Err(SimError::not_found("scene", name, nearest, &names));
    };
    if let Some(keyframe) = &options.keyframe {
        return Err(SimError::not_among(
            "keyframe",
            keyframe,
            std::iter::empty(),
        ));
    }
    if let Some(velocity) = options.velocity {
        let walking = [robots::quadruped_walk::SCENE, robots::quadruped_walk::BUMPY];
        let reason = if walking.iter().all(|walking| walking.name != name) {
            "nothing in it walks: it takes no velocity"
        } else if velocity.iter().any(|part| !part.is_finite()) {
            "its velocity must be finite"
        } else {
            return (info.build)(options);
        };
        return Err(SimError::NotPossible {
            element: name.to_owned(),
            reason: reason.to_owned(),
        });
    }
    (info.build)(options)
}
