//! A soft body in a time step: A v̂ = b + Jᵀλ.

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::element::{BLOCKS, multiply};
use super::error::FemError;
use super::gather::write_columns;
use super::held::HeldNodes;
use super::model::{ELEMENTS_AT_ONCE, FemModel, move_along, reach, read, sum_of_pairs};
use super::settings::FemSettings;
use super::svd::SignedSvd;

/// The state at the start of a step and how the step goes through time.
#[derive(Debug, Clone, Copy)]
pub struct StepStart<'a> {
    /// Positions of the nodes, m, three numbers each, in the world.
    pub x: &'a [f64],
    /// Their velocities, m/s.
    pub v: &'a [f64],
    /// External forces on the nodes, N, gravity apart; empty for none.
    pub force: &'a [f64],
    /// m/s².
    pub gravity: Vector3<f64>,
    /// h, s.
    pub time_step: f64,
    /// θ: v̂ = (1 − θ) v⁺ + θ v; 0 or 1/2.
    pub theta: f64,
}

impl StepStart<'_> {
    /// Which share of h v̂ the elastic force is taken at: all of it for implicit Euler, half of it for the
    /// midpoint rule.
    pub(super) fn share(&self) -> f64 {
        1.0 - self.theta
    }

    /// External force of a node of this mass, gravity included, N.
    pub(super) fn force_of(&self, node: usize, mass: f64) -> Vector3<f64> {
        let weight = self.gravity * mass;
        if self.force.is_empty() {
            weight
        } else {
            weight + read(self.force, node)
        }
    }

    pub(super) fn check(&self, model: &FemModel, settings: &FemSettings) -> Result<(), FemError> {
        settings.check_theta(self.theta)?;
        if !(self.time_step > 0.0 && self.time_step.is_finite()) {
            return Err(FemError::BadSetting {
                field: "time step",
                value: self.time_step,
                reason: "must be positive and finite",
            });
        }
        if let Some(&value) = self.gravity.iter().find(|value| !value.is_finite()) {
            let (field, reason) = ("gravity", "must be finite");
            return Err(FemError::BadSetting {
                field,
                value,
                reason,
            });
        }
        model.check_values("position", self.x)?;
        model.check_values("velocity", self.v)?;
        if !self.force.is_empty() {
            model.check_values("external force", self.force)?;
        }
        Ok(())
    }
}

/// What an element adds to A and b.
#[derive(Debug, Clone)]
pub(super) struct ElementPart {
    /// Elastic energy where it was linearised, J, and how much of it is rounding.
    pub(super) energy: (f64, f64),
    /// N·s, on its corners.
    pub(super) impulse: [Vector3<f64>; 4],
    /// H, N/m, lower blocks.
    pub(super) stiffness: [Matrix3<f64>; BLOCKS],
}

/// A soft body, or one piece of it: its model, what of it is held, and what a step needs. Nothing is
/// allocated after the first step.
#[derive(Debug, Clone)]
pub struct SoftBody {
    pub(super) model: FemModel,
    pub(super) settings: FemSettings,
    pub(super) held: HeldNodes,
    pub(super) parts: Vec<ElementPart>,
    /// What the matrix was linearised with.
    pub(super) weights: Weights,
    pub(super) b: Vec<f64>,
    /// Elastic energy at the start of the step, where that is what was linearised at.
    pub(super) energy_at_start: Option<(f64, f64)>,
    pub(super) energy_parts: Vec<(f64, f64)>,
    pub(super) end: StepEnd,
}

/// Where the last step whose energies were looked at ended, and the singular values of the elements
/// there: the next step begins at the same place, to the bit.
#[derive(Debug, Clone, Default)]
pub(super) struct StepEnd {
    /// Positions, m; empty for none.
    pub(super) x: Vec<f64>,
    pub(super) svd: Vec<SignedSvd>,
    /// J.
    pub(super) elastic: f64,
}

/// What masses and stiffnesses weigh in A: A = M/(1 − θ) + w h² H + h D.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weights {
    /// 1/(1 − θ).
    pub(super) mass: f64,
    /// w h², s².
    pub(super) stiffness: f64,
    /// h, s.
    pub(super) damping: f64,
}

impl SoftBody {
    /// A free body.
    ///
    /// # Errors
    /// Settings that make no sense or do not suit the materials, by name.
    pub fn new(model: FemModel, settings: FemSettings) -> Result<Self, FemError> {
        model.check_settings(&settings)?;
        let empty = ElementPart {
            energy: (0.0, 0.0),
            impulse: [Vector3::zeros(); 4],
            stiffness: [Matrix3::zeros(); BLOCKS],
        };
        Ok(Self {
            settings,
            held: HeldNodes::free(&model),
            parts: vec![empty; model.tet_count()],
            weights: Weights::default(),
            b: vec![0.0; model.dof_count()],
            energy_at_start: None,
            energy_parts: Vec::with_capacity(model.tet_count()),
            end: StepEnd {
                x: Vec::with_capacity(model.dof_count()),
                svd: Vec::with_capacity(model.tet_count()),
                elastic: 0.0,
            },
            model,
        })
    }

    /// What does not change.
    pub fn model(&self) -> &FemModel {
        &self.model
    }

    /// How it is linearised.
    pub fn settings(&self) -> &FemSettings {
        &self.settings
    }

    /// What of it is held or driven.
    pub fn held(&self) -> &HeldNodes {
        &self.held
    }

    /// What of it is held or driven, to be changed between steps.
    pub fn held_mut(&mut self) -> &mut HeldNodes {
        &mut self.held
    }

    /// Computes A and b of a step:
    /// A = M/(1 − θ) + w h² H + h D, b = M v/(1 − θ) + h (f − g) + w h² H v̂ₖ, with g and H at x + w h v̂ₖ
    /// and w = 1 − θ. Without a guess v̂ₖ the step is linearised at x, where the last term vanishes; with the v̂ of the
    /// last solve as the guess this is the next iteration of Newton's method, whoever solves and whatever
    /// impulses act besides.
    ///
    /// # Errors
    /// Numbers that are not finite or of the wrong count, combinations of θ and settings that gain
    /// energy, deformations beyond the range of numbers.
    pub fn linearize(
        &mut self,
        start: &StepStart<'_>,
        guess: Option<&[f64]>,
    ) -> Result<(), FemError> {
        start.check(&self.model, &self.settings)?;
        if let Some(guess) = guess {
            self.model.check_values("guessed velocity", guess)?;
        }
        let (h, share) = (start.time_step, start.share());
        self.weights = Weights {
            mass: 1.0 / (1.0 - start.theta),
            stiffness: share * h * h,
            damping: h,
        };
        self.evaluate_elements(start, guess);
        if let Some(tet) = self.parts.iter().position(|part| !part.is_finite()) {
            return Err(FemError::Overflow { tet });
        }
        self.gather_right_hand_side(start);
        let energies = self.parts.iter().map(|part| part.energy);
        self.energy_at_start = guess.is_none().then(|| sum_of_pairs(energies));
        Ok(())
    }

    fn evaluate_elements(&mut self, start: &StepStart<'_>, guess: Option<&[f64]>) {
        let (weights, policy) = (self.weights, self.settings.hessian);
        let (h, held) = (start.time_step, &self.held);
        let reach = reach(start.x);
        let way = guess.map(|guess| (guess, start.share() * h));
        let known = (way.is_none() && self.end.x == start.x).then_some(&self.end.svd);
        let both = self
            .model
            .elements
            .par_iter()
            .zip(self.parts.par_iter_mut());
        both.with_min_len(ELEMENTS_AT_ONCE)
            .enumerate()
            .for_each(|(tet, (element, part))| {
                let svd = match known {
                    Some(known) => known[tet],
                    None => {
                        let mut corners = element.corners(start.x);
                        move_along(element, &mut corners, way);
                        SignedSvd::of(&element.shape.deformation(&corners))
                    }
                };
                let forces = element.shape.forces(&element.moduli, &svd);
                part.energy = element.shape.energy(&element.moduli, &svd.s, reach);
                part.stiffness =
                    element
                        .shape
                        .stiffness(&element.moduli, &svd, policy, element.mass);
                part.impulse = forces.map(|force| force * h);
                if let Some(guess) = guess {
                    let product = multiply(&part.stiffness, &element.corners(guess));
                    for (impulse, product) in part.impulse.iter_mut().zip(product) {
                        *impulse += product * weights.stiffness;
                    }
                }
                // What is driven goes to the other side: b −= (w h² H + h D) v_d.
                if let Some(driven) = held.driven(&element.nodes) {
                    let weight = weights.stiffness + weights.damping * element.stiffness_damping;
                    let product = multiply(&part.stiffness, &driven);
                    for (impulse, product) in part.impulse.iter_mut().zip(product) {
                        *impulse -= product * weight;
                    }
                }
            });
    }

    fn gather_right_hand_side(&mut self, start: &StepStart<'_>) {
        let Self {
            model,
            parts,
            held,
            weights,
            b,
            ..
        } = self;
        let (h, held, velocity) = (start.time_step, held.is_held(), held.velocities());
        let nodes = b
            .par_chunks_exact_mut(3)
            .with_min_len(ELEMENTS_AT_ONCE)
            .enumerate();
        nodes.for_each(|(node, b)| {
            let mass = model.mass[node];
            let mut sum = read(start.v, node) * (mass * weights.mass);
            sum += start.force_of(node, mass) * h;
            for (tet, corner) in model.gather.corners(node) {
                sum += parts[tet].impulse[corner];
            }
            for axis in 0..3 {
                let dof = 3 * node + axis;
                let prescribed = mass * weights.mass * velocity[dof];
                b[axis] = if held[dof] { prescribed } else { sum[axis] };
            }
        });
    }

    /// Writes the values of A that was [linearised](Self::linearize) last, in the order of the model's
    /// [pattern](FemModel::pattern). May be called from any thread.
    ///
    /// # Errors
    /// A list of the wrong length.
    pub fn write_matrix(&self, values: &mut [f64]) -> Result<(), FemError> {
        let expected = self.model.pattern().row_index().len();
        if values.len() != expected {
            let (what, found) = ("values of A", values.len());
            return Err(FemError::WrongLength {
                what,
                expected,
                found,
            });
        }
        write_columns(self, 0..self.model.node_count(), values);
        Ok(())
    }

    /// b that was [linearised](Self::linearize) last, N·s.
    pub fn right_hand_side(&self) -> &[f64] {
        &self.b
    }

    /// Elastic energy of each tetrahedron where the step was [linearised](Self::linearize) last, J.
    pub fn linearized_energies(&self) -> impl Iterator<Item = f64> + '_ {
        self.parts.iter().map(|part| part.energy.0)
    }

    /// Elastic energy at some positions, J, without a look at the elements where the last
    /// [ledger](Self::ledger) ended there; `parts` is work space.
    ///
    /// # Errors
    /// Positions of the wrong count or not finite.
    pub fn elastic_energy_with(
        &self,
        x: &[f64],
        parts: &mut Vec<(f64, f64)>,
    ) -> Result<f64, FemError> {
        if self.end.x == x {
            return Ok(self.end.elastic);
        }
        self.model.elastic_energy_with(x, parts)
    }

    /// Positions and velocities at the end of a step: x⁺ = x + h v̂, v⁺ = (v̂ − θ v)/(1 − θ); what is driven
    /// has its prescribed velocity.
    ///
    /// # Errors
    /// Lists of the wrong length or not finite.
    pub fn advance(
        &self,
        start: &StepStart<'_>,
        v_hat: &[f64],
        x_end: &mut [f64],
        v_end: &mut [f64],
    ) -> Result<(), FemError> {
        start.check(&self.model, &self.settings)?;
        self.model.check_values("velocity of the step", v_hat)?;
        for (what, found) in [
            ("positions at the end", x_end.len()),
            ("velocities at the end", v_end.len()),
        ] {
            let expected = self.model.dof_count();
            if found != expected {
                return Err(FemError::WrongLength {
                    what,
                    expected,
                    found,
                });
            }
        }
        for dof in 0..v_hat.len() {
            x_end[dof] = start.x[dof] + start.time_step * v_hat[dof];
            v_end[dof] = self.end_velocity(start, v_hat, dof);
        }
        Ok(())
    }

    pub(super) fn end_velocity(&self, start: &StepStart<'_>, v_hat: &[f64], dof: usize) -> f64 {
        if self.held.is_held()[dof] {
            return v_hat[dof];
        }
        (v_hat[dof] - start.theta * start.v[dof]) / (1.0 - start.theta)
    }
}

impl ElementPart {
    /// Every entry of the stiffness comes of the same few numbers: the diagonal tells.
    fn is_finite(&self) -> bool {
        let impulses = self.impulse.iter().sum::<Vector3<f64>>().sum();
        (self.energy.0 + impulses + self.stiffness[0].sum() + self.stiffness[BLOCKS - 1].sum())
            .is_finite()
    }
}
