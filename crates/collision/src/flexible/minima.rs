//! Minima of a distance along a segment.

/// Pieces into which a segment is cut when looking for minima of the distance along it.
const PIECES: usize = 4;

/// Calls `found` with the fraction along a segment, and a number, for each minimum of the distance inside
/// of it, given the slope of the distance along it; those at its very ends belong to its ends.
pub(super) fn minima_inside(slope: &mut impl FnMut(f64) -> f64, mut found: impl FnMut(f64, u64)) {
    let mut n_minima = 0;
    for piece in 0..PIECES {
        let bound = |k: usize| k as f64 / PIECES as f64;
        let (mut low, mut high) = (bound(piece), bound(piece + 1));
        // a minimum on the border of two pieces belongs to the first
        if !(slope(low) < 0.0 && slope(high) >= 0.0) {
            continue;
        }
        for _ in 0..50 {
            let t = 0.5 * (low + high);
            if slope(t) < 0.0 {
                low = t;
            } else {
                high = t;
            }
        }
        let t = 0.5 * (low + high);
        n_minima += 1;
        if (1e-9..1.0 - 1e-9).contains(&t) {
            found(t, n_minima);
        }
    }
}
