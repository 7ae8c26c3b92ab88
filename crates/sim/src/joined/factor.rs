//! Cholesky factor of J M⁻¹ Jᵀ within its envelope, rows that depend on others left out.
//!
//! Joints stand in the order of Cuthill and McKee: of a chain the envelope is a narrow band, and the cost
//! grows with its length. The matrix is scaled by what rows of their kind have on the diagonal. A row whose pivot
//! is then of rounding says nothing, or what others say already, as the rows across the plane of a flat linkage do:
//! it takes no force.

use std::collections::VecDeque;

/// Pivot of the scaled matrix below which a row depends on others. Joints that are open by 1e-6 rad make
/// redundant rows of a linkage independent by the square of it.
const DEPENDENT: f64 = 1e-11;

/// Lower triangle of a symmetric matrix within its envelope, then its factor.
#[derive(Debug, Default)]
pub(super) struct Envelope {
    /// Per row: where it begins in `values`, and the column of its first entry.
    start: Vec<usize>,
    first: Vec<usize>,
    values: Vec<f64>,
    /// 1/√ of the diagonal; zero where a row is left out.
    scale: Vec<f64>,
    /// 1/L of the diagonal; zero where a row is left out.
    inverse_pivot: Vec<f64>,
}

impl Envelope {
    /// Makes room for a matrix whose rows begin at these columns, all zero.
    pub(super) fn reset(&mut self, first: &[usize]) {
        self.first.clear();
        self.first.extend_from_slice(first);
        self.start.clear();
        let mut size = 0;
        for (row, &first) in first.iter().enumerate() {
            self.start.push(size);
            size += row - first + 1;
        }
        self.values.clear();
        self.values.resize(size, 0.0);
    }

    /// Forgets the numbers.
    pub(super) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds to an entry of the lower triangle.
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.values[self.start[row] + column - self.first[row]] += value;
    }

    /// Multiplications that a factorisation takes.
    pub(super) fn cost(first: &[usize]) -> usize {
        let rows = first.iter().enumerate();
        rows.map(|(row, first)| (row - first + 1).pow(2)).sum()
    }

    /// An entry of the diagonal.
    pub(super) fn diagonal(&self, row: usize) -> f64 {
        self.values[self.start[row] + row - self.first[row]]
    }

    /// Factorises; `usual` is what the diagonal of each row is compared with.
    pub(super) fn factorize(&mut self, usual: impl IntoIterator<Item = f64>) {
        let count = self.first.len();
        self.scale.clear();
        self.inverse_pivot.clear();
        let scales = usual.into_iter().map(|usual| match usual > 0.0 {
            true => 1.0 / usual.sqrt(),
            false => 0.0,
        });
        self.scale.extend(scales);
        for row in 0..count {
            let (before, rest) = self.values.split_at_mut(self.start[row]);
            let first = self.first[row];
            let own = &mut rest[..=row - first];
            let mut pivot = own[row - first] * self.scale[row] * self.scale[row];
            for column in first..row {
                let others = &before[self.start[column]..];
                let from = first.max(self.first[column]);
                let left = &own[from - first..column - first];
                let right = &others[from - self.first[column]..column - self.first[column]];
                let done: f64 = left.iter().zip(right).map(|(a, b)| a * b).sum();
                let scaled = own[column - first] * self.scale[row] * self.scale[column];
                let entry = (scaled - done) * self.inverse_pivot[column];
                own[column - first] = entry;
                pivot -= entry * entry;
            }
            let is_free = self.scale[row] > 0.0 && pivot > DEPENDENT;
            self.inverse_pivot
                .push(if is_free { 1.0 / pivot.sqrt() } else { 0.0 });
        }
    }

    /// x ← (J M⁻¹ Jᵀ)⁻¹ x, zero where a row is left out.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for row in 0..x.len() {
            let (before, rest) = x.split_at_mut(row);
            let done = dot(self.row(row), &before[self.first[row]..]);
            rest[0] = (rest[0] * self.scale[row] - done) * self.inverse_pivot[row];
        }
        for row in (0..x.len()).rev() {
            let (before, rest) = x.split_at_mut(row);
            let solved = rest[0] * self.inverse_pivot[row];
            for (at, entry) in before[self.first[row]..].iter_mut().zip(self.row(row)) {
                *at -= entry * solved;
            }
            rest[0] = solved * self.scale[row];
        }
    }

    /// Entries of a row left of the diagonal.
    fn row(&self, row: usize) -> &[f64] {
        let start = self.start[row];
        &self.values[start..start + row - self.first[row]]
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// An order of the nodes of a graph (Cuthill and McKee) in which neighbours stand near each other.
pub(super) fn order(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(neighbours.len());
    let mut is_met = vec![false; neighbours.len()];
    for node in 0..neighbours.len() {
        if !is_met[node] {
            // The node that is met last stands at an end.
            let end = *walk(node, neighbours, &mut is_met.clone())
                .last()
                .unwrap_or(&node);
            order.extend(walk(end, neighbours, &mut is_met));
        }
    }
    order
}

fn walk(from: usize, neighbours: &[Vec<usize>], is_met: &mut [bool]) -> Vec<usize> {
    let mut waiting = VecDeque::from([from]);
    let mut walked = Vec::new();
    is_met[from] = true;
    while let Some(node) = waiting.pop_front() {
        walked.push(node);
        let mut next: Vec<usize> = neighbours[node].clone();
        next.sort_by_key(|&node| (neighbours[node].len(), node));
        for node in next {
            if !std::mem::replace(&mut is_met[node], true) {
                waiting.push_back(node);
            }
        }
    }
    walked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_is_solved_and_a_repeated_row_takes_nothing() {
        // Rows 0, 1, 2 of a chain, and row 3 = row 2 again.
        let full = [
            [4.0, 1.0, 0.0, 0.0],
            [1.0, 9.0, 2.0, 2.0],
            [0.0, 2.0, 5.0, 5.0],
            [0.0, 2.0, 5.0, 5.0],
        ];
        let mut matrix = Envelope::default();
        matrix.reset(&[0, 0, 1, 1]);
        for (row, first) in [0usize, 0, 1, 1].iter().enumerate() {
            for column in *first..=row {
                matrix.add(row, column, full[row][column]);
            }
        }
        matrix.factorize([4.0, 9.0, 5.0, 5.0]);
        let wanted = [1.0, -2.0, 3.0, 0.0];
        let mut x = full.map(|row| dot(&row, &wanted));
        matrix.solve(&mut x);
        for (got, wanted) in x.iter().zip(wanted) {
            assert!((got - wanted).abs() < 1e-12, "{x:?}");
        }
    }

    #[test]
    fn a_shuffled_chain_becomes_a_band() {
        let places = [3, 0, 4, 1, 2];
        let mut neighbours = vec![Vec::new(); 5];
        for pair in places.windows(2) {
            neighbours[pair[0]].push(pair[1]);
            neighbours[pair[1]].push(pair[0]);
        }
        let order = order(&neighbours);
        let at = |node: usize| order.iter().position(|&other| other == node).unwrap();
        for pair in places.windows(2) {
            assert_eq!(at(pair[0]).abs_diff(at(pair[1])), 1);
        }
    }
}
