//! Bodies that several scenes are made of.

use stiction_sim::{
    BodyHandle, Inertia, Isometry3, Material, Result, RigidBody, Shape, Vector3, World,
};

/// A floor at z = 0.
pub(super) fn floor(world: &mut World, material: Material) -> Result<BodyHandle> {
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    world.attach(floor, Shape::half_space("plane"), material)?;
    Ok(floor)
}

/// Four fixed walls around a point of the floor: half the inner side, height and thickness, m.
pub(super) fn open_box(
    world: &mut World,
    middle: Vector3<f64>,
    [half, height, thickness]: [f64; 3],
    material: Material,
) -> Result<()> {
    let away = half + 0.5 * thickness;
    for (name, direction) in [
        ("east wall", Vector3::x()),
        ("west wall", -Vector3::x()),
        ("north wall", Vector3::y()),
        ("south wall", -Vector3::y()),
    ] {
        let at = middle + direction * away + Vector3::z() * (0.5 * height);
        let mut wall = RigidBody::fixed(name).at(Isometry3::from(at));
        wall.color = Some([0.55, 0.60, 0.66, 0.25]);
        let wall = world.add_body(wall)?;
        let across = direction.abs();
        let along = Vector3::new(1.0, 1.0, 0.0) - across;
        let sides = across * thickness + along * (2.0 * (half + thickness)) + Vector3::z() * height;
        world.attach(wall, Shape::cuboid("board", sides / 2.0)?, material)?;
    }
    Ok(())
}

/// A solid box.
pub(super) fn solid_box(
    world: &mut World,
    name: &str,
    mass: f64,
    sides: Vector3<f64>,
    pose: Isometry3<f64>,
    material: Material,
) -> Result<BodyHandle> {
    let body = RigidBody::free(name, Inertia::solid_box(mass, sides)).at(pose);
    let handle = world.add_body(body)?;
    world.attach(handle, Shape::cuboid("box", sides / 2.0)?, material)?;
    Ok(handle)
}

/// A solid ball.
pub(super) fn ball(
    world: &mut World,
    name: &str,
    mass: f64,
    radius: f64,
    position: Vector3<f64>,
    material: Material,
) -> Result<BodyHandle> {
    let body =
        RigidBody::free(name, Inertia::solid_sphere(mass, radius)).at(Isometry3::from(position));
    let handle = world.add_body(body)?;
    world.attach(handle, Shape::sphere("ball", radius)?, material)?;
    Ok(handle)
}
