//! Joint friction and limits as complementarity conditions: S. Park, J. Yun, D. Lee, "Constrained
//! Dynamics Solver for Robotic Simulation via Augmented Lagrangian", eqs. (6)–(10), figures 2–4.

mod as_printed;
mod door_handle;
mod panda;

use crate::run::{Experiment, Part};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "joint-constraints",
    summary: "joint friction and limits of a door handle, and a Panda with a box under random actuation",
    title: "Joint friction and limits in the same framework as contact",
    introduction: "Park, Yun and Lee state joint dry friction (their eqs. 6 and 7) and joint limits (eqs. 8 to 10) \
                   as complementarity conditions, and solve them together with contact by CANAL and \
                   SubADMM. Their three figures are made anew here with stiction's solvers of these names.",
    parts: &[
        Part {
            name: "friction",
            weight: 2.0,
            run: door_handle::friction,
        },
        Part {
            name: "limits",
            weight: 2.0,
            run: door_handle::limits,
        },
        Part {
            name: "convergence",
            weight: 5.0,
            run: panda::section,
        },
        Part {
            name: "as-printed",
            weight: 1.0,
            run: as_printed::section,
        },
    ],
};

/// Both solvers of the paper, with the tolerance that door handles are solved to here (m/s).
const SOLVERS: [(&str, f64); 2] = [("canal", 1e-12), ("subadmm", 1e-4)];
