//! Analytic derivatives of forward dynamics.
//!
//! From M v̇ + h = τ: with the derivatives of inverse dynamics taken at the resulting v̇,
//! ∂v̇/∂q = −M⁻¹ ∂τ/∂q, ∂v̇/∂v = −M⁻¹ ∂τ/∂v and ∂v̇/∂τ = M⁻¹ (Carpentier and Mansard, 2018).

use nalgebra::DMatrix;

use crate::aba::aba;
use crate::crba::fill_mass_matrix;
use crate::data::Data;
use crate::error::{Result, check_length};
use crate::factorization::LdlFactorization;
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::rnea_derivatives::{RneaDerivatives, rnea_derivatives};
use crate::spatial::Force;

/// ∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ, each nv × nv, with the conventions of [`RneaDerivatives`].
#[derive(Clone, Debug)]
pub struct AbaDerivatives {
    /// v̇ itself (m/s², rad/s²).
    pub acceleration: Vec<f64>,
    /// ∂v̇/∂q.
    pub da_dq: DMatrix<f64>,
    /// ∂v̇/∂v.
    pub da_dv: DMatrix<f64>,
    /// ∂v̇/∂τ = M⁻¹.
    pub da_dtau: DMatrix<f64>,
    inverse_dynamics: RneaDerivatives,
    mass: MassMatrix,
    factor: LdlFactorization,
}

impl AbaDerivatives {
    /// Buffers for `model`; nothing is allocated after that.
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        Self {
            acceleration: vec![0.0; nv],
            da_dq: DMatrix::zeros(nv, nv),
            da_dv: DMatrix::zeros(nv, nv),
            da_dtau: DMatrix::zeros(nv, nv),
            inverse_dynamics: RneaDerivatives::new(model),
            mass: MassMatrix::new(model),
            factor: LdlFactorization::new(model),
        }
    }
}

/// Derivatives of [`aba`] at (q, v, τ) with external forces fixed in their bodies' frames.
pub fn aba_derivatives(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    external: Option<&[Force]>,
    out: &mut AbaDerivatives,
) -> Result<()> {
    check_length("derivatives (columns)", out.acceleration.len(), model.nv())?;
    let acceleration = aba(model, data, q, v, tau, external)?;
    out.acceleration.copy_from_slice(acceleration);
    let inverse = &mut out.inverse_dynamics;
    rnea_derivatives(model, data, q, v, &out.acceleration, external, inverse)?;
    fill_mass_matrix(model, data, &mut out.mass);
    out.factor.factorize(model, &out.mass)?;
    for (to, from) in [
        (&mut out.da_dq, &inverse.dtau_dq),
        (&mut out.da_dv, &inverse.dtau_dv),
    ] {
        from.transpose_to(to);
        to.neg_mut();
        out.factor.solve_transposed(to);
        to.transpose_mut();
    }
    out.factor.write_inverse(&mut out.da_dtau)
}
