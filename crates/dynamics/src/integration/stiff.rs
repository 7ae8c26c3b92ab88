//! Forces that are too stiff for an explicit rule.

use super::account::Account;
use super::forces::{JointSpaceForces, StiffForces};
use super::part::TreePart;
use super::{Moved, TreeMotion};
use crate::aba::{articulated_inertias, solve_with_diagonal};
use crate::configuration::displace;
use crate::data::Data;
use crate::error::Result;
use crate::model::Model;

impl TreeMotion {
    /// Corrects the end of a step in which stiff forces were constant:
    /// (M + h D + h² K) Δv = h (τ − τ₀), q ⊕ h Δv.
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of a step, passed on"
    )]
    pub(super) fn take_stiff(
        &mut self,
        model: &Model,
        part: &TreePart,
        step: f64,
        forces: &dyn JointSpaceForces,
        stiff: &dyn StiffForces,
        account: &mut Account,
        moved: &mut Moved,
    ) -> Result<()> {
        let dofs = part.v.clone();
        let evaluation = &mut self.evaluation;
        let before = evaluation.arrive(model, part, forces, &self.q, &self.v);
        let [change, _] = &mut evaluation.scratch;
        change[dofs.clone()].fill(0.0);
        stiff.add_torque(&self.q, &self.v, change);
        for dof in dofs.clone() {
            change[dof] = step * (change[dof] - evaluation.held[dof]);
        }
        let links = part.links.clone();
        solve_with_diagonal(
            model,
            &mut evaluation.data,
            links,
            change,
            &evaluation.diagonal,
        )?;
        moved.evaluations += 1;
        let (u, q_end) = {
            let stages = &mut self.rule.stages;
            (&mut stages.k[1], &mut stages.q_end)
        };
        for dof in dofs {
            let change = evaluation.data.joint_acceleration[dof];
            self.v[dof] += change;
            u[dof] = step * change;
        }
        displace(model, part.links.clone(), &self.q, u, q_end);
        self.q[part.q.clone()].copy_from_slice(&q_end[part.q.clone()]);
        let after = evaluation.arrive(model, part, forces, &self.q, &self.v);
        let work = after.energy() - before.energy();
        account.credit(before.energy(), after.energy(), stiff.are_driven());
        moved.work += work;
        Ok(())
    }
}

/// Inertia that each degree of freedom moves at least, roughly (kg·m² or kg): what its joint feels in the
/// neutral configuration when all others give way, halved because other configurations may be lighter.
///
/// # Errors
/// A joint without inertia.
pub fn light_joint_inertias(model: &Model, data: &mut Data) -> Result<Vec<f64>> {
    articulated_inertias(model, data, &model.neutral())?;
    let mut inertias = vec![0.0; model.nv()];
    for (k, link) in model.links.iter().enumerate() {
        let n = link.joint.nv();
        let pivots = &data.pivots[model.topology.pivot_start[k + 1]..][..n * n];
        // 1/d for one degree of freedom, 1/√d on the diagonal of the factor of several.
        let lightest = match n {
            1 => 1.0 / pivots[0],
            _ => {
                let of = |dof: usize| pivots[dof * n + dof].powi(-2);
                (0..n).map(of).fold(f64::INFINITY, f64::min)
            }
        };
        inertias[link.v()].fill(0.5 * lightest);
    }
    Ok(inertias)
}
