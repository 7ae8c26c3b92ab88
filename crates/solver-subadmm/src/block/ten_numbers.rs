//! Body matrices as the ten numbers of an inertia, [AL, App. A]: a contact at p with a penalty β looks like a point
//! mass β at p, so that Σ β JᵀJ keeps the form of M_b where every row on a body is one of a whole contact.

use crate::lanes::rows_of;
use crate::layout::{BlockLayout, Layout};
use crate::sweep::Spatial;

use super::body_matrices::{BodyMatrices, SpatialMatrix};

/// Largest part of a matrix that may be of another form, as a share of it: rounding.
const OTHER: f64 = 1e-12;

/// Mass, first moment (x, y, z), and the rotational inertia (xx, yy, zz, xy, xz, yz), about the tree's reference point;
/// padded to the shape of vector registers.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct TenNumbers([f64; 12]);

impl TenNumbers {
    /// The ten numbers of a matrix of this form.
    fn of(matrix: &SpatialMatrix) -> Option<Self> {
        let at = |row: usize, column: usize| matrix[column].0[row];
        let (m, h) = (at(0, 0), [at(5, 1), at(3, 2), at(4, 0)]);
        let out = Self([
            m,
            h[0],
            h[1],
            h[2],
            at(3, 3),
            at(4, 4),
            at(5, 5),
            at(3, 4),
            at(3, 5),
            at(4, 5),
            0.0,
            0.0,
        ]);
        let size = matrix
            .iter()
            .flat_map(|column| column.0)
            .fold(0.0, |a: f64, b| a.max(b.abs()));
        for column in 0..6 {
            let mut unit = Spatial::ZERO;
            unit.0[column] = 1.0;
            let product = out.mul(&unit);
            for row in 0..6 {
                // Also refuses NaN.
                if !((product.0[row] - at(row, column)).abs() <= OTHER * size) {
                    return None;
                }
            }
        }
        Some(out)
    }

    /// A point mass at p.
    #[inline(always)]
    fn point(mass: f64, p: [f64; 3]) -> Self {
        let [x, y, z] = p;
        Self([
            mass,
            mass * x,
            mass * y,
            mass * z,
            mass * (y * y + z * z),
            mass * (x * x + z * z),
            mass * (x * x + y * y),
            -mass * x * y,
            -mass * x * z,
            -mass * y * z,
            0.0,
            0.0,
        ])
    }

    #[inline(always)]
    pub(super) fn add_scaled(&mut self, scale: f64, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own += scale * other;
        }
    }

    /// The momentum of a velocity: linear, then angular part.
    #[inline(always)]
    pub(super) fn mul(&self, velocity: &Spatial) -> Spatial {
        let [m, hx, hy, hz, xx, yy, zz, xy, xz, yz, ..] = self.0;
        let [vx, vy, vz, wx, wy, wz, ..] = velocity.0;
        let mut out = Spatial::ZERO;
        out.0[0] = m * vx + wy * hz - wz * hy;
        out.0[1] = m * vy + wz * hx - wx * hz;
        out.0[2] = m * vz + wx * hy - wy * hx;
        out.0[3] = hy * vz - hz * vy + xx * wx + xy * wy + xz * wz;
        out.0[4] = hz * vx - hx * vz + xy * wx + yy * wy + yz * wz;
        out.0[5] = hx * vy - hy * vx + xz * wx + yz * wy + zz * wz;
        out
    }
}

/// H_b of all bodies of a tree, base and weighted part apart.
#[derive(Debug, Default)]
pub(crate) struct TenMatrices {
    base: Vec<TenNumbers>,
    weighted: Vec<TenNumbers>,
}

impl TenMatrices {
    /// Computes base and Σ Jᵀ β₀ J; `false` where something has another form.
    pub(super) fn weigh(
        &mut self,
        matrices: &BodyMatrices,
        (layout, block): (&Layout, &BlockLayout),
        penalty: &[f64],
    ) -> bool {
        self.base.clear();
        for matrix in matrices.base() {
            let Some(ten) = TenNumbers::of(matrix) else {
                return false;
            };
            self.base.push(ten);
        }
        self.weighted.clear();
        self.weighted.resize(self.base.len(), TenNumbers::default());
        for slot in block.on_bodies() {
            let Some(p) = point_of(&rows_of(layout.body_columns(block, slot))) else {
                return false;
            };
            let body = layout.slots[slot].body;
            self.weighted[body].add_scaled(1.0, &TenNumbers::point(penalty[slot], p));
        }
        true
    }

    /// H_b with the weighted part scaled.
    #[inline(always)]
    pub(super) fn body(&self, body: usize, scale: f64) -> TenNumbers {
        let mut out = self.base[body];
        out.add_scaled(scale, &self.weighted[body]);
        out
    }
}

/// The point of three rows (n_k, p × n_k) with orthonormal n_k.
fn point_of(rows: &[[f64; 6]; 3]) -> Option<[f64; 3]> {
    let cross = |a: &[f64], b: &[f64]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    // Σ n × (p × n) = 2 p.
    let mut p = [0.0; 3];
    for row in rows {
        let part = cross(&row[..3], &row[3..]);
        for (p, part) in p.iter_mut().zip(part) {
            *p += 0.5 * part;
        }
    }
    let size = 1.0 + p.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    for (index, row) in rows.iter().enumerate() {
        for (other_index, other) in rows.iter().enumerate() {
            let product: f64 = (0..3).map(|axis| row[axis] * other[axis]).sum();
            let wanted = f64::from(u8::from(index == other_index));
            if !((product - wanted).abs() <= 1e3 * OTHER) {
                return None;
            }
        }
        let turn = cross(&p, &row[..3]);
        for (turn, own) in turn.iter().zip(&row[3..]) {
            if !((turn - own).abs() <= 1e3 * OTHER * size) {
                return None;
            }
        }
    }
    Some(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_a_point_mass_and_other_rows_are_none() {
        let (p, n) = (
            [0.3, -0.2, 0.5],
            [[0.0, 0.6, 0.8], [1.0, 0.0, 0.0], [0.0, 0.8, -0.6]],
        );
        let row = |n: [f64; 3]| {
            [
                n[0],
                n[1],
                n[2],
                p[1] * n[2] - p[2] * n[1],
                p[2] * n[0] - p[0] * n[2],
                p[0] * n[1] - p[1] * n[0],
            ]
        };
        let rows = n.map(row);
        let found = point_of(&rows).unwrap();
        assert!(found.iter().zip(p).all(|(a, b)| (a - b).abs() < 1e-14));
        let mut matrix = [Spatial::ZERO; 6];
        for row in &rows {
            for (column, &value) in matrix.iter_mut().zip(row) {
                column.add_scaled(2.0 * value, &Spatial::new(row));
            }
        }
        let ten = TenNumbers::of(&matrix).unwrap();
        let same = TenNumbers::point(2.0, p);
        assert!(
            ten.0
                .iter()
                .zip(&same.0)
                .all(|(a, b)| (a - b).abs() < 1e-14)
        );
        matrix[0].0[0] += 0.1;
        assert!(TenNumbers::of(&matrix).is_none());
        assert!(point_of(&[rows[0], rows[1], [0.0; 6]]).is_none());
    }
}
