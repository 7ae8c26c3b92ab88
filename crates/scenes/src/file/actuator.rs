//! One actuator: from control to activation to force.

use stiction_io::scene_file::{Activation, ActuatorDescription, Signal};
use stiction_sim::{BodyHandle, Isometry3, Result, RobotHandle, TendonHandle, Vector3, World};

/// What an actuator drives.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    Joint {
        robot: RobotHandle,
        dof: usize,
    },
    Tendon(TendonHandle),
    /// A force and torque per unit on a body, axes of a frame on it.
    Frame {
        body: BodyHandle,
        pose: Isometry3<f64>,
        force: Vector3<f64>,
        torque: Vector3<f64>,
    },
}

impl Target {
    /// Coordinate that the actuator acts on and its rate; zero for a frame.
    pub(crate) fn coordinate(&self, world: &World) -> Result<[f64; 2]> {
        Ok(match self {
            Self::Joint { robot, dof } => {
                let state = world.dof_state(*robot, *dof)?;
                [state.position, state.velocity]
            }
            Self::Tendon(tendon) => {
                let state = world.tendon_state(*tendon)?;
                [state.length, state.velocity]
            }
            Self::Frame { .. } => [0.0, 0.0],
        })
    }
}

/// force = gain · activation + bias₀ + bias₁ · length + bias₂ · speed, with length = gear ·
/// coordinate.
#[derive(Debug, Clone)]
pub(super) struct Actuator {
    pub(super) target: Target,
    pub(super) gear: f64,
    gain: f64,
    bias: [f64; 3],
    control_limits: Option<[f64; 2]>,
    force_limits: Option<[f64; 2]>,
    dynamics: Activation,
    control: Signal<f64>,
    pub(super) activation: f64,
    /// Activation at the start of the step.
    before: f64,
}

impl Actuator {
    pub(super) fn new(description: &ActuatorDescription, target: Target) -> Self {
        Self {
            target,
            gear: description.gear,
            gain: description.gain,
            bias: description.bias,
            control_limits: description.control_limits,
            force_limits: description.force_limits,
            dynamics: description.activation,
            control: description.control.clone(),
            activation: 0.0,
            before: 0.0,
        }
    }

    /// The control of the actuator's own signal, of the middle of the step.
    pub(super) fn signal(&self, world: &World) -> f64 {
        let middle = world.time() + 0.5 * world.settings().time_step;
        self.control.at(middle, 0.0).0
    }

    /// Begins a step; one that is tried again starts from the same activation.
    pub(super) fn begin(&mut self, again: bool) {
        match again {
            true => self.activation = self.before,
            false => self.before = self.activation,
        }
    }

    /// Activation at the end of a step of `dt` s with this control throughout.
    pub(super) fn advance(&mut self, control: f64, dt: f64) {
        let control = clamp(control, self.control_limits);
        self.activation = match self.dynamics {
            Activation::Filter { time_constant } if time_constant > 0.0 => {
                control + (self.activation - control) * (-dt / time_constant).exp()
            }
            Activation::Integrator { limits } => clamp(self.activation + dt * control, limits),
            _ => control,
        };
    }

    /// The force of this step as constant + per length + per speed, the latter two not positive so
    /// that they can act implicitly; coordinate and rate are those of the start of the step. What
    /// would feed energy in acts as it is at the start, and a force beyond its limits is the limit.
    pub(super) fn force(&self, [position, velocity]: [f64; 2]) -> [f64; 3] {
        let (length, speed) = (self.gear * position, self.gear * velocity);
        let [rest, per_length, per_speed] = self.bias;
        let constant = self.gain * self.activation + rest;
        let now = constant + per_length * length + per_speed * speed;
        let limited = clamp(now, self.force_limits);
        if limited != now {
            return [limited, 0.0, 0.0];
        }
        [
            constant + per_length.max(0.0) * length + per_speed.max(0.0) * speed,
            per_length.min(0.0),
            per_speed.min(0.0),
        ]
    }
}

/// A value in a range, if there is one.
fn clamp(value: f64, limits: Option<[f64; 2]>) -> f64 {
    limits.map_or(value, |[lower, upper]| value.max(lower).min(upper))
}

#[cfg(test)]
mod tests {
    use stiction_io::scene_file::ActuatorTarget;

    use super::*;

    fn actuator(activation: Activation) -> Actuator {
        let description = ActuatorDescription {
            name: "a".to_owned(),
            target: ActuatorTarget::Tendon("t".to_owned()),
            gear: 2.0,
            gain: 3.0,
            bias: [0.5, -4.0, 1.0],
            control_limits: Some([-1.0, 1.0]),
            force_limits: Some([-50.0, 50.0]),
            activation,
            control: Signal::Constant(0.0),
        };
        let frame = Target::Frame {
            body: World::new(Default::default())
                .and_then(|mut world| world.add_body(stiction_sim::RigidBody::fixed("b")))
                .unwrap(),
            pose: Isometry3::identity(),
            force: Vector3::x(),
            torque: Vector3::zeros(),
        };
        Actuator::new(&description, frame)
    }

    #[test]
    fn activations_follow_their_closed_forms() {
        let dt = 0.01;
        let mut direct = actuator(Activation::Direct);
        direct.advance(7.0, dt);
        assert_eq!(direct.activation, 1.0);
        let mut filter = actuator(Activation::Filter { time_constant: 0.2 });
        let limits = Some([-0.3, 0.3]);
        let mut integrator = actuator(Activation::Integrator { limits });
        for step in 1..=50 {
            let time = dt * f64::from(step);
            filter.advance(0.8, dt);
            integrator.advance(0.8, dt);
            let known = 0.8 * (1.0 - (-time / 0.2).exp());
            assert!((filter.activation - known).abs() < 1e-12);
            assert!((integrator.activation - (0.8 * time).min(0.3)).abs() < 1e-12);
        }
    }

    #[test]
    fn what_damps_is_implicit_what_drives_is_not_and_limits_are_constant() {
        let mut actuator = actuator(Activation::Direct);
        actuator.advance(0.5, 0.01);
        // 3·0.5 + 0.5 − 4·(2·1) + 1·(2·3)
        let [constant, per_length, per_speed] = actuator.force([1.0, 3.0]);
        assert_eq!([per_length, per_speed], [-4.0, 0.0]);
        assert!((constant - (2.0 + 6.0)).abs() < 1e-12);
        assert_eq!(actuator.force([10.0, 0.0]), [-50.0, 0.0, 0.0]);
        assert_eq!(actuator.force([0.0, 100.0]), [50.0, 0.0, 0.0]);
    }
}
