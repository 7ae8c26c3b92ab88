//! Runge–Kutta on the constrained equations of motion, in bisected substeps.
//!
//! The rule of trees ([`RungeKutta`]); every stage solves for what joints exert. At the end of a substep positions
//! and then velocities are projected onto what joints hold. Substeps are bisected where the embedded third-order
//! error h/10 (k₄ − k₅) or the energy says so, as for trees, momentum of what floats is kept, and an energy account
//! takes what no force gave.

use stiction_dynamics::{EquationOfMotion, MotionMemory, MotionSettings, RungeKutta};

use super::account::Account;
use super::energy::Locked;
use super::mechanism::{Mechanism, Power, Reaction};

/// Error of positions, relative, at which they count as projected.
pub(super) const CLOSED: f64 = 1e-11;
/// Error of positions up to which a substep is good; joints hold to 1e-6.
const LOOSE: f64 = 1e-8;
/// Error of positions at the start of a step that the step of first order closes, and tells of.
const OPEN: f64 = 1e-4;
/// Most steps of Newton's method: each takes the error down by the square of the step.
const MOST_PROJECTIONS: usize = 8;
/// Times the bound that an error may be at the finest substep; what is worse is damped.
const GRACE: f64 = 100.0;
/// Mechanisms of at most so many bodies are bisected so many times more where the error at the finest substep is
/// worse than that: thin bodies that are held beside their axis flutter thousands of times a second.
const FEW: usize = 32;
const EXTRA: u32 = 4;
/// Change of energy in a substep beside the work of forces, as a share of the bound on its error and of the energy
/// of motion, beyond which it is bisected, as for trees.
const ENERGY_SHARE: f64 = 0.05;
/// Error of the very finest substep, and change of energy in fine ones as a share of the energy of motion, that are
/// too much.
const MOST_ERROR: f64 = 0.01;
const MOST_DRIFT: f64 = 1e-3;
/// Share of what gravity does in a substep below which a speed is noise.
const NOISE: f64 = 1e-6;
/// Share of what gravity does in a step below which the energy of a speed is noise.
const QUIET: f64 = 0.01;
/// Below this share of the bound a substep of twice the length would pass: its fifth power.
const COARSER: f64 = 0.022;
/// What a path did.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moved {
    pub(super) substeps: usize,
    /// Work of forces from outside and of dampers, J, and of it that on trees.
    pub(super) work: f64,
    pub(super) tree_work: f64,
    /// Energy that the account took, J.
    pub(super) taken: f64,
    /// Energy of velocities at the start that joints did not allow, J.
    pub(super) refused: f64,
}

/// Moves mechanisms through a step. Keeps its storage.
#[derive(Debug, Default)]
pub(super) struct Rule {
    /// Positions and velocities: at the start, then at the end of every good substep.
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// Whether a step may take longer than usual where it would otherwise come apart.
    pub(super) may_take_longer: bool,
    /// What joints exerted, N·s and N·m·s.
    pub(super) impulses: Vec<Reaction>,
    pub(super) stages: RungeKutta,
    /// Of the start of a substep.
    pub(super) first_reactions: Vec<Reaction>,
    pub(super) first_power: Power,
    start: Option<Locked>,
    pub(super) reactions: Vec<Reaction>,
    /// Sixths of the substep's mean.
    pub(super) sum: Vec<Reaction>,
    /// Changes of velocity or position.
    pub(super) change: Vec<f64>,
}

/// A substep that may be accepted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried {
    pub(super) error: f64,
    pub(super) drift: f64,
    pub(super) work: f64,
    pub(super) tree_work: f64,
    pub(super) power: Power,
    pub(super) kinetic: f64,
    pub(super) potential: f64,
}

/// Accelerations of a mechanism, and the sums of what joints exert and of the power of what acts on trees.
struct Constrained<'a> {
    mechanism: &'a mut Mechanism,
    reactions: &'a mut Vec<Reaction>,
    sum: &'a mut [Reaction],
    tree_power: f64,
}

/// There are no accelerations.
struct Nowhere;

impl EquationOfMotion for Constrained<'_> {
    type Error = Nowhere;

    fn displace(&mut self, q: &[f64], u: &[f64], out: &mut [f64]) {
        self.mechanism.displace(q, u, out);
    }

    fn exponential_rate(&mut self, u: &[f64], v: &[f64], out: &mut [f64]) {
        self.mechanism.exponential_rate(u, v, out);
    }

    fn accelerate(
        &mut self,
        q: &[f64],
        v: &[f64],
        weight: f64,
        out: &mut [f64],
    ) -> Result<f64, Nowhere> {
        self.mechanism.place(q, v);
        if !self.mechanism.linearize() {
            return Err(Nowhere);
        }
        let power = self.mechanism.accelerate([q, v], out, self.reactions);
        let power = power.ok_or(Nowhere)?;
        for (sum, reaction) in self.sum.iter_mut().zip(self.reactions.iter()) {
            sum.force += reaction.force * weight;
            sum.torque += reaction.torque * weight;
        }
        self.tree_power += weight * power.trees;
        Ok(power.all)
    }
}

impl Rule {
    /// Moves a mechanism from (`q`, `v`) by `step` s; `None` where that cannot be done precisely enough.
    pub(super) fn step(
        &mut self,
        mechanism: &mut Mechanism,
        step: f64,
        settings: &MotionSettings,
        memory: &mut MotionMemory,
    ) -> Option<Moved> {
        let mut moved = Moved::default();
        self.impulses.clear();
        self.impulses
            .resize(mechanism.holdings.len(), Reaction::default());
        let energy = self.begin(mechanism, &mut moved)?;
        let fall = QUIET * step * mechanism.gravity.norm();
        let noise = mechanism.mass() * fall * fall;
        let mut account = Account::new(settings, memory, energy, noise, step);
        let deepest = settings.max_substeps.max(1).ilog2();
        let last = match self.may_take_longer && mechanism.members.len() <= FEW {
            true => deepest + EXTRA,
            false => deepest,
        };
        let mut level = memory.level.min(last);
        let (mut at, whole) = (0u64, 1u64 << last);
        if mechanism.is_stiff(step / (1u64 << last) as f64) {
            return None;
        }
        while at < whole {
            let length = 1u64 << (last - level);
            let h = step * (length as f64 / whole as f64);
            let grace = if level < deepest { 1.0 } else { GRACE };
            let bound = grace * settings.tolerance / (1u64 << level) as f64;
            let tried = self.advance(mechanism, h, &account);
            let error = tried.map_or(f64::INFINITY, |tried| {
                let drift = match level < deepest {
                    true => tried.drift / ENERGY_SHARE,
                    false => 0.0,
                };
                tried.error.max(drift)
            });
            // A substep of the finest that is not precise enough is better than one that damps.
            let most = if level < last { bound } else { MOST_ERROR };
            let is_fair = |tried: Tried| level < deepest || tried.drift <= MOST_DRIFT;
            let is_good = error <= most && tried.is_some_and(is_fair);
            if !is_good && level < last {
                level += 1;
                continue;
            }
            let tried = tried.filter(|_| is_good);
            match tried.or_else(|| self.creep(mechanism, h)) {
                Some(tried) => self.accept(mechanism, h, tried, &mut account, &mut moved)?,
                None => self.wait(mechanism, &mut account, &mut moved)?,
            }
            at += length;
            if error < COARSER * bound && level > 0 && at.is_multiple_of(2 * length) {
                level -= 1;
            }
        }
        *memory = account.memory(level);
        Some(moved)
    }

    /// Puts joints right at the start, and finds the accelerations there; energy of motion and potential, J.
    fn begin(&mut self, mechanism: &mut Mechanism, moved: &mut Moved) -> Option<[f64; 2]> {
        let [positions, velocities] = mechanism.sizes();
        self.stages.resize(positions, velocities);
        mechanism.place(&self.q, &self.v);
        if mechanism.worst_error() > OPEN || !mechanism.linearize() {
            return None;
        }
        if mechanism.worst_error() > CLOSED
            && (!close(mechanism, &mut self.q, &self.v) || !mechanism.linearize())
        {
            return None;
        }
        let [before, _] = mechanism.energy([&self.q, &self.v]);
        mechanism.project_velocities(&mut self.v);
        mechanism.place(&self.q, &self.v);
        let energy = mechanism.energy([&self.q, &self.v]);
        moved.refused = before - energy[0];
        self.start_again(mechanism)?;
        Some(energy)
    }

    /// Finds the accelerations at (`q`, `v`), where the mechanism was placed last, with the factor that is there.
    fn start_again(&mut self, mechanism: &mut Mechanism) -> Option<()> {
        self.start = start_of(mechanism, [&self.q, &self.v]);
        let first = &mut self.stages.k[0];
        let state = [self.q.as_slice(), &self.v];
        self.first_power = mechanism.accelerate(state, first, &mut self.first_reactions)?;
        Some(())
    }

    /// Tries a substep; `None` where joints do not close or numbers are not finite.
    fn advance(&mut self, mechanism: &mut Mechanism, h: f64, account: &Account) -> Option<Tried> {
        let Self {
            q,
            v,
            stages,
            first_reactions,
            first_power,
            start,
            reactions,
            sum,
            change,
            ..
        } = self;
        sum.clone_from(first_reactions);
        let mut equation = Constrained {
            mechanism,
            reactions,
            sum,
            tree_power: first_power.trees,
        };
        let dofs = 0..v.len();
        let work = stages.advance(&mut equation, dofs, h, [q, v], first_power.all);
        let (work, tree_work) = (work.ok()?, equation.tree_power * h / 6.0);
        let (q_end, v_end) = (&mut stages.q_end, &mut stages.v_end);
        mechanism.place(q_end, v_end);
        if !close(mechanism, q_end, v_end) {
            return None;
        }
        if let Some(start) = start {
            mechanism.keep_momenta(start, [q, q_end], h, v_end)?;
        }
        if !mechanism.linearize() {
            return None;
        }
        mechanism.project_velocities(v_end);
        mechanism.place(q_end, v_end);
        let [.., k4, k5] = &mut stages.k;
        let power = mechanism.accelerate([q_end, v_end], k5, reactions)?;
        let [kinetic, potential] = mechanism.energy([q_end, v_end]);
        let energy = kinetic + potential;
        let drift = account.drift([kinetic, potential], work, mechanism.slack(reactions));
        change.clear();
        change.extend(k4.iter().zip(&*k5).map(|(k4, k5)| 0.1 * h * (k4 - k5)));
        let error = mechanism.quadratic(change);
        let gained = mechanism.quadratic(&stages.k[0]) * h * h;
        let fall = NOISE * h * mechanism.gravity.norm();
        let noise = mechanism.mass() * fall * fall;
        let error = (error / (2.0 * kinetic + gained + noise)).sqrt();
        // What stands still has no error.
        let error = if error.is_nan() && energy.is_finite() {
            0.0
        } else {
            error
        };
        (energy.is_finite() && error.is_finite() && drift.is_finite()).then_some(Tried {
            error,
            drift,
            work,
            tree_work,
            power,
            kinetic,
            potential,
        })
    }

    /// The last resort: the mechanism waits through a substep, and loses half of its speed. One with trees has no
    /// path then.
    fn wait(
        &mut self,
        mechanism: &mut Mechanism,
        account: &mut Account,
        moved: &mut Moved,
    ) -> Option<()> {
        if mechanism.has_trees() {
            return None;
        }
        mechanism.place(&self.q, &self.v);
        let [before, _] = mechanism.energy([&self.q, &self.v]);
        self.v.iter_mut().for_each(|v| *v *= 0.5);
        mechanism.place(&self.q, &self.v);
        mechanism.linearize();
        self.start_again(mechanism)?;
        let lost = before - mechanism.energy([&self.q, &self.v])[0];
        account.lose(lost);
        moved.taken += lost;
        moved.substeps += 1;
        lost.is_finite().then_some(())
    }

    /// Goes on from the end of the substep that was tried last.
    fn accept(
        &mut self,
        mechanism: &mut Mechanism,
        h: f64,
        tried: Tried,
        account: &mut Account,
        moved: &mut Moved,
    ) -> Option<()> {
        self.q.copy_from_slice(&self.stages.q_end);
        self.v.copy_from_slice(&self.stages.v_end);
        for (impulse, sum) in self.impulses.iter_mut().zip(&self.sum) {
            impulse.force += sum.force * (h / 6.0);
            impulse.torque += sum.torque * (h / 6.0);
        }
        let [k1, .., k5] = &mut self.stages.k;
        std::mem::swap(k1, k5);
        std::mem::swap(&mut self.first_reactions, &mut self.reactions);
        self.first_power = tried.power;
        self.start = start_of(mechanism, [&self.q, &self.v]);
        let energy = [tried.kinetic, tried.potential];
        let excess = account.enter(energy, tried.work);
        if excess > 0.0 {
            mechanism.slow_down(&self.q, excess, tried.kinetic, &mut self.v);
            mechanism.place(&self.q, &self.v);
            let after = mechanism.energy([&self.q, &self.v]);
            moved.taken += account.slowed(energy, after);
            self.start_again(mechanism)?;
        }
        account.close_entry();
        moved.substeps += 1;
        moved.work += tried.work;
        moved.tree_work += tried.tree_work;
        Some(())
    }
}

/// Momenta of what floats, from which those at the end of a substep follow.
fn start_of(mechanism: &Mechanism, state: [&[f64]; 2]) -> Option<Locked> {
    mechanism.floats.then(|| mechanism.locked(state)).flatten()
}

/// Newton's method on the positions with the factor that is there; whether joints are closed.
pub(super) fn close(mechanism: &mut Mechanism, q: &mut [f64], v: &[f64]) -> bool {
    let mut worst = mechanism.worst_error();
    for _ in 0..MOST_PROJECTIONS {
        if worst <= CLOSED {
            break;
        }
        mechanism.project_positions(q, v);
        let error = mechanism.worst_error();
        let has_stalled = !(error < 0.5 * worst);
        worst = error;
        if has_stalled {
            break;
        }
    }
    worst <= LOOSE
}
