//! Soft bodies in a world: at rest, on bodies, in pieces, with every solver.
#![cfg(feature = "deformable")]

use stiction_sim::deformable::cut::PieceSize;
use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{Pattern, solid_box};
use stiction_sim::deformable::rod::{Profile, Rod, RodMaterial, RodShape};
use stiction_sim::{
    BodyHandle, Inertia, Isometry3, Material, RigidBody, RodBody, Settings, Shape, Snapshot,
    SoftBody, SoftHandle, Vector3, World, solvers, step_all,
};

const SIDES: Vector3<f64> = Vector3::new(0.1, 0.1, 0.06);

fn settings() -> Settings {
    Settings {
        time_step: 0.01,
        ..Settings::default()
    }
}

fn rubber() -> SoftMaterial {
    SoftMaterial::corotational(5e4, 0.3, 1000.0).damped(0.0, 0.01)
}

/// A block of 3 × 3 × 2 cells, its bottom at z = 0.
fn block(name: &str) -> SoftBody {
    let mesh = solid_box(&SIDES, [3, 3, 2], Pattern::Five).unwrap();
    let up = Isometry3::translation(0.0, 0.0, 0.5 * SIDES.z);
    SoftBody::new(name, mesh, rubber())
        .at(up)
        .touching(Material::with_friction(0.5))
}

/// A world with a floor that rises by `slope` rad along x.
fn slope(slope: f64, settings: Settings) -> World {
    let mut world = World::new(Settings {
        gravity: Vector3::new(9.81 * slope.sin(), 0.0, -9.81 * slope.cos()),
        ..settings
    })
    .unwrap();
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    let material = Material::with_friction(0.5);
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
    world
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0, "at {} s: {report:?}", report.time);
    }
}

fn mean(world: &World, soft: SoftHandle) -> Vector3<f64> {
    let positions = world.soft_positions(soft).unwrap();
    positions.iter().map(|p| p.coords).sum::<Vector3<f64>>() / positions.len() as f64
}

#[test]
fn a_block_rests_on_the_floor_with_its_weight() {
    let mut world = slope(0.0, settings());
    let soft = world.add_soft_body(block("block")).unwrap();
    run(&mut world, 200);
    let force: Vector3<f64> = world.contact_forces().iter().map(|c| c.force).sum();
    let weight = 0.1 * 0.1 * 0.06 * 1000.0 * 9.81;
    assert!((force.z.abs() - weight).abs() < 1e-6 * weight, "{force}");
    let lowest = world.soft_positions(soft).unwrap();
    let lowest = lowest.iter().fold(f64::INFINITY, |low, p| low.min(p.z));
    assert!(lowest.abs() < 1e-8, "{lowest}");
    assert!(world.report().kinetic_energy < 1e-12);
    let stress = world.soft_stress(soft).unwrap();
    assert!(stress.iter().all(|&stress| stress > 1.0 && stress < 5e3));
}

#[test]
fn under_the_friction_angle_contact_nodes_stay_and_above_the_block_slides() {
    let mut world = slope(26.3_f64.to_radians(), settings());
    let soft = world.add_soft_body(block("block")).unwrap();
    run(&mut world, 200);
    let before = world.soft_positions(soft).unwrap();
    run(&mut world, 200);
    let after = world.soft_positions(soft).unwrap();
    let closed: Vec<_> = world
        .contact_forces()
        .iter()
        .filter(|c| c.force.norm() > 0.0)
        .collect();
    assert!(closed.len() >= 4);
    for (before, after) in before.iter().zip(&after).filter(|(_, p)| p.z < 1e-8) {
        assert!(
            (after - before).norm() < 1e-9,
            "{}",
            (after - before).norm()
        );
    }

    for (degrees, steps) in [(27_f64, 100_u32), (30.0, 50)] {
        let angle = degrees.to_radians();
        let mut world = slope(angle, settings());
        let soft = world.add_soft_body(block("block")).unwrap();
        run(&mut world, steps as usize);
        let (x, v) = (mean(&world, soft).x, world.soft_velocities(soft).unwrap());
        let v = v.iter().map(|v| v.x).sum::<f64>() / v.len() as f64;
        run(&mut world, steps as usize);
        // x = x₀ + v t + a t²/2
        let time = 0.01 * f64::from(steps);
        let acceleration = 2.0 * (mean(&world, soft).x - x - v * time) / (time * time);
        let rigid = 9.81 * (angle.sin() - 0.5 * angle.cos());
        assert!(
            (acceleration / rigid - 1.0).abs() < 0.05,
            "{degrees}°: {acceleration} {rigid}"
        );
    }
}

#[test]
fn cut_and_uncut_move_alike() {
    let run = |pieces: PieceSize, solver: &str| {
        let mut world = slope(0.0, settings());
        world.set_solver(solver).unwrap();
        let body = SoftBody {
            pieces,
            ..block("block").at(Isometry3::translation(0.0, 0.0, 0.04))
        };
        let soft = world.add_soft_body(body).unwrap();
        run(&mut world, 30);
        world.soft_positions(soft).unwrap()
    };
    let whole = run(PieceSize::Whole, "canal");
    for (pieces, solver) in [
        (PieceSize::AtMost(24), "canal"),
        (PieceSize::AtMost(12), "canal"),
        (PieceSize::Whole, "subadmm"),
    ] {
        let other = run(pieces, solver);
        for (a, b) in whole.iter().zip(&other) {
            assert!(
                (a - b).norm() < 1e-6,
                "{pieces:?} {solver}: {}",
                (a - b).norm()
            );
        }
    }
}

/// A free box glued to the top of a soft block that stands on the floor with its lower nodes held.
fn glued(settings: Settings) -> (World, SoftHandle, BodyHandle) {
    let mut world = slope(0.0, settings);
    let floor = world.find_body("floor").unwrap();
    let plate = Vector3::new(0.1, 0.1, 0.02);
    let inertia = Inertia::solid_box(0.2, plate);
    let plate = RigidBody::free("plate", inertia).at_position(0.0, 0.0, SIDES.z + 0.01);
    let plate = world.add_body(plate).unwrap();
    let mut body = block("block");
    body.contact = None;
    for (node, at) in body.mesh.nodes().iter().enumerate() {
        if at.z < -0.499 * SIDES.z {
            body.attached.push((node, floor));
        } else if at.z > 0.499 * SIDES.z {
            body.attached.push((node, plate));
        }
    }
    let soft = world.add_soft_body(body).unwrap();
    (world, soft, plate)
}

#[test]
fn nodes_stay_on_the_bodies_they_are_attached_to() {
    let (mut world, soft, plate) = glued(settings());
    let start = world.soft_positions(soft).unwrap();
    let center = |world: &World| world.pose(plate).unwrap().translation.vector;
    world
        .commands()
        .push(plate, Vector3::new(5.0, 0.0, 0.0), Vector3::zeros())
        .unwrap();
    run(&mut world, 1);
    let push = |world: &mut World| {
        world
            .commands()
            .push(plate, Vector3::new(0.5, 0.0, 0.0), Vector3::zeros())
            .unwrap();
        run(world, 1);
    };
    (0..100).for_each(|_| push(&mut world));
    let pose = world.pose(plate).unwrap();
    let moved = center(&world).x;
    assert!(
        moved > 1e-4,
        "the block shears under the plate by {moved} m"
    );
    for (before, after) in start.iter().zip(world.soft_positions(soft).unwrap()) {
        if before.z < 1e-9 {
            assert!(
                (after - before).norm() < 1e-12,
                "held nodes stay: {}",
                after - before
            );
        } else if before.z > SIDES.z - 1e-9 {
            let on_plate = pose * (before - Vector3::new(0.0, 0.0, SIDES.z + 0.01));
            assert!(
                (after - on_plate).norm() < 1e-6,
                "{}",
                (after - on_plate).norm()
            );
        }
    }
}

#[test]
fn snapshots_go_on_to_the_bit_and_energy_falls() {
    let build = || {
        let (mut world, ..) = glued(settings());
        let falling = block("ball").at(Isometry3::translation(0.0, 0.0, 0.2));
        let cut = SoftBody {
            pieces: PieceSize::AtMost(24),
            ..falling
        };
        world.add_soft_body(cut).unwrap();
        let plate = world.find_body("plate").unwrap();
        let shape = Shape::cuboid("plate", Vector3::new(0.05, 0.05, 0.01)).unwrap();
        world
            .attach(plate, shape, Material::with_friction(0.4))
            .unwrap();
        world
    };
    let mut world = build();
    let mut last = f64::INFINITY;
    for _ in 0..60 {
        let report = world.step().unwrap();
        let energy = report.kinetic_energy + report.potential_energy;
        assert!(energy <= last + 1e-7, "{energy} after {last}");
        last = energy;
    }
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
    let mut other = build();
    other.restore(&snapshot).unwrap();
    for _ in 0..20 {
        world.step().unwrap();
        other.step().unwrap();
    }
    let ends = [&world, &other].map(|world| serde_json::to_string(&world.snapshot()).unwrap());
    assert!(ends[0] == ends[1]);
}

#[test]
fn every_solver_takes_a_soft_body() {
    for (solver, _) in solvers::all() {
        let mut world = slope(0.0, settings());
        world.set_solver(solver).unwrap();
        let soft = world.add_soft_body(block("block")).unwrap();
        for _ in 0..10 {
            world.step().unwrap();
        }
        let height = mean(&world, soft).z;
        assert!((0.025..0.03).contains(&height), "{solver}: {height}");
    }
}

#[test]
fn what_makes_no_soft_body_is_refused_by_name() {
    let mut world = slope(0.0, settings());
    let floor = world.find_body("floor").unwrap();
    let mut refuse = |body: SoftBody, word: &str| {
        let error = world.add_soft_body(body).unwrap_err().to_string();
        assert!(error.contains("block") && error.contains(word), "{error}");
    };
    let mut body = block("block");
    body.attached.push((1000, floor));
    refuse(body, "node 1000");
    let mut body = block("block");
    body.attached.extend([(0, floor), (0, floor)]);
    refuse(body, "twice");
    let mut body = block("block");
    body.materials[0].poisson = 0.5;
    refuse(body, "oisson");
    let mut body = block("block");
    body.velocity.x = f64::NAN;
    refuse(body, "velocity");
    let mut body = block("block");
    body.material_of_tet = vec![0];
    refuse(body, "tetrahedra");
    world.add_soft_body(block("block")).unwrap();
    let error = world.add_soft_body(block("block")).unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
    let mut midpoint = slope(
        0.0,
        Settings {
            theta: 0.5,
            ..settings()
        },
    );
    midpoint.add_soft_body(block("block")).unwrap();
    let error = midpoint.step().unwrap_err().to_string();
    assert!(error.contains("block"), "{error}");
}

/// Stable neo-Hookean rubber between two plates, squeezed to a fifth and let go: the line search keeps
/// steps of 10 ms at ν 0.45 from exploding, with contact solved in each.
#[test]
fn a_neo_hookean_block_is_squeezed_and_comes_back() {
    for (squeezed, pieces) in [(0.35, PieceSize::default()), (0.35, PieceSize::AtMost(30))] {
        let mut world = slope(0.0, settings());
        let material = SoftMaterial::neo_hookean(1e5, 0.45, 1000.0).damped(0.0, 0.01);
        let body = SoftBody {
            materials: vec![material],
            pieces,
            ..block("block")
        };
        let soft = world.add_soft_body(body).unwrap();
        let plate = RigidBody::driven("plate").at_position(0.0, 0.0, SIDES.z + 0.011);
        let plate = world.add_body(plate).unwrap();
        let shape = Shape::cuboid("plate", Vector3::new(0.2, 0.2, 0.01)).unwrap();
        let material = Material::with_friction(0.5);
        world.attach(plate, shape, material).unwrap();
        let rest = world.soft_positions(soft).unwrap();
        let mut drive = |speed: f64, steps: usize| {
            let velocity = Vector3::new(0.0, 0.0, speed);
            for _ in 0..steps {
                let commands = world.commands();
                commands.drive(plate, velocity, Vector3::zeros()).unwrap();
                let report = world.step().unwrap();
                assert!(report.kinetic_energy < 0.2, "{} J", report.kinetic_energy);
            }
        };
        let way = (1.0 - squeezed) * SIDES.z + 0.001;
        drive(-way / 0.2, 20);
        drive(0.0, 10);
        drive(way / 0.1, 10);
        drive(0.0, 300);
        let shift = mean(&world, soft)
            - rest.iter().map(|p| p.coords).sum::<Vector3<f64>>() / rest.len() as f64;
        for (now, rest) in world.soft_positions(soft).unwrap().iter().zip(&rest) {
            let off = (now - rest - shift).norm();
            assert!(off < 0.03 * SIDES.z, "{off} m");
        }
    }
}

/// A block in pieces and a rod that falls on it: the same bits on 1, 2 and 8 threads, and in a batch.
#[test]
fn threads_and_batches_change_no_bit() {
    let make = || {
        let mut world = slope(0.1, settings());
        let body = SoftBody {
            pieces: PieceSize::AtMost(30),
            ..block("block")
        };
        world.add_soft_body(body).unwrap();
        let (from, to) = (Vector3::new(-0.1, 0.01, 0.07), Vector3::new(0.1, 0.0, 0.07));
        let points: Vec<_> = (0..12)
            .map(|k| from.lerp(&to, f64::from(k) / 11.0))
            .collect();
        let rubber = RodMaterial {
            young: 1e6,
            poisson: 0.4,
            density: 1200.0,
        };
        let profile = Profile::round(0.004, &rubber).unwrap();
        let rod = Rod::new(RodShape::along_points(&points).unwrap(), profile).unwrap();
        let rod = RodBody {
            links_per_piece: Some(5),
            ..RodBody::new("rod", rod).touching(0.004, Material::with_friction(0.5))
        };
        world.add_rod(rod).unwrap();
        world
    };
    let on = |threads: usize, work: &mut (dyn FnMut() + Send)| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(work);
    };
    let mut alone = Vec::new();
    for threads in [1, 2, 8] {
        let mut world = make();
        on(threads, &mut || run(&mut world, 15));
        assert!(world.report().contacts > 10);
        alone.push(world.snapshot());
    }
    assert_eq!(alone[0], alone[1]);
    assert_eq!(alone[0], alone[2]);
    let mut batch = [make(), make(), make()];
    for _ in 0..15 {
        for result in step_all(&mut batch) {
            result.unwrap();
        }
    }
    for world in &batch {
        assert_eq!(world.snapshot(), alone[0]);
    }
}
