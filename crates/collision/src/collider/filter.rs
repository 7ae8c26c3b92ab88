//! Which colliders may touch at all.

use std::collections::{HashMap, HashSet};

/// Group membership and mask of a collider: two collide if each is in a group the other's mask has,
/// or, where both say that either is enough, if one of them is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    /// Bits of the groups this collider is in.
    pub member_of: u32,
    /// Bits of the groups it collides with.
    pub collides_with: u32,
    /// Whether one match is enough, as with MuJoCo's `contype` and `conaffinity`.
    pub either: bool,
}

impl Default for Groups {
    /// In the first group, colliding with all.
    fn default() -> Self {
        Self {
            member_of: 1,
            collides_with: u32::MAX,
            either: false,
        }
    }
}

impl Groups {
    /// Whether two colliders may touch.
    pub fn allow(&self, other: &Self) -> bool {
        let here = self.member_of & other.collides_with != 0;
        let there = other.member_of & self.collides_with != 0;
        match self.either && other.either {
            true => here || there,
            false => here && there,
        }
    }
}

/// Pairs that are never tested.
#[derive(Debug, Clone, Default)]
pub(super) struct Exclusions {
    frames: HashSet<(u32, u32)>,
    colliders: HashSet<(u32, u32)>,
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

impl Exclusions {
    pub(super) fn add_frames(&mut self, a: u32, b: u32) {
        self.frames.insert(ordered(a, b));
    }

    pub(super) fn add_colliders(&mut self, a: u32, b: u32) {
        self.colliders.insert(ordered(a, b));
    }

    pub(super) fn exclude_frames(&self, a: u32, b: u32) -> bool {
        self.frames.contains(&ordered(a, b))
    }

    pub(super) fn exclude_colliders(&self, a: u32, b: u32) -> bool {
        self.colliders.contains(&ordered(a, b))
    }
}

/// Pairs of colliders that are tested whatever groups and exclusions say, with their own friction
/// where they have one.
#[derive(Debug, Clone, Default)]
pub(super) struct Inclusions {
    colliders: HashMap<(u32, u32), Option<f64>>,
}

impl Inclusions {
    pub(super) fn add(&mut self, a: u32, b: u32, friction: Option<f64>) {
        self.colliders.insert(ordered(a, b), friction);
    }

    pub(super) fn include(&self, a: u32, b: u32) -> bool {
        self.colliders.contains_key(&ordered(a, b))
    }

    /// The friction that replaces what the materials of a pair say.
    pub(super) fn friction(&self, a: u32, b: u32) -> Option<f64> {
        self.colliders.get(&ordered(a, b)).copied().flatten()
    }
}
