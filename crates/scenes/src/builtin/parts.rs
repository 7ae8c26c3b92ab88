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
