//! Many worlds at once.

use rayon::prelude::*;

use crate::error::Result;
use crate::world::World;

/// Steps every world once, in rayon's current pool; the results are those of stepping them one by
/// one. One entry per world, so that a world that fails does not stop the others.
pub fn step_all(worlds: &mut [World]) -> Vec<Result<()>> {
    worlds
        .par_iter_mut()
        .map(|world| world.step().map(drop))
        .collect()
}
