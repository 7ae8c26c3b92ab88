//! Any bytes into the reader of problem files.

use stiction_constraints::ResidualEvaluator;
use stiction_problem_files::{ProblemFile, parse_bytes};

/// Reads bytes as a problem file. Whatever they are, the answer is a problem or an error that says
/// what is wrong; a problem that was accepted can be used.
pub fn read_problem_file(bytes: &[u8]) {
    match parse_bytes(bytes, "fuzzed") {
        Err(error) => assert!(error.to_string().contains("fuzzed"), "{error}"),
        Ok(ProblemFile::Full(full)) => {
            // What was accepted has a matrix that can be factorised; numbers near the end of the
            // range may still overflow later, which is said and not a panic.
            let mut evaluator = ResidualEvaluator::default();
            if evaluator.update(&full.problem).is_ok() {
                let velocity = vec![0.0; full.problem.dof_count()];
                let lambda = vec![0.0; full.problem.row_count()];
                let residuals = evaluator.residuals(&full.problem, &velocity, &lambda);
                assert!(!residuals.scaled.is_nan());
            }
        }
        Ok(ProblemFile::Local(local)) => {
            // Small ones only: the factorisation of a large W is not what is tested here.
            if local.friction().len() <= 8 {
                let _ = local.reduce();
            }
        }
        Ok(ProblemFile::Global(_)) => {}
    }
}
