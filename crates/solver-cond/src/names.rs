//! The solvers by name, and what each says of itself.

use stiction_constraints::{Criterion, Declaration, Relaxation};

use crate::settings::{Chebyshev, CondSettings, Gain, Operator, Radius, StepMatrix};

/// Every solver of this crate: its name and what it is for.
pub const SOLVERS: &[(&str, &str)] = &[
    (
        "cond",
        "contact nodalization and diagonalization: products with A alone, for soft bodies of many nodes",
    ),
    (
        "cond-shifted",
        "cond with a multiplier at each virtual node: the exact problem, also where bodies and links touch",
    ),
    (
        "cond-proximal",
        "cond on the convex cone model: always converges, slides with a lift-off error",
    ),
    (
        "cond-plain",
        "cond without Chebyshev acceleration, to see what that is worth",
    ),
    (
        "cond-paper",
        "cond with the acceleration as printed: its radius from the last two changes in every iteration",
    ),
    (
        "cond-bb",
        "cond with alternating Barzilai-Borwein steps instead of the acceleration",
    ),
];

/// Its static name and the settings of a solver's name.
pub(crate) fn named(name: &str) -> Option<(&'static str, CondSettings)> {
    let (name, _) = SOLVERS.iter().find(|(known, _)| *known == name)?;
    let default = CondSettings::default();
    let settings = match *name {
        "cond-shifted" => CondSettings {
            gain: Gain::Relative(4.0),
            shift: true,
            ..default
        },
        "cond-proximal" => CondSettings {
            operator: Operator::Proximal,
            ..default
        },
        "cond-plain" => CondSettings {
            chebyshev: None,
            ..default
        },
        "cond-paper" => CondSettings {
            chebyshev: Some(Chebyshev {
                radius: Radius::Latest,
                ..Chebyshev::default()
            }),
            ..default
        },
        "cond-bb" => CondSettings {
            step_matrix: StepMatrix::BarzilaiBorweinAlternating,
            chebyshev: None,
            ..default
        },
        _ => default,
    };
    Some((name, settings))
}

impl CondSettings {
    /// What a solver with these settings says of itself. All laws and subsystems are supported.
    pub fn declaration(&self) -> Declaration {
        let is_exact = self.shift && self.operator == Operator::Strict;
        Declaration {
            // What lags behind by λ/k_v lets bodies overlap and stuck ones creep; the cone model lifts off.
            relaxes: if is_exact {
                &[]
            } else {
                &[Relaxation::Signorini]
            },
            guarantee: match (self.operator, self.step_matrix) {
                (Operator::Proximal, StepMatrix::Eigenvalues) if self.chebyshev.is_none() => {
                    "converges to the solution of the convex cone model"
                }
                _ => "",
            },
            tests: &[Criterion::EpsAbs, Criterion::VelocityChange],
            own_test: Some(Criterion::VelocityChange),
            ..Declaration::EXACT
        }
    }
}
