//! How fast thin things may go without passing through each other at a step of 10 ms: rods of 2 mm, and soft
//! bars that meet ridge to ridge, far from any vertex.
#![cfg(feature = "deformable")]

use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{Pattern, solid_box};
use stiction_sim::deformable::rod::{Profile, Rod, RodMaterial, RodShape};
use stiction_sim::{
    Inertia, Isometry3, Material, RigidBody, RodBody, RodHandle, Settings, Shape, Snapshot,
    SoftBody, SoftHandle, Vector3, World,
};

const RADIUS: f64 = 0.002;
const LINKS: usize = 41;
/// Half the thickness of the boards, m.
const HALF_BOARD: f64 = 5e-4;

fn world() -> World {
    World::new(Settings {
        time_step: 0.01,
        tolerance: 1e-6,
        gravity: Vector3::zeros(),
        ..Settings::default()
    })
    .unwrap()
}

fn body(name: &str, points: &[Vector3<f64>]) -> RodBody {
    let material = RodMaterial {
        young: 2.954e6,
        poisson: 0.49,
        density: 1259.0,
    };
    let profile = Profile::round(RADIUS, &material).unwrap();
    let rod = Rod::new(RodShape::along_points(points).unwrap(), profile).unwrap();
    RodBody::new(name, rod).touching(RADIUS, Material::with_friction(0.3))
}

/// From `start` to `end`.
fn straight(name: &str, start: [f64; 3], end: [f64; 3]) -> RodBody {
    let (start, end) = (Vector3::from(start), Vector3::from(end));
    let at = |link: usize| start + (end - start) * (link as f64 / (LINKS - 1) as f64);
    body(name, &(0..LINKS).map(at).collect::<Vec<_>>())
}

type Line = Vec<Vector3<f64>>;

fn line(world: &World, rod: RodHandle) -> Line {
    let links = world.rod_links(rod).unwrap().iter();
    links
        .map(|&link| world.pose(link).unwrap().translation.vector)
        .collect()
}

/// Smallest distance of two segments.
fn distance([a, b]: [Vector3<f64>; 2], [c, d]: [Vector3<f64>; 2]) -> f64 {
    let (u, v, r) = (b - a, d - c, a - c);
    let (uu, vv, uv, ur, vr) = (u.dot(&u), v.dot(&v), u.dot(&v), u.dot(&r), v.dot(&r));
    let denominator = uu * vv - uv * uv;
    let mut s: f64 = match denominator > 1e-12 * uu * vv {
        true => ((uv * vr - ur * vv) / denominator).clamp(0.0, 1.0),
        false => 0.0,
    };
    let t = ((uv * s + vr) / vv).clamp(0.0, 1.0);
    s = ((uv * t - ur) / uu).clamp(0.0, 1.0);
    (r + u * s - v * t).norm()
}

/// Nearest that two centre lines come on the way from one step to the next, going straight; `skip`
/// links along the same rod are left out.
fn nearest(before: [&Line; 2], after: [&Line; 2], skip: Option<usize>) -> f64 {
    const INSTANTS: usize = 100;
    let mut nearest = f64::INFINITY;
    for instant in 0..=INSTANTS {
        let share = instant as f64 / INSTANTS as f64;
        let at = |rod: usize, link: usize| {
            before[rod][link] + (after[rod][link] - before[rod][link]) * share
        };
        for i in 0..LINKS - 1 {
            for j in 0..LINKS - 1 {
                if skip.is_some_and(|skip| i.abs_diff(j) <= skip) {
                    continue;
                }
                let first = [at(0, i), at(0, i + 1)];
                nearest = nearest.min(distance(first, [at(1, j), at(1, j + 1)]));
            }
        }
    }
    nearest
}

/// Nearest that two rods come in a number of steps.
fn follow(world: &mut World, rods: [RodHandle; 2], skip: Option<usize>, steps: usize) -> f64 {
    let mut result = f64::INFINITY;
    let mut before = rods.map(|rod| line(world, rod));
    for _ in 0..steps {
        world.step().unwrap();
        let after = rods.map(|rod| line(world, rod));
        result = result.min(nearest(before.each_ref(), after.each_ref(), skip));
        before = after;
    }
    result
}

/// A rod thrown across another one that is held at both ends.
fn rod_on_rod(speed: f64) -> f64 {
    let mut world = world();
    let held = straight("held", [-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]);
    let ground = world.add_body(RigidBody::fixed("ground")).unwrap();
    let held = held.fixed_to(0, ground).fixed_to(LINKS - 1, ground);
    let held = world.add_rod(held).unwrap();
    let thrown = RodBody {
        velocity: Vector3::new(0.0, 0.0, -speed),
        ..straight("thrown", [0.0123, -0.1, 0.03], [-0.0123, 0.1, 0.03])
    };
    let thrown = world.add_rod(thrown).unwrap();
    follow(&mut world, [held, thrown], None, 15)
}

/// A rod with a loop, one leg of which is thrown at the other.
fn rod_on_itself(speed: f64) -> f64 {
    // A round loop whose two ends cross, one some 40 mm above the other.
    let side = 0.06;
    let mut points = Vec::new();
    for link in 0..LINKS {
        let at = link as f64 / (LINKS - 1) as f64;
        let angle = (at - 0.5) * 1.7 * std::f64::consts::PI;
        let radius = side / (1.0 + 0.3 * angle.cos());
        points.push(Vector3::new(
            radius * angle.cos() + 1.25 * side * (angle / 2.67).powi(8),
            radius * angle.sin() * (1.0 - 1.45 * (angle / 2.67).powi(8)),
            0.02 * (at - 0.5) * 2.0,
        ));
    }
    let mut world = world();
    let rod = world.add_rod(body("loop", &points)).unwrap();
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let velocity = value["state"]["v"].as_array_mut().unwrap();
    for link in 0..LINKS {
        let at = 2.0 * link as f64 / (LINKS - 1) as f64 - 1.0;
        velocity[6 * link + 2] = (-0.5 * speed * at.signum() * at.abs().sqrt()).into();
    }
    let snapshot: Snapshot = serde_json::from_value(value).unwrap();
    world.restore(&snapshot).unwrap();
    follow(&mut world, [rod, rod], Some(8), 15)
}

/// How high above the middle of a board of 1 mm a rod stays that is thrown onto it.
fn rod_on_board(speed: f64) -> f64 {
    let mut world = world();
    let board = world.add_body(RigidBody::fixed("board")).unwrap();
    let half = Vector3::new(0.5, 0.5, HALF_BOARD);
    let board_shape = Shape::cuboid("board", half).unwrap();
    world
        .attach(board, board_shape, Material::with_friction(0.3))
        .unwrap();
    let thrown = RodBody {
        velocity: Vector3::new(0.0, 0.0, -speed),
        ..straight("thrown", [-0.1, 0.0, 0.03], [0.1, 0.02, 0.07])
    };
    let rod = world.add_rod(thrown).unwrap();
    let mut lowest = f64::INFINITY;
    for _ in 0..15 {
        world.step().unwrap();
        lowest = line(&world, rod)
            .iter()
            .map(|at| at.z)
            .fold(lowest, f64::min);
    }
    lowest
}

/// A board of 1 mm thrown onto a rod that is held.
fn board_on_rod(speed: f64) -> f64 {
    let mut world = world();
    let ground = world.add_body(RigidBody::fixed("ground")).unwrap();
    let held = straight("held", [-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]);
    let held = held.fixed_to(0, ground).fixed_to(LINKS - 1, ground);
    let rod = world.add_rod(held).unwrap();
    let half = Vector3::new(0.05, 0.05, HALF_BOARD);
    let inertia = Inertia::solid_box(0.02, 2.0 * half);
    let board = RigidBody::free("board", inertia).at(Isometry3::translation(0.0, 0.0, 0.03));
    let board = world.add_body(board).unwrap();
    let shape = Shape::cuboid("board", half).unwrap();
    world
        .attach(board, shape, Material::with_friction(0.3))
        .unwrap();
    let pose = world.pose(board).unwrap();
    let velocity = Vector3::new(0.0, 0.0, -speed);
    world
        .set_body_state(board, pose, velocity, Vector3::zeros())
        .unwrap();
    let mut lowest = f64::INFINITY;
    for _ in 0..15 {
        world.step().unwrap();
        let middle = line(&world, rod)[LINKS / 2];
        let board = world.pose(board).unwrap();
        lowest = lowest.min(-board.inverse_transform_point(&middle.into()).z);
    }
    lowest
}

/// What the README promises, with room to spare: from some 10 m/s on a rod dents itself by its radius.
const SPEED: f64 = 5.0;

#[test]
fn rods_do_not_pass_through_rods_themselves_or_boards() {
    for speed in [0.5, SPEED] {
        let apart = rod_on_rod(speed);
        assert!(apart > 1.9 * RADIUS, "a rod at {speed} m/s: {apart}");
        let apart = rod_on_itself(speed);
        assert!(apart > 1.9 * RADIUS, "itself at {speed} m/s: {apart}");
        for apart in [rod_on_board(speed), board_on_rod(speed)] {
            let expected = RADIUS + HALF_BOARD;
            assert!(apart > 0.99 * expected, "a board at {speed} m/s: {apart}");
        }
    }
}

/// Sides of a soft bar, m, and its cells.
const BAR: Vector3<f64> = Vector3::new(0.02, 0.3, 0.02);
const BAR_CELLS: [usize; 3] = [1, 3, 1];

/// A bar along y that stands on one of its long edges.
fn bar(name: &str) -> SoftBody {
    let mesh = solid_box(&BAR, BAR_CELLS, Pattern::Five).unwrap();
    let rubber = SoftMaterial::corotational(1e6, 0.3, 1000.0);
    SoftBody::new(name, mesh, rubber).touching(Material::with_friction(0.3))
}

/// The middle edge of the ridge of a bar where x − z is largest at rest.
fn ridge(world: &World, bar: SoftHandle) -> [Vector3<f64>; 2] {
    let rest = world.soft_mesh(bar).unwrap().nodes();
    let now = world.soft_positions(bar).unwrap();
    let of_ridge = rest
        .iter()
        .zip(&now)
        .filter(|(rest, _)| rest.x - rest.z > 0.999 * BAR.x && rest.y.abs() < 0.06);
    let ends: Vec<_> = of_ridge.map(|(_, now)| now.coords).collect();
    ends.try_into().unwrap()
}

/// How far the first ridge is above the second where they cross seen from above; `None` where they do not.
fn above([a, b]: [Vector3<f64>; 2], [c, d]: [Vector3<f64>; 2]) -> Option<f64> {
    let (u, v, r) = (b - a, d - c, c - a);
    let flat = |p: &Vector3<f64>, q: &Vector3<f64>| p.x * q.y - p.y * q.x;
    let [s, t] = [flat(&r, &v) / flat(&u, &v), flat(&r, &u) / flat(&u, &v)];
    let is_inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    is_inside.then(|| (a + u * s).z - (c + v * t).z)
}

/// How far the ridges of two soft bars stay apart of which one is thrown across the other, m.
fn bar_on_bar(speed: f64) -> f64 {
    let mut world = world();
    let ground = world.add_body(RigidBody::fixed("ground")).unwrap();
    // x − z points up for -3, down for 1.
    let turned =
        |quarter: f64| Isometry3::rotation(Vector3::y() * quarter * std::f64::consts::FRAC_PI_4);
    let mut lower = bar("lower").at(turned(-3.0));
    let ends = lower.mesh.nodes().iter().enumerate();
    let ends = ends.filter(|(_, at)| at.y.abs() > 0.499 * BAR.y);
    lower.attached = ends.map(|(node, _)| (node, ground)).collect();
    let lower = world.add_soft_body(lower).unwrap();
    let place = Isometry3::translation(0.004, 0.003, 0.06)
        * Isometry3::rotation(Vector3::z() * std::f64::consts::FRAC_PI_2);
    let upper = SoftBody {
        velocity: Vector3::new(0.0, 0.0, -speed),
        ..bar("upper").at(place * turned(1.0))
    };
    let upper = world.add_soft_body(upper).unwrap();
    let start = above(ridge(&world, upper), ridge(&world, lower));
    assert!((0.03..0.04).contains(&start.unwrap()), "{start:?}");
    let mut nearest = f64::INFINITY;
    for _ in 0..15 {
        world.step().unwrap();
        let apart = above(ridge(&world, upper), ridge(&world, lower));
        nearest = apart.map_or(nearest, |apart| nearest.min(apart));
    }
    nearest
}

#[test]
fn crossed_soft_ridges_do_not_pass_through_each_other() {
    for speed in [0.5, SPEED] {
        let apart = bar_on_bar(speed);
        assert!((-1e-4..0.02).contains(&apart), "{speed} m/s: {apart}");
    }
}

#[test]
fn what_is_flung_farther_than_it_sees_is_reported() {
    let mut world = world();
    let ground = world.add_body(RigidBody::fixed("ground")).unwrap();
    let held = straight("held", [0.0, -0.1, -0.02], [0.0, 0.1, -0.02]);
    let held = held.fixed_to(0, ground).fixed_to(LINKS - 1, ground);
    world.add_rod(held).unwrap();
    let rod = straight("hit", [-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]);
    world.add_rod(rod).unwrap();
    let paddle = RigidBody::driven("paddle").at_position(0.0, 0.0, 0.12);
    let paddle = world.add_body(paddle).unwrap();
    let shape = Shape::cuboid("paddle", Vector3::new(0.11, 0.02, 0.01)).unwrap();
    world
        .attach(paddle, shape, Material::with_friction(0.3))
        .unwrap();
    let mut drive = |speed: f64| {
        let down = Vector3::new(0.0, 0.0, -speed);
        world
            .commands()
            .drive(paddle, down, Vector3::zeros())
            .unwrap();
        world.step().unwrap().outran
    };
    // Slowly, and then out of rest at a speed that makes the rod pass the other one within a step.
    let gently: usize = (0..4).map(|_| drive(0.1)).sum();
    assert_eq!(gently, 0);
    let flung: usize = (0..4).map(|_| drive(SPEED)).sum();
    assert!(flung > 0);
}
