//! Whether two answers are the same to the last bit.

use stiction_constraints::{Report, Solution};

/// What of two solves differs: the first difference in words, `None` for the same bits.
pub(crate) fn difference(
    (first, a): (&Report, &Solution),
    (second, b): (&Report, &Solution),
) -> Option<String> {
    if first.outcome != second.outcome {
        return Some(format!("{} and {}", first.outcome, second.outcome));
    }
    if first.iterations != second.iterations || first.inner_iterations != second.inner_iterations {
        return Some(format!(
            "{} iterations ({} inner) and {} ({})",
            first.iterations, first.inner_iterations, second.iterations, second.inner_iterations
        ));
    }
    let vectors = [
        ("impulse", &a.impulse, &b.impulse),
        ("velocity", &a.velocity, &b.velocity),
    ];
    for (name, a, b) in vectors {
        if a.len() != b.len() {
            return Some(format!("{} and {} numbers of {name}", a.len(), b.len()));
        }
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            if a.to_bits() != b.to_bits() {
                return Some(format!("{name} {index} is {a:e} and {b:e}"));
            }
        }
    }
    None
}
