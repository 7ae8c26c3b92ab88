//! Energy that nobody put in.

use stiction_modeling::Motion;

use crate::body::BodyHandle;
use crate::world::World;

/// Watches the steps of a run for energy that nobody put in.
///
/// Drives, driven bodies and forces that were asked for may add energy; contacts, limits, joints and
/// friction only take it. So what is left of the change when the former are taken away may only fall:
/// where it rises above its lowest value by more than the time step explains, the run has gained energy.
#[derive(Debug, Clone, Default)]
pub struct EnergyWatch {
    /// Energy that nobody put in, summed up over all steps, and its lowest value so far, J.
    sum: f64,
    lowest: f64,
    lowest_time: f64,
    /// Largest kinetic energy, and the lowest and highest potential energy, J.
    kinetic: f64,
    potential: Option<[f64; 2]>,
    last_potential: f64,
    /// Largest change of potential energy in a step, J.
    swing: f64,
    largest: f64,
    was_told: bool,
}

/// Energy that nobody put in.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyGain {
    /// When it was noticed, s.
    pub time: f64,
    /// Since when, s.
    pub since: f64,
    /// How much, J.
    pub gained: f64,
    /// The bodies whose kinetic energy grew most in the last step, the fastest growing first.
    pub bodies: Vec<String>,
}

impl EnergyWatch {
    /// Share of the energy in play below which a gain is an error of the time step.
    const NOTABLE: f64 = 0.02;
    /// Setting everything in motion at less than this is no gain, m/s.
    const STILL: f64 = 0.01;
    /// Most bodies that are named.
    const NAMED: usize = 3;

    /// Takes in the last step of a world; the gain, when it is noticed first.
    pub fn look(&mut self, world: &World) -> Option<EnergyGain> {
        let report = world.report();
        let energy = &report.energy;
        let potential = report.potential_energy;
        let is_first = self.potential.is_none();
        let [low, high] = self.potential.unwrap_or([potential; 2]);
        if !is_first {
            self.swing = self.swing.max((potential - self.last_potential).abs());
        }
        self.potential = Some([low.min(potential), high.max(potential)]);
        self.last_potential = potential;
        self.kinetic = self.kinetic.max(report.kinetic_energy);
        // What overlaps is lifted; what putting joints right lifts is a gain like any other.
        let lifted = if world.is_pushed_apart {
            energy.projection
        } else {
            0.0
        };
        self.sum += energy.change - energy.given() - lifted;
        if self.sum < self.lowest {
            (self.lowest, self.lowest_time) = (self.sum, report.time);
        }
        let gained = self.gained();
        self.largest = self.largest.max(gained);
        // After one step nobody knows yet what the time step explains.
        if self.was_told || is_first || gained <= self.tolerance(world) {
            return None;
        }
        self.was_told = true;
        Some(EnergyGain {
            time: report.time,
            since: self.lowest_time,
            gained,
            bodies: fastest_growing(world),
        })
    }

    /// Energy above the lowest so far that nobody put in, J.
    pub fn gained(&self) -> f64 {
        self.sum - self.lowest
    }

    /// The largest such energy of all steps, J.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// Whether it was more than the time step explains.
    pub fn has_gained(&self) -> bool {
        self.was_told
    }

    /// What the time step explains, J. Velocities of implicit Euler are those of half a step before: at
    /// every turn of the motion energy seems to change by twice the work of half a step.
    fn tolerance(&self, world: &World) -> f64 {
        let span = self.potential.map_or(0.0, |[low, high]| high - low);
        let masses = (0..world.tables.bodies.len()).filter(|&body| moves(world, body));
        let mass: f64 = masses.map(|body| world.tables.bodies[body].mass).sum();
        Self::NOTABLE * self.kinetic.max(span)
            + 2.0 * self.swing
            + 0.5 * mass * Self::STILL * Self::STILL
    }
}

fn moves(world: &World, body: usize) -> bool {
    matches!(world.places.frames.motion[body], Motion::Solved { .. })
}

/// Names of the bodies whose energy of motion grew most in the last step.
fn fastest_growing(world: &World) -> Vec<String> {
    let mut grown: Vec<(f64, usize)> = Vec::new();
    for body in (0..world.tables.bodies.len()).filter(|&body| moves(world, body)) {
        let Ok(Some((_, before))) = world.previous_motion(BodyHandle(body)) else {
            continue;
        };
        let after = &world.places.frames.twist[body];
        let growth = after.linear.norm_squared() - before.linear.norm_squared();
        grown.push((world.tables.bodies[body].mass * growth, body));
    }
    grown.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names = grown.iter().take(EnergyWatch::NAMED);
    names
        .map(|&(_, body)| world.tables.bodies[body].name.clone())
        .collect()
}
