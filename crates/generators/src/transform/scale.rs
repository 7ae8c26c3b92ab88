//! Another unit of mass; no friction.

use stiction_constraints::{Law, Problem, ProblemError, Subsystem, Tree};

use super::rebuild::{bare, push_copy};
use crate::geometry::refuse;
use crate::kinds::refuse_custom;

/// The same scene with every mass, force, spring, damper and friction bound multiplied by `factor`:
/// the same velocities solve it, with impulses multiplied by `factor`.
///
/// # Errors
/// A factor that is not positive and finite, or that takes a number out of the range of `f64`; a custom
/// law, whose parameters nobody knows how to scale.
pub fn scale_mass(problem: &Problem, factor: f64) -> Result<Problem, ProblemError> {
    if !(factor.is_finite() && factor > 0.0) {
        return Err(refuse("factor", factor, "must be finite and positive"));
    }
    refuse_custom(problem, "its parameters cannot be scaled")?;
    let mut out = Problem::new();
    for (index, subsystem) in problem.subsystems().iter().enumerate() {
        let b = &problem.b()[problem.dof_starts()[index]..problem.dof_starts()[index + 1]];
        let b: Vec<f64> = b.iter().map(|value| value * factor).collect();
        out.push_subsystem(scale_subsystem(subsystem, factor)?, &b)?;
    }
    for (index, constraint) in problem.constraints().iter().enumerate() {
        let law = scale_law(constraint.law, factor);
        push_copy(&mut out, problem, index, law, |subsystem| subsystem)?;
    }
    Ok(out)
}

fn scale_subsystem(subsystem: &Subsystem, factor: f64) -> Result<Subsystem, ProblemError> {
    Ok(match subsystem {
        Subsystem::FreeBody(inertia) => Subsystem::FreeBody(inertia * factor),
        Subsystem::Tree(tree) => {
            let mut bodies = tree.bodies().to_vec();
            for body in &mut bodies {
                body.inertia *= factor;
            }
            let diagonal = tree.diagonal().iter().map(|value| value * factor).collect();
            Subsystem::Tree(
                Tree::new(bodies, tree.columns().to_vec(), diagonal)
                    .map_err(|reason| refuse("factor", factor, &reason))?,
            )
        }
        Subsystem::Sparse(matrix) => {
            let mut scaled = matrix.clone();
            for value in scaled.values_mut() {
                *value *= factor;
            }
            Subsystem::Sparse(scaled)
        }
        Subsystem::Dense(matrix) => Subsystem::Dense(matrix * factor),
    })
}

fn scale_law(law: Law, factor: f64) -> Law {
    match law {
        Law::Soft { stiffness, damping } => Law::Soft {
            stiffness: stiffness * factor,
            damping: damping * factor,
        },
        Law::CompliantContact {
            friction,
            tangential_compliance,
            normal_compliance,
        } => Law::CompliantContact {
            friction,
            tangential_compliance: tangential_compliance / factor,
            normal_compliance: normal_compliance / factor,
        },
        Law::JointFriction { bound } => Law::JointFriction {
            bound: bound * factor,
        },
        Law::Unilateral
        | Law::Equality
        | Law::Contact { .. }
        | Law::AnisotropicContact { .. }
        | Law::JointLimit { .. }
        | Law::Custom { .. } => law,
    }
}

/// The same scene with μ = 0 in every contact; dry friction in joints stays. A contact with
/// elliptic friction becomes an ordinary one, because an ellipse needs positive axes.
///
/// # Errors
/// None for a valid problem.
pub fn without_friction(problem: &Problem) -> Result<Problem, ProblemError> {
    let mut out = bare(problem);
    for (index, constraint) in problem.constraints().iter().enumerate() {
        let law = match constraint.law {
            Law::Contact { .. } | Law::AnisotropicContact { .. } => Law::Contact { friction: 0.0 },
            Law::CompliantContact {
                tangential_compliance,
                normal_compliance,
                ..
            } => Law::CompliantContact {
                friction: [0.0; 2],
                tangential_compliance,
                normal_compliance,
            },
            other => other,
        };
        push_copy(&mut out, problem, index, law, |subsystem| subsystem)?;
    }
    Ok(out)
}
