//! The passes of the reduction over all contacts, in vector registers.

use crate::lanes::Kernel;

/// Contacts go through the registers by so many. Arrays are filled up to a multiple with copies of
/// their last entry, which change neither the largest value nor where it is first.
pub(super) const LANES: usize = 8;

type Lanes = [f32; LANES];

/// Fills up to whole lanes.
pub(super) fn fill_up(values: &mut Vec<f32>) {
    if let Some(&last) = values.last() {
        values.resize(values.len().next_multiple_of(LANES), last);
    }
}

/// Positions and normals, by coordinate and in whole lanes.
#[derive(Clone, Copy)]
pub(super) struct Contacts<'a> {
    pub(super) arm: [&'a [f32]; 3],
    pub(super) normal: [&'a [f32]; 3],
}

impl<'a> Contacts<'a> {
    #[inline(always)]
    fn lanes(self) -> [&'a [Lanes]; 6] {
        let ([px, py, pz], [nx, ny, nz]) = (self.arm, self.normal);
        [px, py, pz, nx, ny, nz].map(|values| values.as_chunks().0)
    }
}

/// Power of the contacts, per unit of normal force, against a motion (velocity, then angular velocity
/// in units of half the reach) and against its opposite; returns where each is largest.
pub(super) struct Strongest<'a> {
    pub(super) contacts: Contacts<'a>,
    pub(super) motion: &'a [f32; 6],
    pub(super) friction: f32,
    pub(super) power: &'a mut [f32],
    pub(super) opposite: &'a mut [f32],
}

impl Kernel for Strongest<'_> {
    type Output = [usize; 2];

    #[inline(always)]
    fn run(self) -> [usize; 2] {
        let [px, py, pz, nx, ny, nz] = self.contacts.lanes();
        let friction = self.friction;
        let [vx, vy, vz, wx, wy, wz] = *self.motion;
        let [wx, wy, wz] = [wx, wy, wz].map(|w| 2.0 * w);
        let n = px.len();
        let [py, pz, nx, ny, nz] = [py, pz, nx, ny, nz].map(|values| &values[..n]);
        let power = &mut self.power.as_chunks_mut::<LANES>().0[..n];
        let opposite = &mut self.opposite.as_chunks_mut::<LANES>().0[..n];
        let mut tops = [[f32::NEG_INFINITY; LANES]; 2];
        for j in 0..n {
            let (mut with, mut against) = ([0.0; LANES], [0.0; LANES]);
            for k in 0..LANES {
                let (x, y, z) = (px[j][k], py[j][k], pz[j][k]);
                let mx = vx + wy * z - wz * y;
                let my = vy + wz * x - wx * z;
                let mz = vz + wx * y - wy * x;
                let along = mx * nx[j][k] + my * ny[j][k] + mz * nz[j][k];
                let across = mx * mx + my * my + mz * mz - along * along;
                let slip = friction * (if across > 0.0 { across } else { 0.0 }).sqrt();
                with[k] = slip + along;
                against[k] = slip - along;
            }
            power[j] = with;
            opposite[j] = against;
            raise(&mut tops[0], &with);
            raise(&mut tops[1], &against);
        }
        [
            first_of(power, highest(&tops[0])),
            first_of(opposite, highest(&tops[1])),
        ]
    }
}

/// Lowers the squared distances to the nearest kept contact by those to contact `kept`.
pub(super) struct Approach<'a> {
    pub(super) contacts: Contacts<'a>,
    pub(super) kept: usize,
    pub(super) distance: &'a mut [f32],
}

impl Kernel for Approach<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let all = self.contacts.lanes();
        let at = (self.kept / LANES, self.kept % LANES);
        let [ax, ay, az, bx, by, bz] = all.map(|values| values[at.0][at.1]);
        let [px, py, pz, nx, ny, nz] = all;
        let n = px.len();
        let [py, pz, nx, ny, nz] = [py, pz, nx, ny, nz].map(|values| &values[..n]);
        let distance = &mut self.distance.as_chunks_mut::<LANES>().0[..n];
        let square = |x: f32| x * x;
        for j in 0..n {
            for k in 0..LANES {
                let apart = square(px[j][k] - ax) + square(py[j][k] - ay) + square(pz[j][k] - az);
                let turned = square(nx[j][k] - bx) + square(ny[j][k] - by) + square(nz[j][k] - bz);
                let both = apart + 0.25 * turned;
                let d = &mut distance[j][k];
                *d = if both < *d { both } else { *d };
            }
        }
    }
}

/// Where the values are first largest.
pub(super) struct Largest<'a>(pub(super) &'a [f32]);

impl Kernel for Largest<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let values = self.0.as_chunks().0;
        let mut tops = [f32::NEG_INFINITY; LANES];
        for lanes in values {
            raise(&mut tops, lanes);
        }
        first_of(values, highest(&tops))
    }
}

#[inline(always)]
fn raise(tops: &mut Lanes, values: &Lanes) {
    for k in 0..LANES {
        tops[k] = if values[k] > tops[k] {
            values[k]
        } else {
            tops[k]
        };
    }
}

#[inline(always)]
fn highest(tops: &Lanes) -> f32 {
    tops.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Where `value` is first; 0 if it is nowhere.
#[inline(always)]
fn first_of(values: &[Lanes], value: f32) -> usize {
    for (j, lanes) in values.iter().enumerate() {
        let mut is_here = false;
        for k in 0..LANES {
            is_here |= lanes[k] == value;
        }
        if is_here {
            let lane = lanes.iter().position(|&v| v == value);
            return j * LANES + lane.unwrap_or(0);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::vectorized;

    #[test]
    fn the_first_of_the_largest_is_found_whatever_fills_up() {
        for n in 1..40 {
            for top in 0..n {
                let mut values: Vec<f32> = (0..n).map(|k| ((7 * k) % 5) as f32).collect();
                values[top] = 9.0;
                let again = (top + 3).min(n - 1);
                values[again] = 9.0;
                fill_up(&mut values);
                assert_eq!(values.len() % LANES, 0);
                assert_eq!(vectorized(Largest(&values)), top);
                assert_eq!(Largest(&values).run(), top);
            }
        }
    }

    #[test]
    fn wide_registers_do_not_change_a_bit() {
        let wave = |a: f32| {
            let mut values: Vec<f32> = (0..45).map(|k| (a * k as f32).sin()).collect();
            fill_up(&mut values);
            values
        };
        let all = [0.3, 0.7, 1.1, 1.9, 2.3, 2.9].map(wave);
        let contacts = Contacts {
            arm: [&all[0], &all[1], &all[2]],
            normal: [&all[3], &all[4], &all[5]],
        };
        let run = |wide: bool| {
            let (mut power, mut opposite) = (wave(0.0), wave(0.0));
            let strongest = Strongest {
                contacts,
                motion: &[1.0, -0.5, 0.0, 0.25, 1.0, -1.0],
                friction: 0.3,
                power: &mut power,
                opposite: &mut opposite,
            };
            let top = if wide {
                vectorized(strongest)
            } else {
                strongest.run()
            };
            (top, power, opposite)
        };
        assert_eq!(run(true), run(false));
    }
}
