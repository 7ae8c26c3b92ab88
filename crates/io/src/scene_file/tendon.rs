//! Tendons of a scene, as plain data.

use nalgebra::Point3;

/// A length that depends on where things are, with a spring, limits and friction of its own.
///
/// The unit of length is m for a path through points; for a sum of joints it is that of
/// coefficient · coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct TendonDescription {
    /// Unique among tendons.
    pub name: String,
    /// What its length is made of.
    pub path: TendonPath,
    /// Shortest and longest length, hard; `None` for none.
    pub limits: Option<[f64; 2]>,
    /// Spring, N/m.
    pub stiffness: f64,
    /// Damper, N·s/m.
    pub damping: f64,
    /// Lengths between which the spring is slack; equal ones are a rest length, m.
    pub rest: [f64; 2],
    /// Dry friction, N.
    pub friction_loss: f64,
}

/// What the length of a tendon is made of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TendonPath {
    /// Σ coefficient · coordinate over joints with one degree of freedom each.
    Joints {
        /// The robot.
        robot: String,
        /// Joint and coefficient.
        terms: Vec<(String, f64)>,
    },
    /// Straight lines through points, Σ length / divisor over the branches.
    Points(Vec<TendonBranch>),
}

/// A run of straight lines of a tendon.
#[derive(Debug, Clone, PartialEq)]
pub struct TendonBranch {
    /// What its length is divided by: how many such branches share a pulley.
    pub divisor: f64,
    /// Body (or `robot/link`) and point in its frame, m; two or more.
    pub points: Vec<(String, Point3<f64>)>,
}
