//! The one-shot contact solve: every constraint by itself, in closed form, [COND, Alg. 2].

use nalgebra::Vector3;
use stiction_constraints::ConeOperator;

use crate::nodes::{Local, Nodes, Site};
use crate::parallel::on_parts;
use crate::settings::Operator;
use crate::weights::Weights;

/// The cone operator that the laws know.
pub(crate) fn operator(operator: Operator) -> ConeOperator {
    match operator {
        Operator::Strict => ConeOperator::Strict,
        Operator::Proximal => ConeOperator::Proximal { shift: 0.0 },
    }
}

/// γ of a constraint: the sum of W over the nodes that it acts on, [COND, (25)].
pub(crate) fn gamma(nodes: &Nodes, local: &Local, weights: &Weights, dimension: usize) -> f64 {
    let sites = nodes.sites(local).iter();
    sites
        .map(|site| match site {
            Site::Node { first, square, .. } => square * weights.at(*first),
            Site::Virtual(index) => weights.at(dimension + nodes.virtuals[*index].first),
        })
        .sum()
}

/// J x of a constraint on its nodes, [COND, (13)].
pub(crate) fn velocity(nodes: &Nodes, local: &Local, dimension: usize, x: &[f64]) -> [f64; 3] {
    let mut eta = [0.0; 3];
    for site in nodes.sites(local) {
        match site {
            Site::Node { first, rows, .. } => {
                let v = &x[*first..first + 3];
                for (eta, row) in eta.iter_mut().zip(rows.as_chunks::<3>().0) {
                    *eta += row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
                }
            }
            Site::Virtual(index) => {
                let at = dimension + nodes.virtuals[*index].first;
                for (eta, value) in eta.iter_mut().zip(&x[at..at + local.rows]) {
                    *eta += value;
                }
            }
        }
    }
    eta
}

/// λ = SOL(J v*, Γ) for all constraints, [COND, (23)], three numbers each, and then v* ← v* + W Jᵀ λ, [COND, (24)].
pub(crate) fn solve(
    nodes: &Nodes,
    weights: &Weights,
    dimension: usize,
    errors: &[f64],
    cone: ConeOperator,
    star: &mut [f64],
    lambda: &mut [f64],
) {
    let before = &*star;
    on_parts(0, 3, lambda, &|first, part: &mut [f64]| {
        let locals = &nodes.locals[first..];
        for (local, out) in locals.iter().zip(part.as_chunks_mut::<3>().0) {
            let eta: Vector3<f64> = velocity(nodes, local, dimension, before).into();
            let mut e = Vector3::zeros();
            let own = &errors[local.first_row..local.first_row + local.rows];
            e.as_mut_slice()[..local.rows].copy_from_slice(own);
            let beta = 1.0 / gamma(nodes, local, weights, dimension);
            let impulse = local.law.impulse(local.rows, &eta, &e, beta, cone);
            out.copy_from_slice(impulse.as_slice());
        }
    });
    for (local, impulse) in nodes.locals.iter().zip(lambda.as_chunks::<3>().0) {
        if *impulse == [0.0; 3] {
            continue;
        }
        for site in nodes.sites(local) {
            match site {
                Site::Node { first, rows, .. } => {
                    let weight = weights.at(*first);
                    for axis in 0..3 {
                        let force = rows[axis] * impulse[0]
                            + rows[3 + axis] * impulse[1]
                            + rows[6 + axis] * impulse[2];
                        star[first + axis] += weight * force;
                    }
                }
                Site::Virtual(index) => {
                    let at = dimension + nodes.virtuals[*index].first;
                    let weight = weights.at(at);
                    for (star, value) in star[at..].iter_mut().zip(&impulse[..local.rows]) {
                        *star += weight * value;
                    }
                }
            }
        }
    }
}
