//! Equations of motion of a rod, and its way through a step.

use nalgebra::{Isometry3, Vector3};
use stiction_constraints::Subsystem;
use stiction_deformable::rod::{RodError, RodInput, RodStepSettings, Strains, retract};
use stiction_modeling::Places;

use super::Cosserat;
use crate::attachment::end_of_step;
use crate::error::{Result, SimError};
use crate::free_bodies::{read_pose, turn, write_pose};
use crate::mechanism::{Energy, Mechanism, Momentum, Now, Placing, RowSource};
use crate::settings::Settings;
use crate::state::State;

impl Cosserat {
    pub(super) fn error(&self, error: &RodError) -> SimError {
        SimError::not_possible(&self.name, error)
    }

    /// Links on bodies that are no unknowns go where these take them.
    fn drive_held_links(&mut self, time_step: f64, places: &mut Places) -> Result<()> {
        for attachment in self.attachments.iter().filter(|one| one.is_held) {
            let end = end_of_step(attachment.frame, time_step, places) * attachment.at;
            let angular = places.frames.twist[attachment.frame as usize].angular;
            for number in 0..self.pieces.len() {
                let piece = &mut self.pieces[number];
                let Some(own) = attachment.link.checked_sub(piece.first) else {
                    continue;
                };
                let Some(frame) = piece.frames.get(own) else {
                    continue;
                };
                let now = places.frames.pose[frame.0].translation.vector;
                let linear = (end.translation.vector - now) / time_step;
                places.frames.twist[frame.0].linear = linear;
                places.frames.twist[frame.0].angular = angular;
                let driven = piece.supports.drive(own, linear, angular);
                driven.map_err(|error| SimError::not_possible(&self.name, error))?;
            }
        }
        Ok(())
    }

    /// A and b about the start of the step, or about a guess of v̂.
    fn assemble(
        &mut self,
        now: &Now<'_>,
        guess: Option<&[f64]>,
    ) -> std::result::Result<(), RodError> {
        let settings = step_settings(now);
        for piece in &mut self.pieces {
            let q = &now.state.q[piece.q.clone()];
            for (pose, q) in piece.poses.iter_mut().zip(q.chunks_exact(7)) {
                let (center, rotation) = read_pose(q);
                *pose = Isometry3::from_parts(center.into(), rotation);
            }
            for (wrench, frame) in piece.wrenches.chunks_exact_mut(6).zip(&piece.frames) {
                let given = &now.inputs.wrenches[frame.0];
                wrench[..3].copy_from_slice(given.force.as_slice());
                wrench[3..].copy_from_slice(given.torque.as_slice());
            }
            let guess = match guess {
                None => None,
                Some(guess) => {
                    let guess = &guess[piece.v.clone()];
                    let time = settings.time_step;
                    retract(&piece.poses, guess, time, &mut piece.reached)?;
                    Some((guess, &piece.reached[..]))
                }
            };
            let input = RodInput {
                poses: &piece.poses,
                velocity: &now.state.v[piece.v.clone()],
                wrenches: &piece.wrenches,
                supports: &piece.supports,
                guess,
            };
            piece
                .equations
                .assemble(&piece.rod, &input, &settings, self.strains)?;
        }
        Ok(())
    }

    /// Whether the step gains energy beyond the work done on the rod, rounding apart.
    fn gains(&mut self, now: &Now<'_>, v_hat: &[f64]) -> std::result::Result<bool, RodError> {
        let settings = step_settings(now);
        let (mut gain, mut rounding) = (0.0, 0.0);
        for piece in &mut self.pieces {
            let v_hat = &v_hat[piece.v.clone()];
            // Impulses of all constraints are what is left of A v̂ − b.
            piece.equations.matrix().mul(v_hat, &mut piece.impulse);
            let right = piece.equations.right_hand_side();
            let mut work = 0.0;
            for (dof, v) in v_hat.iter().enumerate() {
                let impulse = piece.impulse[dof] - right[dof];
                work += v * (impulse + settings.time_step * piece.wrenches[dof]);
            }
            retract(&piece.poses, v_hat, settings.time_step, &mut piece.reached)?;
            let start = (&piece.poses[..], &now.state.v[piece.v.clone()]);
            let end = (&piece.reached[..], v_hat);
            let own =
                piece
                    .equations
                    .gain(&piece.rod, [start, end], &piece.supports, work, &settings)?;
            gain += own.0;
            rounding += own.1;
        }
        Ok(gain > rounding)
    }
}

/// Further linearisations of a step that gained energy: what the stiffest rods need.
const LEDGER_PASSES: usize = 6;

fn step_settings(now: &Now<'_>) -> RodStepSettings {
    RodStepSettings {
        time_step: now.settings.time_step,
        theta: now.settings.theta,
        gravity: now.settings.gravity,
        ..RodStepSettings::default()
    }
}

impl Mechanism for Cosserat {
    fn place(&mut self, at: &Placing<'_>, places: &mut Places) -> Result<()> {
        for piece in &self.pieces {
            piece.place(at, places);
        }
        Ok(())
    }

    fn prepare(&mut self, now: &Now<'_>, places: &mut Places) -> Result<()> {
        if now.guess.is_none() {
            self.drive_held_links(now.settings.time_step, places)?;
            self.passes = 0;
        }
        self.assemble(now, now.guess)
            .map_err(|error| self.error(&error))
    }

    fn shape(&self, subsystem: usize) -> Subsystem {
        Subsystem::Sparse(self.pieces[subsystem].pattern.with_zeros())
    }

    fn write_matrix(&self, subsystem: usize, a: &mut Subsystem) {
        if let Subsystem::Sparse(matrix) = a {
            let equations = &self.pieces[subsystem].equations;
            let written = equations.matrix().write_values(matrix.values_mut());
            debug_assert!(written.is_ok(), "the pattern is that of the rod");
        }
    }

    fn write_right_hand_side(&self, subsystem: usize, b: &mut [f64]) {
        b.copy_from_slice(self.pieces[subsystem].equations.right_hand_side());
    }

    fn rows(&self) -> Option<&dyn RowSource> {
        Some(self)
    }

    /// A step that gained energy is linearised again; not with rows, whose work A and b do not know.
    fn revise(&mut self, now: &Now<'_>, v_hat: &[f64]) -> Result<bool> {
        if self.passes >= LEDGER_PASSES || self.strains == Strains::AsRows {
            return Ok(false);
        }
        let gains = self.gains(now, v_hat);
        if !gains.map_err(|error| self.error(&error))? {
            return Ok(false);
        }
        self.passes += 1;
        // Where Newton's method goes astray, what was found before is kept.
        Ok(self.assemble(now, Some(v_hat)).is_ok())
    }

    fn retract(&self, now: &Now<'_>, v_hat: &[f64], time: f64, q: &mut [f64]) -> Result<()> {
        for piece in &self.pieces {
            let v_hat = &v_hat[piece.v.clone()];
            let before = now.state.q[piece.q.clone()].chunks_exact(7);
            let after = q[piece.q.clone()].chunks_exact_mut(7);
            for ((before, after), v) in before.zip(after).zip(v_hat.chunks_exact(6)) {
                let (center, rotation) = read_pose(before);
                let center = center + Vector3::new(v[0], v[1], v[2]) * time;
                let rotation = turn(&rotation, &Vector3::new(v[3], v[4], v[5]), time);
                write_pose(after, &center, &rotation);
            }
        }
        Ok(())
    }

    fn advance(&mut self, now: &Now<'_>, v_hat: &[f64], next: &mut State) -> Result<()> {
        self.retract(now, v_hat, now.settings.time_step, &mut next.q)?;
        for piece in &self.pieces {
            let range = piece.v.clone();
            next.v[range.clone()].copy_from_slice(&v_hat[range]);
        }
        Ok(())
    }

    fn energy(&self, state: &State, settings: &Settings) -> Result<Energy> {
        let mut energy = Energy::default();
        for piece in &self.pieces {
            let (q, v) = (&state.q[piece.q.clone()], &state.v[piece.v.clone()]);
            let pose = |link: usize| {
                let (center, rotation) = read_pose(&q[7 * link..7 * link + 7]);
                Isometry3::from_parts(center.into(), rotation)
            };
            let own = piece.rod.energy_by(pose, v, &settings.gravity);
            let own = own.map_err(|error| self.error(&error))?;
            energy.kinetic += own.kinetic;
            energy.potential += own.elastic + own.gravity;
        }
        Ok(energy)
    }

    fn momentum(&self, state: &State) -> Result<Momentum> {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for piece in &self.pieces {
            let (q, v) = (&state.q[piece.q.clone()], &state.v[piece.v.clone()]);
            for (link, (q, v)) in q.chunks_exact(7).zip(v.chunks_exact(6)).enumerate() {
                let (center, rotation) = read_pose(q);
                let inertia = piece.rod.link_inertia(link);
                let (mass, moments) = inertia.map_err(|error| self.error(&error))?;
                let momentum = Vector3::new(v[0], v[1], v[2]) * mass;
                let local = rotation.inverse() * Vector3::new(v[3], v[4], v[5]);
                linear += momentum;
                angular += center.cross(&momentum) + rotation * moments.component_mul(&local);
            }
        }
        Ok(Momentum { linear, angular })
    }
}
