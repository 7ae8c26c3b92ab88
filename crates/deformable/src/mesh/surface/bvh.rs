//! Boxes around boxes around triangles.

use nalgebra::Vector3;

use super::triangle::Triangle;
use crate::mesh::Bounds;

/// Most triangles of a leaf.
const LEAF: usize = 4;

/// A binary tree of boxes; the children of a box lie behind it.
#[derive(Debug, Clone)]
pub(super) struct Bvh {
    boxes: Vec<Node>,
    /// Numbers of the triangles, leaf by leaf.
    order: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Node {
    bounds: Bounds,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// The first child is the next node, the second this one.
    Inner(u32),
    /// From here to there in the order.
    Leaf(u32, u32),
}

impl Bvh {
    pub(super) fn new(triangles: &[Triangle]) -> Self {
        let centres: Vec<Vector3<f64>> = triangles
            .iter()
            .map(|[a, b, c]| (a + b + c) / 3.0)
            .collect();
        let mut bvh = Self {
            boxes: Vec::new(),
            order: (0..triangles.len() as u32).collect(),
        };
        bvh.build(triangles, &centres, 0, triangles.len());
        bvh
    }

    /// The depth is the logarithm of the number of triangles, since halves are equal.
    fn build(&mut self, triangles: &[Triangle], centres: &[Vector3<f64>], from: usize, to: usize) {
        let part = &mut self.order[from..to];
        let bounds = Bounds::around(part.iter().flat_map(|&t| &triangles[t as usize]));
        let at = self.boxes.len();
        let kind = Kind::Leaf(from as u32, to as u32);
        let is_leaf = part.len() <= LEAF;
        self.boxes.push(Node { bounds, kind });
        if is_leaf {
            return;
        }
        let axis = bounds.sides().imax();
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |&a, &b| {
            let [x, y] = [a, b].map(|triangle| centres[triangle as usize][axis]);
            x.total_cmp(&y).then(a.cmp(&b))
        });
        self.build(triangles, centres, from, from + half);
        self.boxes[at].kind = Kind::Inner(self.boxes.len() as u32);
        self.build(triangles, centres, from + half, to);
    }

    /// Calls `visit` with triangles that may be nearer to a point than the best so far; it returns the
    /// square of the best distance.
    pub(super) fn near(&self, point: &Vector3<f64>, mut visit: impl FnMut(u32) -> f64) {
        let mut best = f64::INFINITY;
        let mut stack = vec![(0.0, 0)];
        while let Some((distance, at)) = stack.pop() {
            if distance > best {
                continue;
            }
            match self.boxes[at].kind {
                Kind::Leaf(from, to) => {
                    for &triangle in &self.order[from as usize..to as usize] {
                        best = visit(triangle);
                    }
                }
                Kind::Inner(second) => {
                    let children = [at + 1, second as usize]
                        .map(|child| (self.boxes[child].bounds.distance_squared(point), child));
                    let [near, far] = match children[0].0 <= children[1].0 {
                        true => children,
                        false => [children[1], children[0]],
                    };
                    stack.extend([far, near]);
                }
            }
        }
    }

    /// Calls `visit` with all triangles whose leaf a box that `enters` says yes to holds.
    pub(super) fn within(&self, enters: impl Fn(&Bounds) -> bool, mut visit: impl FnMut(u32)) {
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            let node: &Node = &self.boxes[at];
            if !enters(&node.bounds) {
                continue;
            }
            match node.kind {
                Kind::Leaf(from, to) => {
                    self.order[from as usize..to as usize]
                        .iter()
                        .for_each(|&t| visit(t));
                }
                Kind::Inner(second) => stack.extend([second as usize, at + 1]),
            }
        }
    }
}
