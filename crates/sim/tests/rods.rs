//! Rods in a world: hanging, lying, wound, in pieces.
#![cfg(feature = "deformable")]

use stiction_sim::deformable::rod::{
    Damping, Profile, Rod, RodMaterial, RodShape, Section, Strains,
};
use stiction_sim::{
    Inertia, Material, RigidBody, RodBody, RodHandle, Settings, Shape, Snapshot, Vector3, World,
};

const RADIUS: f64 = 0.004;

fn world() -> World {
    World::new(Settings {
        time_step: 0.01,
        ..Settings::default()
    })
    .unwrap()
}

fn cable(shape: RodShape) -> Rod {
    let material = RodMaterial {
        young: 2.954e6,
        poisson: 0.49,
        density: 1259.0,
    };
    let profile = Profile::new(&Section::circle(RADIUS, material.poisson), &material).unwrap();
    let damping = Damping {
        mass: 2.0,
        ..Damping::default()
    };
    Rod::new(shape, profile)
        .unwrap()
        .with_damping(damping)
        .unwrap()
}

fn straight(length: f64, links: usize) -> Rod {
    let end = Vector3::new(length, 0.0, 0.0);
    cable(RodShape::straight(Vector3::zeros(), end, links).unwrap())
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0, "at {} s: {report:?}", report.time);
    }
}

fn heights(world: &World, rod: RodHandle) -> Vec<f64> {
    let links = world.rod_links(rod).unwrap();
    (links.iter())
        .map(|&link| world.pose(link).unwrap().translation.z)
        .collect()
}

#[test]
fn a_cable_carries_a_weight() {
    let mut world = world();
    let ceiling = world.add_body(RigidBody::fixed("ceiling")).unwrap();
    let down = Vector3::new(0.0, 0.0, -0.4);
    let rod = cable(RodShape::straight(Vector3::zeros(), down, 21).unwrap());
    let weight = 0.05;
    let sides = Vector3::repeat(0.02);
    let load = RigidBody::free("load", Inertia::solid_box(weight, sides));
    let load = world.add_body(load.at_position(0.0, 0.0, -0.4)).unwrap();
    let own = rod.mass();
    let rod = world
        .add_rod(
            RodBody::new("cable", rod)
                .fixed_to(0, ceiling)
                .fixed_to(20, load),
        )
        .unwrap();
    run(&mut world, 1500);
    let tension = world.rod_stress(rod, 0).unwrap().tension();
    // The first joint carries all but half of a link that hangs on the ceiling.
    let expected = (weight + own * (1.0 - 0.5 / 20.0)) * 9.81;
    assert!(
        (tension / expected - 1.0).abs() < 1e-4,
        "{tension} {expected}"
    );
    let end = world.rod_links(rod).unwrap()[20];
    let apart = world.pose(end).unwrap().inv_mul(&world.pose(load).unwrap());
    assert!((apart.translation.vector.norm()) < 1e-6);
}

#[test]
fn a_cable_falls_on_the_floor_over_a_box_and_lies_still() {
    let mut world = world();
    let material = Material::with_friction(0.5);
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
    let half = Vector3::new(0.05, 0.1, 0.02);
    let block = RigidBody::fixed("block").at_position(0.2, 0.0, 0.02);
    let block = world.add_body(block).unwrap();
    world
        .attach(block, Shape::cuboid("block", half).unwrap(), material)
        .unwrap();
    let shape = RodShape::straight(
        Vector3::new(0.0, 0.0, 0.08),
        Vector3::new(0.4, 0.0, 0.08),
        41,
    );
    let rod = RodBody::new("cable", cable(shape.unwrap())).touching(RADIUS, material);
    let rod = world.add_rod(rod).unwrap();
    let mut last = f64::INFINITY;
    for _ in 0..300 {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0, "at {} s", report.time);
        let energy = report.kinetic_energy + report.potential_energy;
        assert!(energy <= last + 1e-8, "{energy} after {last} J");
        last = energy;
    }
    assert!(world.report().kinetic_energy < 1e-9);
    let heights = heights(&world, rod);
    assert!((heights[0] - RADIUS).abs() < 1e-6, "{heights:?}");
    // It is stiff enough to arch over the middle of the box.
    assert!(
        (0.0..5e-3).contains(&(heights[20] - 0.04 - RADIUS)),
        "{heights:?}"
    );
    assert!(heights.iter().all(|&z| z > RADIUS - 1e-6));
}

#[test]
fn cut_and_uncut_swing_alike_and_snapshots_go_on_to_the_bit() {
    let build = |links_per_piece| {
        let mut world = world();
        let ceiling = world.add_body(RigidBody::fixed("ceiling")).unwrap();
        let ball = Inertia::solid_sphere(0.02, 0.02);
        let ball = RigidBody::free("ball", ball).at_position(0.4, 0.0, 0.0);
        let ball = world.add_body(ball).unwrap();
        let body = RodBody {
            links_per_piece,
            ..RodBody::new("cable", straight(0.4, 31))
        };
        let rod = world
            .add_rod(body.fixed_to(0, ceiling).fixed_to(30, ball))
            .unwrap();
        (world, rod)
    };
    let (mut whole, rod) = build(None);
    run(&mut whole, 60);
    let expected = heights(&whole, rod);
    assert!(expected[30] < -0.1, "{expected:?}");
    for links in [16, 8] {
        let (mut cut, rod) = build(Some(links));
        run(&mut cut, 60);
        for (a, b) in expected.iter().zip(heights(&cut, rod)) {
            assert!((a - b).abs() < 1e-5, "{links} links: {}", a - b);
        }
        let text = serde_json::to_string(&cut.snapshot()).unwrap();
        let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
        let (mut fresh, _) = build(Some(links));
        fresh.restore(&snapshot).unwrap();
        run(&mut cut, 10);
        run(&mut fresh, 10);
        let ends = [&cut, &fresh].map(|world| serde_json::to_string(&world.snapshot()).unwrap());
        assert!(ends[0] == ends[1]);
    }
}

#[test]
fn what_makes_no_rod_is_refused_by_name() {
    let mut world = world();
    let ceiling = world.add_body(RigidBody::fixed("ceiling")).unwrap();
    let mut refuse = |body: RodBody, word: &str| {
        let error = world.add_rod(body).unwrap_err().to_string();
        assert!(error.contains("cable") && error.contains(word), "{error}");
    };
    let new = || RodBody::new("cable", straight(0.1, 5));
    refuse(new().fixed_to(5, ceiling), "link 5");
    refuse(new().fixed_to(1, ceiling).fixed_to(1, ceiling), "twice");
    let mut body = new();
    body.links_per_piece = Some(1);
    refuse(body, "links");
    let mut body = new();
    body.poses = vec![stiction_sim::Isometry3::identity()];
    refuse(body, "poses");
    world.add_rod(new()).unwrap();
    let error = world.add_rod(new()).unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
}

/// A cable that lies along x and is held at its point alone swings down; held fast it juts out.
#[test]
fn a_link_turns_about_the_point_that_is_held() {
    let run_from = |mover: RigidBody, pivot: bool| {
        let mut world = world();
        let hook = world.add_body(mover).unwrap();
        let body = RodBody::new("cable", straight(0.2, 11));
        let body = match pivot {
            true => body.pivoted_on(0, hook),
            false => body.fixed_to(0, hook),
        };
        let rod = world.add_rod(body).unwrap();
        for _ in 0..400 {
            let up = Vector3::new(0.0, 0.0, 0.1);
            let _ = world.commands().drive(hook, up, Vector3::zeros());
            run(&mut world, 1);
        }
        let links = world.rod_links(rod).unwrap();
        let first = world.pose(links[0]).unwrap();
        let held = world.pose(hook).unwrap().translation.vector;
        assert!((first.translation.vector - held).norm() < 1e-6);
        first.rotation * Vector3::z()
    };
    let down = run_from(RigidBody::fixed("hook"), true);
    assert!(down.z < -0.99, "{down}");
    // A hand that lifts it at 0.1 m/s.
    let down = run_from(RigidBody::driven("hook"), true);
    assert!(down.z < -0.99, "{down}");
    let along = run_from(RigidBody::fixed("hook"), false);
    assert!((along - Vector3::x()).norm() < 1e-12, "{along}");
}

/// Strains as soft rows are the same step as strains in A and b, also in pieces and on a hand that moves.
#[test]
fn strains_as_rows_move_as_folded_ones() {
    let run_with = |strains: Strains, links_per_piece: Option<usize>| {
        let mut world = world();
        let hand = world.add_body(RigidBody::driven("hand")).unwrap();
        let body = RodBody {
            strains,
            links_per_piece,
            ..RodBody::new("cable", straight(0.2, 13))
        };
        let rod = world.add_rod(body.fixed_to(0, hand)).unwrap();
        for _ in 0..10 {
            let up = Vector3::new(0.0, 0.02, 0.1);
            let turn = Vector3::new(0.0, 0.1, 0.0);
            world.commands().drive(hand, up, turn).unwrap();
            run(&mut world, 1);
        }
        heights(&world, rod)
    };
    let folded = run_with(Strains::Folded, None);
    assert!(folded[12] < folded[0] - 1e-3, "{folded:?}");
    for links_per_piece in [None, Some(5)] {
        let rows = run_with(Strains::AsRows, links_per_piece);
        for (a, b) in folded.iter().zip(&rows) {
            assert!((a - b).abs() < 1e-6, "{links_per_piece:?}: {} m", a - b);
        }
    }
}
