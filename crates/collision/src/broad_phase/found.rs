//! Pairs that a search has found, and when it gives up.

/// Most pairs of boxes that may overlap at a time. Pairs are followed, at some hundred bytes each: what asks for
/// more would fill the memory, and is a pile of bodies in one place.
pub const MOST_PAIRS: usize = 10_000_000;

/// Most overlaps that one search looks at, those that are not accepted included.
const MOST_OVERLAPS: usize = 500_000_000;

/// More boxes overlap than can be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowded {
    /// Two of them.
    pub among: (u32, u32),
}

/// What a search has found so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    pub(super) pairs: Vec<(u32, u32)>,
    overlaps: usize,
    last: (u32, u32),
}

impl Found {
    /// Before a new search.
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.overlaps = 0;
    }

    /// Adds a pair in order, if it is accepted.
    pub(super) fn push(&mut self, i: u32, j: u32, accept: &impl Fn(usize, usize) -> bool) {
        let (a, b) = (i.min(j), i.max(j));
        self.overlaps += 1;
        if accept(a as usize, b as usize) {
            self.pairs.push((a, b));
        }
        self.last = (a, b);
    }

    /// Whether it is time to give up. To be asked once for each box, not for each pair.
    pub(super) fn is_full(&self) -> bool {
        self.pairs.len() > MOST_PAIRS || self.overlaps > MOST_OVERLAPS
    }

    /// An error if the search was given up, or if there are too many together with the `kept` ones.
    pub(super) fn check(&self, kept: usize) -> Result<(), Crowded> {
        match self.is_full() || self.pairs.len() + kept > MOST_PAIRS {
            true => Err(Crowded { among: self.last }),
            false => Ok(()),
        }
    }
}
