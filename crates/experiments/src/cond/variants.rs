//! The variants of COND that the tables need beside those that have a name everywhere.

use stiction_constraints::Solver;
use stiction_sim::solvers;
use stiction_solver_cond::{Chebyshev, Cond, CondSettings, Gain, Radius, StepMatrix};

use super::box_sliding::problem_error;
use crate::error::Result;

/// Before the name of a variant: its virtual nodes have the gain [`GAIN`].
const STIFF: &str = "stiff ";
/// W by Barzilai and Borwein.
pub(super) const STIFF_STEPS: &str = "stiff cond-bb";
/// The acceleration as printed, and none.
pub(super) const STIFF_ACCELERATED: [&str; 2] = ["stiff cond-paper", "stiff cond-plain"];
/// W by the Frobenius norm as printed, which mixes metres and radians, with the acceleration as printed and without any.
pub(super) const PRINTED: [&str; 2] = ["cond-frobenius", "cond-frobenius-plain"];
/// k_v in impulse form, kg: 1e8 N·s/m for a step of 10 ms. What rests on a virtual node sinks by λ/k_v. Between bodies of
/// grams and more this gain costs no iterations; links of a cable, of milligrams, would round their impulses off.
const GAIN: f64 = 1e6;

/// A solver by its name here.
pub(super) fn make(name: &str) -> Result<Box<dyn Solver>> {
    let settings = if let Some(known) = name.strip_prefix(STIFF) {
        let known =
            Cond::named(known).ok_or_else(|| problem_error(format!("no solver {known}")))?;
        CondSettings {
            gain: Gain::Absolute(GAIN),
            ..known.settings().clone()
        }
    } else if PRINTED.contains(&name) {
        CondSettings {
            step_matrix: StepMatrix::Frobenius,
            chebyshev: (name == PRINTED[0]).then(|| Chebyshev {
                radius: Radius::Latest,
                ..Chebyshev::default()
            }),
            ..CondSettings::default()
        }
    } else {
        return Ok(solvers::make(name)?);
    };
    Ok(Box::new(Cond::new(settings).map_err(problem_error)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_made_and_nothing_else() {
        for name in PRINTED.iter().chain(&STIFF_ACCELERATED) {
            assert!(make(name).is_ok(), "{name}");
        }
        assert!(make(STIFF_STEPS).is_ok() && make("canal").is_ok());
        for name in ["stiff canal", "stiff ", "nobody"] {
            assert!(make(name).is_err(), "{name}");
        }
    }
}
