//! F(λ) = λ − T(J v̂ − λ/m; m) with the strict operator and v̂ = A⁻¹(b + Jᵀλ): the complementarity problem itself as
//! an equation, m being each constraint's effective mass.
//!
//! Unlike the [natural map](crate::natural) with a frozen shift its derivative is whole, and not symmetric. Where
//! contacts are redundant it is singular: ε I is added to I − ∂T/∂λ.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::{ConeOperator, Problem, ResidualEvaluator};

use crate::descent::{Equation, GeneralMatrix};
use crate::edges::edges;

/// What the equation keeps between solves. Unknowns are λ/√m, F is over √m: both are in √J.
#[derive(Debug, Default)]
pub(crate) struct MapBuffers {
    matrix: GeneralMatrix,
    /// Ones: the matrix is over degrees of freedom, and not scaled.
    unit: Vec<f64>,
    /// √m of each row.
    scale: Vec<f64>,
    lambda: Vec<f64>,
    /// J v̂ at the last λ.
    row_velocity: Vec<f64>,
    residual: Vec<f64>,
    /// K = −∂T/∂x̄ of each constraint; (I − K/m + ε I)⁻¹ K, its product with F.
    stiffness: Vec<Matrix3<f64>>,
    eliminated: Vec<Matrix3<f64>>,
    force: Vec<f64>,
    motion: Vec<f64>,
    rows: [Vec<f64>; 2],
}

impl MapBuffers {
    pub(crate) fn prepare(&mut self, problem: &Problem, evaluator: &ResidualEvaluator) {
        let (n, rows, count) = (
            problem.dof_count(),
            problem.row_count(),
            problem.constraints().len(),
        );
        for buffer in [&mut self.unit, &mut self.motion] {
            buffer.resize(n, 0.0);
        }
        self.unit.fill(1.0);
        for buffer in [
            &mut self.scale,
            &mut self.lambda,
            &mut self.row_velocity,
            &mut self.residual,
            &mut self.force,
        ] {
            buffer.resize(rows, 0.0);
        }
        for buffer in &mut self.rows {
            buffer.resize(rows, 0.0);
        }
        for buffer in [&mut self.stiffness, &mut self.eliminated] {
            buffer.resize(count, Matrix3::zeros());
        }
        for (constraint, mass) in problem
            .constraints()
            .iter()
            .zip(evaluator.effective_masses())
        {
            self.scale[constraint.row_range()].fill(mass.sqrt());
        }
    }

    /// x of impulses.
    pub(crate) fn unknowns_of(&self, impulse: &[f64], x: &mut [f64]) {
        for ((x, impulse), scale) in x.iter_mut().zip(impulse).zip(&self.scale) {
            *x = impulse / scale;
        }
    }

    /// Impulses of x.
    pub(crate) fn impulse_of(&self, x: &[f64], impulse: &mut [f64]) {
        for ((impulse, x), scale) in impulse.iter_mut().zip(x).zip(&self.scale) {
            *impulse = x * scale;
        }
    }
}

/// The equation of one problem.
pub(crate) struct StrictMap<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) evaluator: &'a mut ResidualEvaluator,
    /// ε.
    pub(crate) softness: f64,
    pub(crate) buffers: &'a mut MapBuffers,
}

impl StrictMap<'_> {
    /// `rows[1]` ← J A⁻¹ Jᵀ `rows[0]`.
    fn apply_delassus(&mut self) {
        let MapBuffers { motion, rows, .. } = &mut *self.buffers;
        let [from, to] = rows;
        motion.fill(0.0);
        self.evaluator.rows().mul_transpose_add(from, motion);
        self.evaluator.dynamics().solve_in_place(motion);
        self.evaluator.rows().mul(motion, to);
    }
}

impl Equation for StrictMap<'_> {
    fn len(&self) -> usize {
        self.problem.row_count()
    }

    fn evaluate(&mut self, x: &[f64]) -> f64 {
        let Self {
            problem,
            evaluator,
            buffers,
            ..
        } = self;
        let MapBuffers {
            scale,
            lambda,
            row_velocity,
            residual,
            stiffness,
            ..
        } = &mut **buffers;
        for ((lambda, x), scale) in lambda.iter_mut().zip(x).zip(&*scale) {
            *lambda = x * scale;
        }
        row_velocity.copy_from_slice(evaluator.row_velocity_of(problem, lambda));
        let masses = evaluator.effective_masses();
        let mut square = 0.0;
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let (impulse, mass) = (constraint.load(lambda), masses[index]);
            let x_bar = constraint.load(row_velocity) - impulse / mass;
            let e = constraint.load(problem.errors());
            let answer =
                constraint
                    .law
                    .response(constraint.rows, &x_bar, &e, mass, ConeOperator::Strict);
            stiffness[index] = answer.stiffness;
            let value = (impulse - answer.impulse) / mass.sqrt();
            square += value.norm_squared();
            constraint.store(&value, residual);
        }
        if square.is_finite() {
            square.sqrt()
        } else {
            f64::INFINITY
        }
    }

    /// (I − K/m + ε I) dλ + K J dv̂ = −F with A dv̂ = Jᵀ dλ: a system over the degrees of freedom.
    fn linearize(&mut self) -> bool {
        let masses = self.evaluator.effective_masses();
        let MapBuffers {
            stiffness,
            eliminated,
            residual,
            force,
            ..
        } = &mut *self.buffers;
        for (index, constraint) in self.problem.constraints().iter().enumerate() {
            let mass = masses[index];
            let own = Matrix3::identity() * (1.0 + self.softness) - stiffness[index] / mass;
            let Some(inverse) = own.try_inverse() else {
                return false;
            };
            eliminated[index] = inverse * stiffness[index];
            let f: Vector3<f64> = constraint.load(residual) * mass.sqrt();
            constraint.store(&(inverse * f), force);
        }
        let (dynamics, rows) = self.evaluator.matrices();
        let MapBuffers {
            matrix,
            eliminated,
            unit,
            ..
        } = &mut *self.buffers;
        matrix.assemble(dynamics, rows, eliminated, unit);
        matrix.factorize()
    }

    fn newton_step(&mut self, out: &mut [f64]) {
        let MapBuffers {
            matrix,
            eliminated,
            force,
            motion,
            rows: [row_motion, _],
            scale,
            ..
        } = &mut *self.buffers;
        let rows = self.evaluator.rows();
        motion.fill(0.0);
        rows.mul_transpose_add(force, motion);
        motion.iter_mut().for_each(|value| *value = -*value);
        matrix.solve_in_place(motion);
        rows.mul(motion, row_motion);
        for (index, constraint) in self.problem.constraints().iter().enumerate() {
            let z: Vector3<f64> = constraint.load(row_motion);
            let change = -(eliminated[index] * z) - constraint.load(force);
            constraint.store(&change, out);
        }
        for (out, scale) in out.iter_mut().zip(scale) {
            *out /= *scale;
        }
    }

    fn gradient(&mut self, out: &mut [f64]) {
        // Fᵀ over m, through (I − K/m)ᵀ at once and through J A⁻¹ Jᵀ Kᵀ.
        let masses = self.evaluator.effective_masses();
        let buffers = &mut *self.buffers;
        for (index, constraint) in self.problem.constraints().iter().enumerate() {
            let mass = masses[index];
            let f: Vector3<f64> = constraint.load(&buffers.residual) / mass.sqrt();
            let pulled = buffers.stiffness[index].transpose() * f;
            constraint.store(&(f - pulled / mass), out);
            constraint.store(&pulled, &mut buffers.rows[0]);
        }
        self.apply_delassus();
        let far = self.buffers.rows[1].iter().zip(&self.buffers.scale);
        for (out, (far, scale)) in out.iter_mut().zip(far) {
            *out = (*out + far) * scale;
        }
    }

    fn along(&mut self, direction: &[f64]) -> [f64; 2] {
        self.buffers.set_rows(direction);
        self.apply_delassus();
        let masses = self.evaluator.effective_masses();
        let buffers = &*self.buffers;
        let (mut square, mut product) = (0.0, 0.0);
        for (index, constraint) in self.problem.constraints().iter().enumerate() {
            let mass = masses[index];
            let d: Vector3<f64> = constraint.load(&buffers.rows[0]);
            let z: Vector3<f64> = constraint.load(&buffers.rows[1]);
            let change = (d + buffers.stiffness[index] * (z - d / mass)) / mass.sqrt();
            square += change.norm_squared();
            product += change.dot(&constraint.load(&buffers.residual));
        }
        [square, product]
    }

    fn edges(&mut self, _x: &[f64], direction: &[f64], out: &mut Vec<f64>) {
        self.buffers.set_rows(direction);
        self.apply_delassus();
        let masses = self.evaluator.effective_masses();
        let buffers = &*self.buffers;
        for (index, constraint) in self.problem.constraints().iter().enumerate() {
            let mass = masses[index];
            let load = |rows: &[f64]| -> Vector3<f64> { constraint.load(rows) };
            let e = load(self.problem.errors());
            let s = load(&buffers.lambda) - (load(&buffers.row_velocity) + e) * mass;
            let ds = load(&buffers.rows[0]) - load(&buffers.rows[1]) * mass;
            edges(&constraint.law, constraint.rows, &s, &ds, out);
        }
    }
}

impl MapBuffers {
    /// `rows[0]` ← dλ of a direction.
    fn set_rows(&mut self, direction: &[f64]) {
        let Self { rows, scale, .. } = self;
        for ((to, from), scale) in rows[0].iter_mut().zip(direction).zip(&*scale) {
            *to = from * scale;
        }
    }
}
