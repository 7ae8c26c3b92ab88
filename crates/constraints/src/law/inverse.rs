//! The inverse: impulses from velocities, for laws that give way.

use nalgebra::Vector3;

use super::{ConeOperator, Law};

impl Law {
    /// The impulse λ = SOL(z, Ω) that belongs to a row velocity z alone, [COND, §III-E 1]: what somebody who has
    /// measured a motion, or prescribes one, reads off it without solving anything. `None` for laws that
    /// are not invertible: all hard ones, and compliant contacts without compliance in both directions.
    ///
    /// It is the law at z itself, z = x̄ + λ/β with β → ∞, so that an impulse that a solver found at z is found
    /// again here.
    pub fn inverse_impulse(
        &self,
        rows: usize,
        z: &Vector3<f64>,
        e: &Vector3<f64>,
        operator: ConeOperator,
    ) -> Option<Vector3<f64>> {
        let is_invertible = match *self {
            Law::CompliantContact {
                tangential_compliance,
                normal_compliance,
                friction,
            } => {
                if friction == [0.0; 2] && tangential_compliance == 0.0 {
                    // There is no tangential impulse to be found: any compliance finds none.
                    let law = Law::CompliantContact {
                        tangential_compliance: 1.0,
                        normal_compliance,
                        friction,
                    };
                    return law.inverse_impulse(rows, z, e, operator);
                }
                normal_compliance > 0.0 && tangential_compliance > 0.0
            }
            Law::Soft { .. } => true,
            Law::Unilateral
            | Law::Equality
            | Law::Contact { .. }
            | Law::AnisotropicContact { .. }
            | Law::JointFriction { .. }
            | Law::JointLimit { .. }
            | Law::Custom { .. } => false,
        };
        if !is_invertible {
            return None;
        }
        if let Law::Soft { stiffness, damping } = *self {
            let mut impulse = z * -damping - e * stiffness;
            impulse.iter_mut().skip(rows).for_each(|row| *row = 0.0);
            return Some(impulse);
        }
        Some(self.impulse(rows, z, e, f64::INFINITY, operator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_laws_have_no_inverse() {
        let at = |law: Law| {
            law.inverse_impulse(3, &Vector3::z(), &Vector3::zeros(), ConeOperator::Strict)
        };
        assert!(at(Law::Contact { friction: 0.5 }).is_none());
        assert!(at(Law::Equality).is_none());
        let compliant = |tangential, normal, friction| {
            at(Law::CompliantContact {
                friction: [friction; 2],
                tangential_compliance: tangential,
                normal_compliance: normal,
            })
        };
        assert!(compliant(0.0, 0.1, 0.5).is_none());
        assert!(compliant(0.1, 0.0, 0.5).is_none());
        assert_eq!(compliant(0.1, 0.1, 0.5), Some(Vector3::zeros()));
        let frictionless = compliant(0.0, 0.1, 0.0);
        assert_eq!(frictionless, Some(Vector3::zeros()));
    }
}
