//! LU of a sparse matrix with a symmetric pattern, in dense panels.
//!
//! The Newton matrices of the strict problem have symmetric patterns, A + Jᵀ K J, but values that
//! are not symmetric. Their factors therefore have the pattern of a Cholesky factor, which is found
//! once, and neighbouring columns of equal pattern are treated together as dense panels
//! (supernodes). Rows are exchanged only inside a supernode's diagonal block, so that nothing
//! moves between panels and a factorisation allocates nothing: A is positive definite and keeps
//! these blocks regular; where it does not, the result is not finite and the caller is told.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place,
};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::{Accum, MatMut, MatRef, Par, Side, Spec};

/// No supernode: the end of a list.
const NONE: usize = usize::MAX;

/// Columns `first..end` of the factor and the rows below them that are not zero.
#[derive(Debug, Clone, Copy)]
struct Supernode {
    first: usize,
    end: usize,
    /// Its rows below the diagonal block: `rows[first_row..end_row]`, ascending.
    first_row: usize,
    end_row: usize,
    /// Where its panels start in `factor`: the diagonal block with L below it, by columns; then the
    /// transpose of the part of U right of it, by columns as well.
    lower: usize,
    upper: usize,
}

impl Supernode {
    fn width(&self) -> usize {
        self.end - self.first
    }

    fn below(&self) -> usize {
        self.end_row - self.first_row
    }

    /// Rows of the lower panel.
    fn height(&self) -> usize {
        self.width() + self.below()
    }
}

/// The factor P L U of a matrix with a given symmetric pattern.
pub(super) struct SupernodalLu {
    /// Number in the factor of every row and column of the matrix.
    new_index: Vec<usize>,
    supernodes: Vec<Supernode>,
    rows: Vec<usize>,
    /// The supernode that a column of the factor belongs to.
    owner: Vec<usize>,
    /// Where each stored value of the matrix goes in `factor`.
    places: Vec<usize>,
    factor: Vec<f64>,
    /// Row exchanges inside each diagonal block: row `i` of the result was row `pivots[i]`.
    pivots: Vec<usize>,
    inverse_pivots: Vec<usize>,
    work: Work,
}

/// Buffers of a factorisation.
struct Work {
    /// First supernode of the list of those that change a supernode next, and the rest of the list.
    head: Vec<usize>,
    next: Vec<usize>,
    /// The first row of each supernode that was not used yet.
    used: Vec<usize>,
    /// Place of every row of the matrix in the panel at hand.
    position: Vec<usize>,
    product: Vec<f64>,
    line: Vec<f64>,
    x: Vec<f64>,
    stack: MemBuffer,
}

impl SupernodalLu {
    /// Analyses a symmetric pattern: both triangles by columns, rows ascending. `None` when memory
    /// does not suffice.
    pub(super) fn analyze(column_start: &[usize], row_index: &[usize]) -> Option<Self> {
        let n = column_start.len() - 1;
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, column_start, None, row_index);
        let symbolic = factorize_symbolic_cholesky(
            pattern,
            Side::Upper,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams {
                supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
                ..CholeskySymbolicParams::default()
            },
        )
        .ok()?;
        let SymbolicCholeskyRaw::Supernodal(panels) = symbolic.raw() else {
            return None;
        };
        let new_index: Vec<usize> = match symbolic.perm() {
            Some(permutation) => permutation.arrays().1.to_vec(),
            None => (0..n).collect(),
        };
        let (mut supernodes, mut rows) = (Vec::new(), Vec::new());
        let mut owner = vec![0; n];
        let mut length = 0;
        for index in 0..panels.n_supernodes() {
            let (first, end) = (
                panels.supernode_begin()[index],
                panels.supernode_end()[index],
            );
            let first_row = rows.len();
            rows.extend_from_slice(panels.supernode(index).pattern());
            rows[first_row..].sort_unstable();
            let mut node = Supernode {
                first,
                end,
                first_row,
                end_row: rows.len(),
                lower: length,
                upper: 0,
            };
            node.upper = node.lower + node.height() * node.width();
            length = node.upper + node.below() * node.width();
            owner[first..end].fill(index);
            supernodes.push(node);
        }
        let tallest = supernodes.iter().map(Supernode::height).max().unwrap_or(0);
        let widest = supernodes.iter().map(Supernode::width).max().unwrap_or(0);
        let request = lu_in_place_scratch::<usize, f64>(widest, widest, Par::Seq, Spec::default());
        let work = Work {
            head: vec![NONE; supernodes.len()],
            next: vec![NONE; supernodes.len()],
            used: vec![0; supernodes.len()],
            position: vec![0; n],
            product: vec![0.0; tallest * widest],
            line: vec![0.0; widest],
            x: vec![0.0; n],
            stack: MemBuffer::try_new(request).ok()?,
        };
        let mut lu = Self {
            new_index,
            supernodes,
            rows,
            owner,
            places: Vec::new(),
            factor: vec![0.0; length],
            pivots: vec![0; n],
            inverse_pivots: vec![0; n],
            work,
        };
        lu.places = (0..n)
            .flat_map(|column| {
                row_index[column_start[column]..column_start[column + 1]]
                    .iter()
                    .map(move |&row| (row, column))
            })
            .map(|(row, column)| lu.place(row, column))
            .collect();
        Some(lu)
    }

    /// Where an entry of the matrix goes in `factor`.
    fn place(&self, row: usize, column: usize) -> usize {
        let (row, column) = (self.new_index[row], self.new_index[column]);
        let node = &self.supernodes[self.owner[row.min(column)]];
        let rows = &self.rows[node.first_row..node.end_row];
        if row.max(column) < node.end {
            node.lower + (column - node.first) * node.height() + row - node.first
        } else if row > column {
            let below = rows.partition_point(|&other| other < row);
            node.lower + (column - node.first) * node.height() + node.width() + below
        } else {
            let right = rows.partition_point(|&other| other < column);
            node.upper + (row - node.first) * node.below() + right
        }
    }

    /// Factorises the matrix of the analysed pattern with these values; `false` when it is singular
    /// as far as its diagonal blocks can tell.
    pub(super) fn factorize(&mut self, values: &[f64]) -> bool {
        self.factor.fill(0.0);
        for (&place, value) in self.places.iter().zip(values) {
            self.factor[place] = *value;
        }
        self.work.head.fill(NONE);
        for index in 0..self.supernodes.len() {
            self.gather(index);
            if !self.eliminate(index) {
                return false;
            }
            self.work.used[index] = self.supernodes[index].first_row;
            self.enlist(index);
        }
        true
    }

    /// Puts a supernode into the list of the one that its next unused row belongs to.
    fn enlist(&mut self, index: usize) {
        let row = self.work.used[index];
        if row < self.supernodes[index].end_row {
            let target = self.owner[self.rows[row]];
            self.work.next[index] = std::mem::replace(&mut self.work.head[target], index);
        }
    }

    /// Subtracts what the supernodes before this one have to say: − L_d U_d in its panels.
    fn gather(&mut self, index: usize) {
        let node = self.supernodes[index];
        for (place, &row) in self.rows[node.first_row..node.end_row].iter().enumerate() {
            self.work.position[row] = node.width() + place;
        }
        for column in node.first..node.end {
            self.work.position[column] = column - node.first;
        }
        let mut earlier = std::mem::replace(&mut self.work.head[index], NONE);
        while earlier != NONE {
            let following = self.work.next[earlier];
            self.subtract(earlier, &node);
            self.enlist(earlier);
            earlier = following;
        }
    }

    /// Subtracts the product of one earlier supernode from the panels of `node`.
    fn subtract(&mut self, earlier: usize, node: &Supernode) {
        let source = self.supernodes[earlier];
        let first = self.work.used[earlier];
        let rows = &self.rows[first..source.end_row];
        let inside = rows.partition_point(|&row| row < node.end);
        self.work.used[earlier] = first + inside;
        let offset = first - source.first_row;

        // All panels of `source` lie before those of `node`.
        let (done, open) = self.factor.split_at_mut(node.lower);
        let lower = panel(&done[source.lower..], source.height(), source.width())
            .get(source.width() + offset.., ..);
        let upper = panel(&done[source.upper..], source.below(), source.width()).get(offset.., ..);
        let (height, upper_start) = (node.height(), node.upper - node.lower);
        let position = &self.work.position;

        let product = &mut self.work.product[..rows.len() * inside];
        multiply(product, rows.len(), lower, upper.get(..inside, ..));
        for (column, values) in rows.iter().zip(product.chunks_exact(rows.len())) {
            let target = &mut open[(column - node.first) * height..][..height];
            for (row, value) in rows.iter().zip(values) {
                target[position[*row]] -= value;
            }
        }
        let beyond = rows.len() - inside;
        if beyond == 0 {
            return;
        }
        let product = &mut self.work.product[..beyond * inside];
        multiply(
            product,
            beyond,
            upper.get(inside.., ..),
            lower.get(..inside, ..),
        );
        for (row, values) in rows.iter().zip(product.chunks_exact(beyond)) {
            let start = upper_start + (row - node.first) * node.below();
            let target = &mut open[start..start + node.below()];
            for (column, value) in rows[inside..].iter().zip(values) {
                target[position[*column] - node.width()] -= value;
            }
        }
    }

    /// Factorises the diagonal block and divides the rest of the panels by it.
    fn eliminate(&mut self, index: usize) -> bool {
        let node = self.supernodes[index];
        let (width, below) = (node.width(), node.below());
        let panels = &mut self.factor[node.lower..node.upper + below * width];
        let (lower, upper) = panels.split_at_mut(node.height() * width);
        let (mut diagonal, rest) = MatMut::from_column_major_slice_mut(lower, node.height(), width)
            .split_at_row_mut(width);
        let pivots = &mut self.pivots[node.first..node.end];
        lu_in_place(
            diagonal.as_mut(),
            pivots,
            &mut self.inverse_pivots[node.first..node.end],
            Par::Seq,
            MemStack::new(&mut self.work.stack),
            Spec::default(),
        );
        let diagonal = diagonal.as_ref();
        if (0..width).any(|i| diagonal[(i, i)] == 0.0 || !diagonal[(i, i)].is_finite()) {
            return false;
        }
        if below > 0 {
            solve_lower_triangular_in_place(diagonal.transpose(), rest.transpose_mut(), Par::Seq);
            for row in 0..below {
                for (entry, &pivot) in self.work.line.iter_mut().zip(&*pivots) {
                    *entry = upper[pivot * below + row];
                }
                for (column, entry) in self.work.line[..width].iter().enumerate() {
                    upper[column * below + row] = *entry;
                }
            }
            let upper = MatMut::from_column_major_slice_mut(upper, below, width);
            solve_unit_lower_triangular_in_place(diagonal, upper.transpose_mut(), Par::Seq);
        }
        true
    }

    /// Whether the determinant of the factorised matrix is positive. Rows and columns are numbered
    /// alike in the factor, which does not change its sign; exchanges inside a diagonal block may.
    pub(super) fn is_determinant_positive(&self) -> bool {
        let mut turns = 0;
        for node in &self.supernodes {
            let diagonal = (0..node.width()).map(|i| node.lower + i * (node.height() + 1));
            turns += diagonal.filter(|&place| self.factor[place] < 0.0).count();
            turns += inversions(&self.pivots[node.first..node.end]);
        }
        turns.is_multiple_of(2)
    }

    /// x ← (P L U)⁻¹ x.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let work = &mut self.work;
        for (&index, value) in self.new_index.iter().zip(&*x) {
            work.x[index] = *value;
        }
        for node in &self.supernodes {
            let (width, height) = (node.width(), node.height());
            let lower = &self.factor[node.lower..node.lower + height * width];
            for (entry, &pivot) in work.line.iter_mut().zip(&self.pivots[node.first..node.end]) {
                *entry = work.x[node.first + pivot];
            }
            for (column, l) in lower.chunks_exact(height).enumerate() {
                let value = work.line[column];
                let (diagonal, below) = l.split_at(width);
                for (entry, l) in work.line[..width].iter_mut().zip(diagonal).skip(column + 1) {
                    *entry -= l * value;
                }
                for (&row, l) in self.rows[node.first_row..node.end_row].iter().zip(below) {
                    work.x[row] -= l * value;
                }
            }
            work.x[node.first..node.end].copy_from_slice(&work.line[..width]);
        }
        for node in self.supernodes.iter().rev() {
            let (width, height, below) = (node.width(), node.height(), node.below());
            let rows = &self.rows[node.first_row..node.end_row];
            for column in (0..width).rev() {
                let upper = &self.factor[node.upper + column * below..][..below];
                let sum: f64 = rows
                    .iter()
                    .zip(upper)
                    .map(|(&row, u)| u * work.x[row])
                    .sum();
                work.x[node.first + column] -= sum;
            }
            for column in (0..width).rev() {
                let u = &self.factor[node.lower + column * height..][..width];
                let value = work.x[node.first + column] / u[column];
                work.x[node.first + column] = value;
                for (entry, u) in work.x[node.first..].iter_mut().zip(&u[..column]) {
                    *entry -= u * value;
                }
            }
        }
        for (&index, value) in self.new_index.iter().zip(x) {
            *value = work.x[index];
        }
    }
}

/// A panel by columns.
fn panel(values: &[f64], rows: usize, columns: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(&values[..rows * columns], rows, columns)
}

/// product = a bᵀ, by columns.
fn multiply(product: &mut [f64], rows: usize, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    let columns = b.nrows();
    matmul(
        MatMut::from_column_major_slice_mut(product, rows, columns),
        Accum::Replace,
        a,
        b.transpose(),
        1.0,
        Par::Seq,
    );
}

/// Pairs of a permutation that are out of order: odd or even as the permutation is.
fn inversions(permutation: &[usize]) -> usize {
    let smaller_behind = |at: usize| {
        let behind = permutation[at + 1..].iter();
        behind.filter(|&&other| other < permutation[at]).count()
    };
    (0..permutation.len()).map(smaller_behind).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bodies of six degrees of freedom in a ring with some chords: a symmetric pattern by columns.
    fn ring(bodies: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut column_start, mut row_index) = (vec![0], Vec::new());
        for column in 0..6 * bodies {
            let body = column / 6;
            let touches = |other: usize| {
                let apart = body.abs_diff(other);
                apart <= 1
                    || apart == bodies - 1
                    || (apart == 7 && body.min(other).is_multiple_of(3))
            };
            row_index.extend((0..6 * bodies).filter(|row| touches(row / 6)));
            column_start.push(row_index.len());
        }
        (column_start, row_index)
    }

    /// Values without symmetry; the diagonal of the first body is zero where `swapped`, so that only
    /// an exchange of rows inside its block helps.
    fn values(column_start: &[usize], row_index: &[usize], swapped: bool) -> Vec<f64> {
        let mut values = Vec::new();
        for column in 0..column_start.len() - 1 {
            for &row in &row_index[column_start[column]..column_start[column + 1]] {
                let noise = (1.7 * row as f64 + 0.3 * (column * column) as f64).sin();
                let strong = if swapped && row < 2 && column < 2 {
                    row != column
                } else {
                    row == column
                };
                values.push(match (strong, swapped && row == column && row < 2) {
                    (true, _) => 40.0 + noise,
                    (_, true) => 0.0,
                    _ => noise,
                });
            }
        }
        values
    }

    fn multiply_by(
        column_start: &[usize],
        row_index: &[usize],
        values: &[f64],
        x: &[f64],
    ) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for column in 0..x.len() {
            for place in column_start[column]..column_start[column + 1] {
                out[row_index[place]] += values[place] * x[column];
            }
        }
        out
    }

    #[test]
    fn solves_what_it_factorised() {
        let (column_start, row_index) = ring(40);
        let mut lu = SupernodalLu::analyze(&column_start, &row_index).expect("memory");
        assert!(
            lu.supernodes.len() > 3,
            "panels are smaller than the matrix"
        );
        let wanted: Vec<f64> = (0..240).map(|i| (0.1 * f64::from(i)).cos()).collect();
        for swapped in [false, true] {
            let values = values(&column_start, &row_index, swapped);
            assert!(lu.factorize(&values));
            let mut x = multiply_by(&column_start, &row_index, &values, &wanted);
            lu.solve(&mut x);
            for (x, wanted) in x.iter().zip(&wanted) {
                assert!((x - wanted).abs() < 1e-12, "{x} {wanted}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// Columns change their sign and their places inside a body at random.
        #[test]
        fn the_sign_of_the_determinant_is_found(
            swapped in any::<bool>(),
            turned in prop::collection::vec(any::<bool>(), 72),
            exchanged in prop::collection::vec(any::<bool>(), 12),
        ) {
            let (column_start, row_index) = ring(12);
            let mut values = values(&column_start, &row_index, swapped);
            for body in (0..12).filter(|&body| exchanged[body]) {
                // Columns of one body have the same pattern.
                let (first, second) = (column_start[6 * body], column_start[6 * body + 1]);
                for place in 0..second - first {
                    values.swap(first + place, second + place);
                }
            }
            let mut dense = nalgebra::DMatrix::zeros(72, 72);
            for column in 0..72 {
                for place in column_start[column]..column_start[column + 1] {
                    if turned[column] {
                        values[place] = -values[place];
                    }
                    dense[(row_index[place], column)] = values[place];
                }
            }
            let mut lu = SupernodalLu::analyze(&column_start, &row_index).expect("memory");
            prop_assert!(lu.factorize(&values));
            prop_assert_eq!(lu.is_determinant_positive(), dense.determinant() > 0.0);
        }
    }

    #[test]
    fn says_when_a_matrix_is_singular_or_not_finite() {
        let (column_start, row_index) = ring(12);
        let mut lu = SupernodalLu::analyze(&column_start, &row_index).expect("memory");
        assert!(!lu.factorize(&vec![0.0; row_index.len()]));
        assert!(!lu.factorize(&vec![f64::NAN; row_index.len()]));
    }
}
