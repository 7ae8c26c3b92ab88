//! A substep that damps what is too fast for it.

use nalgebra::Matrix3;
use stiction_modeling::averaged::arm_stiffness;

use super::joint::{End, Holding};
use super::mechanism::{Mechanism, Reaction};
use super::member::Member;
use super::rule::{Rule, Tried, close};
use crate::free_bodies::read_vector;

impl Rule {
    /// Tries a substep by the linearly implicit Euler rule; `None` where joints do not close even so, and for a
    /// mechanism with trees.
    pub(super) fn creep(&mut self, mechanism: &mut Mechanism, h: f64) -> Option<Tried> {
        if mechanism.has_trees() {
            return None;
        }
        let Self {
            q,
            v,
            stages,
            first_reactions,
            first_power,
            reactions,
            sum,
            change,
            ..
        } = self;
        let [.., k5] = &mut stages.k;
        let (q_end, v_end) = (&mut stages.q_end, &mut stages.v_end);
        mechanism.place(q, v);
        v_end.copy_from_slice(v);
        mechanism.creep([q, v], first_reactions, h, v_end, k5)?;
        change.clear();
        change.extend(v_end.iter().map(|v| v * h));
        mechanism.displace(q, change, q_end);
        mechanism.place(q_end, v_end);
        if !mechanism.linearize() || !close(mechanism, q_end, v_end) || !mechanism.linearize() {
            // The next is tried from where this began.
            return None;
        }
        mechanism.project_velocities(v_end);
        mechanism.place(q_end, v_end);
        let power = mechanism.accelerate([q_end, v_end], k5, reactions)?;
        sum.clear();
        sum.extend(first_reactions.iter().map(|reaction| Reaction {
            force: reaction.force * 6.0,
            torque: reaction.torque * 6.0,
        }));
        let [kinetic, potential] = mechanism.energy([q_end, v_end]);
        (kinetic + potential).is_finite().then_some(Tried {
            error: f64::INFINITY,
            drift: 0.0,
            work: 0.5 * (first_power.all + power.all) * h,
            tree_work: 0.0,
            power,
            kinetic,
            potential,
        })
    }
}

impl Mechanism {
    /// Velocities after `h` s by the linearly implicit Euler rule, (M + h² K) Δv = h (f − h K v) with J v⁺ = 0,
    /// where K is the geometric stiffness of what joints exert: a force turns with the arm that it acts on. What
    /// swings too fast for the step dies down, what is slow hardly feels it.
    fn creep(
        &mut self,
        state: [&[f64]; 2],
        reactions: &[Reaction],
        h: f64,
        v: &mut [f64],
        rates: &mut [f64],
    ) -> Option<()> {
        self.push_freely(state, rates)?;
        let mut stiffness = vec![Matrix3::zeros(); self.members.len()];
        for (holding, reaction) in self.holdings.iter().zip(reactions) {
            let Holding::Joint(joint) = holding else {
                continue;
            };
            for (end, sign) in joint.ends.iter().zip([-1.0, 1.0]) {
                if let End::Moving { frame, point, .. } = end {
                    let force = self.at[*frame].rotation.inverse() * (reaction.force * sign);
                    stiffness[self.frames[*frame].member] += arm_stiffness(point, &force);
                }
            }
        }
        for ((member, place), stiffness) in
            self.members.iter_mut().zip(&self.places).zip(&stiffness)
        {
            let Member::Body(body) = member else {
                continue;
            };
            let (v, rate) = (&mut v[place.v.clone()], &rates[place.v.clone()]);
            let whole = body.inertia + stiffness * (h * h);
            body.mobility = whole.try_inverse().unwrap_or(body.inverse_inertia);
            let spin = read_vector(&v[3..]);
            let push = body.inertia * read_vector(&rate[3..]) - stiffness * spin * h;
            let turned = body.mobility * push * h;
            for axis in 0..3 {
                v[axis] += rate[axis] * h;
                v[3 + axis] += turned[axis];
            }
        }
        let is_there = self.linearize();
        self.project_velocities(v);
        for member in &mut self.members {
            if let Member::Body(body) = member {
                body.mobility = body.inverse_inertia;
            }
        }
        is_there.then_some(())
    }
}
