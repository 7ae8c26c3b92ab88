//! Broad phase: which bounding boxes overlap, over many bodies, step after step.
//!
//! A hierarchical grid: every box belongs to the level whose cells (side 2^level m) just hold it, and
//! to the one cell its centre is in. A box looks for partners in its own level and in coarser ones
//! only, where it meets at most 27 cells, so the cost is linear in boxes plus pairs whatever the mix
//! of sizes. Boxes are sorted by cell (by counting), so that three cells in a row are one stretch of
//! memory; a grid wraps round where it would need more cells than there are boxes to fill them.
//!
//! Boxes are kept fat by a slack: while a body stays within its fat box nothing about it changes, a
//! step in which nobody leaves costs one comparison per body, and one in which few leave looks only
//! around those. Half-spaces are tested against boxes by their plane, again only where either moved.

mod cells;
mod found;
mod grid;
mod pairs;
mod proxy;
#[cfg(test)]
mod tests;

use crate::aabb::Aabb;
use cells::Cells;
use found::Found;
pub use found::{Crowded, MOST_PAIRS};
use grid::{HIGHEST_LEVEL, LOWEST_LEVEL, cell_of};
use pairs::{PairSorter, merge};
pub use proxy::Proxy;

/// Boxes with a larger half extent (m) than this count as unbounded: no cell would hold them.
const LARGEST: f64 = 1e5;

/// Fat box of a body and the cell it is in.
#[derive(Debug, Clone, Copy)]
struct Entry {
    fat: Aabb,
    cell: [i32; 3],
    level: u8,
    bounded: bool,
    moved: bool,
}

/// Finds overlapping boxes and remembers them.
#[derive(Debug, Clone)]
pub struct BroadPhase {
    /// How much larger boxes are kept than they are, as a fraction of their size.
    slack: f64,
    entries: Vec<Entry>,
    unbounded: Vec<(u32, Proxy)>,
    pairs: Vec<(u32, u32)>,
    last_pairs: Vec<(u32, u32)>,
    fresh: Found,
    cells: Cells,
    sorter: PairSorter,
    /// Flags of the entries, close together for looking up in any order.
    moved: Vec<bool>,
    n_moved: usize,
}

impl BroadPhase {
    /// Fat boxes are larger by `slack` (0 to 1) times their size on every side; 0.1 is a fair choice.
    pub fn new(slack: f64) -> Self {
        Self {
            slack: if slack.is_finite() {
                slack.clamp(0.0, 1.0)
            } else {
                0.1
            },
            entries: Vec::new(),
            unbounded: Vec::new(),
            pairs: Vec::new(),
            last_pairs: Vec::new(),
            fresh: Found::default(),
            cells: Cells::default(),
            sorter: PairSorter::default(),
            moved: Vec::new(),
            n_moved: 0,
        }
    }

    /// Takes new boxes (all of them, in the same order every time) and returns the pairs (i, j),
    /// i < j, sorted, whose fat boxes overlap. `accept` filters pairs; it must answer the same every
    /// time for the same pair until [`clear`](Self::clear).
    ///
    /// # Errors
    /// More pairs than [`MOST_PAIRS`]; the next update starts afresh.
    pub fn update(
        &mut self,
        proxies: &[Proxy],
        accept: impl Fn(usize, usize) -> bool,
    ) -> Result<&[(u32, u32)], Crowded> {
        if proxies.len() != self.entries.len() {
            self.clear();
        }
        let n_changed = self.take(proxies);
        if n_changed == 0 {
            return Ok(&self.pairs);
        }
        std::mem::swap(&mut self.pairs, &mut self.last_pairs);
        self.fresh.clear();
        if self.n_moved > 0 {
            self.cells.build(&self.entries);
        }
        // where most have moved it is cheaper to find all pairs anew, each from one side
        if 3 * self.n_moved > self.entries.len() {
            self.last_pairs.clear();
            self.cells.all_pairs(&accept, &mut self.fresh);
            self.search_unbounded(&accept, |_, _| true);
        } else {
            self.moved.clear();
            self.moved.extend(self.entries.iter().map(|e| e.moved));
            let moved = &self.moved;
            self.last_pairs
                .retain(|&(i, j)| !(moved[i as usize] || moved[j as usize]));
            if self.n_moved > 0 {
                self.cells.moved_pairs(&accept, &mut self.fresh);
            }
            self.search_unbounded(&accept, |a, b| a || b);
        }
        if let Err(crowded) = self.fresh.check(self.last_pairs.len()) {
            self.clear();
            return Err(crowded);
        }
        let fresh = &mut self.fresh.pairs;
        self.sorter.sort(self.entries.len(), fresh);
        merge(&self.last_pairs, fresh, &mut self.pairs);
        Ok(&self.pairs)
    }

    /// Forgets everything; the next update starts afresh.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.pairs.clear();
        self.unbounded.clear();
    }

    /// Bodies that left their fat box in the last update.
    pub fn n_moved(&self) -> usize {
        self.n_moved
    }

    /// Fattens the boxes that were left, marks them, and returns how many bodies changed.
    fn take(&mut self, proxies: &[Proxy]) -> usize {
        let first = self.entries.is_empty();
        let mut n_changed = 0;
        let mut n_unbounded = 0;
        self.n_moved = 0;
        for (i, proxy) in proxies.iter().enumerate() {
            if let Proxy::Box(aabb) = proxy
                && aabb.half_extents().max() < LARGEST
            {
                if !first && self.entries[i].bounded && self.entries[i].fat.contains(aabb) {
                    self.entries[i].moved = false;
                    continue;
                }
                let entry = self.entry(aabb);
                put(&mut self.entries, i, entry);
                self.n_moved += 1;
                n_changed += 1;
            } else {
                let known = self.unbounded.get(n_unbounded) == Some(&(i as u32, *proxy));
                let entry = Entry {
                    fat: Aabb::everything(),
                    cell: [0; 3],
                    level: 0,
                    bounded: false,
                    moved: first || !known,
                };
                n_changed += usize::from(entry.moved);
                put(&mut self.entries, i, entry);
                put(&mut self.unbounded, n_unbounded, (i as u32, *proxy));
                n_unbounded += 1;
            }
        }
        self.unbounded.truncate(n_unbounded);
        n_changed
    }

    fn entry(&self, aabb: &Aabb) -> Entry {
        let size = 2.0 * aabb.half_extents().max();
        let fat = aabb.grown(self.slack * size);
        let wide = 2.0 * fat.half_extents().max();
        let level = (wide.max(1e-300).log2().ceil() as i32).clamp(LOWEST_LEVEL, HIGHEST_LEVEL);
        let cells_per_meter = f64::from(-level).exp2();
        let center = fat.center();
        Entry {
            fat,
            cell: [0, 1, 2].map(|k| cell_of(center[k], cells_per_meter)),
            level: (level - LOWEST_LEVEL) as u8,
            bounded: true,
            moved: true,
        }
    }

    /// Half-spaces and other unbounded bodies against everyone for whom `worth(moved, moved)` holds.
    fn search_unbounded(
        &mut self,
        accept: &impl Fn(usize, usize) -> bool,
        worth: impl Fn(bool, bool) -> bool,
    ) {
        for &(i, proxy) in &self.unbounded {
            if self.fresh.is_full() {
                return;
            }
            let moved = self.entries[i as usize].moved;
            for (j, other) in self.entries.iter().enumerate() {
                let seen = !other.bounded && j as u32 <= i;
                if seen || !worth(moved, other.moved) {
                    continue;
                }
                let near = match &proxy {
                    Proxy::HalfSpace { normal, offset } if other.bounded => {
                        let lowest = normal.dot(&other.fat.center().coords)
                            - normal.abs().dot(&other.fat.half_extents());
                        lowest <= *offset
                    }
                    _ => true,
                };
                if near {
                    self.fresh.push(i, j as u32, accept);
                }
            }
        }
    }
}

/// Replaces element i or appends it.
fn put<T>(list: &mut Vec<T>, i: usize, value: T) {
    if i < list.len() {
        list[i] = value;
    } else {
        list.push(value);
    }
}
