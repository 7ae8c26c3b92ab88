//! A lattice, where a surface cuts it, and how it gives way.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::lattice::{LONG, Lattice, SHORT, Site, is_long};
use crate::mesh::MeshError;

/// A lattice point gives way to the surface that comes nearer than this share of a long edge, …
///
/// With this pair of shares all angles lie between 10.73° and 164.71°: found by a search over all places
/// that the corners of one tetrahedron and the cuts of its edges may take. (0.24999 and 0.41189, which
/// the paper gives, allow 9.3° with these stencils: a corner on the surface next to two inside and one
/// outside, moved towards one of them.)
const NEAR_ON_LONG: f64 = 0.285;
/// … or of a short one.
const NEAR_ON_SHORT: f64 = 0.3975;
/// A zero is sought to this share of an edge, which moves an angle by no more than rounding does.
const SHARPNESS: f64 = 1e-12;

/// Where a lattice point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    On,
    Outside,
}

/// A lattice and the surface that cuts it.
pub(super) struct CutLattice {
    pub(super) lattice: Lattice,
    sides: Vec<Side>,
    places: Vec<Vector3<f64>>,
    /// Shares of the edges, from the end with the smaller number, at which the surface cuts those that
    /// join inside to outside.
    cuts: HashMap<[u32; 2], f64>,
}

impl CutLattice {
    pub(super) fn new(
        lattice: Lattice,
        distance: &impl Fn(&Vector3<f64>) -> f64,
    ) -> Result<Self, MeshError> {
        let places: Vec<_> = lattice.sites().map(|site| lattice.place(site)).collect();
        let mut values = Vec::with_capacity(lattice.len());
        for (site, place) in lattice.sites().zip(&places) {
            let value = number(distance(place), place)?;
            // The lattice reaches beyond the box by a cube, so that nothing is cut off unseen.
            if value <= 0.0 && lattice.is_outermost(site) {
                return Err(MeshError::OutOfBounds { place: *place });
            }
            values.push(value);
        }
        let sides = values.iter().map(|&value| side(value)).collect();
        let mut cut = Self {
            lattice,
            sides,
            places,
            cuts: HashMap::new(),
        };
        cut.find_cuts(&values, distance)?;
        Ok(cut)
    }

    fn find_cuts(
        &mut self,
        values: &[f64],
        distance: &impl Fn(&Vector3<f64>) -> f64,
    ) -> Result<(), MeshError> {
        for (a, site) in self.lattice.sites().enumerate() {
            for step in LONG.iter().chain(&SHORT) {
                let Some(b) = self.lattice.number(moved(site, *step)) else {
                    continue;
                };
                let b = b as usize;
                if b <= a || !opposite(self.sides[a], self.sides[b]) {
                    continue;
                }
                let ends = [self.places[a], self.places[b]];
                let share = zero(ends, [values[a], values[b]], distance)?;
                self.cuts.insert([a as u32, b as u32], share);
            }
        }
        Ok(())
    }

    /// Moves points that the surface comes too near to onto it: to the nearest of the cuts at fault, which
    /// leaves their edges uncut.
    pub(super) fn warp(&mut self) {
        let sites: Vec<Site> = self.lattice.sites().collect();
        for (a, &site) in sites.iter().enumerate() {
            let mut nearest: Option<(f64, Vector3<f64>)> = None;
            for step in LONG.iter().chain(&SHORT) {
                let Some(b) = self.lattice.number(moved(site, *step)) else {
                    continue;
                };
                let Some((share, place)) = self.cut_from(a as u32, b) else {
                    continue;
                };
                let is_long = is_long(site, moved(site, *step));
                let near = if is_long { NEAR_ON_LONG } else { NEAR_ON_SHORT };
                let length = if is_long { 1.0 } else { 0.75_f64.sqrt() };
                if share < near && nearest.is_none_or(|(least, _)| share * length < least) {
                    nearest = Some((share * length, place));
                }
            }
            if let Some((_, place)) = nearest {
                self.places[a] = place;
                self.sides[a] = Side::On;
            }
        }
    }

    pub(super) fn side(&self, number: u32) -> Side {
        self.sides[number as usize]
    }

    pub(super) fn place(&self, number: u32) -> Vector3<f64> {
        self.places[number as usize]
    }

    /// Where the surface cuts the edge from `a` to `b`, as a share of it and as a place, while neither end
    /// lies on it.
    pub(super) fn cut_from(&self, a: u32, b: u32) -> Option<(f64, Vector3<f64>)> {
        if !opposite(self.side(a), self.side(b)) {
            return None;
        }
        let [low, high] = [a.min(b), a.max(b)];
        let share = *self.cuts.get(&[low, high])?;
        // Always reckoned from the same end, so that both sides of a face get the same bits.
        let place = self.place(low).lerp(&self.place(high), share);
        Some((if a == low { share } else { 1.0 - share }, place))
    }
}

fn moved(site: Site, step: Site) -> Site {
    [site[0] + step[0], site[1] + step[1], site[2] + step[2]]
}

fn side(value: f64) -> Side {
    match value {
        value if value < 0.0 => Side::Inside,
        value if value > 0.0 => Side::Outside,
        _ => Side::On,
    }
}

fn opposite(a: Side, b: Side) -> bool {
    matches!(
        (a, b),
        (Side::Inside, Side::Outside) | (Side::Outside, Side::Inside)
    )
}

fn number(value: f64, place: &Vector3<f64>) -> Result<f64, MeshError> {
    match value.is_nan() {
        true => Err(MeshError::NoDistance { place: *place }),
        false => Ok(value),
    }
}

/// The share of the way from one end to the other at which the distance is zero, its signs at the ends
/// being opposite: false position with the weight of a lasting end halved (Illinois), bisection where
/// this does not halve the interval.
fn zero(
    [a, b]: [Vector3<f64>; 2],
    [mut low_value, mut high_value]: [f64; 2],
    distance: &impl Fn(&Vector3<f64>) -> f64,
) -> Result<f64, MeshError> {
    let (mut low, mut high) = (0.0, 1.0);
    let rises = high_value > 0.0;
    let mut bisect = false;
    while high - low > SHARPNESS {
        let width: f64 = high - low;
        let secant = low + width * (low_value / (low_value - high_value));
        let middle = 0.5 * (low + high);
        // Infinite values have no secant.
        let share = if !bisect && secant > low && secant < high {
            secant
        } else {
            middle
        };
        if share <= low || share >= high {
            break;
        }
        let place = a.lerp(&b, share);
        let value = number(distance(&place), &place)?;
        if value == 0.0 {
            return Ok(share);
        }
        if (value > 0.0) == rises {
            (high, high_value) = (share, value);
            low_value *= 0.5;
        } else {
            (low, low_value) = (share, value);
            high_value *= 0.5;
        }
        bisect = high - low > 0.5 * width;
    }
    Ok(0.5 * (low + high))
}
