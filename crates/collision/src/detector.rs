//! The seam for a whole collision detection.

use crate::collider::ColliderSet;
use crate::contact::ContactPoint;
use crate::error::{CollisionError, Result};
use crate::narrow::PairMemory;
use crate::places::PlacesView;

/// Finds contacts: colliders and places in, contact points out.
///
/// [`BuiltInDetector`](crate::BuiltInDetector) is the one that comes with this crate; implement this
/// to replace it whole, or [`PairDetector`](crate::PairDetector) to replace it for some pairs.
pub trait Detector: Send {
    /// Contacts of all pairs that may touch, in `contacts` (cleared first; empty after an error).
    ///
    /// The same colliders, places and [memory](Self::memory) must give the same contacts in the same
    /// order, whatever the number of threads. Ids are made by
    /// [`ColliderSet::contact_id`], materials by [`ColliderSet::contact_material`].
    ///
    /// # Errors
    /// Places that are missing or not finite, pairs that cannot be tested.
    fn detect(
        &mut self,
        colliders: &ColliderSet,
        places: &PlacesView<'_>,
        contacts: &mut Vec<ContactPoint>,
    ) -> Result<DetectReport>;

    /// All that is remembered from one step to the next and bears on the contacts: nothing, unless
    /// the detector says otherwise.
    fn memory(&self) -> CollisionMemory {
        CollisionMemory::default()
    }

    /// Takes over the memory of a detector of the same kind with the same colliders; after an error
    /// it is as it was.
    ///
    /// # Errors
    /// A memory of other colliders, or of another kind of detector.
    fn restore(&mut self, colliders: &ColliderSet, memory: &CollisionMemory) -> Result<()> {
        let _ = colliders;
        memory.refuse_unless(*memory == CollisionMemory::default())
    }
}

/// What one call of [`Detector::detect`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DetectReport {
    /// Pairs the broad phase let through, and colliders tested against themselves.
    pub n_pairs: usize,
    /// Those with at least one contact.
    pub n_touching_pairs: usize,
    /// Contacts before merging and reduction.
    pub n_raw_contacts: usize,
}

/// What a detector remembers from one step to the next, to be saved and restored.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct CollisionMemory {
    pub(crate) pairs: Vec<(u32, u32, PairMemory)>,
    /// What a detector of another kind than the built-in one remembers, in its own format.
    #[serde(default)]
    pub bytes: Vec<u8>,
}

impl CollisionMemory {
    /// Memory in a detector's own format.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self {
            pairs: Vec::new(),
            bytes,
        }
    }

    /// An error unless this memory is one the detector can take.
    pub(crate) fn refuse_unless(&self, fits: bool) -> Result<()> {
        if fits {
            return Ok(());
        }
        Err(CollisionError::Unknown {
            what: "pair of colliders, or kind of detector, in",
            name: "collision memory".to_owned(),
        })
    }
}
