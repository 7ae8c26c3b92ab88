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
pub(crate) struct Exclusions {
    bodies: HashSet<(usize, usize)>,
    colliders: HashSet<(usize, usize)>,
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

impl Exclusions {
    pub(crate) fn add_bodies(&mut self, a: usize, b: usize) {
        self.bodies.insert(ordered(a, b));
    }

    pub(crate) fn add_colliders(&mut self, a: usize, b: usize) {
        self.colliders.insert(ordered(a, b));
    }

    pub(crate) fn exclude(&self, bodies: (usize, usize), colliders: (usize, usize)) -> bool {
        let (a, b) = bodies;
        let (c, d) = colliders;
        self.bodies.contains(&ordered(a, b)) || self.colliders.contains(&ordered(c, d))
    }
}

/// Pairs of colliders that are tested whatever groups and exclusions say, with their own friction
/// where they have one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inclusions {
    colliders: HashMap<(usize, usize), Option<f64>>,
}

impl Inclusions {
    pub(crate) fn add(&mut self, a: usize, b: usize, friction: Option<f64>) {
        self.colliders.insert(ordered(a, b), friction);
    }

    pub(crate) fn include(&self, a: usize, b: usize) -> bool {
        self.colliders.contains_key(&ordered(a, b))
    }

    /// The friction that replaces what the materials of a pair say.
    pub(crate) fn friction(&self, a: usize, b: usize) -> Option<f64> {
        self.colliders.get(&ordered(a, b)).copied().flatten()
    }
}
