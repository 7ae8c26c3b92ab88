//! The inverse masses that links show at their centres of mass, for models of contact that ask for them.

use nalgebra::{Matrix6xX, Vector3};
use stiction_dynamics::{
    Data, LdlFactorization, MassMatrix, ReferenceFrame, crba, frame_jacobian, frame_placement,
};

use super::Robot;
use crate::error::Result;

impl Robot {
    /// For every link a third of the trace of J M⁻¹ Jᵀ, J of its centre of mass, in the neutral configuration, 1/kg:
    /// MuJoCo's `body_invweight0`. Zero for what is fixed.
    pub(crate) fn inverse_masses(&self) -> Result<Vec<f64>> {
        let model = &self.model;
        let mut data = Data::new(model);
        let mut mass = MassMatrix::new(model);
        crba(model, &mut data, &model.neutral(), &mut mass)?;
        let mut factors = LdlFactorization::new(model);
        factors.factorize(model, &mass)?;
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
