//! v̂ = A⁻¹(b + Jᵀλ) and J v̂ in twice the precision, from the problem's own data: for impulses whose
//! rounding, or that of A and J, might hide a violation.
//!
//! v̂ is refined: what A v̂ misses of b + Jᵀλ is computed without forming A or J (bodies of trees move by
//! the columns before them, and hand their forces on to their parents), and solved for with the factor of
//! A that is there.

use twofloat::TwoFloat;

use crate::factor::DynamicsMatrix;
use crate::problem::Problem;
use crate::rows::RowBlock;
use crate::subsystem::{Subsystem, Tree};

/// Corrections of v̂: each gains as many digits as the factor of A has.
pub(super) const CORRECTIONS: i32 = 3;

type Vector = [TwoFloat; 6];
const ZERO: TwoFloat = TwoFloat::from_f64(0.0);

/// Buffers of the refinement.
#[derive(Debug, Default)]
pub(super) struct Careful {
    velocity: Vec<TwoFloat>,
    /// b + Jᵀλ − A v̂.
    residual: Vec<TwoFloat>,
    correction: Vec<f64>,
    /// First body of each subsystem in the two below; only trees have some.
    first_body: Vec<usize>,
    motion: Vec<Vector>,
    force: Vec<Vector>,
}

impl Careful {
    /// Refines v̂ and J v̂ of λ, starting from v̂ in 64-bit numbers.
    pub(super) fn refine(
        &mut self,
        problem: &Problem,
        dynamics: &mut DynamicsMatrix,
        lambda: &[f64],
        velocity: &mut [f64],
        row_velocity: &mut [f64],
    ) {
        self.velocity.clear();
        self.velocity
            .extend(velocity.iter().map(|&value| TwoFloat::from(value)));
        for _ in 0..CORRECTIONS {
            self.update_motion(problem);
            self.update_residual(problem, lambda);
            self.correction.clear();
            self.correction
                .extend(self.residual.iter().map(|&value| f64::from(value)));
            dynamics.solve_in_place(&mut self.correction);
            for (velocity, &correction) in self.velocity.iter_mut().zip(&self.correction) {
                *velocity += correction;
            }
        }
        for (out, &value) in velocity.iter_mut().zip(&self.velocity) {
            *out = f64::from(value);
        }
        self.update_motion(problem);
        self.write_row_velocity(problem, row_velocity);
    }

    /// Sizes the buffers, so that nothing is allocated later.
    pub(super) fn prepare(&mut self, problem: &Problem) {
        let count = problem.dof_count();
        self.velocity.resize(count, ZERO);
        self.residual.resize(count, ZERO);
        self.correction.resize(count, 0.0);
        self.first_body.clear();
        let mut count = 0;
        for subsystem in problem.subsystems() {
            self.first_body.push(count);
            if let Subsystem::Tree(tree) = subsystem {
                count += tree.bodies().len();
            }
        }
        self.motion.resize(count, [ZERO; 6]);
        self.force.resize(count, [ZERO; 6]);
    }

    /// Velocities of the bodies of trees at v̂.
    fn update_motion(&mut self, problem: &Problem) {
        for (index, subsystem) in problem.subsystems().iter().enumerate() {
            let Subsystem::Tree(tree) = subsystem else {
                continue;
            };
            let first = self.first_body[index];
            let velocity = &self.velocity[problem.dof_starts()[index]..];
            for (body, own) in tree.bodies().iter().enumerate() {
                let mut motion = own.parent.map_or([ZERO; 6], |p| self.motion[first + p]);
                for dof in own_dofs(tree, body) {
                    for (sum, &entry) in motion.iter_mut().zip(tree.columns()[dof].iter()) {
                        *sum += velocity[dof] * entry;
                    }
                }
                self.motion[first + body] = motion;
            }
        }
    }

    fn update_residual(&mut self, problem: &Problem, lambda: &[f64]) {
        self.residual.clear();
        self.residual
            .extend(problem.b().iter().map(|&value| TwoFloat::from(value)));
        for (index, subsystem) in problem.subsystems().iter().enumerate() {
            let dofs = problem.dof_starts()[index]..problem.dof_starts()[index + 1];
            let first = self.first_body[index];
            let (out, v) = (
                &mut self.residual[dofs.clone()],
                &self.velocity[dofs.clone()],
            );
            match subsystem {
                Subsystem::FreeBody(matrix) => {
                    subtract_product(out, v, |i, j| f64::midpoint(matrix[(i, j)], matrix[(j, i)]));
                }
                Subsystem::Dense(matrix) => {
                    subtract_product(out, v, |i, j| f64::midpoint(matrix[(i, j)], matrix[(j, i)]));
                }
                Subsystem::Sparse(matrix) => {
                    for column in 0..v.len() {
                        let starts = matrix.column_start();
                        for entry in starts[column]..starts[column + 1] {
                            let (row, value) = (matrix.row_index()[entry], matrix.values()[entry]);
                            out[row] -= v[column] * value;
                            if row != column {
                                out[column] -= v[row] * value;
                            }
                        }
                    }
                }
                Subsystem::Tree(tree) => {
                    for (body, own) in tree.bodies().iter().enumerate() {
                        let mut force = [ZERO; 6];
                        subtract_product(&mut force, &self.motion[first + body], |i, j| {
                            f64::midpoint(own.inertia[(i, j)], own.inertia[(j, i)])
                        });
                        self.force[first + body] = force;
                    }
                    for (out, (&v, &value)) in out.iter_mut().zip(v.iter().zip(tree.diagonal())) {
                        *out -= v * value;
                    }
                }
            }
        }
        self.add_impulses(problem, lambda);
        self.hand_forces_on(problem);
    }

    /// Jᵀ λ: onto bodies of trees as forces, onto degrees of freedom else.
    fn add_impulses(&mut self, problem: &Problem, lambda: &[f64]) {
        for (index, constraint) in problem.constraints().iter().enumerate() {
            for (subsystem, block) in problem.terms(index) {
                let target = match (&problem.subsystems()[subsystem], &block) {
                    (Subsystem::Tree(_), RowBlock::Body { .. }) => {
                        self.force[self.first_body[subsystem]..].as_flattened_mut()
                    }
                    _ => &mut self.residual[problem.dof_starts()[subsystem]..],
                };
                for (row, &impulse) in lambda[constraint.row_range()].iter().enumerate() {
                    if impulse == 0.0 {
                        continue;
                    }
                    block.for_each(row, |at, a, b| {
                        target[at] += TwoFloat::new_mul(a, b) * impulse;
                    });
                }
            }
        }
    }

    /// Forces of bodies, from the leaves on, onto their joints and their parents.
    fn hand_forces_on(&mut self, problem: &Problem) {
        for (index, subsystem) in problem.subsystems().iter().enumerate() {
            let Subsystem::Tree(tree) = subsystem else {
                continue;
            };
            let first = self.first_body[index];
            let residual = &mut self.residual[problem.dof_starts()[index]..];
            for (body, own) in tree.bodies().iter().enumerate().rev() {
                let force = self.force[first + body];
                for dof in own_dofs(tree, body) {
                    for (&force, &entry) in force.iter().zip(tree.columns()[dof].iter()) {
                        residual[dof] += force * entry;
                    }
                }
                if let Some(parent) = own.parent {
                    for (sum, force) in self.force[first + parent].iter_mut().zip(force) {
                        *sum += force;
                    }
                }
            }
        }
    }

    fn write_row_velocity(&self, problem: &Problem, out: &mut [f64]) {
        for (index, constraint) in problem.constraints().iter().enumerate() {
            for (row, out) in out[constraint.row_range()].iter_mut().enumerate() {
                let mut sum = ZERO;
                for (subsystem, block) in problem.terms(index) {
                    let velocity = match (&problem.subsystems()[subsystem], &block) {
                        (Subsystem::Tree(_), RowBlock::Body { .. }) => {
                            self.motion[self.first_body[subsystem]..].as_flattened()
                        }
                        _ => &self.velocity[problem.dof_starts()[subsystem]..],
                    };
                    block.for_each(row, |at, a, b| {
                        sum += velocity[at] * TwoFloat::new_mul(a, b);
                    });
                }
                *out = f64::from(sum);
            }
        }
    }
}

/// The degrees of freedom of a body's own joint.
fn own_dofs(tree: &Tree, body: usize) -> std::ops::Range<usize> {
    let first = tree.first_dof(body);
    first..first + tree.bodies()[body].joint_dofs
}

/// out −= M v.
fn subtract_product(out: &mut [TwoFloat], v: &[TwoFloat], at: impl Fn(usize, usize) -> f64) {
    for (i, out) in out.iter_mut().enumerate() {
        for (j, &v) in v.iter().enumerate() {
            *out -= v * at(i, j);
        }
    }
}
