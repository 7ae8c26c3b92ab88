//! What the paper prints of the scenes in which a robot handles something soft, and where they are followed.

use super::follow::{Ending, Way, follow, start_of};
use super::handled::Handled;
use super::tables::{Printed, TRUTH, section};
use super::variants::{PRINTED, STIFF_ACCELERATED, STIFF_STEPS};
use crate::Run;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

/// Table II.
pub(super) fn mat(run: &mut Run<'_>) -> Result<Section> {
    let printed = Printed {
        handled: Handled::Mat,
        cond: STIFF_STEPS,
        accelerated: STIFF_ACCELERATED,
        heading: "Table II, figure 7: a Panda folds a soft mat",
        table: "Table II",
        figure: "figure 7 (b) and (c)",
        test: 1e-4,
        windows: [(&[60, 120, 180], 15), (&[40], 6)],
        samples: 1,
        rows: [
            [0.0033, 1.868e-3, 8.650, 39.72],
            [0.0328, 0.917e-3, 1412.0, 50.59],
            [0.0576, 1.492e-3, 1645.0, 81.57],
        ],
        ratios: [163.0, 190.0],
        plain: 167.4,
    };
    let mut out = section(run, &printed)?;
    tight(run, &mut out)?;
    Ok(out)
}

/// The mat at a tenth of the threshold, of which the paper says 0.407 mN and 18.9 ms.
fn tight(run: &mut Run<'_>, out: &mut Section) -> Result<()> {
    let handled = Handled::Mat;
    run.tell(0.95, "soft-mat to 1e-5")?;
    let mut scene = handled.build(handled.drawn(0), None)?;
    let (skip, steps) = run.or_quick((60, 40), (40, 6));
    let start = start_of(run, &mut scene, skip)?;
    let way = Way {
        handled,
        start: &start,
        steps,
        samples: 0,
    };
    let truth = follow(run, &mut scene, way, TRUTH.0, TRUTH.1)?;
    let mut table = Table::new(
        "The mat by the threshold of ‖Δv̂‖, first trial, the paper's in brackets",
        ["threshold (m/s)", "IE (mN)", "ST (ms)", "IN"],
    );
    let mut errors = Vec::new();
    for (test, error, time) in [(1e-4, 1.868, 8.65), (1e-5, 0.407, 18.9)] {
        let track = follow(run, &mut scene, way, STIFF_STEPS, Ending::Change(test))?;
        errors.push(track.index_error(&truth));
        table.rows.push(vec![
            format!("{test:.0e}"),
            format!("{:.3} ({error})", 1e3 * track.index_error(&truth)),
            format!("{:.2} ({time})", 1e3 * track.solver_time()),
            format!("{:.1}", track.iterations()),
        ]);
    }
    out.tables.push(table);
    out.statements.push(Statement::judged(
        "section V-C: a tenth of the threshold brings the mat's internal force nearer to the truth (1.868 to 0.407 mN)",
        &How::new(STIFF_STEPS, "IE", "velocity-change 1e-4 and 1e-5"),
        format!("{:.3} to {:.3} mN", 1e3 * errors[0], 1e3 * errors[1]),
        errors[1] < errors[0],
    ));
    Ok(())
}

/// Table III.
pub(super) fn ball(run: &mut Run<'_>) -> Result<Section> {
    let printed = Printed {
        handled: Handled::Ball,
        cond: STIFF_STEPS,
        accelerated: STIFF_ACCELERATED,
        heading: "Table III, figure 8: a gripper lifts a soft ball",
        table: "Table III",
        figure: "figure 8 (b) and (c)",
        test: 1e-5,
        windows: [(&[95, 150, 240], 15), (&[95, 150], 5)],
        samples: 1,
        rows: [
            [0.0058, 0.1560, 8.464, 37.51],
            [1.9933, 0.3189, 805.1, 233.9],
            [0.2325, 0.1235, 676.7, 100.4],
        ],
        ratios: [95.0, 80.0],
        plain: 138.8,
    };
    section(run, &printed)
}

/// Table V.
pub(super) fn cable(run: &mut Run<'_>) -> Result<Section> {
    let printed = Printed {
        handled: Handled::Cable,
        cond: PRINTED[0],
        accelerated: PRINTED,
        heading: "Table V, figure 9: a Panda winds a cable",
        table: "Table V",
        figure: "figure 9 (b) to (e)",
        test: 1e-4,
        windows: [(&[1250, 2500, 4000], 25), (&[1250], 16)],
        samples: 1,
        rows: [
            [0.0021, 0.3996, 1.229, 18.28],
            [0.0521, 0.3997, 74.27, 65.61],
            [0.0556, 0.3976, 56.72, 46.05],
        ],
        ratios: [60.0, 46.0],
        plain: 40.14,
    };
    section(run, &printed)
}

/// Table VI.
pub(super) fn gripper(run: &mut Run<'_>) -> Result<Section> {
    let printed = Printed {
        handled: Handled::Gripper,
        cond: STIFF_STEPS,
        accelerated: STIFF_ACCELERATED,
        heading: "Table VI, figure 10: soft fingers grip a part",
        table: "Table VI",
        figure: "figure 10 (b) to (e)",
        test: 1e-6,
        windows: [(&[300, 400, 500], 5), (&[300], 2)],
        samples: 1,
        rows: [
            [0.0005, 0.1169, 18.24, 30.88],
            [0.0397, 0.1175, 547.0, 59.06],
            [0.0409, 0.1172, 547.3, 57.81],
        ],
        ratios: [30.0, 30.0],
        plain: 155.7,
    };
    section(run, &printed)
}
