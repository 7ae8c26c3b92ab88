//! Actuators and sensors of a world, and what a controller may ask of it.

use std::sync::{Arc, Mutex};

use stiction_sim::{
    Activation, Actuator, ActuatorHandle, ActuatorTarget, BodyHandle, Commands, Connection,
    ConnectionHandle, ConnectionKind, Controller, FrameQuantity, Inertia, Isometry3, JointKind,
    Material, ModelDescription, Point3, Result, RigidBody, RobotHandle, Sensor, SensorKind,
    Settings, Shape, Signal, SimError, Snapshot, Tendon, TendonBranch, TendonHandle, TendonPath,
    Tracking, Transform, Vector3, World,
};

const DT: f64 = 0.01;

/// An arm that presses on a box, with a rope, a spring, actuators on all that can have one, and a
/// sensor of each kind.
struct Machine {
    world: World,
    arm: RobotHandle,
    block: BodyHandle,
    spring: ConnectionHandle,
    rope: TendonHandle,
    servo: ActuatorHandle,
    jet: ActuatorHandle,
}

fn machine() -> Machine {
    let settings = Settings {
        time_step: DT,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let material = Material::with_friction(0.6);
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
    let sides = Vector3::repeat(0.2);
    let block = RigidBody::free("block", Inertia::solid_box(2.0, sides)).at_position(0.4, 0.0, 0.1);
    let block = world.add_body(block).unwrap();
    world
        .attach(block, Shape::cuboid("box", sides / 2.0).unwrap(), material)
        .unwrap();
    let weight = RigidBody::free("weight", Inertia::solid_sphere(0.2, 0.05));
    let weight = world.add_body(weight.at_position(1.0, 0.0, 0.6)).unwrap();
    let mut model = ModelDescription::new("arm");
    model.add_body("link", Inertia::solid_sphere(1.0, 0.1));
    let turn = JointKind::Revolute { axis: Vector3::y() };
    model
        .add_joint("hinge", turn, "world", "link")
        .at(Transform::from_translation(Vector3::new(0.0, 0.0, 0.35)));
    let arm = world.add_robot("arm", model.build().unwrap()).unwrap();
    let link = world.find_body("arm/link").unwrap();
    let tip = Isometry3::translation(0.4, 0.0, 0.0);
    world
        .attach_at(link, Shape::sphere("tip", 0.1).unwrap(), tip, material)
        .unwrap();
    let spring = ConnectionKind::Spring {
        stiffness: 50.0,
        damping: 1.0,
        rest_length: 0.4,
    };
    let spring = Connection::new("spring", spring, block, weight);
    let spring = world.connect(spring).unwrap();
    let points = vec![
        (link, Point3::new(0.3, 0.0, 0.0)),
        (weight, Point3::origin()),
    ];
    let path = TendonPath::Points(vec![TendonBranch {
        divisor: 1.0,
        points,
    }]);
    let rope = Tendon {
        damping: 0.5,
        friction_loss: 0.1,
        ..Tendon::new("rope", path)
    };
    let rope = world.add_tendon(rope).unwrap();
    let hinge = ActuatorTarget::Joint {
        robot: arm,
        dof: world.dof(arm, "hinge").unwrap(),
    };
    let servo = Actuator {
        activation: Activation::Filter { time_constant: 0.2 },
        control: Signal::Sinusoid {
            mean: 0.3,
            amplitude: 0.2,
            frequency: 1.0,
            phase: 0.4,
        },
        ..Actuator::position("servo", hinge, 40.0, 2.0)
    };
    let servo = world.add_actuator(servo).unwrap();
    let pull = Actuator {
        activation: Activation::Integrator {
            limits: Some([-3.0, 3.0]),
        },
        control: Signal::Constant(-1.5),
        ..Actuator::motor("pull", ActuatorTarget::Tendon(rope))
    };
    let pull = world.add_actuator(pull).unwrap();
    let jet = ActuatorTarget::Frame {
        body: weight,
        pose: Isometry3::translation(0.01, 0.0, 0.0),
        force: Vector3::z(),
        torque: Vector3::new(0.0, 0.0, 0.01),
    };
    let jet = world.add_actuator(Actuator::motor("jet", jet)).unwrap();
    let dof = world.dof(arm, "hinge").unwrap();
    let mut kinds = vec![
        ("angle", SensorKind::JointPosition { robot: arm, dof }),
        ("speed", SensorKind::JointVelocity { robot: arm, dof }),
        ("length", SensorKind::TendonLength(rope)),
        ("rate", SensorKind::TendonVelocity(rope)),
        ("servo", SensorKind::ActuatorForce(servo)),
        ("pull", SensorKind::ActuatorForce(pull)),
    ];
    for (name, body, quantity) in [
        ("position", block, FrameQuantity::Position),
        ("orientation", block, FrameQuantity::Orientation),
        ("velocity", weight, FrameQuantity::LinearVelocity),
        ("turning", weight, FrameQuantity::AngularVelocity),
        ("velocimeter", link, FrameQuantity::Velocimeter),
        ("gyro", link, FrameQuantity::Gyro),
        ("accelerometer", link, FrameQuantity::Accelerometer),
        ("force", link, FrameQuantity::Force),
        ("torque", link, FrameQuantity::Torque),
    ] {
        let pose = Isometry3::translation(0.1, 0.0, 0.0);
        let kind = SensorKind::Frame {
            body,
            pose,
            quantity,
        };
        kinds.push((name, kind));
    }
    for (name, kind) in kinds {
        world.add_sensor(Sensor::new(name, kind)).unwrap();
    }
    Machine {
        world,
        arm,
        block,
        spring,
        rope,
        servo,
        jet,
    }
}

fn step(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step().unwrap();
    }
}

/// Whether two worlds show the same, bit by bit.
fn assert_same(first: &World, second: &World) {
    let ((text, readings), (other_text, other_readings)) = (all(first), all(second));
    assert_eq!(readings, other_readings);
    assert!(text == other_text, "the snapshots differ");
}

/// Everything that a world shows.
fn all(world: &World) -> (String, Vec<Vec<u64>>) {
    let readings = world.sensors().map(|sensor| {
        let reading = world.read_sensor(sensor).unwrap();
        reading.iter().map(|value| value.to_bits()).collect()
    });
    let text = serde_json::to_string(&world.snapshot()).unwrap();
    (text, readings.collect())
}

fn reread(snapshot: &Snapshot) -> Snapshot {
    serde_json::from_str(&serde_json::to_string(snapshot).unwrap()).unwrap()
}

#[test]
fn a_fresh_world_goes_on_with_activations_controls_and_sensors() {
    let mut first = machine();
    step(&mut first.world, 20);
    first.world.set_control(first.jet, 1.2).unwrap();
    step(&mut first.world, 20);
    let activation = first.world.activation(first.servo).unwrap();
    assert!(activation > 0.1, "{activation}");
    let mut second = machine();
    let snapshot = reread(&first.world.snapshot());
    // A step that has begun elsewhere is forgotten.
    second.world.control().unwrap();
    second.world.restore(&snapshot).unwrap();
    assert_same(&first.world, &second.world);
    for machine in [&mut first, &mut second] {
        step(&mut machine.world, 20);
        machine.world.set_control(machine.servo, 0.1).unwrap();
        machine.world.release_control(machine.jet).unwrap();
        step(&mut machine.world, 20);
    }
    assert_same(&first.world, &second.world);
    assert_eq!(first.world.actuator_control(first.servo).unwrap(), 0.1);
    assert_eq!(first.world.actuator_control(first.jet).unwrap(), 0.0);
}

#[test]
fn a_snapshot_of_a_world_with_other_actuators_is_refused() {
    let first = machine();
    let mut other = machine();
    let target = other.world.actuator(other.jet).unwrap().target.clone();
    let more = Actuator::motor("another jet", target);
    other.world.add_actuator(more).unwrap();
    let error = other.world.restore(&first.world.snapshot()).unwrap_err();
    assert!(error.to_string().contains("actuators"), "{error}");
}

/// Asks everything that a world can be asked, and keeps a snapshot of one step.
struct Curious {
    arm: RobotHandle,
    block: BodyHandle,
    spring: ConnectionHandle,
    rope: TendonHandle,
    at: u64,
    kept: Arc<Mutex<Option<Snapshot>>>,
}

impl Curious {
    fn ask(&self, world: &World) -> Result<()> {
        let link = world.find_body("arm/link")?;
        let contact = world.contact_wrench(self.block)?;
        let load = match world.step_count() {
            0 => Default::default(),
            _ => (
                world.joint_wrench(self.arm, "hinge")?,
                world.link_wrench(link)?,
            ),
        };
        world.frame_state(self.arm, "link")?;
        world.joint_state(self.arm, "hinge")?;
        world.joint_forces(self.arm, "hinge")?;
        world.momentum()?;
        world.previous_motion(link)?;
        world.previous_motion(self.block)?;
        world.tendon_state(self.rope)?;
        world.connection_wrench(self.spring)?;
        for sensor in world.sensors() {
            world.read_sensor(sensor)?;
        }
        for name in world.actuator_names() {
            let actuator = world.find_actuator(name)?;
            world.actuator_control(actuator)?;
            world.actuator_force(actuator)?;
        }
        let seen = world.report().contacts + world.contact_forces().len();
        assert!(world.step_count() == 0 || seen > 0);
        assert!(world.problems().count() <= world.report().islands);
        assert!(contact.force.norm().is_finite() && load.0.force.norm().is_finite());
        assert!(world.bounds().is_some() && world.state().step == world.step_count());
        Ok(())
    }
}

impl Controller for Curious {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        // What it asks for itself is not yet part of the world.
        let push = Vector3::new(0.5 * (10.0 * world.time()).sin(), 0.0, 0.0);
        commands.push(self.block, push, Vector3::zeros())?;
        self.ask(world)?;
        if world.step_count() == self.at {
            *self.kept.lock().unwrap() = Some(world.snapshot());
        }
        Ok(())
    }
}

fn with_curious_controller(at: u64) -> (World, Arc<Mutex<Option<Snapshot>>>) {
    let kept = Arc::new(Mutex::new(None));
    let mut machine = machine();
    machine.world.add_controller(Box::new(Curious {
        arm: machine.arm,
        block: machine.block,
        spring: machine.spring,
        rope: machine.rope,
        at,
        kept: kept.clone(),
    }));
    (machine.world, kept)
}

#[test]
fn a_controller_may_ask_the_world_everything_and_keep_it() {
    let (mut first, kept) = with_curious_controller(25);
    step(&mut first, 60);
    let (mut quiet, _) = with_curious_controller(u64::MAX);
    step(&mut quiet, 60);
    // A snapshot disturbs nothing.
    assert_same(&first, &quiet);
    let snapshot = kept.lock().unwrap().take().unwrap();
    let (mut second, _) = with_curious_controller(u64::MAX);
    second.restore(&reread(&snapshot)).unwrap();
    assert_eq!(second.step_count(), 25);
    step(&mut second, 35);
    assert_same(&first, &second);
}

/// Sets the control of an actuator, and of every second step the first try fails.
struct Careless {
    actuator: ActuatorHandle,
    block: BodyHandle,
    tries: u64,
}

impl Controller for Careless {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        commands.set_control(self.actuator, 1.0 + world.step_count() as f64)?;
        commands.push(self.block, Vector3::x(), Vector3::zeros())?;
        self.tries += 1;
        match self.tries % 3 {
            1 => Err(SimError::NotPossible {
                element: "controller".to_owned(),
                reason: "tries again".to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

/// A body on which only the jet of the given activation and pushes act.
fn flyer(activation: Activation) -> (World, BodyHandle, ActuatorHandle) {
    let settings = Settings {
        time_step: DT,
        gravity: Vector3::zeros(),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let body = RigidBody::free("body", Inertia::solid_sphere(2.0, 0.1));
    let body = world.add_body(body).unwrap();
    let target = ActuatorTarget::Frame {
        body,
        pose: Isometry3::identity(),
        force: Vector3::z(),
        torque: Vector3::zeros(),
    };
    let jet = Actuator {
        activation,
        ..Actuator::motor("jet", target)
    };
    let jet = world.add_actuator(jet).unwrap();
    (world, body, jet)
}

#[test]
fn a_control_acts_in_its_step_and_a_step_tried_again_acts_once() {
    let (mut world, body, actuator) = flyer(Activation::Integrator { limits: None });
    let tries = 0;
    world.add_controller(Box::new(Careless {
        actuator,
        block: body,
        tries,
    }));
    let (mut activation, mut speed) = (0.0, 0.0);
    for number in 0..20 {
        while world.step_count() == number {
            let _ = world.step();
        }
        activation += DT * (1.0 + number as f64);
        speed += DT * activation / 2.0;
        let velocity = world.velocity(body).unwrap().linear;
        let known = DT * (number + 1) as f64 / 2.0;
        assert!(
            (velocity.x - known).abs() < 1e-14,
            "step {number}: {velocity}"
        );
        assert!(
            (velocity.z - speed).abs() < 1e-14,
            "step {number}: {velocity}"
        );
        assert!((world.activation(actuator).unwrap() - activation).abs() < 1e-14);
    }
}

/// One step of the classical Runge–Kutta rule: what a joint does that nothing touches.
fn runge_kutta([q, v]: [f64; 2], dt: f64, acceleration: impl Fn(f64, f64) -> f64) -> [f64; 2] {
    let stage = |share: f64, [w, k]: [f64; 2]| {
        let (q, v) = (q + share * dt * w, v + share * dt * k);
        [v, acceleration(q, v)]
    };
    let first = [v, acceleration(q, v)];
    let second = stage(0.5, first);
    let third = stage(0.5, second);
    let fourth = stage(1.0, third);
    let mean = |at: usize| (first[at] + 2.0 * (second[at] + third[at]) + fourth[at]) / 6.0;
    [q + dt * mean(0), v + dt * mean(1)]
}

#[test]
fn what_drives_one_joint_adds_up() {
    let mut model = ModelDescription::new("wheel");
    model.add_body("rim", Inertia::solid_sphere(5.0, 0.5));
    let turn = JointKind::Revolute { axis: Vector3::z() };
    model.add_joint("axle", turn, "world", "rim");
    let inertia = 0.4 * 5.0 * 0.25;
    let settings = Settings {
        time_step: DT,
        gravity: Vector3::zeros(),
        max_substeps: 1,
        energy_account: false,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let robot = world.add_robot("wheel", model.build().unwrap()).unwrap();
    let dof = world.dof(robot, "axle").unwrap();
    let target = || ActuatorTarget::Joint { robot, dof };
    let servo = Actuator::position("servo", target(), 10.0, 1.0);
    let servo = world.add_actuator(servo).unwrap();
    let speed = Actuator::velocity("speed", target(), 2.0);
    let speed = world.add_actuator(speed).unwrap();
    world.set_control(servo, 0.5).unwrap();
    world.set_control(speed, 0.3).unwrap();
    let tracking = Tracking {
        position: -0.2,
        stiffness: 6.0,
        damping: 1.0,
        feed_forward: 0.1,
        ..Tracking::default()
    };
    world.commands().track(robot, dof, tracking).unwrap();
    let (mut q, mut v) = (0.0, 0.0);
    for step in 0..100 {
        // Added for one step only.
        let torque = if step == 50 { 3.0 } else { 0.0 };
        let more = Tracking {
            feed_forward: torque,
            ..Tracking::default()
        };
        world.commands().add_drive(robot, dof, more).unwrap();
        world.step().unwrap();
        [q, v] = runge_kutta([q, v], DT, |q, v| {
            let servos = 10.0 * (0.5 - q) - v + 2.0 * (0.3 - v);
            (servos + 0.1 + 6.0 * (-0.2 - q) - v + torque) / inertia
        });
        let state = world.joint_state(robot, "axle").unwrap();
        assert!((state.position - q).abs() < 1e-12, "step {step}: {state:?}");
        assert!((state.velocity - v).abs() < 1e-12, "step {step}: {state:?}");
    }
}

#[test]
fn what_makes_no_actuator_or_sensor_is_refused_by_name() {
    let mut machine = machine();
    let (world, jet) = (&mut machine.world, machine.jet);
    let floor = world.find_body("floor").unwrap();
    let on_floor = ActuatorTarget::Frame {
        body: floor,
        pose: Isometry3::identity(),
        force: Vector3::z(),
        torque: Vector3::zeros(),
    };
    assert!(world.add_actuator(Actuator::motor("f", on_floor)).is_err());
    let target = world.actuator(jet).unwrap().target.clone();
    let twice = world.add_actuator(Actuator::motor("jet", target));
    assert!(matches!(twice, Err(SimError::DuplicateName { .. })));
    let missing = ActuatorTarget::Joint {
        robot: machine.arm,
        dof: 7,
    };
    assert!(world.add_actuator(Actuator::motor("m", missing)).is_err());
    assert_eq!(world.actuator_names().count(), 3);
    let error = world.find_actuator("jett").unwrap_err().to_string();
    assert!(error.contains("there are: servo, pull, jet"), "{error}");
    let error = world.set_control(jet, f64::NAN).unwrap_err().to_string();
    assert!(error.contains("jet: control"), "{error}");
    let load = |body| SensorKind::Frame {
        body,
        pose: Isometry3::identity(),
        quantity: FrameQuantity::Force,
    };
    let error = world.add_sensor(Sensor::new("load", load(machine.block)));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("no joint carries \"block\""), "{error}");
    let negative = Sensor {
        cutoff: Some(-1.0),
        ..Sensor::new("cut", SensorKind::ActuatorForce(jet))
    };
    assert!(world.add_sensor(negative).is_err());
    let twice = Sensor::new("gyro", SensorKind::ActuatorForce(jet));
    assert!(world.add_sensor(twice).is_err());
    assert_eq!(world.sensor_names().count(), 15);
    step(world, 3);
}

#[test]
fn a_cutoff_bounds_what_is_shown() {
    let (mut world, body, jet) = flyer(Activation::Direct);
    let kind = SensorKind::Frame {
        body,
        pose: Isometry3::identity(),
        quantity: FrameQuantity::Accelerometer,
    };
    let free = world.add_sensor(Sensor::new("free", kind.clone())).unwrap();
    let cut = Sensor {
        cutoff: Some(1.5),
        ..Sensor::new("cut", kind)
    };
    let cut = world.add_sensor(cut).unwrap();
    world.set_control(jet, 8.0).unwrap();
    step(&mut world, 1);
    let [free, cut] = [free, cut].map(|sensor| world.read_sensor(sensor).unwrap());
    assert!((free[2] - 4.0).abs() < 1e-12, "{free:?}");
    assert_eq!(*cut, [0.0, 0.0, 1.5]);
}
