//! Nodes and tetrahedra of `<flexcomp>`, numbered as MuJoCo numbers them.

use std::collections::HashMap;

use nalgebra::{Point3, Vector3};

use crate::mesh::MeshData;

/// Nodes, m, and corners of tetrahedra.
#[derive(Debug, Default)]
pub(super) struct FlexMesh {
    pub(super) nodes: Vec<Point3<f64>>,
    pub(super) tets: Vec<[u32; 4]>,
}

/// Six orders in which a cell's corners differ from each other along three axes.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Forms made of the surface of a box and its middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Box,
    Cylinder,
    Ellipsoid,
}

impl FlexMesh {
    /// A box full of nodes, six tetrahedra to a cell around one of its diagonals.
    pub(super) fn grid(count: [usize; 3], spacing: &Vector3<f64>) -> Self {
        let mut mesh = Self::default();
        let number = |[x, y, z]: [usize; 3]| ((x * count[1] + y) * count[2] + z) as u32;
        for x in 0..count[0] {
            for y in 0..count[1] {
                for z in 0..count[2] {
                    let at = [x, y, z];
                    let place = Vector3::from_fn(|axis, _| {
                        spacing[axis] * (at[axis] as f64 - 0.5 * (count[axis] - 1) as f64)
                    });
                    mesh.nodes.push(place.into());
                    if (0..3).any(|axis| at[axis] + 1 == count[axis]) {
                        continue;
                    }
                    for order in ORDERS {
                        // From one end of the diagonal to the other, an axis at a time.
                        let mut corner = [x + 1, y, z];
                        let mut tet = [number(corner); 4];
                        for (axis, place) in order.into_iter().zip(&mut tet[1..]) {
                            corner[axis] = match axis {
                                0 => x,
                                _ => at[axis] + 1,
                            };
                            *place = number(corner);
                        }
                        mesh.tets.push(tet);
                    }
                }
            }
        }
        mesh.turned()
    }

    /// The surface of a box, bent to a form, and tetrahedra from each of its triangles to the middle.
    pub(super) fn around_middle(count: [usize; 3], spacing: &Vector3<f64>, form: Form) -> Self {
        let mut mesh = Self {
            nodes: vec![Point3::origin()],
            tets: Vec::new(),
        };
        let mut numbers: HashMap<[usize; 3], u32> = HashMap::new();
        for axis in [2, 1, 0] {
            let [first, second] = across(axis);
            for side in [0, count[axis] - 1] {
                for a in 0..count[first] {
                    for b in 0..count[second] {
                        let mut at = [0; 3];
                        (at[axis], at[first], at[second]) = (side, a, b);
                        numbers.entry(at).or_insert_with(|| {
                            mesh.nodes.push(project(at, count, spacing, form));
                            mesh.nodes.len() as u32 - 1
                        });
                    }
                }
            }
        }
        for axis in [2, 1, 0] {
            let [first, second] = across(axis);
            for side in [0, count[axis] - 1] {
                for a in 0..count[first] - 1 {
                    for b in 0..count[second] - 1 {
                        let corner = |more: [usize; 2]| {
                            let mut at = [0; 3];
                            at[axis] = side;
                            (at[first], at[second]) = (a + more[0], b + more[1]);
                            numbers.get(&at).copied().unwrap_or(0)
                        };
                        let [start, end] = [corner([0, 0]), corner([1, 1])];
                        mesh.tets.push([0, start, corner([1, 0]), end]);
                        mesh.tets.push([0, start, corner([0, 1]), end]);
                    }
                }
            }
        }
        mesh.turned()
    }

    /// Tetrahedra from the triangles of a surface that face away from a point to that point.
    pub(super) fn around_point(surface: &MeshData, origin: Point3<f64>) -> Self {
        let mut mesh = Self {
            nodes: vec![origin],
            tets: Vec::new(),
        };
        mesh.nodes.extend(&surface.vertices);
        for face in &surface.faces {
            let [a, b, c] = face.map(|corner| corner + 1);
            if mesh.volume([0, a, b, c]) > 0.0 {
                mesh.tets.push([0, a, b, c]);
            }
        }
        mesh.without_unused()
    }

    /// Six times the volume of a tetrahedron.
    fn volume(&self, tet: [u32; 4]) -> f64 {
        let [a, b, c, d] = tet.map(|node| self.nodes[node as usize]);
        (b - a).cross(&(c - a)).dot(&(d - a))
    }

    /// Volume of all tetrahedra, m³.
    pub(super) fn whole_volume(&self) -> f64 {
        let volumes = self.tets.iter().map(|&tet| self.volume(tet));
        volumes.sum::<f64>() / 6.0
    }

    /// The same with all tetrahedra the right way round.
    pub(super) fn turned(mut self) -> Self {
        for index in 0..self.tets.len() {
            if self.volume(self.tets[index]) < 0.0 {
                self.tets[index].swap(2, 3);
            }
        }
        self
    }

    /// The same without nodes of no tetrahedron.
    pub(super) fn without_unused(mut self) -> Self {
        let mut used = vec![false; self.nodes.len()];
        for &node in self.tets.iter().flatten() {
            used[node as usize] = true;
        }
        let mut count = 0;
        let numbers: Vec<u32> = (used.iter())
            .map(|&used| {
                count += u32::from(used);
                count.wrapping_sub(1)
            })
            .collect();
        for node in self.tets.iter_mut().flatten() {
            *node = numbers[*node as usize];
        }
        let mut kept = used.iter();
        self.nodes.retain(|_| kept.next() == Some(&true));
        self
    }
}

/// The other two axes, in order.
fn across(axis: usize) -> [usize; 2] {
    match axis {
        0 => [1, 2],
        1 => [0, 2],
        _ => [0, 1],
    }
}

/// Where a node on the surface of a box is after bending.
fn project(at: [usize; 3], count: [usize; 3], spacing: &Vector3<f64>, form: Form) -> Point3<f64> {
    let last = |axis: usize| (count[axis] - 1) as f64;
    let mut unit = Vector3::from_fn(|axis, _| 2.0 * at[axis] as f64 / last(axis) - 1.0);
    let half = Vector3::from_fn(|axis, _| 0.5 * spacing[axis] * last(axis));
    match form {
        Form::Box => {}
        Form::Cylinder => {
            let (out, length) = (unit.xy().amax(), unit.xy().norm());
            if length > 0.0 {
                unit.x *= out / length;
                unit.y *= out / length;
            }
        }
        Form::Ellipsoid => unit /= unit.norm(),
    }
    unit.component_mul(&half).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_have_their_volumes_and_numbers() {
        let spacing = Vector3::new(0.1, 0.2, 0.3);
        let grid = FlexMesh::grid([3, 4, 2], &spacing);
        assert_eq!((grid.nodes.len(), grid.tets.len()), (24, 36));
        assert!((grid.whole_volume() - 0.2 * 0.6 * 0.3).abs() < 1e-15);
        assert!(grid.tets.iter().all(|&tet| grid.volume(tet) > 0.0));
        let boxed = FlexMesh::around_middle([3, 4, 3], &spacing, Form::Box);
        // 36 nodes of which two are inside, and the middle.
        assert_eq!((boxed.nodes.len(), boxed.tets.len()), (35, 64));
        assert!((boxed.whole_volume() - 0.2 * 0.6 * 0.6).abs() < 1e-15);
        // The last side is that of the largest x.
        let last = Point3::new(0.1, 0.1, 0.0);
        assert!((boxed.nodes[34] - last).norm() < 1e-15);
        let spacing = Vector3::repeat(2.0 / 40.0);
        let ball = FlexMesh::around_middle([41; 3], &spacing, Form::Ellipsoid);
        let exact = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((ball.whole_volume() / exact - 1.0).abs() < 0.01);
        let tube = FlexMesh::around_middle([41; 3], &spacing, Form::Cylinder);
        let exact = 2.0 * std::f64::consts::PI;
        assert!((tube.whole_volume() / exact - 1.0).abs() < 0.01);
    }
}
