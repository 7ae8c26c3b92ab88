//! The velocity fixed-point iteration on a problem on nodes, [COND, Alg. 1 and 3].

use stiction_constraints::{Failure, JointRows, Problem, Solution};

use crate::chebyshev::Accelerator;
use crate::contact;
use crate::nodes::Nodes;
use crate::parallel::sum_of_squares;
use crate::product::Product;
use crate::settings::{CondSettings, StepMatrix};
use crate::weights::{Source, Weights, gradient};

/// A guess that is further from obeying the equations of motion than rest is, by this factor, is not used.
const FAR_OFF: f64 = 1e3;
/// Iterations between two shifts of the multiplier. Fewer and the nodes have not followed the last one yet.
const SHIFT_EVERY: usize = 10;
/// A change this many times the smallest one so far is not on its way to a solution.
const GROWTH: f64 = 16.0;
/// By how much steps are shortened then.
const SHORTER: f64 = 0.5;
/// By how much shortened steps of Barzilai and Borwein grow again in an iteration: their changes rise and fall on the way to
/// a solution, and steps that stayed short would end it anywhere.
const LONGER: f64 = 1.1;

/// A problem on nodes, and an iterate. Keeps its storage.
#[derive(Debug, Default)]
pub(crate) struct VelocityIteration {
    pub(crate) product: Product,
    rows: JointRows,
    pub(crate) nodes: Nodes,
    pub(crate) weights: Weights,
    /// diag A of [COND, (15)] on the original degrees of freedom.
    diagonal: Vec<f64>,
    b: Vec<f64>,
    errors: Vec<f64>,
    /// v̂, virtual nodes last.
    pub(crate) x: Vec<f64>,
    /// v** of [COND, Alg. 3]: v̂ before it is extrapolated, the velocity with which the contacts obey their laws.
    obeying: Vec<f64>,
    before: Vec<f64>,
    star: Vec<f64>,
    g: Vec<f64>,
    g_before: Vec<f64>,
    /// What virtual nodes pull with, N·s.
    p: Vec<f64>,
    /// The multiplier y: what they pull with without lagging behind.
    multiplier: Vec<f64>,
    /// λ, three numbers for each constraint.
    lambda: Vec<f64>,
    accelerator: Accelerator,
    iteration: usize,
    least_change: f64,
    backoff: f64,
    /// Of the first iteration; infinite before it.
    first_change: f64,
    operations: u64,
}

impl VelocityIteration {
    /// Nodalizes a problem and begins from a guess: the velocity of the last step, its impulses where there is a
    /// multiplier.
    ///
    /// # Errors
    /// A tree that is not positive definite.
    pub(crate) fn begin(
        &mut self,
        problem: &Problem,
        settings: &CondSettings,
        guess: &Solution,
    ) -> Result<(), Failure> {
        self.product.update(problem)?;
        self.rows.update(problem);
        self.nodes
            .update(problem, &self.rows, self.product.starts());
        self.product.diagonal(&mut self.diagonal);
        self.nodes.set_gains(settings.gain, &self.diagonal);
        for (index, node) in self.nodes.virtuals.iter().enumerate() {
            for row in 0..node.rows {
                self.nodes.for_each(index, row, |dof, value| {
                    self.diagonal[dof] += node.gain * value * value;
                });
            }
        }
        let source = Source {
            problem,
            product: &self.product,
            nodes: &self.nodes,
            diagonal: &self.diagonal,
        };
        self.weights.update(&source, settings);
        let dimension = self.product.dimension();
        self.errors.clear();
        self.errors.extend_from_slice(problem.errors());
        let mut b = std::mem::take(&mut self.b);
        self.spread(problem, problem.b(), &mut b);
        b.truncate(dimension);
        self.b = b;
        let size = dimension + self.nodes.virtual_count();
        for vector in [
            &mut self.obeying,
            &mut self.before,
            &mut self.star,
            &mut self.g,
            &mut self.g_before,
        ] {
            vector.clear();
            vector.resize(size, 0.0);
        }
        for vector in [&mut self.p, &mut self.multiplier] {
            vector.clear();
            vector.resize(self.nodes.virtual_count(), 0.0);
        }
        self.lambda.clear();
        self.lambda.resize(3 * self.nodes.locals.len(), 0.0);
        self.accelerator.restart();
        (self.iteration, self.operations) = (0, 0);
        (self.least_change, self.backoff) = (f64::INFINITY, 1.0);
        self.first_change = f64::INFINITY;
        self.start_from(problem, settings, guess);
        Ok(())
    }

    fn start_from(&mut self, problem: &Problem, settings: &CondSettings, guess: &Solution) {
        let mut x = std::mem::take(&mut self.x);
        x.clear();
        x.resize(self.before.len(), 0.0);
        self.x = x;
        let at_rest = self.pull();
        let is_guess = guess.velocity.len() == problem.dof_count()
            && guess.velocity.iter().all(|value| value.is_finite());
        if is_guess {
            let mut x = std::mem::take(&mut self.x);
            self.spread(problem, &guess.velocity, &mut x);
            let (v, follow) = x.split_at_mut(self.product.dimension());
            self.nodes.follow(v, follow);
            self.x = x;
            if !(self.pull() <= FAR_OFF * at_rest) {
                self.x.fill(0.0);
            }
        }
        if settings.shift && guess.has_guess(problem) {
            for node in &self.nodes.virtuals {
                let impulse = &guess.impulse[node.constraint_row..][..node.rows];
                self.multiplier[node.first..node.first + node.rows].copy_from_slice(impulse);
            }
            if !(self.pull() <= FAR_OFF * at_rest) {
                self.multiplier.fill(0.0);
            }
        }
        self.before.copy_from_slice(&self.x);
        self.obeying.copy_from_slice(&self.x);
    }

    /// ‖W g‖: how far the iterate is from obeying the equations of motion without impulses, m/s.
    fn pull(&mut self) -> f64 {
        let state = (
            self.x.as_slice(),
            self.b.as_slice(),
            self.multiplier.as_slice(),
        );
        gradient(&self.product, &self.nodes, state, &mut self.p, &mut self.g);
        self.weights.apply(&self.g, &mut self.star);
        sum_of_squares(&self.star).sqrt()
    }

    /// A vector over the problem's degrees of freedom in the solver's numbering, zero elsewhere.
    fn spread(&self, problem: &Problem, from: &[f64], to: &mut Vec<f64>) {
        to.clear();
        to.resize(self.product.dimension() + self.nodes.virtual_count(), 0.0);
        let starts = self.product.starts();
        for (dofs, &start) in problem.dof_starts().windows(2).zip(starts) {
            to[start..start + dofs[1] - dofs[0]].copy_from_slice(&from[dofs[0]..dofs[1]]);
        }
    }

    /// One iteration; returns ‖v̂ˡ⁺¹ − v̂ˡ‖.
    pub(crate) fn step(&mut self, settings: &CondSettings) -> f64 {
        if settings.shift && self.iteration > 0 && self.iteration.is_multiple_of(SHIFT_EVERY) {
            self.shift();
        }
        let dimension = self.product.dimension();
        std::mem::swap(&mut self.g, &mut self.g_before);
        let state = (
            self.x.as_slice(),
            self.b.as_slice(),
            self.multiplier.as_slice(),
        );
        gradient(&self.product, &self.nodes, state, &mut self.p, &mut self.g);
        if settings.step_matrix.is_adaptive() {
            self.backoff = (LONGER * self.backoff).min(1.0);
            self.weights.scale = self.backoff * self.barzilai_borwein(settings.step_matrix);
        }
        // (20) and (24): v* = v − W(A v − b), then W Jᵀλ is added.
        self.weights.apply(&self.g, &mut self.star);
        for (star, x) in self.star.iter_mut().zip(&self.x) {
            *star = x - *star;
        }
        contact::solve(
            &self.nodes,
            &self.weights,
            dimension,
            &self.errors,
            contact::operator(settings.operator),
            &mut self.star,
            &mut self.lambda,
        );
        self.obeying.copy_from_slice(&self.star);
        let change = self.extrapolate(settings);
        self.iteration += 1;
        let entries = self.product.entry_count() + 2 * self.nodes.entry_count();
        self.operations += (entries + 3 * self.x.len() + 9 * self.nodes.locals.len()) as u64;
        self.watch(change, settings);
        change
    }

    /// x ← ν(u(v** − x) + x − x_before) + x_before, [COND, (38)] with u; ‖the change‖.
    fn extrapolate(&mut self, settings: &CondSettings) -> f64 {
        let (weight, relaxation) = match &settings.chebyshev {
            Some(chebyshev) => {
                let weight = self.accelerator.next_weight(chebyshev);
                let is_on = self.accelerator.is_on(chebyshev);
                (weight, if is_on { chebyshev.relaxation } else { 1.0 })
            }
            None => (1.0, 1.0),
        };
        let olds = self.x.iter().zip(&self.before);
        for (star, (x, before)) in self.star.iter_mut().zip(olds) {
            *star = weight * (relaxation * (*star - x) + x - before) + before;
        }
        let mut square = 0.0;
        for (star, x) in self.star.iter().zip(&self.x) {
            square += (star - x) * (star - x);
        }
        let change = f64::sqrt(square);
        std::mem::swap(&mut self.before, &mut self.x);
        std::mem::swap(&mut self.x, &mut self.star);
        if let Some(chebyshev) = &settings.chebyshev {
            self.accelerator.note(change, chebyshev);
        }
        change
    }

    /// Where changes grow the acceleration is restarted, or where there is none, steps are shortened.
    fn watch(&mut self, change: f64, settings: &CondSettings) {
        if self.first_change.is_infinite() {
            self.first_change = change;
        }
        let is_adaptive = settings.step_matrix.is_adaptive();
        let reference = match is_adaptive {
            true => self.first_change,
            false => self.least_change,
        };
        if change <= GROWTH * reference {
            self.least_change = self.least_change.min(change);
            return;
        }
        let is_accelerated = settings
            .chebyshev
            .as_ref()
            .is_some_and(|chebyshev| self.accelerator.is_on(chebyshev));
        // What has grown beyond where it began diverges with and without acceleration.
        if !is_accelerated || change > GROWTH * self.first_change {
            self.backoff *= SHORTER;
            self.weights.scale *= SHORTER;
        }
        self.accelerator.restart();
        self.before.copy_from_slice(&self.x);
        self.least_change = change;
    }

    /// y ← y + k_v (x_v − J_v v): what nodes lag behind by is pulled with from now on without lagging.
    fn shift(&mut self) {
        let (v, virtual_v) = self.x.split_at(self.product.dimension());
        self.nodes.follow(v, &mut self.p);
        for node in &self.nodes.virtuals {
            for at in node.first..node.first + node.rows {
                self.multiplier[at] += node.gain * (virtual_v[at] - self.p[at]);
            }
        }
    }

    /// α of P⁻¹ from the last two iterates, s = Δx and z = Δg, [COND, §IV-C 2].
    fn barzilai_borwein(&mut self, rule: StepMatrix) -> f64 {
        if self.iteration == 0 {
            return 1.0;
        }
        let (mut sps, mut sz, mut zpz) = (0.0_f64, 0.0_f64, 0.0_f64);
        self.weights.scale = 1.0;
        for (star, (g, before)) in self.star.iter_mut().zip(self.g.iter().zip(&self.g_before)) {
            *star = g - before;
        }
        // z P⁻¹ z and s z; s P s by the diagonal, which is all of P but in small subsystems.
        let steps = self.x.iter().zip(&self.before);
        for ((z, (x, before)), weight) in self.star.iter().zip(steps).zip(&self.weights.diagonal) {
            let s = x - before;
            sz += s * z;
            zpz += weight * z * z;
            sps += if *weight > 0.0 { s * s / weight } else { s * z };
        }
        let is_first = match rule {
            StepMatrix::BarzilaiBorwein1 => true,
            StepMatrix::BarzilaiBorwein2 => false,
            _ => self.iteration.is_multiple_of(2),
        };
        let alpha = if is_first { sps / sz } else { sz / zpz };
        match alpha.is_finite() && alpha > 0.0 {
            true => alpha,
            false => 1.0,
        }
    }

    /// λ by rows of the problem, N·s.
    pub(crate) fn impulses(&self, out: &mut [f64]) {
        for (local, impulse) in self.nodes.locals.iter().zip(self.lambda.as_chunks::<3>().0) {
            out[local.first_row..local.first_row + local.rows]
                .copy_from_slice(&impulse[..local.rows]);
        }
    }

    /// v̂ of the iterate by degrees of freedom of the problem.
    pub(crate) fn velocity(&self, problem: &Problem, out: &mut [f64]) {
        let starts = self.product.starts();
        for (dofs, &start) in problem.dof_starts().windows(2).zip(starts) {
            out[dofs[0]..dofs[1]].copy_from_slice(&self.obeying[start..start + dofs[1] - dofs[0]]);
        }
    }

    /// J v̂ on the nodes, virtual ones included, by rows of the problem.
    pub(crate) fn node_velocity(&self, out: &mut [f64]) {
        for local in &self.nodes.locals {
            let eta =
                contact::velocity(&self.nodes, local, self.product.dimension(), &self.obeying);
            out[local.first_row..local.first_row + local.rows].copy_from_slice(&eta[..local.rows]);
        }
    }

    /// Multiplications of all iterations since [`begin`](Self::begin).
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }
}
