//! Steps of a soft body that nothing touches.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::body::{SoftBody, StepStart};
use super::cholesky::Cholesky;
use super::error::FemError;
use super::ledger::Ledger;
use super::model::{FemModel, read};
use super::settings::FemSettings;

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FreeStepReport {
    /// The energies.
    pub ledger: Ledger,
    /// How often A was factorised.
    pub solves: usize,
    /// θ that the step was done with: 0 where one of 1/2 gained energy.
    pub theta: f64,
    /// Which share of the deformation of the last solve was taken: less than 1 where even Newton's
    /// method gained energy.
    pub share: f64,
}

/// A soft body with a sparse Cholesky factor of its own, for bodies without contact.
#[derive(Debug)]
pub struct Stepper {
    body: SoftBody,
    cholesky: Cholesky,
    matrix: Vec<f64>,
    v_hat: Vec<f64>,
    /// Where the last linearisation was.
    last: Vec<f64>,
    /// Where backtracking ends.
    base: Vec<f64>,
    trial: Vec<f64>,
    x_end: Vec<f64>,
    v_end: Vec<f64>,
}

/// Iterations of Newton's method for a step that gained energy.
const LEDGER_ITERATIONS: usize = 4;

/// Halvings of a step that overshoots; 2⁻⁴⁰ of a step moves nothing.
const MAX_HALVINGS: usize = 40;

impl Stepper {
    /// A free body that is stepped on its own.
    ///
    /// # Errors
    /// Settings that make no sense or do not suit the materials; no memory for the factor.
    pub fn new(model: FemModel, settings: FemSettings) -> Result<Self, FemError> {
        let body = SoftBody::new(model, settings)?;
        let (n, tets) = (body.model().dof_count(), body.model().tet_count());
        let pattern = body.model().pattern();
        Ok(Self {
            cholesky: Cholesky::new(pattern).ok_or(FemError::TooManyTets { tets })?,
            matrix: vec![0.0; pattern.row_index().len()],
            v_hat: vec![0.0; n],
            last: vec![0.0; n],
            base: vec![0.0; n],
            trial: vec![0.0; n],
            x_end: vec![0.0; n],
            v_end: vec![0.0; n],
            body,
        })
    }

    /// The body.
    pub fn body(&self) -> &SoftBody {
        &self.body
    }

    /// The body, to hold and release nodes.
    pub fn body_mut(&mut self) -> &mut SoftBody {
        &mut self.body
    }

    /// v̂ of the last step, m/s.
    pub fn v_hat(&self) -> &[f64] {
        &self.v_hat
    }

    /// Positions at the end of the last step, m.
    pub fn positions(&self) -> &[f64] {
        &self.x_end
    }

    /// Velocities at the end of the last step, m/s.
    pub fn velocities(&self) -> &[f64] {
        &self.v_end
    }

    /// One step; [`positions`](Self::positions) and [`velocities`](Self::velocities) are the state at its
    /// end.
    ///
    /// A step that gains energy is done again by Newton's method if the ledger is
    /// [strict](FemSettings::strict_ledger); then with θ = 0 if θ was 1/2; and if that gains too, its
    /// deformation is halved until it does not.
    ///
    /// # Errors
    /// As of [`SoftBody::linearize`]; A that is not positive definite. The body is as before.
    pub fn step(&mut self, start: &StepStart<'_>) -> Result<FreeStepReport, FemError> {
        let mut start = *start;
        let mut report = self.solve_all(&start)?;
        if self.body.settings.strict_ledger {
            self.repeat_while_gaining(&start, &mut report)?;
            if report.ledger.is_gain() && start.theta != 0.0 {
                start.theta = 0.0;
                let solves = report.solves;
                report = self.solve_all(&start)?;
                report.solves += solves;
                self.repeat_while_gaining(&start, &mut report)?;
            }
            if report.ledger.is_gain() {
                self.halve_while_gaining(&start, &mut report)?;
            }
        }
        self.body
            .advance(&start, &self.v_hat, &mut self.x_end, &mut self.v_end)?;
        Ok(report)
    }

    /// As many linearisations as the settings ask for.
    fn solve_all(&mut self, start: &StepStart<'_>) -> Result<FreeStepReport, FemError> {
        self.body.linearize(start, None)?;
        self.solve(start)?;
        self.set_base();
        if self.body.model.needs_line_search() {
            self.last.copy_from_slice(&self.base);
            self.backtrack(start)?;
        }
        let linearizations = self.body.settings.linearizations;
        for _ in 1..linearizations {
            self.linearize_again(start)?;
        }
        Ok(FreeStepReport {
            ledger: self.body.ledger(start, &self.v_hat, &[])?,
            solves: linearizations,
            theta: start.theta,
            share: 1.0,
        })
    }

    /// v̂ ← A⁻¹ b.
    fn solve(&mut self, start: &StepStart<'_>) -> Result<(), FemError> {
        self.body.write_matrix(&mut self.matrix)?;
        if !self
            .cholesky
            .factorize(self.body.model.pattern(), &self.matrix)
        {
            let policy = self.body.settings.hessian.name();
            return Err(FemError::NotPositiveDefinite { policy });
        }
        self.v_hat.copy_from_slice(self.body.right_hand_side());
        self.cholesky.solve(&mut self.v_hat);
        if !self.body.held.holds_any() {
            self.restore_momentum(start);
        }
        Ok(())
    }

    /// Moves all nodes alike so that the sum of all equations holds to rounding. Elastic forces have no part
    /// in it, but in the factor they are large, and what they are rounded by leaks into the momentum.
    fn restore_momentum(&mut self, start: &StepStart<'_>) {
        let (model, weights) = (&self.body.model, self.body.weights);
        let (mut missing, mut total) = (Vector3::zeros(), 0.0);
        for (node, &mass) in model.masses().iter().enumerate() {
            let inertia = mass * weights.mass;
            let resistance = inertia + weights.damping * model.mass_damping[node];
            missing += read(start.v, node) * inertia - read(&self.v_hat, node) * resistance;
            missing += start.force_of(node, mass) * start.time_step;
            total += resistance;
        }
        let shift = missing / total;
        for v in self.v_hat.chunks_exact_mut(3) {
            for axis in 0..3 {
                v[axis] += shift[axis];
            }
        }
    }

    /// The next iteration of Newton's method.
    fn linearize_again(&mut self, start: &StepStart<'_>) -> Result<(), FemError> {
        self.body.linearize(start, Some(&self.v_hat))?;
        self.last.copy_from_slice(&self.v_hat);
        self.solve(start)?;
        self.backtrack(start)
    }

    fn repeat_while_gaining(
        &mut self,
        start: &StepStart<'_>,
        report: &mut FreeStepReport,
    ) -> Result<(), FemError> {
        for _ in 0..LEDGER_ITERATIONS {
            if !report.ledger.is_gain() {
                break;
            }
            self.linearize_again(start)?;
            report.solves += 1;
            report.ledger = self.body.ledger(start, &self.v_hat, &[])?;
        }
        Ok(())
    }

    /// A motion without deformation that keeps the momentum: that of the centre of mass, or none where
    /// something is held.
    fn set_base(&mut self) {
        let held = &self.body.held;
        if held.holds_any() {
            self.base.copy_from_slice(held.velocities());
            return;
        }
        let masses = self.body.model.masses();
        let (mut momentum, mut mass) = (Vector3::zeros(), 0.0);
        for (node, &m) in masses.iter().enumerate() {
            momentum += read(&self.v_hat, node) * m;
            mass += m;
        }
        let mean = momentum / mass;
        for base in self.base.chunks_exact_mut(3) {
            base.copy_from_slice(mean.as_slice());
        }
    }

    /// Halves the way from the last linearisation until the function whose minimum the step seeks does
    /// not grow.
    fn backtrack(&mut self, start: &StepStart<'_>) -> Result<(), FemError> {
        let before = self.body.merit(start, &self.last)?;
        for _ in 0..MAX_HALVINGS {
            let after = self.body.merit(start, &self.v_hat)?;
            // Rounding apart: at the minimum nothing falls any more.
            if after <= before + 1e-13 * before.abs() {
                break;
            }
            for (v, last) in self.v_hat.iter_mut().zip(&self.last) {
                *v = 0.5 * (*v + last);
            }
        }
        Ok(())
    }

    fn halve_while_gaining(
        &mut self,
        start: &StepStart<'_>,
        report: &mut FreeStepReport,
    ) -> Result<(), FemError> {
        self.set_base();
        self.trial.copy_from_slice(&self.v_hat);
        let mut share = 1.0;
        for _ in 0..MAX_HALVINGS {
            share *= 0.5;
            for ((trial, v), base) in self.trial.iter_mut().zip(&self.v_hat).zip(&self.base) {
                *trial = base + share * (v - base);
            }
            let ledger = self.body.ledger(start, &self.trial, &[])?;
            if !ledger.is_gain() {
                std::mem::swap(&mut self.v_hat, &mut self.trial);
                (report.share, report.ledger) = (share, ledger);
                break;
            }
        }
        Ok(())
    }
}
