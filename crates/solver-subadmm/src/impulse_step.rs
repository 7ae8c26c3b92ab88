//! (36)–(40): the impulse of every constraint from what its slots see.

use nalgebra::Vector3;
use stiction_constraints::{ConeOperator, cone};

use crate::lanes::{Kernel, Lanes, vectorized};
use crate::layout::Layout;
use crate::parallel::{GRAIN, both};
use crate::settings::Contacts;

/// Closed forms (37)–(39): with x̄ = Σ_j (J_ij v̂_j − λ/β_ij) and weight 1/Σ_j (1/β_ij) they are the
/// laws' own. u needs no storage (40), and z_ij = s_ij + λ_i/β_ij is never written down.
#[derive(Clone, Copy)]
pub(crate) struct ImpulseStep<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) state: &'a [Lanes],
    /// 1/Σ(1/β) of each active constraint.
    pub(crate) weight: &'a [f64],
    pub(crate) contacts: Contacts,
    pub(crate) parallel: bool,
}

impl ImpulseStep<'_> {
    pub(crate) fn run(&self, impulse: &mut [Lanes]) {
        self.run_from(0, impulse);
    }

    fn run_from(&self, first: usize, impulse: &mut [Lanes]) {
        let count = impulse.len();
        if self.parallel && count > GRAIN {
            let (a, b) = impulse.split_at_mut(count / 2);
            both(
                true,
                || self.run_from(first, a),
                || self.run_from(first + count / 2, b),
            );
            return;
        }
        vectorized(InOrder {
            step: *self,
            first,
            impulse,
        });
    }

    /// x̄ of an active constraint.
    #[inline(always)]
    fn seen(&self, active: usize) -> Lanes {
        let mut sum = Lanes::ZERO;
        for &slot in self.layout.slots_of(active) {
            sum = sum.plus(&self.state[slot]);
        }
        sum
    }

    /// The impulse under any law.
    #[inline(never)]
    fn impulse_of(&self, active: usize) -> Lanes {
        let Lanes([x, y, z, _]) = self.seen(active);
        let error = &self.layout.error[active];
        let own = &self.layout.active[active];
        let impulse = own.law.impulse(
            own.rows,
            &Vector3::new(x, y, z),
            &Vector3::new(error[0], error[1], error[2]),
            self.weight[active],
            match self.contacts {
                Contacts::Strict => ConeOperator::Strict,
                Contacts::Proximal => ConeOperator::Proximal { shift: 0.0 },
            },
        );
        Lanes::load(impulse.as_slice())
    }

    /// The impulses of four contacts with Coulomb friction, side by side.
    #[inline(always)]
    fn four_contacts(&self, first: usize, seen: &[Lanes; 4], friction: &[f64; 4]) -> [Lanes; 4] {
        let mut targets = [[0.0; 4]; 3];
        let errors = &self.layout.error[first..first + 4];
        let weights = &self.weight[first..first + 4];
        for contact in 0..4 {
            for row in 0..3 {
                targets[row][contact] =
                    (seen[contact][row] + errors[contact][row]) * -weights[contact];
            }
        }
        let [x, y, z] = cone::project_strict_side_by_side(&targets, friction);
        let mut impulses = [Lanes::ZERO; 4];
        for contact in 0..4 {
            impulses[contact] = Lanes([x[contact], y[contact], z[contact], 0.0]);
        }
        impulses
    }
}

/// The constraints of one thread, from `first` on.
struct InOrder<'a, 'b> {
    step: ImpulseStep<'a>,
    first: usize,
    impulse: &'b mut [Lanes],
}

impl Kernel for InOrder<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (step, mut at) = (self.step, self.first);
        let friction = &step.layout.friction[at..at + self.impulse.len()];
        let is_one_to_one = step.layout.is_one_to_one();
        let is_strict = step.contacts == Contacts::Strict;
        let (fours, _) = friction.as_chunks();
        let (impulses, last) = self.impulse.as_chunks_mut();
        for (impulses, friction) in impulses.iter_mut().zip(fours) {
            // What is met most often, without the choice among all laws.
            if is_strict && friction.iter().all(|friction| !friction.is_nan()) {
                *impulses = match step.state.get(at..).and_then(|rest| rest.first_chunk()) {
                    Some(seen) if is_one_to_one => step.four_contacts(at, seen, friction),
                    _ => {
                        let mut seen = [Lanes::ZERO; 4];
                        for (contact, seen) in seen.iter_mut().enumerate() {
                            *seen = step.seen(at + contact);
                        }
                        step.four_contacts(at, &seen, friction)
                    }
                };
            } else {
                for (place, impulse) in impulses.iter_mut().enumerate() {
                    *impulse = step.impulse_of(at + place);
                }
            }
            at += impulses.len();
        }
        for (place, impulse) in last.iter_mut().enumerate() {
            *impulse = step.impulse_of(at + place);
        }
    }
}
