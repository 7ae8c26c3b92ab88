//! Equations of motion of a soft body, and its way through a step.

use nalgebra::Vector3;
use stiction_constraints::Subsystem;
use stiction_deformable::fem::FemError;
use stiction_modeling::Places;

use super::Soft;
use super::piece::{Piece, read};
use crate::attachment::end_of_step;
use crate::error::{Result, SimError};
use crate::mechanism::{Energy, Mechanism, Momentum, Now, Placing, RowSource};
use crate::settings::Settings;
use crate::state::State;

/// Further linearisations of a step that gained energy.
const LEDGER_PASSES: usize = 4;
/// Further linearisations of a step that overshot.
const MAX_SEARCHES: usize = 30;

impl Soft {
    pub(super) fn error(&self, error: &FemError) -> SimError {
        SimError::not_possible(&self.name, error)
    }

    /// Nodes on bodies that are no unknowns go where these take them.
    fn drive_held_nodes(&mut self, time_step: f64, places: &mut Places) -> Result<()> {
        for attachment in self.attachments.iter().filter(|one| one.is_held) {
            let end = end_of_step(attachment.frame, time_step, places) * attachment.at;
            for (piece, node) in copies(&self.cut, attachment) {
                let piece = &mut self.pieces[piece];
                let world = piece.nodes.start as usize + node;
                let velocity = (end - places.nodes.position[world]) / time_step;
                places.nodes.velocity[world] = velocity;
                let driven = piece.body.held_mut().drive(node, velocity);
                driven.map_err(|error| SimError::not_possible(&self.name, error))?;
            }
        }
        Ok(())
    }

    /// A and b about the start of the step, or about a guess of v̂.
    fn linearize(&mut self, now: &Now<'_>, guess: Option<&[f64]>) -> Result<()> {
        self.search.set_last(guess);
        let done = linearize(&mut self.pieces, now, guess);
        done.map_err(|error| self.error(&error))
    }

    /// A and b about where a [way that was too long](Self::overshoots) leads downhill.
    fn linearize_at_trial(&mut self, now: &Now<'_>) -> Result<()> {
        let done = linearize(&mut self.pieces, now, Some(self.search.take_trial()));
        done.map_err(|error| self.error(&error))
    }

    /// What the energy of all pieces grew by beyond the work done on them, J, if that is more than
    /// rounding.
    fn gain(&mut self, now: &Now<'_>, v_hat: &[f64]) -> std::result::Result<bool, FemError> {
        self.set_impulses(v_hat);
        let (mut balance, mut rounding) = (0.0, 0.0);
        for piece in &mut self.pieces {
            let v_hat = &v_hat[piece.v.clone()];
            let start = piece.start(now);
            let ledger = piece.body.ledger(&start, v_hat, &piece.impulse)?;
            balance += ledger.balance();
            rounding += ledger.rounding;
        }
        Ok(balance > rounding)
    }
}

/// Linearises all pieces and writes their matrices.
fn linearize(
    pieces: &mut [Piece],
    now: &Now<'_>,
    guess: Option<&[f64]>,
) -> std::result::Result<(), FemError> {
    for piece in pieces {
        let start = piece.start(now);
        let guess = guess.map(|guess| &guess[piece.v.clone()]);
        piece.body.linearize(&start, guess)?;
        piece.body.write_matrix(piece.matrix.values_mut())?;
    }
    Ok(())
}

/// All copies of the node of an attachment: piece and node in it.
fn copies(
    cut: &stiction_deformable::cut::Cut,
    attachment: &super::Attachment,
) -> impl Iterator<Item = (usize, usize)> {
    let node = attachment.node as u32;
    cut.pieces()
        .iter()
        .enumerate()
        .filter_map(move |(number, piece)| {
            let at = piece.nodes().binary_search(&node).ok()?;
            Some((number, at))
        })
}

impl Mechanism for Soft {
    fn place(&mut self, at: &Placing<'_>, places: &mut Places) -> Result<()> {
        for piece in &self.pieces {
            piece.place(at, places);
        }
        Ok(())
    }

    fn prepare(&mut self, now: &Now<'_>, places: &mut Places) -> Result<()> {
        if now.guess.is_none() {
            self.drive_held_nodes(now.settings.time_step, places)?;
            (self.passes, self.searches) = (0, 0);
        }
        self.linearize(now, now.guess)
    }

    fn shape(&self, subsystem: usize) -> Subsystem {
        Subsystem::Sparse(self.pieces[subsystem].matrix.with_zeros())
    }

    fn write_matrix(&self, subsystem: usize, a: &mut Subsystem) {
        if let Subsystem::Sparse(matrix) = a {
            matrix.copy_from(&self.pieces[subsystem].matrix);
        }
    }

    fn write_right_hand_side(&self, subsystem: usize, b: &mut [f64]) {
        b.copy_from_slice(self.pieces[subsystem].body.right_hand_side());
    }

    fn rows(&self) -> Option<&dyn RowSource> {
        Some(self)
    }

    /// Newton's method where it was asked for, or where the step overshot or gained energy.
    fn revise(&mut self, now: &Now<'_>, v_hat: &[f64]) -> Result<bool> {
        let settings = *self.pieces[0].body.settings();
        if self.searches < MAX_SEARCHES
            && self.overshoots(now, v_hat).map_err(|e| self.error(&e))?
        {
            self.searches += 1;
            self.linearize_at_trial(now)?;
            return Ok(true);
        }
        let asked = self.passes + 1 < settings.linearizations;
        let gained = settings.strict_ledger
            && !asked
            && self.gain(now, v_hat).map_err(|e| self.error(&e))?;
        let most = settings.linearizations + LEDGER_PASSES;
        self.gained = gained;
        if !(asked || gained) || self.passes + 1 >= most {
            return Ok(false);
        }
        self.passes += 1;
        self.linearize(now, Some(v_hat))?;
        Ok(true)
    }

    fn retract(&self, now: &Now<'_>, v_hat: &[f64], time: f64, q: &mut [f64]) -> Result<()> {
        for piece in &self.pieces {
            for (q_at, v_at) in piece.q.clone().zip(piece.v.clone()) {
                q[q_at] = now.state.q[q_at] + time * v_hat[v_at];
            }
        }
        Ok(())
    }

    fn advance(&mut self, now: &Now<'_>, v_hat: &[f64], next: &mut State) -> Result<()> {
        for piece in &self.pieces {
            let start = piece.start(now);
            let (x, v) = (&mut next.q[piece.q.clone()], &mut next.v[piece.v.clone()]);
            let done = piece.body.advance(&start, &v_hat[piece.v.clone()], x, v);
            done.map_err(|error| self.error(&error))?;
        }
        Ok(())
    }

    fn energy(&self, state: &State, settings: &Settings) -> Result<Energy> {
        let mut energy = Energy::default();
        for piece in &self.pieces {
            let (q, v) = (&state.q[piece.q.clone()], &state.v[piece.v.clone()]);
            let model = piece.body.model();
            let elastic = piece.body.elastic_energy_with(q, &mut piece.energies());
            energy.potential += elastic.map_err(|error| self.error(&error))?;
            energy.kinetic += model.kinetic_energy(v);
            for (node, mass) in model.masses().iter().enumerate() {
                energy.potential -= mass * settings.gravity.dot(&read(q, node));
            }
        }
        Ok(energy)
    }

    fn momentum(&self, state: &State) -> Result<Momentum> {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for piece in &self.pieces {
            let (q, v) = (&state.q[piece.q.clone()], &state.v[piece.v.clone()]);
            for (node, &mass) in piece.body.model().masses().iter().enumerate() {
                let momentum = read(v, node) * mass;
                linear += momentum;
                angular += read(q, node).cross(&momentum);
            }
        }
        Ok(Momentum { linear, angular })
    }
}
