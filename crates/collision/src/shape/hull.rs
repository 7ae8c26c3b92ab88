//! Convex hulls of points, with coplanar triangles joined into polygons.

use std::borrow::Cow;
use std::collections::HashSet;

use nalgebra::{Point3, Vector3};

use super::TriangleMesh;
use super::feature::{Feature, MAX_CORNERS};
use super::mesh::has_area;
use crate::error::{CollisionError, Result};

/// Triangles whose normals differ by less than this (cosine) are one face.
const COPLANAR: f64 = 1.0 - 1e-10;

/// Most points of a hull that may be its corners.
pub const HULL_POINTS: usize = 100_000;
/// So many points are made a hull of as they are: looking for inner ones costs more.
const FEW_POINTS: usize = 20_000;

/// Convex polyhedron.
#[derive(Debug, Clone)]
pub(crate) struct Hull {
    mesh: TriangleMesh,
    /// Corners of each polygon in order, and its normal.
    polygons: Vec<(Vec<u32>, Vector3<f64>)>,
    /// Edges at each vertex, to the other end.
    neighbours: Vec<Vec<u32>>,
}

impl Hull {
    pub(crate) fn new(name: &str, points: &[Point3<f64>]) -> Result<Self> {
        let fail = |reason: String| CollisionError::InvalidMesh {
            shape: name.to_owned(),
            reason,
        };
        if let Some(i) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(fail(format!("point {i} is not finite")));
        }
        if points.len() < 4 {
            return Err(fail(format!(
                "a hull needs at least 4 points, not {}",
                points.len()
            )));
        }
        let outer = may_be_corners(points);
        if outer.len() > HULL_POINTS {
            return Err(fail(format!(
                "{} of its points may be corners of its hull, more than {HULL_POINTS}: give a coarser mesh, or \
                 let it collide as triangles or by signed distances",
                outer.len()
            )));
        }
        let (vertices, faces) = corners_and_faces(&outer)
            .map_err(|reason| fail(format!("points span no volume ({reason})")))?;
        let mesh = TriangleMesh::watertight(name, vertices, faces)?;
        let size = mesh.bounds().half_extents().max();
        if mesh.volume() < 1e-9 * size * size * size {
            return Err(fail("points span no volume".to_owned()));
        }
        Ok(Self {
            polygons: polygons(&mesh),
            neighbours: neighbours(&mesh),
            mesh,
        })
    }

    pub(crate) fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    pub(crate) fn vertices(&self) -> &[Point3<f64>] {
        self.mesh.vertices()
    }

    /// Vertex farthest along `d`; ties go to the smallest index.
    pub(crate) fn support(&self, d: &Vector3<f64>) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, v) in self.vertices().iter().enumerate() {
            let h = v.coords.dot(d);
            if h > best.1 {
                best = (i, h);
            }
        }
        best.0
    }

    pub(crate) fn feature(
        &self,
        d: &Vector3<f64>,
        face_cos: f64,
        edge_sin: f64,
        out: &mut Feature,
    ) {
        let best = self
            .polygons
            .iter()
            .max_by(|a, b| a.1.dot(d).total_cmp(&b.1.dot(d)));
        if let Some((corners, normal)) = best
            && normal.dot(d) > face_cos
        {
            let stride = corners.len().div_ceil(MAX_CORNERS);
            for &v in corners.iter().step_by(stride) {
                out.push(self.vertices()[v as usize].coords, v);
            }
            out.set_normal(*normal);
            return;
        }
        let v = self.support(d);
        let p = self.vertices()[v];
        let tilt = |w: u32| {
            let e = self.vertices()[w as usize] - p;
            (e.dot(d) / e.norm()).abs()
        };
        let flattest = self.neighbours[v]
            .iter()
            .copied()
            .min_by(|&a, &b| tilt(a).total_cmp(&tilt(b)));
        out.push(p.coords, v as u32);
        if let Some(w) = flattest
            && tilt(w) < edge_sin
        {
            out.push(self.vertices()[w as usize].coords, w);
        }
    }
}

/// Points without most of those that are inside: deeper than rounding within the hull of those that are
/// outermost in some directions. In the order given; all of them where they are few.
fn may_be_corners(points: &[Point3<f64>]) -> Cow<'_, [Point3<f64>]> {
    if points.len() <= FEW_POINTS {
        return Cow::Borrowed(points);
    }
    // Directions all around: those of a cube's corners, edges and faces, and between them.
    let mut directions = Vec::new();
    for (x, y, z) in (0..125).map(|k| (k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2)) {
        if [x, y, z].iter().any(|c: &i32| c.abs() == 2) {
            directions.push(Vector3::new(f64::from(x), f64::from(y), f64::from(z)));
        }
    }
    let mut outermost: Vec<(f64, Point3<f64>)> =
        vec![(f64::NEG_INFINITY, points[0]); directions.len()];
    for point in points {
        for (best, direction) in outermost.iter_mut().zip(&directions) {
            let reach = direction.dot(&point.coords);
            if reach > best.0 {
                *best = (reach, *point);
            }
        }
    }
    let inner: Vec<Point3<f64>> = outermost.into_iter().map(|(_, point)| point).collect();
    let Ok((corners, faces)) = corners_and_faces(&inner) else {
        return Cow::Borrowed(points);
    };
    let size = corners
        .iter()
        .flat_map(|p| p.iter())
        .fold(0.0_f64, |most, x| most.max(x.abs()));
    let planes: Vec<(Vector3<f64>, f64)> = faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.map(|v| corners[v as usize]);
            let normal = (b - a).cross(&(c - a)).normalize();
            (normal, normal.dot(&a.coords))
        })
        .collect();
    let margin = 1e-9 * size;
    let is_inside = |point: &Point3<f64>| {
        let mut planes = planes.iter();
        planes.all(|(normal, height)| normal.dot(&point.coords) < height - margin)
    };
    points
        .iter()
        .copied()
        .filter(|point| !is_inside(point))
        .collect()
}

/// Corners and faces.
type Polyhedron = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// The hull, without corners that lie on an edge between two others: the triangles there have no area
/// and no normal.
fn corners_and_faces(points: &[Point3<f64>]) -> std::result::Result<Polyhedron, String> {
    let mut input: Vec<_> = points
        .iter()
        .map(|p| glamx::DVec3::new(p.x, p.y, p.z))
        .collect();
    loop {
        let (vertices, faces) = parry3d_f64::transformation::try_convex_hull(&input)
            .map_err(|error| error.to_string())?;
        let corners: Vec<_> = vertices
            .iter()
            .map(|v| Point3::new(v.x, v.y, v.z))
            .collect();
        let between: HashSet<u32> = faces
            .iter()
            .filter(|face| !has_area(&face.map(|v| corners[v as usize])))
            .map(|&face| middle(&corners, face))
            .collect();
        if between.is_empty() {
            return Ok((corners, faces));
        }
        input = (0..)
            .zip(vertices)
            .filter(|(v, _)| !between.contains(v))
            .map(|(_, v)| v)
            .collect();
    }
}

/// The corner of a thin triangle that lies between the other two: opposite to the longest side.
fn middle(corners: &[Point3<f64>], face: [u32; 3]) -> u32 {
    let [a, b, c] = face.map(|v| corners[v as usize]);
    let sides = [(b - c).norm(), (c - a).norm(), (a - b).norm()];
    match sides.iter().enumerate().max_by(|x, y| x.1.total_cmp(y.1)) {
        Some((opposite, _)) => face[opposite],
        None => face[0],
    }
}

fn neighbours(mesh: &TriangleMesh) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); mesh.vertices().len()];
    for f in mesh.faces() {
        for k in 0..3 {
            neighbours[f[k] as usize].push(f[(k + 1) % 3]);
        }
    }
    neighbours
}

/// Joins coplanar triangles and orders the boundary of each group.
fn polygons(mesh: &TriangleMesh) -> Vec<(Vec<u32>, Vector3<f64>)> {
    let mut group = vec![usize::MAX; mesh.faces().len()];
    let mut polygons = Vec::new();
    let mut stack = Vec::new();
    // edges of the boundary
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for seed in 0..mesh.faces().len() {
        if group[seed] != usize::MAX {
            continue;
        }
        let normal = mesh.normals()[seed];
        let id = polygons.len();
        group[seed] = id;
        stack.push(seed);
        edges.clear();
        while let Some(f) = stack.pop() {
            let face = mesh.faces()[f];
            for k in 0..3 {
                let Some(other) = mesh.neighbour(f, k) else {
                    continue;
                };
                if mesh.normals()[other].dot(&normal) > COPLANAR {
                    if group[other] == usize::MAX {
                        group[other] = id;
                        stack.push(other);
                    }
                } else {
                    edges.push((face[k], face[(k + 1) % 3]));
                }
            }
        }
        polygons.push((way_round(&mut edges), normal));
    }
    polygons
}

/// The corners that edges join, from the smallest on.
fn way_round(edges: &mut [(u32, u32)]) -> Vec<u32> {
    edges.sort_unstable();
    let mut corners = Vec::with_capacity(edges.len());
    let Some(&(first, mut at)) = edges.first() else {
        return corners;
    };
    corners.push(first);
    while at != first && corners.len() < edges.len() {
        corners.push(at);
        match edges.binary_search_by_key(&at, |&(start, _)| start) {
            Ok(next) => at = edges[next].1,
            Err(_) => break,
        }
    }
    corners
}
