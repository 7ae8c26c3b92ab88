//! Pairs that are being followed, each with what it remembers.

use crate::contact::ShapeContact;
use crate::error::CollisionError;
use crate::flexible::{EdgeBuffers, ElementSearch, FlexibleContact};
use crate::narrow::PairMemory;

/// One pair that is being followed, or one collider and itself.
#[derive(Debug, Default)]
pub(super) struct PairSlot {
    /// Colliders, smaller index first (as the broad phase names pairs).
    pub(super) pair: (u32, u32),
    pub(super) memory: PairMemory,
    /// Contacts of two rigid shapes, in the frame of the first.
    pub(super) contacts: Vec<ShapeContact>,
    /// What a pair with a flexible side needs, and has found.
    pub(super) flexible: Option<Box<FlexibleWork>>,
    /// Boxed, so that slots are small to move and to walk over.
    pub(super) error: Option<Box<CollisionError>>,
}

/// Contacts of a pair with a flexible side, and buffers.
#[derive(Debug, Default)]
pub(super) struct FlexibleWork {
    pub(super) contacts: Vec<FlexibleContact>,
    pub(super) search: ElementSearch,
    pub(super) near: Vec<u32>,
    pub(super) edges: EdgeBuffers,
}

impl PairSlot {
    /// Makes ready for another pair; buffers stay.
    fn reset(&mut self, pair: (u32, u32)) {
        self.pair = pair;
        self.memory.clear();
        self.contacts.clear();
        if let Some(work) = &mut self.flexible {
            work.contacts.clear();
            work.search.clear();
        }
        self.error = None;
    }
}

/// All followed pairs, sorted.
#[derive(Debug, Default)]
pub(super) struct PairSlots {
    slots: Vec<PairSlot>,
    last: Vec<PairSlot>,
    /// Slots of pairs that are no more: their buffers serve the next.
    spare: Vec<PairSlot>,
}

impl PairSlots {
    pub(super) fn as_slice(&self) -> &[PairSlot] {
        &self.slots
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [PairSlot] {
        &mut self.slots
    }

    /// Forgets all pairs.
    pub(super) fn clear(&mut self) {
        self.spare.append(&mut self.slots);
    }

    /// Adds a pair after all others, with what it remembers.
    pub(super) fn push(&mut self, pair: (u32, u32), memory: PairMemory) {
        let mut slot = self.spare.pop().unwrap_or_default();
        slot.reset(pair);
        slot.memory = memory;
        self.slots.push(slot);
    }

    /// Follows these pairs (sorted): those that stay keep their memory.
    pub(super) fn follow(&mut self, pairs: &[(u32, u32)]) {
        let same = pairs.iter().zip(&self.slots);
        let n_same = same.take_while(|(pair, slot)| **pair == slot.pair).count();
        if n_same == pairs.len() && n_same == self.slots.len() {
            return;
        }
        let pairs = &pairs[n_same..];
        self.last.extend(self.slots.drain(n_same..));
        // first give back the slots of pairs that are no more, so that new pairs find them
        let mut wanted = pairs.iter().peekable();
        for slot in &mut self.last {
            while wanted.next_if(|pair| **pair < slot.pair).is_some() {}
            if wanted.peek() != Some(&&slot.pair) {
                self.spare.push(std::mem::take(slot));
                slot.pair = GONE;
            }
        }
        let mut stay = self
            .last
            .drain(..)
            .filter(|slot| slot.pair != GONE)
            .peekable();
        for &pair in pairs {
            let slot = stay.next_if(|slot| slot.pair == pair).unwrap_or_else(|| {
                let mut slot = self.spare.pop().unwrap_or_default();
                slot.reset(pair);
                slot
            });
            self.slots.push(slot);
        }
    }
}

/// No pair: the first index of a pair is the smaller one.
const GONE: (u32, u32) = (u32::MAX, 0);
