//! The elliptic cone: one scalar equation, solved to rounding by a monotone Newton iteration.

use nalgebra::{Matrix3, Vector2, Vector3};

/// Strict operator for the elliptic cone: normal part first, then the nearest point of the
/// ellipse with semi-axes μ1 λ_n and μ2 λ_n.
pub fn project_elliptic_strict(s: &Vector3<f64>, friction: [f64; 2]) -> Vector3<f64> {
    if s.z <= 0.0 {
        return Vector3::zeros();
    }
    let axes = [friction[0] * s.z, friction[1] * s.z];
    match ellipse_multiplier([s.x, s.y], axes) {
        None => *s,
        Some(tau) => {
            let t = ellipse_point([s.x, s.y], axes, tau);
            Vector3::new(t.x, t.y, s.z)
        }
    }
}

/// [`project_elliptic_strict`] with its derivative ∂λ/∂s.
pub fn project_elliptic_strict_derivative(
    s: &Vector3<f64>,
    friction: [f64; 2],
) -> (Vector3<f64>, Matrix3<f64>) {
    if s.z <= 0.0 {
        return (Vector3::zeros(), Matrix3::zeros());
    }
    let axes = [friction[0] * s.z, friction[1] * s.z];
    let Some(tau) = ellipse_multiplier([s.x, s.y], axes) else {
        return (*s, Matrix3::identity());
    };
    let t = ellipse_point([s.x, s.y], axes, tau);
    // t_k (1 + τ/a_k²) = s_k and Σ (t_k/a_k)² = 1 with a_k = μ_k s_n, differentiated.
    let weight = Vector2::new(
        1.0 / (1.0 + tau / (axes[0] * axes[0])),
        1.0 / (1.0 + tau / (axes[1] * axes[1])),
    );
    let normal = Vector2::new(t.x / (axes[0] * axes[0]), t.y / (axes[1] * axes[1]));
    let weighted = weight.component_mul(&normal);
    let denominator = weighted.dot(&normal);
    // Moving s_n scales the ellipse: 2τ t_k/(a_k² s_n) stays on the left, and the boundary moves out.
    let by_normal = Vector2::new(
        weight.x * 2.0 * tau * t.x / (axes[0] * axes[0] * s.z),
        weight.y * 2.0 * tau * t.y / (axes[1] * axes[1] * s.z),
    );
    let grow = (1.0 / s.z - normal.dot(&by_normal)) / denominator;
    let mut derivative = Matrix3::zeros();
    for i in 0..2 {
        for j in 0..2 {
            derivative[(i, j)] = -weighted[i] * weighted[j] / denominator;
        }
        derivative[(i, i)] += weight[i];
        derivative[(i, 2)] = by_normal[i] + weighted[i] * grow;
    }
    derivative[(2, 2)] = 1.0;
    (Vector3::new(t.x, t.y, s.z), derivative)
}

/// Nearest point of the elliptic cone.
pub fn project_elliptic(s: &Vector3<f64>, friction: [f64; 2]) -> Vector3<f64> {
    match cone_multiplier(s, friction) {
        ConePlace::Inside => *s,
        ConePlace::Polar => Vector3::zeros(),
        ConePlace::Surface(eta) => cone_point(s, friction, eta),
    }
}

/// [`project_elliptic`] with its derivative: symmetric positive semidefinite.
pub fn project_elliptic_derivative(
    s: &Vector3<f64>,
    friction: [f64; 2],
) -> (Vector3<f64>, Matrix3<f64>) {
    let eta = match cone_multiplier(s, friction) {
        ConePlace::Inside => return (*s, Matrix3::identity()),
        ConePlace::Polar => return (Vector3::zeros(), Matrix3::zeros()),
        ConePlace::Surface(eta) => eta,
    };
    let lambda = cone_point(s, friction, eta);
    if lambda.z <= 0.0 {
        return (Vector3::zeros(), Matrix3::zeros());
    }
    // With g(λ) = ‖M⁻¹λ_t‖ − λ_n, M = diag(μ): (I + η ∇²g) dλ + ∇g dη = ds, ∇gᵀ dλ = 0.
    let (scale_x, scale_y) = (
        1.0 / (friction[0] * friction[0]),
        1.0 / (friction[1] * friction[1]),
    );
    let gradient = Vector3::new(
        scale_x * lambda.x / lambda.z,
        scale_y * lambda.y / lambda.z,
        -1.0,
    );
    let ratio = eta / lambda.z;
    let curvature = Matrix3::new(
        1.0 + ratio * (scale_x - gradient.x * gradient.x),
        -ratio * gradient.x * gradient.y,
        0.0, //
        -ratio * gradient.x * gradient.y,
        1.0 + ratio * (scale_y - gradient.y * gradient.y),
        0.0, //
        0.0,
        0.0,
        1.0,
    );
    let Some(inverse) = curvature.try_inverse() else {
        return (lambda, Matrix3::zeros());
    };
    let inverse = 0.5 * (inverse + inverse.transpose());
    let bent = inverse * gradient;
    (
        lambda,
        inverse - bent * bent.transpose() / gradient.dot(&bent),
    )
}

enum ConePlace {
    Inside,
    Polar,
    /// On the surface, with the multiplier η of the constraint ‖M⁻¹λ_t‖ ≤ λ_n.
    Surface(f64),
}

/// Solves Σ (s_k μ_k)² / (μ_k² s_n + (1 + μ_k²) η)² = 1 for η.
///
/// The left side is convex and decreasing where both denominators are positive, so Newton from
/// the left converges monotonically.
fn cone_multiplier(s: &Vector3<f64>, friction: [f64; 2]) -> ConePlace {
    if (s.x / friction[0]).hypot(s.y / friction[1]) <= s.z {
        return ConePlace::Inside;
    }
    if (s.x * friction[0]).hypot(s.y * friction[1]) <= -s.z {
        return ConePlace::Polar;
    }
    let numerators = [(s.x * friction[0]).abs(), (s.y * friction[1]).abs()];
    let slopes = [
        1.0 + friction[0] * friction[0],
        1.0 + friction[1] * friction[1],
    ];
    let offsets = [
        friction[0] * friction[0] * s.z,
        friction[1] * friction[1] * s.z,
    ];
    // Each term alone reaches one at (numerator − offset)/slope: the largest of these lies left of
    // the root and right of both poles.
    let start =
        ((numerators[0] - offsets[0]) / slopes[0]).max((numerators[1] - offsets[1]) / slopes[1]);
    ConePlace::Surface(monotone_root(start, numerators, offsets, slopes))
}

fn cone_point(s: &Vector3<f64>, friction: [f64; 2], eta: f64) -> Vector3<f64> {
    let normal = (s.z + eta).max(0.0);
    let shrink = |component: f64, mu: f64| {
        let denominator = mu * mu * normal + eta;
        if denominator > 0.0 {
            component * mu * mu * normal / denominator
        } else {
            0.0
        }
    };
    Vector3::new(shrink(s.x, friction[0]), shrink(s.y, friction[1]), normal)
}

/// Multiplier τ ≥ 0 of the projection onto an ellipse, `None` when the point is inside:
/// Σ (s_k a_k)² / (a_k² + τ)² = 1.
fn ellipse_multiplier(s: [f64; 2], axes: [f64; 2]) -> Option<f64> {
    if axes[0] <= 0.0 || axes[1] <= 0.0 {
        return Some(f64::INFINITY);
    }
    if (s[0] / axes[0]).hypot(s[1] / axes[1]) <= 1.0 {
        return None;
    }
    let numerators = [(s[0] * axes[0]).abs(), (s[1] * axes[1]).abs()];
    let offsets = [axes[0] * axes[0], axes[1] * axes[1]];
    let start = (numerators[0] - offsets[0])
        .max(numerators[1] - offsets[1])
        .max(0.0);
    Some(monotone_root(start, numerators, offsets, [1.0, 1.0]))
}

fn ellipse_point(s: [f64; 2], axes: [f64; 2], tau: f64) -> Vector2<f64> {
    let shrink = |component: f64, axis: f64| {
        if tau.is_finite() {
            component / (1.0 + tau / (axis * axis))
        } else {
            0.0
        }
    };
    Vector2::new(shrink(s[0], axes[0]), shrink(s[1], axes[1]))
}

/// Root of Σ (n_k / (o_k + c_k x))² = 1 from a start at or left of it. Newton on the convex
/// decreasing function climbs to the root and never passes it, up to rounding.
fn monotone_root(start: f64, numerators: [f64; 2], offsets: [f64; 2], slopes: [f64; 2]) -> f64 {
    let mut x = start;
    for _ in 0..60 {
        let (mut value, mut slope) = (-1.0, 0.0);
        for k in 0..2 {
            if numerators[k] > 0.0 {
                let denominator = offsets[k] + slopes[k] * x;
                let term = numerators[k] / denominator;
                value += term * term;
                slope -= 2.0 * slopes[k] * term * term / denominator;
            }
        }
        if value <= 0.0 || slope == 0.0 {
            break;
        }
        let step = -value / slope;
        x += step;
        if step <= 1e-16 * x.abs() {
            break;
        }
    }
    x
}
