//! Inputs of `solve_small` that a solver still fails on. Run them with `cargo test
//! --no-default-features -- --ignored`; one that passes moves to `random_bytes.rs`.

/// From a guess of 1e55 and more, on rows that move next to nothing: the impulse stays, and its
/// residual is a difference of huge numbers that comes out as zero. The report's own `rounding` is
/// 1e38 m/s and more.
#[test]
#[ignore = "pgs and subadmm say converged without `Yardstick::confirm`"]
fn huge_impulses_that_no_row_feels() {
    stiction_fuzz::solve_small(include_bytes!("open_cases/pgs_keeps_a_huge_impulse.bin"));
    stiction_fuzz::solve_small(include_bytes!(
        "open_cases/pgs_keeps_a_huge_impulse_on_copies.bin"
    ));
    stiction_fuzz::solve_small(include_bytes!(
        "open_cases/subadmm_keeps_a_huge_impulse.bin"
    ));
}

/// From a guess of 1e200 and more: impulses that are no numbers, said to have converged.
#[test]
#[ignore = "pgs-lcp says converged of NaN"]
fn pyramid_and_not_a_number() {
    stiction_fuzz::solve_small(include_bytes!("open_cases/pgs_lcp_not_a_number.bin"));
}

/// As above, on the convex cone.
#[test]
#[ignore = "pgs-ccp says converged of NaN"]
fn convex_cone_and_not_a_number() {
    stiction_fuzz::solve_small(include_bytes!("open_cases/pgs_ccp_not_a_number.bin"));
}

/// Impulses of 1e9 N·s on masses of grams: converged to 2e-8 m/s with a rounding of 4e-9 m/s by its
/// own account; in twice the precision 2.5e-5 m/s, which rounding explains.
#[test]
#[ignore = "canal says converged where rounding hides the answer"]
fn converged_below_rounding() {
    stiction_fuzz::solve_small(include_bytes!("open_cases/canal_below_rounding.bin"));
}
