//! The inverse masses that links show at their centres of mass, and joints, for models of contact that ask for them.

use nalgebra::{Matrix6xX, Vector3};
use stiction_constraints::SoftContacts;
use stiction_dynamics::{
    Data, LdlFactorization, MassMatrix, ReferenceFrame, crba, frame_jacobian, frame_placement,
};

use super::Robot;
use crate::error::Result;

/// How what limits a robot's joints gives way, where the solver wants it to.
#[derive(Debug)]
pub(super) struct SoftJoints {
    pub(super) contacts: SoftContacts,
    /// Diagonal of M⁻¹ in the neutral configuration, 1/kg or 1/(kg·m²): MuJoCo's `dof_invweight0`.
    pub(super) inverse_masses: Vec<f64>,
}

impl Robot {
    /// Lets limits of joints give way as contacts do, or not.
    pub(crate) fn give_way(&mut self, soft: Option<SoftContacts>) -> Result<()> {
        if self.soft.as_ref().map(|own| own.contacts) == soft {
            return Ok(());
        }
        let inverse_masses = match soft {
            Some(_) => self.inverse_masses_of_dofs()?,
            None => Vec::new(),
        };
        self.soft = soft.map(|contacts| SoftJoints {
            contacts,
            inverse_masses,
        });
        Ok(())
    }

    /// The mass matrix in the neutral configuration, factorised.
    fn neutral_factors(&self, data: &mut Data) -> Result<LdlFactorization> {
        let model = &self.model;
        let mut mass = MassMatrix::new(model);
        crba(model, data, &model.neutral(), &mut mass)?;
        let mut factors = LdlFactorization::new(model);
        factors.factorize(model, &mass)?;
        Ok(factors)
    }

    fn inverse_masses_of_dofs(&self) -> Result<Vec<f64>> {
        let factors = self.neutral_factors(&mut Data::new(&self.model))?;
        let nv = self.model.nv();
        let of = |dof: usize| -> Result<f64> {
            let mut unit = vec![0.0; nv];
            unit[dof] = 1.0;
            factors.solve(&mut unit)?;
            Ok(unit[dof])
        };
        (0..nv).map(of).collect()
    }

    /// For every link a third of the trace of J M⁻¹ Jᵀ, J of its centre of mass, in the neutral configuration, 1/kg:
    /// MuJoCo's `body_invweight0`. Zero for what is fixed.
    pub(crate) fn inverse_masses(&self) -> Result<Vec<f64>> {
        let model = &self.model;
        let mut data = Data::new(model);
        let factors = self.neutral_factors(&mut data)?;
        let mut jacobian = Matrix6xX::zeros(model.nv());
        let mut out = Vec::with_capacity(self.ids.len());
        for &id in &self.ids {
            let frame = model.body_name(id).and_then(|name| model.frame_id(name));
            let (Some(frame), Some(inertia)) = (frame, model.inertia(id)) else {
                out.push(0.0);
                continue;
            };
            let aligned = ReferenceFrame::LocalWorldAligned;
            frame_jacobian(model, &data, frame, aligned, &mut jacobian)?;
            let placement = frame_placement(model, &data, frame)?;
            let arm = placement.to_isometry().rotation
                * (inertia.first_moment / inertia.mass.max(f64::MIN_POSITIVE));
            let mut trace = 0.0;
            for axis in 0..3 {
                let row: Vec<f64> = (jacobian.column_iter())
                    .map(|column| {
                        let linear = Vector3::new(column[0], column[1], column[2]);
                        let turn = Vector3::new(column[3], column[4], column[5]);
                        (linear + turn.cross(&arm))[axis]
                    })
                    .collect();
                let mut moved = row.clone();
                factors.solve(&mut moved)?;
                trace += row.iter().zip(&moved).map(|(a, b)| a * b).sum::<f64>();
            }
            out.push(trace / 3.0);
        }
        Ok(out)
    }
}
