//! Work in halves: the same splits for any number of threads, so the same bits.

/// Slots or constraints that one thread takes at a time; a plausible size, not tuned.
pub(crate) const GRAIN: usize = 512;

/// Runs both, on two threads when the problem is large enough for it.
pub(crate) fn both<A: Send, B: Send>(
    parallel: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if parallel {
        rayon::join(first, second)
    } else {
        (first(), second())
    }
}

/// The larger of two sizes; NaN counts as infinite.
#[inline]
pub(crate) fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::INFINITY
    } else {
        a.max(b)
    }
}
