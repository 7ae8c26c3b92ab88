//! Where the numbers of one tree are in those of its model.

use std::ops::Range;

use crate::joint::Joint;
use crate::model::Model;

/// One tree of a model.
#[derive(Debug, Clone)]
pub(super) struct TreePart {
    /// Which tree it is.
    pub(super) number: usize,
    /// Its bodies are `links.start + 1` and so on.
    pub(super) links: Range<usize>,
    pub(super) q: Range<usize>,
    pub(super) v: Range<usize>,
    /// Whether it hangs on nothing: a free joint without inertia of its own carries it.
    pub(super) floats: bool,
    /// kg.
    pub(super) mass: f64,
}

impl TreePart {
    pub(super) fn new(model: &Model, bodies: Range<usize>) -> Self {
        let links = bodies.start - 1..bodies.end - 1;
        let all = &model.links[links.clone()];
        let (first, last) = (&all[0], &all[all.len() - 1]);
        let root = first.v();
        let floats = matches!(first.joint, Joint::Free(_))
            && model.armature[root].iter().all(|&armature| armature == 0.0);
        Self {
            number: model.trees().take_while(|tree| *tree != bodies).count(),
            q: first.q_start..last.q().end,
            v: first.v_start..last.v().end,
            floats,
            mass: all.iter().map(|link| link.inertia.mass).sum(),
            links,
        }
    }
}
