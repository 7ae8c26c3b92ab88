//! v̂ = A⁻¹(b + Jᵀλ) and J v̂ through the slots: what residuals are measured with.

use stiction_constraints::{Problem, ResidualEvaluator};

use crate::lanes::{Kernel, Lanes};
use crate::layout::Layout;
use crate::sweep::Spatial;
use crate::velocity_step::{add_transpose, slot_velocities};

/// What the impulses of all active constraints do, where nothing is folded.
pub(crate) struct Response<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) layout: &'a Layout,
    pub(crate) evaluator: &'a mut ResidualEvaluator,
    /// λ of each active constraint.
    pub(crate) impulse: &'a [Lanes],
    pub(crate) velocity: &'a mut [f64],
    /// J v̂ of all rows.
    pub(crate) row_velocity: &'a mut [f64],
    /// Work space, one for each slot.
    pub(crate) seen: &'a mut [Lanes],
    /// Work space, one for each body of a tree.
    pub(crate) bodies: &'a mut [Spatial],
}

impl Kernel for Response<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { layout, seen, .. } = self;
        self.velocity.copy_from_slice(self.problem.b());
        for (seen, &active) in seen.iter_mut().zip(&layout.active_of) {
            *seen = self.impulse[active];
        }
        for own in &layout.blocks {
            let forces = &mut self.velocity[own.first_dof..own.dof_end];
            let bodies = &mut self.bodies[own.first_body..own.body_end];
            add_transpose(layout, own, &seen[own.slots()], forces, bodies);
            layout.sweep(own).collect(bodies, forces);
        }
        self.evaluator.dynamics().solve_in_place(self.velocity);
        for own in &layout.blocks {
            let velocity = &self.velocity[own.first_dof..own.dof_end];
            let bodies = &mut self.bodies[own.first_body..own.body_end];
            layout.sweep(own).spread(velocity, bodies);
            slot_velocities(layout, own, velocity, bodies, &mut seen[own.slots()]);
        }
        for (index, active) in layout.active.iter().enumerate() {
            let mut sum = Lanes::ZERO;
            for &slot in layout.slots_of(index) {
                sum = sum.plus(&seen[slot]);
            }
            let rows = &mut self.row_velocity[active.first_row..active.first_row + active.rows];
            sum.store(rows);
        }
    }
}
