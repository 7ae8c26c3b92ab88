//! Tables III and IV, figures 14 and 15: what the time step and the stopping test do to a sliding cube.

use stiction_constraints::nalgebra::Vector3;
use stiction_constraints::{
    Budget, Criterion, Declaration, Law, Problem, Report, ResidualEvaluator, Solution, Solver,
};
use stiction_sim::solvers::make;

use super::models::{Kind, Model, models};
use super::picture::{curve, figure, over_time};
use super::sliding::{FRICTION, GRAVITY, MASS, PUSHED_OUT, REST, SIDE, SPEED, refused, settings};
use crate::Run;
use crate::cube::Cube;
use crate::error::{ExperimentError, Result};
use crate::fit::Line;
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

/// The solvers of the tables, and what the paper prints: over steps of 1, 10 and 100 ms (m·s), and over ε_abs of
/// 1e-6, 1e-4 and 1e-2.
const PRINTED: [(&str, [f64; 3], [f64; 3]); 3] = [
    (
        "pgs-ccp",
        [1.6e-3, 1.7e-2, 1.6e-1],
        [6.7e-7, 4.3e-5, 4.8e-2],
    ),
    ("raisim", [1.5e-3, 1.6e-2, 1.5e-1], [9.0e-8, 4.8e-5, 7.0e-4]),
    ("pgs", [1.5e-3, 1.6e-2, 1.6e-1], [6.0e-10, 9.9e-8, 5.3e-6]),
];
const STEPS: [f64; 3] = [1e-3, 1e-2, 1e-1];
const FINEST: f64 = 1e-4;
const TOLERANCES: [f64; 3] = [1e-6, 1e-4, 1e-2];
const STRICTEST: f64 = 1e-9;
/// How long the cube is looked at, s.
const SECONDS: f64 = 2.0;
const MOST: usize = 100_000;
/// Most sweeps of a solve of Table IV, and the relative change of impulses at which it ends whatever its ε_abs, as in
/// the paper's published code: RaiSim never meets an ε_abs below what its slip violates.
const MOST_SWEEPS: usize = 10_000;
const STILL: f64 = 1e-12;

/// How a cube slides off, and for how long it is looked at.
#[derive(Debug, Clone, Copy)]
struct Motion {
    /// m/s.
    speed: f64,
    friction: f64,
    seconds: f64,
    /// Share of a penetration that a step pushes out; `None` where corners are in contact wherever they are.
    gaps: Option<f64>,
}

const TABLE_3: Motion = Motion {
    speed: SPEED,
    friction: FRICTION,
    seconds: SECONDS,
    // What lifts off would fly and land at other times with every step.
    gaps: None,
};
/// That of the sliding cube which the paper's published code has as an example, with its time step, s. Side and
/// mass are [`SIDE`](super::sliding::SIDE) and [`MASS`].
const TABLE_4: Motion = Motion {
    speed: 1.0,
    friction: 0.4,
    seconds: 1.098,
    gaps: Some(PUSHED_OUT),
};
const STEP: f64 = 1e-3;

/// Time (s), place (m) and energy (J) at the ends of steps, the first one included.
struct Slide {
    ends: Vec<(f64, Vector3<f64>, f64)>,
    /// Sweeps (or iterations) of a step, on average.
    sweeps: f64,
}

fn slide(
    run: &Run<'_>,
    solver: &mut dyn Solver,
    motion: Motion,
    step: f64,
    budget: &Budget,
) -> Result<Slide> {
    let law = Law::Contact {
        friction: motion.friction,
    };
    let mut cube = Cube::new(settings(step, motion.gaps), Vector3::y() * motion.speed);
    let mut ends = vec![(0.0, cube.position, cube.energy())];
    let steps = (motion.seconds / step).round() as usize;
    let mut sweeps = 0;
    for number in 1..=steps {
        if run.is_interrupted() {
            return Err(ExperimentError::Interrupted);
        }
        let report = cube
            .step(law, Vector3::zeros(), solver, budget)
            .map_err(refused)?;
        sweeps += report.iterations;
        ends.push((step * number as f64, cube.position, cube.energy()));
    }
    Ok(Slide {
        ends,
        sweeps: sweeps as f64 / steps as f64,
    })
}

impl Slide {
    /// ∫ ‖x − x_ref‖ dt by the rule of trapezia, m·s; the reference has a whole number of steps in each of ours.
    fn error(&self, reference: &Slide) -> f64 {
        let every = (reference.ends.len() - 1) / (self.ends.len() - 1).max(1);
        let off = |index: usize| (self.ends[index].1 - reference.ends[every * index].1).norm();
        let steps = self.ends.windows(2).enumerate();
        steps
            .map(|(index, pair)| 0.5 * (pair[1].0 - pair[0].0) * (off(index) + off(index + 1)))
            .sum()
    }

    fn energies(&self) -> Vec<(f64, f64)> {
        self.ends
            .iter()
            .map(|&(time, _, energy)| (time, energy))
            .collect()
    }
}

/// The tables' solvers that this program was built with.
fn compared() -> impl Iterator<Item = (Model, [f64; 3], [f64; 3])> {
    PRINTED.into_iter().filter_map(|(name, steps, tolerances)| {
        let model = models().find(|model| model.solver == name)?;
        Some((model, steps, tolerances))
    })
}

/// Table III and figure 14.
pub(super) fn time_step(run: &mut Run<'_>) -> Result<Section> {
    let budget = Budget {
        max_iterations: Some(MOST),
        all_residuals: false,
        ..Budget::with_tolerance(1e-10)
    };
    let how = |solver: &str| {
        How::new(
            solver,
            "∫ ‖x − x_ref‖ dt (m·s)",
            "residual of its own model 1e-10 m/s",
        )
    };
    let mut table = Table::new(
        "Table III: integral consistency error against steps of 0.1 ms (m·s), the paper's in brackets",
        ["model", "1 ms", "10 ms", "100 ms", "slope"],
    );
    let (mut statements, mut charts) = (Vec::new(), Vec::new());
    let mut errors: Vec<[f64; 3]> = Vec::new();
    let mut names = Vec::new();
    // Implicit Euler has the right speed and is behind by half a step of what the speed has lost.
    let closed = |step: f64| step * SPEED * (REST / 4.0 + (SECONDS - REST) / 2.0);
    for (number, (model, printed, _)) in compared().enumerate() {
        run.tell(number as f64 / 3.0, model.solver)?;
        let mut solver = make(model.solver)?;
        let reference = slide(run, solver.as_mut(), TABLE_3, FINEST, &budget)?;
        let (mut found, mut curves) = ([0.0; 3], vec![curve("0.1 ms", 0, reference.energies())]);
        for (index, step) in STEPS.into_iter().enumerate() {
            let coarse = slide(run, solver.as_mut(), TABLE_3, step, &budget)?;
            // The reference has an error of its own, of the same sign.
            found[index] = coarse.error(&reference);
            curves.push(curve(
                format!("{} ms", 1e3 * step),
                index + 1,
                coarse.energies(),
            ));
        }
        charts.push(over_time(&model.label(), "mechanical energy (J)", curves));
        let points = [0, 1, 2].map(|index| (STEPS[index].log10(), found[index].log10()));
        let slope = Line::fit(&points).map_or(f64::NAN, |line| line.slope);
        statements.push(Statement::judged(
            "Table III: the error is of first order in the time step (slope 1 ± 0.05 over 1, 10 and 100 ms)",
            &how(model.solver),
            format!("slope {slope:.3}"),
            (slope - 1.0).abs() <= 0.05,
        ));
        if model.is_ncp() {
            // Against 0.1 ms instead of the truth an error is less by that of 0.1 ms.
            let wanted = STEPS.map(|step| closed(step) - closed(FINEST));
            let off = worst(&found, &wanted);
            statements.push(Statement::judged(
                "Table III: the error is dt·v0·(t_s/4 + (T − t_s)/2), with dt less that of the reference (within 5 %)",
                &how(model.solver),
                format!("off by {:.2} %", 100.0 * off),
                off <= 0.05,
            ));
        }
        let mut row = vec![model.label()];
        row.extend((0..3).map(|index| format!("{:.2e} ({:.1e})", found[index], printed[index])));
        row.push(format!("{slope:.3}"));
        table.rows.push(row);
        errors.push(found);
        names.push(model.solver);
    }
    if let [first, rest @ ..] = errors.as_slice() {
        let apart = rest.iter().map(|one| worst(one, first)).fold(0.0, f64::max);
        statements.push(Statement::judged(
            "Table III: the solvers' errors are within 10 % of each other",
            &how(&names.join(", ")),
            format!("{:.1} % apart at most", 100.0 * apart),
            apart <= 0.1,
        ));
    }
    let printed = Table::new("Closed form (m·s)", ["1 ms", "10 ms", "100 ms"]);
    let closed = Table {
        rows: vec![STEPS.map(|step| format!("{:.2e}", closed(step))).to_vec()],
        ..printed
    };
    Ok(Section {
        heading: "Table III, figure 14: consistency over time steps".to_owned(),
        text: format!(
            "A cube of {MASS} kg slides off at {SPEED} m/s with μ {FRICTION:.4} and is looked at for {SECONDS} s, its four \
             contact points the same all the time. Speed, friction and time are not published; these make \
             v0·(t_s/4 + (T − t_s)/2) = 1.5 m, which is what the paper's figures are of, t_s = {REST} s being when it \
             comes to rest. g {GRAVITY} m/s²."
        ),
        statements,
        tables: vec![table, closed],
        figures: vec![figure(
            "time-steps",
            "Energy of the cube by time step",
            &charts,
            3,
            "figure 14: NCP and RaiSim hardly change with the step, CCP's cube takes off",
        )?],
    })
}

/// The largest relative difference.
fn worst(found: &[f64; 3], wanted: &[f64; 3]) -> f64 {
    let pairs = found.iter().zip(wanted);
    pairs
        .map(|(found, wanted)| (found / wanted - 1.0).abs())
        .fold(0.0, f64::max)
}

/// A per-contact solver that is stopped as in the paper's published code: after each sweep ε_abs is looked at, and
/// how much impulses changed.
struct Swept {
    inner: Box<dyn Solver>,
    kind: Kind,
    evaluator: ResidualEvaluator,
    before: Vec<f64>,
}

impl Swept {
    fn new(model: Model) -> Result<Self> {
        Ok(Self {
            inner: make(model.solver)?,
            kind: model.kind,
            evaluator: ResidualEvaluator::default(),
            before: Vec::new(),
        })
    }
}

impl Solver for Swept {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn declaration(&self) -> Declaration {
        self.inner.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        // A test that every sweep meets ends each solve after one, and hands back what it made.
        let one = Budget {
            criterion: Criterion::EpsAbs,
            max_iterations: Some(1),
            all_residuals: false,
            ..Budget::with_tolerance(f64::MAX)
        };
        let is_known = self.evaluator.update(problem).is_ok();
        let mut sweeps = 0;
        loop {
            self.before.clone_from(&solution.impulse);
            self.before.resize(problem.row_count(), 0.0);
            let mut report = self.inner.solve(problem, &one, solution);
            sweeps += report.iterations.max(1);
            let impulse = &solution.impulse;
            let eps_abs = match self.kind {
                _ if !is_known => 0.0,
                Kind::Ccp => self.evaluator.cone_model_eps_abs(problem, impulse),
                _ => self.evaluator.measure(problem, impulse, Criterion::EpsAbs),
            };
            let pairs = || impulse.iter().zip(&self.before);
            let change: f64 = pairs().map(|(now, before)| (now - before).powi(2)).sum();
            let size: f64 = pairs().map(|(_, before)| before.powi(2)).sum();
            if eps_abs < budget.tolerance || change <= STILL * STILL * size || sweeps >= MOST_SWEEPS
            {
                report.iterations = sweeps;
                return report;
            }
        }
    }
}

/// Table IV and figure 15.
pub(super) fn tolerance(run: &mut Run<'_>) -> Result<Section> {
    let mut table = Table::new(
        "Table IV: integral consistency error against ε_abs 1e-9 (m·s), the paper's in brackets; sweeps of a step",
        ["model", "1e-6", "1e-4", "1e-2", "sweeps to 1e-9"],
    );
    let mut found = Vec::new();
    let mut charts = Vec::new();
    for (number, (model, _, printed)) in compared().enumerate() {
        run.tell(number as f64 / 3.0, model.solver)?;
        let until = |tolerance| {
            let mut solver = Swept::new(model)?;
            let budget = Budget::with_tolerance(tolerance);
            slide(run, &mut solver, TABLE_4, STEP, &budget)
        };
        let reference = until(STRICTEST)?;
        let mut curves = vec![curve("1e-9", 0, reference.energies())];
        let (mut errors, mut row) = ([0.0; 3], vec![model.label()]);
        for (index, tolerance) in TOLERANCES.into_iter().enumerate() {
            let loose = until(tolerance)?;
            errors[index] = loose.error(&reference);
            row.push(format!(
                "{:.1e} ({:.1e}); {:.1}",
                errors[index], printed[index], loose.sweeps
            ));
            curves.push(curve(
                format!("{tolerance:.0e}"),
                index + 1,
                loose.energies(),
            ));
        }
        row.push(format!("{:.1}", reference.sweeps));
        charts.push(over_time(&model.label(), "mechanical energy (J)", curves));
        table.rows.push(row);
        found.push((model, errors));
    }
    let mut statements = Vec::new();
    let ncp = found.iter().find(|(model, _)| model.is_ncp());
    for (index, tolerance) in TOLERANCES.into_iter().enumerate() {
        for (model, errors) in &found {
            let Some((exact, best)) =
                ncp.filter(|_| matches!(model.kind, Kind::Ccp | Kind::Raisim))
            else {
                continue;
            };
            statements.push(Statement::judged(
                format!(
                    "Table IV: at ε_abs {tolerance:.0e} NCP's error is at least 10 times below that of {}",
                    model.kind.word()
                ),
                &How::new(
                    format!("{}, {}", exact.solver, model.solver),
                    "∫ ‖x − x_ref‖ dt (m·s)",
                    "ε_abs of the NCP, for CCP of the CCP",
                ),
                format!("{:.1e} against {:.1e}", best[index], errors[index]),
                10.0 * best[index] <= errors[index],
            ));
        }
    }
    Ok(Section {
        heading: "Table IV, figure 15: consistency over the stopping test".to_owned(),
        text: format!(
            "The sliding cube of the paper's published code: {MASS} kg, {SIDE} m, μ {}, {} m/s, steps of {STEP} s, {} s of them, \
             warm-started; corners that lift off come back, a share of {PUSHED_OUT} of what they penetrate is pushed out in a step. Each solve is ended by ε_abs after a sweep: the largest of \
             primal (N·s), dual (m/s) and complementarity violation (J), as in that code of (14) for NCP and RaiSim and without the shift \
             for CCP; or where impulses change by less than {STILL:.0e} of themselves, since RaiSim's slip violates (14). With Alg. 4 as it is \
             printed RaiSim's first sweep, with α = 1, would leave impulses as they are; ours takes the new ones, \
             which solve each contact exactly. From 1e-2 on every solver ends each step after one sweep from the impulses of the \
             step before: what is compared there is one sweep of each.",
            TABLE_4.friction, TABLE_4.speed, TABLE_4.seconds
        ),
        statements,
        tables: vec![table],
        figures: vec![figure(
            "tolerances",
            "Energy of the cube by ε_abs",
            &charts,
            3,
            "figure 15: only NCP keeps its energy when solves are stopped early",
        )?],
    })
}
