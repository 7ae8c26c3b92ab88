//! Impacts that give no energy.
//!
//! Newton's restitution, u_n⁺ = −ε u_n⁻, and Coulomb's friction may together give energy where friction at one
//! contact changes the normal velocity of the same or another: at linked bodies (Kane's paradox), at a rod that
//! strikes obliquely. With u⁻ the velocity of the rows at the impacts, λ the impulses beside those of the motion
//! without impacts and W = J A⁻¹ Jᵀ, the bodies gain
//!
//! ```text
//! ΔE(λ) = λᵀ(u⁻ + u⁺)/2,   u⁺ = u⁻ + W λ.
//! ```
//!
//! One law never gains: all impulses are 1 + ε times those λ_c of the impact without restitution, u_c = u⁻ + W λ_c
//! (Moreau's rule; ε the smallest that strikes). It ends where Newton's ends along the normals, u_n⁺ = −ε u_n⁻, and
//!
//! ```text
//! ΔE = (1 + ε) ((1 − ε) λ_cᵀu⁻ + (1 + ε) λ_cᵀu_c)/2 ≤ 0,
//! ```
//!
//! because λ_cᵀu_c ≤ 0 by Coulomb's law, and λ_cᵀu⁻ = λ_cᵀu_c − λ_cᵀW λ_c. But what sticks is thrown back along
//! the surface too, by ε. So Newton's and Coulomb's impulses λ_N are taken as long as they give nothing, and
//! else the first of λ_N + s (λ_M − λ_N) that gives nothing: friction cones are convex, ΔE is a convex parabola
//! in s, and one ε makes both ends bounce alike.

use stiction_constraints::Budget;

use super::Island;
use crate::assembly::AssemblyError;
use crate::group::StepContext;

/// Share of the energy that the impacts move up to which a gain is rounding.
const ROUNDING: f64 = 1e-12;

/// What impacts of an island are compared with.
#[derive(Debug, Default)]
pub(super) struct Impacts {
    /// The motion without impacts: velocity, and impulses of what holds the bodies, the latter empty where
    /// nothing does.
    pub(super) velocity: Vec<f64>,
    pub(super) impulse: Vec<f64>,
    /// u⁻ by rows, m/s.
    before: Vec<f64>,
    /// Newton's and Moreau's velocity and impulses, and J times the velocities.
    newton: Trial,
    moreau: Trial,
    still: Vec<f64>,
}

/// Velocity and impulses of a rule, as changes of the motion without impacts.
#[derive(Debug, Default)]
struct Trial {
    velocity: Vec<f64>,
    impulse: Vec<f64>,
    /// J times the velocity, by rows.
    rows: Vec<f64>,
}

impl Impacts {
    pub(super) fn clear(&mut self) {
        self.velocity.clear();
        self.impulse.clear();
    }
}

impl Island {
    /// Takes the velocity found as that of the motion without impacts.
    pub(super) fn keep_supported(&mut self) {
        self.impacts.velocity.clone_from(&self.solution.velocity);
        self.impacts.impulse.clone_from(&self.solution.impulse);
    }

    /// Where the impacts found give energy, takes impulses that give none.
    pub(crate) fn keep_impacts_passive(
        &mut self,
        step: &StepContext<'_>,
        budget: &Budget,
    ) -> Result<(), AssemblyError> {
        let strikes = self.bounces.iter().filter_map(|(_, bounce)| bounce.strike);
        let restitution = strikes.map(|strike| strike.restitution).reduce(f64::min);
        let (Some(restitution), true) = (restitution, step.start.is_some()) else {
            return Ok(());
        };
        let mut impacts = std::mem::take(&mut self.impacts);
        let result = self.make_passive(&mut impacts, restitution, step, budget);
        self.impacts = impacts;
        result
    }

    fn make_passive(
        &mut self,
        impacts: &mut Impacts,
        restitution: f64,
        step: &StepContext<'_>,
        budget: &Budget,
    ) -> Result<(), AssemblyError> {
        if impacts.velocity.is_empty() {
            if self.probe.find_free_velocity(&self.problem).is_none() {
                return Ok(());
            }
            impacts
                .velocity
                .extend_from_slice(self.probe.free_velocity());
        }
        self.measure_before(impacts, step);
        self.measure_change(&mut impacts.newton, &impacts.velocity, &impacts.impulse);
        let [gain, moved] = gain(&impacts.newton, &impacts.newton, &impacts.before);
        // What is not a number is no business of an impact.
        if !(gain > ROUNDING * moved) {
            return Ok(());
        }
        let share = match self.find_moreau(impacts, restitution, step, budget)? {
            true => first_without_gain(&impacts.newton, &impacts.moreau, &impacts.before),
            false => 0.0,
        };
        let trial = &mut impacts.newton;
        trial.blend(&impacts.moreau, share);
        // What is left, of a solve that failed, and of friction at supports that bounce along: all impulses less.
        let scale = trial.passive_scale(&impacts.before);
        let all = impacts.impulse.iter().chain(std::iter::repeat(&0.0));
        self.solution.velocity.clear();
        self.solution.impulse.clear();
        let both = impacts.velocity.iter().zip(&trial.velocity);
        let velocity = both.map(|(still, change)| still + scale * change);
        self.solution.velocity.extend(velocity);
        let both = all.zip(&trial.impulse);
        let impulse = both.map(|(still, change)| still + scale * change);
        self.solution.impulse.extend(impulse);
        // Rows that only Moreau's motion met do nothing.
        self.solution.impulse.resize(self.problem.row_count(), 0.0);
        Ok(())
    }

    /// u⁻: of rows that strike that of the instant of the impact, of others that of the motion without impacts.
    /// Only these are relative to what is driven.
    fn measure_before(&mut self, impacts: &mut Impacts, step: &StepContext<'_>) {
        let count = self.problem.row_count();
        let rows = self.probe.rows(&self.problem);
        for values in [&mut impacts.before, &mut impacts.still] {
            values.clear();
            values.resize(count, 0.0);
        }
        rows.mul(&impacts.velocity, &mut impacts.still);
        let Some(start) = &step.start else {
            return;
        };
        self.mean.clear();
        for &member in &self.members {
            let dofs = step.dof_start[member]..step.dof_start[member + 1];
            self.mean.extend_from_slice(&start.velocity[dofs]);
        }
        rows.mul(&self.mean, &mut impacts.before);
        let mut bounces = self.bounces.iter().peekable();
        for (position, constraint) in self.problem.constraints().iter().enumerate() {
            let rows = constraint.row_range();
            let bounce = bounces.next_if(|(at, _)| *at == position);
            let strike = bounce.and_then(|(_, bounce)| bounce.strike);
            let (before, still) = (&mut impacts.before[rows.clone()], &impacts.still[rows]);
            let driven = &self.notes[position].driven;
            for (row, (before, still)) in before.iter_mut().zip(still).enumerate() {
                let driven = driven.get(row).copied().unwrap_or(0.0);
                *before = driven
                    + match strike {
                        Some(strike) => *before + strike.share * (still - *before),
                        None => *still,
                    };
            }
            if let Some(strike) = strike {
                before[2] = strike.speed;
            }
        }
    }

    /// The solution as a change of the motion without impacts.
    fn measure_change(&mut self, trial: &mut Trial, velocity: &[f64], impulse: &[f64]) {
        trial.velocity.clear();
        let both = self.solution.velocity.iter().zip(velocity);
        trial
            .velocity
            .extend(both.map(|(found, still)| found - still));
        trial.impulse.clear();
        trial.impulse.extend_from_slice(&self.solution.impulse);
        for (found, still) in trial.impulse.iter_mut().zip(impulse) {
            *found -= still;
        }
        trial.rows.clear();
        trial.rows.resize(self.problem.row_count(), 0.0);
        let rows = self.probe.rows(&self.problem);
        rows.mul(&trial.velocity, &mut trial.rows);
    }

    /// Solves the impacts without restitution and multiplies them; whether it could.
    fn find_moreau(
        &mut self,
        impacts: &mut Impacts,
        restitution: f64,
        step: &StepContext<'_>,
        budget: &Budget,
    ) -> Result<bool, AssemblyError> {
        for (position, _) in self.bounces.iter().filter(|(_, b)| b.strike.is_some()) {
            let first = self.problem.constraints()[*position].first_row;
            let error =
                [0, 1, 2].map(|row| impacts.before[first + row] - impacts.still[first + row]);
            super::way::set_first_rows(&mut self.problem, *position, &error)?;
        }
        let count = self.problem.row_count();
        let report = self.solve_active(step, budget)?;
        // A limit that only this motion meets has no place in the other.
        if !report.outcome.is_converged() || self.problem.row_count() != count {
            return Ok(false);
        }
        self.measure_change(&mut impacts.moreau, &impacts.velocity, &impacts.impulse);
        let trial = &mut impacts.moreau;
        let all = [&mut trial.velocity, &mut trial.impulse, &mut trial.rows];
        for value in all.into_iter().flatten() {
            *value *= 1.0 + restitution;
        }
        Ok(true)
    }
}

impl Trial {
    fn blend(&mut self, other: &Self, share: f64) {
        if share == 0.0 {
            return;
        }
        let own = [&mut self.velocity, &mut self.impulse, &mut self.rows];
        let others = [&other.velocity, &other.impulse, &other.rows];
        for (own, other) in own.into_iter().zip(others) {
            for (own, other) in own.iter_mut().zip(other) {
                *own += share * (other - *own);
            }
        }
    }

    /// The largest factor of all impulses, at most 1, with which they give nothing.
    fn passive_scale(&self, before: &[f64]) -> f64 {
        let [linear, _] = product(&self.impulse, before);
        let [square, _] = product(&self.impulse, &self.rows);
        match square > 0.0 {
            true => (-2.0 * linear / square).clamp(0.0, 1.0),
            false => 1.0,
        }
    }
}

/// λᵀ(u⁻ + u/2), J, with λ of one trial and u of another; and the sum of what its terms are in size.
fn gain(impulse: &Trial, rows: &Trial, before: &[f64]) -> [f64; 2] {
    let [linear, linear_size] = product(&impulse.impulse, before);
    let [square, square_size] = product(&impulse.impulse, &rows.rows);
    [linear + 0.5 * square, linear_size + 0.5 * square_size]
}

fn product(a: &[f64], b: &[f64]) -> [f64; 2] {
    let products = a.iter().zip(b).map(|(a, b)| a * b);
    products.fold([0.0; 2], |[sum, size], one| [sum + one, size + one.abs()])
}

/// The smallest share of Moreau's impulses with which the impacts give nothing; 1 where there is none.
fn first_without_gain(newton: &Trial, moreau: &Trial, before: &[f64]) -> f64 {
    // ΔE(s) = (1 − s)² ΔE_N + 2 s (1 − s) m + s² ΔE_M with the mixed term m.
    let [at_newton, _] = gain(newton, newton, before);
    let [at_moreau, _] = gain(moreau, moreau, before);
    let mixed = 0.5 * (gain(newton, moreau, before)[0] + gain(moreau, newton, before)[0]);
    let [half_slope, square] = [mixed - at_newton, at_newton - 2.0 * mixed + at_moreau];
    let root = (half_slope * half_slope - square * at_newton)
        .max(0.0)
        .sqrt();
    let share = at_newton / (root - half_slope);
    match share.is_finite() && share > 0.0 {
        true => share.min(1.0),
        false => 1.0,
    }
}
