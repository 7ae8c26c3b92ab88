//! Cells of one size, wrapped round to powers of two.

/// Cells of one level are 2^level m wide.
pub(super) const LOWEST_LEVEL: i32 = -20;
pub(super) const HIGHEST_LEVEL: i32 = 20;
pub(super) const N_LEVELS: usize = (HIGHEST_LEVEL - LOWEST_LEVEL + 1) as usize;

/// The grid of one level, wrapped round to powers of two.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Grid {
    pub(super) count: u32,
    pub(super) any_moved: bool,
    low: [i32; 3],
    high: [i32; 3],
    /// Number of cells along each axis as a power of two, at least 4: then no two of three
    /// neighbouring cells fall together.
    bits: [u32; 3],
    /// Index of the first cell of this grid among all cells.
    first: usize,
}

impl Grid {
    /// Takes in one more cell.
    pub(super) fn include(&mut self, cell: [i32; 3], moved: bool) {
        if self.count == 0 {
            (self.low, self.high) = (cell, cell);
        }
        for k in 0..3 {
            self.low[k] = self.low[k].min(cell[k]);
            self.high[k] = self.high[k].max(cell[k]);
        }
        self.count += 1;
        self.any_moved |= moved;
    }

    /// Chooses the number of cells: enough for the extent, but not many more than there are boxes.
    pub(super) fn lay_out(&mut self, first: usize) -> usize {
        let extent = |k: usize| (i64::from(self.high[k]) - i64::from(self.low[k]) + 1) as u64;
        self.bits = [0, 1, 2].map(|k| extent(k).next_power_of_two().ilog2().max(2));
        let most = (4 * self.count).next_power_of_two().ilog2().max(6);
        while self.bits.iter().sum::<u32>() > most {
            let widest = (0..3).fold(0, |w, k| if self.bits[k] > self.bits[w] { k } else { w });
            self.bits[widest] -= 1;
        }
        self.first = first;
        first + (1 << self.bits.iter().sum::<u32>())
    }

    /// Index of the first cell of a row, and the mask for x within it.
    pub(super) fn row(&self, y: i32, z: i32) -> (usize, usize) {
        let wrap = |c: i32, k: usize| c as usize & ((1 << self.bits[k]) - 1);
        let row = (wrap(z, 2) << self.bits[1]) | wrap(y, 1);
        (self.first + (row << self.bits[0]), (1 << self.bits[0]) - 1)
    }

    pub(super) fn index(&self, cell: [i32; 3]) -> usize {
        let (row, mask) = self.row(cell[1], cell[2]);
        row + (cell[0] as usize & mask)
    }
}

/// Index of the cell that holds x, kept where neighbours of a cell still have an index.
pub(super) fn cell_of(x: f64, cells_per_meter: f64) -> i32 {
    const FAR: f64 = 1e9;
    (x * cells_per_meter).floor().clamp(-FAR, FAR) as i32
}
