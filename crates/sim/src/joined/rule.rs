//! Runge–Kutta on the constrained equations of motion, in bisected substeps.
//!
//! The classical rule on centres, quaternions and velocities; every stage solves for what joints exert. At
//! the end of a substep positions and then velocities are projected onto what joints hold. Substeps are
//! bisected where the embedded third-order error h/10 (k₄ − k₅) says so, as for trees, momentum of what floats
//! is kept, and an energy account takes what no force gave.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction_dynamics::{MotionMemory, MotionSettings};

use super::joint::BodyAt;
use super::mechanism::{Mechanism, Rate, Reaction};

/// Error of positions, relative, at which they count as projected.
const CLOSED: f64 = 1e-11;
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
/// Change of energy in a substep beside the work of forces, as a share of the energy of motion, that is too
/// much at the finest substep.
const MOST_DRIFT: f64 = 0.01;
/// Below this share of the bound a substep of twice the length would pass: its fifth power.
const COARSER: f64 = 0.022;
/// Share of the energy scale that may be won back after it was lost, as for trees.
const MARGIN: f64 = 1e-4;
/// How fast the scale forgets, s.
const FORGETS: f64 = 10.0;
/// What rounding does to sums of energies.
const ROUNDING: f64 = 1e-15;

/// What a path did.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moved {
    pub(super) substeps: usize,
    /// Work of forces from outside and of dampers, J.
    pub(super) work: f64,
    /// Energy that the account took, J.
    pub(super) taken: f64,
    /// Energy of velocities at the start that joints did not allow, J.
    pub(super) refused: f64,
}

/// Moves mechanisms through a step. Keeps its storage.
#[derive(Debug, Default)]
pub(super) struct Rule {
    /// Where the bodies are: at the start, then at the end of every good substep.
    pub(super) at: Vec<BodyAt>,
    /// Whether a step may take longer than usual where it would otherwise come apart.
    pub(super) may_take_longer: bool,
    /// What joints exerted, N·s and N·m·s.
    pub(super) impulses: Vec<Reaction>,
    first: Vec<Rate>,
    first_reactions: Vec<Reaction>,
    first_power: f64,
    stage: Vec<BodyAt>,
    end: Vec<BodyAt>,
    k: [Vec<Rate>; 4],
    slopes: [Vec<Slope>; 4],
    last: Vec<Rate>,
    reactions: Vec<Reaction>,
    sum: Vec<Reaction>,
}

/// The energy account of a step.
#[derive(Debug, Clone, Copy)]
struct Account {
    is_open: bool,
    /// Most energy that the mechanism may have, J.
    limit: f64,
    scale: f64,
    energy: f64,
}

/// A substep that may be accepted.
#[derive(Debug, Clone, Copy)]
struct Tried {
    error: f64,
    drift: f64,
    work: f64,
    power: f64,
    kinetic: f64,
}

impl Rule {
    /// Moves the bodies `at` by `step` s; `None` where that cannot be done precisely enough.
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
            .resize(mechanism.joints.len(), Reaction::default());
        self.begin(mechanism, &mut moved)?;
        let kinetic = mechanism.kinetic(&self.at);
        let energy = kinetic + mechanism.potential(&self.at);
        let mut account = Account {
            is_open: settings.energy_account,
            limit: energy + memory.margin,
            scale: (memory.scale * (1.0 - step / FORGETS).max(0.0)).max(kinetic),
            energy,
        };
        let deepest = settings.max_substeps.max(1).ilog2();
        let last = match self.may_take_longer && mechanism.bodies.len() <= FEW {
            true => deepest + EXTRA,
            false => deepest,
        };
        let mut level = memory.level.min(last);
        let (mut at, whole) = (0u64, 1u64 << last);
        if mechanism.is_stiff(&self.at, step / (1u64 << deepest) as f64) {
            return None;
        }
        while at < whole {
            let length = 1u64 << (last - level);
            let h = step * (length as f64 / whole as f64);
            let grace = if level < deepest { 1.0 } else { GRACE };
            let bound = grace * settings.tolerance / (1u64 << level) as f64;
            let tried = self.advance(mechanism, h, &account);
            let error = tried.map_or(f64::INFINITY, |tried| tried.error);
            let drifts = tried.is_none_or(|tried| tried.drift > MOST_DRIFT);
            let is_good = error <= bound && (level < deepest || !drifts);
            if !is_good && level < last {
                level += 1;
                continue;
            }
            let tried = tried.filter(|_| is_good);
            match tried.or_else(|| self.creep(mechanism, h)) {
                Some(tried) => self.accept(mechanism, h, tried, &mut account, &mut moved),
                None => self.wait(mechanism, &mut account, &mut moved)?,
            }
            at += length;
            if error < COARSER * bound && level > 0 && at.is_multiple_of(2 * length) {
                level -= 1;
            }
        }
        *memory = MotionMemory {
            margin: (account.limit - account.energy).min(MARGIN * account.scale),
            scale: account.scale,
            level,
        };
        Some(moved)
    }

    /// Puts joints right at the start, and finds the accelerations there.
    fn begin(&mut self, mechanism: &mut Mechanism, moved: &mut Moved) -> Option<()> {
        mechanism.linearize(&self.at);
        if mechanism.worst_error() > CLOSED {
            let scratch = &mut self.k[0];
            if mechanism.worst_error() > OPEN || !close(mechanism, &mut self.at, scratch) {
                return None;
            }
            mechanism.linearize(&self.at);
        }
        let before = mechanism.kinetic(&self.at);
        mechanism.project_velocities(&mut self.at, &mut self.k[0]);
        moved.refused = before - mechanism.kinetic(&self.at);
        mechanism.write_rows(&self.at);
        self.first_power =
            mechanism.accelerate(&self.at, &mut self.first, &mut self.first_reactions);
        Some(())
    }

    /// Tries a substep; `None` where joints do not close or numbers are not finite.
    fn advance(&mut self, mechanism: &mut Mechanism, h: f64, account: &Account) -> Option<Tried> {
        let Self {
            at,
            first,
            first_reactions,
            stage,
            end,
            k,
            slopes,
            last,
            reactions,
            sum,
            ..
        } = self;
        // Slopes of positions are the velocities of the stages; the sums of all four are gathered on the way.
        k[0].clone_from(first);
        sum.clone_from(first_reactions);
        let mut power = self.first_power;
        slopes[0].clear();
        slopes[0].extend(at.iter().map(Slope::of));
        for (number, share) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
            stage.clear();
            for (body, at) in at.iter().enumerate() {
                let (slope, rate) = (&slopes[number - 1][body], &k[number - 1][body]);
                stage.push(moved_on(at, slope, rate, share * h));
            }
            mechanism.linearize(stage);
            let weight = if number == 3 { 1.0 } else { 2.0 };
            power += weight * mechanism.accelerate(stage, &mut k[number], reactions);
            for (sum, reaction) in sum.iter_mut().zip(reactions.iter()) {
                sum.force += reaction.force * weight;
                sum.torque += reaction.torque * weight;
            }
            slopes[number].clear();
            slopes[number].extend(stage.iter().map(Slope::of));
        }
        end.clear();
        for (body, at) in at.iter().enumerate() {
            let slope = Slope::mean([0, 1, 2, 3].map(|stage| &slopes[stage][body]));
            let rate = mean([0, 1, 2, 3].map(|stage| &k[stage][body]));
            end.push(moved_on(at, &slope, &rate, h));
        }
        mechanism.write_rows(end);
        if !close(mechanism, end, last) {
            return None;
        }
        if mechanism.floats {
            keep_momenta(mechanism, at, stage, end, h);
        }
        mechanism.linearize(end);
        mechanism.project_velocities(end, last);
        mechanism.write_rows(end);
        let end_power = mechanism.accelerate(end, last, reactions);
        let change = k[3].iter().zip(last.iter()).map(|(k4, k5)| Rate {
            linear: (k4.linear - k5.linear) * (0.1 * h),
            angular: (k4.angular - k5.angular) * (0.1 * h),
        });
        let error = mechanism.norm_squared(change);
        let kinetic = mechanism.kinetic(end);
        let gained = mechanism.norm_squared(first.iter().copied()) * h * h;
        let error = (error / (2.0 * kinetic + gained)).sqrt();
        let work = power * h / 6.0;
        let energy = kinetic + mechanism.potential(end);
        let sizes = kinetic + (energy - kinetic).abs() + work.abs();
        let drift = (energy - account.energy - work).abs() - 10.0 * ROUNDING * sizes;
        let drift = drift.max(0.0) / (account.scale.max(kinetic) + work.abs());
        // What stands still has no error.
        let error = if error.is_nan() && energy.is_finite() {
            0.0
        } else {
            error
        };
        (energy.is_finite() && error.is_finite() && drift.is_finite()).then(|| {
            std::mem::swap(&mut k[0], last);
            Tried {
                error,
                drift,
                work,
                power: end_power,
                kinetic,
            }
        })
    }

    /// Tries a substep that damps what is too fast for it; `None` where joints do not close even so.
    fn creep(&mut self, mechanism: &mut Mechanism, h: f64) -> Option<Tried> {
        let Self {
            at,
            first_reactions,
            end,
            k,
            reactions,
            sum,
            ..
        } = self;
        mechanism.creep(at, first_reactions, h, end, &mut k[0]);
        for at in end.iter_mut() {
            at.center += at.velocity * h;
            at.rotation *= UnitQuaternion::from_scaled_axis(at.spin * h);
        }
        mechanism.linearize(end);
        if !close(mechanism, end, &mut k[0]) {
            return None;
        }
        mechanism.linearize(end);
        mechanism.project_velocities(end, &mut k[0]);
        mechanism.write_rows(end);
        let power = mechanism.accelerate(end, &mut k[0], reactions);
        sum.clear();
        sum.extend(first_reactions.iter().map(|reaction| Reaction {
            force: reaction.force * 6.0,
            torque: reaction.torque * 6.0,
        }));
        let kinetic = mechanism.kinetic(end);
        let is_finite = (kinetic + mechanism.potential(end)).is_finite();
        is_finite.then_some(Tried {
            error: f64::INFINITY,
            drift: 0.0,
            work: 0.5 * (self.first_power + power) * h,
            power,
            kinetic,
        })
    }

    /// The last resort: the mechanism waits through a substep, and loses half of its speed.
    fn wait(
        &mut self,
        mechanism: &mut Mechanism,
        account: &mut Account,
        moved: &mut Moved,
    ) -> Option<()> {
        let before = mechanism.kinetic(&self.at);
        for at in &mut self.at {
            at.velocity *= 0.5;
            at.spin *= 0.5;
        }
        mechanism.linearize(&self.at);
        self.first_power =
            mechanism.accelerate(&self.at, &mut self.first, &mut self.first_reactions);
        let lost = before - mechanism.kinetic(&self.at);
        account.energy -= lost;
        account.limit = account.limit.min(account.energy);
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
    ) {
        std::mem::swap(&mut self.at, &mut self.end);
        for (impulse, sum) in self.impulses.iter_mut().zip(&self.sum) {
            impulse.force += sum.force * (h / 6.0);
            impulse.torque += sum.torque * (h / 6.0);
        }
        std::mem::swap(&mut self.first, &mut self.k[0]);
        std::mem::swap(&mut self.first_reactions, &mut self.reactions);
        self.first_power = tried.power;
        let potential = mechanism.potential(&self.at);
        account.limit += tried.work;
        let before = tried.kinetic + potential;
        let excess = before - account.limit;
        // What is too much says nothing of the motion's size.
        account.scale = account.scale.max(tried.kinetic - excess.max(0.0));
        account.energy = before;
        if account.is_open && excess > ROUNDING * (tried.kinetic + potential.abs()) {
            slow_down(mechanism, &mut self.at, excess, tried.kinetic);
            let energy = mechanism.kinetic(&self.at) + potential;
            moved.taken += before - energy;
            account.energy = energy;
            mechanism.write_rows(&self.at);
            self.first_power =
                mechanism.accelerate(&self.at, &mut self.first, &mut self.first_reactions);
        }
        account.limit = account.limit.min(account.energy + MARGIN * account.scale);
        moved.substeps += 1;
        moved.work += tried.work;
    }
}

/// Takes `excess` J out of the motion: of what floats first out of what its momenta do not ask for.
fn slow_down(mechanism: &Mechanism, at: &mut [BodyAt], excess: f64, kinetic: f64) {
    let share = |whole: f64| (1.0 - excess / whole).max(0.0).sqrt();
    if mechanism.floats {
        let locked = mechanism.locked(at);
        let relative = kinetic - locked.kinetic().iter().sum::<f64>();
        if relative > excess {
            locked.scale_relative(at, share(relative));
            return;
        }
    }
    if kinetic > 0.0 {
        let factor = share(kinetic);
        for at in at {
            at.velocity *= factor;
            at.spin *= factor;
        }
    }
}

/// Newton's method on the positions with the factor that is there; whether joints are closed.
fn close(mechanism: &mut Mechanism, at: &mut [BodyAt], scratch: &mut Vec<Rate>) -> bool {
    let mut worst = mechanism.worst_error();
    for _ in 0..MOST_PROJECTIONS {
        if worst <= CLOSED {
            break;
        }
        mechanism.project_positions(at, scratch);
        mechanism.write_rows(at);
        let error = mechanism.worst_error();
        let has_stalled = !(error < 0.5 * worst);
        worst = error;
        if has_stalled {
            break;
        }
    }
    worst <= LOOSE
}

/// Gives what floats the momenta that forces from outside leave it at the end of a substep.
fn keep_momenta(
    mechanism: &Mechanism,
    start: &[BodyAt],
    middle: &[BodyAt],
    end: &mut [BodyAt],
    h: f64,
) {
    let [before, between, after] = [start, middle, &*end].map(|at| mechanism.locked(at));
    let force: Vector3<f64> = mechanism.bodies.iter().map(|body| body.force).sum();
    let velocity = before.velocity + (mechanism.gravity + force / before.mass) * h - after.velocity;
    let moment = |at: &[BodyAt], center| mechanism.moment(at, center);
    let impulse = (moment(start, &before.center) + moment(middle, &between.center)) * (0.5 * h);
    let angular = before.angular + impulse - after.angular;
    after.add(end, &velocity, &angular);
}

/// How positions change.
#[derive(Debug, Clone, Copy)]
struct Slope {
    center: Vector3<f64>,
    rotation: Quaternion<f64>,
}

impl Slope {
    fn of(at: &BodyAt) -> Self {
        let half = Quaternion::from_imag(at.spin * 0.5);
        Self {
            center: at.velocity,
            rotation: at.rotation.quaternion() * half,
        }
    }

    fn mean(of: [&Self; 4]) -> Self {
        let [a, b, c, d] = of;
        Self {
            center: (a.center + (b.center + c.center) * 2.0 + d.center) / 6.0,
            rotation: (a.rotation + (b.rotation + c.rotation) * 2.0 + d.rotation) / 6.0,
        }
    }
}

fn mean(of: [&Rate; 4]) -> Rate {
    let [a, b, c, d] = of;
    Rate {
        linear: (a.linear + (b.linear + c.linear) * 2.0 + d.linear) / 6.0,
        angular: (a.angular + (b.angular + c.angular) * 2.0 + d.angular) / 6.0,
    }
}

fn moved_on(at: &BodyAt, slope: &Slope, rate: &Rate, h: f64) -> BodyAt {
    BodyAt {
        center: at.center + slope.center * h,
        rotation: UnitQuaternion::new_normalize(at.rotation.quaternion() + slope.rotation * h),
        velocity: at.velocity + rate.linear * h,
        spin: at.spin + rate.angular * h,
    }
}
