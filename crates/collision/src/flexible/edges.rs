//! Edges of surfaces that deform, against the edges of another surface or of the same: where two ridges
//! cross, no vertex comes near a face.

use nalgebra::{Point3, Vector3};

use super::segments::closest_on_segments;
use super::{FlexibleContact, FlexibleSide, SurfaceTree};
use crate::aabb::Aabb;
use crate::collider::Geometry;
use crate::contact::mix;
use crate::support::Support;

/// Marks features that are two edges of two surfaces.
const EDGES: u64 = 0xed6e;
/// Marks features that are two edges of one surface.
const OWN_EDGES: u64 = 0x0ed6;

/// An edge whose faces meet at less than this, rad, counts as flat: it stands out of them by less than
/// a twentieth of their width, and vertices find what touches there.
const FLAT: f64 = 0.1;
/// Edges at less than this sine to each other run side by side: vertices find where they touch.
const PARALLEL: f64 = 1e-3;
/// Cosine of the direction to another edge with a face up to which an edge still counts as what comes nearest
/// to it: flat on flat it is none at all, give or take rounding.
const LEANS: f64 = 0.02;
/// How near to the end of an edge, as a part of it, is its vertex's business.
const AT_END: f64 = 1e-6;
/// How far two edges of one surface may have passed each other, as a part of the shorter one, and are
/// still pushed back: farther, they cannot be told from the two sides of a thin wall.
const PASSED: f64 = 0.1;

/// An edge with the two faces it joins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    /// Vertices, in the order in which the first face goes around.
    ends: [u32; 2],
    /// The third vertices of the two faces.
    opposite: [u32; 2],
    /// The face that stands for it in a search.
    face: u32,
}

/// Edges of a closed surface; those that do not join two faces are left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edges {
    list: Vec<Edge>,
    /// Where the edges of each face begin in `list`, those that it stands for.
    first: Vec<u32>,
}

impl Edges {
    pub(crate) fn new(faces: &[[u32; 3]]) -> Self {
        let corners = |(face, &[a, b, c]): (usize, &[u32; 3])| {
            [[a, b, c], [b, c, a], [c, a, b]]
                .map(|[from, to, third]| ([from.min(to), from.max(to)], face, [from, to, third]))
        };
        let mut halves: Vec<_> = faces.iter().enumerate().flat_map(corners).collect();
        halves.sort_unstable();
        let mut list: Vec<Edge> = Vec::new();
        for same in halves.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, face, [from, to, third]), (_, _, [back, _, other])] = same
                && back == to
            {
                list.push(Edge {
                    ends: [*from, *to],
                    opposite: [*third, *other],
                    face: *face as u32,
                });
            }
        }
        list.sort_by_key(|edge| edge.face);
        let first = (0..=faces.len()).map(|face| {
            let before = |edge: &Edge| (edge.face as usize) < face;
            list.partition_point(before) as u32
        });
        Self {
            first: first.collect(),
            list,
        }
    }

    /// The edges that a face stands for.
    fn of_face(&self, face: u32) -> std::ops::Range<usize> {
        let face = face as usize;
        self.first[face] as usize..self.first[face + 1] as usize
    }
}

/// A ridge: an edge whose faces fall off to both sides.
struct Ridge {
    segment: [Point3<f64>; 2],
    /// Unit directions in the two faces, away from the edge and at a right angle to it.
    along_faces: [Vector3<f64>; 2],
    /// Between the normals of the two faces.
    outward: Vector3<f64>,
}

impl Ridge {
    /// The edge where its vertices are, if it is one.
    fn new(edge: &Edge, vertices: &[Point3<f64>]) -> Option<Self> {
        let [p, q] = edge.ends.map(|vertex| vertices[vertex as usize]);
        let [o, other] = edge.opposite.map(|vertex| vertices[vertex as usize]);
        let d = (q - p).try_normalize(0.0)?;
        let normals = [d.cross(&(o - p)), (other - p).cross(&d)];
        let [n, m] = [
            normals[0].try_normalize(0.0)?,
            normals[1].try_normalize(0.0)?,
        ];
        let is_ridge = (other - p).dot(&n) < 0.0 && n.cross(&m).norm() > FLAT.sin();
        is_ridge.then(|| Self {
            segment: [p, q],
            along_faces: [n.cross(&d), d.cross(&m)],
            outward: n + m,
        })
    }

    /// Whether the edge is what comes nearest to something that lies this way: leaning to neither face.
    fn faces(&self, direction: &Vector3<f64>) -> bool {
        let leans = |along: &Vector3<f64>| direction.dot(along) > LEANS;
        !self.along_faces.iter().any(leans)
    }

    fn length(&self) -> f64 {
        (self.segment[1] - self.segment[0]).norm()
    }
}

/// Where two ridges cross.
struct Crossing {
    fractions: [f64; 2],
    points: [Point3<f64>; 2],
    /// Unit, out of the first ridge.
    normal: Vector3<f64>,
    /// Signed: negative where they have passed each other, m.
    gap: f64,
}

/// Where two ridges come nearest to each other inside of both, if each then lies outside of the other
/// or has just passed it.
fn crossing(first: &Ridge, second: &Ridge) -> Option<Crossing> {
    let [d, e] = [first, second].map(|ridge| ridge.segment[1] - ridge.segment[0]);
    let across = d.cross(&e);
    if across.norm() <= PARALLEL * d.norm() * e.norm() {
        return None;
    }
    let (fractions, [p, q]) = closest_on_segments(first.segment, second.segment);
    if !fractions
        .iter()
        .all(|at| (AT_END..=1.0 - AT_END).contains(at))
    {
        return None;
    }
    // At right angles to both, so it says where they are even when they touch.
    let normal = across.normalize();
    let normal = normal * normal.dot(&(first.outward - second.outward)).signum();
    let faces_out = first.faces(&normal) && second.faces(&-normal);
    faces_out.then(|| Crossing {
        fractions,
        points: [p, q],
        normal,
        gap: (q - p).dot(&normal),
    })
}

fn contact(
    sides: [(&FlexibleSide<'_>, &Edge); 2],
    crossing: &Crossing,
    feature: u64,
) -> FlexibleContact {
    let support = |k: usize| {
        let ((side, edge), fraction) = (sides[k], crossing.fractions[k]);
        match side.geometry {
            Geometry::Surface { nodes, .. } => {
                let [a, b] = edge.ends.map(|vertex| nodes[vertex as usize]);
                Support::triangle([a, b, a], [1.0 - fraction, fraction, 0.0])
            }
            _ => side.support(edge.ends[0] as usize),
        }
    };
    FlexibleContact {
        feature,
        on: [support(0), support(1)],
        point: nalgebra::center(&crossing.points[0], &crossing.points[1]),
        normal: crossing.normal,
        gap: crossing.gap,
    }
}

/// Buffers of a search.
#[derive(Debug, Default)]
pub(crate) struct EdgeBuffers {
    faces: Vec<u32>,
    near: Vec<u32>,
}

/// Contacts of ridges of two surfaces, normals from the first to the second.
pub(crate) fn edges_of_two(
    [a, b]: [&FlexibleSide<'_>; 2],
    margin: f64,
    buffers: &mut EdgeBuffers,
    out: &mut Vec<FlexibleContact>,
) {
    let (Some((tree, depth)), Some((other, other_depth))) = (surface(a), surface(b)) else {
        return;
    };
    let depth = f64::min(depth, other_depth);
    let reach = f64::max(margin, depth);
    let EdgeBuffers { faces, near } = buffers;
    for (i, edge) in tree.edges.list.iter().enumerate() {
        let Some(ridge) = ridge_within(edge, a, &other.bounds().grown(reach)) else {
            continue;
        };
        other.faces_near(&ridge.segment, reach, faces);
        for j in faces.iter().flat_map(|&face| other.edges.of_face(face)) {
            let second = &other.edges.list[j];
            let found = Ridge::new(second, b.vertices).and_then(|two| crossing(&ridge, &two));
            let Some(found) = found.filter(|found| (-depth..=margin).contains(&found.gap)) else {
                continue;
            };
            // Ridges that have passed each other are each inside the other's body; those on the far
            // sides of two thin ones are not.
            let [p, q] = &found.points;
            let is_inside =
                |tree: &SurfaceTree, side: &FlexibleSide<'_>, p, near: &mut Vec<u32>| {
                    let hit = tree.closest(side, p, reach, near);
                    hit.is_some_and(|hit| hit.gap < 0.0)
                };
            if found.gap < 0.0 && !(is_inside(other, b, p, near) && is_inside(tree, a, q, near)) {
                continue;
            }
            let feature = mix(mix(1 + i as u64, EDGES), 1 + j as u64);
            out.push(contact([(a, edge), (b, second)], &found, feature));
        }
    }
}

/// Contacts of ridges of one surface with each other, normals from the earlier to the later.
pub(crate) fn edges_of_one(
    side: &FlexibleSide<'_>,
    margin: f64,
    buffers: &mut EdgeBuffers,
    out: &mut Vec<FlexibleContact>,
) {
    let Some((tree, _)) = surface(side) else {
        return;
    };
    let faces = &mut buffers.faces;
    for (i, edge) in tree.edges.list.iter().enumerate() {
        let Some(ridge) = Ridge::new(edge, side.vertices) else {
            continue;
        };
        let reach = f64::max(margin, PASSED * ridge.length());
        tree.faces_near(&ridge.segment, reach, faces);
        for j in faces.iter().flat_map(|&face| tree.edges.of_face(face)) {
            let second = &tree.edges.list[j];
            let meet = second.ends.iter().any(|end| edge.ends.contains(end));
            if j <= i || meet {
                continue;
            }
            let Some(two) = Ridge::new(second, side.vertices) else {
                continue;
            };
            let passed = PASSED * ridge.length().min(two.length());
            let found = crossing(&ridge, &two);
            if let Some(found) = found.filter(|found| (-passed..=margin).contains(&found.gap)) {
                let feature = mix(mix(1 + i as u64, OWN_EDGES), 1 + j as u64);
                out.push(contact([(side, edge), (side, second)], &found, feature));
            }
        }
    }
}

/// Tree and depth of a surface.
fn surface<'a>(side: &FlexibleSide<'a>) -> Option<(&'a SurfaceTree, f64)> {
    match side.geometry {
        Geometry::Surface { depth, .. } => Some((side.tree?, *depth)),
        _ => None,
    }
}

fn ridge_within(edge: &Edge, side: &FlexibleSide<'_>, bounds: &Aabb) -> Option<Ridge> {
    let [p, q] = edge.ends.map(|vertex| side.vertices[vertex as usize]);
    let is_near = bounds.overlaps(&Aabb::from_points([&p, &q]));
    is_near.then(|| Ridge::new(edge, side.vertices)).flatten()
}
