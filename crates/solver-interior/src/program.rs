//! The convex cone model as a conic program in velocities.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT};
use stiction_constraints::{Failure, Law, Problem, ResidualEvaluator};

/// minimise ½ xᵀP x + qᵀx subject to F x + s = d, s in a product of cones.
///
/// x is v̂ and, for each row that gives way, by how much it does (w with ½ w²/R), and for each row with dry
/// friction its speed (t with m t). The dual of s is λ. Velocities are in units of 1/√diag(A), rows and impulses in
/// those of √m, m their effective mass, and everything in units of the largest number given.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) objective: CscMatrix<f64>,
    pub(crate) gradient: Vec<f64>,
    pub(crate) rows: CscMatrix<f64>,
    pub(crate) bounds: Vec<f64>,
    pub(crate) cones: Vec<SupportedConeT<f64>>,
    /// What each row's dual is of the impulses: row of the problem and factor, N·s per unit.
    meaning: Vec<(usize, f64)>,
    unit: f64,
}

/// Entries (row, column, value) while the program is written.
#[derive(Default)]
struct Writer {
    objective: Vec<(usize, usize, f64)>,
    gradient: Vec<f64>,
    rows: Vec<(usize, usize, f64)>,
    bounds: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    meaning: Vec<(usize, f64)>,
}

impl Writer {
    /// A variable with cost ½ `curvature` x² + `slope` x.
    fn variable(&mut self, curvature: f64, slope: f64) -> usize {
        let index = self.gradient.len();
        self.objective.push((index, index, curvature));
        self.gradient.push(slope);
        index
    }

    /// s = Σ entries x + constant, whose dual times `factor` goes to the impulse on `row`.
    fn row(
        &mut self,
        entries: impl Iterator<Item = (usize, f64)>,
        constant: f64,
        (row, factor): (usize, f64),
    ) {
        let index = self.bounds.len();
        self.rows
            .extend(entries.map(|(column, value)| (index, column, -value)));
        self.bounds.push(constant);
        self.meaning.push((row, factor));
    }
}

/// Row-wise J with each degree of freedom in units of √A_jj.
type Row = Vec<(usize, f64)>;

impl Program {
    /// Writes the program of a problem that the evaluator is up to date with.
    ///
    /// # Errors
    /// A law of a user's own, which has no place in it.
    pub(crate) fn new(problem: &Problem, evaluator: &ResidualEvaluator) -> Result<Self, Failure> {
        let (dynamics, joint_rows) = evaluator.matrices();
        let mut writer = Writer::default();
        let mut root = vec![0.0; problem.dof_count()];
        dynamics.for_each_lower_entry(|row, column, value| {
            if row == column {
                root[row] = value.sqrt();
            }
        });
        dynamics.for_each_lower_entry(|row, column, value| {
            let value = value / (root[row] * root[column]);
            writer.objective.push((column, row, value));
        });
        let gradient = problem.b().iter().zip(&root).map(|(b, root)| -b / root);
        writer.gradient.extend(gradient);
        let masses = evaluator.effective_masses();
        for (index, (constraint, mass)) in problem.constraints().iter().zip(masses).enumerate() {
            let scale = mass.sqrt();
            let row_of = |own: usize| -> Row {
                let segments = joint_rows.segments(index).iter();
                let entries = segments.flat_map(|segment| {
                    let values = &joint_rows.values(index, segment)[own * segment.len..];
                    (segment.first_dof..).zip(&values[..segment.len])
                });
                entries
                    .map(|(dof, value)| (dof, scale * value / root[dof]))
                    .collect()
            };
            let rows: Vec<Row> = (0..constraint.rows).map(row_of).collect();
            let e: Vec<f64> = problem.error(index).iter().map(|e| scale * e).collect();
            write(
                &mut writer,
                index,
                &constraint.law,
                (constraint.first_row, scale),
                rows,
                e,
            )?;
        }
        Ok(writer.finish())
    }

    /// The impulses of a dual solution, N·s.
    pub(crate) fn impulses(&self, dual: &[f64], impulse: &mut [f64]) {
        impulse.fill(0.0);
        for (&(row, factor), dual) in self.meaning.iter().zip(dual) {
            impulse[row] += factor * dual * self.unit;
        }
    }
}

/// The rows of one constraint, scaled by √m; impulses are in units of √m too.
fn write(
    writer: &mut Writer,
    index: usize,
    law: &Law,
    (first_row, scale): (usize, f64),
    mut rows: Vec<Row>,
    mut e: Vec<f64>,
) -> Result<(), Failure> {
    let compliance = |own: usize| match *law {
        Law::CompliantContact {
            normal_compliance, ..
        } if own == 2 => normal_compliance,
        Law::CompliantContact {
            tangential_compliance,
            ..
        } => tangential_compliance,
        // λ = −k e − c z is z + k e/c + λ/c = 0.
        Law::Soft { damping, .. } => 1.0 / damping,
        _ => 0.0,
    };
    for own in 0..rows.len() {
        if let Law::Soft { stiffness, damping } = *law {
            e[own] *= stiffness / damping;
        }
        // z + R λ = z + w with w = R λ: the multiplier of w's own cost.
        let given = compliance(own) * scale * scale;
        if given > 0.0 {
            // In units of √R, so that its cost is ½ w².
            let extra = writer.variable(1.0, 0.0);
            rows[own].push((extra, given.sqrt()));
        }
    }
    let count = rows.len();
    match *law {
        Law::Equality | Law::Soft { .. } => {
            for (own, row) in rows.into_iter().enumerate() {
                writer.row(row.into_iter(), e[own], (first_row + own, scale));
            }
            writer.cones.push(ZeroConeT(count));
        }
        Law::Unilateral => {
            for (own, row) in rows.into_iter().enumerate() {
                writer.row(row.into_iter(), e[own], (first_row + own, scale));
            }
            writer.cones.push(NonnegativeConeT(count));
        }
        Law::JointLimit { lower, upper } => {
            for (own, row) in rows.into_iter().enumerate() {
                for (bound, sign) in [(lower, 1.0), (upper, -1.0)] {
                    if bound.is_finite() {
                        let entries = row.iter().map(|&(column, value)| (column, sign * value));
                        let constant = sign * (e[own] - scale * bound);
                        writer.row(entries, constant, (first_row + own, sign * scale));
                        writer.cones.push(NonnegativeConeT(1));
                    }
                }
            }
        }
        // m |u| is the least m t with t ≥ u and t ≥ −u.
        Law::JointFriction { bound } => {
            for (own, row) in rows.into_iter().enumerate() {
                if bound > 0.0 {
                    let speed = writer.variable(0.0, bound / scale);
                    for sign in [1.0, -1.0] {
                        let entries = row.iter().map(|&(column, value)| (column, sign * value));
                        let entries = entries.chain([(speed, 1.0)]);
                        writer.row(entries, sign * e[own], (first_row + own, sign * scale));
                    }
                    writer.cones.push(NonnegativeConeT(2));
                }
            }
        }
        law => {
            let Some(friction) = law.friction() else {
                return Err(Failure::UnsupportedLaw {
                    constraint: index,
                    law: law.kind().to_owned(),
                });
            };
            // K* : u_n ≥ ‖(μ1 u_t1, μ2 u_t2)‖. Without friction there is the normal row alone.
            let [along, across, normal] = rows
                .try_into()
                .expect("a contact has three rows, which every problem is checked for");
            writer.row(normal.into_iter(), e[2], (first_row + 2, scale));
            if friction == [0.0; 2] {
                writer.cones.push(NonnegativeConeT(1));
                return Ok(());
            }
            for (own, row) in [along, across].into_iter().enumerate() {
                let friction = friction[own];
                let entries = row
                    .into_iter()
                    .map(|(column, value)| (column, friction * value));
                writer.row(
                    entries,
                    friction * e[own],
                    (first_row + own, friction * scale),
                );
            }
            writer.cones.push(SecondOrderConeT(3));
        }
    }
    Ok(())
}

impl Writer {
    fn finish(mut self) -> Program {
        let (variables, rows) = (self.gradient.len(), self.bounds.len());
        let given = self.gradient.iter().chain(&self.bounds);
        let largest = given.fold(0.0_f64, |a, b| a.max(b.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        for value in self.gradient.iter_mut().chain(&mut self.bounds) {
            *value /= unit;
        }
        Program {
            objective: matrix(variables, variables, self.objective),
            gradient: self.gradient,
            rows: matrix(rows, variables, self.rows),
            bounds: self.bounds,
            cones: self.cones,
            meaning: self.meaning,
            unit,
        }
    }
}

/// Entries by columns; those of one place are added.
fn matrix(rows: usize, columns: usize, mut entries: Vec<(usize, usize, f64)>) -> CscMatrix<f64> {
    entries.sort_by_key(|&(row, column, _)| (column, row));
    let (mut starts, mut indices, mut values) = (vec![0; columns + 1], Vec::new(), Vec::new());
    let mut last = None;
    for (row, column, value) in entries {
        match values.last_mut() {
            Some(sum) if last == Some((row, column)) => *sum += value,
            _ => {
                indices.push(row);
                values.push(value);
                starts[column + 1] += 1;
            }
        }
        last = Some((row, column));
    }
    for column in 0..columns {
        starts[column + 1] += starts[column];
    }
    CscMatrix::new(rows, columns, starts, indices, values)
}
