//! What is only drawn, and pairs that touch whatever is said.

use stiction_sim::{
    Collider, Groups, Inertia, Isometry3, Material, RigidBody, Settings, Shape, Vector3, World,
};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 0.5];

#[test]
fn visuals_are_drawn_and_touch_nothing() {
    let mut world = World::new(Settings::default()).unwrap();
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    world
        .attach(floor, Shape::half_space("plane"), Material::default())
        .unwrap();
    let body = RigidBody::free("body", Inertia::solid_sphere(1.0, 0.1)).at_position(0.0, 0.0, 0.05);
    let body = world.add_body(body).unwrap();
    let at = Isometry3::translation(0.0, 0.0, 0.2);
    let ball = Shape::sphere("ball", 0.1).unwrap();
    world
        .attach_visual(body, ball.clone(), at, Some(RED))
        .unwrap();
    assert!(world.attach_visual(body, ball, at, Some([2.0; 4])).is_err());
    for _ in 0..120 {
        world.step().unwrap();
        assert_eq!(world.report().contacts, 0);
    }
    assert!(world.pose(body).unwrap().translation.z < -1.0);
    let header = world.recording_header("test", 0.1);
    let visuals = &header.bodies[body.index()].visuals;
    assert_eq!(visuals.len(), 1);
    assert_eq!(visuals[0].color, RED);
    assert_eq!(visuals[0].pose.position, [0.0, 0.0, 0.2]);
}

#[test]
fn every_collider_has_a_colour_of_its_own() {
    let mut world = World::new(Settings::default()).unwrap();
    let body = world
        .add_body(RigidBody::fixed("body").colored(1.0, 0.0, 0.0))
        .unwrap();
    for name in ["a", "b"] {
        let shape = Shape::sphere(name, 0.1).unwrap();
        world.attach(body, shape, Material::default()).unwrap();
    }
    let b = world.find_collider("body/b").unwrap();
    world.set_collider_color(b, Some(GREEN)).unwrap();
    assert!(world.set_collider_color(b, Some([f32::NAN; 4])).is_err());
    assert!(world.find_collider("body/c").is_err());
    let header = world.recording_header("test", 0.1);
    let colors: Vec<_> = header.bodies[0]
        .visuals
        .iter()
        .map(|visual| visual.color)
        .collect();
    assert_eq!(colors, [RED, GREEN]);
}

#[test]
fn an_included_pair_slides_with_its_own_friction() {
    let mut world = World::new(Settings::default()).unwrap();
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    world
        .attach(
            floor,
            Shape::half_space("plane"),
            Material::with_friction(0.9),
        )
        .unwrap();
    let sides = Vector3::repeat(0.2);
    let body = RigidBody::free("box", Inertia::solid_box(1.0, sides))
        .at_position(0.0, 0.0, 0.1)
        .moving(Vector3::new(2.0, 0.0, 0.0), Vector3::zeros());
    let body = world.add_body(body).unwrap();
    let shape = Shape::cuboid("box", sides / 2.0).unwrap();
    let collider = world
        .attach_collider(Collider {
            material: Material::with_friction(0.9),
            groups: Groups {
                member_of: 0,
                collides_with: 0,
                either: false,
            },
            ..Collider::rigid("box/box", body.index() as u32, shape)
        })
        .unwrap();
    world.exclude(floor, body).unwrap();
    let plane = world.find_collider("floor/plane").unwrap();
    world.include_pair(plane, collider, Some(0.1)).unwrap();
    assert!(world.include_pair(plane, plane, None).is_err());
    assert!(world.include_pair(plane, collider, Some(-0.1)).is_err());
    for _ in 0..120 {
        world.step().unwrap();
    }
    let speed = world.velocity(body).unwrap().linear.x;
    assert!((speed - (2.0 - 0.1 * 9.81 * 0.5)).abs() < 1e-6, "{speed}");
    assert!((world.pose(body).unwrap().translation.z - 0.1).abs() < 1e-6);
}
