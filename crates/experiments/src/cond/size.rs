//! Figure 11: time over the number of nodes.

use stiction_constraints::{Budget, Solver};
use stiction_scenes::{Options, soft_mat};
use stiction_solver_cond::Cond;

use super::assembly;
use super::box_sliding::problem_error;
use super::follow::{Ending, Way, follow, start_of};
use super::handled::Handled;
use super::tables::COND;
use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::fit::Line;
use crate::report::{Figure, Section, Table};
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, processor_time, smallest_in_turns};

/// Lengths of a cell of the mat's mesh, m: 363 to 2883 nodes.
const CELLS: [f64; 6] = [0.03, 0.0214, 0.0167, 0.0146, 0.0125, 0.01];
/// Iterations that are timed.
const ITERATIONS: usize = 200;
/// Solves in each turn, of which the fastest counts: other programs share caches and memory.
const REPEATED: usize = 5;
const TEST: f64 = 1e-4;

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let cells = match run.is_quick() {
        true => CELLS[..4].to_vec(),
        false => CELLS.to_vec(),
    };
    let handled = Handled::Mat;
    let mut samples = Vec::new();
    let mut nodes = Vec::new();
    for (number, &cell) in cells.iter().enumerate() {
        run.tell(
            0.4 * number as f64 / cells.len() as f64,
            &format!("mat with cells of {cell} m"),
        )?;
        let mut scene = soft_mat(&Options::default(), handled.middle(), cell)?;
        let start = start_of(run, &mut scene, 12)?;
        let way = Way {
            handled,
            start: &start,
            steps: 4,
            samples: 1,
        };
        let mut track = follow(run, &mut scene, way, COND, Ending::Change(TEST))?;
        let Some(sample) = track.log.samples.pop() else {
            return Err(problem_error(format!(
                "the mat with cells of {cell} m touches nothing"
            )));
        };
        nodes.push(handled.nodes(&scene.world)?.len());
        samples.push(sample);
    }
    run.tell(0.4, "times of equal iterations")?;
    let budget = Ending::Iterations(ITERATIONS).budget(&Budget::default());
    let mut operations = vec![0.0; samples.len()];
    let equal = on_one_thread(|| {
        let known = Cond::named(COND);
        let mut solver = known.ok_or_else(|| problem_error("the solver is gone"))?;
        smallest_in_turns(samples.len(), |index| {
            let mut smallest = f64::INFINITY;
            for _ in 0..REPEATED {
                let mut solution = samples[index].guess.clone();
                let solve = || solver.solve(&samples[index].problem, &budget, &mut solution);
                smallest = smallest.min(processor_time(solve).1);
            }
            operations[index] = solver.operations() as f64;
            Ok(smallest)
        })
    })?;
    let mut whole = Vec::new();
    for (number, sample) in samples.iter().enumerate() {
        run.tell(
            0.5 + 0.5 * number as f64 / samples.len() as f64,
            "times to the threshold",
        )?;
        whole.push(assembly::times(
            COND,
            Ending::Change(TEST),
            sample,
            run.stop_flag(),
        )?);
    }
    let mut table = Table::new(
        "Processor time, ms, smallest of five interleaved runs",
        [
            "nodes",
            "contacts",
            "cond, 200 iterations",
            "its multiplications (millions)",
            "cond to the threshold",
            "pgs, assembly of the paper",
            "apgd, assembly of the paper",
            "pgs, our assembly",
            "apgd, our assembly",
        ],
    );
    for (index, count) in nodes.iter().enumerate() {
        let times = &whole[index];
        let words = [
            equal[index],
            1e-9 * operations[index],
            times.cond,
            times.printed[0],
            times.printed[1],
            times.ours[0],
            times.ours[1],
        ];
        let mut row = vec![
            count.to_string(),
            samples[index].problem.contact_count().to_string(),
        ];
        row.extend(words.map(|value| format!("{:.3}", 1e3 * value)));
        table.rows.push(row);
    }
    let points = |values: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        let counts = nodes.iter().enumerate();
        counts
            .map(|(index, &count)| (count as f64, values(index)))
            .collect()
    };
    let of_time = points(&|index| 1e3 * equal[index]);
    let of_operations = points(&|index| operations[index]);
    let r_squared = Line::fit(&of_time).map_or(f64::NAN, |line| line.r_squared);
    let largest = of_operations
        .iter()
        .map(|point| point.1)
        .fold(0.0, f64::max);
    let off = Line::fit(&of_operations).map_or(f64::NAN, |line| {
        let errors = of_operations.iter().map(|&(x, y)| (line.at(x) - y).abs());
        errors.fold(0.0, f64::max) / largest
    });
    let how = How::new(
        COND,
        "processor time of the thread",
        Ending::Iterations(ITERATIONS).word(),
    );
    let how_counted = How {
        residual: "multiplications".to_owned(),
        ..how.clone()
    };
    let growth = |index: usize| {
        let (first, last) = (&whole[0], &whole[whole.len() - 1]);
        let nodes = nodes[nodes.len() - 1] as f64 / nodes[0] as f64;
        (last.printed[index] / first.printed[index]).ln() / nodes.ln()
    };
    let statements = vec![
        Statement::judged(
            "figure 11: the time of cond is linear in the number of nodes, R² at least 0.99 (the paper: 0.9997)",
            &how,
            format!("R² = {r_squared:.4}"),
            r_squared >= 0.99,
        ),
        Statement::judged(
            "section III-F: its multiplications are linear in the number of nodes, to 1 % of the largest count",
            &how_counted,
            format!("{:.2} %", 100.0 * off),
            off <= 0.01,
        ),
        Statement::judged(
            "figure 11: times of pgs and apgd with the paper's assembly grow faster than the nodes",
            &How::new(
                "pgs, apgd",
                "processor time of the thread",
                Ending::Change(TEST).word(),
            ),
            format!(
                "by the power {:.2} and {:.2} of their number",
                growth(0),
                growth(1)
            ),
            growth(0) > 1.0 && growth(1) > 1.0,
        ),
    ];
    let curve = |label: &str, color: usize, points: Vec<(f64, f64)>| Curve {
        label: label.to_owned(),
        color,
        points,
    };
    let chart = |title: &str, curves: Vec<Curve>| Chart {
        title: title.to_owned(),
        x_label: "nodes".to_owned(),
        y_label: "time (ms)".to_owned(),
        scale: Scale::Linear,
        curves,
        legend: true,
    };
    let charts = [
        chart(
            "COND",
            vec![
                curve("200 iterations", 0, of_time),
                curve(
                    "to the threshold",
                    1,
                    points(&|index| 1e3 * whole[index].cond),
                ),
            ],
        ),
        chart(
            "PGS, APGD",
            vec![
                curve("pgs", 0, points(&|index| 1e3 * whole[index].printed[0])),
                curve("apgd", 1, points(&|index| 1e3 * whole[index].printed[1])),
            ],
        ),
    ];
    Ok(Section {
        heading: "Figure 11: time over the number of nodes".to_owned(),
        text: "`soft-mat` with cells of six sizes, four in a quick run; one problem of each while the mat lies on the floor, from what its \
               step began with. Linear is judged of equal numbers of iterations: how many the threshold takes differs with the mesh."
            .to_owned(),
        statements,
        tables: vec![table],
        figures: vec![Figure {
            name: "nodes".to_owned(),
            caption: "Time of a solve over the number of nodes".to_owned(),
            svg: grid("Scalability", &charts, 2, (1100, 420))?,
            paper: "figure 11: a straight line for cond, R² 0.9997; curves that bend upwards for PGS and APGD".to_owned(),
        }],
    })
}
