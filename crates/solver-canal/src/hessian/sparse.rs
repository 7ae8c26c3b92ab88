//! The Newton matrix as a sparse matrix by columns, with a pattern that is kept.

use nalgebra::Matrix3;
use stiction_constraints::factor::SparseFactor;
use stiction_constraints::{DynamicsMatrix, JointRows, Segment, SparseSymmetric};

use super::supernodal::SupernodalLu;
use super::{Part, for_each_block};

/// Sparse A + Jᵀ K J: both triangles for the general factorisation, and which of its entries make
/// the lower triangle for the symmetric one.
#[derive(Default)]
pub(super) struct SparseHessian {
    n: usize,
    column_start: Vec<usize>,
    row_index: Vec<usize>,
    values: Vec<f64>,
    /// Values of A in the pattern.
    base: Vec<f64>,
    /// For every constraint, pair of segments (b outer, a inner) and column of b: where the run of
    /// a's rows starts.
    places: Vec<usize>,
    /// First place of each constraint.
    place_start: Vec<usize>,
    /// The structure of J that the pattern was made for.
    known_segments: Vec<(usize, usize)>,
    known_counts: Vec<usize>,
    known_entries: Vec<(usize, usize)>,
    next: NextPattern,
    lower: Option<SparseSymmetric>,
    /// For every entry of the lower triangle, its place in `values`.
    lower_places: Vec<usize>,
    cholesky: SparseFactor,
    lu: Option<SupernodalLu>,
    product: Vec<f64>,
}

/// A pattern in the making.
#[derive(Default)]
struct NextPattern {
    column_start: Vec<usize>,
    row_index: Vec<usize>,
    /// Where the next row of each column goes in `all`, which has rows as often as somebody names them.
    count: Vec<usize>,
    all: Vec<usize>,
}

impl NextPattern {
    fn push(&mut self, column: usize, row: usize) {
        self.all[self.count[column]] = row;
        self.count[column] += 1;
    }
}

/// Calls `visit(a, b)` for every pair of segments of a constraint.
fn for_each_pair(rows: &JointRows, mut visit: impl FnMut(&Segment, &Segment)) {
    for constraint in 0..rows.constraint_count() {
        let segments = rows.segments(constraint);
        for b in segments {
            for a in segments {
                visit(a, b);
            }
        }
    }
}

impl std::fmt::Debug for SparseHessian {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseHessian")
            .field("n", &self.n)
            .finish_non_exhaustive()
    }
}

impl SparseHessian {
    /// Share of places in the full matrix that the pattern has.
    pub(super) fn fill(&self) -> f64 {
        self.row_index.len() as f64 / (self.n * self.n).max(1) as f64
    }

    /// Makes the pattern of A + Jᵀ J, unless it is the known one. What is known of a pattern is kept where
    /// other contacts lead to the same: those of nodes with what does not move are all inside A's own.
    pub(super) fn update_pattern(&mut self, n: usize, dynamics: &DynamicsMatrix, rows: &JointRows) {
        if self.is_known(n, dynamics, rows) {
            return;
        }
        self.n = n;
        self.remember(dynamics, rows);
        self.collect(rows);
        let is_same = self.column_start == self.next.column_start
            && self.row_index == self.next.row_index
            && self.lower.is_some();
        if !is_same {
            std::mem::swap(&mut self.column_start, &mut self.next.column_start);
            std::mem::swap(&mut self.row_index, &mut self.next.row_index);
            self.values.resize(self.row_index.len(), 0.0);
            self.base.resize(self.row_index.len(), 0.0);
            self.make_lower();
            self.lu = None;
        }
        self.find_places(rows);
    }

    /// The pattern of A + Jᵀ J into `next`: A's entries as they are, and beside them those that constraints
    /// add, each list by columns with rows ascending.
    fn collect(&mut self, rows: &JointRows) {
        let Self {
            n,
            known_entries,
            next,
            ..
        } = self;
        next.count.clear();
        next.count.resize(*n + 1, 0);
        for &(row, column) in &*known_entries {
            next.count[column + 1] += 1;
            if row != column {
                next.count[row + 1] += 1;
            }
        }
        for_each_pair(rows, |a, b| {
            for column in b.first_dof..b.first_dof + b.len {
                next.count[column + 1] += a.len;
            }
        });
        for column in 0..*n {
            next.count[column + 1] += next.count[column];
        }
        next.all.clear();
        next.all.resize(next.count[*n], 0);
        // The starts serve as cursors, and end where the next column starts.
        for &(row, column) in &*known_entries {
            next.push(column, row);
            if row != column {
                next.push(row, column);
            }
        }
        for_each_pair(rows, |a, b| {
            for column in b.first_dof..b.first_dof + b.len {
                for row in a.first_dof..a.first_dof + a.len {
                    next.push(column, row);
                }
            }
        });
        next.column_start.clear();
        next.column_start.push(0);
        next.row_index.clear();
        let mut start = 0;
        for column in 0..*n {
            let end = next.count[column];
            let all = &mut next.all[start..end];
            all.sort_unstable();
            let first = next.row_index.len();
            for &row in &*all {
                if next.row_index.len() == first || next.row_index.last() != Some(&row) {
                    next.row_index.push(row);
                }
            }
            next.column_start.push(next.row_index.len());
            start = end;
        }
    }

    fn is_known(&self, n: usize, dynamics: &DynamicsMatrix, rows: &JointRows) -> bool {
        if self.n != n || self.known_counts.len() != rows.constraint_count() {
            return false;
        }
        let counts_agree = self
            .known_counts
            .iter()
            .enumerate()
            .all(|(constraint, &count)| rows.segments(constraint).len() == count);
        let segments_agree = self.known_segments.len() == rows.all_segments().len()
            && self
                .known_segments
                .iter()
                .zip(rows.all_segments())
                .all(|(&known, segment)| known == (segment.first_dof, segment.len));
        let mut at = 0;
        let mut entries_agree = true;
        dynamics.for_each_lower_entry(|row, column, _| {
            entries_agree &= self.known_entries.get(at) == Some(&(row, column));
            at += 1;
        });
        counts_agree && segments_agree && entries_agree && at == self.known_entries.len()
    }

    fn remember(&mut self, dynamics: &DynamicsMatrix, rows: &JointRows) {
        self.known_counts.clear();
        self.known_counts
            .extend((0..rows.constraint_count()).map(|c| rows.segments(c).len()));
        self.known_segments.clear();
        self.known_segments.extend(
            rows.all_segments()
                .iter()
                .map(|segment| (segment.first_dof, segment.len)),
        );
        self.known_entries.clear();
        dynamics.for_each_lower_entry(|row, column, _| self.known_entries.push((row, column)));
    }

    fn place(&self, row: usize, column: usize) -> usize {
        let start = self.column_start[column];
        let rows = &self.row_index[start..self.column_start[column + 1]];
        start + rows.partition_point(|&other| other < row)
    }

    fn find_places(&mut self, rows: &JointRows) {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        self.place_start.clear();
        for constraint in 0..rows.constraint_count() {
            self.place_start.push(places.len());
            let segments = rows.segments(constraint);
            for b in segments {
                for a in segments {
                    for column in b.first_dof..b.first_dof + b.len {
                        places.push(self.place(a.first_dof, column));
                    }
                }
            }
        }
        self.places = places;
    }

    fn make_lower(&mut self) {
        let mut entries = Vec::new();
        self.lower_places.clear();
        for column in 0..self.n {
            for place in self.column_start[column]..self.column_start[column + 1] {
                let row = self.row_index[place];
                if row >= column {
                    entries.push((row, column, 0.0));
                    self.lower_places.push(place);
                }
            }
        }
        // Every diagonal entry of A is stored, so that the pattern is these entries and no more.
        self.lower = SparseSymmetric::from_lower_entries(self.n, &entries).ok();
    }

    /// Takes over the values of A.
    pub(super) fn update_values(&mut self, dynamics: &DynamicsMatrix) {
        let mut base = std::mem::take(&mut self.base);
        base.fill(0.0);
        dynamics.for_each_lower_entry(|row, column, value| {
            base[self.place(row, column)] = value;
            base[self.place(column, row)] = value;
        });
        self.base = base;
    }

    fn assemble(
        &mut self,
        rows: &JointRows,
        active: &[usize],
        stiffness: &[Matrix3<f64>],
        part: Part,
    ) {
        self.values.copy_from_slice(&self.base);
        let (values, places, place_start) = (&mut self.values, &self.places, &self.place_start);
        for_each_block(
            rows,
            active,
            stiffness,
            part,
            &mut self.product,
            |constraint, a, b, j_a, kj_b| {
                let segments = rows.segments(constraint);
                let first = place_start[constraint] + place_offset(segments, a, b);
                for c in 0..b.len {
                    let start = places[first + c];
                    let out = &mut values[start..start + a.len];
                    for (row, k) in j_a.chunks_exact(a.len).zip(kj_b.chunks_exact(b.len)) {
                        let scale = k[c];
                        for (o, value) in out.iter_mut().zip(row) {
                            *o += scale * value;
                        }
                    }
                }
            },
        );
    }

    pub(super) fn factorize_symmetric(
        &mut self,
        rows: &JointRows,
        active: &[usize],
        stiffness: &[Matrix3<f64>],
    ) -> bool {
        self.assemble(rows, active, stiffness, Part::Lower);
        let Some(lower) = &mut self.lower else {
            return false;
        };
        for (value, &place) in lower.values_mut().iter_mut().zip(&self.lower_places) {
            *value = self.values[place];
        }
        self.cholesky.update(lower).is_ok()
    }

    pub(super) fn solve_symmetric(&mut self, x: &mut [f64]) {
        self.cholesky.solve_in_place(x);
    }

    pub(super) fn factorize_general(
        &mut self,
        rows: &JointRows,
        active: &[usize],
        stiffness: &[Matrix3<f64>],
    ) -> bool {
        self.assemble(rows, active, stiffness, Part::All);
        if self.lu.is_none() {
            self.lu = SupernodalLu::analyze(&self.column_start, &self.row_index);
        }
        match &mut self.lu {
            Some(lu) => lu.factorize(&self.values),
            None => false,
        }
    }

    pub(super) fn solve_general(&mut self, x: &mut [f64]) {
        if let Some(lu) = &mut self.lu {
            lu.solve(x);
        }
    }

    pub(super) fn is_determinant_positive(&self) -> bool {
        self.lu
            .as_ref()
            .is_some_and(SupernodalLu::is_determinant_positive)
    }
}

/// How many places lie before the pair (a, b) inside a constraint's places.
fn place_offset(segments: &[Segment], a: &Segment, b: &Segment) -> usize {
    let mut offset = 0;
    for segment in segments {
        if segment.first_dof == b.first_dof {
            break;
        }
        offset += segments.len() * segment.len;
    }
    let before = segments
        .iter()
        .take_while(|segment| segment.first_dof != a.first_dof)
        .count();
    offset + before * b.len
}
