//! Where a constraint changes its way on a straight line of its impulse's argument s.

use nalgebra::Vector3;
use stiction_constraints::Law;

/// The α in (0, 1) at which a constraint with s + α ds, s in N·s as in [AL, (18)], opens, closes, starts or stops
/// sliding. Laws without such edges, or with others, have none here.
pub(crate) fn edges(
    law: &Law,
    rows: usize,
    s: &Vector3<f64>,
    ds: &Vector3<f64>,
    out: &mut Vec<f64>,
) {
    let mut push = |alpha: f64| out.extend((alpha > 0.0 && alpha < 1.0).then_some(alpha));
    match law {
        Law::Unilateral => (0..rows).for_each(|row| push(-s[row] / ds[row])),
        law => {
            let Some([along, across]) = law.friction() else {
                return;
            };
            push(-s.z / ds.z);
            if along <= 0.0 || across <= 0.0 {
                return;
            }
            // (s_1/μ_1)² + (s_2/μ_2)² = s_n², a quadratic in α.
            let (u, v) = ([s.x / along, s.y / across], [ds.x / along, ds.y / across]);
            let a = v[0] * v[0] + v[1] * v[1] - ds.z * ds.z;
            let b = u[0] * v[0] + u[1] * v[1] - s.z * ds.z;
            let c = u[0] * u[0] + u[1] * u[1] - s.z * s.z;
            let root = (b * b - a * c).sqrt();
            // The same roots by the formula that does not cancel; NaN where there are none.
            let q = -(b + b.signum() * root);
            for alpha in [q / a, c / q] {
                // On the cone, not on its mirror image.
                if s.z + alpha * ds.z > 0.0 {
                    push(alpha);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_that_closes_and_begins_to_slide_has_both_edges() {
        let law = Law::Contact { friction: 0.5 };
        // s_n = −1 + 4 α, s_t = (1, 0): closes at 1/4, sticks from s_n = 2 on, at 3/4.
        let mut found = Vec::new();
        edges(
            &law,
            3,
            &Vector3::new(1.0, 0.0, -1.0),
            &Vector3::new(0.0, 0.0, 4.0),
            &mut found,
        );
        found.sort_by(f64::total_cmp);
        assert_eq!(found, [0.25, 0.75]);
        found.clear();
        edges(&Law::Equality, 3, &Vector3::x(), &-Vector3::x(), &mut found);
        assert!(found.is_empty());
    }
}
