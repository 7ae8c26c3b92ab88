//! Measures an answer without any of the code that solvers use.

mod double;
mod exact;
mod law;

use stiction_constraints::{Problem, Solution};

use double::Double;
use exact::{Matrix, cholesky, dot, jacobian, solve_lower, solve_upper, subsystem_matrix};

/// How many roundings of the numbers that go into a row velocity its rounding is taken for.
const ROUNDINGS: f64 = 64.0;

/// A row that is smaller than this part of what it is a sum of moves nothing: the convention of problems, by which
/// effective masses are defined. Taken for what it says, such a row would meet a mass beyond all others.
const NOISE: f64 = 1e-12;

/// Knows one problem in twice the precision, and judges answers to it.
#[derive(Debug, Clone)]
pub struct Judge<'a> {
    problem: &'a Problem,
    /// L with L Lᵀ = A_j, for each subsystem.
    factors: Vec<Matrix>,
    jacobian: Matrix,
    /// Sizes of what was added up in each entry of J.
    sizes: Vec<f64>,
    /// √ of the diagonal of J A⁻¹ Jᵀ, 1/√kg.
    row_norms: Vec<f64>,
    /// The same with sizes in place of J: before anything cancels in a row.
    gross_norms: Vec<f64>,
    /// Effective mass of each constraint, kg.
    masses: Vec<Double>,
    /// √(bᵀ A⁻¹ b), √J.
    free_energy: f64,
}

/// What a judge found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Largest violation of a law, m/s: by how much velocity and impulse over effective mass must be
    /// moved to obey it. Equal to the scaled residual in exact arithmetic.
    pub violation: f64,
    /// The constraint with that violation.
    pub constraint: Option<usize>,
    /// What rounding of the answer in 64-bit numbers may do to the velocity of that constraint, m/s. It
    /// grows with the impulses: where it hides the tolerance, nothing has converged.
    pub rounding: f64,
    /// Largest part of a violation that rounding does not explain, m/s.
    pub unexplained: f64,
    /// ‖v̂ − A⁻¹(b + Jᵀλ)‖ in the norm of A, relative to the size of what is added up; what rounding
    /// explains is taken off.
    pub dynamics: f64,
}

impl Verdict {
    /// Whether the laws hold to a tolerance (m/s): the violation is at most 1.01 tolerances, twice that
    /// where rounding is of the same size.
    pub fn is_within(&self, tolerance: f64) -> bool {
        self.violation <= 1.01 * tolerance + self.rounding.min(tolerance)
    }

    /// Whether rounding alone may explain that the laws do not hold to a tolerance (m/s). A careful
    /// solver calls that [`Stall::Rounding`](stiction_constraints::Stall::Rounding).
    pub fn is_off_by_rounding(&self, tolerance: f64) -> bool {
        !self.is_within(tolerance) && self.unexplained <= tolerance
    }

    /// The verdict on an answer that is not of the problem's size or not finite.
    fn hopeless() -> Self {
        Self {
            violation: f64::INFINITY,
            constraint: None,
            rounding: 0.0,
            unexplained: f64::INFINITY,
            dynamics: f64::INFINITY,
        }
    }
}

impl<'a> Judge<'a> {
    /// Prepares to judge answers to a problem; `None` where A is not positive definite.
    pub fn new(problem: &'a Problem) -> Option<Self> {
        let matrices: Vec<Matrix> = problem.subsystems().iter().map(subsystem_matrix).collect();
        let mean_inertia = mean_diagonal(&matrices);
        let factors = matrices
            .into_iter()
            .map(cholesky)
            .collect::<Option<Vec<_>>>()?;
        let (jacobian, sizes) = jacobian(problem);
        let mut judge = Self {
            problem,
            factors,
            jacobian,
            sizes,
            row_norms: Vec::new(),
            gross_norms: Vec::new(),
            masses: Vec::new(),
            free_energy: 0.0,
        };
        let b = problem.b().iter().map(|&b| Double::from(b)).collect();
        judge.free_energy = judge.inverse_norm_squared(b).hi().max(0.0).sqrt();
        let squares: Vec<Double> = (0..problem.row_count())
            .map(|row| judge.inverse_norm_squared(judge.jacobian.row(row).to_vec()))
            .collect();
        let dofs = problem.dof_count();
        judge.row_norms = squares.iter().map(|square| square.hi().sqrt()).collect();
        judge.gross_norms = (0..problem.row_count())
            .map(|row| {
                let sizes = &judge.sizes[row * dofs..(row + 1) * dofs];
                let sizes = sizes.iter().map(|&size| Double::from(size)).collect();
                let square = judge.inverse_norm_squared(sizes);
                square.hi().max(squares[row].hi()).sqrt()
            })
            .collect();
        for constraint in problem.constraints() {
            let mut mean = Double::ZERO;
            for row in constraint.row_range() {
                if judge.row_norms[row] > NOISE * judge.gross_norms[row] {
                    mean += squares[row] / constraint.rows as f64;
                }
            }
            // What moves nothing has no effective mass; the convention is the mean of A's diagonal.
            judge.masses.push(if mean.hi() > 0.0 {
                mean.recip()
            } else {
                mean_inertia
            });
        }
        Some(judge)
    }

    /// Judges an answer.
    pub fn judge(&self, solution: &Solution) -> Verdict {
        let problem = self.problem;
        let fits = solution.velocity.len() == problem.dof_count()
            && solution.impulse.len() == problem.row_count();
        let mut numbers = solution.velocity.iter().chain(&solution.impulse);
        if !fits || !numbers.all(|value| value.is_finite()) {
            return Verdict::hopeless();
        }
        let lambda: Vec<Double> = solution.impulse.iter().map(|&x| Double::from(x)).collect();
        let velocity = self.velocity_of(&lambda);
        // √ of the energy that b and the impulses bring in, each by itself; and before rows cancel.
        let energy_of = |norms: &[f64]| {
            let rows = norms.iter().zip(&solution.impulse);
            self.free_energy + rows.map(|(norm, x)| norm * x.abs()).sum::<f64>()
        };
        let (energy, gross_energy) = (energy_of(&self.row_norms), energy_of(&self.gross_norms));
        let mut verdict = Verdict {
            violation: 0.0,
            constraint: None,
            rounding: 0.0,
            unexplained: 0.0,
            dynamics: self.dynamics(solution, &velocity, energy, gross_energy),
        };
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let (mut z, mut own) = ([Double::ZERO; 3], [Double::ZERO; 3]);
            let mut rounding = 0.0_f64;
            for row in 0..constraint.rows {
                let at = constraint.first_row + row;
                z[row] = self.jacobian.row_times(at, &velocity);
                own[row] = lambda[at];
                let size = self.row_size(at, &velocity)
                    + problem.error(index)[row].abs()
                    + self.gross_norms[at] * gross_energy;
                rounding = rounding.max(ROUNDINGS * f64::EPSILON * size);
            }
            let violation = law::violation(
                constraint,
                problem.error(index),
                &z,
                &own,
                self.masses[index],
            );
            verdict.unexplained = verdict.unexplained.max(violation - rounding);
            if violation > verdict.violation {
                verdict.violation = violation;
                verdict.rounding = rounding;
                verdict.constraint = Some(index);
            }
        }
        verdict
    }

    /// xᵀ A⁻¹ x.
    fn inverse_norm_squared(&self, mut x: Vec<Double>) -> Double {
        self.each_block(&mut x, solve_lower);
        dot(&x, &x)
    }

    /// A⁻¹(b + Jᵀλ).
    fn velocity_of(&self, lambda: &[Double]) -> Vec<Double> {
        let b = self.problem.b();
        let mut out: Vec<Double> = b.iter().map(|&b| Double::from(b)).collect();
        for (row, &lambda) in lambda.iter().enumerate() {
            if lambda.hi() != 0.0 {
                for (out, &entry) in out.iter_mut().zip(self.jacobian.row(row)) {
                    if entry.hi() != 0.0 {
                        *out += entry * lambda;
                    }
                }
            }
        }
        self.each_block(&mut out, solve_lower);
        self.each_block(&mut out, solve_upper);
        out
    }

    /// ‖v̂ − velocity‖ in the norm of A beyond the rounding of `gross_energy`, relative to `energy`.
    fn dynamics(
        &self,
        solution: &Solution,
        velocity: &[Double],
        energy: f64,
        gross_energy: f64,
    ) -> f64 {
        let difference: Vec<Double> = (solution.velocity.iter().zip(velocity))
            .map(|(&v, exact)| *exact - Double::from(v))
            .collect();
        let mut sum = 0.0;
        for (subsystem, factor) in self.factors.iter().enumerate() {
            let start = self.problem.dof_starts()[subsystem];
            for column in 0..factor.columns {
                // Lᵀ d, entry by entry.
                let mut entry = Double::ZERO;
                for row in column..factor.columns {
                    entry += factor.row(row)[column] * difference[start + row];
                }
                sum += entry.hi() * entry.hi();
            }
        }
        let error = (f64::sqrt(sum) - ROUNDINGS * f64::EPSILON * gross_energy).max(0.0);
        match energy > 0.0 {
            _ if !sum.is_finite() => f64::INFINITY,
            true => error / energy,
            false => error,
        }
    }

    /// Σ |J| |v̂| of a row before anything cancels, m/s.
    fn row_size(&self, row: usize, velocity: &[Double]) -> f64 {
        let sizes = &self.sizes[row * velocity.len()..(row + 1) * velocity.len()];
        let terms = sizes
            .iter()
            .zip(velocity)
            .map(|(size, v)| size * v.hi().abs());
        terms.sum()
    }

    fn each_block(&self, x: &mut [Double], solve: impl Fn(&Matrix, &mut [Double])) {
        for (subsystem, factor) in self.factors.iter().enumerate() {
            let starts = self.problem.dof_starts();
            solve(factor, &mut x[starts[subsystem]..starts[subsystem + 1]]);
        }
    }
}

/// Mean diagonal of A, kg.
fn mean_diagonal(matrices: &[Matrix]) -> Double {
    let (mut sum, mut count) = (Double::ZERO, 0);
    for matrix in matrices {
        for dof in 0..matrix.columns {
            sum += matrix.row(dof)[dof];
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_constraints::ResidualEvaluator;
    use stiction_generators::{Breadth, Certificate, RandomWideParams, random_wide};

    #[test]
    fn it_agrees_with_the_evaluator_on_plain_problems() {
        for seed in 0..40 {
            let params = RandomWideParams {
                breadth: Breadth::Plain,
                seed,
                ..RandomWideParams::default()
            };
            let drawn = random_wide(&params).expect("valid parameters");
            let Some(Certificate::Drawn(exact)) = &drawn.certificate else {
                continue;
            };
            let judge = Judge::new(&drawn.problem).expect("positive definite");
            let verdict = judge.judge(exact);
            assert!(verdict.violation < 1e-9, "{seed}: {verdict:?}");
            assert!(verdict.dynamics < 1e-12, "{seed}: {verdict:?}");
            // Something that is no solution.
            let mut evaluator = ResidualEvaluator::default();
            evaluator.update(&drawn.problem).expect("positive definite");
            let mut other = exact.clone();
            for (row, impulse) in other.impulse.iter_mut().enumerate() {
                *impulse *= 1.0 + 0.3 * (row as f64).sin();
            }
            evaluator.velocity_of(&drawn.problem, &other.impulse, &mut other.velocity);
            let verdict = judge.judge(&other);
            let residuals = evaluator.residuals(&drawn.problem, &other.velocity, &other.impulse);
            let difference = (verdict.violation - residuals.scaled).abs();
            assert!(difference < 1e-9 * (1.0 + residuals.scaled), "{seed}");
            assert!(verdict.dynamics < 1e-12);
            other.velocity[0] += 1e-3;
            assert!(judge.judge(&other).dynamics > 1e-9);
        }
    }
}
