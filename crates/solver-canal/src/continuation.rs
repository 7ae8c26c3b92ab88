//! The last resort: follows the smoothed path through its folds.
//!
//! The solutions of the smoothed problem F(λ, τ) = 0 ([`smoothed_system`](crate::smoothed_system))
//! form the central path of interior-point methods. For large τ the slip speed drops out of it: what
//! is left is a convex problem with one solution, which Newton finds from nothing. From there the path
//! leads to a solution of the contact problem at τ = 0. With Coulomb's friction it need not get there
//! on a straight way: it may turn round (a fold), lead back to larger τ, and turn again. A Newton
//! method that lowers τ step by step ([`path`](crate::path)) falls off at the first fold.
//!
//! Here τ is one more unknown. A step goes along the path's tangent in the space of λ and θ = log τ
//! (pseudo-arc-length continuation, H. B. Keller 1977), and Newton returns to the path across it:
//!   ∂F/∂λ dλ + ∂F/∂θ dθ = −F,  ⟨tangent, (dλ, dθ)⟩ = 0.
//! Which of the tangent's two directions leads on is told by the sign of det ∂F/∂λ: along a smooth
//! path dθ/ds changes its sign exactly where the determinant does, so that θ falls where it has the sign
//! of the start and rises where it has the other. A curve that starts at its only point with the largest
//! τ cannot return there, nor end, nor meet itself: it arrives at τ = 0, unless λ grows beyond all bounds
//! on the way. It does where the contact problem has no solution, and may where it has: with friction,
//! solutions come in pairs of opposite sign too, which no path from far away arrives at. Other paths,
//! from other starts, may (S. Smale's global Newton method, 1976).

use nalgebra::Vector3;
use stiction_constraints::Problem;

use crate::finish::FinishNewton;
use crate::natural_map::{Context, Reached};
use crate::rules::{DECREASE, HALF, PAID, SHORTEST_STEP};
use crate::settings::{Continuation as Settings, Finish};
use crate::smoothed_system::{Point, SmoothedSystem};

/// Corrections of one stride.
const CORRECTIONS: usize = 5;
/// Corrections must end closer to the path than strides are long, as far as rounding allows; at that
/// floor it may keep them from shrinking.
const RELATIVE_CLOSENESS: f64 = 0.02;
const LEAST_CORRECTION: f64 = 1e-7;

/// Buffers of the continuation, which live between solves.
#[derive(Debug, Default)]
pub(crate) struct Continuation {
    /// The best impulses, on exit.
    pub(crate) best: Vec<f64>,
    system: SmoothedSystem,
    /// The last point on the path with the unit tangent there, in the direction of travel.
    base: Point,
    tangent: Point,
    next_tangent: Point,
    /// 1/size² of each constraint's impulse at the base, over their number.
    weights: Vec<f64>,
    step: Point,
    level: Point,
    /// Length of the next step.
    stride: f64,
    /// Whether det ∂F/∂λ is positive where the path begins.
    starts_positive: bool,
}

/// How a return to the path went.
struct Correction {
    /// Length of the first step, and of the second relative to it.
    first: f64,
    contraction: f64,
}

impl Continuation {
    /// Follows a path, by its number, from its beginning, over at most `most` strides; `so_far` are the
    /// best impulses of other methods. The best ones on the path are left in `self.best`. Returns what was
    /// reached, and the strides taken.
    pub(crate) fn run(
        &mut self,
        context: &mut Context<'_>,
        (settings, finish): (&Settings, Option<&Finish>),
        newton: &mut FinishNewton,
        (path, so_far, most): (usize, &[f64], usize),
    ) -> (Reached, usize) {
        let mut reached = Reached {
            residual: f64::INFINITY,
            steps: 0,
        };
        let (mut finish_steps, mut strides, mut tried) = (0, 0, f64::INFINITY);
        self.start(context, settings.compliance, (path, so_far));
        // From far above its beginning a path does not come back; where τ is the last digit of what it
        // was, there is nothing left to follow.
        let first = self.system.at.theta;
        let range = first + f64::EPSILON.ln()..first + 1.0;
        let mut is_on_path = self.enter(context, settings);
        while is_on_path
            && strides < most
            && reached.residual > context.tolerance
            && self.system.factorizations + finish_steps < settings.max_factorizations
            && !context.stopwatch.is_spent()
        {
            strides += 1;
            is_on_path = self.advance(context, settings) && range.contains(&self.base.theta);
            let residual = self.system.residual(context, context.criterion);
            self.offer(&mut reached, residual);
            // Without a solution the path leads to infinity: where rounding of the impulses hides more
            // than the best residual, nothing better is to be found.
            let rounding = context
                .evaluator
                .rounding(context.problem, &self.base.lambda);
            is_on_path &= rounding < reached.residual;
            if residual < PAID * tried
                && let Some(finish) = finish
            {
                tried = residual;
                let start = (self.base.lambda.as_slice(), residual);
                let finished = newton.run(context, finish, start, f64::INFINITY);
                finish_steps += finished.steps;
                if finished.residual < reached.residual {
                    reached.residual = finished.residual;
                    self.best.copy_from_slice(&newton.best);
                }
            }
        }
        reached.steps = self.system.factorizations + finish_steps;
        (reached, strides)
    }

    /// Begins with a τ as large as the error is there.
    fn start(&mut self, context: &mut Context<'_>, compliance: f64, path: (usize, &[f64])) {
        let m = context.problem.row_count();
        for point in [
            &mut self.base,
            &mut self.tangent,
            &mut self.next_tangent,
            &mut self.step,
            &mut self.level,
        ] {
            point.start(m);
        }
        self.weights
            .resize(context.problem.constraints().len(), 0.0);
        self.best.clear();
        self.best.resize(m, 0.0);
        // As long as a change of τ by half.
        self.stride = HALF;
        self.system.start(context, compliance, path);
    }

    fn offer(&mut self, reached: &mut Reached, residual: f64) {
        if residual < reached.residual {
            reached.residual = residual;
            self.best.copy_from_slice(&self.base.lambda);
        }
    }

    /// Newton at the first τ; whether it found the path.
    fn enter(&mut self, context: &mut Context<'_>, settings: &Settings) -> bool {
        let enough = settings.closeness * settings.closeness * self.system.at.theta.exp();
        let mut size = self.system.linearize(context);
        let mut steps = 0;
        while size > enough || size.is_nan() {
            if steps == context.max_newton
                || context.stopwatch.is_spent()
                || !self.system.factorize(context)
            {
                return false;
            }
            steps += 1;
            self.system.newton_step(context, &mut self.step);
            self.base.copy_from(&self.system.at);
            let mut alpha = 1.0;
            size = loop {
                self.system.at.copy_from(&self.base);
                self.system.at.add(alpha, &self.step);
                let new_size = self.system.linearize(context);
                if new_size <= (1.0 - DECREASE * alpha) * size || alpha < SHORTEST_STEP {
                    break new_size;
                }
                alpha *= HALF;
            };
        }
        if !self.system.factorize(context) {
            return false;
        }
        self.starts_positive = context.hessian.is_determinant_positive();
        self.find_tangent(context);
        self.settle(context);
        true
    }

    /// One stride along the path, as long as it can be; `false` when none is short enough or time is
    /// up.
    fn advance(&mut self, context: &mut Context<'_>, settings: &Settings) -> bool {
        let mut failures = 0;
        while self.stride > f64::EPSILON
            && self.system.factorizations < settings.max_factorizations
            && !context.stopwatch.is_spent()
        {
            self.system.at.copy_from(&self.base);
            self.system.at.add(self.stride, &self.tangent);
            if let Some(correction) = self.correct(context, settings.closeness)
                && self.find_tangent(context) >= HALF
            {
                self.settle(context);
                let trouble = correction.first.max(correction.contraction);
                self.stride *= (settings.aim / trouble).sqrt().clamp(HALF, 1.0 / HALF);
                return true;
            }
            self.stride *= HALF;
            failures += 1;
            if failures % CORRECTIONS == 2 {
                self.polish(context);
            }
        }
        self.system.at.copy_from(&self.base);
        false
    }

    /// Newton from the predicted point back to the path.
    fn correct(&mut self, context: &mut Context<'_>, closeness: f64) -> Option<Correction> {
        // Short strides want a base that is closer to the path than they are long.
        let stride = self.stride * self.largest(context.problem, &self.tangent);
        let enough = (RELATIVE_CLOSENESS * stride).clamp(LEAST_CORRECTION, closeness);
        let mut correction = Correction {
            first: self.correction_step(context)?,
            contraction: 0.0,
        };
        let mut last = correction.first;
        if last > HALF {
            return None;
        }
        for steps in 1..CORRECTIONS {
            if last <= enough {
                break;
            }
            let length = self.correction_step(context)?;
            if steps == 1 {
                correction.contraction = length / last;
            }
            if length > HALF * last && length > LEAST_CORRECTION {
                return None;
            }
            last = length;
        }
        (last <= enough).then_some(correction)
    }

    /// One Newton step across the tangent; its length.
    fn correction_step(&mut self, context: &mut Context<'_>) -> Option<f64> {
        self.system.linearize(context);
        if !self.system.factorize(context) {
            return None;
        }
        self.system.newton_step(context, &mut self.step);
        self.system.level_direction(context, &mut self.level);
        let share = -self.dot(context.problem, &self.tangent, &self.step)
            / self.dot(context.problem, &self.tangent, &self.level);
        self.step.add(share, &self.level);
        self.system.at.add(1.0, &self.step);
        let length = self.largest(context.problem, &self.step);
        length.is_finite().then_some(length)
    }

    /// Where strides fail the base may be too far from the path, and its tangent with it: corrects both.
    fn polish(&mut self, context: &mut Context<'_>) {
        self.system.at.copy_from(&self.base);
        for _ in 0..2 * CORRECTIONS {
            match self.correction_step(context) {
                Some(length) if length < LEAST_CORRECTION => {
                    self.find_tangent(context);
                    self.settle(context);
                    return;
                }
                Some(_) => {}
                None => return,
            }
        }
    }

    /// The tangent where the system was last factorised; its cosine with the one at the base.
    fn find_tangent(&mut self, context: &mut Context<'_>) -> f64 {
        self.system.level_direction(context, &mut self.next_tangent);
        if context.hessian.is_determinant_positive() == self.starts_positive {
            self.next_tangent.scale(-1.0);
        }
        let length = self
            .dot(context.problem, &self.next_tangent, &self.next_tangent)
            .sqrt();
        self.dot(context.problem, &self.next_tangent, &self.tangent) / length
    }

    /// Makes the present point with its tangent the base.
    fn settle(&mut self, context: &Context<'_>) {
        self.base.copy_from(&self.system.at);
        std::mem::swap(&mut self.tangent, &mut self.next_tangent);
        let tau = self.base.theta.exp();
        let constraints = context.problem.constraints();
        let masses = context.evaluator.effective_masses();
        for ((weight, constraint), mass) in self.weights.iter_mut().zip(constraints).zip(masses) {
            let lambda: Vector3<f64> = constraint.load(&self.base.lambda);
            let size = lambda.norm() + tau * mass;
            *weight = 1.0 / (size * size * constraints.len() as f64);
        }
        let length = self
            .dot(context.problem, &self.tangent, &self.tangent)
            .sqrt();
        self.tangent.scale(1.0 / length);
    }

    /// The inner product at the base: impulses relative to their size or to the smoothing.
    fn dot(&self, problem: &Problem, a: &Point, b: &Point) -> f64 {
        let mut sum = a.theta * b.theta;
        for (weight, constraint) in self.weights.iter().zip(problem.constraints()) {
            let (x, y): (Vector3<f64>, Vector3<f64>) =
                (constraint.load(&a.lambda), constraint.load(&b.lambda));
            sum += weight * x.dot(&y);
        }
        sum
    }

    /// The largest relative change of any impulse, or that of τ.
    fn largest(&self, problem: &Problem, change: &Point) -> f64 {
        let count = self.weights.len() as f64;
        let mut largest = change.theta * change.theta;
        for (weight, constraint) in self.weights.iter().zip(problem.constraints()) {
            let change: Vector3<f64> = constraint.load(&change.lambda);
            largest = largest.max(weight * count * change.norm_squared());
        }
        largest.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use stiction_constraints::{Budget, Criterion, ResidualEvaluator, Stopwatch};
    use stiction_generators::{RandomSmallParams, random_small};
    use stiction_problem_files::{self as problem_files, ProblemFile};

    use super::*;
    use crate::hessian::Hessian;
    use crate::path::PathNewton;
    use crate::products::Columns;
    use crate::settings::{CanalSettings, LinearSolver};

    const TOLERANCE: f64 = 1e-7;

    /// What the plain path and the continuation leave, both from nothing.
    fn compare(problem: &Problem, linear_solver: LinearSolver) -> [f64; 2] {
        let (mut evaluator, mut columns) = (ResidualEvaluator::default(), Columns::default());
        evaluator.update(problem).expect("a valid A");
        columns.update(problem, evaluator.rows());
        let mut hessian = Hessian::default();
        let (dynamics, rows) = evaluator.matrices();
        hessian.update(problem.dof_count(), dynamics, rows, linear_solver);
        let cold = vec![0.0; problem.row_count()];
        let cold_residual = evaluator.measure(problem, &cold, Criterion::Scaled);
        let mut context = Context {
            problem,
            evaluator: &mut evaluator,
            columns: &columns,
            hessian: &mut hessian,
            stopwatch: &Stopwatch::start(&Budget::default()),
            criterion: Criterion::Scaled,
            tolerance: TOLERANCE,
            max_newton: 1000,
        };
        let settings = CanalSettings::default();
        let finish = settings.finish.expect("a default");
        let path_settings = settings.path.expect("a default");
        let mut path = PathNewton::default();
        let start = (cold.as_slice(), cold_residual);
        let plain = path.run(
            &mut context,
            (&path_settings, &finish),
            start,
            cold_residual,
        );
        let mut continuation = Continuation::default();
        let (reached, _) = continuation.run(
            &mut context,
            (&settings.continuation.expect("a default"), Some(&finish)),
            &mut FinishNewton::default(),
            (0, &cold, usize::MAX),
        );
        let measured = evaluator.measure(problem, &continuation.best, Criterion::Scaled);
        assert!((measured - reached.residual).abs() <= 1e-3 * TOLERANCE);
        [plain.residual, measured]
    }

    fn gripper() -> Problem {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/data/panda_gripper_585.json"
        );
        match problem_files::read(path).expect("a readable file") {
            ProblemFile::Full(full) => full.problem,
            _ => panic!("not a full problem"),
        }
    }

    #[test]
    fn passes_folds_that_stop_the_plain_path() {
        for linear_solver in [LinearSolver::Dense, LinearSolver::Sparse] {
            let [plain, followed] = compare(&gripper(), linear_solver);
            assert!(plain > 10.0 * TOLERANCE, "{plain}");
            assert!(followed <= TOLERANCE, "{followed}");
        }
    }

    #[test]
    fn needs_no_velocity_that_separates_all_contacts() {
        // More constraints than degrees of freedom leave none.
        for seed in [456, 768, 1410] {
            let params = RandomSmallParams {
                seed,
                ..RandomSmallParams::default()
            };
            let problem = random_small(&params).expect("valid bodies");
            let [_, followed] = compare(&problem, LinearSolver::Automatic);
            assert!(followed <= TOLERANCE, "seed {seed}: {followed}");
        }
    }
}
