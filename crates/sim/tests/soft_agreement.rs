//! Soft bodies, rods and both with rigid bodies and a robot: solvers agree, pieces and the whole agree,
//! any number of threads gives the same bits, and a step that keeps its contacts allocates nothing.
#![cfg(feature = "deformable")]

use stiction_sim::deformable::cut::PieceSize;
use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{Pattern, solid_box};
use stiction_sim::deformable::rod::{Damping, Profile, Rod, RodMaterial, RodShape, Section};
use stiction_sim::{
    Execution, Inertia, Isometry3, JointKind, Material, ModelDescription, RigidBody, RodBody,
    Settings, Shape, SoftBody, Transform, Vector3, World, solvers,
};
use stiction_test_support::allocations;

/// What is in a world, and into how many pieces it is cut.
#[derive(Debug, Clone, Copy)]
struct Case {
    has_block: bool,
    has_rod: bool,
    has_rigid: bool,
    is_cut: bool,
}

/// A body alone, a rod alone, a rod on a body, and both with rigid bodies and a robot.
const CASES: [Case; 4] = [
    Case {
        has_block: true,
        has_rod: false,
        has_rigid: false,
        is_cut: false,
    },
    Case {
        has_block: false,
        has_rod: true,
        has_rigid: false,
        is_cut: false,
    },
    Case {
        has_block: true,
        has_rod: true,
        has_rigid: false,
        is_cut: false,
    },
    Case {
        has_block: true,
        has_rod: true,
        has_rigid: true,
        is_cut: false,
    },
];

fn world(case: Case, tolerance: f64) -> World {
    let mut world = World::new(Settings {
        time_step: 0.01,
        tolerance,
        ..Settings::default()
    })
    .unwrap();
    let surface = Material::with_friction(0.4);
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    world
        .attach(floor, Shape::half_space("plane"), surface)
        .unwrap();
    if case.has_block {
        let sides = Vector3::new(0.09, 0.06, 0.06);
        let mesh = solid_box(&sides, [3, 2, 2], Pattern::Five).unwrap();
        let rubber = SoftMaterial::corotational(5e4, 0.3, 1000.0).damped(0.0, 0.01);
        let body = SoftBody {
            velocity: Vector3::new(0.3, 0.1, 0.0),
            pieces: match case.is_cut {
                true => PieceSize::AtMost(20),
                false => PieceSize::Whole,
            },
            ..SoftBody::new("block", mesh, rubber)
        };
        let up = Isometry3::translation(0.0, 0.0, 0.5 * sides.z + 2e-3);
        world.add_soft_body(body.at(up).touching(surface)).unwrap();
    }
    if case.has_rod {
        let rod = RodBody {
            links_per_piece: case.is_cut.then_some(5),
            ..RodBody::new("cable", cable())
        };
        world.add_rod(rod.touching(RADIUS, surface)).unwrap();
    }
    if case.has_rigid {
        let sides = Vector3::repeat(0.04);
        let inertia = Inertia::solid_box(0.1, sides);
        let cube = RigidBody::free("cube", inertia).at_position(0.01, 0.0, 0.09);
        let cube = world.add_body(cube).unwrap();
        let shape = Shape::cuboid("cube", sides / 2.0).unwrap();
        world.attach(cube, shape, surface).unwrap();
        add_arm(&mut world, surface);
    }
    world
}

const RADIUS: f64 = 0.004;

/// Across the block, or over the floor where there is none.
fn cable() -> Rod {
    let material = RodMaterial {
        young: 2.954e6,
        poisson: 0.49,
        density: 1259.0,
    };
    let profile = Profile::new(&Section::circle(RADIUS, material.poisson), &material).unwrap();
    let [start, end] = [-0.1, 0.1].map(|y| Vector3::new(0.03, y, 0.07));
    let damping = Damping {
        mass: 2.0,
        ..Damping::default()
    };
    Rod::new(RodShape::straight(start, end, 15).unwrap(), profile)
        .unwrap()
        .with_damping(damping)
        .unwrap()
}

/// A lever that falls onto the block.
fn add_arm(world: &mut World, surface: Material) {
    let mut model = ModelDescription::new("arm");
    let center = Vector3::new(0.1, 0.0, 0.0);
    model.add_body(
        "link",
        Inertia::from_com(0.2, center, Default::default()) + Inertia::solid_sphere(0.02, 0.05),
    );
    let axis = JointKind::Revolute { axis: Vector3::y() };
    model
        .add_joint("hinge", axis, "world", "link")
        .at(Transform::from_translation(Vector3::new(-0.2, 0.02, 0.08)));
    world.add_robot("arm", model.build().unwrap()).unwrap();
    let link = world.find_body("arm/link").unwrap();
    let rod = Shape::capsule("rod", 0.1, 0.008).unwrap();
    let along = Isometry3::new(center, Vector3::y() * std::f64::consts::FRAC_PI_2);
    world.attach_at(link, rod, along, surface).unwrap();
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0, "at {} s: {report:?}", report.time);
    }
}

/// Whether the last steps of two worlds solved the same, to the last bit.
fn same_problems(one: &World, other: &World) -> bool {
    let [one, other] = [one, other].map(|world| world.problems().map(|solved| solved.problem));
    one.eq(other)
}

/// Solvers of the exact model that get there in a minute of steps are compared at several of them.
#[test]
fn solvers_of_the_exact_model_agree_on_velocities() {
    for case in CASES {
        let mut reference = world(case, 1e-8);
        let mut compared = 0;
        for _ in 0..3 {
            run(&mut reference, 8);
            let before = reference.snapshot();
            run(&mut reference, 1);
            for (name, _) in solvers::all() {
                let is_exact = solvers::make(name)
                    .unwrap()
                    .declaration()
                    .relaxes
                    .is_empty();
                if !is_exact || name == "canal" {
                    continue;
                }
                let mut other = world(case, 1e-8);
                other.set_solver(name).unwrap();
                other.restore(&before).unwrap();
                let report = other.step().unwrap();
                // Where pushes were delayed another problem was solved than the first.
                if report.unconverged > 0 || report.delayed_pushes > 0 {
                    continue;
                }
                // Nor where one of the two made its step anew with other equations of motion.
                if !same_problems(&reference, &other) {
                    continue;
                }
                compared += 1;
                let both = reference.state().v.iter().zip(&other.state().v);
                let apart = both.fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
                assert!(apart < 1e-5, "{case:?}, {name}: {apart} m/s");
            }
        }
        assert!(compared >= 6, "{case:?}: only {compared} solves converged");
    }
}

/// Positions of everything that is the same in pieces and whole: frames of links and bodies, and nodes.
fn places(world: &World) -> Vec<Vector3<f64>> {
    let mut all = Vec::new();
    for (soft, _) in world.soft_bodies() {
        let nodes = world.soft_positions(soft).unwrap();
        all.extend(nodes.iter().map(|node| node.coords));
    }
    if let Ok(rod) = world.find_rod("cable") {
        for &link in world.rod_links(rod).unwrap() {
            all.push(world.pose(link).unwrap().translation.vector);
        }
    }
    if let Ok(cube) = world.find_body("cube") {
        all.push(world.pose(cube).unwrap().translation.vector);
    }
    all
}

/// Seams are rows: within the tolerance of every step.
#[test]
fn pieces_move_as_the_whole_does() {
    const STEPS: usize = 20;
    for case in CASES {
        let mut whole = world(case, 1e-8);
        let mut cut = world(
            Case {
                is_cut: true,
                ..case
            },
            1e-8,
        );
        assert!(cut.state().v.len() > whole.state().v.len(), "{case:?}");
        run(&mut whole, STEPS);
        run(&mut cut, STEPS);
        for (a, b) in places(&whole).iter().zip(places(&cut)) {
            assert!((a - b).norm() < 1e-6, "{case:?}: {} m", (a - b).norm());
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let end = |case: Case, solver: &str, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut world = world(case, 1e-6);
            world.set_solver(solver).unwrap();
            for _ in 0..12 {
                world.step().unwrap();
            }
            world.state().clone()
        })
    };
    for case in CASES {
        for solver in ["canal", "subadmm", "pgs"] {
            let case = Case {
                is_cut: true,
                ..case
            };
            let one = end(case, solver, 1);
            for threads in [2, 8] {
                assert_eq!(
                    one,
                    end(case, solver, threads),
                    "{case:?}, {solver}, {threads}"
                );
            }
        }
    }
}

#[test]
fn a_step_that_keeps_its_contacts_allocates_nothing() {
    for solver in ["canal", "subadmm", "pgs"] {
        let mut world = world(CASES[0], 1e-6);
        world.set_solver(solver).unwrap();
        world.set_detection(120, Execution::Serial).unwrap();
        let (mut contacts, mut quiet) = (usize::MAX, 0);
        for step in 0..150 {
            let before = allocations();
            let now = world.step().unwrap().contacts;
            let count = allocations() - before;
            // What has not grown since the last step needs no more room than it.
            if step > 100 && now == contacts {
                assert_eq!(count, 0, "{solver}, step {step}");
                quiet += 1;
            }
            contacts = now;
        }
        assert!(quiet > 20, "{solver}: {quiet} steps kept their contacts");
    }
}
