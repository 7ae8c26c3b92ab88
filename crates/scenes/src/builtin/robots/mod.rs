//! Scenes with the robots that come along: one file each.

pub(super) mod allegro_hand;
pub(super) mod bolt_nut_assembly;
pub(super) mod bolt_nut_grasp;
pub(super) mod cruise;
pub(super) mod dish_piling_robot;
pub(super) mod door_handle;
pub(super) mod dual_arm;
pub(super) mod humanoid;
pub(super) mod laikago;
pub(super) mod mobile_manipulator;
pub(super) mod panda;
pub(super) mod panda_arm;
pub(super) mod panda_box;
pub(super) mod panda_gripper;
pub(super) mod pouring;
pub(super) mod quadruped_drop;
pub(super) mod quadruped_walk;
pub(super) mod solo12;
pub(super) mod stage;
pub(super) mod stick;
pub(super) mod stirring;
