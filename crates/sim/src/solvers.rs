//! The solvers by name: one line per family, each a feature of this crate.

use stiction_constraints::Solver;
use strsim::levenshtein;

use crate::error::{Result, SimError};

/// The solver that is used when none is named. Where the feature `canal` is off,
/// [`World::new`](crate::World::new) says so: such a world is made by
/// [`World::with_solver`](crate::World::with_solver).
pub const DEFAULT: &str = "canal";

/// Names and purposes of a family's solvers, and how to make one by its name.
struct Family {
    solvers: &'static [(&'static str, &'static str)],
    make: fn(&str) -> Option<Box<dyn Solver>>,
}

const FAMILIES: &[Family] = &[
    #[cfg(feature = "canal")]
    Family {
        solvers: stiction_solver_canal::SOLVERS,
        make: |name| boxed(stiction_solver_canal::Canal::named(name)),
    },
    #[cfg(feature = "subadmm")]
    Family {
        solvers: &stiction_solver_subadmm::SOLVERS,
        make: |name| boxed(stiction_solver_subadmm::SubAdmm::named(name)),
    },
    #[cfg(feature = "cond")]
    Family {
        solvers: stiction_solver_cond::SOLVERS,
        make: |name| boxed(stiction_solver_cond::Cond::named(name)),
    },
    #[cfg(feature = "pgs")]
    Family {
        solvers: stiction_solver_pgs::SOLVERS,
        make: |name| boxed(stiction_solver_pgs::Pgs::named(name)),
    },
    #[cfg(feature = "first-order")]
    Family {
        solvers: stiction_solver_first_order::SOLVERS,
        make: stiction_solver_first_order::named,
    },
    #[cfg(feature = "newton")]
    Family {
        solvers: stiction_solver_newton::SOLVERS,
        make: stiction_solver_newton::named,
    },
    #[cfg(feature = "convex")]
    Family {
        solvers: stiction_solver_convex::SOLVERS,
        make: stiction_solver_convex::named,
    },
    #[cfg(feature = "admm")]
    Family {
        solvers: stiction_solver_admm::SOLVERS,
        make: stiction_solver_admm::named,
    },
    #[cfg(feature = "lcp")]
    Family {
        solvers: stiction_solver_lcp::SOLVERS,
        make: stiction_solver_lcp::named,
    },
    #[cfg(feature = "interior")]
    Family {
        solvers: stiction_solver_interior::SOLVERS,
        make: stiction_solver_interior::named,
    },
];

#[cfg(any(
    feature = "canal",
    feature = "cond",
    feature = "pgs",
    feature = "subadmm"
))]
fn boxed<S: Solver + 'static>(solver: Option<S>) -> Option<Box<dyn Solver>> {
    solver.map(|solver| Box::new(solver) as Box<dyn Solver>)
}

/// Every solver with a line on what it is for.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    FAMILIES
        .iter()
        .flat_map(|family| family.solvers.iter().copied())
}

/// The solver of a name.
///
/// # Errors
/// A name that no solver has.
pub fn make(name: &str) -> Result<Box<dyn Solver>> {
    let found = FAMILIES.iter().find_map(|family| (family.make)(name));
    found.ok_or_else(|| {
        let known: Vec<&str> = all().map(|(known, _)| known).collect();
        match known.iter().min_by_key(|known| levenshtein(name, known)) {
            Some(nearest) => SimError::not_found("solver", name, nearest, &known),
            None => SimError::UnknownName {
                what: "solver",
                name: name.to_owned(),
                advice: "this program was built without solvers: give the world one of your own, \
                         or turn on a feature of stiction-sim such as `canal`"
                    .to_owned(),
            },
        }
    })
}

/// Makes solvers of a name.
pub(crate) fn maker(name: &str) -> Result<impl Fn() -> Box<dyn Solver> + Send + Sync + 'static> {
    make(name)?;
    let name = name.to_owned();
    Ok(move || make(&name).expect("names of solvers don't vanish"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_solver_exists_under_its_name_and_once() {
        let mut seen = Vec::new();
        for (name, purpose) in all() {
            assert_eq!(make(name).unwrap().name(), name);
            assert!(!purpose.is_empty() && !seen.contains(&name));
            seen.push(name);
        }
        assert!(seen.contains(&DEFAULT));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let message = make("canel").err().unwrap().to_string();
        assert!(message.contains("did you mean \"canal\""), "{message}");
    }
}
