//! Products with J, laid out for the Newton loops.

use stiction_constraints::{JointRows, Problem};

/// J by columns, three rows side by side (and a zero), so that a product is a sum of short vectors.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    runs: Vec<Run>,
    values: Vec<[f64; 4]>,
}

/// Consecutive degrees of freedom that a constraint sees.
#[derive(Debug, Clone, Copy)]
struct Run {
    first_row: usize,
    rows: usize,
    first_dof: usize,
    len: usize,
}

impl Columns {
    /// Takes over J; allocates only when it grew.
    pub(crate) fn update(&mut self, problem: &Problem, joint_rows: &JointRows) {
        self.runs.clear();
        self.values.clear();
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let rows = constraint.rows;
            for segment in joint_rows.segments(index) {
                self.runs.push(Run {
                    first_row: constraint.first_row,
                    rows,
                    first_dof: segment.first_dof,
                    len: segment.len,
                });
                let by_rows = joint_rows.values(index, segment);
                for dof in 0..segment.len {
                    let mut column = [0.0; 4];
                    for (row, entry) in column.iter_mut().take(rows).enumerate() {
                        *entry = by_rows[row * segment.len + dof];
                    }
                    self.values.push(column);
                }
            }
        }
    }

    /// out = J v.
    pub(crate) fn mul(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let mut rest = self.values.as_slice();
        for run in &self.runs {
            let (columns, others) = rest.split_at(run.len);
            rest = others;
            let part = &v[run.first_dof..run.first_dof + run.len];
            // A rigid body is the common case, at fixed size.
            let sum = match (columns.try_into(), part.try_into()) {
                (Ok(columns), Ok(part)) => combine::<6>(columns, part),
                _ => {
                    let mut sum = [0.0; 4];
                    for (column, &scale) in columns.iter().zip(part) {
                        for row in 0..4 {
                            sum[row] += column[row] * scale;
                        }
                    }
                    sum
                }
            };
            let target = &mut out[run.first_row..run.first_row + run.rows];
            for (to, from) in target.iter_mut().zip(sum) {
                *to += from;
            }
        }
    }
}

/// Σ column × scale.
#[inline]
fn combine<const N: usize>(columns: &[[f64; 4]; N], scales: &[f64; N]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for dof in 0..N {
        for row in 0..4 {
            sum[row] += columns[dof][row] * scales[dof];
        }
    }
    sum
}

/// out += Jᵀ λ over the named constraints alone.
pub(crate) fn add_transpose(
    problem: &Problem,
    rows: &JointRows,
    constraints: &[usize],
    lambda: &[f64],
    out: &mut [f64],
) {
    for &constraint in constraints {
        let impulse = &lambda[problem.constraints()[constraint].row_range()];
        if impulse.iter().all(|&value| value == 0.0) {
            continue;
        }
        for segment in rows.segments(constraint) {
            let values = rows.values(constraint, segment);
            let part = &mut out[segment.first_dof..segment.first_dof + segment.len];
            if let (Ok(values), Ok(impulse), Ok(part)) = (
                values.try_into(),
                impulse.try_into(),
                <&mut [f64; 6]>::try_from(&mut *part),
            ) {
                add_on_body(values, impulse, part);
                continue;
            }
            for (&scale, row) in impulse.iter().zip(values.chunks_exact(segment.len)) {
                for (sum, value) in part.iter_mut().zip(row) {
                    *sum += value * scale;
                }
            }
        }
    }
}

#[inline]
fn add_on_body(values: &[f64; 18], impulse: &[f64; 3], part: &mut [f64; 6]) {
    for dof in 0..6 {
        part[dof] +=
            values[dof] * impulse[0] + values[6 + dof] * impulse[1] + values[12 + dof] * impulse[2];
    }
}

#[cfg(test)]
mod tests {
    use stiction_constraints::ResidualEvaluator;
    use stiction_generators::{MixedLawsParams, QuadrupedsParams, mixed_laws, quadrupeds};

    use super::*;

    #[test]
    fn products_are_those_of_the_joint_rows() {
        for problem in [
            mixed_laws(&MixedLawsParams::default()).expect("valid laws"),
            quadrupeds(&QuadrupedsParams::default()).expect("valid robots"),
        ] {
            let mut evaluator = ResidualEvaluator::default();
            evaluator.update(&problem).expect("a valid A");
            let rows = evaluator.rows();
            let v: Vec<f64> = (0..problem.dof_count()).map(|i| (i as f64).sin()).collect();
            let mut columns = Columns::default();
            columns.update(&problem, rows);
            let mut wanted = vec![0.0; problem.row_count()];
            let mut got = wanted.clone();
            rows.mul(&v, &mut wanted);
            columns.mul(&v, &mut got);
            assert_close(&wanted, &got);

            let every: Vec<usize> = (0..problem.constraints().len()).collect();
            let mut wanted_forces = vec![0.0; problem.dof_count()];
            let mut forces = wanted_forces.clone();
            rows.mul_transpose_add(&got, &mut wanted_forces);
            add_transpose(&problem, rows, &every, &got, &mut forces);
            assert_close(&wanted_forces, &forces);
        }
    }

    fn assert_close(wanted: &[f64], got: &[f64]) {
        for (a, b) in wanted.iter().zip(got) {
            assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{a} {b}");
        }
    }
}
