//! A body-centred cubic lattice: corners and middles of cubes.
//!
//! Points are named by twice their coordinates in cubes: all three even at corners, all odd in middles.
//! Long edges, of one side of a cube, join neighbours of the same kind; short ones, √3/2 of it, a
//! middle and the corners around it. A tetrahedron has a long edge of each kind, opposite to each other.

use nalgebra::Vector3;

use crate::mesh::boxes::{check_length, every};
use crate::mesh::{Bounds, MOST_CELLS, MeshError};

/// Twice the coordinates of a point of the lattice.
pub(super) type Site = [i32; 3];

/// Steps from a point to the ends of its long edges.
pub(super) const LONG: [Site; 6] = [
    [-2, 0, 0],
    [2, 0, 0],
    [0, -2, 0],
    [0, 2, 0],
    [0, 0, -2],
    [0, 0, 2],
];
/// Steps from a point to the ends of its short edges.
pub(super) const SHORT: [Site; 8] = [
    [-1, -1, -1],
    [1, -1, -1],
    [-1, 1, -1],
    [1, 1, -1],
    [-1, -1, 1],
    [1, -1, 1],
    [-1, 1, 1],
    [1, 1, 1],
];

/// A lattice of so many cubes, which are larger by one all around than the box it was laid over.
pub(super) struct Lattice {
    cubes: [usize; 3],
    origin: Vector3<f64>,
    size: f64,
}

impl Lattice {
    pub(super) fn around(bounds: &Bounds, size: f64) -> Result<Self, MeshError> {
        check_length("the size of a cell", size)?;
        let sides = bounds.sides();
        for (what, side) in [
            "the side of the box along x",
            "the side of the box along y",
            "the side of the box along z",
        ]
        .into_iter()
        .zip(sides.iter())
        {
            check_length(what, *side)?;
        }
        let centre = bounds.centre();
        if let Some(value) = centre.iter().find(|value| !value.is_finite()) {
            let (what, value) = ("a coordinate of the middle of the box", *value);
            return Err(MeshError::BadLength { what, value });
        }
        let counts = sides.map(|side| (side / size).ceil() + 2.0);
        let cells = counts.product();
        if !(cells <= MOST_CELLS as f64) {
            return Err(MeshError::TooManyCells { size, cells });
        }
        Ok(Self {
            cubes: [counts.x as usize, counts.y as usize, counts.z as usize],
            origin: centre - 0.5 * size * counts,
            size,
        })
    }

    pub(super) fn len(&self) -> usize {
        let [nx, ny, nz] = self.cubes;
        (nx + 1) * (ny + 1) * (nz + 1) + nx * ny * nz
    }

    /// All points, corners first, each at the place of its [`number`](Self::number).
    pub(super) fn sites(&self) -> impl Iterator<Item = Site> + '_ {
        let corners = every(self.cubes.map(|count| count + 1));
        let even = corners.map(|at| at.map(|index| 2 * index as i32));
        let odd = every(self.cubes).map(|at| at.map(|index| 2 * index as i32 + 1));
        even.chain(odd)
    }

    /// Number of a point, if it is one of these.
    pub(super) fn number(&self, site: Site) -> Option<u32> {
        let is_odd = site[0] & 1 == 1;
        let mut counts = self.cubes;
        if !is_odd {
            counts = counts.map(|count| count + 1);
        }
        let mut at = [0; 3];
        for axis in 0..3 {
            at[axis] = usize::try_from(site[axis].div_euclid(2)).ok()?;
            if at[axis] >= counts[axis] {
                return None;
            }
        }
        let first = match is_odd {
            true => self.cubes.iter().map(|count| count + 1).product(),
            false => 0,
        };
        let [nx, ny, _] = counts;
        u32::try_from(first + at[0] + nx * (at[1] + ny * at[2])).ok()
    }

    pub(super) fn place(&self, site: Site) -> Vector3<f64> {
        self.origin + Vector3::from(site.map(f64::from)) * (0.5 * self.size)
    }

    /// Whether the point has fewer neighbours than those within.
    pub(super) fn is_outermost(&self, site: Site) -> bool {
        (0..3).any(|axis| site[axis] <= 1 || site[axis] >= 2 * self.cubes[axis] as i32 - 1)
    }

    /// Tetrahedra (m, n, a, b) of positive volume: middles m, n of two cubes and an edge from a to b of
    /// their common face.
    pub(super) fn tets(&self) -> impl Iterator<Item = [Site; 4]> + '_ {
        every(self.cubes).flat_map(move |at| {
            let middle = at.map(|index| 2 * index as i32 + 1);
            let axes = (0..3).filter(move |&axis| at[axis] + 1 < self.cubes[axis]);
            axes.flat_map(move |axis| {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut next = middle;
                next[axis] += 2;
                // Around the axis, counter-clockwise seen from its tip.
                let corner = move |[du, dv]: [i32; 2]| {
                    let mut site = middle;
                    site[axis] += 1;
                    site[u] += du;
                    site[v] += dv;
                    site
                };
                const AROUND: [[i32; 2]; 4] = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
                (0..4).map(move |edge| {
                    [
                        middle,
                        next,
                        corner(AROUND[edge]),
                        corner(AROUND[(edge + 1) % 4]),
                    ]
                })
            })
        })
    }
}

/// Whether an edge joins two of the same kind.
pub(super) fn is_long(a: Site, b: Site) -> bool {
    (a[0] ^ b[0]) & 1 == 0
}
