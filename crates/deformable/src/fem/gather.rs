//! A from its elements.

use std::ops::Range;

use nalgebra::Matrix3;

use super::body::SoftBody;

/// Nodes whose columns one thread takes at once.
const NODES_AT_ONCE: usize = 64;

/// Writes the columns of some nodes; `values` begins with the first of them. Each entry is a sum in the
/// order of the elements, so the bits do not depend on who writes it.
pub(super) fn write_columns(body: &SoftBody, nodes: Range<usize>, values: &mut [f64]) {
    let gather = &body.model.gather;
    if nodes.len() > NODES_AT_ONCE {
        let middle = nodes.start + nodes.len() / 2;
        let at = gather.first_value(middle) - gather.first_value(nodes.start);
        let (front, back) = values.split_at_mut(at);
        rayon::join(
            || write_columns(body, nodes.start..middle, front),
            || write_columns(body, middle..nodes.end, back),
        );
        return;
    }
    let mut rest = values;
    for node in nodes {
        let length = gather.first_value(node + 1) - gather.first_value(node);
        let (own, behind) = rest.split_at_mut(length);
        write_column(body, node, own);
        rest = behind;
    }
}

fn write_column(body: &SoftBody, node: usize, values: &mut [f64]) {
    let (model, weights) = (&body.model, &body.weights);
    let held = body.held.is_held();
    let blocks = model.gather.column(node);
    let height = 3 * blocks.len();
    // The second column begins below the diagonal of the first, the third below both.
    let first = [0, height, 2 * height - 1];
    let inertia = model.mass[node] * weights.mass;
    for (k, block) in blocks.enumerate() {
        let row_node = model.gather.row(block);
        let mut sum = Matrix3::zeros();
        for part in model.gather.contributions(block) {
            let element = &model.elements[part.tet()];
            let weight = weights.stiffness + weights.damping * element.stiffness_damping;
            let stiffness = &body.parts[part.tet()].stiffness[part.block()];
            if part.is_transposed() {
                sum += stiffness.transpose() * weight;
            } else {
                sum += stiffness * weight;
            }
        }
        let is_diagonal = row_node == node;
        if is_diagonal {
            let damping = weights.damping * model.mass_damping[node];
            sum += Matrix3::identity() * (inertia + damping);
        }
        for column in 0..3 {
            let first_row = if is_diagonal { column } else { 0 };
            for row in first_row..3 {
                let is_held = held[3 * node + column] || held[3 * row_node + row];
                values[first[column] + 3 * k + row - column] = match is_held {
                    false => sum[(row, column)],
                    true if is_diagonal && row == column => inertia,
                    true => 0.0,
                };
            }
        }
    }
}
