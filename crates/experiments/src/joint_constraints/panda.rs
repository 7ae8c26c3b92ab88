//! A Panda with a box on its end effector, randomly actuated: how far iterations get, with nothing to stop
//! them.

use stiction_constraints::{Budget, Criterion, Problem, Solution, Solver};
use stiction_scenes::Options;
use stiction_sim::solvers::make;

use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::report::{Figure, Section, Table};
use crate::statement::{How, Statement};

/// The algorithms as printed and ours, each with its iterations and what the paper reports of it.
const SOLVERS: [(&str, usize, f64); 4] = [
    ("canal-paper", 60, 1e-12),
    ("canal", 60, 1e-12),
    ("subadmm-paper", 600, 1e-4),
    ("subadmm", 600, 1e-4),
];
/// Every so many steps are solved again.
const EVERY: usize = 20;
/// A problem that no impulses at all solve this well, in the paper's residual, shows nothing.
const NOTHING_TO_DO: f64 = 1e-6;

/// What became of one solver.
struct Track {
    solver: Box<dyn Solver>,
    iterations: usize,
    /// Smallest residual up to each iteration, of each problem.
    histories: Vec<Vec<f64>>,
    /// Scaled residual of what was handed back for each problem, m/s.
    scaled: Vec<f64>,
}

impl Track {
    /// Solves a problem without a guess and without a tolerance.
    fn solve(&mut self, problem: &Problem) {
        let budget = Budget {
            tolerance: 0.0,
            criterion: Criterion::Paper,
            max_iterations: Some(self.iterations),
            record_history: true,
            ..Budget::default()
        };
        let mut solution = Solution::cold();
        let report = self.solver.solve(problem, &budget, &mut solution);
        if report.start_residual < NOTHING_TO_DO {
            return;
        }
        let mut best = report.start_residual;
        let mut history = vec![best; self.iterations + 1];
        let mut entries = report.history.iter().peekable();
        for (iteration, slot) in history.iter_mut().enumerate() {
            while let Some(entry) = entries.next_if(|entry| entry.iteration <= iteration) {
                best = best.min(entry.residual);
            }
            *slot = best;
        }
        self.histories.push(history);
        self.scaled.push(report.residuals.scaled);
    }

    /// A share of the problems has a residual below this at an iteration.
    fn quantile(&self, iteration: usize, share: f64) -> f64 {
        let at = self.histories.iter().map(|history| history[iteration]);
        quantile(at.collect(), share)
    }
}

fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let at = (share * last as f64).round() as usize;
    values.get(at).copied().unwrap_or(f64::NAN)
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let seconds = run.or_quick(10.0, 2.0);
    let options = Options {
        seconds: Some(seconds),
        ..Options::default()
    };
    let mut scene = stiction_scenes::build("panda-box", &options)?;
    let mut tracks = Vec::new();
    for (name, iterations, _) in SOLVERS {
        tracks.push(Track {
            solver: make(name)?,
            iterations,
            histories: Vec::new(),
            scaled: Vec::new(),
        });
    }
    let steps = (seconds / scene.world.settings().time_step) as usize;
    for step in 0..steps {
        scene.world.step()?;
        if step % EVERY != 0 {
            continue;
        }
        run.tell(step as f64 / steps as f64, "Panda under random actuation")?;
        for solved in scene.world.problems() {
            for track in &mut tracks {
                track.solve(solved.problem);
            }
        }
    }
    let mut table = Table::new(
        "",
        [
            "solver",
            "iterations",
            "median of the residual",
            "nine of ten are below",
            "median of the scaled residual (m/s)",
            "the paper",
        ],
    );
    let mut statements = Vec::new();
    for (track, (name, iterations, reported)) in tracks.iter().zip(SOLVERS) {
        let median = track.quantile(iterations, 0.5);
        let most = track.quantile(iterations, 0.9);
        let scaled = quantile(track.scaled.clone(), 0.5);
        table.rows.push(vec![
            name.to_owned(),
            iterations.to_string(),
            format!("{median:.1e}"),
            format!("{most:.1e}"),
            format!("{scaled:.1e}"),
            format!("{reported:.0e}"),
        ]);
        let how = How::new(
            name,
            "‖T_strict(J v̂ − λ; β = 1) − λ‖₂ over the number of constraints [AL, §VII]",
            format!("{iterations} iterations, tolerance 0"),
        );
        statements.push(Statement::judged(
            format!("figure 4: a residual of {reported:.0e}"),
            &how,
            format!(
                "median {median:.1e}, nine of ten below {most:.1e}, {} problems",
                track.histories.len()
            ),
            median <= reported,
        ));
    }
    Ok(Section {
        heading: "Panda with a box on its end effector, randomly actuated".to_owned(),
        text: format!(
            "The built-in scene `panda-box` for {seconds} s: a seven-joint arm with dry friction and limits in \
             every joint carries a box on a plate and is sent to random postures. Contact, joint friction and \
             joint limits are one problem in every step. The problem of every {EVERY}th step is solved without \
             a guess and with a tolerance of 0, by the algorithms as printed and by ours: what is shown is how \
             far iterations get, not where a tolerance ended them; problems that need no impulses are left out. The paper does not say after how many \
             iterations its figures were read off."
        ),
        statements,
        tables: vec![table],
        figures: vec![Figure {
            name: "panda".to_owned(),
            caption: "Smallest residual so far over iterations, median over the problems".to_owned(),
            svg: grid("Residual", &charts(&tracks), 2, (1100, 420))?,
            paper: "figure 4 shows the residual of every step of a random action sequence, about 1e-12 with CANAL \
                    and 1e-4 with SubADMM; the sequence is not published"
                .to_owned(),
        }],
    })
}

/// One chart for each algorithm: as printed and ours.
fn charts(tracks: &[Track]) -> Vec<Chart> {
    let chart = |(title, tracks): (&str, &[Track])| Chart {
        title: title.to_owned(),
        x_label: "iteration".to_owned(),
        y_label: "residual".to_owned(),
        scale: Scale::LogarithmicY,
        curves: (tracks.iter().enumerate())
            .map(|(color, track)| Curve {
                label: track.solver.name().to_owned(),
                color,
                points: (0..=track.iterations)
                    .map(|at| (at as f64, track.quantile(at, 0.5)))
                    .collect(),
            })
            .collect(),
        legend: true,
    };
    let (canal, subadmm) = tracks.split_at(2);
    [("CANAL", canal), ("SubADMM", subadmm)].map(chart).into()
}
