//! Surfaces that deform, against points, chains, each other and themselves.

mod common;

use common::scene::Scene;
use common::{rng, unit};
use nalgebra::{Isometry3, Point3, Vector3};
use rand::RngExt;
use stiction_collision::{Collider, ContactPoint, Geometry, PlacesView, Support};

/// Vertices and outward faces of a solid made of unit cells of side `a`, some filled.
fn voxels(filled: &dyn Fn([i32; 3]) -> bool, cells: [i32; 3], a: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let mut index = std::collections::HashMap::new();
    let cell = |i, j, k| (0..3).all(|d| (0..cells[d]).contains(&[i, j, k][d])) && filled([i, j, k]);
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                if !cell(i, j, k) {
                    continue;
                }
                for axis in 0..3 {
                    for step in [-1, 1] {
                        let mut next = [i, j, k];
                        next[axis] += step;
                        if cell(next[0], next[1], next[2]) {
                            continue;
                        }
                        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                        let corner = |s: i32, t: i32| {
                            let mut at = [i, j, k];
                            at[axis] += i32::from(step > 0);
                            at[u] += s;
                            at[v] += t;
                            at
                        };
                        let mut ring = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                        if step < 0 {
                            ring.reverse();
                        }
                        let ring = ring.map(|at| {
                            *index.entry(at).or_insert_with(|| {
                                let place = at.map(|x| a * f64::from(x));
                                mesh.vertices.push(Point3::from(place));
                                mesh.vertices.len() as u32 - 1
                            })
                        });
                        mesh.faces.push([ring[0], ring[1], ring[2]]);
                        mesh.faces.push([ring[0], ring[2], ring[3]]);
                    }
                }
            }
        }
    }
    mesh
}

#[derive(Debug, Clone, Default)]
struct Mesh {
    vertices: Vec<Point3<f64>>,
    faces: Vec<[u32; 3]>,
}

impl Mesh {
    fn collider(&self, name: &str, first_node: u32) -> Collider {
        let nodes = (first_node..first_node + self.vertices.len() as u32).collect();
        Collider::surface(name, nodes, self.faces.clone(), 0.05)
    }
}

fn block(cells: [i32; 3], a: f64) -> Mesh {
    voxels(&|_| true, cells, a)
}

fn detect(scene: &mut Scene, poses: &[Isometry3<f64>], nodes: &[Point3<f64>]) -> Vec<ContactPoint> {
    let mut contacts = Vec::new();
    scene
        .detect_at(&PlacesView::at_rest(poses, nodes), &mut contacts)
        .unwrap();
    contacts
}

/// Position of the surface point that a side stands on, from the nodes alone.
fn stands_at(support: &Support, nodes: &[Point3<f64>]) -> Point3<f64> {
    let parts = support.nodes().map(|(n, w)| nodes[n as usize].coords * w);
    Point3::from(parts.sum::<Vector3<f64>>())
}

#[test]
fn balls_meet_a_block_at_the_distance_of_its_box() {
    let mesh = block([4, 3, 2], 0.1);
    let half = Vector3::new(0.2, 0.15, 0.1);
    let mut rng = rng(7);
    for radius in [0.0, 0.02] {
        for _ in 0..200 {
            let direction = unit(&mut rng);
            let at = half + direction * rng.random_range(0.05..0.3);
            let mut nodes = mesh.vertices.clone();
            nodes.push(Point3::from(at));
            let mut scene = Scene::serial(0.01);
            scene.colliders.add(mesh.collider("block", 0)).unwrap();
            let ball = Collider::points("ball", vec![nodes.len() as u32 - 1], radius);
            scene.colliders.add(ball).unwrap();
            let contacts = detect(&mut scene, &[], &nodes);
            // distance of a box by hand
            let outside = (at - half).abs() - half;
            let distance = outside.map(|x| x.max(0.0)).norm() + outside.max().min(0.0);
            let expected = distance - radius <= 0.01 && distance > -0.05;
            assert_eq!(contacts.len(), usize::from(expected), "{at:?} {distance}");
            if let [contact] = contacts.as_slice() {
                assert!((contact.gap - (distance - radius)).abs() < 1e-12);
                let ball = usize::from(contact.on[1].nodes().count() == 1);
                let normal = contact.normal * if ball == 1 { 1.0 } else { -1.0 };
                let surface = match ball {
                    1 => contact.point_a(),
                    _ => contact.point_b(),
                };
                assert!((stands_at(&contact.on[1 - ball], &nodes) - surface).norm() < 1e-12);
                assert!((surface + normal * distance - nodes[nodes.len() - 1]).norm() < 1e-9);
            }
        }
    }
}

#[test]
fn two_blocks_touch_face_to_face_from_both_sides() {
    let (below, above) = (block([3, 3, 1], 0.1), block([2, 2, 2], 0.07));
    for gap in [-0.004, 0.0, 0.003] {
        let shift = Vector3::new(0.08, 0.05, 0.1 + gap);
        let mut nodes = below.vertices.clone();
        nodes.extend(above.vertices.iter().map(|p| p + shift));
        let mut scene = Scene::serial(0.005);
        scene.colliders.add(below.collider("below", 0)).unwrap();
        let first = below.vertices.len() as u32;
        scene.colliders.add(above.collider("above", first)).unwrap();
        let contacts = detect(&mut scene, &[], &nodes);
        // nine vertices of the upper block, two of the lower that it covers
        assert_eq!(contacts.len(), 11, "gap {gap}");
        for contact in &contacts {
            assert!((contact.gap - gap).abs() < 1e-12);
            // "above" is A
            assert!((contact.normal + Vector3::z()).norm() < 1e-9, "gap {gap}");
            for (side, point) in [(0, contact.point_a()), (1, contact.point_b())] {
                assert!((stands_at(&contact.on[side], &nodes) - point).norm() < 1e-9);
            }
        }
        let mut ids: Vec<_> = contacts.iter().map(|contact| contact.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 11, "ids are unique");
    }
}

#[test]
fn a_rope_over_an_edge_touches_with_the_inside_of_its_link() {
    let mesh = block([1, 1, 1], 0.1);
    // across the edge x = 0.1, z = 0.1 at 45°, its centre line 0.012 from it
    let middle = Point3::new(0.1, 0.05, 0.1) + Vector3::new(1.0, 0.0, 1.0).normalize() * 0.012;
    let along = Vector3::new(1.0, 0.0, -1.0).normalize() * 0.05;
    let poses = [middle - along, middle + along * 1.4].map(|p| Isometry3::from(p.coords));
    let mut scene = Scene::serial(0.003);
    scene.colliders.add(mesh.collider("block", 0)).unwrap();
    let rope = Collider::chain("rope", vec![0, 1], 0.01);
    scene.colliders.add(rope).unwrap();
    let contacts = detect(&mut scene, &poses, &mesh.vertices);
    assert_eq!(contacts.len(), 1);
    assert!((contacts[0].gap - 0.002).abs() < 1e-9);
    let Support::Frames { weights, .. } = contacts[0].on[1] else {
        panic!("inside the link: {:?}", contacts[0].on);
    };
    assert!((weights[1] - 1.0 / 2.4).abs() < 1e-7, "{weights:?}");
}

/// A roof with its ridge along y at the origin, 0.05 m high and as wide to both sides, `cells` long cells of
/// 0.1 m.
fn roof(cells: usize) -> Mesh {
    let section = |k: usize| {
        let y = 0.1 * (k as f64 - 0.5 * cells as f64);
        [[0.0, y, 0.0], [-0.05, y, -0.05], [0.05, y, -0.05]].map(Point3::from)
    };
    let mut mesh = Mesh {
        vertices: (0..=cells).flat_map(section).collect(),
        faces: vec![[0, 1, 2]],
    };
    for k in 0..cells as u32 {
        for (a, b) in [(0, 2), (2, 1), (1, 0)] {
            let (a, b) = (3 * k + a, 3 * k + b);
            mesh.faces.extend([[a, b, b + 3], [a, b + 3, a + 3]]);
        }
    }
    let last = 3 * cells as u32;
    mesh.faces.push([last, last + 2, last + 1]);
    mesh
}

/// Ridges of two roofs that cross `gap` apart, the upper one upside down and turned by `angle` about z and
/// shifted by (`x`, `y`).
fn crossed_roofs(cells: usize, gap: f64, angle: f64, [x, y]: [f64; 2]) -> Vec<Point3<f64>> {
    let lower = roof(cells);
    let over = nalgebra::Rotation3::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI);
    let about = nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), angle);
    let shift = Vector3::new(x, y, gap);
    let upper = lower.vertices.iter().map(|p| about * (over * p) + shift);
    lower.vertices.iter().copied().chain(upper).collect()
}

#[test]
fn crossed_ridges_touch_at_one_point_that_keeps_its_id() {
    let mesh = roof(3);
    let split = mesh.vertices.len() as u32;
    let mut scene = Scene::serial(0.01);
    scene.colliders.add(mesh.collider("lower", 0)).unwrap();
    scene.colliders.add(mesh.collider("upper", split)).unwrap();
    let mut ids = Vec::new();
    for gap in [0.008, 1e-4, 0.0, -1e-4, -0.008] {
        for (angle, shift) in [(1.5, [0.0, 0.0]), (1.2, [0.01, 0.02]), (1.9, [0.02, -0.01])] {
            let nodes = crossed_roofs(3, gap, angle, shift);
            let contacts = detect(&mut scene, &[], &nodes);
            let [contact] = contacts.as_slice() else {
                panic!("gap {gap}, {angle}: {contacts:?}");
            };
            assert!((contact.gap - gap).abs() < 1e-12, "{contact:?}");
            assert!((contact.normal.z.abs() - 1.0).abs() < 1e-12);
            let up = if contact.point_b().z > contact.point_a().z {
                1.0
            } else {
                -1.0
            };
            assert!(
                gap.abs() < 1e-12 || up * contact.normal.z * gap > 0.0,
                "{contact:?}"
            );
            for (side, point) in [(0, contact.point_a()), (1, contact.point_b())] {
                assert_eq!(contact.on[side].nodes().count(), 2);
                assert!((stands_at(&contact.on[side], &nodes) - point).norm() < 1e-12);
            }
            ids.push(contact.id);
        }
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "the same two edges");
    // Beyond the margin, and beyond the depth (0.05 m) to which things are pushed out.
    for gap in [0.011, -0.06] {
        let nodes = crossed_roofs(3, gap, 1.5, [0.0, 0.0]);
        let ridges = detect(&mut scene, &[], &nodes)
            .iter()
            .filter(|contact| contact.on.iter().all(|side| side.nodes().count() == 2))
            .count();
        assert_eq!(ridges, 0, "gap {gap}");
    }
}

/// Two thin plates in touch: their far edges are no ridges that have passed each other.
#[test]
fn edges_on_the_far_sides_of_thin_plates_do_not_touch() {
    let (below, above) = (block([4, 1, 1], 0.01), block([1, 4, 1], 0.01));
    let mut nodes = below.vertices.clone();
    let shift = Vector3::new(0.015, -0.015, 0.011);
    nodes.extend(above.vertices.iter().map(|p| p + shift));
    let mut scene = Scene::serial(0.003);
    scene.colliders.add(below.collider("below", 0)).unwrap();
    let first = below.vertices.len() as u32;
    scene.colliders.add(above.collider("above", first)).unwrap();
    let contacts = detect(&mut scene, &[], &nodes);
    assert!(!contacts.is_empty());
    for contact in contacts {
        assert!((contact.gap - 0.001).abs() < 1e-12, "{contact:?}");
    }
}

/// Two roofs as one body, joined far away: their ridges cross as those of two bodies do.
#[test]
fn crossed_ridges_of_one_surface_touch() {
    let mesh = roof(3);
    let split = mesh.vertices.len() as u32;
    let mut both = mesh.faces.clone();
    both.extend(mesh.faces.iter().map(|face| face.map(|v| v + split)));
    let mut collider = Collider::surface("both", (0..2 * split).collect(), both, 0.05);
    collider.touches_itself = true;
    let mut scene = Scene::serial(0.003);
    scene.colliders.add(collider).unwrap();
    for gap in [0.002, -0.002] {
        let nodes = crossed_roofs(3, gap, 1.5, [0.01, 0.02]);
        let contacts = detect(&mut scene, &[], &nodes);
        assert_eq!(contacts.len(), 1, "gap {gap}: {contacts:?}");
        assert!((contacts[0].gap - gap).abs() < 1e-12);
    }
}

/// Two arms joined by a back, 0.1 m apart.
fn clamp() -> Mesh {
    voxels(&|[i, _, k]| i == 0 || k != 1, [4, 2, 3], 0.1)
}

#[test]
fn the_arms_of_a_clamp_touch_each_other_and_nothing_else() {
    let mesh = clamp();
    let mut collider = mesh.collider("clamp", 0);
    collider.touches_itself = true;
    for gap in [0.004, 0.0, -0.004] {
        // the upper arm is lowered, all but the back
        let lowered = |p: &Point3<f64>| {
            let is_arm = p.z > 0.15 && p.x > 0.15;
            p - Vector3::z() * if is_arm { 0.1 - gap } else { 0.0 }
        };
        let nodes: Vec<_> = mesh.vertices.iter().map(lowered).collect();
        let mut scene = Scene::serial(0.005);
        scene.colliders.add(collider.clone()).unwrap();
        let contacts = detect(&mut scene, &[], &nodes);
        // at x = 0.2 the arm bends down from the back, its normal is another
        let flat: Vec<_> = contacts.iter().filter(|c| c.point.x > 0.25).collect();
        assert_eq!(flat.len(), 12, "gap {gap}");
        for contact in &contacts {
            assert!(
                (contact.point.z - 0.1 - 0.5 * gap).abs() < 0.003,
                "{contact:?}"
            );
            for (side, point) in [(0, contact.point_a()), (1, contact.point_b())] {
                assert!((stands_at(&contact.on[side], &nodes) - point).norm() < 1e-9);
            }
        }
        for contact in flat {
            assert!((contact.gap - gap).abs() < 1e-12, "{contact:?}");
            assert!((contact.normal.z.abs() - 1.0).abs() < 1e-9);
        }
    }
}

/// Where a point of a body goes.
type Bend = fn(&Point3<f64>) -> Point3<f64>;

#[test]
fn a_thin_sheet_does_not_touch_itself_through_its_own_body() {
    let mut collider = block([12, 12, 1], 0.01).collider("sheet", 0);
    collider.touches_itself = true;
    let mesh = block([12, 12, 1], 0.01);
    // flat, bent, and squeezed to a quarter; the margin reaches over several cells
    let shapes: [Bend; 3] = [
        |p| *p,
        |p| {
            let (angle, radius) = (p.x / 0.05, 0.05 + p.z);
            Point3::new(radius * angle.sin(), p.y, radius * angle.cos())
        },
        |p| Point3::new(p.x, p.y, 0.25 * p.z),
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        let mut nodes: Vec<_> = mesh.vertices.iter().map(shape).collect();
        if number == 1 {
            // bending about y turned it inside out
            nodes.iter_mut().for_each(|p| p.y = -p.y);
            nodes.iter_mut().for_each(|p| p.x = -p.x);
        }
        let mut scene = Scene::serial(0.03);
        scene.colliders.add(collider.clone()).unwrap();
        let contacts = detect(&mut scene, &[], &nodes);
        assert_eq!(contacts.len(), 0, "shape {number}: {:?}", contacts.first());
    }
}

#[test]
fn the_order_of_colliders_changes_nothing() {
    let (soft, other) = (clamp(), block([2, 2, 2], 0.08));
    let split = soft.vertices.len() as u32;
    let mut nodes = soft.vertices.clone();
    let shift = Vector3::new(0.13, 0.02, 0.295);
    nodes.extend(other.vertices.iter().map(|p| p + shift));
    let poses: Vec<_> = (0..6)
        .map(|i| Isometry3::translation(0.05 + 0.05 * f64::from(i), 0.1, 0.475))
        .collect();
    let mut clamp = soft.collider("clamp", 0);
    clamp.touches_itself = true;
    let colliders = [
        clamp,
        other.collider("block", split),
        Collider::chain("rope", (0..6).collect(), 0.02),
    ];
    let run = |order: [usize; 3]| {
        let mut scene = Scene::serial(0.01);
        for index in order {
            scene.colliders.add(colliders[index].clone()).unwrap();
        }
        let mut contacts = detect(&mut scene, &poses, &nodes);
        // indices follow the order; all else must not
        contacts.iter_mut().for_each(|c| c.colliders = [0, 0]);
        contacts.sort_by_key(|contact| contact.id);
        contacts
    };
    let contacts = run([0, 1, 2]);
    assert!(contacts.len() > 10, "{}", contacts.len());
    for order in [[0, 2, 1], [1, 0, 2], [2, 1, 0]] {
        assert_eq!(run(order), contacts, "{order:?}");
    }
    assert!(matches!(colliders[0].geometry, Geometry::Surface { .. }));
}
