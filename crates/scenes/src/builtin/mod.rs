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

pub use nut_runner::{SelfLocking, self_locking};
pub use parts::neural_bolt;
pub use soft::SoftChoice;
use stiction_sim::{Material, Result, SimError, Vector3};
use strsim::levenshtein;

use crate::scene::{Options, Scene, SceneInfo};

pub use robots::quadruped_walk::WalkingGround;

/// All built-in scenes.
const SCENES: &[SceneInfo] = &[
    dish_piling::SCENE,
    dish_sliding::SCENE,
    bolt_nut::SCENE,
    bolt_nut::NEURAL,
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
    robots::bolt_nut_assembly::NEURAL,
    robots::bolt_nut_grasp::SCENE,
    robots::dish_piling_robot::SCENE,
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

/// The scene `pouring` with another number of particles, and a hand with `grip` times the usual stiffness.
///
/// # Errors
/// Options that no world can have.
pub fn pouring(options: &Options, particles: usize, grip: f64) -> Result<Scene> {
    robots::pouring::build("pouring", options, particles, grip)
}

/// The scene `cable-vehicles` with another number of links of the same cable, and with this many links in a
/// piece, one of them shared with the next.
///
/// # Errors
/// Options that no world can have, a rod or a cut that is none.
pub fn cable_vehicles(options: &Options, links: usize, links_per_piece: usize) -> Result<Scene> {
    soft::cable_vehicles::with_links(options, links, links_per_piece)
}

/// The scene `capstan` with other turns of the rope around the drum (40 links each), and another friction coefficient.
///
/// # Errors
/// Options that no world can have, turns that are less than one link or more than ten turns.
pub fn capstan(options: &Options, turns: f64, friction: f64) -> Result<Scene> {
    soft::capstan::of(options, turns, friction)
}

/// The scene `soft-mat` with a mat of something else, or with another length of a cell of its mesh, m.
///
/// # Errors
/// Options that no world can have, a material or a mesh that is none.
pub fn soft_mat(options: &Options, stuff: SoftChoice, cell: f64) -> Result<Scene> {
    soft::soft_mat::of(options, stuff, cell)
}

/// The scene `soft-ball` with a ball of something else.
///
/// # Errors
/// Options that no world can have, a material that is none.
pub fn soft_ball(options: &Options, stuff: SoftChoice) -> Result<Scene> {
    soft::soft_ball::of(options, stuff)
}

/// The scene `soft-gripper` with fingers of something else.
///
/// # Errors
/// Options that no world can have, a material that is none.
pub fn soft_gripper(options: &Options, stuff: SoftChoice) -> Result<Scene> {
    soft::soft_gripper::of(options, stuff)
}

/// The scene `cable-winding` with a cable of something else, in another number of links, or with a way of the hand
/// that is given: where it holds the cable at each step of 10 ms, m, in the axes of the world.
///
/// # Errors
/// Options that no world can have, a material or a rod that is none, a way that the arm cannot follow.
pub fn cable_winding(
    options: &Options,
    links: usize,
    stuff: SoftChoice,
    way: Option<&[Vector3<f64>]>,
) -> Result<Scene> {
    soft::cable_winding::of(options, links, stuff, way)
}

/// The scene `quadruped-walk`, or `quadruped-walk-bumpy`, on other ground.
///
/// # Errors
/// Options that no world can have, ground that is none.
pub fn quadruped_walk(options: &Options, ground: &WalkingGround) -> Result<Scene> {
    robots::quadruped_walk::on(options, ground)
}

/// The robot of the scene `solo12` standing still on ground of a material.
///
/// # Errors
/// Options that no world can have, a material that is none.
pub fn solo12_standing(options: &Options, ground: Material) -> Result<Scene> {
    robots::solo12::standing(options, ground)
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
