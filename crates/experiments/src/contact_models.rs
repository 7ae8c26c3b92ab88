//! Contact models side by side: Q. Le Lidec, W. Jallet, L. Montaut, I. Laptev, C. Schmid, J. Carpentier, "Contact
//! Models in Robotics: a Comparative Analysis", figures 9 to 18, tables III and IV.

mod locomotion;
mod models;
mod picture;
mod watch;

use crate::run::{Experiment, Part};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "contact-models",
    summary: "LCP, CCP, RaiSim's model and NCP on cubes, robots and a walking quadruped",
    title: "Contact models side by side",
    introduction: "Le Lidec and others compare what simulators make of frictional contact: the linear complementarity \
                   problem on a friction pyramid (LCP), the cone complementarity problem (CCP), RaiSim's model, and the \
                   nonlinear complementarity problem of Signorini's condition and Coulomb's law itself (NCP). Their \
                   experiments are made anew with stiction's solvers of each model. Masses, speeds, friction and pushes \
                   that they do not publish are ours. Where a solve is stopped by ε_abs, that is the largest of primal, \
                   dual and complementarity violation of the model that the solver solves. Times are processor time of \
                   one thread.",
    parts: &[
        Part {
            name: "figure-17",
            weight: 15.0,
            run: locomotion::flat,
        },
        Part {
            name: "figure-18",
            weight: 30.0,
            run: locomotion::bumpy,
        },
    ],
};
