//! Further passes of linearise-and-solve in one step.

use stiction_modeling::ConnectionKind;

use crate::body::{BodyHandle, Kind};
use crate::error::Result;
use crate::mechanism::{Now, Placing};
use crate::settings::Settings;
use crate::world::World;

/// Change of v̂ against the fastest of it at which further passes change nothing any more.
const SETTLED: f64 = 1e-13;
/// Change of v̂ in the last of all passes from which on they have not settled: rows that are off by as much
/// are projected out without being felt.
const UNSETTLED: f64 = 1e-6;
/// Multiple of the solver's tolerance below which v̂ changes by what the solver leaves.
const NOISE: f64 = 10.0;
/// Fewest and most passes of the midpoint rule beside the first: its rows need the v̂ that they are
/// averaged over, and it keeps energy as far as they have it.
const MIDPOINT_PASSES: [usize; 2] = [2, 9];
/// Share of the speed of a joint and its links at which its points may move apart: the links of a motion
/// that the midpoint rule can follow turn by as many radians in a step.
const INCONSISTENT: f64 = 0.1;

impl World {
    /// Detects, assembles and solves once.
    pub(super) fn pass(&mut self) -> Result<()> {
        self.detect_contacts()?;
        self.assemble()?;
        self.solve_and_revise()
    }

    /// Repeats linearise-and-solve as often as the settings say, or until v̂ stays; whether it does, or no
    /// further pass was asked for. Passes do not settle if v̂ changes by more than in the pass before.
    pub(super) fn pass_again(&mut self) -> Result<bool> {
        let is_midpoint = self.settings.theta == Settings::MIDPOINT;
        let [fewest, most] = match is_midpoint {
            true => MIDPOINT_PASSES.map(|passes| passes.max(self.settings.relinearizations)),
            false => [self.settings.relinearizations; 2],
        };
        if self.rows.heads().is_empty() {
            // Nothing depends on v̂ of another.
            return Ok(true);
        }
        let mut last = f64::INFINITY;
        let mut rest = 0.0;
        for pass in 1..=most {
            self.last_pass.clone_from(&self.v_hat);
            self.relinearize()?;
            self.pass()?;
            let (mut change, mut speed) = (0.0f64, 0.0f64);
            for (new, old) in self.v_hat.iter().zip(&self.last_pass) {
                change = change.max((new - old).abs());
                speed = speed.max(old.abs());
            }
            let is_settled = change <= (SETTLED * speed).max(NOISE * self.settings.tolerance);
            if change <= SETTLED * speed || (is_settled && pass >= fewest) {
                return Ok(true);
            }
            if !is_settled && !(change < last) {
                return Ok(false);
            }
            last = change;
            rest = change / speed;
        }
        Ok(!is_midpoint || rest <= UNSETTLED)
    }

    /// Begins the step again: the first pass of implicit Euler, which needs no other.
    pub(super) fn pass_by_implicit_euler(&mut self) -> Result<()> {
        self.settings.theta = Settings::IMPLICIT_EULER;
        self.refresh()?;
        self.take_driven_velocities();
        self.pass()
    }

    /// Whether points of joints move apart much faster than the curvature of their ways within a step
    /// explains: velocities that were set without regard to the joints. The midpoint rule would turn them
    /// around in every step; one step of implicit Euler takes them away.
    pub(super) fn has_inconsistent_velocities(&self) -> bool {
        let frames = &self.places.frames;
        let sizes = self.connection_sizes.iter();
        self.connections
            .iter()
            .zip(sizes)
            .any(|(connection, size)| {
                if !connection.kind.holds_positions() {
                    return false;
                }
                let connector = connection.connector();
                let points = connector
                    .world_anchors(&frames.pose)
                    .map(|anchor| anchor.translation.vector);
                let [a, b] = [0, 1].map(|end| {
                    let at = points[end].into();
                    self.places.velocity_at(connector.frames[end], &at)
                });
                let apart = match connection.kind {
                    ConnectionKind::Distance { .. } => {
                        let line = (points[1] - points[0]).try_normalize(0.0);
                        line.map_or(0.0, |line| line.dot(&(b - a)).abs())
                    }
                    _ => (b - a).norm(),
                };
                let turns = connector.frames.map(|frame| {
                    let twist = &frames.twist[frame as usize];
                    twist.angular.norm() * size
                });
                let speed = a.norm() + b.norm() + turns[0] + turns[1];
                apart > INCONSISTENT * speed && apart > NOISE * self.settings.tolerance
            })
    }

    /// Moves poses on along v̂, so that the next pass linearises there: at the end of the step for
    /// implicit Euler, in the middle for the midpoint rule.
    ///
    /// # Errors
    /// Robots whose configuration cannot be integrated.
    pub fn relinearize(&mut self) -> Result<()> {
        let advance = (1.0 - self.settings.theta) * self.settings.time_step;
        if self.places.advance == 0.0 {
            let frames = &mut self.places.frames;
            frames.start.clone_from(&frames.pose);
        }
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: Some(&self.v_hat),
        };
        self.passing.clone_from(&self.state.q);
        for mechanism in self.mechanisms.iter() {
            mechanism.retract(&now, &self.v_hat, advance, &mut self.passing)?;
        }
        let at = Placing {
            q: &self.passing,
            v: &self.state.v,
            memory: &self.state.memory,
            guess: Some(&self.v_hat),
            inputs: &self.commands.inputs,
        };
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.place(&at, &mut self.places)?;
        }
        self.places.advance = advance;
        Ok(())
    }

    /// Places everything at the state.
    pub(crate) fn refresh(&mut self) -> Result<()> {
        let at = Placing {
            q: &self.state.q,
            v: &self.state.v,
            memory: &self.state.memory,
            guess: None,
            inputs: &self.commands.inputs,
        };
        self.places.advance = 0.0;
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.place(&at, &mut self.places)?;
        }
        Ok(())
    }

    /// Places one free, driven or fixed body at the state: nothing else depends on where it is.
    pub(crate) fn refresh_body(&mut self, body: BodyHandle) -> Result<()> {
        let at = Placing {
            q: &self.state.q,
            v: &self.state.v,
            memory: &self.state.memory,
            guess: None,
            inputs: &self.commands.inputs,
        };
        let places = &mut self.places;
        match self.tables.bodies[body.0].kind {
            Kind::Free(item) => self.mechanisms.free_bodies.place_one(item, &at, places),
            Kind::Scenery(item) => self.mechanisms.scenery.place_one(item, &at, places),
            _ => return self.refresh(),
        }
        Ok(())
    }
}
