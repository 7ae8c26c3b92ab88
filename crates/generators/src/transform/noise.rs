//! The next time step of a scene, roughly.

use stiction_constraints::{Problem, ProblemError};

use crate::sampling::{normal, seeded};

/// The same problem with noise on b: every entry moves by `relative` times the root mean square of
/// its subsystem's entries, times a standard normal number. A solution of the original is a good
/// first guess for the result, as that of the last time step is in a simulation.
///
/// # Errors
/// `relative` is not finite.
pub fn perturb_b(problem: &Problem, relative: f64, seed: u64) -> Result<Problem, ProblemError> {
    let mut rng = seeded(seed);
    let mut out = problem.clone();
    for subsystem in 0..problem.subsystems().len() {
        let range = problem.dof_starts()[subsystem]..problem.dof_starts()[subsystem + 1];
        let mut b = problem.b()[range].to_vec();
        let mean = b.iter().map(|value| value * value).sum::<f64>() / b.len().max(1) as f64;
        let scale = relative * mean.sqrt();
        for value in &mut b {
            *value += scale * normal(&mut rng);
        }
        out.set_b(subsystem, &b)?;
    }
    Ok(out)
}
