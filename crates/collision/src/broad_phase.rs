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

use crate::aabb::Aabb;

/// One body for the broad phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Proxy {
    /// A bounded shape's box.
    Box(Aabb),
    /// The half-space normal·x ≤ offset (unit normal): near everything that reaches it.
    HalfSpace {
        /// Unit outward normal.
        normal: nalgebra::Vector3<f64>,
        /// Offset along the normal, m.
        offset: f64,
    },
    /// Unbounded in some other way: near everything.
    Everywhere,
}

/// Cells of one level are 2^level m wide.
const LOWEST_LEVEL: i32 = -20;
const HIGHEST_LEVEL: i32 = 20;
const N_LEVELS: usize = (HIGHEST_LEVEL - LOWEST_LEVEL + 1) as usize;

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

/// The grid of one level, wrapped round to powers of two.
#[derive(Debug, Clone, Copy, Default)]
struct Grid {
    count: u32,
    any_moved: bool,
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
    fn include(&mut self, cell: [i32; 3], moved: bool) {
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
    fn lay_out(&mut self, first: usize) -> usize {
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
    fn row(&self, y: i32, z: i32) -> (usize, usize) {
        let wrap = |c: i32, k: usize| c as usize & ((1 << self.bits[k]) - 1);
        let row = (wrap(z, 2) << self.bits[1]) | wrap(y, 1);
        (self.first + (row << self.bits[0]), (1 << self.bits[0]) - 1)
    }

    fn index(&self, cell: [i32; 3]) -> usize {
        let (row, mask) = self.row(cell[1], cell[2]);
        row + (cell[0] as usize & mask)
    }
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
    fresh: Vec<(u32, u32)>,
    grids: [Grid; N_LEVELS],
    /// Start of each cell in `members`, one more than cells.
    starts: Vec<u32>,
    members: Vec<Member>,
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
            fresh: Vec::new(),
            grids: [Grid::default(); N_LEVELS],
            starts: Vec::new(),
            members: Vec::new(),
            sorter: PairSorter::default(),
            moved: Vec::new(),
            n_moved: 0,
        }
    }

    /// Takes new boxes (all of them, in the same order every time) and returns the pairs (i, j),
    /// i < j, sorted, whose fat boxes overlap. `accept` filters pairs; it must answer the same every
    /// time for the same pair until [`clear`](Self::clear).
    pub fn update(
        &mut self,
        proxies: &[Proxy],
        accept: impl Fn(usize, usize) -> bool,
    ) -> &[(u32, u32)] {
        if proxies.len() != self.entries.len() {
            self.clear();
        }
        let n_changed = self.take(proxies);
        if n_changed == 0 {
            return &self.pairs;
        }
        std::mem::swap(&mut self.pairs, &mut self.last_pairs);
        self.fresh.clear();
        if self.n_moved > 0 {
            self.build_grids();
        }
        // where most have moved it is cheaper to find all pairs anew, each from one side
        if 3 * self.n_moved > self.entries.len() {
            self.last_pairs.clear();
            self.search_all(&accept);
            self.search_unbounded(&accept, |_, _| true);
        } else {
            self.moved.clear();
            self.moved.extend(self.entries.iter().map(|e| e.moved));
            let moved = &self.moved;
            self.last_pairs
                .retain(|&(i, j)| !(moved[i as usize] || moved[j as usize]));
            if self.n_moved > 0 {
                self.search_moved(&accept);
            }
            self.search_unbounded(&accept, |a, b| a || b);
        }
        self.sorter.sort(self.entries.len(), &mut self.fresh);
        merge(&self.last_pairs, &self.fresh, &mut self.pairs);
        &self.pairs
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

    /// Counting sort of all bounded boxes by cell.
    fn build_grids(&mut self) {
        self.grids = [Grid::default(); N_LEVELS];
        for e in self.entries.iter().filter(|e| e.bounded) {
            self.grids[e.level as usize].include(e.cell, e.moved);
        }
        let mut n_cells = 0;
        for grid in self.grids.iter_mut().filter(|g| g.count > 0) {
            n_cells = grid.lay_out(n_cells);
        }
        self.starts.clear();
        self.starts.resize(n_cells + 1, 0);
        let mut n_members = 0;
        for e in self.entries.iter().filter(|e| e.bounded) {
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
        for (i, e) in self.entries.iter().enumerate().rev() {
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
    fn search_all(&mut self, accept: &impl Fn(usize, usize) -> bool) {
        let mut fresh = std::mem::take(&mut self.fresh);
        for (k, me) in self.members.iter().enumerate() {
            let grid = &self.grids[me.level as usize];
            let [x, y, z] = me.cell;
            let mut test = |others: &[Member]| {
                for other in others {
                    if me.fat.overlaps(&other.fat) {
                        push(me.body, other.body, accept, &mut fresh);
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
        self.fresh = fresh;
    }

    /// Pairs of bounded boxes of which at least one moved.
    fn search_moved(&mut self, accept: &impl Fn(usize, usize) -> bool) {
        let mut fresh = std::mem::take(&mut self.fresh);
        for me in &self.members {
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
                            push(me.body, other.body, accept, &mut fresh);
                        }
                    }
                });
            }
        }
        self.fresh = fresh;
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

    /// Half-spaces and other unbounded bodies against everyone for whom `worth(moved, moved)` holds.
    fn search_unbounded(
        &mut self,
        accept: &impl Fn(usize, usize) -> bool,
        worth: impl Fn(bool, bool) -> bool,
    ) {
        for &(i, proxy) in &self.unbounded {
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
                    push(i, j as u32, accept, &mut self.fresh);
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

fn push(i: u32, j: u32, accept: &impl Fn(usize, usize) -> bool, fresh: &mut Vec<(u32, u32)>) {
    let (a, b) = (i.min(j), i.max(j));
    if accept(a as usize, b as usize) {
        fresh.push((a, b));
    }
}

/// Index of the cell that holds x, kept where neighbours of a cell still have an index.
fn cell_of(x: f64, cells_per_meter: f64) -> i32 {
    const FAR: f64 = 1e9;
    (x * cells_per_meter).floor().clamp(-FAR, FAR) as i32
}

/// Merges two sorted lists.
fn merge(a: &[(u32, u32)], b: &[(u32, u32)], out: &mut Vec<(u32, u32)>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] <= b[j] {
            out.push(a[i]);
            i += 1;
        } else {
            out.push(b[j]);
            j += 1;
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
}

/// Sorts pairs in linear time: by counting over the first body, the few of each then among themselves.
#[derive(Debug, Clone, Default)]
struct PairSorter {
    starts: Vec<u32>,
    seconds: Vec<u32>,
}

impl PairSorter {
    fn sort(&mut self, n_bodies: usize, pairs: &mut [(u32, u32)]) {
        self.starts.clear();
        self.starts.resize(n_bodies + 1, 0);
        for &(i, _) in pairs.iter() {
            self.starts[i as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.seconds.clear();
        self.seconds.resize(pairs.len(), 0);
        for &(i, j) in pairs.iter() {
            let start = &mut self.starts[i as usize];
            *start -= 1;
            self.seconds[*start as usize] = j;
        }
        for i in 0..n_bodies {
            let (from, to) = (self.starts[i] as usize, self.starts[i + 1] as usize);
            self.seconds[from..to].sort_unstable();
            for k in from..to {
                pairs[k] = (i as u32, self.seconds[k]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Point3, Vector3};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn brute_force(broad: &BroadPhase) -> Vec<(u32, u32)> {
        let n = broad.entries.len();
        let mut pairs = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                if broad.entries[i].fat.overlaps(&broad.entries[j].fat) {
                    pairs.push((i as u32, j as u32));
                }
            }
        }
        pairs
    }

    #[test]
    fn pairs_are_those_of_brute_force_over_many_steps() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let n = 300;
        let mut centers: Vec<Point3<f64>> = (0..n)
            .map(|_| Point3::from(Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0))))
            .collect();
        // sizes over three decades, so that many levels meet
        let sizes: Vec<f64> = (0..n)
            .map(|_| 10.0_f64.powf(rng.random_range(-2.5..0.0)))
            .collect();
        let mut broad = BroadPhase::new(0.1);
        let mut quiet_steps = 0;
        for step in 0..40 {
            let speed = if step % 3 == 0 { 0.05 } else { 1e-4 };
            let proxies: Vec<Proxy> = centers
                .iter_mut()
                .zip(&sizes)
                .map(|(c, s)| {
                    *c += Vector3::from_fn(|_, _| rng.random_range(-speed..speed));
                    Proxy::Box(Aabb::from_center(*c, Vector3::repeat(*s)))
                })
                .collect();
            let pairs = broad.update(&proxies, |_, _| true).to_vec();
            assert_eq!(pairs, brute_force(&broad), "step {step}");
            quiet_steps += usize::from(broad.n_moved() < n / 2);
        }
        assert!(quiet_steps > 10, "fat boxes should save work");
    }

    #[test]
    fn far_and_huge_and_tiny_boxes_are_found() {
        let ball = |x: f64, r: f64| {
            Proxy::Box(Aabb::from_center(Point3::new(x, -x, x), Vector3::repeat(r)))
        };
        let mut broad = BroadPhase::new(0.1);
        let proxies = [
            ball(1e12, 1e-9),
            ball(1e12, 1.0),
            ball(0.0, 1e13),
            ball(-3e5, 1e-3),
            ball(-3e5, 1e-3),
            ball(7.0, 1e-30),
        ];
        let pairs = broad.update(&proxies, |_, _| true).to_vec();
        assert_eq!(pairs, brute_force(&broad));
        assert_eq!(pairs.len(), 5 + 2);
    }

    #[test]
    fn moving_ground_and_moving_balls_agree_with_a_fresh_start() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut heights: Vec<f64> = (0..50).map(|_| rng.random_range(0.0..2.0)).collect();
        let mut broad = BroadPhase::new(0.1);
        for step in 0..30 {
            for h in &mut heights {
                *h += rng.random_range(-0.02..0.02);
            }
            let mut proxies: Vec<Proxy> = heights
                .iter()
                .map(|h| {
                    Proxy::Box(Aabb::from_center(
                        Point3::new(*h, 0.0, *h),
                        Vector3::repeat(0.1),
                    ))
                })
                .collect();
            proxies.insert(
                7,
                Proxy::HalfSpace {
                    normal: Vector3::z(),
                    offset: 0.5 + 0.1 * f64::from(step / 10),
                },
            );
            proxies.push(Proxy::Everywhere);
            let pairs = broad.update(&proxies, |_, _| true).to_vec();
            // fat boxes depend on when they were made, so compare with their own overlaps
            let expected: Vec<(u32, u32)> = brute_force(&broad)
                .into_iter()
                .filter(|&(i, j)| {
                    let box_of_ground = match (i, j) {
                        (_, 51) => return true,
                        (7, other) | (other, 7) => other,
                        _ => return true,
                    };
                    let Proxy::HalfSpace { offset, .. } = proxies[7] else {
                        return false;
                    };
                    broad.entries[box_of_ground as usize].fat.min.z <= offset + 1e-12
                })
                .collect();
            assert_eq!(pairs, expected, "step {step}");
        }
    }

    #[test]
    fn half_space_meets_only_what_reaches_it() {
        let ball = |z: f64| {
            Proxy::Box(Aabb::from_center(
                Point3::new(0.0, 0.0, z),
                Vector3::repeat(0.5),
            ))
        };
        let ground = Proxy::HalfSpace {
            normal: Vector3::z(),
            offset: 0.0,
        };
        let mut broad = BroadPhase::new(0.0);
        assert_eq!(
            broad.update(&[ball(0.4), ground, ball(3.0)], |_, _| true),
            [(0, 1)]
        );
        assert_eq!(
            broad.update(&[ball(0.4), ground, ball(0.2)], |_, _| true),
            [(0, 1), (0, 2), (1, 2)]
        );
        assert_eq!(
            broad.update(&[ball(0.4), ground, ball(3.0)], |_, _| true),
            [(0, 1)]
        );
        assert!(broad.update(&[], |_, _| true).is_empty());
    }
}
