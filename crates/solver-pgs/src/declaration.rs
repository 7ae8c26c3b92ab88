//! What each method supports, relaxes and promises.

use stiction_constraints::{Criterion, Declaration, Relaxation};

use crate::settings::Method;

impl Method {
    /// What a solver of this method says of itself. All laws and subsystems are supported by all.
    pub fn declaration(self) -> Declaration {
        let (relaxes, guarantee): (&[Relaxation], _) = match self {
            Method::Ncp | Method::ConjugateGradient | Method::Jacobi => (&[], ""),
            Method::Ccp => (
                &[Relaxation::Signorini],
                "converges to a solution of the convex cone model, if there is one",
            ),
            Method::Lcp => (&[Relaxation::Coulomb, Relaxation::MaximumDissipation], ""),
            Method::Raisim => (&[Relaxation::MaximumDissipation], ""),
        };
        Declaration {
            relaxes,
            guarantee,
            tests: &[Criterion::EpsAbs, Criterion::VelocityChange],
            // All contacts from the same iterate: none is favoured.
            avoids_internal_forces: self == Method::Jacobi,
            ..Declaration::EXACT
        }
    }
}
