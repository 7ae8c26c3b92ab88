//! Error terms and law parameters from what a simulator knows: gap, speed, gains, time step.
//!
//! All of them are for the θ scheme M(v⁺ − v) = τ dt + Jᵀλ with v̂ = θ v + (1 − θ) v⁺, where
//! A = M/(1 − θ), b = M v/(1 − θ) + τ dt and 0 ≤ θ < 1. Laws speak of z = J v̂, users of v⁺: the
//! error term e translates. θ = 0 is the choice with the fewest surprises; with θ > 0 and e = 0 an
//! impact is perfectly elastic and a stopped slider chatters, which the terms below cure.
//!
//! Lengths in m, velocities in m/s, `dt` > 0 in s (for angular rows rad and rad/s). The functions
//! are plain arithmetic: not-finite input gives not-finite output, which [`Problem`] refuses.
//!
//! [`Problem`]: stiction_constraints::Problem

/// e of an equality constraint, κφ/dt: a share κ in (0, 1] (the Baumgarte gain) of the violation φ
/// is removed in this step.
pub fn equality_error(violation: f64, dt: f64, baumgarte: f64) -> f64 {
    baumgarte * violation / dt
}

/// e of a hard unilateral constraint with gap φ: φ/dt while open, so that the gap may close but
/// not be crossed in this step; κφ/dt when penetrating, so that the share κ in [0, 1] of the depth
/// is pushed out.
pub fn unilateral_error(gap: f64, dt: f64, baumgarte: f64) -> f64 {
    if gap >= 0.0 {
        gap / dt
    } else {
        baumgarte * gap / dt
    }
}

/// e of a contact's normal row that gives v⁺_n = −ε v_n on an impact, ((1 − θ)ε − θ) v_n, with the
/// normal velocity v_n < 0 before the step.
pub fn restitution_error(normal_velocity: f64, restitution: f64, theta: f64) -> f64 {
    ((1.0 - theta) * restitution - theta) * normal_velocity
}

/// What a contact's normal row is to achieve in one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactNormal {
    /// Signed distance φ in m, negative when penetrating.
    pub gap: f64,
    /// J_n v before the step in m/s, negative when approaching.
    pub normal_velocity: f64,
    /// Coefficient of restitution ε in [0, 1].
    pub restitution: f64,
    /// Share κ in [0, 1] of a penetration that is pushed out per step.
    pub baumgarte: f64,
    /// Time step in s.
    pub dt: f64,
    /// θ of the time scheme, in [0, 1).
    pub theta: f64,
}

impl ContactNormal {
    /// Whether the contact approaches and closes within the step at its present speed: only then
    /// is there an impact. (Restitution on a contact that is still far would bounce it in the
    /// air.)
    pub fn is_impact(&self) -> bool {
        self.normal_velocity < 0.0 && self.gap + self.dt * self.normal_velocity <= 0.0
    }

    /// e_n in m/s.
    ///
    /// Without an impact the gap rules. On an impact, with θ = 0 both the gap's and the
    /// restitution's bound must hold, so the smaller e (the faster separation) is taken; without
    /// restitution the gap alone, so that the bodies come to touch. With θ > 0 the two exclude each
    /// other (the gap's e = 0 would bounce) and the restitution's is taken.
    pub fn error(&self) -> f64 {
        let from_gap = unilateral_error(self.gap, self.dt, self.baumgarte);
        if !self.is_impact() {
            return from_gap;
        }
        let from_restitution =
            restitution_error(self.normal_velocity, self.restitution, self.theta);
        if self.theta > 0.0 {
            from_restitution
        } else if self.restitution > 0.0 {
            from_gap.min(from_restitution)
        } else {
            from_gap
        }
    }
}

/// e_t of a contact in m/s, −θ J_t v: makes friction act on v⁺ instead of v̂. Zero for θ = 0.
pub fn tangential_error(tangential_velocity: [f64; 2], theta: f64) -> [f64; 2] {
    tangential_velocity.map(|velocity| -theta * velocity)
}

/// Coefficients of [`Law::Soft`](stiction_constraints::Law::Soft) for e = φ, the spring's deflection itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftCoefficients {
    /// k in N·s per unit of deflection.
    pub stiffness: f64,
    /// c in kg (kg·m² for angular rows).
    pub damping: f64,
}

/// k = dt K and c = w dt² K + dt D of a spring K (N/m) with damper D (N·s/m), so that
/// λ = −k φ − c z is the impulse of the spring at the deflection φ + w dt z.
///
/// The weight w says where in the step the spring is evaluated: 1 implicit (the stable choice),
/// 1/2 midpoint.
pub fn soft_coefficients(spring: f64, damper: f64, dt: f64, weight: f64) -> SoftCoefficients {
    SoftCoefficients {
        stiffness: dt * spring,
        damping: weight * dt * dt * spring + dt * damper,
    }
}

/// Bound m of [`Law::JointFriction`](stiction_constraints::Law::JointFriction): friction torque (N·m, or force in
/// N) times the step. The law takes an impulse.
pub fn joint_friction_bound(friction_torque: f64, dt: f64) -> f64 {
    friction_torque * dt
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 0.01;

    /// v⁺ of a unit mass on its normal row: z = max(v̂_free, −e), v⁺ = (z − θ v)/(1 − θ).
    fn after_step(contact: &ContactNormal) -> f64 {
        let z = contact.normal_velocity.max(-contact.error());
        (z - contact.theta * contact.normal_velocity) / (1.0 - contact.theta)
    }

    fn contact(gap: f64, normal_velocity: f64, restitution: f64, theta: f64) -> ContactNormal {
        ContactNormal {
            gap,
            normal_velocity,
            restitution,
            baumgarte: 0.2,
            dt: DT,
            theta,
        }
    }

    #[test]
    fn impact_bounces_with_the_coefficient_at_any_theta() {
        for theta in [0.0, 0.25, 0.5] {
            for restitution in [0.0, 0.5, 1.0] {
                let after = after_step(&contact(0.0, -1.0, restitution, theta));
                assert!((after - restitution).abs() < 1e-15, "{theta} {restitution}");
            }
        }
    }

    #[test]
    fn without_error_term_the_midpoint_scheme_is_elastic() {
        // The trap that the helper avoids: θ = 1/2 and e = 0 turn −1 into +1.
        let (velocity, theta) = (-1.0f64, 0.5);
        let z: f64 = 0.0;
        assert_eq!((z - theta * velocity) / (1.0 - theta), 1.0);
    }

    #[test]
    fn an_open_contact_may_close_but_not_cross() {
        let open = contact(0.002, -1.0, 0.0, 0.0);
        assert_eq!(open.error(), 0.2);
        assert!((open.gap + DT * after_step(&open)).abs() < 1e-15);
        // Far away nothing happens, with restitution or without.
        for restitution in [0.0, 0.8] {
            let far = contact(0.1, -1.0, restitution, 0.0);
            assert!(!far.is_impact());
            assert_eq!(after_step(&far), -1.0);
        }
    }

    #[test]
    fn a_penetration_is_pushed_out_by_its_share() {
        let resting = contact(-0.001, 0.0, 0.5, 0.0);
        assert!((resting.error() + 0.2 * 0.001 / DT).abs() < 1e-15);
        assert!((after_step(&resting) - 0.02).abs() < 1e-15);
    }

    #[test]
    fn with_theta_zero_the_faster_separation_wins() {
        // Pushing out needs 0.02 m/s, bouncing 0.5 m/s, and then the other way round.
        assert_eq!(contact(-0.001, -1.0, 0.5, 0.0).error(), -0.5);
        assert!((contact(-0.001, -0.01, 0.5, 0.0).error() + 0.02).abs() < 1e-15);
    }

    #[test]
    fn separating_contacts_get_no_restitution() {
        let leaving = contact(0.0, 1.0, 0.5, 0.5);
        assert!(!leaving.is_impact());
        assert_eq!(leaving.error(), 0.0);
    }

    #[test]
    fn tangential_error_moves_friction_to_the_end_of_the_step() {
        assert_eq!(tangential_error([0.4, -0.2], 0.0), [0.0, 0.0]);
        let velocity = [0.4, -0.2];
        let error = tangential_error(velocity, 0.5);
        for k in 0..2 {
            // Sticking: z + e = 0, hence v⁺ = 0.
            let after = (-error[k] - 0.5 * velocity[k]) / 0.5;
            assert_eq!(after, 0.0);
        }
    }

    #[test]
    fn equality_and_unilateral_follow_the_table() {
        assert_eq!(equality_error(-0.03, 0.01, 0.5), -1.5);
        assert_eq!(unilateral_error(0.03, 0.01, 0.5), 3.0);
        assert_eq!(unilateral_error(-0.03, 0.01, 0.5), -1.5);
    }

    #[test]
    fn soft_coefficients_are_the_implicit_spring() {
        let (spring, damper, weight) = (400.0, 3.0, 1.0);
        let soft = soft_coefficients(spring, damper, DT, weight);
        assert_eq!(soft.stiffness, 4.0);
        assert!((soft.damping - (0.04 + 0.03)).abs() < 1e-15);
        // λ = −k φ − c z is dt × (spring at φ + dt z, damper at z).
        let (deflection, z) = (0.02, -0.7);
        let impulse = -soft.stiffness * deflection - soft.damping * z;
        let force = -spring * (deflection + weight * DT * z) - damper * z;
        assert!((impulse - DT * force).abs() < 1e-15);
        let midpoint = soft_coefficients(spring, 0.0, DT, 0.5);
        assert!((midpoint.damping - 0.02).abs() < 1e-15);
    }

    #[test]
    fn the_bound_of_joint_friction_is_an_impulse() {
        assert_eq!(joint_friction_bound(2.0, DT), 0.02);
    }
}
