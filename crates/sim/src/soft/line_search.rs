//! Newton's method with a line search, with impulses from outside.
//!
//! The solver finds v̂ of a linearised step; where the energy of a material is far from its parabola (stable
//! neo-Hookean, strongly squeezed) that v̂ may lead uphill. The function that the step makes smallest,
//! [`SoftBody::merit`] minus v̂ᵀJᵀλ, says so: the way from where the step was linearised to v̂ is then halved
//! until the function falls, and the step is linearised and solved again there. A v̂ that is kept is always
//! one that the solver found, so that contacts hold.
//!
//! [`SoftBody::merit`]: stiction_deformable::fem::SoftBody::merit

use nalgebra::Vector3;
use stiction_deformable::fem::FemError;

use super::Soft;
use super::piece::read;
use crate::mechanism::Now;

/// Halvings of a way that leads uphill; 2⁻⁴⁰ of it moves nothing.
const MAX_HALVINGS: usize = 40;

/// Where a step is and was linearised.
#[derive(Debug, Default)]
pub(super) struct LineSearch {
    /// v̂ at which it was linearised last; empty for the start of the step.
    last: Vec<f64>,
    /// A v̂ on the way from there.
    trial: Vec<f64>,
}

impl LineSearch {
    /// Remembers where the step was linearised.
    pub(super) fn set_last(&mut self, guess: Option<&[f64]>) {
        self.last.clear();
        self.last.extend_from_slice(guess.unwrap_or_default());
    }

    /// Makes the trial the v̂ at which the step is linearised next, and gives it.
    pub(super) fn take_trial(&mut self) -> &[f64] {
        std::mem::swap(&mut self.last, &mut self.trial);
        &self.last
    }
}

impl Soft {
    /// Whether the way to v̂ has to be shortened; the [trial](LineSearch::take_trial) is then where it
    /// leads downhill.
    pub(super) fn overshoots(&mut self, now: &Now<'_>, v_hat: &[f64]) -> Result<bool, FemError> {
        if !self
            .pieces
            .iter()
            .any(|one| one.body.model().needs_line_search())
        {
            return Ok(false);
        }
        let mut search = std::mem::take(&mut self.search);
        let result = self.shorten(now, v_hat, &mut search);
        self.search = search;
        result
    }

    fn shorten(
        &mut self,
        now: &Now<'_>,
        v_hat: &[f64],
        search: &mut LineSearch,
    ) -> Result<bool, FemError> {
        self.set_impulses(v_hat);
        if search.last.is_empty() {
            search.last.extend_from_slice(v_hat);
            self.set_undeformed(v_hat, &mut search.last);
        }
        search.trial.clear();
        search.trial.extend_from_slice(v_hat);
        let before = self.merit(now, &search.last)?;
        let mut is_shortened = false;
        for _ in 0..MAX_HALVINGS {
            let after = self.merit(now, &search.trial)?;
            // Rounding apart: at the minimum nothing falls any more.
            if after <= before + 1e-13 * before.abs() {
                break;
            }
            is_shortened = true;
            for (trial, last) in search.trial.iter_mut().zip(&search.last) {
                *trial = 0.5 * (*trial + last);
            }
        }
        Ok(is_shortened)
    }

    /// A motion without deformation: that of the centre of mass, or none where something is held.
    fn set_undeformed(&self, v_hat: &[f64], base: &mut [f64]) {
        let (mut momentum, mut mass) = (Vector3::zeros(), 0.0);
        for piece in &self.pieces {
            let v_hat = &v_hat[piece.v.clone()];
            for (node, &m) in piece.body.model().masses().iter().enumerate() {
                momentum += read(v_hat, node) * m;
                mass += m;
            }
        }
        let holds_any = self.pieces.iter().any(|one| one.body.held().holds_any());
        for piece in &self.pieces {
            let base = &mut base[piece.v.clone()];
            match holds_any {
                true => base.copy_from_slice(piece.body.held().velocities()),
                false => {
                    let mean = momentum / mass;
                    for base in base.chunks_exact_mut(3) {
                        base.copy_from_slice(mean.as_slice());
                    }
                }
            }
        }
    }

    /// The function of v̂ that the step makes smallest, J, for the impulses of the last solve.
    fn merit(&mut self, now: &Now<'_>, v_hat: &[f64]) -> Result<f64, FemError> {
        let mut sum = 0.0;
        for piece in &mut self.pieces {
            let v_hat = &v_hat[piece.v.clone()];
            let start = piece.start(now);
            sum += piece.body.merit(&start, v_hat)?;
            let work = piece.impulse.iter().zip(v_hat);
            sum -= work.map(|(impulse, v)| impulse * v).sum::<f64>();
        }
        Ok(sum)
    }

    /// Impulses of all constraints: what is left of A v̂ − b.
    pub(super) fn set_impulses(&mut self, v_hat: &[f64]) {
        for piece in &mut self.pieces {
            piece
                .matrix
                .mul(&v_hat[piece.v.clone()], &mut piece.impulse);
            for (impulse, b) in piece.impulse.iter_mut().zip(piece.body.right_hand_side()) {
                *impulse -= b;
            }
        }
    }
}
