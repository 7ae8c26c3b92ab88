//! Static tree of bounding volumes over triangles.
//!
//! Every node keeps an axis-aligned box (for overlap with another shape) and a ball around the same
//! triangles (for culling by the Lipschitz bound of a signed distance).

use nalgebra::Point3;

use crate::aabb::Aabb;

/// Triangles per leaf.
const LEAF: usize = 4;

#[derive(Debug, Clone)]
struct Node {
    aabb: Aabb,
    center: Point3<f64>,
    radius: f64,
    /// Leaf: first entry in `order`; inner: index of the right child (the left one is next).
    start: u32,
    /// Number of triangles of a leaf; 0 for inner nodes.
    count: u32,
}

/// Tree over triangles, given by index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl Bvh {
    pub(crate) fn new(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Self {
        let mut bvh = Self {
            nodes: Vec::with_capacity(faces.len()),
            order: (0..faces.len() as u32).collect(),
        };
        if !faces.is_empty() {
            let centers: Vec<Point3<f64>> = faces
                .iter()
                .map(|f| {
                    let [a, b, c] = f.map(|v| vertices[v as usize].coords);
                    Point3::from((a + b + c) / 3.0)
                })
                .collect();
            bvh.split(&centers, 0, faces.len());
            bvh.refit(vertices, faces);
        }
        bvh
    }

    fn split(&mut self, centers: &[Point3<f64>], start: usize, end: usize) {
        let index = self.nodes.len();
        self.nodes.push(Node {
            aabb: Aabb::empty(),
            center: Point3::origin(),
            radius: 0.0,
            start: start as u32,
            count: (end - start) as u32,
        });
        if end - start <= LEAF {
            return;
        }
        let range = &mut self.order[start..end];
        let aabb = Aabb::from_points(range.iter().map(|&f| &centers[f as usize]));
        let axis = aabb.half_extents().imax();
        let middle = range.len() / 2;
        range.select_nth_unstable_by(middle, |&f, &g| {
            centers[f as usize][axis]
                .total_cmp(&centers[g as usize][axis])
                .then(f.cmp(&g))
        });
        self.split(centers, start, start + middle);
        self.nodes[index].start = self.nodes.len() as u32;
        self.nodes[index].count = 0;
        self.split(centers, start + middle, end);
    }

    /// Recomputes the volumes for moved vertices, keeping the tree.
    pub(crate) fn refit(&mut self, vertices: &[Point3<f64>], faces: &[[u32; 3]]) {
        for index in (0..self.nodes.len()).rev() {
            let node = &self.nodes[index];
            let (aabb, center, radius);
            if node.count > 0 {
                let range = node.start as usize..(node.start + node.count) as usize;
                let corners = || {
                    self.order[range.clone()]
                        .iter()
                        .flat_map(|&f| faces[f as usize])
                        .map(|v| &vertices[v as usize])
                };
                aabb = Aabb::from_points(corners());
                center = aabb.center();
                radius = corners().map(|v| (v - center).norm()).fold(0.0, f64::max);
            } else {
                let (left, right) = (&self.nodes[index + 1], &self.nodes[node.start as usize]);
                aabb = left.aabb.merged(&right.aabb);
                center = aabb.center();
                let around = |child: &Node| (child.center - center).norm() + child.radius;
                radius = around(left)
                    .max(around(right))
                    .min(aabb.half_extents().norm());
            }
            let node = &mut self.nodes[index];
            (node.aabb, node.center, node.radius) = (aabb, center, radius);
        }
    }

    /// Box around everything; empty for no triangles.
    pub(crate) fn bounds(&self) -> Aabb {
        self.nodes.first().map_or_else(Aabb::empty, |n| n.aabb)
    }

    /// Visits triangles of leaves that `enter` does not refuse. `enter` gets box, ball centre, radius.
    pub(crate) fn visit(
        &self,
        mut enter: impl FnMut(&Aabb, &Point3<f64>, f64) -> bool,
        mut leaf: impl FnMut(usize),
    ) {
        if self.nodes.is_empty() {
            return;
        }
        // depth is at most log₂ of the number of triangles
        let mut stack = [0_u32; 64];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let index = stack[top] as usize;
            let node = &self.nodes[index];
            if !enter(&node.aabb, &node.center, node.radius) {
                continue;
            }
            if node.count > 0 {
                for &face in &self.order[node.start as usize..(node.start + node.count) as usize] {
                    leaf(face as usize);
                }
            } else {
                stack[top] = node.start;
                stack[top + 1] = index as u32 + 1;
                top += 2;
            }
        }
    }

    /// Whether [`visit`](Self::visit) comes to the leaf of `face`. Takes as long as there are triangles:
    /// for rare questions.
    pub(crate) fn reaches(
        &self,
        face: usize,
        mut enter: impl FnMut(&Aabb, &Point3<f64>, f64) -> bool,
    ) -> bool {
        let Some(place) = self.order.iter().position(|&f| f as usize == face) else {
            return false;
        };
        let (mut index, mut start, mut end) = (0, 0, self.order.len());
        loop {
            let node = &self.nodes[index];
            if !enter(&node.aabb, &node.center, node.radius) {
                return false;
            }
            if node.count > 0 {
                return true;
            }
            // as `split` halves them
            let middle = start + (end - start) / 2;
            if place < middle {
                (index, end) = (index + 1, middle);
            } else {
                (index, start) = (node.start as usize, middle);
            }
        }
    }

    /// Face closest to `p` by `distance_squared(face)`, or `None` beyond `limit` (m).
    pub(crate) fn closest(
        &self,
        p: &Point3<f64>,
        limit: f64,
        mut distance_squared: impl FnMut(usize) -> f64,
    ) -> Option<(usize, f64)> {
        let mut best = limit * limit;
        let mut found = None;
        let mut stack = [(0_u32, 0.0); 64];
        let mut top = usize::from(!self.nodes.is_empty());
        while top > 0 {
            top -= 1;
            let (index, bound) = stack[top];
            if bound > best {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for &face in &self.order[node.start as usize..(node.start + node.count) as usize] {
                    let d = distance_squared(face as usize);
                    // ties go to the smaller index, so the answer does not depend on the tree
                    if d < best || (d == best && found.is_none_or(|(f, _)| (face as usize) < f)) {
                        best = d;
                        found = Some((face as usize, d));
                    }
                }
            } else {
                let bound_of = |child: u32| {
                    let d = self.nodes[child as usize].aabb.distance(p);
                    (child, d * d)
                };
                let (mut near, mut far) = (bound_of(index + 1), bound_of(node.start));
                if near.1 > far.1 {
                    std::mem::swap(&mut near, &mut far);
                }
                stack[top] = far;
                stack[top + 1] = near;
                top += 2;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_triangle_is_visited_once_and_lies_in_its_volumes() {
        let n = 100_u32;
        let vertices: Vec<_> = (0..3 * n)
            .map(|i| {
                let x = f64::from(i);
                Point3::new((x * 0.7).sin(), (x * 1.3).cos(), x * 0.01)
            })
            .collect();
        let faces: Vec<_> = (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let bvh = Bvh::new(&vertices, &faces);
        let mut seen = vec![0; n as usize];
        bvh.visit(|_, _, _| true, |f| seen[f] += 1);
        assert!(seen.iter().all(|&c| c == 1));
        let low = |_: &Aabb, c: &Point3<f64>, r: f64| c.z - r <= 1.0;
        let mut visited = vec![false; n as usize];
        bvh.visit(low, |f| visited[f] = true);
        assert!(visited.contains(&true) && visited.contains(&false));
        for (f, &visited) in visited.iter().enumerate() {
            assert_eq!(bvh.reaches(f, low), visited, "triangle {f}");
        }
        for node in &bvh.nodes {
            assert!(node.radius <= node.aabb.half_extents().norm() * (1.0 + 1e-12));
        }
        let p = Point3::new(0.3, 0.2, 1.0);
        let d = |f: usize| {
            faces[f]
                .iter()
                .map(|&v| (vertices[v as usize] - p).norm_squared())
                .fold(f64::INFINITY, f64::min)
        };
        let brute = (0..n as usize).map(d).fold(f64::INFINITY, f64::min);
        assert_eq!(bvh.closest(&p, 1e9, d).unwrap().1, brute);
    }
}
