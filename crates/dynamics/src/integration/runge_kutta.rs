//! One substep of the classical Runge–Kutta rule on positions that move by exponentials (Munthe-Kaas).
//!
//! Positions of the stages are q ⊕ u; the rate of u is w = Jr(u)⁻¹ v, see [`exponential_rate`].
//!
//! [`exponential_rate`]: EquationOfMotion::exponential_rate

use std::ops::Range;

/// v̇ = a(q, v) on a manifold of positions.
pub trait EquationOfMotion {
    /// Why there are no accelerations.
    type Error;

    /// Writes q ⊕ u.
    fn displace(&mut self, q: &[f64], u: &[f64], out: &mut [f64]);

    /// Writes Jr(u)⁻¹ v: the rate of u where q ⊕ u moves with velocity v.
    fn exponential_rate(&mut self, u: &[f64], v: &[f64], out: &mut [f64]);

    /// Writes a(q, v); returns the power (W) of forces without potential. `weight` is that of the stage in the
    /// mean over the substep: sixths.
    ///
    /// # Errors
    /// A state without accelerations.
    fn accelerate(
        &mut self,
        q: &[f64],
        v: &[f64],
        weight: f64,
        out: &mut [f64],
    ) -> Result<f64, Self::Error>;
}

/// Buffers of a substep.
#[derive(Debug, Clone, Default)]
pub struct RungeKutta {
    /// Accelerations at the start, at the three other stages, and what the caller keeps of the end.
    pub k: [Vec<f64>; 5],
    /// The end of the substep.
    pub q_end: Vec<f64>,
    /// Velocities there.
    pub v_end: Vec<f64>,
    /// Rates of the displacement u at the last stage, and their weighted sum.
    w: Vec<f64>,
    sum: Vec<f64>,
    /// Displacement; work space between substeps.
    pub(super) u: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl RungeKutta {
    /// Makes room for so many positions and velocities.
    pub fn resize(&mut self, positions: usize, velocities: usize) {
        for q in [&mut self.q_end, &mut self.q] {
            q.resize(positions, 0.0);
        }
        for k in &mut self.k {
            k.resize(velocities, 0.0);
        }
        let Self {
            v_end,
            w,
            sum,
            u,
            v,
            ..
        } = self;
        for values in [v_end, w, sum, u, v] {
            values.resize(velocities, 0.0);
        }
    }

    /// Goes `h` s on from (q, v), where `k[0]` are the accelerations and `power` is that of the forces; writes
    /// the end and returns the work of forces without potential, J. `dofs` are the velocities that take part.
    ///
    /// # Errors
    /// A stage without accelerations.
    pub fn advance<E: EquationOfMotion>(
        &mut self,
        equation: &mut E,
        dofs: Range<usize>,
        h: f64,
        [q, v]: [&[f64]; 2],
        power: f64,
    ) -> Result<f64, E::Error> {
        let mut work = power;
        self.w[dofs.clone()].copy_from_slice(&v[dofs.clone()]);
        self.sum[dofs.clone()].copy_from_slice(&v[dofs.clone()]);
        for (stage, share, weight) in [(1, 0.5, 2.0), (2, 0.5, 2.0), (3, 1.0, 1.0)] {
            for dof in dofs.clone() {
                self.u[dof] = share * h * self.w[dof];
                self.v[dof] = v[dof] + share * h * self.k[stage - 1][dof];
            }
            equation.displace(q, &self.u, &mut self.q);
            let k = &mut self.k[stage];
            work += weight * equation.accelerate(&self.q, &self.v, weight, k)?;
            equation.exponential_rate(&self.u, &self.v, &mut self.w);
            for dof in dofs.clone() {
                self.sum[dof] += weight * self.w[dof];
            }
        }
        let [k1, k2, k3, k4, _] = &self.k;
        for dof in dofs {
            self.u[dof] = h / 6.0 * self.sum[dof];
            self.v_end[dof] = v[dof] + h / 6.0 * (k1[dof] + 2.0 * (k2[dof] + k3[dof]) + k4[dof]);
        }
        equation.displace(q, &self.u, &mut self.q_end);
        Ok(h / 6.0 * work)
    }
}
