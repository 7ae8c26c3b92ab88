//! Kinds of laws and of subsystems, to choose among.

use stiction_constraints::{Law, Subsystem};

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

    /// The kind of a law.
    pub fn of(law: &Law) -> Self {
        match law {
            Law::Unilateral => LawKind::Unilateral,
            Law::Equality => LawKind::Equality,
            Law::Soft { .. } => LawKind::Soft,
            Law::Contact { .. } => LawKind::Contact,
            Law::AnisotropicContact { .. } => LawKind::AnisotropicContact,
            Law::CompliantContact { .. } => LawKind::CompliantContact,
            Law::JointFriction { .. } => LawKind::JointFriction,
            Law::JointLimit { .. } => LawKind::JointLimit,
        }
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
