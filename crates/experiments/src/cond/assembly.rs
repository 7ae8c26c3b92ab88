//! The Delassus matrix as the paper assembles it for its baselines, beside ours, and what solves take with either.

use stiction_constraints::{
    Budget, Delassus, DynamicsMatrix, JointRows, Problem, Solution, Solver, StopFlag,
};
use stiction_solver_first_order::{Apgd, ApgdSettings, Products};

use super::box_sliding::problem_error;
use super::follow::{Ending, Sample};
use super::variants::make;
use crate::error::Result;
use crate::timing::{on_one_thread, processor_time, smallest_in_turns};

/// Times of the solves of one problem, s.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Times {
    /// COND.
    pub(super) cond: f64,
    /// `pgs` and `apgd` with our assembly of G.
    pub(super) ours: [f64; 2],
    /// The same with that of the paper in its place.
    pub(super) printed: [f64; 2],
    /// The paper's assembly alone, factor included.
    pub(super) assembly: f64,
}

/// G = J A⁻¹ Jᵀ column by column: A factorised, a solve of all degrees of freedom for each row, its product with J,
/// all of it dense. Returns the numbers of G, columns one after the other.
fn assemble_by_columns(problem: &Problem, rows: &JointRows) -> Result<Vec<f64>> {
    let mut dynamics = DynamicsMatrix::default();
    dynamics
        .update(problem)
        .map_err(|failure| problem_error(format!("{failure:?}")))?;
    let count = problem.row_count();
    let mut g = vec![0.0; count * count];
    let mut unit = vec![0.0; count];
    let mut column = vec![0.0; problem.dof_count()];
    for (row, out) in g.chunks_exact_mut(count.max(1)).enumerate() {
        column.fill(0.0);
        unit[row] = 1.0;
        rows.mul_transpose_add(&unit, &mut column);
        unit[row] = 0.0;
        dynamics.solve_in_place(&mut column);
        rows.mul(&column, out);
    }
    Ok(g)
}

/// The smallest of five interleaved times of a problem's solves from what its step began with.
pub(super) fn times(
    cond: &'static str,
    ending: Ending,
    sample: &Sample,
    stop: StopFlag,
) -> Result<Times> {
    let budget = ending.budget(&Budget {
        stop: Some(stop),
        ..Budget::default()
    });
    on_one_thread(|| {
        let mut rows = JointRows::default();
        rows.update(&sample.problem);
        let assembled = ApgdSettings {
            products: Products::Assembled,
            ..ApgdSettings::default()
        };
        let mut solvers: Vec<Box<dyn Solver>> =
            vec![make(cond)?, make("pgs")?, Box::new(Apgd::new(assembled))];
        let mut dynamics = DynamicsMatrix::default();
        let mut delassus = Delassus::default();
        // Three solves, our assembly, the paper's.
        let smallest = smallest_in_turns(5, |index| match index {
            3 => {
                dynamics
                    .update(&sample.problem)
                    .map_err(|failure| problem_error(format!("{failure:?}")))?;
                let assemble = || delassus.update(&sample.problem, &mut dynamics, &rows);
                Ok(processor_time(assemble).1)
            }
            4 => {
                let (g, seconds) = processor_time(|| assemble_by_columns(&sample.problem, &rows));
                g.map(|_| seconds)
            }
            _ => {
                let mut solution: Solution = sample.guess.clone();
                let solve = || solvers[index].solve(&sample.problem, &budget, &mut solution);
                Ok(processor_time(solve).1)
            }
        })?;
        let ours = [smallest[1], smallest[2]];
        Ok(Times {
            cond: smallest[0],
            ours,
            printed: ours.map(|time| (time - smallest[3]).max(0.0) + smallest[4]),
            assembly: smallest[4],
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_scenes::Options;

    #[test]
    fn both_assemblies_make_the_same_matrix() {
        let mut scene = stiction_scenes::build("soft-lab", &Options::default()).unwrap();
        let mut compared = 0;
        for _ in 0..40 {
            scene.world.step().unwrap();
            for solved in scene.world.problems() {
                let problem = solved.problem;
                if problem.contact_count() == 0 {
                    continue;
                }
                let mut rows = JointRows::default();
                rows.update(problem);
                let mut dynamics = DynamicsMatrix::default();
                dynamics.update(problem).unwrap();
                let mut delassus = Delassus::default();
                delassus.update(problem, &mut dynamics, &rows);
                let ours = delassus.to_dense();
                let printed = assemble_by_columns(problem, &rows).unwrap();
                let error = ours.iter().zip(&printed).map(|(a, b)| (a - b).abs());
                assert!(error.fold(0.0, f64::max) < 1e-9 * ours.amax());
                compared += 1;
            }
            if compared > 2 {
                return;
            }
        }
        panic!("nothing touched");
    }
}
