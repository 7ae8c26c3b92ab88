//! Soft contacts as simulators with a reference acceleration have them, for solvers that want them so.

/// How contacts give way in the model of MuJoCo: instead of a gap that must not close, every contact has a
/// reference acceleration that brings the gap back, a_ref = −B J v − K d φ, and a compliance R = (1 − d)/d · w, with w the
/// inverse mass that the contact is thought to meet. The impedance d in (0, 1) rises from the first to the second
/// of [`impedance`](Self::impedance) over [`width`](Self::width) of penetration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftContacts {
    /// Time constant in which a penetration goes away, s (`solref[0]`); never below two time steps.
    pub time_constant: f64,
    /// Damping ratio of that motion (`solref[1]`).
    pub damping_ratio: f64,
    /// Impedance at the surface and from `width` on (`solimp[0]`, `solimp[1]`).
    pub impedance: [f64; 2],
    /// Penetration over which the impedance rises, m (`solimp[2]`).
    pub width: f64,
    /// Where in the width it has risen halfway, in (0, 1) (`solimp[3]`).
    pub midpoint: f64,
    /// Power of the two arcs that it rises along, at least 1 (`solimp[4]`).
    pub power: f64,
    /// How much stiffer friction is than the normal direction (`impratio`).
    pub ratio: f64,
}

/// A contact in this model: the velocities that obey the law are z + e + R λ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftRows {
    /// e of the rows (t1, t2, n), m/s.
    pub error: [f64; 3],
    /// R of the friction rows, 1/kg.
    pub tangential_compliance: f64,
    /// R of the normal row, 1/kg.
    pub normal_compliance: f64,
}

impl SoftContacts {
    /// MuJoCo's defaults.
    pub const MUJOCO: Self = Self {
        time_constant: 0.02,
        damping_ratio: 1.0,
        impedance: [0.9, 0.95],
        width: 1e-3,
        midpoint: 0.5,
        power: 2.0,
        ratio: 1.0,
    };

    /// d of a contact with a gap, m.
    pub fn impedance_at(&self, gap: f64) -> f64 {
        let [low, high] = self.impedance;
        let x = gap.abs() / self.width;
        let rise = if x >= 1.0 {
            1.0
        } else if self.power == 1.0 {
            x
        } else if x <= self.midpoint {
            x.powf(self.power) / self.midpoint.powf(self.power - 1.0)
        } else {
            let left = 1.0 - self.midpoint;
            1.0 - (1.0 - x).powf(self.power) / left.powf(self.power - 1.0)
        };
        low + rise * (high - low)
    }

    /// R of a row that meets an inverse mass, 1/kg.
    pub fn compliance_at(&self, gap: f64, inverse_mass: f64) -> f64 {
        let d = self.impedance_at(gap);
        (1.0 - d) / d * inverse_mass
    }

    /// e of a row with a gap (m; rad) that moves with J v (m/s; rad/s) at the start of a step of `dt` s.
    ///
    /// MuJoCo's model is about accelerations, J a − a_ref + R f = 0 where something pushes; with v⁺ = v + dt a and λ = dt f
    /// that is J v⁺ − (J v + dt a_ref) + R λ = 0.
    pub fn error(&self, gap: f64, before: f64, dt: f64) -> f64 {
        let time = self.time_constant.max(2.0 * dt);
        let [_, d_max] = self.impedance;
        let damping = 2.0 / (d_max * time);
        let stiffness = 1.0 / (d_max * time * self.damping_ratio).powi(2);
        (dt * damping - 1.0) * before + dt * stiffness * self.impedance_at(gap) * gap
    }

    /// A contact with a gap (m) whose rows (t1, t2, n) move with J v (m/s) at the start of a step of `dt` s, and that
    /// is thought to meet an inverse mass (1/kg). For gaps of at most zero: what is apart is no contact yet in that model.
    pub fn rows(&self, gap: f64, [t1, t2, n]: [f64; 3], inverse_mass: f64, dt: f64) -> SoftRows {
        let normal_compliance = self.compliance_at(gap, inverse_mass);
        SoftRows {
            error: [
                self.error(0.0, t1, dt),
                self.error(0.0, t2, dt),
                self.error(gap, n, dt),
            ],
            tangential_compliance: normal_compliance / self.ratio,
            normal_compliance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_impedance_rises_from_one_end_to_the_other() {
        let soft = SoftContacts::MUJOCO;
        assert_eq!(soft.impedance_at(0.0), 0.9);
        assert_eq!(soft.impedance_at(-0.01), 0.95);
        assert!((soft.impedance_at(-5e-4) - 0.925).abs() < 1e-12);
        assert!((soft.impedance_at(-2.5e-4) - 0.90625).abs() < 1e-12);
        assert!((soft.impedance_at(-7.5e-4) - 0.94375).abs() < 1e-12);
    }

    #[test]
    fn a_weight_at_rest_lies_where_its_reference_acceleration_is_gravity() {
        // f = (a_ref − a)/R with a = 0 must carry m g: K d (−φ) = R m g, with R = (1 − d)/d / m.
        let (soft, dt) = (SoftContacts::MUJOCO, 2e-3);
        let gap = -1e-3;
        let rows = soft.rows(gap, [0.0; 3], 0.5, dt);
        let impulse = -rows.error[2] / rows.normal_compliance;
        let expected = dt / (0.95_f64 * 0.02).powi(2) * 0.95 * 1e-3 / (0.05 / 0.95 * 0.5);
        assert!((impulse - expected).abs() < 1e-12 * expected);
    }
}
