//! Lemke's method, [CPS, Alg. 4.4.5], on a dictionary: basic variables in terms of the others.

/// 0 ≤ x ⟂ M x + q ≥ 0 while it is being solved: w = q + M x + d t with an artificial t that pivoting drives to
/// zero.
///
/// Each step lets one variable in and takes the first out that would become negative. Where several would, the
/// lexicographically smallest row of \[B⁻¹q, B⁻¹\] goes, [CPS, §4.9]: rows are strictly ordered in exact
/// arithmetic, so that no basis comes twice.
#[derive(Debug, Default)]
pub(crate) struct Lemke {
    size: usize,
    /// By rows: `size` + 1 columns of the variables that are not basic, then the constant.
    table: Vec<f64>,
    /// The variable of each row, and of each column: x_i is i, w_i is size + i, t is 2 size.
    basic: Vec<usize>,
    others: Vec<usize>,
    /// Where each variable is: its row, or `size` + its column.
    place: Vec<usize>,
    entering: usize,
    pivots: usize,
    pivot_row: Vec<f64>,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Another one follows.
    Goes,
    /// t is zero: the basis is a solution.
    Solved,
    /// Nothing limits the variable that was let in, or the pivots are used up: no solution this way.
    Lost,
}

/// Pivots smaller than this share of the largest in their column are rounding.
const NOISE: f64 = 1e-10;
/// Ratios this close are ties; the constants are of size 1 at the start.
const TIE: f64 = 1e-12;
/// Pivots per unknown after which rounding must have led astray: a few are usual.
const MOST_PIVOTS: usize = 50;

impl Lemke {
    /// Begins with no impulses; d is the direction in which q is raised.
    pub(crate) fn begin(&mut self, matrix: &[f64], q: &[f64], d: &[f64]) -> Step {
        let n = q.len();
        self.size = n;
        self.pivots = 0;
        self.table.clear();
        for row in 0..n {
            self.table
                .extend_from_slice(&matrix[row * n..(row + 1) * n]);
            self.table.push(d[row]);
            self.table.push(q[row]);
        }
        self.basic.clear();
        self.basic.extend(n..2 * n);
        self.others.clear();
        self.others.extend((0..n).chain([2 * n]));
        self.place.clear();
        self.place.extend((n..2 * n).chain(0..n).chain([2 * n]));
        // The most negative row; of equal ones the last, which is lexicographically smallest.
        let mut out: Option<usize> = None;
        for row in 0..n {
            let ratio = q[row] / d[row];
            if ratio < 0.0 && out.is_none_or(|out| ratio <= q[out] / d[out]) {
                out = Some(row);
            }
        }
        let Some(row) = out else {
            return Step::Solved;
        };
        self.pivot(row, n);
        self.entering = row;
        Step::Goes
    }

    /// One pivot.
    pub(crate) fn step(&mut self) -> Step {
        let n = self.size;
        let column = self.place[self.entering] - n;
        let Some(row) = self.leaving_row(column) else {
            return Step::Lost;
        };
        let leaving = self.basic[row];
        self.pivot(row, column);
        self.pivots += 1;
        if leaving == 2 * n {
            return Step::Solved;
        }
        if self.pivots > MOST_PIVOTS * n {
            return Step::Lost;
        }
        self.entering = (leaving + n) % (2 * n);
        Step::Goes
    }

    /// The basic x, which are those that may be positive: `visit(unknown, value)`.
    pub(crate) fn for_each_basic(&self, mut visit: impl FnMut(usize, f64)) {
        let width = self.size + 2;
        for (row, &variable) in self.basic.iter().enumerate() {
            if variable < self.size {
                visit(variable, self.table[row * width + width - 1]);
            }
        }
    }

    /// The first basic variable that would become negative, `None` where there is none.
    fn leaving_row(&self, column: usize) -> Option<usize> {
        let (n, width) = (self.size, self.size + 2);
        let slope = |row: usize| self.table[row * width + column];
        let constant = |row: usize| self.table[row * width + width - 1];
        let largest = (0..n).fold(0.0_f64, |a, row| a.max(slope(row).abs()));
        let is_falling = |row: &usize| slope(*row) < -NOISE * largest;
        let ratio = |row: usize| constant(row).max(0.0) / -slope(row);
        let least = (0..n).filter(is_falling).map(ratio).reduce(f64::min)?;
        let is_first = |row: &usize| ratio(*row) <= least + TIE * (1.0 + least);
        let mut firsts = (0..n).filter(is_falling).filter(is_first);
        let mut best = firsts.next()?;
        for row in firsts {
            // The artificial variable goes whenever it can.
            let is_artificial = self.basic[row] == 2 * n;
            if is_artificial || self.basic[best] != 2 * n && self.is_before(row, best, column) {
                best = row;
            }
        }
        Some(best)
    }

    /// Whether a row of B⁻¹ over its slope is lexicographically smaller than another.
    fn is_before(&self, row: usize, other: usize, column: usize) -> bool {
        let (n, width) = (self.size, self.size + 2);
        let slope = |row: usize| -self.table[row * width + column];
        // Column k of B⁻¹ is that of w_k, with the other sign where w_k is not basic.
        let entry = |row: usize, k: usize| match self.place[n + k] {
            place if place >= n => -self.table[row * width + place - n],
            place => f64::from(u8::from(place == row)),
        };
        for k in 0..n {
            let (a, b) = (entry(row, k) / slope(row), entry(other, k) / slope(other));
            if (a - b).abs() > TIE * (1.0 + a.abs()) {
                return a < b;
            }
        }
        false
    }

    /// Exchanges the variable of a row with that of a column.
    fn pivot(&mut self, row: usize, column: usize) {
        let (n, width) = (self.size, self.size + 2);
        let inverse = 1.0 / self.table[row * width + column];
        self.pivot_row.clear();
        let own = &self.table[row * width..(row + 1) * width];
        self.pivot_row
            .extend(own.iter().map(|value| -value * inverse));
        self.pivot_row[column] = inverse;
        for (index, target) in self.table.chunks_exact_mut(width).enumerate() {
            if index == row {
                target.copy_from_slice(&self.pivot_row);
                continue;
            }
            let factor = target[column];
            if factor != 0.0 {
                target[column] = 0.0;
                for (value, pivot) in target.iter_mut().zip(&self.pivot_row) {
                    *value += factor * pivot;
                }
            }
        }
        let (leaving, entering) = (self.basic[row], self.others[column]);
        (self.basic[row], self.others[column]) = (entering, leaving);
        (self.place[entering], self.place[leaving]) = (row, n + column);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn solve(matrix: &[f64], q: &[f64]) -> Option<Vec<f64>> {
        let mut lemke = Lemke::default();
        let mut step = lemke.begin(matrix, q, &vec![1.0; q.len()]);
        while step == Step::Goes {
            step = lemke.step();
        }
        let mut x = vec![0.0; q.len()];
        lemke.for_each_basic(|unknown, value| x[unknown] = value);
        (step == Step::Solved).then_some(x)
    }

    /// Bases that a solve comes through, each as the variables in it and the one that is let in next.
    fn bases(matrix: &[f64], q: &[f64]) -> Vec<(Vec<usize>, usize)> {
        let mut lemke = Lemke::default();
        let mut step = lemke.begin(matrix, q, &vec![1.0; q.len()]);
        let mut bases = Vec::new();
        while step == Step::Goes {
            let mut basis = lemke.basic.clone();
            basis.sort_unstable();
            bases.push((basis, lemke.entering));
            step = lemke.step();
        }
        bases
    }

    /// Whether taking the first of rows that tie would come back to where it was.
    fn circles_without_an_order(matrix: &[f64], q: &[f64]) -> bool {
        let (n, width) = (q.len(), q.len() + 2);
        let mut lemke = Lemke::default();
        // Nothing to do for q = 0, so that the first pivot is ours.
        lemke.begin(matrix, &vec![0.0; n], &vec![1.0; n]);
        for (row, &q) in q.iter().enumerate() {
            lemke.table[row * width + n + 1] = q;
        }
        lemke.pivot(0, n);
        let (mut entering, mut seen) = (0, std::collections::HashSet::new());
        loop {
            let mut basis = lemke.basic.clone();
            basis.sort_unstable();
            if !seen.insert((basis, entering)) {
                return true;
            }
            let column = lemke.place[entering] - n;
            let ratio = |row: usize| {
                let row = &lemke.table[row * width..(row + 1) * width];
                (row[column] < 0.0).then(|| row[n + 1] / -row[column])
            };
            let least = (0..n).filter_map(ratio).reduce(f64::min);
            let Some(least) = least else { return false };
            let out = (0..n).find(|&row| ratio(row).is_some_and(|ratio| ratio <= least));
            let out = out.unwrap();
            let leaving = lemke.basic[out];
            if leaving == 2 * n {
                return false;
            }
            lemke.pivot(out, column);
            entering = (leaving + n) % (2 * n);
        }
    }

    /// Kostreva's example (*Cycling in linear complementarity problems*, 1979): every row ties, and taking the first of
    /// them comes back to where it was. Also with unknowns in another order, and several at once.
    #[test]
    fn ties_do_not_circle() {
        let kostreva = [[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]];
        assert!(circles_without_an_order(
            kostreva.as_flattened(),
            &[-1.0; 3]
        ));
        let orders: [&[usize]; 7] = [
            &[0, 1, 2],
            &[0, 2, 1],
            &[1, 0, 2],
            &[1, 2, 0],
            &[2, 0, 1],
            &[2, 1, 0],
            &[3, 0, 4, 1, 5, 2],
        ];
        for order in orders {
            let entry = |&i: &usize, &j: &usize| match i / 3 == j / 3 {
                true => kostreva[i % 3][j % 3],
                false => 0.0,
            };
            let rows = order
                .iter()
                .flat_map(|i| order.iter().map(move |j| entry(i, j)));
            let (m, q): (Vec<f64>, _) = (rows.collect(), vec![-1.0; order.len()]);
            for x in solve(&m, &q).unwrap() {
                assert!((x - 1.0 / 3.0).abs() < 1e-12, "{order:?}");
            }
            assert_eq!(repeated(&bases(&m, &q)), None, "{order:?}");
        }
    }

    /// A basis that a solve came through twice.
    fn repeated(bases: &[(Vec<usize>, usize)]) -> Option<&(Vec<usize>, usize)> {
        let mut seen = std::collections::HashSet::new();
        bases.iter().find(|basis| !seen.insert(*basis))
    }

    #[test]
    fn what_has_no_solution_is_lost() {
        assert_eq!(solve(&[0.0], &[-1.0]), None);
    }

    proptest! {
        /// Of small whole numbers, where ties are the rule: no basis comes twice.
        #[test]
        fn no_basis_comes_twice(
            root in prop::collection::vec(-1i32..=1, 25),
            skew in prop::collection::vec(-2i32..=2, 25),
            q in prop::collection::vec(-1i32..=0, 5),
        ) {
            let entry = |i: usize, j: usize| {
                let square: i32 = (0..5).map(|k| root[5 * k + i] * root[5 * k + j]).sum();
                f64::from(square + skew[5 * i + j] - skew[5 * j + i])
            };
            let m: Vec<f64> = (0..25).map(|at| entry(at / 5, at % 5)).collect();
            let q: Vec<f64> = q.into_iter().map(f64::from).collect();
            let bases = bases(&m, &q);
            prop_assert_eq!(repeated(&bases), None);
        }

        /// Positive semidefinite problems that have a solution are solved.
        #[test]
        fn semidefinite_problems_are_solved(
            root in prop::collection::vec(-1.0f64..1.0, 24),
            x in prop::array::uniform6(0.0f64..1.0),
            w in prop::array::uniform6(0.0f64..1.0),
            is_basic in prop::array::uniform6(any::<bool>()),
        ) {
            // 6 unknowns of rank 4: q such that x and w, where they are kept, solve it.
            let entry = |i: usize, j: usize| (0..4).map(|k| root[4 * i + k] * root[4 * j + k]).sum::<f64>();
            let m: Vec<f64> = (0..36).map(|at| entry(at / 6, at % 6)).collect();
            let q: Vec<f64> = (0..6)
                .map(|i| {
                    let known: f64 = (0..6).filter(|&j| is_basic[j]).map(|j| m[6 * i + j] * x[j]).sum();
                    if is_basic[i] { -known } else { w[i] - known }
                })
                .collect();
            let found = solve(&m, &q);
            prop_assert!(found.is_some());
            let found = found.unwrap();
            for i in 0..6 {
                let w: f64 = (0..6).map(|j| m[6 * i + j] * found[j]).sum::<f64>() + q[i];
                prop_assert!(found[i] > -1e-8 && w > -1e-8 && w.min(found[i]).abs() < 1e-8, "{w} {}", found[i]);
            }
        }
    }
}
