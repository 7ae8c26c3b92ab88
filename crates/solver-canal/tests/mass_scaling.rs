//! The unit of mass does not matter.

mod common;

use common::{canal, difference, of_every_generator, solve_cold};
use stiction_generators::transform::scale_mass;

#[test]
fn masses_a_thousandth_and_a_thousandfold_take_the_same_iterations() {
    for (name, problem) in of_every_generator() {
        let (report, solution) = solve_cold(&mut canal(), &problem, 1e-8);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        for factor in [1e-3, 1e3] {
            let scaled = scale_mass(&problem, factor).expect("a valid problem");
            let (scaled_report, scaled_solution) = solve_cold(&mut canal(), &scaled, 1e-8);
            assert_eq!(
                scaled_report.iterations, report.iterations,
                "{name} × {factor}: outer iterations"
            );
            assert!(scaled_report.outcome.is_converged(), "{name} × {factor}");
            let apart = difference(&solution.velocity, &scaled_solution.velocity);
            assert!(apart < 1e-6, "{name} × {factor}: {apart:e} m/s apart");
        }
    }
}
