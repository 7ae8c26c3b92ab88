//! Symmetric block-tridiagonal matrices of 6×6 blocks and their Cholesky factors.

use nalgebra::{LU, Matrix6, U6, Vector6};

use super::error::RodError;

/// A symmetric matrix with 6×6 blocks on the diagonal and beside it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BlockTridiagonal {
    pub(super) diagonal: Vec<Matrix6<f64>>,
    /// Rows of link k + 1, columns of link k.
    pub(super) below: Vec<Matrix6<f64>>,
}

impl BlockTridiagonal {
    /// All zero; allocates only where it grows.
    pub(super) fn clear(&mut self, links: usize) {
        self.diagonal.clear();
        self.diagonal.resize(links, Matrix6::zeros());
        self.below.clear();
        self.below.resize(links.saturating_sub(1), Matrix6::zeros());
    }

    /// Blocks on the diagonal, one for each link.
    pub fn diagonal(&self) -> &[Matrix6<f64>] {
        &self.diagonal
    }

    /// Blocks with the rows of link k + 1 and the columns of link k.
    pub fn below(&self) -> &[Matrix6<f64>] {
        &self.below
    }

    /// Pattern of the lower triangle of a rod of this many links, diagonal included, by compressed
    /// columns: where each column starts, and the row of each entry, ascending in each column.
    pub fn pattern(links: usize) -> (Vec<usize>, Vec<usize>) {
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for column in 0..6 * links {
            let link = column / 6;
            let last = (6 * (link + 2)).min(6 * links);
            rows.extend(column..last);
            starts.push(rows.len());
        }
        (starts, rows)
    }

    /// Writes the entries of the lower triangle in the order of the [pattern](Self::pattern).
    ///
    /// # Errors
    /// A list of another length.
    pub fn write_values(&self, values: &mut [f64]) -> Result<(), RodError> {
        let expected = 21 * self.diagonal.len() + 36 * self.below.len();
        super::error::same_length("entries of A", expected, values.len())?;
        let mut at = 0;
        for (link, diagonal) in self.diagonal.iter().enumerate() {
            for column in 0..6 {
                let part = &diagonal.column(column).data.into_slice()[column..];
                values[at..at + part.len()].copy_from_slice(part);
                at += part.len();
                if let Some(below) = self.below.get(link) {
                    values[at..at + 6].copy_from_slice(below.column(column).data.into_slice());
                    at += 6;
                }
            }
        }
        Ok(())
    }

    /// out = A x.
    pub fn mul(&self, x: &[f64], out: &mut [f64]) {
        let part = |link: usize| Vector6::from_column_slice(&x[6 * link..6 * link + 6]);
        for link in 0..self.diagonal.len() {
            let mut sum = self.diagonal[link] * part(link);
            if link > 0 {
                sum += self.below[link - 1] * part(link - 1);
            }
            if let Some(below) = self.below.get(link) {
                sum += below.tr_mul(&part(link + 1));
            }
            out[6 * link..6 * link + 6].copy_from_slice(sum.as_slice());
        }
    }

    /// Replaces given degrees of freedom by equations of their own, A_dd x_d = b_d with the diagonal
    /// kept, and takes what they do to the others to the right-hand side. The pattern stays.
    pub(super) fn eliminate(&mut self, given: &[bool], values: &[f64], b: &mut [f64]) {
        let links = self.diagonal.len();
        let any = |link: usize| given[6 * link..6 * link + 6].iter().any(|&given| given);
        let part = |link: usize| Vector6::from_column_slice(&values[6 * link..6 * link + 6]);
        let mut take = |link: usize, known: Vector6<f64>| {
            for axis in 0..6 {
                b[6 * link + axis] -= known[axis];
            }
        };
        for link in (0..links).filter(|&link| any(link)) {
            take(link, self.diagonal[link] * part(link));
            if link > 0 {
                take(link - 1, self.below[link - 1].tr_mul(&part(link)));
            }
            if link + 1 < links {
                take(link + 1, self.below[link] * part(link));
            }
        }
        for dof in (0..given.len()).filter(|&dof| given[dof]) {
            let (link, axis) = (dof / 6, dof % 6);
            let kept = self.diagonal[link][(axis, axis)];
            self.diagonal[link].row_mut(axis).fill(0.0);
            self.diagonal[link].column_mut(axis).fill(0.0);
            self.diagonal[link][(axis, axis)] = kept;
            if link > 0 {
                self.below[link - 1].row_mut(axis).fill(0.0);
            }
            if link + 1 < links {
                self.below[link].column_mut(axis).fill(0.0);
            }
            b[dof] = kept * values[dof];
        }
    }
}

/// Cholesky factor L of a block-tridiagonal matrix, which has its pattern.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockCholesky {
    /// Lower triangles.
    diagonal: Vec<Matrix6<f64>>,
    below: Vec<Matrix6<f64>>,
}

impl BlockCholesky {
    /// Factorises.
    ///
    /// # Errors
    /// The first link where the matrix is not positive definite.
    pub(super) fn factor(&mut self, matrix: &BlockTridiagonal) -> Result<(), RodError> {
        self.diagonal.clone_from(&matrix.diagonal);
        self.below.clone_from(&matrix.below);
        for link in 0..self.diagonal.len() {
            let lower = &mut self.diagonal[link];
            if !cholesky(lower) {
                return Err(RodError::NotPositiveDefinite { link });
            }
            let Some(below) = self.below.get_mut(link) else {
                break;
            };
            // L_below = A_below L⁻ᵀ, and what it takes from the next block.
            *below = solve_lower(lower, &below.transpose()).transpose();
            let taken = *below * below.transpose();
            self.diagonal[link + 1] -= taken;
        }
        Ok(())
    }

    /// Turns b into A⁻¹ b.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let links = self.diagonal.len();
        let part = |b: &[f64], link: usize| Vector6::from_column_slice(&b[6 * link..6 * link + 6]);
        for link in 0..links {
            let mut x = part(b, link);
            if link > 0 {
                x -= self.below[link - 1] * part(b, link - 1);
            }
            let lower = &self.diagonal[link];
            for row in 0..6 {
                for column in 0..row {
                    x[row] -= lower[(row, column)] * x[column];
                }
                x[row] /= lower[(row, row)];
            }
            b[6 * link..6 * link + 6].copy_from_slice(x.as_slice());
        }
        for link in (0..links).rev() {
            let mut x = part(b, link);
            if link + 1 < links {
                x -= self.below[link].tr_mul(&part(b, link + 1));
            }
            let lower = &self.diagonal[link];
            for row in (0..6).rev() {
                for below in row + 1..6 {
                    x[row] -= lower[(below, row)] * x[below];
                }
                x[row] /= lower[(row, row)];
            }
            b[6 * link..6 * link + 6].copy_from_slice(x.as_slice());
        }
    }
}

/// Solves with a matrix that need not be positive definite, by elimination block after block. Rows are
/// exchanged within blocks alone: a block may by chance be singular where the matrix is not.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockLu {
    pivots: Vec<LU<f64, U6, U6>>,
}

impl BlockLu {
    /// Turns b into A⁻¹ b; false where a block is singular.
    pub(super) fn solve(&mut self, matrix: &BlockTridiagonal, b: &mut [f64]) -> bool {
        let links = matrix.diagonal.len();
        let part = |b: &[f64], link: usize| Vector6::from_column_slice(&b[6 * link..6 * link + 6]);
        self.pivots.clear();
        for link in 0..links {
            let mut pivot = matrix.diagonal[link];
            if link > 0 {
                let below = &matrix.below[link - 1];
                let (Some(above), Some(known)) = (
                    self.pivots[link - 1].solve(&below.transpose()),
                    self.pivots[link - 1].solve(&part(b, link - 1)),
                ) else {
                    return false;
                };
                pivot -= below * above;
                let right = part(b, link) - below * known;
                b[6 * link..6 * link + 6].copy_from_slice(right.as_slice());
            }
            self.pivots.push(pivot.lu());
        }
        for link in (0..links).rev() {
            let mut right = part(b, link);
            if let Some(below) = matrix.below.get(link) {
                right -= below.tr_mul(&part(b, link + 1));
            }
            let Some(solution) = self.pivots[link].solve(&right) else {
                return false;
            };
            b[6 * link..6 * link + 6].copy_from_slice(solution.as_slice());
        }
        true
    }
}

/// Turns the lower triangle of a matrix into that of its factor; false where there is none. Strictly
/// upper entries become zero.
fn cholesky(matrix: &mut Matrix6<f64>) -> bool {
    for column in 0..6 {
        for before in 0..column {
            let factor = matrix[(column, before)];
            for row in column..6 {
                matrix[(row, column)] -= matrix[(row, before)] * factor;
            }
            matrix[(before, column)] = 0.0;
        }
        let pivot = matrix[(column, column)];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let root = pivot.sqrt();
        for row in column..6 {
            matrix[(row, column)] /= root;
        }
    }
    true
}

/// L⁻¹ B.
fn solve_lower(lower: &Matrix6<f64>, right: &Matrix6<f64>) -> Matrix6<f64> {
    let mut out = *right;
    for mut column in out.column_iter_mut() {
        for row in 0..6 {
            for before in 0..row {
                column[row] -= lower[(row, before)] * column[before];
            }
            column[row] /= lower[(row, row)];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// A positive definite matrix of four links, the same in every run.
    fn sample() -> BlockTridiagonal {
        let mut seed = 1_u64;
        let mut number = move || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut matrix = BlockTridiagonal::default();
        matrix.clear(4);
        for block in &mut matrix.diagonal {
            let square = Matrix6::from_fn(|_, _| number());
            *block = square * square.transpose() + Matrix6::identity() * 6.0;
        }
        for block in &mut matrix.below {
            *block = Matrix6::from_fn(|_, _| number());
        }
        matrix
    }

    fn dense(matrix: &BlockTridiagonal) -> DMatrix<f64> {
        let links = matrix.diagonal.len();
        let (starts, rows) = BlockTridiagonal::pattern(links);
        let mut values = vec![0.0; rows.len()];
        matrix.write_values(&mut values).unwrap();
        let mut out = DMatrix::zeros(6 * links, 6 * links);
        for column in 0..6 * links {
            for at in starts[column]..starts[column + 1] {
                out[(rows[at], column)] = values[at];
                out[(column, rows[at])] = values[at];
            }
        }
        out
    }

    #[test]
    fn products_and_solutions_are_those_of_the_dense_matrix() {
        let matrix = sample();
        let dense = dense(&matrix);
        let x = DVector::from_fn(24, |at, _| (at as f64).sin());
        let mut product = vec![0.0; 24];
        matrix.mul(x.as_slice(), &mut product);
        assert!((&dense * &x - DVector::from_column_slice(&product)).norm() < 1e-13);
        let mut factor = BlockCholesky::default();
        factor.factor(&matrix).unwrap();
        factor.solve(&mut product);
        assert!((x - DVector::from_vec(product)).norm() < 1e-13);
    }

    #[test]
    fn indefinite_matrices_are_solved() {
        let mut matrix = sample();
        matrix.diagonal[1] *= -1.0;
        let x: Vec<f64> = (0..24).map(|at| (at as f64).sin()).collect();
        let mut b = vec![0.0; 24];
        matrix.mul(&x, &mut b);
        assert!(BlockLu::default().solve(&matrix, &mut b));
        let error = x.iter().zip(&b).map(|(x, b)| (x - b).abs());
        assert!(error.fold(0.0, f64::max) < 1e-12);
    }

    #[test]
    fn eliminated_degrees_of_freedom_take_their_values() {
        let matrix = sample();
        let whole = dense(&matrix);
        let mut given = vec![false; 24];
        let mut values = vec![0.0; 24];
        for (dof, value) in [(0, 1.0), (4, -2.0), (13, 0.5), (23, 3.0)] {
            given[dof] = true;
            values[dof] = value;
        }
        let mut b: Vec<f64> = (0..24).map(|at| (at as f64).cos()).collect();
        let right = b.clone();
        let mut reduced = matrix.clone();
        reduced.eliminate(&given, &values, &mut b);
        let mut factor = BlockCholesky::default();
        factor.factor(&reduced).unwrap();
        factor.solve(&mut b);
        let product = whole * DVector::from_column_slice(&b);
        for dof in 0..24 {
            match given[dof] {
                true => assert!((b[dof] - values[dof]).abs() < 1e-15),
                false => assert!((product[dof] - right[dof]).abs() < 1e-12),
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused_at_its_link() {
        let mut matrix = sample();
        matrix.diagonal[2][(3, 3)] = -1.0;
        let refused = BlockCholesky::default().factor(&matrix);
        assert_eq!(refused, Err(RodError::NotPositiveDefinite { link: 2 }));
    }
}
