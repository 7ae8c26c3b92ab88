//! What scenes are meant to do, and whether it was done.
//!
//! A scene that is a task brings its judge along, see [`Scene::task`](crate::Scene::task): show it the world after
//! every step, and ask for the verdict at the end. What it measures does not depend on the solver.

mod piling;
mod pouring;
mod threading;
mod walking;

pub use piling::Piling;
pub use pouring::Pouring;
pub use threading::{NutPlace, Threading};
pub use walking::Walking;

use stiction_sim::{Result, World};

/// Judges a task while its world is stepped.
pub trait Task: Send {
    /// Looks at the world after a step.
    ///
    /// # Errors
    /// A world that it was not made for.
    fn observe(&mut self, world: &World) -> Result<()>;

    /// How the task stands now.
    ///
    /// # Errors
    /// A world that it was not made for.
    fn verdict(&self, world: &World) -> Result<Verdict>;
}

/// How a task stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Why it counts as failed or as not done; empty when it is done.
    pub failures: Vec<String>,
    /// What was measured.
    pub measures: Vec<Measure>,
}

/// A number that says how well a task was done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// What it is.
    pub name: &'static str,
    /// SI units.
    pub value: f64,
    /// Its unit, "1" for none.
    pub unit: &'static str,
}

impl Verdict {
    /// Whether the task is done, and nothing went wrong on the way.
    pub fn is_done(&self) -> bool {
        self.failures.is_empty()
    }

    /// A measure by its name.
    pub fn measure(&self, name: &str) -> Option<f64> {
        let mut named = self.measures.iter().filter(|measure| measure.name == name);
        named.next().map(|measure| measure.value)
    }

    fn add(&mut self, name: &'static str, value: f64, unit: &'static str) {
        self.measures.push(Measure { name, value, unit });
    }

    fn fail_if(&mut self, is_so: bool, why: impl FnOnce() -> String) {
        if is_so {
            self.failures.push(why());
        }
    }
}

/// Root of the mean square of what is added.
#[derive(Debug, Clone, Copy, Default)]
struct MeanSquare {
    sum: f64,
    count: u32,
}

impl MeanSquare {
    fn add(&mut self, value: f64) {
        self.sum += value * value;
        self.count += 1;
    }

    fn root(&self) -> f64 {
        (self.sum / f64::from(self.count.max(1))).sqrt()
    }
}
