//! The whole pipeline: ids, order, threads, filters, errors.

mod common;
#[path = "common/solids.rs"]
mod solids;

use std::collections::HashSet;

use common::scene::{Scene, settings};
use common::{cube_points, pose, rng, rotation};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use rand::RngExt;
use rand::seq::SliceRandom;
use stiction_collision::sdf::{BoxSdf, Dish, SphereSdf, Transformed};
use stiction_collision::shape::HeightField;
use stiction_collision::{
    BuiltInDetector, Collider, CollisionError, ContactId, ContactPoint, DetectionSettings,
    Execution, Groups, Material, PlacesView, Shape,
};

/// Two of every shape, and then some.
const N_COLLIDERS: usize = 48;

fn every_shape() -> Vec<Shape> {
    let bumps: Vec<f64> = (0..81).map(|i| 0.02 * f64::from(i).sin()).collect();
    let field = HeightField {
        n_x: 9,
        n_y: 9,
        spacing: (0.1, 0.1),
        heights: bumps,
    };
    let torus_mesh = {
        let sdf = stiction_collision::sdf::TorusSdf::new(0.15, 0.06).unwrap();
        stiction_collision::surface::surface_mesh("torus", &sdf, 0.06).unwrap()
    };
    let part = |x: f64| {
        let shape = Shape::sphere("part", 0.08).unwrap();
        (Isometry3::translation(x, 0.0, 0.0), shape)
    };
    vec![
        Shape::sphere("sphere", 0.12).unwrap(),
        Shape::cuboid("box", Vector3::new(0.15, 0.1, 0.08)).unwrap(),
        Shape::capsule("capsule", 0.12, 0.06).unwrap(),
        Shape::cylinder("cylinder", 0.12, 0.08).unwrap(),
        Shape::cone("cone", 0.12, 0.1).unwrap(),
        Shape::ellipsoid("ellipsoid", Vector3::new(0.15, 0.1, 0.07)).unwrap(),
        Shape::convex_hull("hull", &cube_points(0.1)).unwrap(),
        Shape::triangle_mesh(
            "mesh",
            torus_mesh.vertices().to_vec(),
            torus_mesh.faces().to_vec(),
        )
        .unwrap(),
        Shape::height_field("field", &field).unwrap(),
        Shape::compound("compound", vec![part(-0.1), part(0.1)]).unwrap(),
        Shape::dish("dish", Dish::bowl(0.06, 0.14, 0.1, 0.01).unwrap(), 0.02).unwrap(),
        Shape::half_space("ground"),
    ]
}

/// A heap of everything; collider order given by `order`.
fn heap(order: &[usize], execution: Execution) -> (Scene, Vec<Isometry3<f64>>) {
    let shapes = every_shape();
    let mut rng = rng(9);
    let all: Vec<(String, Shape, Isometry3<f64>)> = (0..N_COLLIDERS)
        .map(|i| {
            let shape = shapes[i % shapes.len()].clone();
            let place = if shape.kind() == "half-space" {
                Isometry3::translation(0.0, 0.0, -0.4)
            } else {
                pose(&mut rng, 0.25)
            };
            (format!("collider {i}"), shape, place)
        })
        .collect();
    let mut world = Scene::new(settings(execution, 0.01));
    let mut poses = Vec::new();
    for (body, &i) in (0..).zip(order) {
        let (name, shape, place) = all[i].clone();
        world
            .colliders
            .add(Collider::rigid(&name, body, shape))
            .unwrap();
        poses.push(place);
    }
    (world, poses)
}

fn run(order: &[usize], execution: Execution) -> Vec<ContactPoint> {
    let (mut world, poses) = heap(order, execution);
    let mut contacts = Vec::new();
    world.detect(&poses, &mut contacts).unwrap();
    contacts
}

fn identity_order() -> Vec<usize> {
    (0..N_COLLIDERS).collect()
}

#[test]
fn contacts_are_sound_and_ids_unique() {
    let contacts = run(&identity_order(), Execution::Serial);
    assert!(contacts.len() > 150, "{}", contacts.len());
    let ids: HashSet<ContactId> = contacts.iter().map(|c| c.id).collect();
    assert_eq!(ids.len(), contacts.len());
    for c in &contacts {
        assert!((c.normal.norm() - 1.0).abs() < 1e-9 && c.gap <= 0.01 && c.gap.is_finite());
        assert!(c.point.iter().all(|x| x.is_finite()));
        let [a, b] = c.frames().unwrap();
        assert!(a != b);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let serial = run(&identity_order(), Execution::Serial);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let parallel = pool.install(|| run(&identity_order(), Execution::Parallel));
        assert_eq!(serial, parallel, "{threads} threads");
    }
}

#[test]
fn reordered_input_gives_the_same_contacts() {
    let key = |c: &ContactPoint| c.id;
    let mut reference = run(&identity_order(), Execution::Serial);
    reference.sort_by_key(key);
    let mut order = identity_order();
    order.shuffle(&mut rng(4));
    let mut shuffled = run(&order, Execution::Serial);
    shuffled.sort_by_key(key);
    assert_eq!(reference.len(), shuffled.len());
    for (a, b) in reference.iter().zip(&shuffled) {
        assert_eq!(
            (a.id, a.point, a.normal, a.gap),
            (b.id, b.point, b.normal, b.gap)
        );
        let first = |c: &ContactPoint| c.frames().unwrap()[0];
        assert_eq!(order[first(b) as usize], first(a) as usize);
    }
}

/// Share of ids of one step that are still there in the next, over a motion.
fn persistence(world: &mut Scene, motion: impl Fn(usize) -> Vec<Isometry3<f64>>) -> f64 {
    let mut last: HashSet<ContactId> = HashSet::new();
    let (mut kept, mut total) = (0, 0);
    let mut contacts = Vec::new();
    for step in 0..120 {
        world.detect(&motion(step), &mut contacts).unwrap();
        let now: HashSet<ContactId> = contacts.iter().map(|c| c.id).collect();
        if step > 0 {
            kept += last.intersection(&now).count();
            total += last.len();
        }
        last = now;
    }
    assert!(total > 0, "nothing ever touched");
    kept as f64 / total as f64
}

fn on_ground(shape: Shape, margin: f64) -> Scene {
    let mut world = Scene::serial(margin);
    world
        .colliders
        .add(Collider::rigid("ground", 0, Shape::half_space("ground")))
        .unwrap();
    world
        .colliders
        .add(Collider::rigid("body", 1, shape))
        .unwrap();
    world
}

/// Flat ground with its surface at z = 0: a height field, and a closed mesh with unequal triangles.
fn meshed_grounds() -> [(&'static str, Shape); 2] {
    let field = HeightField {
        n_x: 20,
        n_y: 20,
        spacing: (0.05, 0.05),
        heights: vec![0.0; 400],
    };
    let slab = BoxSdf::new(Vector3::new(0.4, 0.4, 0.05)).unwrap();
    let below = Transformed::new(
        std::sync::Arc::new(slab),
        Isometry3::translation(0.0, 0.0, -0.05),
    )
    .unwrap();
    let mesh = stiction_collision::surface::surface_mesh("slab", &below, 0.06).unwrap();
    let (vertices, faces) = (mesh.vertices().to_vec(), mesh.faces().to_vec());
    [
        (
            "height field",
            Shape::height_field("field", &field).unwrap(),
        ),
        (
            "mesh",
            Shape::triangle_mesh("slab", vertices, faces).unwrap(),
        ),
    ]
}

#[test]
fn ids_persist_while_rolling() {
    // 1 m/s in steps of 1 ms
    let rolling = |radius: f64| {
        move |step: usize| {
            let x = 1e-3 * step as f64;
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), x / radius);
            let lie =
                UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
            let place = Isometry3::from_parts(Vector3::new(x, 0.0, radius).into(), turn * lie);
            vec![Isometry3::identity(), place]
        }
    };
    let shapes = [
        Shape::sphere("sphere", 0.1).unwrap(),
        Shape::cylinder("cylinder", 0.2, 0.1).unwrap(),
        Shape::capsule("capsule", 0.2, 0.1).unwrap(),
        Shape::sdf(
            "sdf",
            std::sync::Arc::new(SphereSdf::new(0.1).unwrap()),
            0.01,
        )
        .unwrap(),
    ];
    for shape in shapes {
        let name = shape.name().to_owned();
        let mut world = on_ground(shape.clone(), 2e-3);
        let share = persistence(&mut world, rolling(0.1));
        assert!(share >= 0.95, "{name}: {share}");
        for (ground_name, ground) in meshed_grounds() {
            let mut world = Scene::serial(1e-3);
            world
                .colliders
                .add(Collider::rigid("ground", 0, ground))
                .unwrap();
            world
                .colliders
                .add(Collider::rigid("body", 1, shape.clone()))
                .unwrap();
            let share = persistence(&mut world, rolling(0.1));
            assert!(share >= 0.95, "{name} on {ground_name}: {share}");
        }
    }
}

#[test]
fn ids_persist_while_sliding() {
    let sliding = |height: f64| {
        move |step: usize| {
            let x = 1e-3 * step as f64;
            vec![
                Isometry3::identity(),
                Isometry3::translation(x, 0.3 * x, height),
            ]
        }
    };
    let mut world = on_ground(Shape::cuboid("box", Vector3::repeat(0.1)).unwrap(), 1e-3);
    assert!(persistence(&mut world, sliding(0.1)) >= 0.95);

    // box on box, and box on a height field and on a mesh
    let mut world = Scene::serial(1e-3);
    let table = Shape::cuboid("table", Vector3::new(0.5, 0.5, 0.1)).unwrap();
    world
        .colliders
        .add(Collider::rigid("table", 0, table))
        .unwrap();
    let block = Shape::cuboid("block", Vector3::repeat(0.1)).unwrap();
    world
        .colliders
        .add(Collider::rigid("block", 1, block.clone()))
        .unwrap();
    assert!(persistence(&mut world, sliding(0.2)) >= 0.95);
    for (name, ground) in meshed_grounds() {
        let mut world = Scene::serial(1e-3);
        world
            .colliders
            .add(Collider::rigid("ground", 0, ground))
            .unwrap();
        world
            .colliders
            .add(Collider::rigid("block", 1, block.clone()))
            .unwrap();
        let share = persistence(&mut world, sliding(0.1));
        assert!(share >= 0.95, "block on {name}: {share}");
    }

    // nut turning on its bolt, 10 rad/s in steps of 1 ms
    let (bolt, nut) = solids::m48();
    let mut world = Scene::serial(2e-4);
    world
        .colliders
        .add(Collider::rigid(
            "bolt",
            0,
            Shape::bolt("bolt", bolt, 4e-3).unwrap(),
        ))
        .unwrap();
    world
        .colliders
        .add(Collider::rigid(
            "nut",
            1,
            Shape::nut("nut", nut, 4e-3).unwrap(),
        ))
        .unwrap();
    let screwing = |step: usize| {
        let turn = 1e-2 * step as f64;
        let z = 0.025 + 5e-3 / std::f64::consts::TAU * turn;
        let place = Isometry3::from_parts(
            Vector3::new(3e-5, 0.0, z).into(),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn),
        );
        vec![Isometry3::identity(), place]
    };
    let share = persistence(&mut world, screwing);
    assert!(share >= 0.95, "nut on bolt: {share}");
}

#[test]
fn filters_keep_pairs_apart() {
    let ball = || Shape::sphere("ball", 0.1).unwrap();
    let poses = vec![Isometry3::identity(); 3];
    let count = |prepare: &dyn Fn(&mut Scene)| {
        let mut world = Scene::new(DetectionSettings::default());
        for body in 0..3 {
            world
                .colliders
                .add(Collider::rigid(&format!("ball {body}"), body, ball()))
                .unwrap();
        }
        prepare(&mut world);
        let mut contacts = Vec::new();
        world.detect(&poses, &mut contacts).unwrap();
        contacts.len()
    };
    assert_eq!(count(&|_| {}), 3);
    assert_eq!(count(&|w| w.colliders.exclude_frames(2, 0)), 2);
    assert_eq!(
        count(&|w| w.colliders.exclude_named("ball 1", "ball 2").unwrap()),
        2
    );
    assert_eq!(
        count(&|w| {
            w.colliders.exclude_frames(0, 1);
            w.colliders.exclude_frames(1, 2);
        }),
        1
    );
    assert_eq!(
        count(&|w| {
            // a ghost that collides with nothing but its own group
            let mut ghost = Collider::rigid("ghost", 0, ball());
            ghost.groups = Groups {
                either: false,
                member_of: 2,
                collides_with: 2,
            };
            w.colliders.add(ghost).unwrap();
        }),
        3
    );
}

#[test]
fn an_included_pair_touches_whatever_else_is_said_with_its_own_friction() {
    let mut world = Scene::serial(1e-3);
    let nobody = Groups {
        member_of: 0,
        collides_with: 0,
        either: false,
    };
    for body in 0..3 {
        let mut ball = Collider::rigid(
            &format!("ball {body}"),
            body,
            Shape::sphere("ball", 0.1).unwrap(),
        );
        ball.groups = nobody;
        world.colliders.add(ball).unwrap();
    }
    world.colliders.exclude_frames(0, 1);
    world.colliders.exclude_named("ball 0", "ball 1").unwrap();
    let poses = [0.0, 0.19, 0.1].map(|x| Isometry3::translation(x, 0.0, 0.0));
    let mut contacts = Vec::new();
    world.detect(&poses, &mut contacts).unwrap();
    assert!(contacts.is_empty());
    world.colliders.include(1, 0, Some(0.07)).unwrap();
    world.detect(&poses, &mut contacts).unwrap();
    assert_eq!(contacts.len(), 1);
    let material = &contacts[0].material;
    assert_eq!(
        (material.friction_along, material.friction_across),
        (0.07, 0.07)
    );
    // Said again without a friction, the materials count.
    world.colliders.include(0, 1, None).unwrap();
    world.detect(&poses, &mut contacts).unwrap();
    assert_eq!(contacts.len(), 1);
    assert_ne!(contacts[0].material.friction_along, 0.07);
    for (a, b, friction) in [(0, 9, None), (0, 0, None), (0, 1, Some(-1.0))] {
        assert!(world.colliders.include(a, b, friction).is_err());
    }
}

#[test]
fn margins_add_up() {
    let mut world = Scene::serial(1e-3);
    let near = Collider::rigid("near", 0, Shape::sphere("a", 0.1).unwrap());
    world.colliders.add(near).unwrap();
    world
        .colliders
        .add(Collider::rigid("far", 1, Shape::sphere("b", 0.1).unwrap()))
        .unwrap();
    let mut contacts = Vec::new();
    for (x, expected) in [(0.24, 1), (0.26, 0)] {
        let poses = [Isometry3::identity(), Isometry3::translation(x, 0.0, 0.0)];
        let places = PlacesView {
            travel: &[0.05, 0.0],
            ..PlacesView::of_frames(&poses)
        };
        world.detect_at(&places, &mut contacts).unwrap();
        assert_eq!(contacts.len(), expected, "at {x}");
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let named = |result: Result<Shape, CollisionError>, name: &str| {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
    };
    named(Shape::sphere("pea", 0.0), "pea");
    named(
        Shape::cuboid("crate", Vector3::new(1.0, -1.0, 1.0)),
        "crate",
    );
    named(Shape::capsule("pill", f64::NAN, 0.1), "pill");
    named(Shape::cylinder("can", 0.1, f64::INFINITY), "can");
    named(Shape::cone("hat", 0.0, 0.1), "hat");
    named(Shape::ellipsoid("egg", Vector3::new(1.0, 0.0, 1.0)), "egg");
    named(Shape::convex_hull("sheet", &[Point3::origin(); 5]), "sheet");
    named(Shape::convex_hull("few", &cube_points(1.0)[..3]), "few");
    named(Shape::triangle_mesh("nothing", vec![], vec![]), "nothing");
    named(Shape::compound("none", vec![]), "none");
    let flat: Vec<Point3<f64>> = (0..8)
        .map(|i| Point3::new(f64::from(i % 4), f64::from(i / 4), 0.0))
        .collect();
    named(Shape::convex_hull("flat", &flat), "flat");
    let field = HeightField {
        n_x: 2,
        n_y: 2,
        spacing: (1.0, 1.0),
        heights: vec![0.0; 3],
    };
    named(Shape::height_field("hills", &field), "hills");

    let mut world = on_ground(Shape::sphere("ball", 0.1).unwrap(), 1e-3);
    let again = Collider::rigid("body", 1, Shape::sphere("ball", 0.1).unwrap());
    assert!(matches!(
        world.colliders.add(again),
        Err(CollisionError::DuplicateName { .. })
    ));
    let mut sticky = Collider::rigid("sticky", 1, Shape::sphere("ball", 0.1).unwrap());
    sticky.material = Material::with_friction(-1.0);
    assert!(
        world
            .colliders
            .add(sticky)
            .unwrap_err()
            .to_string()
            .contains("sticky")
    );
    let mut contacts = Vec::new();
    let nan = Isometry3::translation(f64::NAN, 0.0, 0.0);
    assert_eq!(
        world.detect(&[Isometry3::identity(), nan], &mut contacts),
        Err(CollisionError::NonFinitePose { frame: 1 })
    );
    let missing = world
        .detect(&[Isometry3::identity()], &mut contacts)
        .unwrap_err();
    assert!(missing.to_string().contains("\"body\""), "{missing}");
    assert!(world.colliders.exclude_named("body", "nobody").is_err());
    assert!(BuiltInDetector::new(settings(Execution::Serial, f64::NAN)).is_err());
}

#[test]
fn degenerate_arrangements_give_finite_unit_normals() {
    let shapes = every_shape();
    let mut rng = rng(21);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            if a.kind() == "half-space" && b.kind() == "half-space" {
                continue;
            }
            let mut poses = vec![
                // coincident centres, parallel faces
                Isometry3::identity(),
                Isometry3::translation(0.0, 0.0, 1e-14),
                Isometry3::from_parts(Vector3::zeros().into(), rotation(&mut rng)),
                Isometry3::translation(0.05, 0.0, 0.0),
            ];
            for _ in 0..3 {
                poses.push(pose(&mut rng, 0.05));
                poses.push(Isometry3::translation(0.0, 0.0, rng.random_range(0.0..0.3)));
            }
            for place in &poses {
                // `contacts` asserts finite numbers, unit normals and distinct names
                common::contacts(a, b, place, 1e-3);
            }
        }
    }
    // one body wholly inside another
    let big = Shape::cuboid("big", Vector3::repeat(1.0)).unwrap();
    for small in shapes.iter().filter(|s| s.kind() != "half-space") {
        let inside = common::contacts(&big, small, &Isometry3::translation(0.3, 0.1, 0.0), 1e-3);
        if matches!(small.kind(), "open mesh" | "height field") {
            continue;
        }
        assert!(
            !inside.is_empty(),
            "{} inside a box goes unnoticed",
            small.kind()
        );
        assert!(inside.iter().any(|c| c.gap < -0.3), "{}", small.kind());
    }
}

#[test]
fn mesh_and_primitive_agree_with_the_same_solid_as_primitives() {
    // a box as a mesh against the box as a box
    let mesh = {
        let b = Shape::cuboid("box", Vector3::repeat(0.2)).unwrap();
        let m = b.surface().unwrap();
        Shape::triangle_mesh("mesh", m.vertices().to_vec(), m.faces().to_vec()).unwrap()
    };
    let solid = Shape::cuboid("box", Vector3::repeat(0.2)).unwrap();
    let mut rng = rng(31);
    let others = [
        Shape::sphere("sphere", 0.1).unwrap(),
        Shape::capsule("capsule", 0.1, 0.05).unwrap(),
        Shape::cuboid("block", Vector3::new(0.1, 0.08, 0.06)).unwrap(),
        Shape::cylinder("cylinder", 0.1, 0.08).unwrap(),
    ];
    for other in &others {
        let mut compared = 0;
        while compared < 15 {
            let place = pose(&mut rng, 0.4);
            let exact = common::contacts(&solid, other, &place, 0.05);
            let Some(gap) = exact.iter().map(|c| c.gap).min_by(f64::total_cmp) else {
                continue;
            };
            // separated: both are the distance of the same two solids
            if gap < 1e-3 {
                continue;
            }
            compared += 1;
            let found = common::contacts(&mesh, other, &place, 0.05);
            let best = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            assert!(
                (best - gap).abs() < 1e-6,
                "{}: {best} against {gap}",
                other.name()
            );
        }
    }
}
