//! Projections onto the friction cone and their derivatives.
//!
//! Components are ordered (t1, t2, n). The cone is {λ : ‖λ_t‖ ≤ μ λ_n}, or the elliptic
//! {λ : (λ_t1/μ1)² + (λ_t2/μ2)² ≤ λ_n²}.

mod elliptic;
mod isotropic;
mod pyramid;
mod smoothed;

pub use elliptic::{
    project_elliptic, project_elliptic_derivative, project_elliptic_strict,
    project_elliptic_strict_derivative,
};
pub use isotropic::{
    project, project_derivative, project_strict, project_strict_derivative,
    project_strict_side_by_side,
};
pub use pyramid::Pyramid;
pub use smoothed::{project_smoothed, smoothed_positive_part};

use nalgebra::Vector3;

/// Euclidean distance of λ to the friction cone with slopes `friction` along t1 and t2.
pub fn distance(lambda: &Vector3<f64>, friction: [f64; 2]) -> f64 {
    let nearest = if friction[0] == friction[1] {
        project(lambda, friction[0])
    } else {
        project_elliptic(lambda, friction)
    };
    (lambda - nearest).norm()
}

/// Euclidean distance of a velocity to the dual cone {w : w_n ≥ ‖(μ1 w_t1, μ2 w_t2)‖}. By Moreau's
/// decomposition it is the length of the projection of −w onto the cone itself.
pub fn distance_to_dual(velocity: &Vector3<f64>, friction: [f64; 2]) -> f64 {
    let opposite = -velocity;
    if friction[0] == friction[1] {
        project(&opposite, friction[0]).norm()
    } else {
        project_elliptic(&opposite, friction).norm()
    }
}
