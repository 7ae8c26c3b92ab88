//! Trees whose motion without contacts is measured.

use std::f64::consts::{FRAC_PI_2, PI};

use stiction_dynamics::{
    Inertia, JointKind, Model, ModelDescription, Result, State, Symmetric3, Transform, WORLD,
};
use stiction_sim::Vector3;

/// A tree and where it begins.
#[derive(Debug, Clone)]
pub struct MotionModel {
    /// Its name.
    pub name: String,
    /// The tree.
    pub model: Model,
    /// Its state at the start.
    pub start: State,
}

/// How the links of a chain are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// By hinges about y.
    Planar,
    /// By hinges about y and z in turns.
    Spatial,
    /// By ball joints.
    Ball,
}

impl Links {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Planar, Self::Spatial, Self::Ball];

    fn word(self) -> &'static str {
        match self {
            Self::Planar => "planar",
            Self::Spatial => "spatial",
            Self::Ball => "ball",
        }
    }

    fn kind(self, link: usize) -> JointKind {
        match self {
            Self::Spatial if link % 2 == 1 => JointKind::Revolute { axis: Vector3::z() },
            Self::Planar | Self::Spatial => JointKind::Revolute { axis: Vector3::y() },
            Self::Ball => JointKind::Spherical,
        }
    }
}

/// A rod of `length` m from its frame's origin along `direction`, with the inertia of a cylinder of
/// `radius` m.
fn rod(mass: f64, length: f64, radius: f64, direction: &Vector3<f64>) -> Inertia {
    let across = mass * (length * length / 12.0 + radius * radius / 4.0);
    let along = 0.5 * mass * radius * radius;
    let each = direction.map(|part| across + (along - across) * part.abs());
    let about = Symmetric3::diagonal(each.x, each.y, each.z);
    Inertia::from_com(mass, direction * (0.5 * length), about)
}

fn build(
    name: &str,
    tree: ModelDescription,
    change: impl FnOnce(&mut State),
) -> Result<MotionModel> {
    let model = tree.build()?;
    let mut start = State::neutral(&model);
    change(&mut start);
    start.validate(&model)?;
    Ok(MotionModel {
        name: name.to_owned(),
        model,
        start,
    })
}

/// Two rods of 1 kg and 1 m on hinges about y, released at 90° and 45°.
///
/// # Errors
/// None.
pub fn double_pendulum() -> Result<MotionModel> {
    let mut tree = ModelDescription::new("double pendulum");
    let down = -Vector3::z();
    let hinge = || JointKind::Revolute { axis: Vector3::y() };
    tree.add_body("upper", rod(1.0, 1.0, 0.02, &down));
    tree.add_body("lower", rod(1.0, 1.0, 0.02, &down));
    tree.add_joint("shoulder", hinge(), WORLD, "upper");
    tree.add_joint("elbow", hinge(), "upper", "lower")
        .at(Transform::from_translation(down));
    build("double pendulum", tree, |start| {
        start.q.copy_from_slice(&[FRAC_PI_2, 0.25 * PI]);
    })
}

/// A free body of three different inertias that spins about the middle one and turns over.
///
/// # Errors
/// None.
pub fn tumbling_base() -> Result<MotionModel> {
    let mut tree = ModelDescription::new("tumbling base");
    tree.gravity = Vector3::zeros();
    let about = Symmetric3::diagonal(0.02, 0.05, 0.06);
    tree.add_body("base", Inertia::from_com(1.0, Vector3::zeros(), about));
    tree.add_joint("float", JointKind::Free, WORLD, "base");
    build("tumbling base", tree, |start| {
        start.v.copy_from_slice(&[0.0, 0.0, 0.0, 0.01, 8.0, 0.02]);
    })
}

/// A free box with a rod on a hinge at its corner, the hinge at `speed` rad/s.
///
/// # Errors
/// None.
pub fn base_with_limb(speed: f64) -> Result<MotionModel> {
    let mut tree = ModelDescription::new("base with a limb");
    tree.gravity = Vector3::zeros();
    tree.add_body("base", Inertia::solid_box(5.0, Vector3::new(0.3, 0.2, 0.1)));
    tree.add_body("limb", rod(1.0, 0.4, 0.02, &Vector3::x()));
    tree.add_joint("float", JointKind::Free, WORLD, "base");
    let axis = Vector3::new(0.0, 0.8, 0.6);
    tree.add_joint("hip", JointKind::Continuous { axis }, "base", "limb")
        .at(Transform::from_translation(Vector3::new(0.15, 0.1, 0.05)));
    build(
        &format!("base with a limb at {speed} rad/s"),
        tree,
        |start| {
            start
                .v
                .copy_from_slice(&[0.0, 0.0, 0.0, 0.3, 1.0, -0.5, speed]);
        },
    )
}

/// A rod of 1 kg and 1 m on a ball joint, 1 rad off the vertical; its inertia about its own axis is
/// `ratio` times smaller than that across, and it spins at `spin` rad/s about it.
///
/// # Errors
/// None.
pub fn ball_joint(ratio: f64, spin: f64) -> Result<MotionModel> {
    let mut tree = ModelDescription::new("rod on a ball joint");
    let about = Symmetric3::diagonal(1.0 / 12.0, 1.0 / 12.0, 1.0 / 12.0 / ratio);
    tree.add_body(
        "rod",
        Inertia::from_com(1.0, Vector3::new(0.0, 0.0, -0.5), about),
    );
    tree.add_joint("ball", JointKind::Spherical, WORLD, "rod");
    let name = format!("ball joint, inertia ratio {ratio:.0e}, spin {spin} rad/s");
    build(&name, tree, |start| {
        start
            .q
            .copy_from_slice(&[0.0, 0.5f64.sin(), 0.0, 0.5f64.cos()]);
        start.v.copy_from_slice(&[2.0, 0.0, spin]);
    })
}

/// A chain of rods of 8 cm and 40 g, released from the horizontal; a spatial or ball one not quite
/// straight.
///
/// # Errors
/// None.
pub fn chain(count: usize, links: Links) -> Result<MotionModel> {
    let name = format!("chain of {count} links, {}", links.word());
    let mut tree = ModelDescription::new(&name);
    for link in 0..count {
        let body = format!("link {link}");
        tree.add_body(&body, rod(0.04, 0.08, 0.005, &Vector3::x()));
        let (parent, at) = match link {
            0 => (WORLD.to_owned(), 0.0),
            _ => (format!("link {}", link - 1), 0.08),
        };
        tree.add_joint(format!("joint {link}"), links.kind(link), parent, &body)
            .at(Transform::from_translation(Vector3::new(at, 0.0, 0.0)));
    }
    build(&name, tree, |start| match links {
        Links::Planar => {}
        Links::Spatial => (0..count).for_each(|link| start.q[link] = 0.1 * bend(link)),
        Links::Ball => {
            for link in 0..count {
                let half = 0.05 * bend(link);
                start.q[4 * link + 2] = half.sin();
                start.q[4 * link + 3] = half.cos();
            }
        }
    })
}

/// A bend that differs from link to link, in [−1, 1].
fn bend(link: usize) -> f64 {
    (1.7 * link as f64).sin()
}
