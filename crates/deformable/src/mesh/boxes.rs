//! Boxes filled exactly.

use nalgebra::Vector3;

use super::{MOST_CELLS, MeshError, TetMesh};

/// How the cells of a box become tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pattern {
    /// A node in the middle of each cell, four tetrahedra around each face between two cells, two
    /// between a face outside and the middle: a body-centred cubic lattice. Bends most easily for its
    /// number of nodes.
    #[default]
    BodyCentred,
    /// Five tetrahedra to a cell, mirrored from cell to cell. Has the fewest elements.
    Five,
}

/// Numbers of cells, about this long each, that fill a box of these sides.
///
/// # Errors
/// Lengths that are not positive, more cells than [`MOST_CELLS`].
pub fn cells(sides: &Vector3<f64>, size: f64) -> Result<[usize; 3], MeshError> {
    check_length("the size of a cell", size)?;
    check_sides(sides)?;
    let counts = sides.map(|side| (side / size).round().max(1.0));
    let cells = counts.product();
    if !(cells <= MOST_CELLS as f64) {
        return Err(MeshError::TooManyCells { size, cells });
    }
    Ok([counts.x as usize, counts.y as usize, counts.z as usize])
}

/// A box of these sides, m, around the origin, in so many cells along each axis.
///
/// Nodes are numbered corner by corner, x fastest, then middle by middle.
///
/// # Errors
/// Sides that are not positive, no cells, more of them than [`MOST_CELLS`].
pub fn solid_box(
    sides: &Vector3<f64>,
    cells: [usize; 3],
    pattern: Pattern,
) -> Result<TetMesh, MeshError> {
    check_sides(sides)?;
    if cells.contains(&0) {
        return Err(MeshError::NoCells {
            what: "a number of cells",
        });
    }
    let count: f64 = cells.iter().map(|&count| count as f64).product();
    if !(count <= MOST_CELLS as f64) {
        let size = (sides.product() / count).cbrt();
        return Err(MeshError::TooManyCells { size, cells: count });
    }
    let grid = Grid { cells };
    let mut nodes = grid.corners(sides);
    let tets = match pattern {
        Pattern::Five => grid.five(),
        Pattern::BodyCentred => {
            nodes.extend(grid.middles(sides));
            grid.body_centred()
        }
    };
    TetMesh::new(nodes, tets)
}

/// A thin box of this thickness along z, in so many layers of cells of about this size.
///
/// # Errors
/// As [`solid_box`].
pub fn mat(
    sides: &Vector3<f64>,
    layers: usize,
    size: f64,
    pattern: Pattern,
) -> Result<TetMesh, MeshError> {
    if layers == 0 {
        return Err(MeshError::NoCells {
            what: "the number of layers",
        });
    }
    let [along_x, along_y, _] = cells(&Vector3::new(sides.x, sides.y, size), size)?;
    solid_box(sides, [along_x, along_y, layers], pattern)
}

pub(super) fn check_length(what: &'static str, value: f64) -> Result<(), MeshError> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(MeshError::BadLength { what, value }),
    }
}

fn check_sides(sides: &Vector3<f64>) -> Result<(), MeshError> {
    check_length("the side along x", sides.x)?;
    check_length("the side along y", sides.y)?;
    check_length("the side along z", sides.z)
}

/// Cells of a box and the numbers of their corners and middles.
struct Grid {
    cells: [usize; 3],
}

impl Grid {
    fn corner(&self, [i, j, k]: [usize; 3]) -> u32 {
        let [nx, ny, _] = self.cells;
        (i + (nx + 1) * (j + (ny + 1) * k)) as u32
    }

    fn middle(&self, [i, j, k]: [usize; 3]) -> u32 {
        let [nx, ny, nz] = self.cells;
        let corners = (nx + 1) * (ny + 1) * (nz + 1);
        (corners + i + nx * (j + ny * k)) as u32
    }

    fn corners(&self, sides: &Vector3<f64>) -> Vec<Vector3<f64>> {
        let [nx, ny, nz] = self.cells;
        every([nx + 1, ny + 1, nz + 1])
            .map(|at| self.place(sides, at.map(|index| index as f64)))
            .collect()
    }

    fn middles(&self, sides: &Vector3<f64>) -> Vec<Vector3<f64>> {
        every(self.cells)
            .map(|at| self.place(sides, at.map(|index| index as f64 + 0.5)))
            .collect()
    }

    fn place(&self, sides: &Vector3<f64>, at: [f64; 3]) -> Vector3<f64> {
        // Exactly ±side/2 at the ends.
        Vector3::from_fn(|axis, _| sides[axis] * (at[axis] / self.cells[axis] as f64 - 0.5))
    }

    /// Corners of a cell by the bits of their numbers: x 1, y 2, z 4.
    fn cell(&self, [i, j, k]: [usize; 3]) -> [u32; 8] {
        std::array::from_fn(|bits| {
            self.corner([i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2 & 1)])
        })
    }

    /// One tetrahedron in the middle and one at each of four corners. Neighbours are mirrored, so that
    /// the diagonals of their common face agree.
    fn five(&self) -> Vec<[u32; 4]> {
        const EVEN: [[usize; 4]; 5] = [
            [1, 2, 4, 7],
            [0, 1, 2, 4],
            [3, 2, 1, 7],
            [5, 1, 4, 7],
            [6, 4, 2, 7],
        ];
        let mut tets = Vec::new();
        for at in every(self.cells) {
            let corners = self.cell(at);
            let is_odd = at.iter().sum::<usize>() % 2 == 1;
            for tet in EVEN {
                // Mirrored along x: corner bit 1 flipped, orientation restored.
                let [a, b, c, d] = match is_odd {
                    false => tet.map(|corner| corners[corner]),
                    true => {
                        let [a, b, c, d] = tet.map(|corner| corners[corner ^ 1]);
                        [b, a, c, d]
                    }
                };
                tets.push([a, b, c, d]);
            }
        }
        tets
    }

    fn body_centred(&self) -> Vec<[u32; 4]> {
        let mut tets = Vec::new();
        for at in every(self.cells) {
            let corners = self.cell(at);
            let middle = self.middle(at);
            for axis in 0..3 {
                // Corners of the two faces across this axis, counter-clockwise seen along +axis.
                let [u, v] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
                let low = [0, u, u | v, v].map(|bits: usize| corners[bits]);
                let high = [0, u, u | v, v].map(|bits| corners[bits | 1 << axis]);
                let is_odd = at.iter().sum::<usize>() % 2 == 1;
                if at[axis] == 0 {
                    tets.extend(halves(low, is_odd).map(|[a, b, c]| [a, b, c, middle]));
                }
                if at[axis] + 1 == self.cells[axis] {
                    tets.extend(halves(high, !is_odd).map(|[a, b, c]| [a, c, b, middle]));
                } else {
                    let mut next = at;
                    next[axis] += 1;
                    let beyond = self.middle(next);
                    for edge in 0..4 {
                        let [a, b] = [high[edge], high[(edge + 1) % 4]];
                        tets.push([a, b, middle, beyond]);
                    }
                }
            }
        }
        tets
    }
}

/// Both triangles of a quadrilateral, by one or the other diagonal.
fn halves([a, b, c, d]: [u32; 4], other: bool) -> [[u32; 3]; 2] {
    match other {
        false => [[a, b, c], [a, c, d]],
        true => [[a, b, d], [b, c, d]],
    }
}

/// All index triples below these, the first fastest.
pub(super) fn every([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])))
}
