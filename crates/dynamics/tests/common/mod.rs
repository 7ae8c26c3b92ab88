//! What several test files share: random trees, states, comparisons.
#![allow(dead_code, reason = "each test file uses its own part")]

use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_dynamics::*;

pub(crate) type Rng = ChaCha8Rng;

pub(crate) fn rng(seed: u64) -> Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Seed of the property tests: the same on every run, or another one from `STICTION_TEST_SEED` to
/// look further.
pub(crate) fn seed() -> u64 {
    let given = std::env::var("STICTION_TEST_SEED").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(2026)
}

pub(crate) fn uniform(rng: &mut Rng, lower: f64, upper: f64) -> f64 {
    let x: f64 = rng.random();
    lower + (upper - lower) * x
}

pub(crate) fn random_vector(rng: &mut Rng, n: usize, scale: f64) -> Vec<f64> {
    (0..n).map(|_| uniform(rng, -scale, scale)).collect()
}

pub(crate) fn random_vector3(rng: &mut Rng, scale: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| uniform(rng, -scale, scale))
}

pub(crate) fn random_forces(rng: &mut Rng, n: usize, scale: f64) -> Vec<Force> {
    (0..n)
        .map(|_| Force::new(random_vector3(rng, scale), random_vector3(rng, scale)))
        .collect()
}

/// The inertia of a handful of point masses plus a small sphere: always that of a real body.
pub(crate) fn random_inertia(rng: &mut Rng) -> Inertia {
    let mut sum = Inertia::solid_sphere(uniform(rng, 0.2, 1.0), 0.3);
    for _ in 0..3 {
        let (mass, at) = (uniform(rng, 0.1, 1.0), random_vector3(rng, 0.3));
        sum += Inertia::from_com(mass, at, Symmetric3::default());
    }
    sum
}

pub(crate) fn random_pose(rng: &mut Rng) -> Transform {
    let w = random_vector3(rng, 2.0);
    Transform::new(
        *UnitQuaternion::from_scaled_axis(w)
            .to_rotation_matrix()
            .matrix(),
        random_vector3(rng, 0.5),
    )
}

/// Every kind of joint, by number.
pub(crate) fn joint_kind(which: usize, rng: &mut Rng) -> JointKind {
    let mut axis =
        || Vector3::from(UnitQuaternion::from_scaled_axis(random_vector3(rng, 3.0)) * Vector3::x());
    match which % 13 {
        0 => JointKind::Revolute { axis: Vector3::x() },
        1 => JointKind::Revolute { axis: Vector3::y() },
        2 => JointKind::Revolute { axis: Vector3::z() },
        3 => JointKind::Revolute { axis: axis() },
        4 => JointKind::Continuous { axis: axis() },
        5 => JointKind::Prismatic { axis: axis() },
        6 => JointKind::Helical {
            axis: axis(),
            pitch: 0.3,
        },
        7 => JointKind::Cylindrical { axis: axis() },
        8 => {
            let first_axis = axis();
            let second_axis = first_axis.cross(&axis());
            JointKind::Universal {
                first_axis,
                second_axis,
            }
        }
        9 => JointKind::Planar { normal: axis() },
        10 => JointKind::Spherical,
        11 => JointKind::Free,
        _ => JointKind::Fixed,
    }
}

/// A random tree of `n` bodies with joints of every kind, half of them with armature; joint frames are turned, have the
/// axes of their parents, or lie on them. `spread` 1 makes chains, larger values bushier trees.
pub(crate) fn random_tree(seed: u64, n: usize, spread: usize) -> Model {
    let mut rng = rng(seed);
    let mut tree = ModelDescription::new(format!("random {seed}"));
    for i in 0..n {
        let name = format!("body{i}");
        tree.add_body(&name, random_inertia(&mut rng));
        let parent = match i {
            0 => WORLD.to_owned(),
            _ => format!("body{}", i - 1 - rng.random_range(0..spread.min(i))),
        };
        let which = rng.random_range(0..13);
        let kind = joint_kind(which, &mut rng);
        let armature = uniform(&mut rng, 0.0, 0.5);
        let properties = match rng.random_range(0..2) {
            0 => DofProperties::default(),
            _ => DofProperties {
                armature,
                rotor_inertia: 0.01,
                gear_ratio: 3.0,
                ..Default::default()
            },
        };
        let mut placement = random_pose(&mut rng);
        let plain = rng.random_range(0..6);
        if plain < 3 {
            placement.rotation = nalgebra::Matrix3::identity();
        }
        if plain == 0 {
            placement.translation = Vector3::zeros();
        }
        tree.add_joint(format!("joint{i}"), kind, parent, &name)
            .at(placement)
            .with_properties(properties);
    }
    let last = format!("body{}", n - 1);
    tree.add_frame("probe", last, random_pose(&mut rng));
    tree.build().expect("a random tree is valid")
}

/// A random configuration, velocity, acceleration (or torque).
pub(crate) fn random_state(model: &Model, seed: u64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut rng = rng(seed ^ 0x5eed);
    let mut q = model.neutral();
    random_configuration(model, &mut rng, &mut q).unwrap();
    let v = random_vector(&mut rng, model.nv(), 1.0);
    let a = random_vector(&mut rng, model.nv(), 1.0);
    (q, v, a)
}

/// Largest difference relative to the largest entry of either, or to `floor`.
pub(crate) fn relative_error(actual: &[f64], expected: &[f64], floor: f64) -> f64 {
    assert_eq!(actual.len(), expected.len());
    let size = actual
        .iter()
        .chain(expected)
        .fold(floor, |m, x| m.max(x.abs()));
    let gap = actual.iter().zip(expected).fold(0.0, |m: f64, (a, b)| {
        let gap = (a - b).abs();
        if gap.is_nan() {
            f64::INFINITY
        } else {
            m.max(gap)
        }
    });
    if size == 0.0 { gap } else { gap / size }
}

pub(crate) fn assert_close(what: &str, actual: &[f64], expected: &[f64], tolerance: f64) {
    let error = relative_error(actual, expected, 1e-3);
    assert!(
        error <= tolerance,
        "{what}: relative error {error:.2e} > {tolerance:.0e}"
    );
}
