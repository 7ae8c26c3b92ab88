//! Inputs of `solve_small` that a solver failed on once.

/// From a guess of 1e55 and more, on rows that move next to nothing: the impulse stayed, and its
/// residual, a difference of huge numbers, came out as zero. The report's own `rounding` is 1e38 m/s and
/// more.
#[test]
fn huge_impulses_that_no_row_feels() {
    stiction_fuzz::solve_small(include_bytes!("found_inputs/pgs_keeps_a_huge_impulse.bin"));
    stiction_fuzz::solve_small(include_bytes!(
        "found_inputs/pgs_keeps_a_huge_impulse_on_copies.bin"
    ));
    stiction_fuzz::solve_small(include_bytes!(
        "found_inputs/subadmm_keeps_a_huge_impulse.bin"
    ));
}

/// From a guess of 1e200 and more: impulses that were no numbers, said to have converged.
#[test]
fn pyramid_and_not_a_number() {
    stiction_fuzz::solve_small(include_bytes!("found_inputs/pgs_lcp_not_a_number.bin"));
}

/// As above, on the convex cone.
#[test]
fn convex_cone_and_not_a_number() {
    stiction_fuzz::solve_small(include_bytes!("found_inputs/pgs_ccp_not_a_number.bin"));
}

/// Impulses of 1e9 N·s on masses of grams: said to have converged to 2e-8 m/s with a rounding of
/// 4e-9 m/s; in twice the precision 2.5e-5 m/s, which rounding explains.
#[test]
fn converged_below_rounding() {
    stiction_fuzz::solve_small(include_bytes!("found_inputs/canal_below_rounding.bin"));
}
