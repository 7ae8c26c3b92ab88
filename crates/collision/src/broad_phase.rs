//! Broad phase: which bounding boxes overlap, over many bodies, step after step.
//!
//! A hierarchical grid: every box belongs to the level whose cells (side 2^level m) just hold it, and
//! to the one cell its centre is in, found through a hash table rebuilt by counting. A box looks for
//! partners in its own level and in coarser ones only, where it meets at most 27 cells, so the cost is
//! linear in boxes plus pairs whatever the mix of sizes. Boxes are kept fat by a slack: while a body
//! stays within its fat box nothing about it changes, and a step in which nobody leaves costs one
//! comparison per body.

use crate::aabb::Aabb;
use crate::contact::mix;

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

#[derive(Debug, Clone, Copy)]
struct Entry {
    fat: Aabb,
    level: u8,
    cell: [i32; 3],
    moved: bool,
}

/// Finds overlapping boxes and remembers them.
#[derive(Debug, Clone)]
pub struct BroadPhase {
    /// How much larger boxes are kept than they are, as a fraction of their size.
    slack: f64,
    entries: Vec<Entry>,
    unbounded: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    fresh: Vec<(u32, u32)>,
    /// Start of each bucket in `members`, one more than buckets.
    starts: Vec<u32>,
    members: Vec<u32>,
    level_used: [bool; N_LEVELS],
    level_moved: [bool; N_LEVELS],
    n_moved: usize,
}

impl BroadPhase {
    /// Fat boxes are larger by `slack` times their size on every side (0.1 is a fair choice).
    pub fn new(slack: f64) -> Self {
        Self {
            slack: if slack.is_finite() {
                slack.max(0.0)
            } else {
                0.1
            },
            entries: Vec::new(),
            unbounded: Vec::new(),
            pairs: Vec::new(),
            fresh: Vec::new(),
            starts: Vec::new(),
            members: Vec::new(),
            level_used: [false; N_LEVELS],
            level_moved: [false; N_LEVELS],
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
        self.take(proxies);
        if self.n_moved > 0 || !self.unbounded.is_empty() {
            // pairs of what moved are found anew; unbounded bodies always count as moved
            self.pairs.retain(|&(i, j)| {
                !(self.entries[i as usize].moved || self.entries[j as usize].moved)
            });
            self.fresh.clear();
            if self.n_moved > 0 {
                self.build_table();
                self.search(&accept);
            }
            self.search_unbounded(proxies, &accept);
            self.pairs.append(&mut self.fresh);
            self.pairs.sort_unstable();
        }
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

    /// Fattens the boxes that were left, and marks them.
    fn take(&mut self, proxies: &[Proxy]) {
        let first = self.entries.is_empty();
        self.level_used = [false; N_LEVELS];
        self.level_moved = [false; N_LEVELS];
        self.n_moved = 0;
        self.unbounded.clear();
        for (i, proxy) in proxies.iter().enumerate() {
            let aabb = match proxy {
                Proxy::Box(aabb) if aabb.is_finite() => *aabb,
                _ => Aabb::everything(),
            };
            let kept = !first && aabb.is_finite() && self.entries[i].fat.contains(&aabb);
            if kept {
                self.entries[i].moved = false;
            } else {
                let entry = self.entry(&aabb);
                if first {
                    self.entries.push(entry);
                } else {
                    self.entries[i] = entry;
                }
                self.n_moved += usize::from(aabb.is_finite());
            }
            if aabb.is_finite() {
                let entry = &self.entries[i];
                self.level_used[entry.level as usize] = true;
                self.level_moved[entry.level as usize] |= entry.moved;
            } else {
                self.unbounded.push(i as u32);
            }
        }
    }

    fn entry(&self, aabb: &Aabb) -> Entry {
        if !aabb.is_finite() {
            return Entry {
                fat: *aabb,
                level: 0,
                cell: [0; 3],
                moved: true,
            };
        }
        let size = 2.0 * aabb.half_extents().max();
        let fat = aabb.grown(self.slack * size);
        let wide = 2.0 * fat.half_extents().max();
        let level = (wide.max(1e-300).log2().ceil() as i32).clamp(LOWEST_LEVEL, HIGHEST_LEVEL);
        let width = (f64::from(level)).exp2();
        let center = fat.center();
        Entry {
            fat,
            level: (level - LOWEST_LEVEL) as u8,
            cell: [0, 1, 2].map(|k| cell_of(center[k], width)),
            moved: true,
        }
    }

    fn bucket(&self, level: u8, cell: [i32; 3]) -> usize {
        let low = u64::from(cell[0] as u32) | u64::from(cell[1] as u32) << 32;
        let hash = mix(low, u64::from(cell[2] as u32) | u64::from(level) << 32);
        hash as usize & (self.starts.len() - 2)
    }

    /// Counting sort of all bounded boxes by bucket.
    fn build_table(&mut self) {
        let n = self.entries.len();
        let buckets = (2 * n).next_power_of_two().max(16);
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        self.members.clear();
        self.members.resize(n, 0);
        for entry in self.entries.iter().filter(|e| e.fat.is_finite()) {
            let b = self.bucket(entry.level, entry.cell);
            self.starts[b + 1] += 1;
        }
        for b in 0..buckets {
            self.starts[b + 1] += self.starts[b];
        }
        // fill from the back so that starts end up where they began
        for i in (0..n).rev() {
            if self.entries[i].fat.is_finite() {
                let b = self.bucket(self.entries[i].level, self.entries[i].cell) + 1;
                self.starts[b] -= 1;
                self.members[self.starts[b] as usize] = i as u32;
            }
        }
        // starts[b + 1] is now the start of bucket b: shift back
        self.starts.remove(0);
        let filled = self.entries.iter().filter(|e| e.fat.is_finite()).count();
        self.starts.push(filled as u32);
    }

    /// New pairs among bounded boxes: every box looks in its own level and coarser ones.
    fn search(&mut self, accept: &impl Fn(usize, usize) -> bool) {
        let mut fresh = std::mem::take(&mut self.fresh);
        for i in 0..self.entries.len() {
            let me = self.entries[i];
            if !me.fat.is_finite() {
                continue;
            }
            for level in me.level..N_LEVELS as u8 {
                // who has not moved looks only for coarser boxes that have
                let worth = if me.moved {
                    self.level_used[level as usize]
                } else {
                    level > me.level && self.level_moved[level as usize]
                };
                if worth {
                    self.search_level(i, level, accept, &mut fresh);
                }
            }
        }
        self.fresh = fresh;
    }

    fn search_level(
        &self,
        i: usize,
        level: u8,
        accept: &impl Fn(usize, usize) -> bool,
        fresh: &mut Vec<(u32, u32)>,
    ) {
        let me = &self.entries[i];
        let width = f64::from(i32::from(level) + LOWEST_LEVEL).exp2();
        // centres of overlapping boxes are at most half a cell outside mine
        let low = [0, 1, 2].map(|k| cell_of(me.fat.min[k] - 0.5 * width, width));
        let high = [0, 1, 2].map(|k| cell_of(me.fat.max[k] + 0.5 * width, width));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let b = self.bucket(level, [x, y, z]);
                    let range = self.starts[b] as usize..self.starts[b + 1] as usize;
                    for &j in &self.members[range] {
                        let other = &self.entries[j as usize];
                        if other.level != level || other.cell != [x, y, z] || j as usize == i {
                            continue;
                        }
                        // within a level a pair of two moved boxes is seen from both sides
                        if level == me.level && other.moved && (j as usize) < i {
                            continue;
                        }
                        if (me.moved || other.moved) && me.fat.overlaps(&other.fat) {
                            push(i, j as usize, accept, fresh);
                        }
                    }
                }
            }
        }
    }

    /// Half-spaces and other unbounded bodies against everyone.
    fn search_unbounded(&mut self, proxies: &[Proxy], accept: &impl Fn(usize, usize) -> bool) {
        for u in 0..self.unbounded.len() {
            let i = self.unbounded[u] as usize;
            for j in 0..self.entries.len() {
                let other_unbounded = !self.entries[j].fat.is_finite();
                if j == i || (other_unbounded && j < i) {
                    continue;
                }
                let near = match &proxies[i] {
                    Proxy::HalfSpace { normal, offset } if !other_unbounded => {
                        let fat = &self.entries[j].fat;
                        let lowest = normal.dot(&fat.center().coords)
                            - normal.abs().dot(&fat.half_extents());
                        lowest <= *offset
                    }
                    _ => true,
                };
                if near {
                    push(i, j, accept, &mut self.fresh);
                }
            }
        }
    }
}

fn push(i: usize, j: usize, accept: &impl Fn(usize, usize) -> bool, fresh: &mut Vec<(u32, u32)>) {
    let (a, b) = (i.min(j), i.max(j));
    if accept(a, b) {
        fresh.push((a as u32, b as u32));
    }
}

/// Index of the cell of this width that holds x, saturating far out.
fn cell_of(x: f64, width: f64) -> i32 {
    (x / width).floor() as i32
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
