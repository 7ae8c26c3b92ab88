//! One piece of a soft body: a sparse subsystem.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nalgebra::{Isometry3, Vector3};
use stiction_constraints::SparseSymmetric;
use stiction_deformable::fem;
use stiction_modeling::Places;

use super::motion_of;
use crate::error::{Result, SimError};
use crate::mechanism::{Now, Placing, Registry};

/// One piece of a soft body.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) body: fem::SoftBody,
    /// Its index among all subsystems.
    pub(super) subsystem: usize,
    /// World indices of its nodes.
    pub(super) nodes: Range<u32>,
    pub(super) q: Range<usize>,
    pub(super) v: Range<usize>,
    /// A of this step.
    pub(super) matrix: SparseSymmetric,
    /// Jᵀλ of a solve.
    pub(super) impulse: Vec<f64>,
    /// Energies of elements, to sum them up.
    energies: Mutex<Vec<(f64, f64)>>,
}

impl Piece {
    pub(super) fn new(
        name: &str,
        body: fem::SoftBody,
        (pose, velocity): (&Isometry3<f64>, &Vector3<f64>),
        is_held: &[bool],
        registry: &mut Registry<'_>,
    ) -> Result<Self> {
        let model = body.model();
        let places = model.pattern().places();
        let entries: Vec<_> = places.map(|(row, column)| (row, column, 0.0)).collect();
        let matrix = SparseSymmetric::from_lower_entries(model.dof_count(), &entries);
        let matrix = matrix.map_err(|reason| SimError::NotPossible {
            element: name.to_owned(),
            reason,
        })?;
        let rest = model.rest_positions().chunks_exact(3);
        let q: Vec<f64> = rest
            .flat_map(|at| {
                let at = pose * nalgebra::Point3::new(at[0], at[1], at[2]);
                [at.x, at.y, at.z]
            })
            .collect();
        let v: Vec<f64> = (is_held.iter())
            .flat_map(|&is_held| {
                let velocity = if is_held { Vector3::zeros() } else { *velocity };
                [velocity.x, velocity.y, velocity.z]
            })
            .collect();
        let element = registry.element(name, &q, &[]);
        let (subsystem, v) = registry.subsystem(&v);
        let first = registry.places.nodes.position.len() as u32;
        for (index, &is_held) in is_held.iter().enumerate() {
            registry.node(motion_of(is_held, subsystem, index));
        }
        Ok(Self {
            impulse: vec![0.0; model.dof_count()],
            energies: Mutex::new(Vec::with_capacity(model.tet_count())),
            nodes: first..first + is_held.len() as u32,
            body,
            subsystem,
            q: element.q,
            v,
            matrix,
        })
    }

    /// The step as its equations see it.
    pub(super) fn start<'a>(&self, now: &Now<'a>) -> fem::StepStart<'a> {
        fem::StepStart {
            x: &now.state.q[self.q.clone()],
            v: &now.state.v[self.v.clone()],
            force: &[],
            gravity: now.settings.gravity,
            time_step: now.settings.time_step,
            theta: now.settings.theta,
        }
    }

    pub(super) fn place(&self, at: &Placing<'_>, places: &mut Places) {
        let (q, v) = (&at.q[self.q.clone()], &at.v[self.v.clone()]);
        let guess = at.guess.map(|guess| &guess[self.v.clone()]);
        for (index, node) in self.nodes.clone().enumerate() {
            let node = node as usize;
            places.nodes.position[node] = read(q, index).into();
            places.nodes.velocity[node] = read(v, index);
            places.nodes.guess[node] = guess.map_or(Vector3::zeros(), |guess| read(guess, index));
        }
    }

    /// Room for the energies of its elements.
    pub(super) fn energies(&self) -> MutexGuard<'_, Vec<(f64, f64)>> {
        // Whatever a panic left there is overwritten before it is read.
        self.energies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The three numbers of a node.
pub(super) fn read(values: &[f64], node: usize) -> Vector3<f64> {
    Vector3::new(values[3 * node], values[3 * node + 1], values[3 * node + 2])
}
