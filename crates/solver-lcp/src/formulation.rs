//! A contact problem with friction pyramids as a linear complementarity problem, [CMC, §III] after Stewart and
//! Trinkle.

use stiction_constraints::cone::Pyramid;
use stiction_constraints::{Constraint, Delassus, Failure, Law, Problem};

use crate::bilateral::Bilateral;

/// 0 ≤ x ⟂ M x + q ≥ 0 with λ = λ₀ + C x, and rows that hold both ways taken out.
///
/// For a contact x is the normal impulse, a share of it for each corner of the pyramid, and the slip s:
///
/// 0 ≤ λ_n ⟂ u_n ≥ 0,   0 ≤ β_k ⟂ s + d_kᵀu_t ≥ 0,   0 ≤ s ⟂ λ_n − Σ β_k ≥ 0,   λ_t = Σ d_k β_k,
///
/// d_k the corners of the pyramid for λ_n = 1. Everything is in units in which each constraint's diagonal of
/// G is about 1 and the largest constant is 1.
#[derive(Debug, Default)]
pub(crate) struct Formulation {
    unknowns: Vec<Unknown>,
    /// M by rows, and q.
    pub(crate) matrix: Vec<f64>,
    pub(crate) q: Vec<f64>,
    /// Factor from scaled impulses to those of the problem, by rows, and the unit of q.
    scale: Vec<f64>,
    unit: f64,
    /// Scaled G + R, and g, over all rows; then what is left of them without the bilateral rows.
    delassus: Vec<f64>,
    velocity: Vec<f64>,
    /// λ₀: where impulses begin that may have either sign.
    offset: Vec<f64>,
    bilateral: Bilateral,
    bilateral_rows: Vec<usize>,
    /// L⁻¹ G_BU by rows of G, and L⁻¹ g_B.
    reduced: Vec<f64>,
    reduced_velocity: Vec<f64>,
    /// Work space.
    pull: Vec<f64>,
}

/// What one unknown is: up to two impulses on rows it consists of, and what stands beside the velocity in its
/// complement.
#[derive(Debug, Clone, Copy)]
struct Unknown {
    /// Rows with the share of the unknown that goes to each.
    rows: [(usize, f64); 2],
    count: usize,
    /// A constant of the complement, in the problem's units, and whether that is a velocity.
    constant: f64,
    /// Where the unknown is the slip of an impulse that is bounded: unknowns `first..` push out, this many
    /// of them, and `bound` is what bounds their sum.
    slip_of: Option<(usize, usize, Bound)>,
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    /// The unknown with this index, a normal impulse.
    Unknown(usize),
    /// A number, N·s.
    Constant(f64),
}

/// Reduced diagonals below this (1 before bilateral rows were taken out) are rounding: nothing moves there.
const IMMOVABLE: f64 = 1e-11;

impl Formulation {
    /// Number of unknowns of a problem.
    pub(crate) fn count(problem: &Problem, pyramid: &Pyramid) -> usize {
        let each = |constraint: &Constraint| match constraint.law {
            Law::Equality | Law::Soft { .. } => 0,
            Law::Unilateral => constraint.rows,
            law if law.is_contact() => 2 + pyramid.facets(),
            _ => 2 * constraint.rows,
        };
        problem.constraints().iter().map(each).sum()
    }

    /// Formulates a problem. Allocates only when it grew.
    ///
    /// # Errors
    /// A law of a user's own, which has no linear form.
    pub(crate) fn update(
        &mut self,
        problem: &Problem,
        delassus: &Delassus,
        free: &[f64],
        masses: &[f64],
        pyramid: &Pyramid,
    ) -> Result<(), Failure> {
        self.scale.clear();
        self.offset.clear();
        self.offset.resize(problem.row_count(), 0.0);
        self.unknowns.clear();
        self.bilateral_rows.clear();
        for (index, (constraint, mass)) in problem.constraints().iter().zip(masses).enumerate() {
            let rows = self.scale.len() + constraint.rows;
            self.scale.resize(rows, mass.sqrt());
            self.push(index, constraint, pyramid)?;
        }
        self.fill_delassus(problem, delassus, free);
        self.take_out_bilateral();
        self.fill_matrix();
        Ok(())
    }

    /// The unknowns of a constraint.
    fn push(
        &mut self,
        index: usize,
        constraint: &Constraint,
        pyramid: &Pyramid,
    ) -> Result<(), Failure> {
        let plain = |row: usize, sign: f64, constant: f64| Unknown {
            rows: [(row, sign), (row, 0.0)],
            count: 1,
            constant,
            slip_of: None,
        };
        let slip = |first: usize, count: usize, bound: Bound| Unknown {
            rows: [(0, 0.0); 2],
            count: 0,
            constant: 0.0,
            slip_of: Some((first, count, bound)),
        };
        let unknowns = &mut self.unknowns;
        let rows = constraint.row_range();
        match constraint.law {
            Law::Equality | Law::Soft { .. } => self.bilateral_rows.extend(rows),
            Law::Unilateral => unknowns.extend(rows.map(|row| plain(row, 1.0, 0.0))),
            Law::JointLimit { lower, upper } => {
                for row in rows {
                    if lower.is_finite() {
                        unknowns.push(plain(row, 1.0, -lower));
                    }
                    if upper.is_finite() {
                        unknowns.push(plain(row, -1.0, upper));
                    }
                }
            }
            // λ = a − m with 0 ≤ a ≤ 2 m.
            Law::JointFriction { bound } => {
                for row in rows.filter(|_| bound > 0.0) {
                    self.offset[row] = -bound;
                    let first = unknowns.len();
                    unknowns.push(plain(row, 1.0, 0.0));
                    unknowns.push(slip(first, 1, Bound::Constant(2.0 * bound)));
                }
            }
            law => {
                let Some(friction) = law.friction() else {
                    return Err(Failure::UnsupportedLaw {
                        constraint: index,
                        law: law.kind().to_owned(),
                    });
                };
                let normal = unknowns.len();
                unknowns.push(plain(rows.start + 2, 1.0, 0.0));
                if friction == [0.0; 2] {
                    return Ok(());
                }
                for corner in pyramid.corners() {
                    unknowns.push(Unknown {
                        rows: [
                            (rows.start, friction[0] * corner.x),
                            (rows.start + 1, friction[1] * corner.y),
                        ],
                        count: 2,
                        constant: 0.0,
                        slip_of: None,
                    });
                }
                let bound = Bound::Unknown(normal);
                unknowns.push(slip(normal + 1, pyramid.facets(), bound));
            }
        }
        Ok(())
    }

    /// Scaled G + R and g + e + G λ₀.
    fn fill_delassus(&mut self, problem: &Problem, delassus: &Delassus, free: &[f64]) {
        let n = problem.row_count();
        self.delassus.clear();
        self.delassus.resize(n * n, 0.0);
        self.velocity.clear();
        self.velocity.resize(n, 0.0);
        for (index, constraint) in problem.constraints().iter().enumerate() {
            for own in 0..constraint.rows {
                let row = constraint.first_row + own;
                let columns = delassus.runs(index).iter();
                let columns = columns.flat_map(|run| run.first_row..run.first_row + run.len);
                for (column, value) in columns.zip(delassus.row_values(index, own)) {
                    self.delassus[row * n + column] = value * self.scale[row] * self.scale[column];
                }
                // A spring and damper is an equality with compliance 1/c and the error k e/c.
                let e = problem.errors()[row];
                let (compliance, e) = match constraint.law {
                    Law::Soft { stiffness, damping } => (1.0 / damping, stiffness * e / damping),
                    Law::CompliantContact {
                        normal_compliance,
                        tangential_compliance,
                        ..
                    } => match own {
                        2 => (normal_compliance, e),
                        _ => (tangential_compliance, e),
                    },
                    _ => (0.0, e),
                };
                self.delassus[row * n + row] += compliance * self.scale[row] * self.scale[row];
                self.velocity[row] = (free[row] + e) * self.scale[row];
            }
        }
        for row in 0..n {
            if self.offset[row] != 0.0 {
                self.offset[row] /= self.scale[row];
                for other in 0..n {
                    self.velocity[other] += self.delassus[other * n + row] * self.offset[row];
                }
            }
        }
    }

    /// G ← G − G_UB G_BB⁻¹ G_BU, and g likewise.
    fn take_out_bilateral(&mut self) {
        let n = self.scale.len();
        self.bilateral
            .update(n, &self.delassus, &self.bilateral_rows);
        let count = self.bilateral.rows.len();
        self.reduced.clear();
        self.reduced.resize(n * count, 0.0);
        self.reduced_velocity.clear();
        let rows = self.bilateral.rows.iter();
        self.reduced_velocity
            .extend(rows.map(|&row| self.velocity[row]));
        self.bilateral.solve_lower(&mut self.reduced_velocity);
        if count == 0 {
            return;
        }
        for (row, reduced) in self.reduced.chunks_exact_mut(count).enumerate() {
            for (to, &other) in reduced.iter_mut().zip(&self.bilateral.rows) {
                *to = self.delassus[row * n + other];
            }
            self.bilateral.solve_lower(reduced);
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for row in 0..n {
            let own = &self.reduced[row * count..(row + 1) * count];
            for column in 0..n {
                let other = &self.reduced[column * count..(column + 1) * count];
                self.delassus[row * n + column] -= dot(own, other);
            }
            self.velocity[row] -= dot(own, &self.reduced_velocity);
        }
        for row in 0..n {
            if self.delassus[row * n + row] < IMMOVABLE {
                for other in 0..n {
                    self.delassus[row * n + other] = 0.0;
                    self.delassus[other * n + row] = 0.0;
                }
            }
        }
    }

    /// M = CᵀG C and what couples slips with impulses; q.
    fn fill_matrix(&mut self) {
        let (n, rows) = (self.unknowns.len(), self.scale.len());
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        self.q.clear();
        for (i, unknown) in self.unknowns.iter().enumerate() {
            let own = &unknown.rows[..unknown.count];
            let mut q: f64 = own
                .iter()
                .map(|&(row, share)| share * self.velocity[row])
                .sum();
            if unknown.count > 0 {
                q += unknown.constant * self.scale[own[0].0];
            }
            for (j, other) in self.unknowns.iter().enumerate() {
                for &(row, share) in own {
                    for &(column, other_share) in &other.rows[..other.count] {
                        let entry = self.delassus[row * rows + column];
                        self.matrix[i * n + j] += share * other_share * entry;
                    }
                }
            }
            if let Some((first, count, bound)) = unknown.slip_of {
                for pushed in first..first + count {
                    self.matrix[pushed * n + i] = 1.0;
                    self.matrix[i * n + pushed] = -1.0;
                }
                match bound {
                    Bound::Unknown(normal) => self.matrix[i * n + normal] = 1.0,
                    Bound::Constant(bound) => {
                        q += bound / self.scale[self.unknowns[first].rows[0].0];
                    }
                }
            }
            self.q.push(q);
        }
        let largest = self.q.iter().fold(0.0_f64, |a, q| a.max(q.abs()));
        self.unit = if largest > 0.0 { largest } else { 1.0 };
        for q in &mut self.q {
            *q /= self.unit;
        }
    }

    /// Whether an unknown is an impulse (and not the slip of one that is bounded).
    pub(crate) fn is_impulse(&self, unknown: usize) -> bool {
        self.unknowns[unknown].count > 0
    }

    /// The impulses of a solution, in N·s.
    pub(crate) fn impulses(&mut self, x: &[f64], impulse: &mut [f64]) {
        impulse.fill(0.0);
        for (unknown, x) in self.unknowns.iter().zip(x) {
            for &(row, share) in &unknown.rows[..unknown.count] {
                impulse[row] += share * x * self.unit;
            }
        }
        // λ_B = −G_BB⁻¹ (G_BU λ_U + g_B), with λ₀ in g_B already.
        let count = self.bilateral.rows.len();
        self.pull.clone_from(&self.reduced_velocity);
        for (row, impulse) in impulse.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            let own = &self.reduced[row * count..(row + 1) * count];
            for (pull, own) in self.pull.iter_mut().zip(own) {
                *pull += own * impulse;
            }
        }
        self.bilateral.solve_upper(&mut self.pull);
        for (impulse, offset) in impulse.iter_mut().zip(&self.offset) {
            *impulse += offset;
        }
        for (&row, pull) in self.bilateral.rows.iter().zip(&self.pull) {
            impulse[row] = -pull;
        }
        for (impulse, scale) in impulse.iter_mut().zip(&self.scale) {
            *impulse *= scale;
        }
    }
}
