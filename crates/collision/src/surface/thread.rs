//! Structured meshes of bolts and nuts: columns of constant angle whose rows follow the helix, so
//! that crests, roots and flank edges are mesh edges.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use crate::error::{Result, positive};
use crate::sdf::{BoltSdf, MetricThread, NutSdf, Sdf};
use crate::shape::TriangleMesh;

/// Mesh of a bolt with edges of about `resolution` m or shorter.
pub fn bolt_mesh(name: &str, bolt: &BoltSdf, resolution: f64) -> Result<TriangleMesh> {
    positive(name, "resolution", resolution)?;
    let mut mesh = Columns::new(bolt.thread(), resolution, bolt.thread().major_radius());
    let inside_tip = bolt.thread().minor_radius() * 0.5;
    mesh.wall(bolt, 0.0, bolt.length(), Side::Outer, inside_tip);
    mesh.fan(bolt.length(), Row::Top, Facing::Up);
    let (head_height, head_across) = bolt.head();
    if head_height > 0.0 {
        let upper = mesh.hexagon(head_across, 0.0);
        let lower = mesh.hexagon(head_across, -head_height);
        let inner = mesh.bottom.clone();
        mesh.strip(&inner, &upper);
        mesh.strip(&upper, &lower);
        mesh.bottom = lower;
        mesh.fan(-head_height, Row::Bottom, Facing::Down);
    } else {
        mesh.fan(0.0, Row::Bottom, Facing::Down);
    }
    TriangleMesh::watertight(name, mesh.vertices, mesh.faces)
}

/// Mesh of a nut with edges of about `resolution` m or shorter on the thread.
pub fn nut_mesh(name: &str, nut: &NutSdf, resolution: f64) -> Result<TriangleMesh> {
    positive(name, "resolution", resolution)?;
    let mut mesh = Columns::new(nut.thread(), resolution, nut.thread().major_radius());
    mesh.wall(nut, 0.0, nut.height(), Side::Inner, 0.49 * nut.across());
    let upper = mesh.hexagon(nut.across(), nut.height());
    let lower = mesh.hexagon(nut.across(), 0.0);
    let (bottom, top) = (mesh.bottom.clone(), mesh.top.clone());
    mesh.strip(&top, &upper);
    mesh.strip(&upper, &lower);
    mesh.strip(&lower, &bottom);
    TriangleMesh::watertight(name, mesh.vertices, mesh.faces)
}

/// Whether the solid is inside the threaded wall (bolt) or around it (nut).
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Outer,
    Inner,
}

enum Row {
    Bottom,
    Top,
}

#[derive(PartialEq)]
enum Facing {
    Up,
    Down,
}

struct Columns {
    thread: MetricThread,
    n_columns: usize,
    /// Heights of the rows within one pitch above a crest, m.
    rows: Vec<f64>,
    vertices: Vec<Point3<f64>>,
    faces: Vec<[u32; 3]>,
    /// Ring of vertices at the lower and upper end of the threaded wall.
    bottom: Vec<u32>,
    top: Vec<u32>,
}

impl Columns {
    fn new(thread: &MetricThread, resolution: f64, radius: f64) -> Self {
        // a multiple of 6 puts a column on every corner of a hexagon
        let n_columns = 6 * ((2.0 * PI * radius / resolution / 6.0).ceil() as usize).max(2);
        let p = thread.pitch();
        let breaks = [-p / 16.0, p / 16.0, 0.375 * p, 0.625 * p, 0.9375 * p];
        let mut rows = Vec::new();
        for k in 0..4 {
            let (low, high) = (breaks[k], breaks[k + 1]);
            // flanks are twice as long as their axial extent
            let length = if k % 2 == 1 {
                2.0 * (high - low)
            } else {
                high - low
            };
            let parts = (length / (1.2 * resolution)).ceil().max(1.0) as usize;
            for i in 0..parts {
                rows.push(low + (high - low) * i as f64 / parts as f64);
            }
        }
        Self {
            thread: *thread,
            n_columns,
            rows,
            vertices: Vec::new(),
            faces: Vec::new(),
            bottom: Vec::new(),
            top: Vec::new(),
        }
    }

    fn angle(&self, column: usize) -> f64 {
        // corners of `hexagon` in sdf::thread lie at 30° + k 60°
        PI / 6.0 + 2.0 * PI * column as f64 / self.n_columns as f64
    }

    fn push(&mut self, p: Point3<f64>) -> u32 {
        self.vertices.push(p);
        self.vertices.len() as u32 - 1
    }

    /// The threaded wall between two heights.
    fn wall(&mut self, sdf: &dyn Sdf, low: f64, high: f64, side: Side, other_side: f64) {
        let pitch = self.thread.pitch();
        // rows closer to an end than this would make slivers
        let keep_off = 0.02 * pitch;
        let mut columns: Vec<Vec<(i64, u32)>> = Vec::with_capacity(self.n_columns);
        for column in 0..self.n_columns {
            let angle = self.angle(column);
            let crest = self.thread.lead() * (angle - self.thread.start());
            let mut list = vec![(i64::MIN, self.wall_point(sdf, angle, low, side, other_side))];
            let first = ((low - crest) / pitch).floor() as i64 - 1;
            let last = ((high - crest) / pitch).ceil() as i64 + 1;
            for turn in first..=last {
                for row in 0..self.rows.len() {
                    let z = crest + turn as f64 * pitch + self.rows[row];
                    if z > low + keep_off && z < high - keep_off {
                        let label = turn * self.rows.len() as i64 + row as i64;
                        list.push((label, self.wall_point(sdf, angle, z, side, other_side)));
                    }
                }
            }
            list.push((
                i64::MAX,
                self.wall_point(sdf, angle, high, side, other_side),
            ));
            columns.push(list);
        }
        // one turn further on, the same row has the label of the next pitch
        for column in 0..self.n_columns {
            let next = (column + 1) % self.n_columns;
            let shift = if next == 0 { self.rows.len() as i64 } else { 0 };
            let (a, b) = (columns[column].clone(), columns[next].clone());
            self.zip(&a, &b, shift, side);
        }
        self.bottom = columns.iter().map(|c| c[0].1).collect();
        self.top = columns.iter().map(|c| c[c.len() - 1].1).collect();
    }

    /// Point of the wall at an angle and height: where φ changes sign between the bore (or the
    /// outside) and a radius that is certainly on the other side.
    fn wall_point(
        &mut self,
        sdf: &dyn Sdf,
        angle: f64,
        z: f64,
        side: Side,
        other_side: f64,
    ) -> u32 {
        let at = |r: f64| Point3::new(r * angle.cos(), r * angle.sin(), z);
        let (mut solid, mut free) = match side {
            Side::Outer => (other_side, 1.1 * self.thread.major_radius()),
            Side::Inner => (other_side, 0.5 * self.thread.minor_radius()),
        };
        for _ in 0..60 {
            let middle = 0.5 * (solid + free);
            if sdf.value(&at(middle)) <= 0.0 {
                solid = middle;
            } else {
                free = middle;
            }
        }
        self.push(at(0.5 * (solid + free)))
    }

    /// Triangles between two neighbouring columns whose rows are matched by label.
    fn zip(&mut self, a: &[(i64, u32)], b: &[(i64, u32)], shift: i64, side: Side) {
        let label_b = |j: usize| match b[j].0 {
            i64::MIN => i64::MIN,
            i64::MAX => i64::MAX,
            label => label - shift,
        };
        let (mut i, mut j) = (0, 0);
        while i + 1 < a.len() || j + 1 < b.len() {
            let next_a = a.get(i + 1).map(|e| e.0);
            let next_b = (j + 1 < b.len()).then(|| label_b(j + 1));
            let (advance_a, advance_b) = match (next_a, next_b) {
                (Some(la), Some(lb)) => (la <= lb, lb <= la),
                (Some(_), None) => (true, false),
                _ => (false, true),
            };
            let (p, q) = (a[i].1, b[j].1);
            if advance_a && advance_b {
                let (r, s) = (a[i + 1].1, b[j + 1].1);
                self.triangle([p, q, s], side);
                self.triangle([p, s, r], side);
                i += 1;
                j += 1;
            } else if advance_a {
                self.triangle([p, q, a[i + 1].1], side);
                i += 1;
            } else {
                self.triangle([p, q, b[j + 1].1], side);
                j += 1;
            }
        }
    }

    fn triangle(&mut self, f: [u32; 3], side: Side) {
        self.faces.push(match side {
            Side::Outer => f,
            Side::Inner => [f[0], f[2], f[1]],
        });
    }

    /// Ring on a hexagonal prism at height z.
    fn hexagon(&mut self, across: f64, z: f64) -> Vec<u32> {
        (0..self.n_columns)
            .map(|column| {
                let angle = self.angle(column);
                let direction = Vector3::new(angle.cos(), angle.sin(), 0.0);
                let widest = (0..3)
                    .map(|k| {
                        let (sin, cos) = (f64::from(k) * PI / 3.0).sin_cos();
                        (direction.x * cos + direction.y * sin).abs()
                    })
                    .fold(0.0, f64::max);
                let p = Point3::from(direction * (0.5 * across / widest) + Vector3::z() * z);
                self.push(p)
            })
            .collect()
    }

    /// Quads between two rings; the solid is to the left of first → second seen along +angle.
    fn strip(&mut self, first: &[u32], second: &[u32]) {
        let n = first.len();
        for i in 0..n {
            let k = (i + 1) % n;
            self.faces.push([first[i], second[i], second[k]]);
            self.faces.push([first[i], second[k], first[k]]);
        }
    }

    /// Disc closing the wall at height z.
    fn fan(&mut self, z: f64, row: Row, facing: Facing) {
        let center = self.push(Point3::new(0.0, 0.0, z));
        let ring = match row {
            Row::Bottom => self.bottom.clone(),
            Row::Top => self.top.clone(),
        };
        let n = ring.len();
        for i in 0..n {
            let (p, q) = (ring[i], ring[(i + 1) % n]);
            self.faces.push(if facing == Facing::Up {
                [center, p, q]
            } else {
                [center, q, p]
            });
        }
    }
}
