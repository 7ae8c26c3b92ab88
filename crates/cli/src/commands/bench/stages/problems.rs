//! What the stages are measured on: files, recorded steps, generated problems.

use stiction_constraints::{Problem, ProblemError};
use stiction_generators::{
    BoltNutParams, DishStackParams, MixedLawsParams, QuadrupedsParams, RandomSmallParams,
    TowerParams, bolt_nut, dish_stack, mixed_laws, quadrupeds, random_small, tower,
};
use stiction_problem_files::FullProblem;

use super::arguments::StagesArguments;
use crate::complain;
use crate::input::{self, LoadedProblem, Source};

/// Where one problem comes from; it is read or made when its turn comes.
pub(super) enum Origin {
    File(Source),
    Generated { family: Family, seed: u64 },
}

type Generate = fn(u64) -> Result<Problem, ProblemError>;

/// Generated problems of one kind.
#[derive(Clone, Copy)]
pub(super) struct Family {
    name: &'static str,
    generate: Generate,
}

const FAMILIES: [Family; 6] = [
    Family {
        name: "bolt-nut",
        generate: |seed| {
            bolt_nut(&BoltNutParams {
                // From slippery to rough, the same for a seed however many are asked for.
                friction: 0.1 + 0.9 * share(seed, 10),
                seed,
                ..BoltNutParams::default()
            })
        },
    },
    Family {
        name: "dishes",
        generate: |seed| {
            dish_stack(&DishStackParams {
                seed,
                ..DishStackParams::default()
            })
        },
    },
    Family {
        name: "quadrupeds",
        generate: |seed| {
            quadrupeds(&QuadrupedsParams {
                seed,
                ..QuadrupedsParams::default()
            })
        },
    },
    Family {
        name: "tower",
        generate: |seed| {
            tower(&TowerParams {
                cubes: 2 + (seed % 9) as usize,
                // As heavy as the others up to a thousand times.
                top_ratio: 10f64.powf(3.0 * share(seed, 7)),
                seed,
                ..TowerParams::default()
            })
        },
    },
    Family {
        name: "random small",
        generate: |seed| {
            random_small(&RandomSmallParams {
                seed,
                ..RandomSmallParams::default()
            })
        },
    },
    Family {
        name: "mixed laws",
        generate: |seed| mixed_laws(&MixedLawsParams { seed }),
    },
];

/// A seed's place among so many, in [0, 1].
fn share(seed: u64, among: u64) -> f64 {
    (seed % among) as f64 / (among - 1) as f64
}

/// Everything that was asked for; complains about what cannot be looked at.
pub(super) fn find(arguments: &StagesArguments) -> Vec<Origin> {
    let mut origins = Vec::new();
    if !arguments.inputs.is_empty() {
        let found = input::find(&arguments.inputs);
        found.unusable.iter().for_each(|problem| complain(problem));
        origins.extend(found.sources.into_iter().map(Origin::File));
    }
    for family in FAMILIES {
        origins.extend(
            (0..arguments.generated.unwrap_or(0)).map(|k| Origin::Generated {
                family,
                seed: arguments.seed.wrapping_add(k),
            }),
        );
    }
    origins
}

impl Origin {
    /// Reads or makes the problem; `None` for a file in a directory that is no problem file.
    pub(super) fn load(&self) -> anyhow::Result<Option<LoadedProblem>> {
        match self {
            Origin::File(source) => source.load(),
            Origin::Generated { family, seed } => {
                Ok(Some(LoadedProblem::Full(Box::new(FullProblem {
                    name: format!("{} {seed}", family.name),
                    problem: (family.generate)(*seed)?,
                    solution: None,
                    guess: None,
                }))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_generates_from_any_seed() {
        for family in FAMILIES {
            for seed in [0, 1009, u64::MAX] {
                assert!((family.generate)(seed).is_ok(), "{} {seed}", family.name);
            }
        }
    }
}
