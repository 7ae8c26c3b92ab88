//! Where A has its entries, and which element blocks add up to each.

use std::ops::Range;

use super::element::{BLOCKS, block};
use super::error::FemError;

/// The places of the entries of A: the lower triangle (diagonal included) in compressed columns, row
/// indices ascending within each column. Fixed for the life of a soft body, whatever is held or released.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixPattern {
    column_start: Vec<usize>,
    row_index: Vec<usize>,
}

impl MatrixPattern {
    /// Number of rows and columns: three for each node.
    pub fn dimension(&self) -> usize {
        self.column_start.len() - 1
    }

    /// Start of each column in [`row_index`](Self::row_index), and the total.
    pub fn column_start(&self) -> &[usize] {
        &self.column_start
    }

    /// Row of each entry.
    pub fn row_index(&self) -> &[usize] {
        &self.row_index
    }

    /// `(row, column)` of each entry, in the order in which values are written.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.dimension()).flat_map(|column| {
            let entries = self.column_start[column]..self.column_start[column + 1];
            self.row_index[entries]
                .iter()
                .map(move |&row| (row, column))
        })
    }
}

/// A block of an element that is added to a block of A.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contribution(u32);

impl Contribution {
    pub(super) fn tet(self) -> usize {
        self.0 as usize / (2 * BLOCKS)
    }

    /// Which block of the element.
    pub(super) fn block(self) -> usize {
        self.0 as usize / 2 % BLOCKS
    }

    pub(super) fn is_transposed(self) -> bool {
        self.0 % 2 == 1
    }

    /// The corner whose diagonal block this is.
    pub(super) fn corner(self) -> usize {
        [0, 9, 1, 9, 9, 2, 9, 9, 9, 3][self.block()]
    }
}

/// The 3×3 blocks of A by columns of nodes, each with its contributions in the order of the elements:
/// sums are the same for any number of threads.
#[derive(Debug, Clone)]
pub(super) struct Gather {
    /// Start of each node's column in `rows`.
    column_start: Vec<usize>,
    /// Row of each block; the diagonal comes first.
    rows: Vec<u32>,
    /// Start of each block in `contributions`.
    start: Vec<usize>,
    contributions: Vec<Contribution>,
}

impl Gather {
    /// Every node must belong to a tetrahedron.
    pub(super) fn new(nodes: usize, tets: &[[u32; 4]]) -> Result<Self, FemError> {
        let too_many = FemError::TooManyTets { tets: tets.len() };
        if tets.len() > u32::MAX as usize / (2 * BLOCKS) {
            return Err(too_many);
        }
        let mut entries = Vec::with_capacity(BLOCKS * tets.len());
        for (tet, corners) in tets.iter().enumerate() {
            for (a, b) in (0..4).flat_map(|a| (0..=a).map(move |b| (a, b))) {
                let [i, j] = [corners[a], corners[b]];
                let code = 2 * (tet * BLOCKS + block(a, b)) + usize::from(i < j);
                entries.push((i.min(j), i.max(j), code as u32));
            }
        }
        entries.sort_unstable();
        let mut gather = Self {
            column_start: vec![0; nodes + 1],
            rows: Vec::new(),
            start: Vec::new(),
            contributions: Vec::with_capacity(entries.len()),
        };
        let mut last = None;
        for (column, row, code) in entries {
            if last != Some((column, row)) {
                last = Some((column, row));
                gather.start.push(gather.contributions.len());
                gather.rows.push(row);
                gather.column_start[column as usize + 1] = gather.rows.len();
            }
            gather.contributions.push(Contribution(code));
        }
        gather.start.push(gather.contributions.len());
        Ok(gather)
    }

    /// The blocks of a node's column.
    pub(super) fn column(&self, node: usize) -> Range<usize> {
        self.column_start[node]..self.column_start[node + 1]
    }

    pub(super) fn row(&self, block: usize) -> usize {
        self.rows[block] as usize
    }

    pub(super) fn contributions(&self, block: usize) -> &[Contribution] {
        &self.contributions[self.start[block]..self.start[block + 1]]
    }

    /// Which corners of which elements a node is.
    pub(super) fn corners(&self, node: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let diagonal = self.contributions(self.column_start[node]);
        diagonal.iter().map(|part| (part.tet(), part.corner()))
    }

    /// Where the values of a node's three columns begin: a node of n blocks has 3n + (3n − 1) + (3n − 2).
    pub(super) fn first_value(&self, node: usize) -> usize {
        9 * self.column_start[node] - 3 * node
    }

    pub(super) fn pattern(&self) -> MatrixPattern {
        let nodes = self.column_start.len() - 1;
        let mut column_start = vec![0];
        let mut row_index = Vec::with_capacity(self.first_value(nodes));
        for node in 0..nodes {
            for axis in 0..3 {
                let rows = self.column(node).flat_map(|block| {
                    let row = 3 * self.row(block);
                    row..row + 3
                });
                row_index.extend(rows.skip(axis));
                column_start.push(row_index.len());
            }
        }
        MatrixPattern {
            column_start,
            row_index,
        }
    }
}
