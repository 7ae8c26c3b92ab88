//! What a step does with one island, from the guess to giving up.

use serde::{Deserialize, Serialize};
use stiction_constraints::{
    Budget, Criterion, Outcome, Report, ResidualEvaluator, Residuals, Stall,
};

use crate::assembly::AssemblyError;
use crate::group::StepContext;
use crate::island::Island;
use crate::probe::Energies;
use crate::push_out::Choice;

/// Limits of what is done about bodies that overlap and cannot simply be pushed apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OverlapPolicy {
    /// Pushes slower than this do no harm, whatever they meet, m/s: in a step of 1/240 s they move a
    /// body by 40 µm.
    pub notable: f64,
    /// A contact whose bodies miss this share of the speed at which they should come apart cannot be
    /// pushed; a solver that stopped early misses less.
    pub missed: f64,
    /// Nothing opens or closes a contact where a push would be slowed down to less than this share:
    /// its lever is a hundredth of the size of its link.
    pub immovable: f64,
    /// Multiple of the energy m push² that pushes may take together before they are called off: a body
    /// that turns while it is pushed takes a few times that.
    pub violent: f64,
    /// Speed at which no contact closes, m/s: the e of one that nothing opens or closes.
    pub out_of_reach: f64,
    /// Times the energy without constraints that an attempt that failed may have, beyond what pushes,
    /// limits, driven bodies, bounces and springs may add: constraints only take energy away. More than
    /// 1 lets failed steps in a row gain energy without bound.
    pub absurd: f64,
    /// A guess is taken as it is if its residual is the tolerance times this, in two steps in a row.
    /// What is let pass comes back in the next step: at the whole tolerance bodies creep, and an
    /// impulse that has just stopped a motion, passed as the guess of what is now at rest, starts
    /// another.
    pub good_guess: f64,
}

impl OverlapPolicy {
    /// Pushes slower than this leave no motion that anybody sees, m/s.
    pub(crate) const UNSEEN: f64 = 1e-5;
    /// Times the energy without constraints from which on a motion is mostly that of its pushes: it is taken
    /// out of the velocity. Below it stays in, because positions that are changed without velocities do
    /// not keep angular momentum.
    pub(crate) const MOSTLY_PUSHED: f64 = 2.0;
}

impl Default for OverlapPolicy {
    /// Plausible sizes, each with its reason beside it; none of them was swept.
    fn default() -> Self {
        Self {
            notable: 0.01,
            missed: 0.2,
            immovable: 1e-2,
            violent: 10.0,
            out_of_reach: 1e3,
            absurd: 1.0,
            good_guess: 0.1,
        }
    }
}

impl Island {
    /// Guess, ease, solve (activating inactive rows), hold what was missed, hold all that is pushed, leave
    /// joints as they are, scale back. Where something bounces or is pushed back, what was found is the
    /// way through the step, and the velocity at its end is found apart. Attempts change e only: A, b
    /// and J are written once.
    pub(crate) fn solve_by_policy(
        &mut self,
        step: &StepContext<'_>,
    ) -> Result<Report, AssemblyError> {
        self.forget_way();
        self.write(step)?;
        let is_settled = self.take_guess(step);
        let good_guess = step.policy.good_guess * step.budget.tolerance;
        let budget = Budget {
            guess_tolerance: Some(if is_settled { good_guess } else { 0.0 }),
            ..step.budget.clone()
        };
        if self.needs_supports(step) {
            // What is held by something does not fall while another comes towards it.
            self.put_off_bounces(step.policy)?;
            let report = self.solve_active(step, &budget)?;
            self.find_bounces_again(step, report.outcome.is_converged())?;
            self.take_guess(step);
        }
        self.prepare_way()?;
        self.ease(step.policy)?;
        let mut report = self.solve_active(step, &budget)?;
        for choice in [Choice::Missed, Choice::Any] {
            if !budget.rescue {
                break;
            }
            let choice = match self.is_violent(step.policy) {
                true => Choice::Any,
                false if report.outcome.is_converged() => break,
                false => choice,
            };
            if !self.delay_push(choice, budget.tolerance, step.policy)? {
                break;
            }
            // Impulses that grew against what cannot be moved are no guess.
            self.drop_guess();
            self.solve_again(step, &budget, &mut report)?;
        }
        self.leave_errors_if_failed(step, &budget, &mut report)?;
        let mut start_residual = report.start_residual;
        if self.is_split(step, report.outcome.is_converged()) {
            // Whoever limits iterations takes what they bring: pushes that wait for better never act.
            if report.outcome.is_converged() || !budget.rescue {
                self.keep_way();
            } else {
                self.drop_guess();
            }
            self.prepare_end()?;
            self.solve_again(step, &budget, &mut report)?;
            self.leave_errors_if_failed(step, &budget, &mut report)?;
            if budget.rescue && report.outcome.is_converged() {
                self.keep_impacts_passive(step, &budget)?;
            }
            start_residual = f64::INFINITY;
        }
        if !report.outcome.is_converged() {
            self.scale_back(&mut report, budget.criterion, step.policy);
        }
        self.is_settled = start_residual <= good_guess;
        Ok(report)
    }

    /// Solves once more with the present e.
    fn solve_again(
        &mut self,
        step: &StepContext<'_>,
        budget: &Budget,
        report: &mut Report,
    ) -> Result<(), AssemblyError> {
        let again = self.solve_active(step, budget)?;
        let earlier = std::mem::replace(report, again);
        report.add_earlier(&earlier);
        Ok(())
    }

    /// Where bringing joints back contradicts limits or contacts so much that energy comes from nowhere,
    /// the joints are only kept from getting worse.
    fn leave_errors_if_failed(
        &mut self,
        step: &StepContext<'_>,
        budget: &Budget,
        report: &mut Report,
    ) -> Result<(), AssemblyError> {
        if !budget.rescue || report.outcome.is_converged() || step.start.is_none() {
            return Ok(());
        }
        if self.excess(step.policy).is_some() && self.leave_errors()? {
            self.drop_guess();
            self.solve_again(step, budget, report)?;
        }
        Ok(())
    }

    /// Energies of the velocity found and the energy that it may have, if it has more.
    fn excess(&mut self, policy: &OverlapPolicy) -> Option<(Energies, f64)> {
        let energies = self.energies()?;
        let allowed = policy.absurd.max(1.0) * energies.free;
        if energies.found <= allowed {
            return None;
        }
        let allowed = allowed + self.allowance(policy);
        (!(energies.found <= allowed)).then_some((energies, allowed))
    }

    /// Where a solver failed so badly, or contacts at a joint contradict each other so much, that bodies
    /// would be flung away, impulses are scaled down until they add no energy; without any the bodies
    /// move on without constraints for this step. The report says so.
    fn scale_back(&mut self, report: &mut Report, criterion: Criterion, policy: &OverlapPolicy) {
        let Some((energies, allowed)) = self.excess(policy) else {
            return;
        };
        let share = self.use_share_of_impulses(&energies, allowed);
        self.forget_way();
        if share < 0.5 {
            report.outcome = Outcome::stalled(Stall::NotUsed);
        }
        let mut evaluator = ResidualEvaluator::default();
        if evaluator.update(self.problem()).is_ok() {
            let residual = evaluator.measure(self.problem(), self.impulse(), criterion);
            report.residuals = Residuals::only(criterion, residual);
        }
    }
}
