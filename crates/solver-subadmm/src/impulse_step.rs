//! (36)–(40): the impulse of every constraint from what its slots see.

use nalgebra::Vector3;
use stiction_constraints::{ConeOperator, Law, cone};

use crate::layout::{Active, Layout};
use crate::parallel::{CONSTRAINT_GRAIN, both};

/// Closed forms (37)–(39): with x̄ = Σ_j (J_ij v̂_j − λ/β_ij) and weight 1/Σ_j (1/β_ij) they are the
/// laws' own. u needs no storage (40), and z_ij = s_ij + λ_i/β_ij is never written down.
pub(crate) struct ImpulseStep<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) state: &'a [[f64; 3]],
    /// 1/Σ(1/β) of each active constraint.
    pub(crate) weight: &'a [f64],
    pub(crate) parallel: bool,
}

impl ImpulseStep<'_> {
    pub(crate) fn run(&self, impulse: &mut [[f64; 3]]) {
        self.run_from(0, impulse);
    }

    fn run_from(&self, first: usize, impulse: &mut [[f64; 3]]) {
        let count = impulse.len();
        if self.parallel && count > CONSTRAINT_GRAIN {
            let (a, b) = impulse.split_at_mut(count / 2);
            both(
                true,
                || self.run_from(first, a),
                || self.run_from(first + count / 2, b),
            );
            return;
        }
        let active = &self.layout.active[first..first + count];
        let weights = &self.weight[first..first + count];
        for ((active, &weight), out) in active.iter().zip(weights).zip(impulse) {
            *out = self.impulse_of(active, weight);
        }
    }

    #[inline]
    fn impulse_of(&self, active: &Active, weight: f64) -> [f64; 3] {
        let mut x_bar = Vector3::zeros();
        for &slot in self.layout.slots_of(active) {
            x_bar += Vector3::from(self.state[slot]);
        }
        if let Law::Contact { friction } = active.law {
            // What is met most often, without the choice among all laws.
            let target = (x_bar + active.error) * -weight;
            return cone::project_strict(&target, friction).into();
        }
        active
            .law
            .impulse(
                active.rows,
                &x_bar,
                &active.error,
                weight,
                ConeOperator::Strict,
            )
            .into()
    }
}
