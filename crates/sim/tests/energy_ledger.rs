//! Who changed the energy of a world in a step, and what is said of energy that nobody put in.

use nalgebra::Matrix6;
use stiction_sim::{
    Connection, ConnectionKind, Energy, EnergyLedger, EnergyWatch, Inertia, JointKind, Material,
    Mechanism, ModelDescription, Momentum, Motion, Now, Places, Placing, Registry, Result,
    RigidBody, Settings, Shape, SimError, State, Subsystem, Transform, Vector3, World,
};

const DT: f64 = 1.0 / 240.0;
const GRAVITY: f64 = 9.81;

/// Steps a world and returns the sum of its ledgers; every step's must close, and nothing may be gained.
fn run(world: &mut World, steps: usize) -> EnergyLedger {
    let mut watch = EnergyWatch::default();
    let mut sum = EnergyLedger::default();
    for _ in 0..steps {
        let report = world.step().unwrap();
        let ledger = report.energy;
        let works: f64 = ledger.works().iter().map(|(_, work)| work).sum();
        let size = report.kinetic_energy + report.potential_energy.abs() + 1.0;
        assert!((works - ledger.change).abs() < 1e-12 * size, "{ledger:?}");
        sum.add(&ledger);
        assert_eq!(watch.look(world), None, "{sum:?}");
    }
    sum
}

fn floor(world: &mut World, body: RigidBody) -> stiction_sim::BodyHandle {
    let floor = world.add_body(body).unwrap();
    let material = Material::with_friction(0.5);
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
    floor
}

fn block(world: &mut World, velocity: Vector3<f64>) -> stiction_sim::BodyHandle {
    let sides = Vector3::repeat(0.2);
    let body = RigidBody::free("block", Inertia::solid_box(2.0, sides))
        .at_position(0.0, 0.0, 0.1)
        .moving(velocity, Vector3::zeros());
    let body = world.add_body(body).unwrap();
    let shape = Shape::cuboid("box", sides / 2.0).unwrap();
    world
        .attach(body, shape, Material::with_friction(0.5))
        .unwrap();
    body
}

#[test]
fn of_a_body_that_falls_only_the_time_step_is_wrong() {
    let mut world = World::new(Settings::default()).unwrap();
    let ball = RigidBody::free("ball", Inertia::solid_sphere(2.0, 0.1));
    world.add_body(ball).unwrap();
    for _ in 0..20 {
        let ledger = world.step().unwrap().energy;
        let exact = -0.5 * 2.0 * (GRAVITY * DT).powi(2);
        assert!((ledger.integration - exact).abs() < 1e-10, "{ledger:?}");
        assert!(ledger.works()[..11].iter().all(|(_, work)| *work == 0.0));
    }
}

#[test]
fn friction_takes_what_a_sliding_block_loses() {
    let mut world = World::new(Settings::default()).unwrap();
    floor(&mut world, RigidBody::fixed("floor"));
    block(&mut world, Vector3::new(2.0, 0.0, 0.0));
    let sum = run(&mut world, 240);
    assert!((sum.contacts + 4.0).abs() < 1e-6, "{sum:?}");
    assert!(sum.integration.abs() < 1e-6, "{sum:?}");
}

/// A conveyor takes a block along: as much heat as motion.
#[test]
fn a_conveyor_is_a_driven_body_and_no_gain() {
    let mut world = World::new(Settings::default()).unwrap();
    let belt = floor(&mut world, RigidBody::driven("belt"));
    block(&mut world, Vector3::zeros());
    let along = Vector3::new(1.5, 0.0, 0.0);
    world
        .commands()
        .drive(belt, along, Vector3::zeros())
        .unwrap();
    let sum = run(&mut world, 240);
    let kinetic = 0.5 * 2.0 * 1.5 * 1.5;
    assert!((sum.driven - 2.0 * kinetic).abs() < 1e-6, "{sum:?}");
    assert!((sum.contacts + kinetic).abs() < 1e-6, "{sum:?}");
    assert_eq!(sum.account, 0.0);
}

/// A robot on a conveyor, with a limb that swings: the account of trees in contact takes nothing of what the
/// belt puts in, whatever the belt does.
#[test]
fn a_conveyor_under_a_robot_is_no_gain() {
    for speed in [0.5, 3.0] {
        let mut world = World::new(Settings::default()).unwrap();
        let belt = floor(&mut world, RigidBody::driven("belt"));
        let sides = Vector3::new(0.4, 0.3, 0.2);
        let mut model = ModelDescription::new("cart");
        model.add_body("base", Inertia::solid_box(4.0, sides));
        model.add_body("limb", Inertia::solid_sphere(0.3, 0.05));
        model.add_joint("float", JointKind::Free, "world", "base");
        let hinge = JointKind::Continuous { axis: Vector3::y() };
        model
            .add_joint("hip", hinge, "base", "limb")
            .at(Transform::from_translation(Vector3::new(0.0, 0.0, 0.2)));
        let model = model.build().unwrap();
        let mut start = model.neutral();
        start[2] = 0.1;
        let robot = world.add_robot("cart", model).unwrap();
        let still = vec![0.0; 7];
        world.set_robot_state(robot, &start, &still).unwrap();
        let base = world.find_body("cart/base").unwrap();
        let shape = Shape::cuboid("box", sides / 2.0).unwrap();
        world
            .attach(base, shape, Material::with_friction(0.5))
            .unwrap();
        let along = Vector3::new(speed, 0.0, 0.0);
        world
            .commands()
            .drive(belt, along, Vector3::zeros())
            .unwrap();
        let sum = run(&mut world, 480);
        let reached = world.velocity(base).unwrap().linear.x;
        assert!((reached - speed).abs() < 1e-3, "{speed}: {reached}");
        assert!(sum.driven > 0.9 * 4.3 * speed * speed, "{sum:?}");
        assert_eq!(sum.account, 0.0, "{sum:?}");
    }
}

/// A driven hand swings a ball on a rod, and a motor turns an arm.
#[test]
fn hands_and_drives_put_energy_in() {
    let mut world = World::new(Settings::default()).unwrap();
    let hand = world.add_body(RigidBody::driven("hand")).unwrap();
    let ball = RigidBody::free("ball", Inertia::solid_sphere(1.0, 0.05)).at_position(0.3, 0.0, 0.0);
    let ball = world.add_body(ball).unwrap();
    let rod = ConnectionKind::Distance { length: 0.3 };
    world
        .connect(Connection::new("rod", rod, hand, ball))
        .unwrap();
    let mut model = ModelDescription::new("arm");
    model.add_body("arm", Inertia::solid_box(1.0, Vector3::new(0.5, 0.1, 0.1)));
    let hinge = JointKind::Revolute { axis: Vector3::z() };
    model
        .add_joint("hinge", hinge, "world", "arm")
        .at(Transform::from_translation(Vector3::new(3.0, 0.0, 0.0)));
    let arm = world.add_robot("arm", model.build().unwrap()).unwrap();
    let dof = world.dof(arm, "hinge").unwrap();
    let mut watch = EnergyWatch::default();
    let mut sum = EnergyLedger::default();
    for step in 0..480 {
        let phase = 3.0 * f64::from(step) * DT;
        let velocity = Vector3::new(0.6 * phase.cos(), 0.0, 0.3 * phase.sin());
        world
            .commands()
            .drive(hand, velocity, Vector3::zeros())
            .unwrap();
        world.commands().set_torque(arm, dof, 0.2).unwrap();
        let report = world.step().unwrap();
        sum.add(&report.energy);
        assert_eq!(watch.look(&world), None, "{sum:?}");
    }
    let spin = world.joint_state(arm, "hinge").unwrap();
    // The torque times the angle, but for half a step.
    assert!((sum.drives - 0.2 * spin.position).abs() < 0.2 * spin.velocity * DT);
    assert!(sum.driven.abs() > 1e-3, "{sum:?}");
    // Nothing but rounding.
    assert!(sum.account.abs() < 1e-12 * sum.drives, "{sum:?}");
}

/// A free body whose velocity grows by a share in every step, which nobody explains.
struct Unstable {
    v: usize,
    subsystem: usize,
    frame: usize,
    b: [f64; 6],
}

impl Unstable {
    fn new(registry: &mut Registry<'_>) -> Result<Self> {
        let element = registry.element("unstable", &[0.0; 3], &[]);
        let (subsystem, v) = registry.subsystem(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let motion = Motion::Solved {
            subsystem: subsystem as u32,
            index: 0,
        };
        let frame = registry.frame("unstable", motion, 1.0)?.index();
        assert_eq!(element.q.len(), 3);
        Ok(Self {
            v: v.start,
            subsystem,
            frame,
            b: [0.0; 6],
        })
    }
}

impl Mechanism for Unstable {
    fn place(&mut self, at: &Placing<'_>, places: &mut Places) -> Result<()> {
        let v = &at.v[self.v..self.v + 3];
        places.frames.twist[self.frame].linear = Vector3::new(v[0], v[1], v[2]);
        places.references[self.subsystem] = Vector3::zeros();
        Ok(())
    }

    fn prepare(&mut self, now: &Now<'_>, _places: &mut Places) -> Result<()> {
        for (b, v) in self.b.iter_mut().zip(&now.state.v[self.v..]) {
            *b = 1.05 * v;
        }
        Ok(())
    }

    fn shape(&self, _subsystem: usize) -> Subsystem {
        Subsystem::FreeBody(Matrix6::identity())
    }

    fn write_matrix(&self, _subsystem: usize, a: &mut Subsystem) {
        *a = self.shape(0);
    }

    fn write_right_hand_side(&self, _subsystem: usize, b: &mut [f64]) {
        b.copy_from_slice(&self.b);
    }

    fn retract(&self, _now: &Now<'_>, _v: &[f64], _time: f64, _q: &mut [f64]) -> Result<()> {
        Ok(())
    }

    fn advance(&mut self, _now: &Now<'_>, v_hat: &[f64], next: &mut State) -> Result<()> {
        let dofs = self.v..self.v + 6;
        next.v[dofs.clone()].copy_from_slice(&v_hat[dofs]);
        Ok(())
    }

    fn energy(&self, state: &State, _settings: &Settings) -> Result<Energy> {
        let squares = state.v[self.v..self.v + 6].iter().map(|v| v * v);
        Ok(Energy {
            kinetic: 0.5 * squares.sum::<f64>(),
            potential: 0.0,
        })
    }

    fn momentum(&self, _state: &State) -> Result<Momentum> {
        Ok(Momentum {
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
        })
    }
}

#[test]
fn energy_that_nobody_put_in_is_told_with_time_and_ends_at_absurd_speeds() {
    let mut world = World::new(Settings::default()).unwrap();
    world.add(Unstable::new).unwrap();
    let calm = RigidBody::free("calm", Inertia::solid_sphere(1.0, 0.1));
    world.add_body(calm).unwrap();
    let mut watch = EnergyWatch::default();
    let mut told = Vec::new();
    let failure = loop {
        match world.step() {
            Ok(_) => told.extend(watch.look(&world)),
            Err(SimError::Step(failure)) => break failure,
            Err(other) => panic!("{other}"),
        }
    };
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].time < 10.0 * DT && told[0].gained > 0.0, "{told:?}");
    assert!(world.report().kinetic_energy.is_finite());
    assert_eq!(failure.bodies, ["unstable"]);
    assert!(
        failure.reason.contains("\"unstable\" moves at"),
        "{failure}"
    );
}

#[test]
fn an_absurd_speed_names_its_joint() {
    let mut world = World::new(Settings::default()).unwrap();
    let mut model = ModelDescription::new("arm");
    model.add_body("upper", Inertia::solid_sphere(1.0, 0.1));
    let hinge = JointKind::Revolute { axis: Vector3::z() };
    model.add_joint("shoulder", hinge, "world", "upper");
    let arm = world.add_robot("arm", model.build().unwrap()).unwrap();
    world.set_robot_state(arm, &[0.0], &[2e6]).unwrap();
    let error = world.step().unwrap_err().to_string();
    assert!(
        error.contains("joint \"shoulder\" of link \"upper\""),
        "{error}"
    );
    assert!(world.report().kinetic_energy.is_finite());
}

#[test]
fn masses_that_numbers_do_not_carry_are_named() {
    for (heavy, is_told) in [(1e6, false), (1e15, true)] {
        let mut world = World::new(Settings::default()).unwrap();
        for (name, mass) in [("light", 1e-3), ("heavy", heavy)] {
            let body = RigidBody::free(name, Inertia::solid_sphere(mass, 0.1));
            world.add_body(body).unwrap();
        }
        let found = world.excessive_mass_ratio();
        assert_eq!(found.is_some(), is_told);
        if let Some(found) = found {
            assert_eq!(found.names, ["heavy".to_owned(), "light".to_owned()]);
        }
    }
}
