//! A scene with one of everything that a scene can say.

use super::*;

/// A scene with everything that MJCF can say.
pub(super) fn full_scene() -> SceneDescription {
    let mut scene = SceneDescription::new("full", 1.0);
    scene.settings.time_step = Some(0.002);
    scene.settings.gravity = Some(Vector3::new(0.0, 0.0, -9.81));
    scene
        .materials
        .insert("ice".to_owned(), Material::with_friction(0.1));
    let floor = BodyDescription {
        name: "floor".to_owned(),
        kind: BodyKind::Fixed,
        pose: Isometry3::identity(),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
        color: Some([0.5, 0.5, 0.5, 1.0]),
        gravity_compensation: 0.0,
        shapes: vec![shape("ground", ShapeKind::HalfSpace)],
    };
    let hills = ShapeKind::HeightField {
        spacing: [0.5, 1.0],
        columns: 3,
        heights: vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5],
    };
    let tetrahedron = MeshData {
        vertices: [[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]]
            .map(Point3::from)
            .to_vec(),
        faces: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let ball = BodyDescription {
        name: "ball".to_owned(),
        kind: BodyKind::Free(MassDescription::Density(1000.0)),
        pose: Isometry3::from_parts(
            nalgebra::Translation3::new(1.0, 0.0, 1.0),
            UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3),
        ),
        velocity: Vector3::new(1.0, 0.0, 0.0),
        angular_velocity: Vector3::new(0.0, 2.0, 0.0),
        color: None,
        gravity_compensation: 0.5,
        shapes: vec![
            ShapeDescription {
                material: Some("ice".to_owned()),
                ..shape("round", ShapeKind::Sphere { radius: 0.1 })
            },
            shape(
                "solid",
                ShapeKind::Mesh {
                    triangles: MeshSource::Inline(tetrahedron.clone()),
                    open: false,
                },
            ),
            shape(
                "parts",
                ShapeKind::MeshParts {
                    triangles: MeshSource::Inline(tetrahedron),
                    parts: 2,
                },
            ),
            shape(
                "cone",
                ShapeKind::Cone {
                    length: 0.1,
                    radius: 0.05,
                },
            ),
            shape(
                "egg",
                ShapeKind::Ellipsoid {
                    radii: Vector3::new(0.1, 0.2, 0.3),
                },
            ),
        ],
    };
    let belt = BodyDescription {
        name: "belt".to_owned(),
        kind: BodyKind::Driven,
        pose: Isometry3::translation(0.0, 3.0, 0.0),
        shapes: vec![shape(
            "box",
            ShapeKind::Box {
                size: Vector3::new(1.0, 2.0, 3.0),
            },
        )],
        ..floor.clone()
    };
    scene.bodies = vec![
        BodyDescription {
            shapes: vec![shape("ground", ShapeKind::HalfSpace), shape("hills", hills)],
            ..floor
        },
        ball,
        belt,
    ];
    let (x, z) = (Vector3::x(), Vector3::z());
    let mut robot = chain(&[
        JointKind::Fixed,
        JointKind::Revolute { axis: x },
        JointKind::Prismatic { axis: z },
        JointKind::Helical {
            axis: z,
            pitch: 0.1,
        },
        JointKind::Cylindrical { axis: x },
        JointKind::Universal {
            first_axis: x,
            second_axis: z,
        },
        JointKind::Planar {
            normal: Vector3::new(0.0, 0.6, 0.8),
        },
        JointKind::Spherical,
        JointKind::Free,
        JointKind::Continuous { axis: z },
    ]);
    robot.base = Isometry3::translation(0.0, 0.0, 3.0);
    robot.joints[1].properties = DofProperties {
        lower: -1.0,
        upper: f64::INFINITY,
        velocity_limit: 3.0,
        effort_limit: 20.0,
        friction_loss: 0.1,
        damping: 0.2,
        armature: 0.3,
        stiffness: 4.0,
        reference: 0.5,
        ..DofProperties::default()
    };
    robot.joints[1].initial = vec![0.4];
    robot.joints[6].initial = vec![0.1, 0.2, 0.3];
    robot.joints[6].initial_velocity = vec![1.0, 2.0, 3.0];
    for link in &mut robot.links {
        link.shapes.push(shape(
            "capsule",
            ShapeKind::Capsule {
                length: 0.05,
                radius: 0.01,
            },
        ));
    }
    robot.couplings = vec![
        stiction_dynamics::CouplingDescription {
            name: "gear".to_owned(),
            terms: vec![
                ("joint1".to_owned(), 0, 2.0),
                ("joint5".to_owned(), 1, -1.0),
            ],
            offset: 0.8,
        },
        stiction_dynamics::CouplingDescription {
            name: "sum".to_owned(),
            terms: vec![
                ("joint2".to_owned(), 0, 1.0),
                ("joint3".to_owned(), 0, 1.0),
                ("joint4".to_owned(), 0, 1.0),
            ],
            offset: 0.0,
        },
    ];
    robot.frames.push(RobotFrameDescription {
        name: "tool".to_owned(),
        link: "link9".to_owned(),
        pose: Isometry3::translation(0.0, 0.0, 0.1),
    });
    scene.robots.push(robot);
    let bodies = || ["ball".to_owned(), "arm/link9".to_owned()];
    for (index, kind) in [
        ConnectionKind::Ball,
        ConnectionKind::Hinge,
        ConnectionKind::Weld,
        ConnectionKind::Distance { length: 2.0 },
        ConnectionKind::Spring {
            stiffness: 10.0,
            damping: 1.0,
            rest_length: 0.1,
        },
        ConnectionKind::Rolling { radius: 1.0 },
    ]
    .into_iter()
    .enumerate()
    {
        scene.joints.push(ConnectionDescription {
            name: format!("connection {index}"),
            kind,
            bodies: bodies(),
            anchors: match index {
                0 => Anchors::InWorld(Isometry3::translation(1.0, 2.0, 3.0)),
                _ => Anchors::OnBodies([
                    Isometry3::translation(0.0, 0.0, 0.1),
                    Isometry3::identity(),
                ]),
            },
            collide: None,
        });
    }
    let joint = |name: &str| ("arm".to_owned(), name.to_owned());
    scene.tendons = vec![
        TendonDescription {
            name: "cable".to_owned(),
            path: TendonPath::Points(vec![
                TendonBranch {
                    divisor: 1.0,
                    points: vec![
                        ("ball".to_owned(), Point3::origin()),
                        ("arm/world".to_owned(), Point3::origin()),
                    ],
                },
                TendonBranch {
                    divisor: 2.0,
                    points: vec![
                        ("arm/tool".to_owned(), Point3::origin()),
                        ("floor".to_owned(), Point3::origin()),
                    ],
                },
            ]),
            limits: Some([0.0, 10.0]),
            stiffness: 1.0,
            damping: 0.1,
            rest: [1.0, 2.0],
            friction_loss: 0.01,
        },
        TendonDescription {
            name: "sum of joints".to_owned(),
            path: TendonPath::Joints {
                robot: "arm".to_owned(),
                terms: vec![("joint1".to_owned(), 1.0), ("joint2".to_owned(), -2.0)],
            },
            limits: None,
            stiffness: 0.0,
            damping: 0.0,
            rest: [0.0; 2],
            friction_loss: 0.0,
        },
    ];
    let actuator =
        |name: &str, target: ActuatorTarget, activation: Activation| ActuatorDescription {
            name: name.to_owned(),
            target,
            gear: 2.0,
            gain: 3.0,
            bias: [0.1, -3.0, -0.2],
            control_limits: Some([-1.0, 1.0]),
            force_limits: Some([-5.0, 5.0]),
            activation,
            control: Signal::Constant(0.5),
        };
    let (robot, name) = joint("joint1");
    scene.actuators = vec![
        actuator(
            "motor",
            ActuatorTarget::Joint { robot, joint: name },
            Activation::Direct,
        ),
        actuator(
            "winch",
            ActuatorTarget::Tendon("cable".to_owned()),
            Activation::Filter { time_constant: 0.1 },
        ),
        actuator(
            "thruster",
            ActuatorTarget::Frame {
                body: "ball".to_owned(),
                pose: Isometry3::identity(),
                force: z,
                torque: x,
            },
            Activation::Integrator {
                limits: Some([-1.0, 1.0]),
            },
        ),
    ];
    scene.controllers.push(ControllerDescription::Pd {
        robot: "arm".to_owned(),
        joint: "joint2".to_owned(),
        stiffness: 100.0,
        damping: 10.0,
        feed_forward: 1.0,
        target: Signal::Sinusoid {
            mean: 0.2,
            amplitude: 0.1,
            frequency: 1.0,
            phase: 0.0,
        },
    });
    let (robot, name) = joint("joint1");
    let mut kinds = vec![
        SensorKind::JointPosition {
            robot: robot.clone(),
            joint: name.clone(),
        },
        SensorKind::JointVelocity { robot, joint: name },
        SensorKind::TendonLength("cable".to_owned()),
        SensorKind::TendonVelocity("cable".to_owned()),
        SensorKind::ActuatorForce("motor".to_owned()),
    ];
    for quantity in [
        FrameQuantity::Position,
        FrameQuantity::Orientation,
        FrameQuantity::LinearVelocity,
        FrameQuantity::AngularVelocity,
        FrameQuantity::Velocimeter,
        FrameQuantity::Gyro,
        FrameQuantity::Accelerometer,
        FrameQuantity::Force,
        FrameQuantity::Torque,
    ] {
        kinds.push(SensorKind::Frame {
            body: "arm/tool".to_owned(),
            pose: Isometry3::identity(),
            quantity,
        });
    }
    for (index, kind) in kinds.into_iter().enumerate() {
        scene.sensors.push(SensorDescription {
            name: format!("sensor {index}"),
            kind,
            cutoff: (index == 0).then_some(3.0),
        });
    }
    scene
        .exclude
        .push(["ball".to_owned(), "arm/world".to_owned()]);
    scene.contact_pairs.push(ContactPairDescription {
        shapes: ["ball/round".to_owned(), "arm/link9/capsule".to_owned()],
        friction: Some(0.7),
    });
    scene.keyframes.push(KeyframeDescription {
        name: "home".to_owned(),
        joints: vec![KeyframeJoint {
            robot: "arm".to_owned(),
            joint: "joint7".to_owned(),
            position: vec![0.0, 0.6, 0.0, 0.8],
            velocity: Vec::new(),
        }],
        bodies: vec![KeyframeBody {
            body: "ball".to_owned(),
            pose: Isometry3::translation(5.0, 6.0, 7.0),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        }],
        controls: vec![("winch".to_owned(), -0.5)],
    });
    scene
}
