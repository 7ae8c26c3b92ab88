//! Closed linkages move as their one degree of freedom does.

use stiction_sim::{
    Connection, ConnectionKind, DofProperties, Inertia, Isometry3, JointKind, ModelDescription,
    RigidBody, RobotHandle, Settings, Symmetric3, Transform, Vector3, World,
};

const GRAVITY: f64 = 9.81;

/// A bar from its origin along x: length, mass, centre of mass along it, inertia about y there.
#[derive(Clone, Copy)]
struct Bar {
    length: f64,
    mass: f64,
    center: f64,
    inertia: f64,
}

impl Bar {
    fn uniform(length: f64, mass: f64) -> Self {
        Self {
            length,
            mass,
            center: 0.5 * length,
            inertia: mass * length * length / 12.0,
        }
    }

    fn inertia(&self) -> Inertia {
        Inertia::from_com(
            self.mass,
            Vector3::new(self.center, 0.0, 0.0),
            Symmetric3::diagonal(0.1 * self.inertia, self.inertia, self.inertia),
        )
    }
}

/// A four-bar linkage in the plane y = 0, the two pivots `ground` apart along x; angles from x towards z.
#[derive(Clone, Copy)]
struct FourBar {
    crank: Bar,
    coupler: Bar,
    rocker: Bar,
    ground: f64,
}

impl FourBar {
    /// Absolute angles of coupler and rocker for an angle of the crank: the branch with the joint of
    /// both on the left of the way from the crank's end to the rocker's pivot.
    fn angles(&self, crank: f64) -> [f64; 2] {
        let (x, z) = (
            self.crank.length * crank.cos(),
            self.crank.length * crank.sin(),
        );
        let (dx, dz) = (self.ground - x, -z);
        let apart = dx.hypot(dz);
        let (l, r) = (self.coupler.length, self.rocker.length);
        let along = (l * l - r * r + apart * apart) / (2.0 * apart);
        let across = (l * l - along * along).sqrt();
        let (jx, jz) = (
            x + (along * dx - across * dz) / apart,
            z + (along * dz + across * dx) / apart,
        );
        [(jz - z).atan2(jx - x), jz.atan2(jx - self.ground)]
    }

    /// Generalised mass (kg·m²) and potential energy (J) at an angle of the crank.
    fn mass_and_height(&self, crank: f64) -> [f64; 2] {
        let step = 1e-5;
        let centers = |crank: f64| {
            let [coupler, rocker] = self.angles(crank);
            let point = |origin: [f64; 2], bar: &Bar, angle: f64| {
                let at = [
                    origin[0] + bar.center * angle.cos(),
                    origin[1] + bar.center * angle.sin(),
                ];
                [at[0], at[1], angle]
            };
            let end = [
                self.crank.length * crank.cos(),
                self.crank.length * crank.sin(),
            ];
            [
                point([0.0, 0.0], &self.crank, crank),
                point(end, &self.coupler, coupler),
                point([self.ground, 0.0], &self.rocker, rocker),
            ]
        };
        let (now, ahead, behind) = (centers(crank), centers(crank + step), centers(crank - step));
        let (mut mass, mut height) = (0.0, 0.0);
        for (index, bar) in [self.crank, self.coupler, self.rocker].iter().enumerate() {
            let rate = |at: usize| (ahead[index][at] - behind[index][at]) / (2.0 * step);
            mass += bar.mass * (rate(0).powi(2) + rate(1).powi(2)) + bar.inertia * rate(2).powi(2);
            height += bar.mass * GRAVITY * now[index][1];
        }
        [mass, height]
    }

    /// Angle of the crank after `seconds` under a constant torque, by a fourth-order method.
    fn reference(&self, start: f64, torque: f64, seconds: f64) -> f64 {
        let step = 1e-4;
        let acceleration = |angle: f64, rate: f64| {
            let [ahead, behind] = [angle + step, angle - step].map(|at| self.mass_and_height(at));
            let slope = |at: usize| (ahead[at] - behind[at]) / (2.0 * step);
            let mass = self.mass_and_height(angle)[0];
            (torque - slope(1) - 0.5 * slope(0) * rate * rate) / mass
        };
        let (mut angle, mut rate) = (start, 0.0);
        let dt = 1e-3;
        for _ in 0..(seconds / dt).round() as usize {
            let k1 = acceleration(angle, rate);
            let k2 = acceleration(angle + 0.5 * dt * rate, rate + 0.5 * dt * k1);
            let k3 = acceleration(
                angle + 0.5 * dt * rate + 0.25 * dt * dt * k1,
                rate + 0.5 * dt * k2,
            );
            let k4 = acceleration(angle + dt * rate + 0.5 * dt * dt * k2, rate + dt * k3);
            angle += dt * rate + dt * dt / 6.0 * (k1 + k2 + k3);
            rate += dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        angle
    }

    /// As a robot of two trees closed by a connection, at rest at an angle of the crank.
    fn robot(
        &self,
        kind: ConnectionKind,
        crank: f64,
        settings: Settings,
        limits: DofProperties,
    ) -> (World, RobotHandle) {
        let mut world = World::new(settings).unwrap();
        let mut model = ModelDescription::new("linkage");
        let axis = -Vector3::y();
        let revolute = || JointKind::Revolute { axis };
        let [coupler, rocker] = self.angles(crank);
        for (name, bar) in [
            ("crank", self.crank),
            ("coupler", self.coupler),
            ("rocker", self.rocker),
        ] {
            model.add_body(name, bar.inertia());
        }
        model
            .add_joint("j1", revolute(), "world", "crank")
            .with_properties(limits);
        let end = Transform::from_translation(Vector3::new(self.crank.length, 0.0, 0.0));
        model
            .add_joint("j2", revolute(), "crank", "coupler")
            .at(end);
        let pivot = Transform::from_translation(Vector3::new(self.ground, 0.0, 0.0));
        model
            .add_joint("j3", revolute(), "world", "rocker")
            .at(pivot);
        let robot = world.add_robot("r", model.build().unwrap()).unwrap();
        let q = [crank, coupler - crank, rocker];
        world.set_robot_state(robot, &q, &[0.0; 3]).unwrap();
        let [a, b] = ["r/coupler", "r/rocker"].map(|name| world.find_body(name).unwrap());
        let across = Vector3::x() * -std::f64::consts::FRAC_PI_2;
        let at = |x: f64| Isometry3::new(Vector3::new(x, 0.0, 0.0), across);
        let joint = Connection::new("loop", kind, a, b);
        world
            .connect(joint.anchored(at(self.coupler.length), at(self.rocker.length)))
            .unwrap();
        (world, robot)
    }

    /// As three free bodies and four hinges.
    fn bodies(&self, crank: f64, settings: Settings) -> World {
        let mut world = World::new(settings).unwrap();
        let ground = world.add_body(RigidBody::fixed("ground")).unwrap();
        let [coupler, rocker] = self.angles(crank);
        let end = Vector3::new(crank.cos(), 0.0, crank.sin()) * self.crank.length;
        let mut handles = Vec::new();
        for (name, bar, angle, origin) in [
            ("crank", self.crank, crank, Vector3::zeros()),
            ("coupler", self.coupler, coupler, end),
            (
                "rocker",
                self.rocker,
                rocker,
                Vector3::new(self.ground, 0.0, 0.0),
            ),
        ] {
            let pose = Isometry3::new(origin, -Vector3::y() * angle);
            let body = RigidBody::free(name, bar.inertia()).at(pose);
            handles.push(world.add_body(body).unwrap());
        }
        let across = Vector3::x() * -std::f64::consts::FRAC_PI_2;
        let at = |x: f64| Isometry3::new(Vector3::new(x, 0.0, 0.0), across);
        for (name, a, b, on_a, on_b) in [
            ("j1", ground, handles[0], 0.0, 0.0),
            ("j2", handles[0], handles[1], self.crank.length, 0.0),
            ("j3", ground, handles[2], self.ground, 0.0),
            (
                "j4",
                handles[1],
                handles[2],
                self.coupler.length,
                self.rocker.length,
            ),
        ] {
            let joint = Connection::new(name, ConnectionKind::Hinge, a, b);
            world.connect(joint.anchored(at(on_a), at(on_b))).unwrap();
        }
        world
    }
}

const FOUR_BAR: FourBar = FourBar {
    crank: Bar {
        length: 0.2,
        mass: 0.5,
        center: 0.1,
        inertia: 0.002,
    },
    coupler: Bar {
        length: 0.5,
        mass: 0.8,
        center: 0.25,
        inertia: 0.01,
    },
    rocker: Bar {
        length: 0.4,
        mass: 0.6,
        center: 0.2,
        inertia: 0.008,
    },
    ground: 0.5,
};

fn fine() -> Settings {
    Settings {
        time_step: 1.0 / 960.0,
        ..Settings::default()
    }
}

#[test]
fn a_four_bar_closed_by_a_hinge_moves_as_its_linkage() {
    let (start, torque, seconds) = (1.3, 0.4, 1.0);
    let wanted = FOUR_BAR.reference(start, torque, seconds);
    for kind in [ConnectionKind::Hinge, ConnectionKind::Ball] {
        let (mut world, robot) = FOUR_BAR.robot(kind, start, fine(), DofProperties::default());
        let dof = world.dof(robot, "j1").unwrap();
        let mut worst: f64 = 0.0;
        for _ in 0..960 {
            world.commands().set_torque(robot, dof, torque).unwrap();
            world.step().unwrap();
            worst = worst.max(world.worst_position_error());
            let q = world.robot_state(robot).unwrap().0;
            let [coupler, rocker] = FOUR_BAR.angles(q[0]);
            let off = (q[0] + q[1] - coupler)
                .sin()
                .abs()
                .max((q[2] - rocker).sin().abs());
            assert!(off < 1e-5, "{kind:?} at {}: {off:e}", world.time());
        }
        let crank = world.joint_state(robot, "j1").unwrap().position;
        assert!(worst < 1e-6, "{kind:?}: {worst:e}");
        assert!(
            (crank - wanted).abs() < 0.02,
            "{kind:?}: {crank} for {wanted}"
        );
    }
}

#[test]
fn a_parallelogram_of_bodies_swings_as_a_pendulum() {
    let linkage = FourBar {
        crank: Bar::uniform(0.2, 0.3),
        coupler: Bar::uniform(0.5, 0.7),
        rocker: Bar::uniform(0.2, 0.3),
        ground: 0.5,
    };
    // The coupler keeps its direction: a mass at the end of two bars that hang (upwards, so that the
    // linkage is not crossed) and swing.
    let inertia = 2.0 * 0.3 * 0.2 * 0.2 / 3.0 + 0.7 * 0.2 * 0.2;
    let weight = (0.3 * 0.2 + 0.7 * 0.2) * GRAVITY;
    let (mut angle, mut rate) = (0.6f64, 0.0f64);
    let start = std::f64::consts::FRAC_PI_2 - angle;
    let settings = Settings {
        gravity: Vector3::new(0.0, 0.0, GRAVITY),
        ..fine()
    };
    let mut world = linkage.bodies(start, settings);
    let crank = world.find_body("crank").unwrap();
    let energy = |world: &World| world.report().kinetic_energy + world.report().potential_energy;
    world.step().unwrap();
    let begun = energy(&world);
    for _ in 1..960 {
        world.step().unwrap();
        let error = world.worst_position_error();
        assert!(error < 1e-6, "{error:e}");
        assert!(energy(&world) < begun + 1e-9);
    }
    let dt = 1e-5;
    for _ in 0..100_000 {
        rate -= dt * weight * angle.sin() / inertia;
        angle += dt * rate;
    }
    let x = world.pose(crank).unwrap() * stiction_sim::Point3::new(0.2, 0.0, 0.0);
    let swung = x.x.atan2(x.z);
    assert!((swung - angle).abs() < 0.01, "{swung} for {angle}");
}

#[test]
fn a_leg_that_starts_beyond_its_limits_comes_back_gently() {
    for side in [1.0, -1.0] {
        let start = 1.3;
        let limits = match side > 0.0 {
            true => [f64::NEG_INFINITY, start - 0.5],
            false => [start + 0.5, f64::INFINITY],
        };
        let properties = DofProperties {
            lower: limits[0],
            upper: limits[1],
            ..DofProperties::default()
        };
        let settings = Settings {
            gravity: Vector3::zeros(),
            ..Settings::default()
        };
        let (mut world, robot) = FOUR_BAR.robot(ConnectionKind::Hinge, start, settings, properties);
        let mut highest: f64 = 0.0;
        for _ in 0..720 {
            highest = highest.max(world.step().unwrap().kinetic_energy);
            assert!(world.worst_position_error() < 1e-6);
        }
        let state = world.joint_state(robot, "j1").unwrap();
        let beyond = (limits[0] - state.position).max(state.position - limits[1]);
        assert!(beyond < 1e-6, "{state:?}");
        // The crank returns at 0.5 rad/s.
        let fastest = 0.5 * FOUR_BAR.mass_and_height(start)[0] * 0.25;
        assert!(highest < 4.0 * fastest, "{highest} against {fastest}");
    }
}

/// The ground is the shortest bar: crank and rocker go round, again and again.
const DRAG_LINK: FourBar = FourBar {
    crank: Bar {
        length: 0.4,
        mass: 0.5,
        center: 0.2,
        inertia: 0.5 * 0.16 / 12.0,
    },
    coupler: Bar {
        length: 0.35,
        mass: 0.8,
        center: 0.175,
        inertia: 0.8 * 0.1225 / 12.0,
    },
    rocker: Bar {
        length: 0.45,
        mass: 0.6,
        center: 0.225,
        inertia: 0.6 * 0.2025 / 12.0,
    },
    ground: 0.15,
};

/// Energy of a loop of robots over ten seconds, where nothing else acts on it.
#[test]
fn loops_of_robots_gain_nothing_and_keep_their_energy() {
    for (linkage, name) in [(FOUR_BAR, "crank and rocker"), (DRAG_LINK, "drag link")] {
        for theta in [Settings::IMPLICIT_EULER, Settings::MIDPOINT] {
            let settings = Settings {
                theta,
                ..Settings::default()
            };
            let free = DofProperties::default();
            let (mut world, _) = linkage.robot(ConnectionKind::Hinge, 1.2, settings, free);
            world.step().unwrap();
            let energy =
                |world: &World| world.report().kinetic_energy + world.report().potential_energy;
            let (start, mut fastest, mut highest) = (energy(&world), 0.0f64, 0.0f64);
            for _ in 0..2400 {
                let report = world.step().unwrap();
                fastest = fastest.max(report.kinetic_energy);
                highest = highest.max(energy(&world) - start);
            }
            let change = energy(&world) - start;
            assert!(
                change.abs() < 1e-3 * fastest && highest < 1e-4 * fastest,
                "{name}: {change} and {highest} of {fastest} J"
            );
        }
    }
}

#[test]
fn a_four_bar_of_bodies_moves_as_its_linkage_and_keeps_its_energy() {
    let (start, seconds) = (1.3, 1.0);
    let wanted = FOUR_BAR.reference(start, 0.0, seconds);
    let mut world = FOUR_BAR.bodies(start, Settings::default());
    let crank = world.find_body("crank").unwrap();
    let energy = |world: &World| world.report().kinetic_energy + world.report().potential_energy;
    world.step().unwrap();
    let begun = energy(&world);
    let mut scale = 0.0f64;
    for step in 2..=2400 {
        world.step().unwrap();
        scale = scale.max(world.report().kinetic_energy);
        let error = world.worst_position_error();
        assert!(error < 1e-9, "{error:e}");
        let drift = (energy(&world) - begun).abs();
        assert!(drift <= 1e-3 * scale.max(1e-3), "{drift:e} of {scale:e}");
        if step == 240 {
            let angle = -world.pose(crank).unwrap().rotation.scaled_axis().y;
            let off = (angle - wanted).sin().abs();
            assert!(off < 1e-3, "{angle} for {wanted}");
        }
    }
    assert!(scale > 0.1, "{scale}");
}
