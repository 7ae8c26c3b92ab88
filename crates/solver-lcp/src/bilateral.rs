//! Rows that hold both ways (equalities, springs), taken out of the problem by their Schur complement.

/// Pivots below this share of a row's own diagonal are rounding: the row depends on those before.
const DEPENDENT: f64 = 1e-11;

/// The Cholesky factor of G_BB, rows that depend on others left out: impulses on them are not needed.
#[derive(Debug, Default)]
pub(crate) struct Bilateral {
    /// The rows that are kept.
    pub(crate) rows: Vec<usize>,
    /// L by rows, packed.
    factor: Vec<f64>,
}

impl Bilateral {
    /// Factorises the block of `matrix` (n × n by rows) on `candidates`, in the order given.
    pub(crate) fn update(&mut self, n: usize, matrix: &[f64], candidates: &[usize]) {
        self.rows.clear();
        self.factor.clear();
        for &row in candidates {
            let start = self.factor.len();
            for (k, &other) in self.rows.iter().enumerate() {
                let mut value = matrix[row * n + other];
                for j in 0..k {
                    value -= self.factor[start + j] * self.factor[k * (k + 1) / 2 + j];
                }
                value /= self.factor[k * (k + 1) / 2 + k];
                self.factor.push(value);
            }
            let own = matrix[row * n + row];
            let left = own - self.factor[start..].iter().map(|x| x * x).sum::<f64>();
            if left > DEPENDENT * own {
                self.factor.push(left.sqrt());
                self.rows.push(row);
            } else {
                self.factor.truncate(start);
            }
        }
    }

    /// x ← L⁻¹ x.
    pub(crate) fn solve_lower(&self, x: &mut [f64]) {
        for i in 0..self.rows.len() {
            let row = &self.factor[i * (i + 1) / 2..];
            let known: f64 = row[..i].iter().zip(&*x).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - known) / row[i];
        }
    }

    /// x ← L⁻ᵀ x.
    pub(crate) fn solve_upper(&self, x: &mut [f64]) {
        for i in (0..self.rows.len()).rev() {
            let row = &self.factor[i * (i + 1) / 2..];
            x[i] /= row[i];
            let value = x[i];
            for (other, l) in x[..i].iter_mut().zip(row) {
                *other -= l * value;
            }
        }
    }
}
