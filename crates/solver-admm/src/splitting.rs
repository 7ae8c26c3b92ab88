//! ADMM on a part of the contact problem: the loop that all solvers of this crate are made of.

use nalgebra::Vector3;
use stiction_constraints::{Constraint, Delassus, Failure, Problem};

use crate::damped::{Damped, Which};
use crate::settings::AdmmSettings;

/// Minimises ½ xᵀG x + hᵀx over chosen rows of impulses x that obey their laws, [CMC, Alg. 3].
///
/// With x split from its copy y in the set of admissible impulses, and ζ = −γ the velocity that the law
/// sees, an iteration is
///
/// (G + P) x = P y + ζ − h,   w = α x + (1 − α) y,   y⁺ = T(ζ − P w; P⁻¹),   ζ⁺ = ζ + P (y⁺ − w),
///
/// with T the law's closed form (a projection where the law is a cone) and the proximal parameter P = ρ times
/// a weight of each constraint. [CMC] has P = ρ Id.
#[derive(Debug, Default)]
pub(crate) struct Splitting {
    matrix: Damped,
    /// Weight of each constraint in P, 1/kg.
    weight: Vec<f64>,
    /// Compliance R that is added to the diagonal of G, 1/kg, by rows of the problem.
    compliance: Vec<f64>,
    /// Constraint of each row.
    constraint_of: Vec<usize>,
    /// ρ.
    pub(crate) rho: f64,
    /// y, N·s.
    pub(crate) impulse: Vec<f64>,
    /// ζ, m/s: the velocity that belongs to y when converged.
    pub(crate) velocity: Vec<f64>,
    /// x, and what it was a step before where only sticking is tried.
    free: Vec<f64>,
    sought: Vec<f64>,
    iteration: usize,
    next_look: usize,
    pub(crate) factorizations: usize,
    /// Whether G has been factorised for what only sticks.
    has_bare: bool,
    /// What the last iteration left: primal ‖P(x − y)‖ and dual ‖P(y⁺ − y)‖, m/s, largest entry; and the size
    /// of what they are differences of.
    primal: (f64, f64),
    dual: (f64, f64),
}

/// ρ stays within these: G + P must remain a matrix to factorise, and P a part of it.
const RHO: (f64, f64) = (1e-9, 1e4);

/// ρ of what only sticks: so small that a few steps suffice, so large that rounding (1e-16 of G) over ρ adds no
/// impulses that move nothing.
const BARE_RHO: f64 = 3e-7;
/// Steps for what only sticks at most: a body of 1e-6 of the mean mobility takes about a dozen.
const BARE_STEPS: usize = 30;
/// Share of the impulses that a last step may change: ρ times that is what is left of velocities, 1e-15.
const ENOUGH: f64 = 1e-8;
/// Impulses that the laws change by a smaller share than this obey them.
const ROUNDING: f64 = 1e-12;

impl Splitting {
    /// Takes the chosen rows of a problem, weights of constraints and what is added to the diagonal of G (both
    /// 1/kg), and begins with impulses and velocities of nothing, which are overwritten where they are guessed.
    pub(crate) fn begin(
        &mut self,
        problem: &Problem,
        delassus: &Delassus,
        (weight, compliance): (&[f64], &[f64]),
        settings: &AdmmSettings,
        is_guessed: bool,
        is_chosen: impl Fn(usize) -> bool,
    ) -> Result<(), Failure> {
        self.constraint_of.clear();
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let rows = self.constraint_of.len() + constraint.rows;
            self.constraint_of.resize(rows, index);
        }
        self.matrix.update(delassus, is_chosen);
        self.weight.clear();
        self.weight.extend_from_slice(weight);
        self.compliance.clear();
        self.compliance.extend_from_slice(compliance);
        let rows = problem.row_count();
        for vector in [&mut self.impulse, &mut self.velocity, &mut self.free] {
            vector.clear();
            vector.resize(rows, 0.0);
        }
        if !(settings.keeps_rho && self.rho > 0.0) {
            let first = match is_guessed {
                true => settings.guessed_rho,
                false => settings.first_rho,
            };
            self.rho = first.clamp(RHO.0, RHO.1);
        }
        (self.iteration, self.factorizations) = (0, 0);
        self.has_bare = false;
        self.next_look = settings.first_look;
        (self.primal, self.dual) = ((f64::INFINITY, 0.0), (f64::INFINITY, 0.0));
        self.factorize()
    }

    fn factorize(&mut self) -> Result<(), Failure> {
        self.factorizations += 1;
        let (rho, weight, constraint_of) = (self.rho, &self.weight, &self.constraint_of);
        let compliance = &self.compliance;
        self.matrix.factorize(Which::Damped, |row| {
            rho * weight[constraint_of[row]] + compliance[row]
        })
    }

    /// Impulses under which all chosen rows keep still, the smallest of them in the norm of P: taken, and `true`,
    /// where every law allows them. Steps of the iteration above with P next to nothing, which leave out what
    /// moves nothing: from x = 0 all of them are images of G.
    ///
    /// `h` and `law` are as in [`iterate`](Self::iterate).
    pub(crate) fn stick(
        &mut self,
        problem: &Problem,
        h: &[f64],
        law: impl Fn(usize, &Constraint, &Vector3<f64>, f64) -> Vector3<f64>,
    ) -> Result<bool, Failure> {
        if !self.has_bare {
            let (weight, constraint_of) = (&self.weight, &self.constraint_of);
            let compliance = &self.compliance;
            self.factorizations += 1;
            self.has_bare = true;
            self.matrix.factorize(Which::Bare, |row| {
                BARE_RHO * weight[constraint_of[row]] + compliance[row]
            })?;
        }
        self.free.clear();
        self.free.resize(self.impulse.len(), 0.0);
        let mut last = f64::INFINITY;
        for step in 0..BARE_STEPS {
            self.sought.clone_from(&self.free);
            for &row in self.matrix.rows() {
                let damping = BARE_RHO * self.weight[self.constraint_of[row]];
                self.free[row] = damping * self.free[row] - h[row] - problem.errors()[row];
            }
            self.matrix.solve_in_place(Which::Bare, &mut self.free);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for &row in self.matrix.rows() {
                let weight = self.weight[self.constraint_of[row]];
                change = change.max(weight * (self.free[row] - self.sought[row]).abs());
                size = size.max(weight * self.free[row].abs());
            }
            let is_last = change <= ENOUGH * size;
            // What is not a number is no way on either.
            let goes_on = change < last && step + 1 < BARE_STEPS;
            if !(is_last || goes_on) {
                return Ok(false);
            }
            last = change;
            // The first step is within a hundredth and tells most of what does not stick.
            if (step == 0 || is_last) && !self.obeys(problem, size, &law) {
                return Ok(false);
            }
            if is_last {
                self.primal = (0.0, size);
                self.dual = (BARE_RHO * change, size);
                break;
            }
        }
        for &row in self.matrix.rows() {
            self.impulse[row] = self.free[row];
            self.velocity[row] = -problem.errors()[row];
        }
        Ok(true)
    }

    /// Whether x of [`stick`](Self::stick) is what the laws make of it where nothing moves.
    fn obeys(
        &self,
        problem: &Problem,
        size: f64,
        law: impl Fn(usize, &Constraint, &Vector3<f64>, f64) -> Vector3<f64>,
    ) -> bool {
        let mut last = usize::MAX;
        let rows = self.matrix.rows();
        rows.iter().enumerate().all(|(at, &row)| {
            let index = self.constraint_of[row];
            if index == last {
                return true;
            }
            last = index;
            let constraint = &problem.constraints()[index];
            let weight = self.weight[index];
            let x_bar = -constraint.load(problem.errors()) - constraint.load(&self.free) * weight;
            let allowed = law(index, constraint, &x_bar, 1.0 / weight);
            let own = rows[at..]
                .iter()
                .take_while(|&&row| self.constraint_of[row] == index);
            let largest = size.max(constraint.load(problem.errors()).amax());
            own.into_iter().all(|&row| {
                let off = weight * (allowed[row - constraint.first_row] - self.free[row]).abs();
                off <= ROUNDING * largest
            })
        })
    }

    /// The chosen rows.
    pub(crate) fn rows(&self) -> &[usize] {
        self.matrix.rows()
    }

    /// How far the last iterate is from a solution of this part, m/s.
    pub(crate) fn error(&self) -> f64 {
        self.primal.0.max(self.dual.0)
    }

    /// Looks at ρ earlier again, as at the start: the right-hand side has changed.
    pub(crate) fn restart(&mut self, settings: &AdmmSettings) {
        self.iteration = 0;
        self.next_look = settings.first_look;
    }

    /// One iteration with right-hand side h (m/s, by rows of the problem). `law` makes y of a constraint from
    /// x̄ = ζ − P w and β = 1/P; what it says of rows that were not chosen is ignored.
    pub(crate) fn iterate(
        &mut self,
        problem: &Problem,
        h: &[f64],
        settings: &AdmmSettings,
        law: impl Fn(usize, &Constraint, &Vector3<f64>, f64) -> Vector3<f64>,
    ) -> Result<(), Failure> {
        if self.iteration == self.next_look {
            self.adapt(settings)?;
            self.next_look *= 2;
        }
        self.iteration += 1;
        for &row in self.matrix.rows() {
            let damping = self.rho * self.weight[self.constraint_of[row]];
            self.free[row] = damping * self.impulse[row] + self.velocity[row] - h[row];
        }
        self.matrix.solve_in_place(Which::Damped, &mut self.free);
        let alpha = settings.relaxation;
        let (mut primal, mut dual) = ((0.0_f64, 0.0_f64), (0.0_f64, 0.0_f64));
        // Constraints of which no row was chosen are passed over; chosen rows of one follow each other.
        let mut at = 0;
        let rows = self.matrix.rows();
        while at < rows.len() {
            let index = self.constraint_of[rows[at]];
            let constraint = &problem.constraints()[index];
            let damping = self.rho * self.weight[index];
            let end = at
                + rows[at..]
                    .iter()
                    .take_while(|&&row| self.constraint_of[row] == index)
                    .count();
            let old = constraint.load(&self.impulse);
            let w = constraint.load(&self.free) * alpha + old * (1.0 - alpha);
            let x_bar = constraint.load(&self.velocity) - w * damping;
            let new = law(index, constraint, &x_bar, 1.0 / damping);
            for &row in &rows[at..end] {
                let own = row - constraint.first_row;
                let x = self.free[row];
                primal.0 = primal.0.max(self.weight[index] * (x - new[own]).abs());
                primal.1 = primal
                    .1
                    .max(self.weight[index] * x.abs().max(new[own].abs()));
                dual.0 = dual.0.max(damping * (new[own] - old[own]).abs());
                dual.1 = dual.1.max(self.velocity[row].abs()).max(h[row].abs());
                self.velocity[row] += damping * (new[own] - w[own]);
                self.impulse[row] = new[own];
            }
            at = end;
        }
        if !(primal.0 + dual.0).is_finite() {
            return Err(Failure::NotFinite);
        }
        (self.primal, self.dual) = (primal, dual);
        Ok(())
    }

    /// ρ follows the ratio of the relative residuals, as ADMM is usually adapted; each change is a
    /// factorisation.
    fn adapt(&mut self, settings: &AdmmSettings) -> Result<(), Failure> {
        let relative = |(error, size): (f64, f64)| error / size;
        let ratio = relative(self.primal) / relative(self.dual);
        if !(ratio > 0.0 && ratio.is_finite()) {
            return Ok(());
        }
        let wanted = (self.rho * ratio.sqrt()).clamp(RHO.0, RHO.1);
        let factor = wanted / self.rho;
        if factor > settings.adapt_ratio || factor < 1.0 / settings.adapt_ratio {
            self.rho = wanted;
            return self.factorize();
        }
        Ok(())
    }
}
