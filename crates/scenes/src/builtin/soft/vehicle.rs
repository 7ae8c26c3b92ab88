//! A vehicle with an arm: ten degrees of freedom, two wheels that roll and do not slip.

use stiction_sim::{
    BodyHandle, Commands, Connection, ConnectionKind, DofProperties, Inertia, Isometry3, JointKind,
    Material, ModelDescription, Result, RobotHandle, Shape, SimError, Tracking, Transform, Vector3,
    World,
};

/// Radius of the wheels, half the distance between them, and height of the shoulder, m.
pub(super) const WHEEL: f64 = 0.08;
pub(super) const HALF_TRACK: f64 = 0.14;
const SHOULDER: f64 = 0.22;
/// Upper arm and forearm, and from the wrist to the hand's end, m; radius of all of them.
const ARM: f64 = 0.35;
const HAND: f64 = 0.06;
const RADIUS: f64 = 0.02;
/// Half the sides of the chassis, m.
const CHASSIS: [f64; 3] = [0.15, 0.11, 0.05];

/// Joints of the arm: about z, three about y, about the hand's own axis.
pub(super) const JOINTS: [&str; 5] = ["pan", "lift", "elbow", "wrist", "roll"];
/// Stiffness (N·m/rad) and damping (N·m·s/rad) of the drives of wheels and arm.
const WHEEL_DRIVE: [f64; 2] = [200.0, 40.0];
const ARM_DRIVE: [f64; 2] = [600.0, 60.0];

/// A vehicle of a world.
#[derive(Debug, Clone)]
pub(super) struct Vehicle {
    robot: RobotHandle,
    pub(super) hand: BodyHandle,
    /// Places of the wheels' joints, left and right, and of the arm's in v.
    wheels: [usize; 2],
    arm: [usize; 5],
}

impl Vehicle {
    /// Puts a vehicle on a floor at (x, y), heading along x, with its arm as given (rad).
    pub(super) fn add(
        world: &mut World,
        name: &str,
        floor: BodyHandle,
        at: [f64; 2],
        posture: [f64; 5],
        surface: Material,
    ) -> Result<Self> {
        let robot = world.add_robot(name, model(name).build()?)?;
        let body = |world: &World, link: &str| world.find_body(&format!("{name}/{link}"));
        let chassis = body(world, "chassis")?;
        let shape = Shape::cuboid("chassis", Vector3::from(CHASSIS))?;
        world.attach(chassis, shape, surface)?;
        for (link, length) in [("upper arm", ARM), ("forearm", ARM), ("hand", HAND)] {
            let between = 0.5 * length - RADIUS;
            let along = Isometry3::translation(0.0, 0.0, 0.5 * length);
            let link = body(world, link)?;
            world.attach_at(
                link,
                Shape::capsule("tube", between, RADIUS)?,
                along,
                surface,
            )?;
        }
        // The wrist between them has no size.
        world.exclude(body(world, "forearm")?, body(world, "hand")?)?;
        let across = Isometry3::rotation(Vector3::x() * std::f64::consts::FRAC_PI_2);
        for wheel in ["left wheel", "right wheel"] {
            let link = body(world, wheel)?;
            let tyre = Shape::cylinder("tyre", 0.015, WHEEL)?;
            world.attach_at(link, tyre, across, surface)?;
            let rolling = ConnectionKind::Rolling { radius: WHEEL };
            let rolling = Connection {
                collide: false,
                ..Connection::new(&format!("{name} {wheel}"), rolling, floor, link)
            };
            world.connect(rolling)?;
        }
        let model = world.model(robot)?;
        let mut q = world.robot_state(robot)?.0.to_vec();
        let coordinates = |joint: &str| {
            let found = model.joint(joint).map(|joint| joint.q.start);
            found.ok_or_else(|| SimError::Unknown {
                what: "joint",
                name: joint.to_owned(),
            })
        };
        let base = coordinates("base")?;
        q[base..base + 2].copy_from_slice(&at);
        for (joint, position) in JOINTS.into_iter().zip(posture) {
            q[coordinates(joint)?] = position;
        }
        let v = vec![0.0; model.nv()];
        world.set_robot_state(robot, &q, &v)?;
        let mut arm = [0; 5];
        for (dof, joint) in arm.iter_mut().zip(JOINTS) {
            *dof = world.dof(robot, joint)?;
        }
        Ok(Self {
            robot,
            hand: body(world, "hand")?,
            wheels: [
                world.dof(robot, "left wheel")?,
                world.dof(robot, "right wheel")?,
            ],
            arm,
        })
    }

    /// The end of the hand, in the hand's frame.
    pub(super) fn end() -> Isometry3<f64> {
        Isometry3::translation(0.0, 0.0, HAND)
    }

    /// Drives the wheels so that the vehicle has gone a way (m) and turned by an angle (rad), each with its
    /// rate.
    pub(super) fn drive(
        &self,
        commands: &mut Commands,
        way: [f64; 2],
        heading: [f64; 2],
    ) -> Result<()> {
        for (&dof, side) in self.wheels.iter().zip([-HALF_TRACK, HALF_TRACK]) {
            let [position, velocity] =
                [0, 1].map(|order| (way[order] + side * heading[order]) / WHEEL);
            self.track(commands, dof, [position, velocity], WHEEL_DRIVE)?;
        }
        Ok(())
    }

    /// Drives the arm to a posture, rad.
    pub(super) fn hold(&self, commands: &mut Commands, posture: [f64; 5]) -> Result<()> {
        for (&dof, position) in self.arm.iter().zip(posture) {
            self.track(commands, dof, [position, 0.0], ARM_DRIVE)?;
        }
        Ok(())
    }

    fn track(
        &self,
        commands: &mut Commands,
        dof: usize,
        [position, velocity]: [f64; 2],
        [stiffness, damping]: [f64; 2],
    ) -> Result<()> {
        let tracking = Tracking {
            position,
            velocity,
            stiffness,
            damping,
            feed_forward: 0.0,
        };
        commands.track(self.robot, dof, tracking)
    }
}

/// Three degrees of freedom of the chassis in the plane, two wheels, five joints.
fn model(name: &str) -> ModelDescription {
    let mut model = ModelDescription::new(name);
    let rod = |mass: f64, length: f64| {
        let about = Inertia::solid_box(mass, Vector3::new(2.0 * RADIUS, 2.0 * RADIUS, length));
        Inertia::from_com(mass, Vector3::z() * (0.5 * length), about.about_com())
    };
    model.add_body(
        "chassis",
        Inertia::solid_box(12.0, 2.0 * Vector3::from(CHASSIS)),
    );
    model.add_body("left wheel", Inertia::solid_sphere(0.5, WHEEL));
    model.add_body("right wheel", Inertia::solid_sphere(0.5, WHEEL));
    model.add_body("shoulder", Inertia::solid_sphere(0.8, 0.04));
    model.add_body("upper arm", rod(1.2, ARM));
    model.add_body("forearm", rod(0.8, ARM));
    model.add_body("wrist", Inertia::solid_sphere(0.2, 0.02));
    model.add_body("hand", rod(0.2, HAND));
    let plane = JointKind::Planar {
        normal: Vector3::z(),
    };
    let wheel = || JointKind::Continuous { axis: Vector3::y() };
    let about = |axis: Vector3<f64>| JointKind::Revolute { axis };
    let up = |height: f64| Transform::from_translation(Vector3::z() * height);
    let side = |y: f64| Transform::from_translation(Vector3::y() * y);
    let geared = DofProperties {
        armature: 0.05,
        ..DofProperties::default()
    };
    model
        .add_joint("base", plane, "world", "chassis")
        .at(up(WHEEL));
    for (joint, y) in [("left wheel", HALF_TRACK), ("right wheel", -HALF_TRACK)] {
        let joint = model.add_joint(joint, wheel(), "chassis", joint);
        joint.at(side(y)).with_properties(geared);
    }
    let links = [
        "chassis",
        "shoulder",
        "upper arm",
        "forearm",
        "wrist",
        "hand",
    ];
    let axes = [
        (Vector3::z(), SHOULDER - WHEEL),
        (Vector3::y(), 0.0),
        (Vector3::y(), ARM),
        (Vector3::y(), ARM),
        (Vector3::z(), 0.0),
    ];
    for ((pair, joint), (axis, height)) in links.windows(2).zip(JOINTS).zip(axes) {
        let joint = model.add_joint(joint, about(axis), pair[0], pair[1]);
        joint.at(up(height)).with_properties(geared);
    }
    model
}
