//! r(v̂) = A v̂ − b − Jᵀ λ(v̂) with the strict operator, [AL, (20)].

use nalgebra::Matrix3;
use stiction_constraints::{ConeOperator, Problem, ResidualEvaluator};

use crate::descent::{Equation, GeneralMatrix};
use crate::edges::edges;

/// What the equation keeps between solves. Unknowns are √a_ii v̂_i and r is over √a_ii, in √J.
#[derive(Debug, Default)]
pub(crate) struct SurrogateBuffers {
    matrix: GeneralMatrix,
    /// √a_ii.
    pub(super) scale: Vec<f64>,
    velocity: Vec<f64>,
    /// J v̂, and J d of a direction.
    row_velocity: Vec<f64>,
    row_direction: Vec<f64>,
    /// λ(v̂), and K = −∂λ/∂x̄ of each constraint.
    pub(super) response: Vec<f64>,
    stiffness: Vec<Matrix3<f64>>,
    residual: Vec<f64>,
    product: Vec<f64>,
}

impl SurrogateBuffers {
    pub(super) fn prepare(&mut self, problem: &Problem, evaluator: &ResidualEvaluator) {
        let (n, rows) = (problem.dof_count(), problem.row_count());
        for buffer in [
            &mut self.scale,
            &mut self.velocity,
            &mut self.residual,
            &mut self.product,
        ] {
            buffer.resize(n, 0.0);
        }
        for buffer in [
            &mut self.row_velocity,
            &mut self.row_direction,
            &mut self.response,
        ] {
            buffer.resize(rows, 0.0);
        }
        self.stiffness
            .resize(problem.constraints().len(), Matrix3::zeros());
        evaluator
            .matrices()
            .0
            .for_each_lower_entry(|row, column, value| {
                if row == column {
                    self.scale[row] = value.sqrt();
                }
            });
    }
}

/// The surrogate problem of one outer iteration.
pub(crate) struct Surrogate<'a> {
    pub(super) problem: &'a Problem,
    pub(super) evaluator: &'a ResidualEvaluator,
    /// β, and λ of the last multiplier update, which is −u.
    pub(super) beta: f64,
    pub(super) multiplier: &'a [f64],
    pub(super) buffers: &'a mut SurrogateBuffers,
}

impl Surrogate<'_> {
    /// How small ‖r‖ must be to be `tolerance` of what it balances: the larger of b and Jᵀλ(v̂).
    pub(super) fn enough(&mut self, tolerance: f64) -> f64 {
        let Self {
            problem,
            evaluator,
            buffers,
            ..
        } = self;
        buffers.product.fill(0.0);
        let rows = evaluator.rows();
        rows.mul_transpose_add(&buffers.response, &mut buffers.product);
        let size = |values: &[f64]| {
            let both = values.iter().zip(&buffers.scale);
            both.map(|(value, scale)| (value / scale).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        tolerance * size(&buffers.product).max(size(problem.b()))
    }

    /// ‖J v̂ − z‖ = ‖λ(v̂) − λ‖/β at the last v̂.
    pub(super) fn gap(&self) -> f64 {
        let both = self.buffers.response.iter().zip(self.multiplier);
        both.map(|(new, old)| (new - old).powi(2))
            .sum::<f64>()
            .sqrt()
            / self.beta
    }
}

impl Equation for Surrogate<'_> {
    fn len(&self) -> usize {
        self.problem.dof_count()
    }

    fn evaluate(&mut self, x: &[f64]) -> f64 {
        let Self {
            problem,
            evaluator,
            beta,
            multiplier,
            buffers,
        } = self;
        let SurrogateBuffers {
            scale,
            velocity,
            row_velocity,
            response,
            stiffness,
            residual,
            product,
            ..
        } = &mut **buffers;
        for ((velocity, x), scale) in velocity.iter_mut().zip(x).zip(&*scale) {
            *velocity = x / scale;
        }
        let (dynamics, rows) = evaluator.matrices();
        rows.mul(velocity, row_velocity);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            // u = −λ after every multiplier update.
            let x_bar = constraint.load(row_velocity) - constraint.load(multiplier) / *beta;
            let e = constraint.load(problem.errors());
            let answer =
                constraint
                    .law
                    .response(constraint.rows, &x_bar, &e, *beta, ConeOperator::Strict);
            stiffness[index] = answer.stiffness;
            constraint.store(&answer.impulse, response);
        }
        dynamics.mul(velocity, residual);
        product.fill(0.0);
        rows.mul_transpose_add(response, product);
        let mut square = 0.0;
        for (dof, r) in residual.iter_mut().enumerate() {
            *r = (*r - problem.b()[dof] - product[dof]) / scale[dof];
            square += *r * *r;
        }
        if square.is_finite() {
            square.sqrt()
        } else {
            f64::INFINITY
        }
    }

    fn linearize(&mut self) -> bool {
        let (dynamics, rows) = self.evaluator.matrices();
        let SurrogateBuffers {
            matrix,
            scale,
            stiffness,
            ..
        } = &mut *self.buffers;
        matrix.assemble(dynamics, rows, stiffness, scale);
        matrix.factorize()
    }

    fn newton_step(&mut self, out: &mut [f64]) {
        for (out, r) in out.iter_mut().zip(&self.buffers.residual) {
            *out = -r;
        }
        self.buffers.matrix.solve_in_place(out);
    }

    fn gradient(&mut self, out: &mut [f64]) {
        self.buffers
            .matrix
            .mul_transpose(&self.buffers.residual, out);
    }

    fn along(&mut self, direction: &[f64]) -> [f64; 2] {
        let buffers = &mut *self.buffers;
        buffers.matrix.mul(direction, &mut buffers.product);
        let (mut square, mut product) = (0.0, 0.0);
        for (hd, r) in buffers.product.iter().zip(&buffers.residual) {
            square += hd * hd;
            product += hd * r;
        }
        [square, product]
    }

    fn edges(&mut self, _x: &[f64], direction: &[f64], out: &mut Vec<f64>) {
        let buffers = &mut *self.buffers;
        for ((product, d), scale) in buffers
            .product
            .iter_mut()
            .zip(direction)
            .zip(&buffers.scale)
        {
            *product = d / scale;
        }
        let rows = self.evaluator.rows();
        rows.mul(&buffers.product, &mut buffers.row_direction);
        for constraint in self.problem.constraints() {
            let x_bar = constraint.load(&buffers.row_velocity)
                - constraint.load(self.multiplier) / self.beta;
            let e = constraint.load(self.problem.errors());
            let s = -(x_bar + e) * self.beta;
            let ds = -constraint.load(&buffers.row_direction) * self.beta;
            edges(&constraint.law, constraint.rows, &s, &ds, out);
        }
    }
}
