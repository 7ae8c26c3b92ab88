//! The second measurement of a problem of the same shape allocates nothing.

mod common;

use common::everything;
use stiction_constraints::{Criterion, Yardstick};
use stiction_test_support::allocations;

#[test]
fn second_update_and_residuals_allocate_nothing() {
    let (first, second) = (everything(1), everything(2));
    let lambda = vec![0.1; first.row_count()];
    let mut velocity = vec![0.0; first.dof_count()];
    let mut yardstick = Yardstick::default();
    let before = allocations();
    yardstick.update(&first).unwrap();
    yardstick.residuals(&first, &velocity, &lambda);
    assert!(allocations() > before, "the count works");

    let before = allocations();
    yardstick.update(&second).unwrap();
    yardstick.velocity_of(&second, &lambda, &mut velocity);
    yardstick.residuals(&second, &velocity, &lambda);
    yardstick.measure(&second, &lambda, Criterion::Scaled);
    let after = allocations();
    assert_eq!(after - before, 0);
}
