//! Which solver solves which model.

use stiction_sim::solvers::all;

/// What a solver makes of frictional contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Linear complementarity problem: friction within a pyramid.
    Lcp,
    /// Cone complementarity problem: convex, without Signorini's condition where something slips.
    Ccp,
    /// Signorini's condition with the slip of least energy on it.
    Raisim,
    /// Signorini's condition and Coulomb's law.
    Ncp,
}

impl Kind {
    /// The paper's word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Lcp => "LCP",
            Kind::Ccp => "CCP",
            Kind::Raisim => "RaiSim",
            Kind::Ncp => "NCP",
        }
    }
}

/// A solver of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Model {
    /// Its name in `stiction solvers`.
    pub(super) solver: &'static str,
    /// What it solves.
    pub(super) kind: Kind,
    /// Whether it solves one contact after the other.
    pub(super) is_per_contact: bool,
    /// Whether it adds compliance of its own, so that even what rests is not at rest.
    pub(super) is_softened: bool,
}

const fn per_contact(solver: &'static str, kind: Kind) -> Model {
    Model {
        solver,
        kind,
        is_per_contact: true,
        is_softened: false,
    }
}

const fn global(solver: &'static str, kind: Kind) -> Model {
    Model {
        is_per_contact: false,
        ..per_contact(solver, kind)
    }
}

const fn softened(solver: &'static str, kind: Kind) -> Model {
    Model {
        is_softened: true,
        ..global(solver, kind)
    }
}

/// Every solver that is compared; a further one is a line here.
const MODELS: &[Model] = &[
    per_contact("pgs-lcp", Kind::Lcp),
    global("lcp-direct", Kind::Lcp),
    global("lcp-staggered", Kind::Lcp),
    per_contact("pgs-ccp", Kind::Ccp),
    global("ccp-admm", Kind::Ccp),
    global("ccp-interior", Kind::Ccp),
    softened("ccp-regularised", Kind::Ccp),
    softened("mujoco-like", Kind::Ccp),
    per_contact("raisim", Kind::Raisim),
    per_contact("pgs", Kind::Ncp),
    global("staggered", Kind::Ncp),
    global("canal", Kind::Ncp),
    global("subadmm", Kind::Ncp),
];

impl Model {
    /// Whether it solves Signorini's condition and Coulomb's law.
    pub(super) fn is_ncp(&self) -> bool {
        self.kind == Kind::Ncp
    }

    /// The model and the solver in one word.
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.kind.word(), self.solver)
    }
}

/// Those of them that this program was built with.
pub(super) fn models() -> impl Iterator<Item = Model> {
    let is_there = |model: &&Model| all().any(|(name, _)| name == model.solver);
    MODELS.iter().filter(is_there).copied()
}

/// The one of a name, if this program was built with it.
pub(super) fn named(solver: &str) -> Option<Model> {
    models().find(|model| model.solver == solver)
}
