//! Random scenes that a file may have.

mod deformable;
mod drive;

use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitQuaternion, Vector3};
use stiction_collision::{CombineRule, Friction, Groups, Material};
use stiction_dynamics::{CouplingDescription, DofProperties, JointKind, Symmetric3};
use stiction_io::mesh::MeshData;
use stiction_io::scene_file::{
    Anchors, BodyDescription, BodyKind, ConnectionDescription, ConnectionKind,
    ControllerDescription, Distance, DistanceSolid, InertiaDescription, LinkDescription,
    MassDescription, MeshFile, MeshSource, Operation, Part, PointSource, RobotDescription,
    RobotFrameDescription, RobotJointDescription, SceneDescription, SettingsDescription,
    ShapeDescription, ShapeKind, Signal, ThreadDescription,
};

/// Splitmix64, enough for test data.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn size(&mut self) -> f64 {
        self.between(0.01, 2.0)
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.coin().then(|| make(self))
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-1.0, 1.0))
    }

    fn sizes(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.size())
    }

    fn rotation(&mut self) -> UnitQuaternion<f64> {
        let vector = self.vector();
        UnitQuaternion::from_scaled_axis(vector * 3.0)
    }

    fn pose(&mut self) -> Isometry3<f64> {
        if self.coin() {
            return Isometry3::identity();
        }
        Isometry3::from_parts(Translation3::from(self.vector() * 1e3), self.rotation())
    }

    fn point(&mut self) -> Point3<f64> {
        Point3::from(self.vector())
    }
}

pub(crate) fn random_scene(seed: u64) -> SceneDescription {
    let dice = &mut Dice(seed);
    let mut scene = SceneDescription::new("a \"quoted\" \\ näme ☺", dice.size());
    scene.settings = settings(dice);
    for name in ["steel", "a b.c", "\"odd\""] {
        scene.materials.insert(name.to_owned(), material(dice));
    }
    for index in 0..1 + dice.below(4) {
        scene.bodies.push(body(dice, format!("body {index}")));
    }
    scene.bodies.push(BodyDescription {
        kind: BodyKind::Driven,
        ..body(dice, "driven".to_owned())
    });
    scene.robots.push(robot(dice));
    for (index, kind) in [
        ConnectionKind::Ball,
        ConnectionKind::Hinge,
        ConnectionKind::Weld,
        ConnectionKind::Distance {
            length: dice.size(),
        },
        ConnectionKind::Spring {
            stiffness: dice.size(),
            damping: dice.size(),
            rest_length: dice.size(),
        },
        ConnectionKind::Rolling {
            radius: dice.size(),
        },
        ConnectionKind::NoSideSlip,
    ]
    .into_iter()
    .enumerate()
    {
        scene.joints.push(ConnectionDescription {
            name: format!("joint {index}"),
            kind,
            bodies: ["body 0".to_owned(), "arm/hand".to_owned()],
            anchors: match dice.coin() {
                true => Anchors::InWorld(dice.pose()),
                false => Anchors::OnBodies([dice.pose(), dice.pose()]),
            },
            collide: dice.maybe(Dice::coin),
        });
    }
    scene.controllers = controllers(dice);
    scene
        .exclude
        .push(["body 0".to_owned(), "arm/world".to_owned()]);
    // What is only drawn cannot be in a contact pair.
    scene.bodies[0].shapes[0].visual_only = false;
    for link in &mut scene.robots[0].links {
        link.shapes[0].visual_only = false;
    }
    drive::add(dice, &mut scene);
    deformable::add(dice, &mut scene);
    scene
}

fn settings(dice: &mut Dice) -> SettingsDescription {
    SettingsDescription {
        time_step: dice.maybe(|dice| dice.between(1e-5, 0.1)),
        theta: dice.maybe(|dice| dice.between(0.0, 0.99)),
        gravity: dice.maybe(Dice::vector),
        solver: dice.maybe(|_| "canal".to_owned()),
        tolerance: dice.maybe(|dice| dice.between(1e-16, 1e-3)),
        max_iterations: dice.maybe(|dice| 1 + dice.below(100) as usize),
        solver_time: dice.maybe(Dice::size),
        baumgarte: dice.maybe(|dice| dice.between(0.0, 1.0)),
        push_out_speed: dice.maybe(Dice::size),
        contact_margin: dice.maybe(Dice::size),
        contact_reuse: dice.maybe(Dice::size),
        relinearizations: dice.maybe(|dice| dice.below(9) as usize),
        integrator: dice.maybe(|dice| match dice.coin() {
            true => stiction_dynamics::Integrator::Rk4,
            false => stiction_dynamics::Integrator::Euler,
        }),
        integration_tolerance: dice.maybe(|dice| dice.between(1e-9, 1e-2)),
        max_substeps: dice.maybe(|dice| 1 + dice.below(99) as usize),
        energy_account: dice.maybe(Dice::coin),
        joint_tolerance: dice.maybe(|dice| dice.between(1e-9, 1.0)),
        islands: dice.maybe(Dice::coin),
        warm_start: dice.maybe(Dice::coin),
        max_contacts: dice.maybe(|dice| 1 + dice.below(9) as usize),
    }
}

fn material(dice: &mut Dice) -> Material {
    let rules = [
        CombineRule::Mean,
        CombineRule::GeometricMean,
        CombineRule::Min,
        CombineRule::Product,
        CombineRule::Max,
    ];
    Material {
        friction: match dice.coin() {
            true => Friction::Isotropic(dice.size()),
            false => Friction::TwoAxis {
                along: dice.size(),
                across: dice.size(),
                direction: Unit::new_normalize(dice.vector() + Vector3::x() * 2.0),
            },
        },
        restitution: dice.between(0.0, 1.0),
        compliance: dice.between(0.0, 1e-6),
        tangential_compliance: dice.between(0.0, 1e-3),
        friction_rule: rules[dice.below(5) as usize],
        restitution_rule: rules[dice.below(5) as usize],
        priority: dice.below(5) as i32 - 2,
        frictionless: dice.below(4) == 0,
    }
}

fn mass(dice: &mut Dice) -> MassDescription {
    match dice.below(3) {
        0 => MassDescription::Mass(dice.size()),
        1 => MassDescription::Density(dice.size() * 1e3),
        _ => MassDescription::Inertia(inertia(dice)),
    }
}

fn inertia(dice: &mut Dice) -> InertiaDescription {
    InertiaDescription {
        mass: dice.size(),
        center: dice.vector(),
        about_center: Symmetric3 {
            xx: 1.0 + dice.size(),
            xy: dice.between(-0.3, 0.3),
            xz: dice.between(-0.3, 0.3),
            yy: 1.0 + dice.size(),
            yz: dice.between(-0.3, 0.3),
            zz: 1.0 + dice.size(),
        },
    }
}

fn body(dice: &mut Dice, name: String) -> BodyDescription {
    let shapes = (0..1 + dice.below(3))
        .map(|index| shape(dice, index))
        .collect();
    BodyDescription {
        name,
        kind: BodyKind::Free(mass(dice)),
        pose: dice.pose(),
        velocity: dice.vector(),
        angular_velocity: Vector3::zeros(),
        color: dice.maybe(|dice| [0; 4].map(|_| dice.between(0.0, 1.0) as f32)),
        gravity_compensation: dice.between(-1.0, 2.0),
        shapes,
    }
}

fn shape(dice: &mut Dice, index: u64) -> ShapeDescription {
    ShapeDescription {
        name: format!("shape {index}"),
        kind: shape_kind(dice),
        pose: dice.pose(),
        material: dice
            .maybe(|dice| ["steel", "a b.c", "\"odd\""][dice.below(3) as usize].to_owned()),
        groups: match dice.coin() {
            true => Groups::default(),
            false => Groups {
                member_of: dice.next() as u32,
                collides_with: dice.next() as u32,
                either: dice.coin(),
            },
        },
        visual_only: dice.coin(),
        color: dice.maybe(|dice| [0; 4].map(|_| dice.between(0.0, 1.0) as f32)),
    }
}

fn shape_kind(dice: &mut Dice) -> ShapeKind {
    let file = MeshFile {
        path: format!(
            "meshes/cup.{}",
            ["stl", "OBJ", "dae", "glb"][dice.below(4) as usize]
        ),
        scale: dice.sizes(),
    };
    let thread = ThreadDescription {
        diameter: 0.02,
        pitch: dice.between(0.001, 0.009),
        start: dice.between(-3.0, 3.0),
        chamfered: dice.coin(),
        resolution: 0.005,
    };
    match dice.below(19) {
        0 => ShapeKind::Sphere {
            radius: dice.size(),
        },
        1 => ShapeKind::Box { size: dice.sizes() },
        2 => ShapeKind::Capsule {
            length: dice.size(),
            radius: dice.size(),
        },
        3 => ShapeKind::Cylinder {
            length: dice.size(),
            radius: dice.size(),
        },
        4 => ShapeKind::Cone {
            length: dice.size(),
            radius: dice.size(),
        },
        5 => ShapeKind::Ellipsoid {
            radii: dice.sizes(),
        },
        6 => ShapeKind::HalfSpace,
        7 => ShapeKind::Hull(PointSource::Inline((0..5).map(|_| dice.point()).collect())),
        8 => ShapeKind::Hull(PointSource::File(file)),
        9 => ShapeKind::Mesh {
            triangles: MeshSource::Inline(MeshData {
                vertices: (0..4).map(|_| dice.point()).collect(),
                faces: vec![[0, 1, 2], [3, 2, 1]],
            }),
            open: dice.coin(),
        },
        10 => ShapeKind::Mesh {
            triangles: MeshSource::File(file),
            open: dice.coin(),
        },
        11 => ShapeKind::HeightField {
            spacing: [dice.size(), dice.size()],
            columns: 3,
            heights: (0..6).map(|_| dice.between(-1.0, 1.0)).collect(),
        },
        12 => ShapeKind::Dish {
            floor: dice.between(0.1, 0.2),
            rim: dice.between(0.1, 0.2),
            height: dice.between(0.1, 0.2),
            thickness: dice.between(0.01, 0.02),
            resolution: dice.between(0.01, 0.02),
        },
        13 => ShapeKind::MeshDistance {
            triangles: MeshSource::File(file),
            cells: 4 + dice.below(500) as usize,
        },
        14 => ShapeKind::MeshParts {
            triangles: MeshSource::File(file),
            parts: 1 + dice.below(256) as usize,
        },
        15 => ShapeKind::Distance(DistanceSolid {
            distance: Distance::Torus {
                radius: dice.between(0.2, 0.3),
                tube: dice.between(0.01, 0.1),
            },
            resolution: dice.maybe(|dice| dice.between(0.02, 0.05)),
        }),
        16 => ShapeKind::Distance(combined(dice)),
        17 => ShapeKind::Bolt {
            thread,
            length: 0.05,
            head_height: 0.01,
            head_width: 0.03,
        },
        _ => ShapeKind::Nut {
            thread,
            height: 0.02,
            width: 0.04,
            clearance: dice.between(0.0, 1e-4),
        },
    }
}

/// Solids in a solid, of which one is in another file and one of parts again.
fn combined(dice: &mut Dice) -> DistanceSolid {
    let plain = |distance| {
        ShapeKind::Distance(DistanceSolid {
            distance,
            resolution: None,
        })
    };
    let part = |kind, dice: &mut Dice| Part {
        kind,
        pose: dice.pose(),
    };
    let outline = vec![[0.0, -0.1], [dice.size(), 0.0], [0.0, dice.size()]];
    let radius = dice.size();
    let inner = Distance::Combined {
        operation: Operation::Difference,
        parts: vec![part(ShapeKind::HalfSpace, dice)],
        blend: dice.between(0.0, 0.1),
        rounding: 0.0,
    };
    let file = Distance::File {
        path: "distances/cup.safetensors".to_owned(),
    };
    let parts = vec![
        part(ShapeKind::Sphere { radius }, dice),
        part(plain(Distance::Revolution { outline }), dice),
        part(plain(file), dice),
        part(plain(inner), dice),
    ];
    DistanceSolid {
        distance: Distance::Combined {
            operation: match dice.coin() {
                true => Operation::Union,
                false => Operation::Intersection,
            },
            parts,
            blend: 0.0,
            rounding: dice.between(0.0, 0.1),
        },
        resolution: None,
    }
}

fn robot(dice: &mut Dice) -> RobotDescription {
    let axis = dice.vector() + Vector3::new(2.0, 0.0, 0.0);
    let kinds = [
        ("fixed", JointKind::Fixed),
        ("revolute", JointKind::Revolute { axis }),
        ("continuous", JointKind::Continuous { axis }),
        ("prismatic", JointKind::Prismatic { axis }),
        (
            "helical",
            JointKind::Helical {
                axis,
                pitch: dice.size(),
            },
        ),
        ("cylindrical", JointKind::Cylindrical { axis }),
        (
            "universal",
            JointKind::Universal {
                first_axis: axis,
                second_axis: Vector3::y(),
            },
        ),
        ("planar", JointKind::Planar { normal: axis }),
        ("spherical", JointKind::Spherical),
        ("free", JointKind::Free),
    ];
    let mut robot = RobotDescription {
        name: "arm".to_owned(),
        skip_overlaps: dice.coin(),
        base: dice.pose(),
        links: Vec::new(),
        joints: Vec::new(),
        frames: vec![RobotFrameDescription {
            name: "tip".to_owned(),
            link: "hand".to_owned(),
            pose: dice.pose(),
        }],
        couplings: vec![CouplingDescription {
            name: "gear".to_owned(),
            terms: vec![
                ("revolute".to_owned(), 0, dice.size()),
                ("cylindrical".to_owned(), 1, -dice.size()),
            ],
            offset: dice.size(),
        }],
    };
    let mut parent = "world".to_owned();
    for (index, (name, kind)) in kinds.into_iter().enumerate() {
        let child = match index {
            9 => "hand".to_owned(),
            _ => format!("link {index}"),
        };
        robot.links.push(LinkDescription {
            name: child.clone(),
            mass: Some(MassDescription::Inertia(inertia(dice))),
            gravity_compensation: dice.between(-1.0, 2.0),
            shapes: vec![shape(dice, 0)],
        });
        robot
            .joints
            .push(robot_joint(dice, name, kind, &parent, &child));
        parent = child;
    }
    robot
}

fn robot_joint(
    dice: &mut Dice,
    name: &str,
    kind: JointKind,
    parent: &str,
    child: &str,
) -> RobotJointDescription {
    let limited = matches!(
        kind,
        JointKind::Revolute { .. } | JointKind::Prismatic { .. } | JointKind::Helical { .. }
    );
    let mut properties = DofProperties::default();
    let (mut initial, mut initial_velocity) = (Vec::new(), Vec::new());
    if kind != JointKind::Fixed {
        properties.damping = dice.size();
        properties.friction_loss = dice.size();
        properties.effort_limit = dice.size();
        if dice.coin() {
            properties.stiffness = dice.size();
            properties.reference = dice.between(-1.0, 1.0);
        }
        if limited {
            properties.lower = -dice.size();
            if dice.coin() {
                properties.upper = dice.size();
            }
        }
        if dice.coin() {
            initial = match kind {
                JointKind::Spherical => dice.rotation().coords.iter().copied().collect(),
                JointKind::Free => {
                    let position = dice.vector();
                    let rotation = dice.rotation();
                    position
                        .iter()
                        .chain(rotation.coords.iter())
                        .copied()
                        .collect()
                }
                _ => (0..kind.nq()).map(|_| dice.size()).collect(),
            };
            initial_velocity = (0..kind.nv()).map(|_| dice.size()).collect();
        }
    }
    RobotJointDescription {
        name: name.to_owned(),
        kind,
        parent: parent.to_owned(),
        child: child.to_owned(),
        pose: dice.pose(),
        properties,
        initial,
        initial_velocity,
    }
}

fn signal<T>(dice: &mut Dice, value: impl Fn(&mut Dice) -> T) -> Signal<T> {
    match dice.below(3) {
        0 => Signal::Constant(value(dice)),
        1 => Signal::Sinusoid {
            mean: value(dice),
            amplitude: value(dice),
            frequency: dice.size(),
            phase: dice.size(),
        },
        _ => Signal::Waypoints((0..4).map(|time| (f64::from(time), value(dice))).collect()),
    }
}

fn controllers(dice: &mut Dice) -> Vec<ControllerDescription> {
    vec![
        ControllerDescription::Pd {
            robot: "arm".to_owned(),
            joint: "revolute".to_owned(),
            stiffness: dice.size(),
            damping: dice.size(),
            feed_forward: dice.size(),
            target: signal(dice, Dice::size),
        },
        ControllerDescription::Torque {
            robot: "arm".to_owned(),
            joint: "prismatic".to_owned(),
            torque: signal(dice, Dice::size),
        },
        ControllerDescription::Force {
            body: "arm/hand".to_owned(),
            force: signal(dice, Dice::vector),
            torque: signal(dice, Dice::vector),
            point: dice.maybe(Dice::point),
        },
        ControllerDescription::Drive {
            body: "driven".to_owned(),
            velocity: signal(dice, Dice::vector),
            angular_velocity: signal(dice, Dice::vector),
        },
    ]
}
