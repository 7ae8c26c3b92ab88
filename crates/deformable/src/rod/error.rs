//! What is refused, by name.

use thiserror::Error;

/// What is wrong with a rod or with what is asked of it.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RodError {
    /// A quantity that must be positive is not.
    #[error("{what} is {value:e}; it must be positive and finite")]
    NotPositive {
        /// Which quantity, with its unit.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A quantity that must not be negative is.
    #[error("{what} is {value:e}; it must be finite and not negative")]
    Negative {
        /// Which quantity, with its unit.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A Poisson ratio that no material has.
    #[error("Poisson's ratio is {value}; it must lie above -1 and at most at 0.5")]
    PoissonRatio {
        /// Its value.
        value: f64,
    },
    /// Too few links.
    #[error("a rod of {links} links: it needs at least two")]
    TooFewLinks {
        /// How many were asked for.
        links: usize,
    },
    /// Two neighbouring points of a rod are the same.
    #[error("points {first} and {} of the rod coincide", .first + 1)]
    PointsCoincide {
        /// The first of them.
        first: usize,
    },
    /// The points turn back on themselves: there is no tangent.
    #[error("the rod turns back on itself at point {point}: it has no tangent there")]
    NoTangent {
        /// Which point.
        point: usize,
    },
    /// A number that is not finite.
    #[error("{what} of link {link} is not finite")]
    LinkNotFinite {
        /// Which quantity.
        what: &'static str,
        /// Which link.
        link: usize,
    },
    /// A vector that is not finite or has no length.
    #[error("{what} is {value:?}; it must be finite{}", if *.nonzero { " and not zero" } else { "" })]
    BadVector {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: [f64; 3],
        /// Whether it also must have a length.
        nonzero: bool,
    },
    /// A joint is bent so far that its strain is not defined any more.
    #[error(
        "joint {joint} is bent by {:.1} degrees; beyond {:.0} degrees the shorter way round is the \
         other one: the rod needs more links",
        .angle.to_degrees(), super::joint::MOST_ANGLE.to_degrees()
    )]
    Folded {
        /// Which joint: between links `joint` and `joint` + 1.
        joint: usize,
        /// Angle between its links, rad.
        angle: f64,
    },
    /// A list is not as long as the rod asks.
    #[error("{what}: {found} were given, the rod has {expected}")]
    WrongLength {
        /// Which list.
        what: &'static str,
        /// What the rod has.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A link that does not exist.
    #[error("there is no link {link}: the rod has {links}")]
    NoSuchLink {
        /// What was named.
        link: usize,
        /// How many there are.
        links: usize,
    },
    /// A joint that does not exist.
    #[error("there is no joint {joint}: the rod has {joints}")]
    NoSuchJoint {
        /// What was named.
        joint: usize,
        /// How many there are.
        joints: usize,
    },
    /// An axis that does not exist.
    #[error("there is no axis {axis} of a link: 0 to 2 are along, 3 to 5 about the world's axes")]
    NoSuchAxis {
        /// What was named.
        axis: usize,
    },
    /// A time scheme that rods do not have.
    #[error(
        "θ = {theta}: rods are stepped with θ = 0 alone; with θ = 0.5 a bent rod gains energy, \
         since its stiffness does not bound its energy along the step"
    )]
    Theta {
        /// What was asked for.
        theta: f64,
    },
    /// A matrix that must be positive definite is not.
    #[error("the matrix of the rod is not positive definite at link {link}")]
    NotPositiveDefinite {
        /// First link where it shows.
        link: usize,
    },
    /// No equilibrium was found.
    #[error(
        "no equilibrium after {iterations} Newton steps: the last one still turned a link by {step:e} rad \
         or moved one by that share of the rod's length"
    )]
    NoEquilibrium {
        /// Newton steps taken.
        iterations: usize,
        /// Size of the last one.
        step: f64,
    },
}

pub(super) fn positive(what: &'static str, value: f64) -> Result<(), RodError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(RodError::NotPositive { what, value })
    }
}

pub(super) fn not_negative(what: &'static str, value: f64) -> Result<(), RodError> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(RodError::Negative { what, value })
    }
}

pub(super) fn same_length(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), RodError> {
    if expected == found {
        Ok(())
    } else {
        Err(RodError::WrongLength {
            what,
            expected,
            found,
        })
    }
}
