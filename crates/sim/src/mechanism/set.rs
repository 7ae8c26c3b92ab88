//! The mechanisms of a world.

use std::any::Any;

use super::Mechanism;
use crate::free_bodies::FreeBodies;
use crate::scenery::Scenery;

/// The mechanisms of a world: scenery is number 0, the free bodies are number 1, the others follow.
#[derive(Default)]
pub(crate) struct Mechanisms {
    pub(crate) scenery: Scenery,
    pub(crate) free_bodies: FreeBodies,
    others: Vec<Box<dyn Mechanism>>,
}

impl Mechanisms {
    pub(crate) const SCENERY: usize = 0;
    pub(crate) const FREE_BODIES: usize = 1;

    /// Number of the mechanism that is added next.
    pub(crate) fn count(&self) -> usize {
        2 + self.others.len()
    }

    pub(crate) fn add(&mut self, mechanism: Box<dyn Mechanism>) {
        self.others.push(mechanism);
    }

    /// A mechanism by its number.
    pub(crate) fn get(&self, number: usize) -> &dyn Mechanism {
        match number {
            Self::SCENERY => &self.scenery,
            Self::FREE_BODIES => &self.free_bodies,
            _ => &*self.others[number - 2],
        }
    }

    pub(crate) fn get_mut(&mut self, number: usize) -> &mut dyn Mechanism {
        match number {
            Self::SCENERY => &mut self.scenery,
            Self::FREE_BODIES => &mut self.free_bodies,
            _ => &mut *self.others[number - 2],
        }
    }

    /// A mechanism by its number and type.
    pub(crate) fn typed<M: Mechanism>(&self, number: usize) -> Option<&M> {
        let other: &dyn Any = &**self.others.get(number.checked_sub(2)?)?;
        other.downcast_ref()
    }

    pub(crate) fn typed_mut<M: Mechanism>(&mut self, number: usize) -> Option<&mut M> {
        let other: &mut dyn Any = &mut **self.others.get_mut(number.checked_sub(2)?)?;
        other.downcast_mut()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Mechanism> {
        let own: [&dyn Mechanism; 2] = [&self.scenery, &self.free_bodies];
        own.into_iter()
            .chain(self.others.iter().map(|other| &**other))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut dyn Mechanism> {
        let own: [&mut dyn Mechanism; 2] = [&mut self.scenery, &mut self.free_bodies];
        own.into_iter()
            .chain(self.others.iter_mut().map(|other| &mut **other))
    }
}
