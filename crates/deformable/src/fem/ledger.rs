//! What a step did to the energy.

use nalgebra::Vector3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::body::{SoftBody, StepStart};
use super::element::multiply;
use super::error::FemError;
use super::model::{ELEMENTS_AT_ONCE, reach, read, sum_of_pairs};
use super::svd::SignedSvd;

/// The energies of a step, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Kinetic energy at the start.
    pub kinetic_start: f64,
    /// Kinetic energy at the end.
    pub kinetic_end: f64,
    /// Elastic energy at the start.
    pub elastic_start: f64,
    /// Elastic energy at the end.
    pub elastic_end: f64,
    /// Work of gravity and external forces.
    pub external_work: f64,
    /// Work of the impulses Jᵀλ from outside.
    pub contact_work: f64,
    /// Work of what drives nodes.
    pub driven_work: f64,
    /// What damping took, not negative.
    pub damping_loss: f64,
    /// How much of the balance may be rounding.
    pub rounding: f64,
}

impl Ledger {
    /// What the energy grew by beyond the work done on the body, J. Zero or less for a step that is
    /// passive; damping and numerical losses make it negative.
    pub fn balance(&self) -> f64 {
        let work = self.external_work + self.contact_work + self.driven_work;
        (self.kinetic_end - self.kinetic_start) + (self.elastic_end - self.elastic_start) - work
    }

    /// What the time step took besides damping, J.
    pub fn numerical_loss(&self) -> f64 {
        -self.balance() - self.damping_loss
    }

    /// Whether the step gained energy, rounding apart.
    pub fn is_gain(&self) -> bool {
        self.balance() > self.rounding
    }
}

/// Share of the energies that sums over all nodes and elements may lose.
const ROUNDING: f64 = 1e-13;

impl SoftBody {
    /// The energies of a step with the velocity v̂ that was solved with the last
    /// [linearisation](Self::linearize) and the impulses `impulse` = Jᵀλ from outside, N·s (empty for none).
    ///
    /// # Errors
    /// Lists of the wrong length or not finite.
    pub fn ledger(
        &mut self,
        start: &StepStart<'_>,
        v_hat: &[f64],
        impulse: &[f64],
    ) -> Result<Ledger, FemError> {
        start.check(&self.model, &self.settings)?;
        self.model.check_values("velocity of the step", v_hat)?;
        if !impulse.is_empty() {
            self.model.check_values("impulse", impulse)?;
        }
        let Self {
            model,
            energy_at_start,
            energy_parts,
            ..
        } = self;
        let at_start =
            *energy_at_start.get_or_insert_with(|| model.energy_along(start.x, None, energy_parts));
        let at_end = self.go_to_end(start, v_hat);
        let mut ledger = Ledger {
            kinetic_start: self.model.kinetic_energy(start.v),
            elastic_start: at_start.0,
            elastic_end: at_end.0,
            contact_work: impulse
                .iter()
                .zip(v_hat)
                .map(|(impulse, v)| impulse * v)
                .sum(),
            ..Ledger::default()
        };
        self.add_works_of_nodes(start, v_hat, &mut ledger);
        self.add_works_of_elements(v_hat, &mut ledger);
        let sizes = ledger.kinetic_start
            + ledger.kinetic_end
            + ledger.elastic_start
            + ledger.elastic_end
            + ledger.external_work.abs()
            + ledger.contact_work.abs()
            + ledger.driven_work.abs();
        ledger.rounding = ROUNDING * sizes + at_start.1 + at_end.1;
        Ok(ledger)
    }

    /// Elastic energy at the end of a step, J, and how much of it is rounding; what was found out about the
    /// elements there is kept.
    fn go_to_end(&mut self, start: &StepStart<'_>, v_hat: &[f64]) -> (f64, f64) {
        let Self {
            model,
            energy_parts,
            end,
            ..
        } = self;
        let reach = reach(start.x);
        let way = start.x.iter().zip(v_hat);
        end.x.clear();
        end.x.extend(way.map(|(x, v)| x + start.time_step * v));
        energy_parts.resize(model.elements.len(), (0.0, 0.0));
        end.svd.resize(model.elements.len(), SignedSvd::ONE);
        let x = &end.x;
        let all = model.elements.par_iter().zip(end.svd.par_iter_mut());
        all.zip(energy_parts.par_iter_mut())
            .with_min_len(ELEMENTS_AT_ONCE)
            .for_each(|((element, svd), part)| {
                *svd = SignedSvd::of(&element.shape.deformation(&element.corners(x)));
                *part = element.shape.energy(&element.moduli, &svd.s, reach);
            });
        let sum = sum_of_pairs(energy_parts.iter().copied());
        end.elastic = sum.0;
        sum
    }

    fn add_works_of_nodes(&self, start: &StepStart<'_>, v_hat: &[f64], ledger: &mut Ledger) {
        let (h, held) = (start.time_step, self.held.is_held());
        for (node, &mass) in self.model.mass.iter().enumerate() {
            let v = read(v_hat, node);
            let force = start.force_of(node, mass);
            ledger.external_work += h * force.dot(&v);
            ledger.damping_loss += h * self.model.mass_damping[node] * v.norm_squared();
            for axis in 0..3 {
                let dof = 3 * node + axis;
                let (before, after) = (start.v[dof], self.end_velocity(start, v_hat, dof));
                ledger.kinetic_end += 0.5 * mass * after * after;
                if held[dof] {
                    // The velocity at which the change of momentum does its work.
                    let mean = if start.theta == 0.0 {
                        after
                    } else {
                        0.5 * (before + after)
                    };
                    let damping = self.model.mass_damping[node] * v[axis];
                    ledger.driven_work +=
                        mass * (after - before) * mean + h * (damping - force[axis]) * v[axis];
                }
            }
        }
    }

    /// Damping of elements, and how they resist what is driven.
    fn add_works_of_elements(&self, v_hat: &[f64], ledger: &mut Ledger) {
        let Self {
            model,
            parts,
            weights,
            held,
            ..
        } = self;
        for (element, part) in model.elements.iter().zip(parts) {
            let v = element.corners(v_hat);
            if element.stiffness_damping > 0.0 {
                let product = multiply(&part.stiffness, &v);
                let power: f64 = product.iter().zip(&v).map(|(a, b)| a.dot(b)).sum();
                ledger.damping_loss += weights.damping * element.stiffness_damping * power;
            }
            if let Some(driven) = held.driven(&element.nodes) {
                // The element's impulse has the driven part already.
                let weight = weights.stiffness + weights.damping * element.stiffness_damping;
                let mut free = v;
                for (free, driven) in free.iter_mut().zip(&driven) {
                    *free -= driven;
                }
                let product = multiply(&part.stiffness, &free);
                for corner in 0..4 {
                    let resists: Vector3<f64> = product[corner] * weight - part.impulse[corner];
                    ledger.driven_work += resists.dot(&driven[corner]);
                }
            }
        }
    }
}
