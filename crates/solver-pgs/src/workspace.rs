//! Vectors that live between calls.

use std::time::{Duration, Instant};

use stiction_constraints::{Criterion, Delassus, Failure, Problem, ResidualEvaluator, Solution};

use crate::conjugate::Conjugate;
use crate::local::Local;
use crate::own_residual::raisim_eps_abs;
use crate::settings::{Method, PgsSettings};

/// A guess whose residual exceeds that of no impulses by this factor is not used.
const FAR_OFF: f64 = 1e3;

/// Everything that a solve needs besides the problem. Never shrinks.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) evaluator: ResidualEvaluator,
    pub(crate) delassus: Delassus,
    pub(crate) locals: Vec<Local>,
    /// λ, N·s.
    pub(crate) impulse: Vec<f64>,
    /// z = J v̂ of λ, kept up to date through the columns of G, m/s.
    pub(crate) row_velocity: Vec<f64>,
    /// λ of the smallest residual so far.
    pub(crate) best: Vec<f64>,
    /// λ before the last sweep, where a test is about its change.
    pub(crate) before: Vec<f64>,
    /// Changes of one Jacobi sweep.
    pub(crate) change: Vec<f64>,
    pub(crate) conjugate: Conjugate,
    velocity: Vec<f64>,
    /// What the last G took to assemble.
    pub(crate) assembly_time: Duration,
}

impl Workspace {
    /// Prepares for a problem and starts from the guess, or from zero.
    pub(crate) fn start(
        &mut self,
        problem: &Problem,
        settings: &PgsSettings,
        guess: &Solution,
    ) -> Result<(), Failure> {
        self.evaluator.update(problem)?;
        // The evaluator lends its factors: A must be borrowed to solve, J to read.
        let clock = Instant::now();
        let mut dynamics = std::mem::take(self.evaluator.dynamics());
        self.delassus
            .update(problem, &mut dynamics, self.evaluator.rows());
        *self.evaluator.dynamics() = dynamics;
        self.assembly_time = clock.elapsed();
        self.locals.clear();
        let masses = self.evaluator.effective_masses();
        for (index, &mass) in masses.iter().enumerate() {
            let local = Local::new(problem, index, &self.delassus, mass, settings);
            self.locals.push(local);
        }
        let n_rows = problem.row_count();
        self.velocity.resize(problem.dof_count(), 0.0);
        self.row_velocity.resize(n_rows, 0.0);
        self.change.resize(n_rows, 0.0);
        self.before.resize(n_rows, 0.0);
        self.impulse.clear();
        if guess.has_guess(problem) {
            self.impulse.extend_from_slice(&guess.impulse);
        } else {
            self.impulse.resize(n_rows, 0.0);
        }
        // A guess that is worse than none beyond all measure, up to the end of the range of numbers, is no
        // guess.
        let measured = self
            .evaluator
            .measure(problem, &self.impulse, Criterion::Scaled);
        let free = self.evaluator.free_row_velocity();
        self.change.fill(0.0);
        let cold = self
            .evaluator
            .measure_at(problem, &self.change, free, Criterion::Scaled);
        if measured > FAR_OFF * cold {
            self.impulse.fill(0.0);
        }
        self.refresh_row_velocity(problem);
        self.best.clone_from(&self.impulse);
        self.conjugate.restart(n_rows);
        Ok(())
    }

    /// ‖A⁻¹JᵀΔλ‖₂ of the last sweep, of the change itself: as a difference of velocities it would be
    /// lost in their rounding.
    pub(crate) fn velocity_change(&mut self) -> f64 {
        let sweep = self.impulse.iter().zip(&self.before);
        for (change, (after, before)) in self.change.iter_mut().zip(sweep) {
            *change = after - before;
        }
        self.velocity.fill(0.0);
        self.evaluator
            .rows()
            .mul_transpose_add(&self.change, &mut self.velocity);
        self.evaluator.dynamics().solve_in_place(&mut self.velocity);
        let squares = self.velocity.iter().map(|value| value * value);
        squares.sum::<f64>().sqrt()
    }

    /// z = J A⁻¹(b + Jᵀλ) from scratch: rounding of many small updates adds up.
    pub(crate) fn refresh_row_velocity(&mut self, problem: &Problem) {
        self.evaluator
            .velocity_of(problem, &self.impulse, &mut self.velocity);
        self.evaluator
            .rows()
            .mul(&self.velocity, &mut self.row_velocity);
    }

    /// ε_abs of the present impulses for a method's own model.
    pub(crate) fn own_eps_abs(&self, problem: &Problem, settings: &PgsSettings) -> f64 {
        let (evaluator, impulse, velocity) = (&self.evaluator, &self.impulse, &self.row_velocity);
        match settings.method {
            Method::Ccp => evaluator.cone_model_eps_abs_at(problem, impulse, velocity),
            Method::Lcp => {
                let pyramid = &settings.pyramid;
                evaluator.pyramid_model_eps_abs_at(problem, impulse, velocity, pyramid)
            }
            Method::Raisim => {
                let masses = evaluator.effective_masses();
                raisim_eps_abs(&self.locals, masses, impulse, velocity)
            }
            Method::Ncp | Method::ConjugateGradient | Method::Jacobi => {
                evaluator.measure_at(problem, impulse, velocity, Criterion::EpsAbs)
            }
        }
    }
}
