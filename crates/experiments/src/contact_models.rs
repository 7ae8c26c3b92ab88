//! Contact models side by side: Q. Le Lidec, W. Jallet, L. Montaut, I. Laptev, C. Schmid, J. Carpentier, "Contact
//! Models in Robotics: a Comparative Analysis", figures 9 to 18, tables III and IV.

mod compliance;
mod consistency;
mod locomotion;
mod mass_ratio;
mod models;
mod picture;
mod pushing;
mod sliding;
mod times;
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
            name: "figure-9",
            weight: 1.0,
            run: sliding::path,
        },
        Part {
            name: "figure-10",
            weight: 1.0,
            run: sliding::energy,
        },
        Part {
            name: "figure-11",
            weight: 1.0,
            run: pushing::section,
        },
        Part {
            name: "figure-12",
            weight: 3.0,
            run: mass_ratio::section,
        },
        Part {
            name: "figure-13",
            weight: 3.0,
            run: compliance::section,
        },
        Part {
            name: "table-3",
            weight: 3.0,
            run: consistency::time_step,
        },
        Part {
            name: "table-4",
            weight: 2.0,
            run: consistency::tolerance,
        },
        Part {
            name: "figure-16",
            weight: 10.0,
            run: times::section,
        },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use crate::run::{Options, Run};

    /// The cubes' figures and tables are closed forms, or laws that hold at every step: in every build.
    #[test]
    fn cubes_slide_as_their_models_say() {
        let options = Options {
            quick: true,
            ..Options::default()
        };
        for part in EXPERIMENT.parts {
            let is_cube = ["figure-9", "figure-10", "table-3"];
            if !is_cube.contains(&part.name) {
                continue;
            }
            let mut silent = |_: f64, _: &str| {};
            let section = (part.run)(&mut Run::alone(&options, &mut silent)).unwrap();
            assert!(!section.statements.is_empty(), "{}", part.name);
            let mut statements = section.statements.iter();
            let missed = statements.find(|statement| statement.verdict == Verdict::NotMet);
            assert_eq!(missed, None);
        }
    }
}
