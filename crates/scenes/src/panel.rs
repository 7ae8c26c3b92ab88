//! The controls of a scene's actuators, shared by the scene and the controller that drives them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stiction_sim::{Result, SimError};

/// What one actuator is told, and what it does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dial {
    pub(crate) name: String,
    /// Control set by the user; `None` leaves it to the actuator's signal.
    pub(crate) control: Option<f64>,
    /// Force of the last step as a function of length and speed: constant, and per unit of each.
    pub(crate) force: [f64; 3],
}

/// All actuators of a scene. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Panel(Arc<Mutex<Vec<Dial>>>);

impl Panel {
    pub(crate) fn dials(&self) -> MutexGuard<'_, Vec<Dial>> {
        // A panic elsewhere leaves numbers, and any numbers are fine.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Position of an actuator; the error lists those that there are.
    pub(crate) fn find(&self, name: &str) -> Result<usize> {
        let dials = self.dials();
        let found = dials.iter().position(|dial| dial.name == name);
        found.ok_or_else(|| {
            unknown(
                "actuator",
                name,
                dials.iter().map(|dial| dial.name.as_str()),
            )
        })
    }
}

/// A name that nobody has, and those that there are.
pub(crate) fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> SimError {
    let known: Vec<&str> = known.collect();
    SimError::NotPossible {
        element: format!("there is no {what} \"{name}\""),
        reason: match known.is_empty() {
            true => "the scene has none".to_owned(),
            false => format!("there are: {}", known.join(", ")),
        },
    }
}
