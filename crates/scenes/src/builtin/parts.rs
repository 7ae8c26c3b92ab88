//! Bodies that several scenes are made of.

use stiction_sim::sdf::{BoltSdf, MetricThread, NeuralBolt, NeuralSdf, ThreadEnd};
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

/// What a bolt's thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thread {
    /// The distance by its formula.
    Exact,
    /// A network that has learnt it.
    Neural,
}

/// An M48 bolt from z = 0 upwards, length m, with a head.
pub(super) fn m48_bolt(length: f64, thread: Thread) -> Result<Shape> {
    const HEAD: [f64; 2] = [0.03, 0.075];
    const EDGES: f64 = 10e-3;
    let metric = MetricThread::coarse(48)?;
    let bolt = BoltSdf::with_head(metric, length, HEAD[0], HEAD[1], ThreadEnd::Chamfered)?;
    Ok(match thread {
        Thread::Exact => Shape::bolt("thread", bolt, EDGES)?,
        Thread::Neural => neural_bolt("thread", bolt, EDGES)?,
    })
}

/// An M48 bolt whose thread is the network that comes along, meshed with edges of about `resolution` m.
///
/// `train_neural_sdf` of `stiction-collision` has trained it, and says how exact it is.
///
/// # Errors
/// A bolt of another thread.
pub fn neural_bolt(name: &str, bolt: BoltSdf, resolution: f64) -> Result<Shape> {
    let thread = NeuralSdf::from_bytes("m48_thread.safetensors", NETWORK)?;
    let bolt = NeuralBolt::new(thread, bolt)?;
    Ok(Shape::neural_bolt(name, bolt, resolution)?)
}

/// The thread of M48 bolts as `train_neural_sdf` has trained it.
const NETWORK: &[u8] = include_bytes!("../../assets/m48_thread.safetensors");

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_sim::Point3;
    use stiction_sim::sdf::Sdf;

    #[test]
    fn the_learnt_thread_is_exact_well_below_the_clearance_of_a_nut() {
        let metric = MetricThread::coarse(48).unwrap();
        let bolt = BoltSdf::rod(metric, 0.1, ThreadEnd::Chamfered).unwrap();
        let network = NeuralSdf::from_bytes("network", NETWORK).unwrap();
        let learnt = NeuralBolt::new(network, bolt).unwrap();
        let (mut mean, mut count) = (0.0, 0);
        for index in 0..4000 {
            let along = f64::from(index) / 4000.0;
            let (angle, radius) = (1000.0 * along, 0.0205 + 0.0045 * (317.0 * along).fract());
            let p = Point3::new(
                radius * angle.cos(),
                radius * angle.sin(),
                0.02 + 0.06 * along,
            );
            let (found, known) = (learnt.sample(&p), bolt.sample(&p));
            if known.value.abs() > 2e-4 {
                continue;
            }
            mean += (found.value - known.value).abs();
            count += 1;
            // The gradient is that of the value.
            let step = Vector3::new(0.3, -0.5, 0.8) * 1e-7;
            let change = learnt.value(&(p + step)) - learnt.value(&(p - step));
            assert!(
                (change - 2.0 * found.gradient.dot(&step)).abs() < 1e-9,
                "{p}"
            );
        }
        mean /= f64::from(count);
        assert!(
            count > 200 && mean < 5e-5,
            "mean error {mean} m of {count} points"
        );
    }

    #[test]
    fn a_network_is_of_one_thread() {
        let metric = MetricThread::coarse(20).unwrap();
        let bolt = BoltSdf::rod(metric, 0.1, ThreadEnd::Flat).unwrap();
        let error = neural_bolt("bolt", bolt, 0.01).unwrap_err().to_string();
        assert!(error.contains("lead"), "{error}");
    }
}
