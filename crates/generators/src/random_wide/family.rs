//! Families of problems from plain to extreme, one for each law and each kind of subsystem.

use super::{Breadth, RandomWideParams};
use crate::kinds::{LawKind, SubsystemKind};

/// A named set of parameters to draw problems with.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// What it is about.
    pub name: String,
    /// What is drawn from; the seed is for whoever draws to set.
    pub params: RandomWideParams,
}

/// Families from plain to extreme: plain ones by law and by kind of subsystem, plain ones of
/// everything, then growing mass ratio and friction with oddities, then anything.
pub fn families() -> Vec<Family> {
    let plain = RandomWideParams {
        breadth: Breadth::Plain,
        max_subsystems: 4,
        max_constraints: 8,
        ..RandomWideParams::default()
    };
    let mut out = Vec::new();
    for law in LawKind::ALL {
        out.push(Family {
            name: format!("plain, {}", law.word()),
            params: RandomWideParams {
                laws: vec![law],
                ..plain.clone()
            },
        });
    }
    for kind in SubsystemKind::ALL {
        out.push(Family {
            name: format!("plain, {}", kind.word()),
            params: RandomWideParams {
                subsystems: vec![kind],
                ..plain.clone()
            },
        });
    }
    let mut push = |name: &str, params| {
        out.push(Family {
            name: name.to_owned(),
            params,
        });
    };
    push("plain, everything", plain.clone());
    for (name, mass_spread, max_friction) in [
        ("certified, masses 100 : 1", 10.0, 1.0),
        ("certified, masses 1e6 : 1", 1e3, 2.0),
        ("certified, masses 1e12 : 1", 1e6, 5.0),
    ] {
        push(
            name,
            RandomWideParams {
                breadth: Breadth::Certified,
                mass_spread,
                max_friction,
                ..plain.clone()
            },
        );
    }
    push(
        "wild",
        RandomWideParams {
            breadth: Breadth::Wild,
            ..RandomWideParams::default()
        },
    );
    out
}
