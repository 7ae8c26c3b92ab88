//! The augmented-Lagrangian paper: J. Lee, M. Lee, S. Park, J. Yun, D. Lee, "Variations of Augmented Lagrangian for
//! Robotic Multicontact Simulation", section VII: figures 7, 9, 11, 13 and 14, tables II and III, the two robot
//! tasks, and what section VI-D says of open contacts.

mod ablation_canal;
mod ablation_subadmm;
mod cases;
mod convex;
mod inner_solves;
mod nuts;
mod pouring;
mod rigid_twin;
mod single_step;
mod tasks;
mod watched;

use crate::run::{Experiment, Part};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "al",
    summary: "CANAL and SubADMM on bolt and nut, dishes, pouring and quadrupeds, and their ablations",
    title: "Variations of the augmented Lagrangian",
    introduction: "Lee, Lee, Park, Yun and Lee solve multicontact problems by two variations of the augmented Lagrangian: CANAL, a \
                   sequence of convex problems solved by Newton, and SubADMM, which alternates between subsystems and contacts. \
                   Each experiment of their section VII is run anew here on stiction's scenes of it, with their algorithms as \
                   printed (`canal-paper`, `subadmm-paper`), ours (`canal`, `subadmm`) and projected Gauss-Seidel (`pgs`). \
                   The paper's residual mixes m/s and N s and is averaged over contacts; the scaled one is the largest of all, \
                   in m/s. Times are processor time of the thread.",
    parts: &[
        Part {
            name: "bolt-nut",
            weight: 4.0,
            run: single_step::bolt_nut,
        },
        Part {
            name: "dishes",
            weight: 6.0,
            run: single_step::dishes,
        },
        Part {
            name: "tasks",
            weight: 30.0,
            run: tasks::section,
        },
        Part {
            name: "pouring",
            weight: 20.0,
            run: pouring::section,
        },
        Part {
            name: "ablation-canal",
            weight: 4.0,
            run: ablation_canal::section,
        },
        Part {
            name: "ablation-subadmm",
            weight: 10.0,
            run: ablation_subadmm::section,
        },
        Part {
            name: "convex",
            weight: 4.0,
            run: convex::section,
        },
    ],
};
