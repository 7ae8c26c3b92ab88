//! Marching tetrahedra on a warped body-centred cubic lattice.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use nalgebra::Point3;

use crate::contact::mix;
use crate::error::{CollisionError, Result, positive};
use crate::sdf::Sdf;
use crate::shape::TriangleMesh;

/// A lattice point closer to the surface than this fraction of an edge is moved onto it. Larger gives
/// better triangles; below 1/4 no tetrahedron can turn over.
const WARP: f64 = 0.22;

/// Lattice points at which building is refused, about 1 GB.
const MAX_POINTS: f64 = 4e7;

/// Watertight mesh of {φ = 0} with edges of about `resolution` metres.
///
/// Features thinner than `resolution` may be lost. The solid must be bounded.
pub fn surface_mesh(name: &str, sdf: &dyn Sdf, resolution: f64) -> Result<TriangleMesh> {
    positive(name, "resolution", resolution)?;
    let bounds = sdf.bounds();
    if !bounds.is_finite() {
        return Err(CollisionError::InvalidMesh {
            shape: name.to_owned(),
            reason: "an unbounded solid has no surface mesh".to_owned(),
        });
    }
    if Lattice::new(sdf, resolution, 0).n_points() > MAX_POINTS {
        return Err(CollisionError::InvalidParameter {
            element: name.to_owned(),
            field: "resolution",
            value: resolution,
            reason: "is too fine for the size of the solid",
        });
    }
    // Where two sheets of the surface come closer than an edge, warping can make them share one. The
    // lattice is then moved a little and marched again.
    let mut attempt = 0;
    loop {
        let mut march = March {
            lattice: Lattice::new(sdf, resolution, attempt),
            sdf,
            values: HashMap::default(),
            warped: HashMap::default(),
            vertices: Vec::new(),
            faces: Vec::new(),
            on_point: HashMap::default(),
            on_edge: HashMap::default(),
        };
        march.run();
        let faces = without_opposite_pairs(march.faces);
        let (vertices, faces) = compact(march.vertices, faces);
        let mesh = TriangleMesh::watertight(name, vertices, faces);
        attempt += 1;
        if mesh.is_ok() || attempt == MAX_ATTEMPTS {
            return mesh;
        }
    }
}

/// Lattices tried before giving up.
const MAX_ATTEMPTS: u32 = 12;

/// Hashes lattice coordinates; the default hasher would be half of the run time.
#[derive(Default)]
struct SiteHasher(u64);

impl Hasher for SiteHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(u64::from(b));
        }
    }

    fn write_i32(&mut self, i: i32) {
        self.write_u64(i as u64);
    }

    fn write_u32(&mut self, i: u32) {
        self.write_u64(u64::from(i));
    }

    fn write_usize(&mut self, i: usize) {
        self.write_u64(i as u64);
    }

    fn write_u64(&mut self, i: u64) {
        self.0 = mix(self.0, i);
    }
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<SiteHasher>>;

/// Lattice coordinates: corners at even (2i, 2j, 2k), cell centres at odd coordinates.
type Site = [i32; 3];

struct Lattice {
    origin: Point3<f64>,
    half_step: f64,
    cells: [i32; 3],
}

impl Lattice {
    fn new(sdf: &dyn Sdf, resolution: f64, attempt: u32) -> Self {
        let bounds = sdf.bounds();
        // edges of a BCC lattice with cube side s have lengths s and 0.87 s
        let step = resolution;
        let cells = [0, 1, 2]
            .map(|i| (((bounds.max[i] - bounds.min[i]) / step).ceil() + 3.0).min(1e6) as i32);
        // an irrational shift keeps lattice planes off the faces of axis-aligned solids
        let more = 0.071_7 * f64::from(attempt);
        let shift = nalgebra::Vector3::new(1.5, 1.5 + 0.017_3, 1.5 - 0.023_1) * step
            + nalgebra::Vector3::new(more, 0.37 * more, -0.61 * more).map(|x| x % 0.4) * step;
        Self {
            origin: bounds.min - shift,
            half_step: 0.5 * step,
            cells,
        }
    }

    fn n_points(&self) -> f64 {
        2.0 * self.cells.iter().map(|&n| f64::from(n)).product::<f64>()
    }

    fn position(&self, site: &Site) -> Point3<f64> {
        self.origin + nalgebra::Vector3::from_fn(|i, _| f64::from(site[i]) * self.half_step)
    }
}

struct March<'a> {
    lattice: Lattice,
    sdf: &'a dyn Sdf,
    values: Map<Site, f64>,
    /// Sites moved onto the surface, and where to.
    warped: Map<Site, Point3<f64>>,
    vertices: Vec<Point3<f64>>,
    faces: Vec<[u32; 3]>,
    on_point: Map<Site, u32>,
    on_edge: Map<(Site, Site), u32>,
}

/// The 14 neighbours of a site: 6 of its own cubic lattice, 8 of the other.
fn neighbours() -> impl Iterator<Item = Site> {
    let axes = (0..6).map(|k| {
        let mut d = [0; 3];
        d[k / 2] = if k % 2 == 0 { 2 } else { -2 };
        d
    });
    let diagonals = (0..8).map(|k: i32| [0, 1, 2].map(|i| if k >> i & 1 == 1 { 1 } else { -1 }));
    axes.chain(diagonals)
}

fn add(a: &Site, d: &Site) -> Site {
    [a[0] + d[0], a[1] + d[1], a[2] + d[2]]
}

impl March<'_> {
    fn run(&mut self) {
        let active = self.active_cells();
        self.warp(&active);
        for cell in &active {
            let center = cell.map(|i| 2 * i + 1);
            // tetrahedra around the face shared with the next cell along each axis
            for axis in 0..3 {
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut next = center;
                next[axis] += 2;
                let corner = |su: i32, sv: i32| {
                    let mut c = center;
                    c[axis] += 1;
                    c[u] += su;
                    c[v] += sv;
                    c
                };
                let ring = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
                for k in 0..4 {
                    self.tetrahedron([center, next, ring[k], ring[(k + 1) % 4]]);
                }
            }
        }
    }

    /// Cells the surface can reach, found by descending through blocks with the Lipschitz bound.
    fn active_cells(&self) -> Vec<Site> {
        let size = self.lattice.cells.iter().copied().max().unwrap_or(1);
        let top = (size as u32).next_power_of_two() as i32;
        let mut active = Vec::new();
        let mut stack = vec![([0, 0, 0], top)];
        while let Some((low, side)) = stack.pop() {
            if (0..3).any(|i| low[i] >= self.lattice.cells[i]) {
                continue;
            }
            let center = self.lattice.position(&low.map(|i: i32| 2 * i + side));
            // neighbours' centres belong to this cell's tetrahedra: one cell more on every side
            let reach = (f64::from(side) + 2.0) * self.lattice.half_step * 3.0_f64.sqrt();
            if self.sdf.value(&center).abs() > self.sdf.lipschitz() * reach {
                continue;
            }
            if side == 1 {
                active.push(low);
                continue;
            }
            let half = side / 2;
            for k in 0..8 {
                stack.push(([0, 1, 2].map(|i| low[i] + (k >> i & 1) * half), half));
            }
        }
        active.sort_unstable();
        active
    }

    fn value(&mut self, site: Site) -> f64 {
        let (lattice, sdf) = (&self.lattice, self.sdf);
        *self
            .values
            .entry(site)
            .or_insert_with(|| sdf.value(&lattice.position(&site)))
    }

    /// Moves sites close to the surface onto it, along the edge that crosses it closest.
    fn warp(&mut self, active: &[Site]) {
        let mut sites: Vec<Site> = active
            .iter()
            .flat_map(|cell| {
                let center = cell.map(|i| 2 * i + 1);
                neighbours().map(move |d| add(&center, &d)).chain([center])
            })
            .collect();
        sites.sort_unstable();
        sites.dedup();
        let mut moves = Vec::new();
        for site in &sites {
            let value = self.value(*site);
            if value == 0.0 {
                moves.push((*site, self.lattice.position(site)));
                continue;
            }
            // too far for any edge to cross the surface within the warped part
            let longest = 2.0 * self.lattice.half_step;
            if value.abs() > self.sdf.lipschitz() * WARP * longest {
                continue;
            }
            let mut best: Option<(f64, Point3<f64>)> = None;
            for d in neighbours() {
                let other = add(site, &d);
                let other_value = self.value(other);
                if value * other_value >= 0.0 {
                    continue;
                }
                let (p, q) = (self.lattice.position(site), self.lattice.position(&other));
                let t = root(self.sdf, &p, &q, value);
                if t < WARP && best.is_none_or(|(b, _)| t < b) {
                    best = Some((t, p + (q - p) * t));
                }
            }
            if let Some((_, p)) = best {
                moves.push((*site, p));
            }
        }
        for (site, p) in moves {
            self.values.insert(site, 0.0);
            self.warped.insert(site, p);
        }
    }

    fn vertex_at(&mut self, site: Site) -> u32 {
        if let Some(&v) = self.on_point.get(&site) {
            return v;
        }
        let v = self.vertices.len() as u32;
        self.vertices.push(self.warped[&site]);
        self.on_point.insert(site, v);
        v
    }

    fn vertex_between(&mut self, a: Site, b: Site) -> u32 {
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&v) = self.on_edge.get(&key) {
            return v;
        }
        let (p, q) = (self.lattice.position(&key.0), self.lattice.position(&key.1));
        let value = self.values[&key.0];
        let t = root(self.sdf, &p, &q, value);
        let v = self.vertices.len() as u32;
        self.vertices.push(p + (q - p) * t);
        self.on_edge.insert(key, v);
        v
    }

    /// The part of the surface in one tetrahedron.
    fn tetrahedron(&mut self, sites: [Site; 4]) {
        let mut negative = [0; 4];
        let (mut n, mut zero, mut positive) = (0, 0, 0);
        let mut others = [0; 4];
        let mut n_others = 0;
        for (i, site) in sites.iter().enumerate() {
            let value = self.value(*site);
            if value < 0.0 {
                negative[n] = i;
                n += 1;
            } else {
                others[n_others] = i;
                n_others += 1;
                if value == 0.0 {
                    zero += 1;
                } else {
                    positive += 1;
                }
            }
        }
        if n == 0 || n == 4 || (positive == 0 && zero < 3) {
            return;
        }
        let outward_from = negative[0];
        let mut polygon: Vec<u32> = Vec::with_capacity(4);
        let mut corner = |march: &mut Self, inside: usize, other: usize| {
            let v = if march.values[&sites[other]] == 0.0 {
                march.vertex_at(sites[other])
            } else {
                march.vertex_between(sites[inside], sites[other])
            };
            if !polygon.contains(&v) {
                polygon.push(v);
            }
        };
        match n {
            1 => {
                for &o in &others[..3] {
                    corner(self, negative[0], o);
                }
            }
            2 => {
                corner(self, negative[0], others[0]);
                corner(self, negative[0], others[1]);
                corner(self, negative[1], others[1]);
                corner(self, negative[1], others[0]);
            }
            _ => {
                for &i in &negative[..3] {
                    corner(self, i, others[0]);
                }
            }
        }
        if polygon.len() < 3 {
            return;
        }
        let inside = self
            .warped
            .get(&sites[outward_from])
            .copied()
            .unwrap_or_else(|| self.lattice.position(&sites[outward_from]));
        self.emit(&polygon, &inside);
    }

    /// Adds a triangle or a quad (cut along its shorter diagonal), facing away from `inside`.
    fn emit(&mut self, polygon: &[u32], inside: &Point3<f64>) {
        let p = |i: usize| self.vertices[polygon[i] as usize];
        let normal = (p(1) - p(0)).cross(&(p(2) - p(0)));
        let outward = normal.dot(&(p(0) - inside)) > 0.0;
        let mut triangle = |a: usize, b: usize, c: usize| {
            let f = [polygon[a], polygon[b], polygon[c]];
            self.faces
                .push(if outward { f } else { [f[0], f[2], f[1]] });
        };
        if polygon.len() == 3 {
            triangle(0, 1, 2);
            return;
        }
        let first =
            (self.vertices[polygon[0] as usize] - self.vertices[polygon[2] as usize]).norm();
        let second =
            (self.vertices[polygon[1] as usize] - self.vertices[polygon[3] as usize]).norm();
        if first <= second {
            triangle(0, 1, 2);
            triangle(0, 2, 3);
        } else {
            triangle(0, 1, 3);
            triangle(1, 2, 3);
        }
    }
}

/// Fraction along p→q where φ changes sign, by bisection; `value` is φ(p).
fn root(sdf: &dyn Sdf, p: &Point3<f64>, q: &Point3<f64>, value: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let v = sdf.value(&(p + (q - p) * middle));
        if v == 0.0 {
            return middle;
        }
        if (v < 0.0) == (value < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Two tetrahedra that share a face lying in the surface and are both inside emit it twice, facing
/// each other: such pairs bound nothing.
fn without_opposite_pairs(faces: Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let rotated = |f: &[u32; 3]| {
        let k = (0..3).min_by_key(|&k| f[k]).unwrap_or(0);
        [f[k], f[(k + 1) % 3], f[(k + 2) % 3]]
    };
    let mut count: HashMap<[u32; 3], i32> = HashMap::new();
    for f in &faces {
        *count.entry(rotated(f)).or_default() += 1;
    }
    faces
        .into_iter()
        .filter(|f| {
            let r = rotated(f);
            !count.contains_key(&[r[0], r[2], r[1]])
        })
        .collect()
}

/// Drops vertices no face uses.
fn compact(vertices: Vec<Point3<f64>>, faces: Vec<[u32; 3]>) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let mut index = vec![u32::MAX; vertices.len()];
    let mut kept = Vec::with_capacity(vertices.len());
    let faces = faces
        .into_iter()
        .map(|f| {
            f.map(|v| {
                let slot = &mut index[v as usize];
                if *slot == u32::MAX {
                    *slot = kept.len() as u32;
                    kept.push(vertices[v as usize]);
                }
                *slot
            })
        })
        .collect();
    (kept, faces)
}
