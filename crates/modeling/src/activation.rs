//! How the activation of an actuator follows its control.

use serde::{Deserialize, Serialize};

/// How the activation of an actuator follows its control.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub enum Activation {
    /// At once.
    #[default]
    Direct,
    /// Late by a first-order filter.
    Filter {
        /// Time constant, s.
        time_constant: f64,
    },
    /// As its integral: control is the rate of activation.
    Integrator {
        /// Range of the activation.
        limits: Option<[f64; 2]>,
    },
}

impl Activation {
    /// Activation at the end of a step of `dt` s that begins with `activation`, for a control that is
    /// the same throughout.
    pub fn advance(&self, activation: f64, control: f64, dt: f64) -> f64 {
        match *self {
            Self::Filter { time_constant } if time_constant > 0.0 => {
                control + (activation - control) * (-dt / time_constant).exp()
            }
            Self::Direct | Self::Filter { .. } => control,
            Self::Integrator { limits } => {
                let reached = activation + dt * control;
                limits.map_or(reached, |[lower, upper]| reached.max(lower).min(upper))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_follow_their_closed_forms() {
        let dt = 0.01;
        assert_eq!(Activation::Direct.advance(0.3, 0.8, dt), 0.8);
        let filter = Activation::Filter { time_constant: 0.2 };
        let limits = Some([-0.3, 0.3]);
        let integrator = Activation::Integrator { limits };
        let (mut filtered, mut integrated) = (0.0, 0.0);
        for step in 1..=50 {
            let time = dt * f64::from(step);
            filtered = filter.advance(filtered, 0.8, dt);
            integrated = integrator.advance(integrated, 0.8, dt);
            let known = 0.8 * (1.0 - (-time / 0.2).exp());
            assert!((filtered - known).abs() < 1e-12);
            assert!((integrated - (0.8 * time).min(0.3)).abs() < 1e-12);
        }
        let at_once = Activation::Filter { time_constant: 0.0 };
        assert_eq!(at_once.advance(0.3, 0.8, dt), 0.8);
    }
}
