//! Contacts as rows: from gap, speed and material to law and error term.

use nalgebra::{Point3, Vector3};
use stiction_constraints::{Law, ProblemError, SoftContacts};

use crate::impact::{Impact, Strike};
use crate::scheme::Scheme;
use crate::site::Site;
use crate::stabilization::{ContactNormal, tangential_error};
use crate::writer::RowWriter;

/// What two surfaces do to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Coefficients of friction along and across [`direction`](Self::direction).
    pub friction: [f64; 2],
    /// Direction of the first coefficient, world axes; `None` where there is no matter.
    pub direction: Option<Vector3<f64>>,
    /// Coefficient of restitution, in [0, 1].
    pub restitution: f64,
    /// Normal compliance, m/N; 0 is rigid.
    pub compliance: f64,
    /// Tangential compliance, m/(N·s); 0 sticks.
    pub tangential_compliance: f64,
}

impl Surface {
    /// The law of a contact of such surfaces in a step of `dt` s. A surface compliance c (m/N) gives
    /// the impulse λ = −dt (φ + dt z)/c, that is R = c/dt² in z + φ/dt + R λ = 0. A tangential compliance c
    /// (m/(N·s)) lets what sticks creep with c times the force of friction: R = c/dt.
    ///
    /// # Errors
    /// What no law describes.
    pub fn law(&self, dt: f64) -> Result<Law, &'static str> {
        let [along, across] = self.friction;
        let is_isotropic = along == across;
        if !is_isotropic && (along == 0.0 || across == 0.0) {
            return Err("two-axis friction needs two positive coefficients");
        }
        if self.compliance > 0.0 || self.tangential_compliance > 0.0 {
            return Ok(Law::CompliantContact {
                friction: self.friction,
                tangential_compliance: self.tangential_compliance / dt,
                normal_compliance: self.compliance / (dt * dt),
            });
        }
        if is_isotropic {
            return Ok(Law::Contact { friction: along });
        }
        Ok(Law::AnisotropicContact {
            friction: [along, across],
        })
    }
}

/// A contact point: the second site touches the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// What touches.
    pub sites: [Site; 2],
    /// Where, world, m.
    pub point: Point3<f64>,
    /// Unit normal from the first to the second.
    pub normal: Vector3<f64>,
    /// Gap, m; negative when penetrating.
    pub gap: f64,
    /// What the surfaces do.
    pub surface: Surface,
    /// The law that follows, see [`Surface::law`].
    pub law: Law,
}

/// What is known of a contact's rows once they are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRows {
    /// Directions that the rows measure, world axes: (t1, t2, n).
    pub frame: [Vector3<f64>; 3],
    /// The part of the normal error that pushes bodies apart which overlap, m/s.
    pub push_out: f64,
    /// The part of the error that driven sites contribute, m/s.
    pub driven: [f64; 3],
    /// Gap (m) and J_n v (m/s) at the start of the step, where restitution may act within it.
    pub closing: Option<[f64; 2]>,
}

impl Contact {
    /// Rows of a contact.
    pub const ROWS: usize = 3;

    /// Writes the rows (t1, t2, n): velocity of the second minus velocity of the first.
    ///
    /// # Errors
    /// Numbers that make no constraint.
    pub fn write(
        &self,
        scheme: &Scheme,
        mut row: RowWriter<'_>,
    ) -> Result<ContactRows, ProblemError> {
        let [t1, t2] = tangents(&self.normal, self.surface.direction);
        let frame = [t1, t2, self.normal];
        row.point(&self.sites[0], -1.0, &frame);
        row.point(&self.sites[1], 1.0, &frame);
        // The gap at the start of the step, as seen from where this pass linearises.
        let gap = self.gap - row.places().advance * row.guess[2];
        let (normal, push_out) = self.normal_error(gap, row.before[2], scheme);
        let [e1, e2] = tangential_error([row.before[0], row.before[1]], scheme.theta);
        let error = [
            e1 + row.driven[0],
            e2 + row.driven[1],
            normal + row.driven[2],
        ];
        let driven = [row.driven[0], row.driven[1], row.driven[2]];
        let before = row.before[2];
        row.finish(self.law, &error)?;
        let may_bounce = self.surface.restitution > 0.0
            && self.surface.compliance == 0.0
            && before < -Impact::SLOWEST;
        Ok(ContactRows {
            frame,
            push_out,
            driven,
            closing: may_bounce.then_some([gap, before]),
        })
    }

    /// Writes the rows of a contact that gives way, thought to meet an inverse mass, 1/kg, in place of what its
    /// surfaces say.
    ///
    /// # Errors
    /// Numbers that make no constraint.
    pub fn write_soft(
        &self,
        soft: &SoftContacts,
        inverse_mass: f64,
        scheme: &Scheme,
        mut row: RowWriter<'_>,
    ) -> Result<ContactRows, ProblemError> {
        let [t1, t2] = tangents(&self.normal, self.surface.direction);
        let frame = [t1, t2, self.normal];
        row.point(&self.sites[0], -1.0, &frame);
        row.point(&self.sites[1], 1.0, &frame);
        let driven = [row.driven[0], row.driven[1], row.driven[2]];
        let before = [row.before[0], row.before[1], row.before[2]];
        let rows = soft.rows(self.gap, before, inverse_mass, scheme.dt);
        let error = [0, 1, 2].map(|at| rows.error[at] + driven[at]);
        let law = Law::CompliantContact {
            friction: self.surface.friction,
            tangential_compliance: rows.tangential_compliance,
            normal_compliance: rows.normal_compliance,
        };
        row.finish(law, &error)?;
        Ok(ContactRows {
            frame,
            push_out: 0.0,
            driven,
            closing: None,
        })
    }

    /// Error terms of a contact that bounces within the step, m/s: for the velocity at its end, and for
    /// the way to there; and when it strikes. `None` if it does not bounce.
    pub fn bounce(impact: &Impact, driven: [f64; 3]) -> Option<([[f64; 3]; 2], Option<Strike>)> {
        let rebound = impact.rebound()?;
        let [t1, t2, n] = driven;
        let [way_1, way_2, way_n] = rebound.way;
        let errors = [
            [t1, t2, n - rebound.normal_velocity],
            [t1 - way_1, t2 - way_2, n - way_n],
        ];
        Some((errors, rebound.strike))
    }

    /// e of the normal row, and the part of it that pushes out, m/s.
    fn normal_error(&self, gap: f64, normal_velocity: f64, scheme: &Scheme) -> (f64, f64) {
        if self.surface.compliance > 0.0 {
            // The spring of the surfaces sees the gap itself.
            return (gap / scheme.dt, 0.0);
        }
        let hard = |gap: f64| {
            let normal = ContactNormal {
                gap,
                normal_velocity,
                // At θ = 0 restitution acts at the instant of the impact, see `bounce`.
                restitution: match scheme.theta > 0.0 {
                    true => self.surface.restitution,
                    false => 0.0,
                },
                baumgarte: scheme.baumgarte,
                dt: scheme.dt,
                theta: scheme.theta,
            };
            normal.error()
        };
        if gap >= 0.0 {
            return (hard(gap), 0.0);
        }
        let deepest = if scheme.baumgarte > 0.0 {
            -scheme.push_out_speed * scheme.dt / scheme.baumgarte
        } else {
            f64::NEG_INFINITY
        };
        let normal = hard(gap.max(deepest));
        (normal, hard(0.0) - normal)
    }
}

/// Two unit vectors that make (t1, t2, n) a right-handed frame; t1 along `wish` where given.
pub fn tangents(normal: &Vector3<f64>, wish: Option<Vector3<f64>>) -> [Vector3<f64>; 2] {
    let along = wish.map(|wish| wish - normal * wish.dot(normal));
    let first = match along.and_then(|along| along.try_normalize(1e-9)) {
        Some(along) => along,
        None => {
            // The axis least aligned with the normal.
            let axis = match normal.iamin() {
                0 => Vector3::x(),
                1 => Vector3::y(),
                _ => Vector3::z(),
            };
            (axis - normal * axis.dot(normal)).normalize()
        }
    };
    [first, normal.cross(&first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_right_handed_and_follow_the_wish() {
        for normal in [
            Vector3::z(),
            -Vector3::x(),
            Vector3::new(1.0, -2.0, 0.5).normalize(),
        ] {
            for wish in [None, Some(normal), Some(Vector3::new(0.3, 1.0, -0.2))] {
                let [t1, t2] = tangents(&normal, wish);
                assert!((t1.cross(&t2) - normal).norm() < 1e-14);
            }
        }
        let [t1, _] = tangents(&Vector3::z(), Some(Vector3::new(2.0, 0.0, 5.0)));
        assert!((t1 - Vector3::x()).norm() < 1e-15);
    }
}
