//! What is kept of the last step, so that it can be asked about.

use nalgebra::{Vector3, Vector6};
use serde::{Deserialize, Serialize};
use stiction_islands::{Islands, RowKey, RowList, RowResult};

use crate::drive::Wrench;
use crate::mechanism::Layout;
use crate::state::State;
use crate::step::RowKind;
use crate::tendon::TendonEntry;

/// What is kept of the last step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct LastStep {
    /// Whether a step was made, and nobody changed the state since.
    pub(crate) is_known: bool,
    /// The state before it.
    pub(crate) previous: State,
    /// Per body: forces that were asked for.
    pub(crate) wrenches: Vec<Wrench>,
    /// Names of the constraints and what was found of them.
    keys: Vec<RowKey>,
    results: Vec<RowResult>,
    /// Per tendon: impulse of a drive without gains, N·s.
    pub(crate) direct: Vec<f64>,
    /// What tendons pulled at, in the order of tendons.
    pub(crate) pulls: Vec<Pull>,
    /// Per body: impulse of constraints on links, N·s and N·m·s about the reference point of their
    /// tree.
    pub(crate) loads: Vec<Vector6<f64>>,
    /// Reference point of each subsystem, m.
    pub(crate) references: Vec<Vector3<f64>>,
}

/// Something that a tendon pulled at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pull {
    pub(crate) tendon: usize,
    /// The body.
    pub(crate) frame: usize,
    /// ∂l̇ by the body's velocity at the reference point of its subsystem, world axes.
    pub(crate) gradient: Vector6<f64>,
}

impl LastStep {
    /// Takes over what tendons did.
    pub(crate) fn keep_tendons(&mut self, tendons: &[TendonEntry]) {
        self.direct.clear();
        self.pulls.clear();
        for (tendon, entry) in tendons.iter().enumerate() {
            self.direct.push(entry.model.direct_impulse());
            let pulled = entry.model.pulled().iter();
            self.pulls.extend(pulled.map(|pulled| Pull {
                tendon,
                frame: pulled.frame as usize,
                gradient: pulled.gradient,
            }));
        }
    }

    /// Takes over names and results of the constraints; what it had of them is handed back.
    pub(crate) fn keep_rows(&mut self, rows: &RowList, results: &mut Vec<RowResult>) {
        self.keys.clear();
        self.keys.extend(rows.heads().iter().map(|head| head.key));
        std::mem::swap(&mut self.results, results);
    }

    /// Multiplies all impulses: forces that go on act over a step of another length.
    pub(crate) fn scale(&mut self, factor: f64) {
        for result in &mut self.results {
            result.impulse.iter_mut().for_each(|part| *part *= factor);
        }
        self.direct
            .iter_mut()
            .for_each(|impulse| *impulse *= factor);
        self.loads.iter_mut().for_each(|load| *load *= factor);
    }

    /// Adds what constraints that it names did in an earlier part of the step.
    pub(crate) fn add_earlier(&mut self, earlier: &Self) {
        for (key, before) in earlier.named_results() {
            if before.impulse.iter().all(|&part| part == 0.0) {
                continue;
            }
            let found = self.keys.iter().position(|known| *known == key);
            if let Some(result) = found.and_then(|at| self.results.get_mut(at)) {
                result.add_impulse(before);
            }
        }
        let both = self.direct.iter_mut().zip(&earlier.direct);
        both.for_each(|(sum, part)| *sum += part);
        let both = self.loads.iter_mut().zip(&earlier.loads);
        both.for_each(|(sum, part)| *sum += part);
    }

    /// What was found of the constraints, in their order.
    pub(crate) fn results(&self) -> &[RowResult] {
        &self.results
    }

    /// The constraints by name and what was found of them, in their order.
    pub(crate) fn named_results(&self) -> impl Iterator<Item = (RowKey, &RowResult)> {
        self.keys.iter().copied().zip(&self.results)
    }

    /// Adds up what constraints did to links.
    pub(crate) fn add_up_loads(&mut self, bodies: usize, layout: &Layout, islands: &Islands) {
        self.loads.clear();
        if !layout.has_links {
            return;
        }
        self.loads.resize(bodies, Vector6::zeros());
        islands.for_each_body_impulse(|subsystem, body, values, impulse| {
            if let Some(first) = layout.first_frame[subsystem] {
                let load = &mut self.loads[first + body];
                for (row, impulse) in values.chunks_exact(6).zip(impulse) {
                    *load += Vector6::from_column_slice(row) * *impulse;
                }
            }
        });
    }

    /// Takes over another one without allocating, if it is of the same world.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.is_known = other.is_known;
        self.previous.copy_from(&other.previous);
        self.wrenches.clone_from(&other.wrenches);
        self.keys.clone_from(&other.keys);
        self.results.clone_from(&other.results);
        self.direct.clone_from(&other.direct);
        self.pulls.clone_from(&other.pulls);
        self.loads.clone_from(&other.loads);
        self.references.clone_from(&other.references);
    }

    /// What was found of a constraint.
    pub(crate) fn row(&self, key: RowKey) -> Option<&RowResult> {
        let found = self.keys.iter().position(|known| *known == key)?;
        self.results.get(found)
    }

    /// What was found of the constraints of one owner, by their parts.
    pub(crate) fn rows_of(
        &self,
        kind: RowKind,
        owner: usize,
    ) -> impl Iterator<Item = (u64, &RowResult)> {
        let wanted = kind.key(owner, 0);
        let all = self.keys.iter().zip(&self.results);
        all.filter(move |(key, _)| key.kind == wanted.kind && key.owner == wanted.owner)
            .map(|(key, result)| (key.part, result))
    }

    /// Whether it can be of a world with this many bodies and tendons, such a layout and such a state.
    pub(crate) fn fits(
        &self,
        [bodies, tendons]: [usize; 2],
        layout: &Layout,
        state: &State,
    ) -> bool {
        let loads = if layout.has_links { bodies } else { 0 };
        let has = |pull: &Pull| pull.tendon < tendons && pull.frame < bodies;
        !self.is_known
            || (self.pulls.iter().all(has)
                && self.wrenches.len() == bodies
                && self.direct.len() == tendons
                && self.loads.len() == loads
                && self.references.len() == layout.subsystem_count()
                && self.keys.len() == self.results.len()
                && self.previous.q.len() == state.q.len()
                && self.previous.v.len() == state.v.len()
                && self.previous.memory.len() == state.memory.len())
    }
}
