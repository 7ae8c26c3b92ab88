//! Kinds of laws and of subsystems, to choose among.

use stiction_constraints::{Law, Problem, ProblemError, Subsystem};

/// A kind of law without its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawKind {
    /// [`Law::Unilateral`].
    Unilateral,
    /// [`Law::Equality`].
    Equality,
    /// [`Law::Soft`].
    Soft,
    /// [`Law::Contact`].
    Contact,
    /// [`Law::AnisotropicContact`].
    AnisotropicContact,
    /// [`Law::CompliantContact`].
    CompliantContact,
    /// [`Law::JointFriction`].
    JointFriction,
    /// [`Law::JointLimit`].
    JointLimit,
}

impl LawKind {
    /// Every kind.
    pub const ALL: [LawKind; 8] = [
        LawKind::Unilateral,
        LawKind::Equality,
        LawKind::Soft,
        LawKind::Contact,
        LawKind::AnisotropicContact,
        LawKind::CompliantContact,
        LawKind::JointFriction,
        LawKind::JointLimit,
    ];

    /// The kind of a law; `None` for a custom one, which nothing here draws.
    pub fn of(law: &Law) -> Option<Self> {
        Some(match law {
            Law::Unilateral => LawKind::Unilateral,
            Law::Equality => LawKind::Equality,
            Law::Soft { .. } => LawKind::Soft,
            Law::Contact { .. } => LawKind::Contact,
            Law::AnisotropicContact { .. } => LawKind::AnisotropicContact,
            Law::CompliantContact { .. } => LawKind::CompliantContact,
            Law::JointFriction { .. } => LawKind::JointFriction,
            Law::JointLimit { .. } => LawKind::JointLimit,
            Law::Custom { .. } => return None,
        })
    }

    /// The word for it, that of [`Law::kind`].
    pub fn word(self) -> &'static str {
        match self {
            LawKind::Unilateral => "unilateral",
            LawKind::Equality => "equality",
            LawKind::Soft => "soft",
            LawKind::Contact => "contact",
            LawKind::AnisotropicContact => "anisotropic contact",
            LawKind::CompliantContact => "compliant contact",
            LawKind::JointFriction => "joint friction",
            LawKind::JointLimit => "joint limit",
        }
    }

    /// Whether it is a kind of contact, with three rows and a friction cone.
    pub fn is_contact(self) -> bool {
        matches!(
            self,
            LawKind::Contact | LawKind::AnisotropicContact | LawKind::CompliantContact
        )
    }
}

/// An error that names the first constraint with a custom law.
pub(crate) fn refuse_custom(problem: &Problem, reason: &'static str) -> Result<(), ProblemError> {
    let laws = problem
        .constraints()
        .iter()
        .map(|constraint| &constraint.law);
    let custom = laws.enumerate().find_map(|(index, law)| match law {
        Law::Custom { parameters, .. } => Some((index, parameters[0])),
        _ => None,
    });
    custom.map_or(Ok(()), |(constraint, value)| {
        Err(ProblemError::Constraint {
            constraint,
            field: "parameters of a custom law",
            value,
            reason,
        })
    })
}

/// A kind of subsystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubsystemKind {
    /// [`Subsystem::FreeBody`].
    FreeBody,
    /// [`Subsystem::Tree`].
    Tree,
    /// [`Subsystem::Sparse`].
    Sparse,
    /// [`Subsystem::Dense`].
    Dense,
}

impl SubsystemKind {
    /// Every kind.
    pub const ALL: [SubsystemKind; 4] = [
        SubsystemKind::FreeBody,
        SubsystemKind::Tree,
        SubsystemKind::Sparse,
        SubsystemKind::Dense,
    ];

    /// The kind of a subsystem.
    pub fn of(subsystem: &Subsystem) -> Self {
        match subsystem {
            Subsystem::FreeBody(_) => SubsystemKind::FreeBody,
            Subsystem::Tree(_) => SubsystemKind::Tree,
            Subsystem::Sparse(_) => SubsystemKind::Sparse,
            Subsystem::Dense(_) => SubsystemKind::Dense,
        }
    }

    /// The word for it, that of [`Subsystem::kind`].
    pub fn word(self) -> &'static str {
        match self {
            SubsystemKind::FreeBody => "free body",
            SubsystemKind::Tree => "tree",
            SubsystemKind::Sparse => "sparse",
            SubsystemKind::Dense => "dense",
        }
    }
}
