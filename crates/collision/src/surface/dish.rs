//! Structured mesh of a dish: its outline in (r, z), revolved.

use std::f64::consts::PI;

use nalgebra::{Point2, Point3, Vector2};

use crate::error::{CollisionError, Result, positive};
use crate::sdf::Dish;
use crate::shape::TriangleMesh;

/// Mesh of a dish with edges of about `resolution` m or shorter, rows on its rings.
pub fn dish_mesh(name: &str, dish: &Dish, resolution: f64) -> Result<TriangleMesh> {
    positive(name, "resolution", resolution)?;
    let outline = outline(dish, resolution);
    if let Some(p) = outline[1..outline.len() - 1].iter().find(|p| p.x <= 0.0) {
        return Err(CollisionError::InvalidParameter {
            element: name.to_owned(),
            field: "radius of the neck less the thickness",
            value: p.x,
            reason: "must be positive for a mesh",
        });
    }
    let widest = outline.iter().map(|p| p.x).fold(0.0, f64::max);
    let n = ((2.0 * PI * widest / resolution).ceil() as usize).clamp(12, 4096);

    // poles, then one ring per outline point between them
    let inner = &outline[1..outline.len() - 1];
    let mut vertices = vec![
        Point3::new(0.0, 0.0, outline[0].y),
        Point3::new(0.0, 0.0, outline[outline.len() - 1].y),
    ];
    for p in inner {
        for k in 0..n {
            let angle = 2.0 * PI * k as f64 / n as f64;
            vertices.push(Point3::new(p.x * angle.cos(), p.x * angle.sin(), p.y));
        }
    }
    let at = |ring: usize, k: usize| (2 + ring * n + k % n) as u32;
    let mut faces = Vec::new();
    for k in 0..n {
        faces.push([0, at(0, k + 1), at(0, k)]);
        faces.push([1, at(inner.len() - 1, k), at(inner.len() - 1, k + 1)]);
    }
    for ring in 0..inner.len() - 1 {
        for k in 0..n {
            let (a, b) = (at(ring, k), at(ring, k + 1));
            let (c, d) = (at(ring + 1, k), at(ring + 1, k + 1));
            faces.push([a, b, d]);
            faces.push([a, d, c]);
        }
    }
    TriangleMesh::watertight(name, vertices, faces)
}

/// Outline from the axis below the floor, around A and B, back to the axis above the floor.
fn outline(dish: &Dish, resolution: f64) -> Vec<Point2<f64>> {
    let (o, a, b, d) = (Point2::origin(), dish.a(), dish.b(), dish.thickness());
    let along_floor = (a - o).normalize();
    let along_wall = (b - a).normalize();
    // right-hand side of the path O → A → B is the lower, outer one
    let right = |v: Vector2<f64>| Vector2::new(v.y, -v.x);
    let (floor_normal, wall_normal) = (right(along_floor), right(along_wall));
    let turn = along_floor.perp(&along_wall);

    // the two sides meet in an arc around A on the convex side, in a crease on the other
    let miter = {
        let bisector = floor_normal + wall_normal;
        bisector * (d / (1.0 + floor_normal.dot(&wall_normal)).max(1e-3))
    };
    let mut points = Vec::new();
    let on_axis = |normal: Vector2<f64>| {
        // where the offset of O–A meets r = 0
        let p = o + normal * d;
        p - along_floor * (p.x / along_floor.x)
    };
    points.push(on_axis(floor_normal));
    if turn >= 0.0 {
        line(&mut points, a + floor_normal * d, resolution);
        arc(&mut points, a, floor_normal, wall_normal, d, resolution);
    } else {
        line(&mut points, a + miter, resolution);
    }
    line(&mut points, b + wall_normal * d, resolution);
    arc(&mut points, b, wall_normal, along_wall, d, resolution);
    arc(&mut points, b, along_wall, -wall_normal, d, resolution);
    if turn >= 0.0 {
        line(&mut points, a - miter, resolution);
    } else {
        line(&mut points, a - wall_normal * d, resolution);
        arc(&mut points, a, -wall_normal, -floor_normal, d, resolution);
    }
    line(&mut points, on_axis(-floor_normal), resolution);
    let last = points.len() - 1;
    (points[0].x, points[last].x) = (0.0, 0.0);
    points
}

/// Appends points up to and including `end`.
fn line(points: &mut Vec<Point2<f64>>, end: Point2<f64>, resolution: f64) {
    let start = points[points.len() - 1];
    let length = (end - start).norm();
    let n = (length / resolution).ceil() as usize;
    for i in 1..=n {
        points.push(start + (end - start) * (i as f64 / n as f64));
    }
}

/// Appends the arc around `center` from direction `from` (already there) to `to`, counter-clockwise.
fn arc(
    points: &mut Vec<Point2<f64>>,
    center: Point2<f64>,
    from: Vector2<f64>,
    to: Vector2<f64>,
    radius: f64,
    resolution: f64,
) {
    let angle = from.perp(&to).atan2(from.dot(&to));
    if angle <= 1e-9 {
        return;
    }
    // at least every 30°, so that the mesh is round where it touches
    let n = (angle * radius / resolution)
        .ceil()
        .max((angle / (PI / 6.0)).ceil()) as usize;
    let start = from.y.atan2(from.x);
    for i in 1..=n {
        let t = start + angle * i as f64 / n as f64;
        points.push(center + Vector2::new(t.cos(), t.sin()) * radius);
    }
}
