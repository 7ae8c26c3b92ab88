//! Subsystem-based ADMM: J. Lee, M. Lee, D. Lee, "Modular and Parallelizable Multibody Physics Simulation via
//! Subsystem-Based ADMM", Table I, figure 2 and the division of the cable.

mod accuracy;
mod links;
mod scalability;
mod scenario;
mod table;

use crate::run::{Experiment, Part};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "subsystem-admm",
    summary: "SubADMM against Gauss-Seidel, Jacobi, full ADMM and Newton on grains, a cable and a beam",
    title: "Subsystem-based ADMM",
    introduction: "Lee, Lee and Lee split multibody systems into subsystems and solve them by ADMM. They compare it, at equal numbers \
                   of iterations, with Gauss-Seidel accelerated by conjugate gradients (PGS, here `pgs-cg`), projected \
                   Jacobi (PJ, `jacobi`), ADMM on the whole system in the form of OSQP (FADMM, `fadmm`) and nonsmooth \
                   Newton on Fischer-Burmeister functions (NNewton, `newton-fb`). Their scenes are the built-in \
                   `stirring`, `cable-vehicles` and `beam-insertion`; paths, friction, controllers and materials that they do \
                   not publish are ours. AA is the mean over steps of -log10 of the norm of all constraint errors: \
                   contacts by Fischer-Burmeister functions (impulses over effective masses, m/s), all others by their laws.",
    parts: &[
        Part {
            name: "table-1",
            weight: 10.0,
            run: table::section,
        },
        Part {
            name: "figure-2",
            weight: 3.0,
            run: scalability::section,
        },
        Part {
            name: "links",
            weight: 2.0,
            run: links::section,
        },
    ],
};
