//! Work in halves: the same splits for any number of threads, so the same bits.

/// Rows of three or constraints that one thread takes at a time.
pub(crate) const GRAIN: usize = 1024;

/// Calls `work(first, part)` for parts of `out`, `unit` numbers for each item, on several threads where there
/// is much of it.
pub(crate) fn on_parts(
    first: usize,
    unit: usize,
    out: &mut [f64],
    work: &(impl Fn(usize, &mut [f64]) + Sync),
) {
    let items = out.len() / unit;
    if items <= GRAIN {
        return work(first, out);
    }
    let half = items / 2;
    let (left, right) = out.split_at_mut(half * unit);
    rayon::join(
        || on_parts(first, unit, left, work),
        || on_parts(first + half, unit, right, work),
    );
}

/// Σ x² in an order that depends on nothing.
pub(crate) fn sum_of_squares(values: &[f64]) -> f64 {
    stiction_constraints::linear::dot(values, values)
}
