//! Table VII: COND beside contact constraint splitting at equal numbers of iterations.

use super::follow::{Ending, Way, follow, start_of};
use super::handled::Handled;
use super::tables::COND;
use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

/// Iterations, and the paper's MP (mm), IE (mN) and ST (ms) of COND and of CCS.
const ROWS: [(usize, [[f64; 3]; 2]); 2] = [
    (50, [[0.0049, 0.9662, 10.85], [0.0051, 13.40, 65.99]]),
    (100, [[0.0050, 0.1620, 20.90], [0.0053, 6.559, 107.9]]),
];
const SOLVERS: [&str; 2] = [COND, "ccs"];

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let handled = Handled::Mat;
    let trials = run.trials(20, 1).max(1);
    let (skip, steps) = run.or_quick((60, 20), (40, 4));
    // MP, IE, ST by number of iterations and solver.
    let mut sums = [[[0.0; 3]; 2]; 2];
    let mut ends = Vec::new();
    for trial in 0..trials {
        run.tell(
            trial as f64 / trials as f64,
            "mat by contact constraint splitting",
        )?;
        let mut scene = handled.build(handled.drawn(trial), None)?;
        let start = start_of(run, &mut scene, skip)?;
        let way = Way {
            handled,
            start: &start,
            steps,
            samples: 0,
        };
        let truth = follow(run, &mut scene, way, "canal", Ending::Residual(1e-12))?;
        for (sums, (iterations, _)) in sums.iter_mut().zip(ROWS) {
            for (sums, solver) in sums.iter_mut().zip(SOLVERS) {
                let track = follow(run, &mut scene, way, solver, Ending::Iterations(iterations))?;
                let values = [
                    track.penetration(),
                    track.index_error(&truth),
                    track.solver_time(),
                ];
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += value / trials as f64;
                }
                ends.extend(track.end.map(|end| format!("{solver}: {end}")));
            }
        }
    }
    let mut table = Table::new(
        "Table VII, means over trials and steps, the paper's in brackets",
        ["solver", "iterations", "MP (mm)", "IE (mN)", "ST (ms)"],
    );
    let mut statements = Vec::new();
    for (sums, (iterations, printed)) in sums.iter().zip(ROWS) {
        for ((sums, solver), printed) in sums.iter().zip(SOLVERS).zip(printed) {
            table.rows.push(vec![
                solver.to_owned(),
                iterations.to_string(),
                format!("{:.5} ({})", 1e3 * sums[0], printed[0]),
                format!("{:.3} ({})", 1e3 * sums[1], printed[1]),
                format!("{:.2} ({})", 1e3 * sums[2], printed[2]),
            ]);
        }
        let [cond, ccs] = sums;
        let how = |what: &str| {
            How::new(
                format!("{COND}, ccs"),
                what,
                format!("{iterations} iterations"),
            )
        };
        statements.push(Statement::judged(
            format!(
                "Table VII: after {iterations} iterations the internal force of cond is nearer to the truth than that of ccs ({} and {} mN)",
                printed[0][1], printed[1][1]
            ),
            &how("IE"),
            format!("{:.3} and {:.3} mN", 1e3 * cond[1], 1e3 * ccs[1]),
            ends.is_empty() && cond[1] < ccs[1],
        ));
        statements.push(Statement::judged(
            format!(
                "Table VII: {iterations} iterations of ccs take longer than those of cond ({:.1} times)",
                printed[1][2] / printed[0][2]
            ),
            &how("processor time of solves"),
            format!("{:.2} times", ccs[2] / cond[2]),
            ccs[2] > cond[2],
        ));
    }
    let mut text = format!(
        "`soft-mat`, {trials} trials, {steps} steps from {:.2} s on, each solve with exactly so many iterations. IE against `canal` to 1e-12 m/s, \
         followed from the same state. What sets the two apart: an iteration of `ccs` solves with a factor of A + D, which knows the whole body, one of \
         `cond` multiplies with A once; `ccs` has its factor in every step.",
        0.01 * skip as f64
    );
    if !ends.is_empty() {
        text += &format!(" Ended early: {}.", ends.join("; "));
    }
    Ok(Section {
        heading: "Table VII: contact constraint splitting".to_owned(),
        text,
        statements,
        tables: vec![table],
        ..Section::default()
    })
}
