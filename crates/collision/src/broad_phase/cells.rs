//! Boxes sorted by cell, and the search for those that overlap.

use super::Entry;
use super::found::Found;
use super::grid::{Grid, LOWEST_LEVEL, N_LEVELS, cell_of};
use crate::aabb::Aabb;

/// A box in the order of cells, with all that the search needs: going back to the bodies would miss
/// the caches every time.
#[derive(Debug, Clone, Copy)]
struct Member {
    fat: Aabb,
    body: u32,
    cell: [i32; 3],
    level: u8,
    moved: bool,
}

/// All bounded boxes in the cells of their levels.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    grids: [Grid; N_LEVELS],
    /// Start of each cell in `members`, one more than cells.
    starts: Vec<u32>,
    members: Vec<Member>,
}

impl Default for Cells {
    fn default() -> Self {
        Self {
            grids: [Grid::default(); N_LEVELS],
            starts: Vec::new(),
            members: Vec::new(),
        }
    }
}

impl Cells {
    /// Counting sort of all bounded boxes by cell.
    pub(super) fn build(&mut self, entries: &[Entry]) {
        self.grids = [Grid::default(); N_LEVELS];
        for e in entries.iter().filter(|e| e.bounded) {
            self.grids[e.level as usize].include(e.cell, e.moved);
        }
        let mut n_cells = 0;
        for grid in self.grids.iter_mut().filter(|g| g.count > 0) {
            n_cells = grid.lay_out(n_cells);
        }
        self.starts.clear();
        self.starts.resize(n_cells + 1, 0);
        let mut n_members = 0;
        for e in entries.iter().filter(|e| e.bounded) {
            self.starts[self.grids[e.level as usize].index(e.cell)] += 1;
            n_members += 1;
        }
        // ends of cells; filling from the back turns them into starts
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        let empty = Member {
            fat: Aabb::everything(),
            body: 0,
            cell: [0; 3],
            level: 0,
            moved: false,
        };
        self.members.clear();
        self.members.resize(n_members, empty);
        for (i, e) in entries.iter().enumerate().rev() {
            if e.bounded {
                let start = &mut self.starts[self.grids[e.level as usize].index(e.cell)];
                *start -= 1;
                self.members[*start as usize] = Member {
                    fat: e.fat,
                    body: i as u32,
                    cell: e.cell,
                    level: e.level,
                    moved: e.moved,
                };
            }
        }
    }

    /// Members of the cells x_low..=x_high (at most four) of a row, as one or two stretches.
    fn row(&self, grid: &Grid, x: (i32, i32), y: i32, z: i32) -> [&[Member]; 2] {
        let (row, mask) = grid.row(y, z);
        let (low, high) = (x.0 as usize & mask, x.1 as usize & mask);
        let stretch = |a: usize, b: usize| {
            let (from, to) = (self.starts[row + a], self.starts[row + b + 1]);
            &self.members[from as usize..to as usize]
        };
        if low <= high {
            [stretch(low, high), &[]]
        } else {
            [stretch(low, mask), stretch(0, high)]
        }
    }

    /// All pairs of bounded boxes, each once: within a level from the box in the earlier cell.
    pub(super) fn all_pairs(&self, accept: &impl Fn(usize, usize) -> bool, fresh: &mut Found) {
        for (k, me) in self.members.iter().enumerate() {
            if fresh.is_full() {
                return;
            }
            let grid = &self.grids[me.level as usize];
            let [x, y, z] = me.cell;
            let mut test = |others: &[Member]| {
                for other in others {
                    if me.fat.overlaps(&other.fat) {
                        fresh.push(me.body, other.body, accept);
                    }
                }
            };
            let end = self.starts[grid.index(me.cell) + 1] as usize;
            test(&self.members[k + 1..end]);
            let mut test_row = |x: (i32, i32), y: i32, z: i32| {
                let [stretch, rest] = self.row(grid, x, y, z);
                test(stretch);
                test(rest);
            };
            test_row((x + 1, x + 1), y, z);
            for (y, z) in [(y + 1, z), (y - 1, z + 1), (y, z + 1), (y + 1, z + 1)] {
                test_row((x - 1, x + 1), y, z);
            }
            for level in usize::from(me.level) + 1..N_LEVELS {
                if self.grids[level].count > 0 {
                    self.for_each_near(&me.fat, level, &mut test);
                }
            }
        }
    }

    /// Pairs of bounded boxes of which at least one moved.
    pub(super) fn moved_pairs(&self, accept: &impl Fn(usize, usize) -> bool, fresh: &mut Found) {
        for me in &self.members {
            if fresh.is_full() {
                return;
            }
            let own = usize::from(me.level);
            for level in own..N_LEVELS {
                let grid = &self.grids[level];
                // who has not moved looks only for coarser boxes that have
                let worth = if me.moved {
                    grid.count > 0
                } else {
                    level > own && grid.any_moved
                };
                if !worth {
                    continue;
                }
                self.for_each_near(&me.fat, level, &mut |others: &[Member]| {
                    for other in others {
                        // within a level a pair of two moved boxes is seen from both sides
                        let twice = level == own && other.moved && other.body <= me.body;
                        let new = me.moved || other.moved;
                        if new && !twice && other.body != me.body && me.fat.overlaps(&other.fat) {
                            fresh.push(me.body, other.body, accept);
                        }
                    }
                });
            }
        }
    }

    /// Visits the members of a level whose centres are near enough for their boxes to reach `fat`,
    /// which is not larger than a cell of that level.
    fn for_each_near(&self, fat: &Aabb, level: usize, visit: &mut impl FnMut(&[Member])) {
        let cells_per_meter = f64::from(-(level as i32 + LOWEST_LEVEL)).exp2();
        // centres of overlapping boxes are at most half a cell outside
        let half = 0.5 / cells_per_meter;
        let low = [0, 1, 2].map(|k| cell_of(fat.min[k] - half, cells_per_meter));
        let high = [0, 1, 2].map(|k| cell_of(fat.max[k] + half, cells_per_meter));
        let grid = &self.grids[level];
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for others in self.row(grid, (low[0], high[0]), y, z) {
                    visit(others);
                }
            }
        }
    }
}
