//! Impacts act at their instant within a step, and friction with them at the surface.

use stiction_sim::{
    BodyHandle, Inertia, Isometry3, JointKind, Material, ModelDescription, RigidBody, Settings,
    Shape, Symmetric3, Transform, Vector3, World,
};

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.1;

fn material(restitution: f64, friction: f64) -> Material {
    Material {
        restitution,
        ..Material::with_friction(friction)
    }
}

fn world_with_floor(material: Material) -> World {
    let mut world = World::new(Settings::default()).unwrap();
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
    world
}

fn add_ball(
    world: &mut World,
    name: &str,
    height: f64,
    velocity: Vector3<f64>,
    of: Material,
) -> BodyHandle {
    let ball = RigidBody::free(name, Inertia::solid_sphere(0.5, RADIUS))
        .at_position(0.0, 0.0, height)
        .moving(velocity, Vector3::zeros());
    let ball = world.add_body(ball).unwrap();
    let shape = Shape::sphere("ball", RADIUS).unwrap();
    world.attach(ball, shape, of).unwrap();
    ball
}

/// A ball on a vertical slide: a robot that bounces.
fn add_sliding_ball(world: &mut World, height: f64, of: Material) -> BodyHandle {
    let mut model = ModelDescription::new("slider");
    model.add_body("ball", Inertia::solid_sphere(0.5, RADIUS));
    let slide = JointKind::Prismatic { axis: Vector3::z() };
    model
        .add_joint("slide", slide, "world", "ball")
        .at(Transform::from_translation(Vector3::new(0.0, 0.0, height)));
    world.add_robot("slider", model.build().unwrap()).unwrap();
    let ball = world.find_body("slider/ball").unwrap();
    let shape = Shape::sphere("ball", RADIUS).unwrap();
    world.attach(ball, shape, of).unwrap();
    ball
}

/// Heights of the bounces, and when the ball was last above the floor.
fn bounces(world: &mut World, ball: BodyHandle, seconds: f64) -> (Vec<f64>, f64) {
    let mut heights = vec![1.0];
    let mut last_time = 0.0;
    while world.time() < seconds {
        world.step().unwrap();
        let height = world.pose(ball).unwrap().translation.z - RADIUS;
        assert!(height > -1e-9, "{height} m at {} s", world.time());
        if height > 1e-7 {
            last_time = world.time();
        }
        heights.push(height);
    }
    let peaks = heights
        .windows(3)
        .filter(|three| three[1] > three[0] && three[1] >= three[2])
        .map(|three| three[1]);
    (peaks.collect(), last_time)
}

#[test]
fn bounces_have_their_heights_and_end_in_time() {
    for is_robot in [false, true] {
        for restitution in [0.5f64, 0.8, 1.0] {
            let of = material(restitution, 0.3);
            let mut world = world_with_floor(of);
            let ball = match is_robot {
                true => add_sliding_ball(&mut world, 1.0 + RADIUS, of),
                false => add_ball(&mut world, "ball", 1.0 + RADIUS, Vector3::zeros(), of),
            };
            let (peaks, last_time) = bounces(&mut world, ball, 4.5);
            for (number, peak) in peaks.iter().take(4).enumerate() {
                let exact = restitution.powi(2 * (number as i32 + 1));
                assert!(
                    (peak / exact - 1.0).abs() < 0.01,
                    "ε {restitution}, robot {is_robot}, bounce {number}: {peak} of {exact} m"
                );
            }
            assert!(peaks.len() >= 4, "{peaks:?}");
            if restitution < 1.0 {
                let fall = (2.0 / GRAVITY).sqrt();
                let exact = fall * (1.0 + restitution) / (1.0 - restitution);
                assert!(
                    (last_time / exact - 1.0).abs() < 0.02,
                    "ε {restitution}, robot {is_robot}: {last_time} of {exact} s"
                );
            }
        }
    }
}

/// A step that is made in parts is one step: it ends at its time, and what a contact exerts in it is that of the
/// whole impact.
#[test]
fn an_impact_of_a_robot_is_felt_whole() {
    let of = material(0.6, 0.3);
    let mut world = world_with_floor(of);
    let ball = add_sliding_ball(&mut world, 0.5 + RADIUS, of);
    let step = world.settings().time_step;
    let (mut impulse, mut count) = (0.0, 0);
    while impulse == 0.0 {
        world.step().unwrap();
        count += 1;
        assert_eq!(world.state().step, count);
        assert!((world.time() - f64::from(count as u32) * step).abs() < 1e-12);
        assert_eq!(world.settings(), &Settings::default());
        impulse = step * world.contact_wrench(ball).unwrap().force.z;
        assert!(world.time() < 1.0);
    }
    let exact = 0.5 * 1.6 * (2.0 * GRAVITY * 0.5).sqrt();
    assert!(
        (impulse / exact - 1.0).abs() < 1e-3,
        "{impulse} of {exact} N·s"
    );
}

/// Friction of an oblique impact turns a ball by its arm, 5/2 of the speed that it takes.
#[test]
fn friction_of_an_impact_acts_at_the_surface() {
    for restitution in [0.0, 0.6] {
        let of = material(restitution, 0.1);
        let mut world = world_with_floor(of);
        let start = Vector3::new(5.0, 0.0, -3.0);
        let ball = add_ball(&mut world, "ball", 1.0, start, of);
        while world.velocity(ball).unwrap().angular.norm() == 0.0 {
            world.step().unwrap();
            assert!(world.time() < 1.0);
        }
        let twist = world.velocity(ball).unwrap();
        let (spin, lost) = (twist.angular.y * RADIUS, start.x - twist.linear.x);
        assert!((spin / (2.5 * lost) - 1.0).abs() < 1e-9, "{spin} of {lost}");
        if restitution > 0.0 {
            // All of μ (1 + ε) v_i; a velocity that is given is that of half a step before the start.
            let fall = 1.0 - RADIUS;
            let speed = (start.z.powi(2) + 2.0 * GRAVITY * fall).sqrt();
            let exact = 0.1 * (1.0 + restitution) * speed;
            assert!((lost / exact - 1.0).abs() < 5e-3, "{lost} of {exact} m/s");
        }
    }
}

/// One ball falls on another that lies on the floor: several contacts in one island.
#[test]
fn what_lies_below_an_impact_stays_where_it_is() {
    let of = material(0.7, 0.3);
    let mut world = world_with_floor(material(0.0, 0.3));
    let below = add_ball(
        &mut world,
        "below",
        RADIUS,
        Vector3::zeros(),
        material(0.0, 0.3),
    );
    let above = add_ball(&mut world, "above", 0.5, Vector3::zeros(), of);
    let start = world.pose(below).unwrap().translation.z;
    let mut fastest: f64 = 0.0;
    while world.time() < 0.5 {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0);
        assert!(report.penetration < 1e-8, "{report:?}");
        fastest = fastest.max(world.velocity(above).unwrap().linear.z);
        let moved = world.pose(below).unwrap().translation.z - start;
        assert!(moved.abs() < 1e-8, "{moved} m at {} s", world.time());
    }
    let exact = 0.7 * (2.0 * GRAVITY * (0.5 - 3.0 * RADIUS)).sqrt();
    assert!(
        (fastest / exact - 1.0).abs() < 0.03,
        "{fastest} of {exact} m/s"
    );
}

/// A box that tumbles on the floor gains no energy from impacts, whatever their restitution.
#[test]
fn a_tumbling_box_gains_no_energy() {
    for restitution in [0.5, 1.0] {
        let of = material(restitution, 0.4);
        let mut world = world_with_floor(of);
        let sides = Vector3::new(0.2, 0.3, 0.4);
        let body = RigidBody::free("box", Inertia::solid_box(1.0, sides))
            .at_position(0.0, 0.0, 0.8)
            .moving(Vector3::new(1.0, 0.3, 0.0), Vector3::new(2.0, 5.0, 1.0));
        let body = world.add_body(body).unwrap();
        let shape = Shape::cuboid("box", sides / 2.0).unwrap();
        world.attach(body, shape, of).unwrap();
        world.step().unwrap();
        let report = world.report();
        let start = report.kinetic_energy + report.potential_energy;
        let mut highest: f64 = 0.0;
        for _ in 0..1200 {
            let report = world.step().unwrap();
            highest = highest.max(report.kinetic_energy + report.potential_energy);
        }
        // Half a step's work of gravity on either side of an impact is not energy.
        assert!(
            highest < 1.03 * start,
            "ε {restitution}: {highest} of {start} J"
        );
    }
}

/// A double pendulum that strikes the floor with friction: Newton's restitution gives it energy (Kane's paradox),
/// which nothing in nature does.
#[test]
fn impacts_of_linked_bodies_give_no_energy() {
    for theta in [Settings::IMPLICIT_EULER, Settings::MIDPOINT] {
        let mut world = World::new(Settings {
            theta,
            ..Settings::default()
        })
        .unwrap();
        let of = material(1.0, 0.3);
        let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
        let at = Isometry3::translation(0.0, 0.0, -1.7);
        world
            .attach_at(floor, Shape::half_space("plane"), at, of)
            .unwrap();
        let mut model = ModelDescription::new("pendulum");
        let about = Symmetric3::diagonal(1.0 / 12.0, 1.0 / 12.0, 1e-3);
        let rod = Inertia::from_com(1.0, Vector3::new(0.0, 0.0, -0.5), about);
        let hinge = || JointKind::Continuous { axis: Vector3::y() };
        model.add_body("upper", rod);
        model.add_body("lower", rod);
        model.add_joint("shoulder", hinge(), "world", "upper");
        model
            .add_joint("elbow", hinge(), "upper", "lower")
            .at(Transform::from_translation(-Vector3::z()));
        let robot = world.add_robot("r", model.build().unwrap()).unwrap();
        world
            .set_robot_state(robot, &[1.2, 0.7], &[0.0; 2])
            .unwrap();
        let lower = world.find_body("r/lower").unwrap();
        let tip = Shape::sphere("tip", 0.05).unwrap();
        let end = Isometry3::translation(0.0, 0.0, -1.0);
        world.attach_at(lower, tip, end, of).unwrap();
        let (mut lowest, mut gain, mut fastest) = (f64::INFINITY, 0.0f64, 0.0f64);
        for _ in 0..2400 {
            let report = world.step().unwrap();
            let energy = report.kinetic_energy + report.potential_energy;
            fastest = fastest.max(report.kinetic_energy);
            lowest = energy.min(lowest);
            gain = gain.max(energy - lowest);
        }
        let most = if theta > 0.0 { 2e-4 } else { 1e-6 };
        assert!(gain < most * fastest, "θ = {theta}: {gain} of {fastest} J");
    }
}
