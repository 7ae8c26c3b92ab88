//! What is left of each tetrahedron of the lattice inside of the surface.
//!
//! Where a face has two corners inside and one outside, the part of it inside is a quadrilateral, which
//! the tetrahedra on both sides must halve alike and so that no sharp angle arises:
//! - if the surface cuts its long edge, the diagonal ends there, so that it halves the larger angle;
//! - if it cuts both short edges, the diagonal ends at that corner inside which exceeds the corner outside
//!   in an odd number of coordinates. Exactly one does: they are one long edge apart, along which the corner
//!   outside lies half-way. (The paper's parity rule.) Thus the two such faces of a tetrahedron with a whole
//!   long edge inside are halved in opposite senses, and three tetrahedra always fit in.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::cut::{CutLattice, Side};
use super::lattice::{Site, is_long};

/// Nodes and tetrahedra inside of the surface.
pub(super) fn fill(cut: &CutLattice) -> (Vec<Vector3<f64>>, Vec<[u32; 4]>) {
    let mut filling = Filling {
        cut,
        nodes: Vec::new(),
        tets: Vec::new(),
        numbers: HashMap::new(),
    };
    for sites in cut.lattice.tets() {
        filling.add(sites);
    }
    (filling.nodes, filling.tets)
}

/// A corner of a tetrahedron of the lattice.
#[derive(Clone, Copy)]
struct Corner {
    site: Site,
    number: u32,
}

struct Filling<'a> {
    cut: &'a CutLattice,
    nodes: Vec<Vector3<f64>>,
    tets: Vec<[u32; 4]>,
    /// Nodes by the edge they lie on; both ends the same for lattice points.
    numbers: HashMap<[u32; 2], u32>,
}

impl Filling<'_> {
    fn add(&mut self, sites: [Site; 4]) {
        let numbers = sites.map(|site| self.cut.lattice.number(site));
        let [Some(a), Some(b), Some(c), Some(d)] = numbers else {
            return;
        };
        let mut corners = [a, b, c, d];
        // Inside first, then on the surface, then outside, by swaps that keep the orientation.
        let rank = |number: &u32| self.cut.side(*number) as u8;
        let mut order = [0, 1, 2, 3];
        let mut is_odd = false;
        for end in (1..4).rev() {
            for at in 0..end {
                if rank(&corners[order[at]]) > rank(&corners[order[at + 1]]) {
                    order.swap(at, at + 1);
                    is_odd = !is_odd;
                }
            }
        }
        corners = order.map(|at| corners[at]);
        let sorted: [Corner; 4] = std::array::from_fn(|at| Corner {
            site: sites[order[at]],
            number: corners[at],
        });
        let count = |side| {
            corners
                .iter()
                .filter(|&&c| self.cut.side(c) == side)
                .count()
        };
        let (inside, outside) = (count(Side::Inside), count(Side::Outside));
        let start = self.tets.len();
        match (inside, outside) {
            (0, _) => {}
            (_, 0) => {
                let tet = sorted.map(|corner| self.corner(corner));
                self.tets.push(tet);
            }
            (1, _) => self.one_inside(sorted),
            (2, 1) => self.pyramid(sorted),
            (2, _) => self.wedge(sorted),
            _ => self.truncated(sorted),
        }
        if is_odd {
            for tet in &mut self.tets[start..] {
                tet.swap(0, 1);
            }
        }
    }

    /// The tip of a tetrahedron.
    fn one_inside(&mut self, [tip, rest @ ..]: [Corner; 4]) {
        let [b, c, d] = rest.map(|corner| match self.cut.side(corner.number) {
            Side::Outside => self.cut_node(tip, corner),
            _ => self.corner(corner),
        });
        let tip = self.corner(tip);
        self.tets.push([tip, b, c, d]);
    }

    /// Two inside, one on the surface, one outside: a pyramid over the quadrilateral of a face.
    fn pyramid(&mut self, [a, b, on, out]: [Corner; 4]) {
        let is_swapped = !diagonal_ends_at_first(a, b, out);
        let [a, b] = if is_swapped { [b, a] } else { [a, b] };
        let [cut_a, cut_b] = [a, b].map(|corner| self.cut_node(corner, out));
        let [a, b, on] = [a, b, on].map(|corner| self.corner(corner));
        self.push(is_swapped, [a, b, on, cut_b]);
        self.push(is_swapped, [a, cut_b, on, cut_a]);
    }

    /// Two inside, two outside: a wedge under a quadrilateral of the surface.
    fn wedge(&mut self, [a, b, p, q]: [Corner; 4]) {
        // At the face of p the diagonal ends at a, at that of q at b.
        let is_swapped = !diagonal_ends_at_first(a, b, p);
        let [a, b] = if is_swapped { [b, a] } else { [a, b] };
        debug_assert!(diagonal_ends_at_first(b, a, q));
        let [ap, aq] = [p, q].map(|out| self.cut_node(a, out));
        let [bp, bq] = [p, q].map(|out| self.cut_node(b, out));
        let [a, b] = [a, b].map(|corner| self.corner(corner));
        self.push(is_swapped, [a, b, bp, aq]);
        self.push(is_swapped, [a, bp, ap, aq]);
        self.push(is_swapped, [aq, b, bp, bq]);
    }

    /// Three inside, one outside: a tetrahedron without its tip.
    fn truncated(&mut self, [a, b, c, out]: [Corner; 4]) {
        // Turned so that the last of the three is at the other end of the long edge.
        let [a, b, far] = match [a, b, c] {
            [a, b, c] if is_long(c.site, out.site) => [a, b, c],
            [a, b, c] if is_long(b.site, out.site) => [c, a, b],
            [a, b, c] => [b, c, a],
        };
        let is_swapped = !diagonal_ends_at_first(a, b, out);
        let [a, b] = if is_swapped { [b, a] } else { [a, b] };
        let [cut_a, cut_b, cut_far] = [a, b, far].map(|corner| self.cut_node(corner, out));
        let [a, b, far] = [a, b, far].map(|corner| self.corner(corner));
        self.push(is_swapped, [a, b, far, cut_far]);
        self.push(is_swapped, [a, b, cut_far, cut_b]);
        self.push(is_swapped, [a, cut_b, cut_far, cut_a]);
    }

    fn push(&mut self, is_swapped: bool, [a, b, c, d]: [u32; 4]) {
        self.tets.push(if is_swapped {
            [b, a, c, d]
        } else {
            [a, b, c, d]
        });
    }

    fn corner(&mut self, corner: Corner) -> u32 {
        let place = self.cut.place(corner.number);
        self.node([corner.number; 2], place)
    }

    fn cut_node(&mut self, inside: Corner, outside: Corner) -> u32 {
        let [a, b] = [inside.number, outside.number];
        match self.cut.cut_from(a, b) {
            Some((_, place)) => self.node([a.min(b), a.max(b)], place),
            // Every edge from inside to outside has its cut.
            None => unreachable!("the edge from {a} to {b} is not cut"),
        }
    }

    fn node(&mut self, key: [u32; 2], place: Vector3<f64>) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.nodes.push(place);
            self.nodes.len() as u32 - 1
        })
    }
}

/// Whether the diagonal of the quadrilateral on the face (a, b, outside), a and b inside, ends at a (and
/// at the cut between b and outside) rather than at b.
fn diagonal_ends_at_first(a: Corner, b: Corner, outside: Corner) -> bool {
    if is_long(b.site, outside.site) {
        return true;
    }
    if is_long(a.site, outside.site) {
        return false;
    }
    let larger = (0..3).filter(|&axis| a.site[axis] > outside.site[axis]);
    larger.count() % 2 == 1
}
