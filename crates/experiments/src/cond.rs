//! Contact nodalization and diagonalization: J. Lee, M. Lee, D. Lee, "Large-Dimensional Multibody Dynamics
//! Simulation Using Contact Nodalization and Diagonalization", tables I to IX, figures 6 to 14.

mod assembly;
mod box_sliding;
mod follow;
mod handled;
mod inverse;
mod position_based;
mod progress;
mod robots;
mod same_residual;
mod size;
mod spectrum;
mod splitting;
mod stiffness;
mod tables;
mod variants;

use crate::run::{Experiment, Part};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "cond",
    summary: "contact nodalization and diagonalization on a sliding box, soft bodies and a cable",
    title: "Contact nodalization and diagonalization",
    introduction: "Lee, Lee and Lee solve contact of large systems by a fixed-point iteration on velocities that \
                   only multiplies with A. Their tables are made anew here with stiction's solver of this name, on \
                   stiction's scenes of their experiments. Times are processor time of the thread.",
    parts: &[
        Part {
            name: "table-1",
            weight: 1.0,
            run: box_sliding::table,
        },
        Part {
            name: "figure-14",
            weight: 1.0,
            run: box_sliding::anisotropic,
        },
        Part {
            name: "figure-13",
            weight: 3.0,
            run: inverse::section,
        },
        Part {
            name: "mat",
            weight: 10.0,
            run: robots::mat,
        },
        Part {
            name: "ball",
            weight: 10.0,
            run: robots::ball,
        },
        Part {
            name: "cable",
            weight: 5.0,
            run: robots::cable,
        },
        Part {
            name: "gripper",
            weight: 10.0,
            run: robots::gripper,
        },
        Part {
            name: "stiffness",
            weight: 5.0,
            run: stiffness::section,
        },
        Part {
            name: "nodes",
            weight: 5.0,
            run: size::section,
        },
        Part {
            name: "splitting",
            weight: 5.0,
            run: splitting::section,
        },
        Part {
            name: "position-based",
            weight: 3.0,
            run: position_based::section,
        },
        Part {
            name: "same-residual",
            weight: 10.0,
            run: same_residual::section,
        },
    ],
};
