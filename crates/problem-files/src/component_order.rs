//! Component orders: files say (normal, tangent 1, tangent 2), the problem layer (t1, t2, n).

/// Per contact from a file's (n, t1, t2) to the problem layer's (t1, t2, n).
pub(crate) fn from_file_order(values: &[f64]) -> Vec<f64> {
    values
        .chunks_exact(3)
        .flat_map(|c| [c[1], c[2], c[0]])
        .collect()
}

/// Per contact from the problem layer's (t1, t2, n) to a file's (n, t1, t2).
pub(crate) fn to_file_order(values: &[f64]) -> Vec<f64> {
    values
        .chunks_exact(3)
        .flat_map(|c| [c[2], c[0], c[1]])
        .collect()
}

/// Place in (t1, t2, n) of a component counted in (n, t1, t2).
pub(crate) fn row_of(component: usize) -> usize {
    (component + 2) % 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_inverse_to_each_other() {
        let file = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let ours = from_file_order(&file);
        assert_eq!(ours, [2.0, 3.0, 1.0, 5.0, 6.0, 4.0]);
        assert_eq!(to_file_order(&ours), file);
        for component in 0..3 {
            assert_eq!(ours[row_of(component)], file[component]);
        }
    }
}
