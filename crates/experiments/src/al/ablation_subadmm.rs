//! Table III: what SubADMM's splittings are worth; remark 1; what open contacts cost, section VI-D.

use stiction_constraints::{Budget, Criterion, Problem, Solution, Solver};
use stiction_scenes::Options;
use stiction_sim::solvers::make;
use stiction_solver_subadmm::{
    Adaptation, CoarseMatrix, Splitting, SubAdmm, SubAdmmSettings, TreeMethod,
};

use super::watched::NEVER;
use crate::error::Result;
use crate::report::{Section, Table};
use crate::run::Run;
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, processor_time, smallest_in_turns};

/// Iterations of every solve of the table.
const ITERATIONS: usize = 100;
/// γ of (44), which the paper leaves open.
const GAMMAS: [f64; 4] = [2.0, 5.0, 10.0, 50.0];
/// After how many iterations it is tested: Algorithm 2 says in each, and calls it optional.
const INTERVALS: [usize; 2] = [1, 10];
/// Pushes below this share of the largest are none.
const TRACE: f64 = 1e-6;
/// Seconds until most robots lie.
const LYING: f64 = 1.2;

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let mut out = Section {
        heading: "Table III: SubADMM against coarser splittings".to_owned(),
        text: format!(
            "Steps of `quadruped-drop` and of `quadruped-drop-27`, each world one problem, {ITERATIONS} iterations from a cold start. No Sub \
             is one linear system over all robots (29), No Body one dense matrix for each. Processor time of one thread, smallest of five \
             interleaved solves, mean over the steps: nothing is parallel. The paper does not say how its ablations keep their matrices, and \
             that decides: here No Sub is measured with a dense Cholesky factor of the whole system; with a sparse one in an order that \
             fills little, found anew in each step, since contacts come and go; and as the solver has it, whose pattern is known from \
             the solve before (a robot that lies keeps its pattern). No Body is measured with rows over all 18 degrees of freedom of a \
             robot, and with those that are not zero. All of them factorise at each change of β and share everything else: where β \
             hardly changes, most of an iteration is the contacts' share, which is the same for all."
        ),
        ..Section::default()
    };
    let count = run.or_quick(10, 1);
    let eight = problems(run, "quadruped-drop", count, 0.05)?;
    let many = problems(run, "quadruped-drop-27", run.or_quick(5, 1), 0.25)?;
    table_three(run, &eight, &many, &mut out)?;
    remark_one(run, &eight, &mut out)?;
    body_matrices(run, &eight, &mut out)?;
    open_contacts(run, &mut out)?;
    Ok(out)
}

/// Problems of steps with the robots on and above each other, islands undone.
fn problems(run: &mut Run<'_>, scene: &str, count: usize, share: f64) -> Result<Vec<Problem>> {
    let mut world = stiction_scenes::build(scene, &Options::default())?.world;
    let mut settings = world.settings().clone();
    settings.islands = false;
    settings.tolerance = 1e-4;
    world.set_settings(settings)?;
    // The default solver takes longer than all that is measured.
    world.set_solver("subadmm")?;
    let steps = (LYING / world.settings().time_step) as usize;
    let mut out = Vec::new();
    for step in 0..steps + 5 * count {
        if step % 20 == 0 {
            run.tell(share, &format!("{scene}, step {step}"))?;
        }
        world.step()?;
        if step >= steps && (step - steps) % 5 == 4 {
            out.extend(world.problems().map(|solved| solved.problem.clone()));
        }
    }
    Ok(out)
}

fn budget(iterations: usize) -> Budget {
    Budget {
        criterion: Criterion::Paper,
        max_iterations: Some(iterations),
        rescue: false,
        all_residuals: false,
        ..Budget::with_tolerance(NEVER)
    }
}

/// Mean over problems of the smallest time of each solver, s.
fn times(
    problems: &[Problem],
    iterations: &[usize],
    settings: &[SubAdmmSettings],
) -> Result<Vec<f64>> {
    on_one_thread(|| {
        let mut solvers: Vec<SubAdmm> = settings
            .iter()
            .map(|settings| SubAdmm::new("subadmm", settings.clone()))
            .collect();
        let mut sums = vec![0.0; settings.len()];
        for problem in problems {
            let smallest = smallest_in_turns(settings.len(), |index| {
                let (mut solution, budget) = (Solution::cold(), budget(iterations[index]));
                let solve = || solvers[index].solve(problem, &budget, &mut solution);
                Ok(processor_time(solve).1)
            })?;
            for (sum, time) in sums.iter_mut().zip(smallest) {
                *sum += time / problems.len() as f64;
            }
        }
        Ok(sums)
    })
}

/// Mean of -log10 of the paper's and of the scaled residual.
fn accuracy(problems: &[Problem], settings: &SubAdmmSettings) -> [f64; 2] {
    let mut solver = SubAdmm::new("subadmm", settings.clone());
    let mut sums = [0.0; 2];
    for problem in problems {
        let mut solution = Solution::cold();
        let budget = Budget {
            all_residuals: true,
            ..budget(ITERATIONS)
        };
        let residuals = solver.solve(problem, &budget, &mut solution).residuals;
        for (sum, residual) in sums.iter_mut().zip([residuals.paper, residuals.scaled]) {
            *sum -= residual.max(1e-16).log10() / problems.len() as f64;
        }
    }
    sums
}

/// The splittings of the table, each as its linear systems may be kept; SubADMM's first.
const SPLITTINGS: [(&str, Splitting, CoarseMatrix); 6] = [
    ("SubADMM", Splitting::Body, CoarseMatrix::Remembered),
    ("No Sub, dense", Splitting::None, CoarseMatrix::Dense),
    ("No Sub, sparse", Splitting::None, CoarseMatrix::Analysed),
    (
        "No Sub, pattern known",
        Splitting::None,
        CoarseMatrix::Remembered,
    ),
    (
        "No Body, dense rows",
        Splitting::Subsystem,
        CoarseMatrix::Dense,
    ),
    ("No Body", Splitting::Subsystem, CoarseMatrix::Remembered),
];
/// Where No Sub and No Body are among them, as printed and as the solver has them.
const NO_SUB: [usize; 3] = [1, 2, 3];
const NO_BODY: [usize; 2] = [4, 5];

/// The splittings under settings.
fn splittings(settings: &SubAdmmSettings) -> [SubAdmmSettings; 6] {
    SPLITTINGS.map(|(_, splitting, coarse_matrix)| SubAdmmSettings {
        splitting,
        coarse_matrix,
        ..settings.clone()
    })
}

/// As printed, with the test of (44) in every so many iterations.
fn printed(gamma: f64, interval: usize) -> SubAdmmSettings {
    SubAdmmSettings {
        adaptation: Adaptation::Printed {
            ratio: gamma,
            interval,
        },
        ..SubAdmmSettings::paper()
    }
}

fn table_three(
    run: &mut Run<'_>,
    eight: &[Problem],
    many: &[Problem],
    out: &mut Section,
) -> Result<()> {
    let mut rows = vec![("our settings".to_owned(), SubAdmmSettings::default())];
    for interval in INTERVALS {
        let named = |gamma| {
            let name = format!("as printed, γ = {gamma}, (44) every {interval}");
            (name, printed(gamma, interval))
        };
        rows.extend(GAMMAS.map(named));
    }
    let [subadmm, a, b, c, d, e] = SPLITTINGS.map(|(name, ..)| name);
    let header = ["settings", subadmm, a, b, c, d, e];
    let mut accuracies = Table::new(
        "-log10 of the paper's residual (scaled, m/s); the paper: 4.88, 4.88, 4.86",
        ["settings", "SubADMM", "No Sub", "No Body"],
    );
    let mut table = Table::new(
        "Eight robots: time of SubADMM (ms; the paper 0.435), and times over it (the paper: No Sub 2.78, No Body 1.46)",
        header,
    );
    let mut table_of_many = Table::new("27 robots: the same (the paper: No Sub 3.63)", header);
    let mut ratios: Vec<[Vec<f64>; 2]> = Vec::new();
    let mut differences: f64 = 0.0;
    for (number, (name, settings)) in rows.iter().enumerate() {
        run.tell(0.4 + 0.03 * number as f64, &format!("Table III, {name}"))?;
        let all = splittings(settings);
        let both = [
            times(eight, &[ITERATIONS; SPLITTINGS.len()], &all)?,
            times(many, &[ITERATIONS; SPLITTINGS.len()], &all)?,
        ];
        let over = |times: &[f64]| times.iter().map(|time| time / times[0]).collect::<Vec<_>>();
        for (table, times) in [&mut table, &mut table_of_many].into_iter().zip(&both) {
            let cells = over(times)[1..]
                .iter()
                .map(|ratio| format!("{ratio:.2}"))
                .collect::<Vec<_>>();
            let first = [name.clone(), format!("{:.3}", 1e3 * times[0])];
            table.rows.push(first.into_iter().chain(cells).collect());
        }
        ratios.push(both.each_ref().map(|times| over(times)));
        let decades = [0, NO_SUB[0], NO_BODY[0]].map(|index| accuracy(eight, &all[index]));
        for other in &decades[1..] {
            differences = differences.max((decades[0][0] - other[0]).abs());
        }
        let cells = decades.map(|[paper, scaled]| format!("{paper:.2} ({scaled:.2})"));
        accuracies
            .rows
            .push([name.clone()].into_iter().chain(cells).collect());
    }
    let contacts = |problems: &[Problem]| {
        let sum: usize = problems.iter().map(Problem::contact_count).sum();
        sum / problems.len().max(1)
    };
    out.text += &format!(
        " Eight robots: {} contacts a step, 27 robots: {}.",
        contacts(eight),
        contacts(many)
    );
    out.tables.extend([table, table_of_many, accuracies]);
    let range = |robots: usize, index: usize| {
        let all = ratios.iter().map(|ratio| ratio[robots][index]);
        let low = all.clone().fold(f64::INFINITY, f64::min);
        (low, all.fold(0.0, f64::max))
    };
    let how = How::new(
        "subadmm and subadmm-paper with three splittings",
        "processor time of the thread, smallest of five interleaved solves",
        format!("{ITERATIONS} iterations"),
    );
    for (robots, variants, claim, wanted) in [
        (
            0,
            &NO_SUB[..],
            "Table III: No Sub takes 2.78 times SubADMM's time",
            2.78,
        ),
        (
            0,
            &NO_BODY[..],
            "Table III: No Body takes 1.46 times SubADMM's time",
            1.46,
        ),
        (
            1,
            &NO_SUB[..],
            "section VII-D: with 27 robots No Sub takes 3.63 times SubADMM's time",
            3.63,
        ),
    ] {
        // The last of them is what the solver does, the others are what may have been printed.
        let (printed, _) = variants.split_at(variants.len() - 1);
        let shown = variants.iter().map(|&index| {
            let (low, high) = range(robots, index);
            format!("{} {low:.2} to {high:.2}", SPLITTINGS[index].0)
        });
        out.statements.push(Statement::judged(
            format!("{claim} or more, with a way to keep its matrix that the paper leaves open"),
            &how,
            format!(
                "{} over settings and γ",
                shown.collect::<Vec<_>>().join(", ")
            ),
            printed
                .iter()
                .any(|&index| range(robots, index).1 >= wanted),
        ));
    }
    out.statements.push(Statement::judged(
        "Table III: the residuals of the three are similar (paper: within 0.03 decades), here within half a decade",
        &How { residual: "-log10 of the paper's residual, mean".to_owned(), ..how },
        format!("{differences:.2} decades apart at most"),
        differences <= 0.5,
    ));
    Ok(())
}

/// Articulated bodies against factorisation, over iterations and over changes of β.
fn remark_one(run: &mut Run<'_>, problems: &[Problem], out: &mut Section) -> Result<()> {
    run.tell(0.7, "remark 1")?;
    let with = |tree_method, adaptation| SubAdmmSettings {
        tree_method,
        adaptation,
        ..SubAdmmSettings::paper()
    };
    // A ratio just above one changes β at every test.
    let every = |interval| Adaptation::Printed {
        ratio: 1.0 + 1e-9,
        interval,
    };
    let mut table = Table::new(
        "Remark 1: time (ms) by factorisation and by the articulated-body algorithm",
        [
            "iterations",
            "changes of β",
            "factorisation",
            "articulated bodies",
            "articulated / factorised",
        ],
    );
    let (mut few, mut often) = (0.0, 0.0);
    for (iterations, changes, adaptation) in [
        (3, 0, Adaptation::Never),
        (10, 0, Adaptation::Never),
        (30, 0, Adaptation::Never),
        (100, 0, Adaptation::Never),
        (30, 3, every(10)),
        (30, 15, every(2)),
        (30, 30, every(1)),
    ] {
        let both = [TreeMethod::Factorization, TreeMethod::ArticulatedBody];
        let settings = both.map(|method| with(method, adaptation));
        let found = times(problems, &[iterations; 2], &settings)?;
        let ratio = found[1] / found[0];
        if (iterations, changes) == (30, 0) {
            few = ratio;
        }
        if (iterations, changes) == (30, 30) {
            often = ratio;
        }
        table.rows.push(vec![
            iterations.to_string(),
            changes.to_string(),
            format!("{:.3}", 1e3 * found[0]),
            format!("{:.3}", 1e3 * found[1]),
            format!("{ratio:.2}"),
        ]);
    }
    out.tables.push(table);
    out.statements.push(Statement::judged(
        "remark 1: factorisation is the faster way for a few tens of iterations, and loses what it is ahead where β changes often",
        &How::new(
            "subadmm-paper",
            "processor time of the thread, articulated bodies over factorisation",
            "30 iterations, without and with a change of β in each",
        ),
        format!("{few:.2} without changes, {often:.2} with"),
        few > 1.0 && often < few,
    ));
    Ok(())
}

/// Appendix A: matrices of bodies as ten numbers.
fn body_matrices(run: &mut Run<'_>, problems: &[Problem], out: &mut Section) -> Result<()> {
    run.tell(0.8, "appendix A")?;
    let both = [TreeMethod::CompactFactorization, TreeMethod::Factorization];
    let settings = both.map(|tree_method| SubAdmmSettings {
        tree_method,
        ..SubAdmmSettings::paper()
    });
    let mut table = Table::new(
        "Appendix A: time (ms) with body matrices of ten numbers, and of 6 × 6",
        ["iterations", "ten numbers", "6 × 6", "ten / 6 × 6"],
    );
    let mut ratios = Vec::new();
    for iterations in [1, 10, 100] {
        let found = times(problems, &[iterations; 2], &settings)?;
        let ratio = found[0] / found[1];
        ratios.push(format!("{ratio:.2}"));
        table.rows.push(vec![
            iterations.to_string(),
            format!("{:.3}", 1e3 * found[0]),
            format!("{:.3}", 1e3 * found[1]),
            format!("{ratio:.2}"),
        ]);
    }
    out.tables.push(table);
    out.statements.push(Statement::not_comparable(
        "appendix A: body matrices keep the ten numbers of an inertia",
        &How::new(
            "subadmm-paper",
            "processor time, ten numbers over 6 × 6",
            "1, 10 and 100 iterations",
        ),
        ratios.join(", "),
        "a time of either",
    ));
    Ok(())
}

/// The same steps with contacts looked for from farther away.
fn open_contacts(run: &mut Run<'_>, out: &mut Section) -> Result<()> {
    let mut world = stiction_scenes::build("quadruped-drop", &Options::default())?.world;
    let mut settings = world.settings().clone();
    settings.islands = false;
    settings.tolerance = 1e-4;
    world.set_settings(settings.clone())?;
    world.set_solver("subadmm")?;
    let steps = (LYING / settings.time_step) as usize;
    for step in 0..steps {
        if step % 20 == 0 {
            run.tell(0.85, &format!("open contacts, step {step}"))?;
        }
        world.step()?;
    }
    let before = world.snapshot();
    let mut table = Table::new(
        "Open contacts: the same step with contacts looked for from farther away; iterations to 1e-4 of the scaled residual (m/s)",
        [
            "margin (m)",
            "contacts",
            "open",
            "subadmm",
            "subadmm-paper",
            "canal",
        ],
    );
    let (mut least, mut most) = (None, None);
    for margin in [1e-3, 5e-3, 0.02, 0.05, 0.1] {
        world.restore(&before)?;
        settings.contact_margin = margin;
        world.set_settings(settings.clone())?;
        world.step()?;
        let Some(problem) = world.problems().next().map(|solved| solved.problem.clone()) else {
            continue;
        };
        let mut cells = Vec::new();
        let mut open = 0;
        let mut iterations = [0; 3];
        for (index, name) in ["subadmm", "subadmm-paper", "canal"]
            .into_iter()
            .enumerate()
        {
            let mut solution = Solution::cold();
            let budget = Budget {
                max_iterations: Some(20_000),
                all_residuals: false,
                ..Budget::with_tolerance(1e-4)
            };
            let report = make(name)?.solve(&problem, &budget, &mut solution);
            iterations[index] = report.iterations;
            cells.push(match report.outcome.is_converged() {
                true => report.iterations.to_string(),
                false => format!("not in {}", report.iterations),
            });
            if name == "canal" {
                let contacts = problem.constraints().iter();
                let contacts = contacts.filter(|constraint| constraint.law.is_contact());
                let push = contacts.map(|constraint| constraint.load(&solution.impulse).z);
                let push: Vec<f64> = push.collect();
                let most = push.iter().fold(0.0_f64, |a, b| a.max(*b));
                // Smoothed laws leave a trace of a push on what is open.
                open = push.iter().filter(|push| **push < TRACE * most).count();
            }
        }
        let mut row = vec![
            format!("{margin}"),
            problem.contact_count().to_string(),
            open.to_string(),
        ];
        row.extend(cells);
        table.rows.push(row);
        least.get_or_insert(iterations);
        most = Some(iterations);
    }
    out.tables.push(table);
    if let (Some(least), Some(most)) = (least, most) {
        out.statements.push(Statement::judged(
            "section VI-D: many open contacts slow SubADMM down",
            &How::new(
                "subadmm-paper",
                "iterations, with the smallest and with the largest margin",
                "scaled residual of 1e-4 m/s",
            ),
            format!(
                "{} and {}; subadmm {} and {}, canal {} and {}",
                least[1], most[1], least[0], most[0], least[2], most[2]
            ),
            most[1] > least[1],
        ));
    }
    Ok(())
}
