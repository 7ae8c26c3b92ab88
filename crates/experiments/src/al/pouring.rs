//! Figure 11: time and residual over the number of particles that a humanoid pours.

use stiction_scenes::Options;
use stiction_sim::{BodyHandle, World};

use super::watched::{Pace, Spend, take, watch};
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::fit::Line;
use crate::report::{Figure, Section, Table};
use crate::run::Run;
use crate::statement::{How, Statement};
use crate::timing::on_one_thread;

/// The solvers with the paper's iterations.
const SOLVERS: [(&str, usize); 5] = [
    ("canal", 5),
    ("subadmm", 100),
    ("pgs", 100),
    ("canal-paper", 5),
    ("subadmm-paper", 100),
];
const CANAL: usize = 0;
const SUBADMM: usize = 1;
const PGS: usize = 2;
const CANAL_PAPER: usize = 3;
const SUBADMM_PAPER: usize = 4;
/// Stiffness of the hand over the usual, particles and s of the test of strong grasps.
const GRIPS: [f64; 3] = [1.0, 10.0, 100.0];
const GRIPPED: usize = 27;
const HELD: f64 = 4.2;
/// The bottle is in the hand from then on, s.
const TAKEN: f64 = 2.9;
/// Degrees of freedom without particles: the robot's and those of two bottles.
const WITHOUT: usize = 28 + 12;
/// Half the thickness of the bottles' walls, m: what goes deeper may come out on the other side.
const WALL: f64 = 1.5e-3;

/// A run of the task with one solver.
#[derive(Debug, Clone, Default)]
struct Poured {
    particles: usize,
    /// Mean processor time of a step's solves, s.
    seconds: f64,
    /// The paper's residual and the scaled one (m/s), means over steps.
    paper: f64,
    scaled: f64,
    /// -log10 of the paper's, mean over steps.
    decades: f64,
    penetration: f64,
    /// Steps in which something outran what contacts were looked for in.
    outran: usize,
    /// Mean change of the bottle's velocity from step to step once the hand has it, m/s.
    jitter: f64,
    /// How far the bottle moved in the hand once that has it, m.
    slipped: f64,
    /// Particles in the bottle, in the other one, and elsewhere at the end.
    where_: [usize; 3],
    end: Option<String>,
}

fn pour(
    pace: &Pace,
    (particles, grip): (usize, f64),
    solver: usize,
    seconds: f64,
) -> Result<Poured> {
    let (name, iterations) = SOLVERS[solver];
    let options = Options {
        seconds: Some(seconds),
        ..Options::default()
    };
    let mut scene = stiction_scenes::pouring(&options, particles, grip)?;
    let log = watch(&mut scene, name, Spend::Iterations(iterations), true)?;
    let world = &mut scene.world;
    let bottle = world.find_body("bottle")?;
    let steps = (seconds / world.settings().time_step).round() as usize;
    let mut out = Poured {
        particles,
        ..Poured::default()
    };
    let palm = world.find_body(&palm(world))?;
    let in_hand = |world: &World| -> Result<_> {
        let bottle = world.pose(bottle)?.translation.vector;
        Ok(world.pose(palm)?.inverse_transform_point(&bottle.into()))
    };
    let mut velocity = world.velocity(bottle)?.linear;
    let (mut done, mut measured, mut held) = (0, 0, 0);
    let mut taken = None;
    for _ in 0..steps {
        pace.go_on()?;
        if let Err(error) = world.step() {
            out.end = Some(error.to_string());
            break;
        }
        done += 1;
        let seen = take(&log);
        out.seconds += seen.seconds;
        if let Some(paper) = seen.paper() {
            out.decades -= paper.max(1e-16).log10();
            out.paper += paper;
            out.scaled += seen.scaled;
            measured += 1;
        }
        let now = world.velocity(bottle)?.linear;
        if world.time() > TAKEN {
            let place = in_hand(world)?;
            let first = *taken.get_or_insert(place);
            out.slipped = out.slipped.max((place - first).norm());
            out.jitter += (now - velocity).norm();
            held += 1;
        }
        velocity = now;
        out.penetration = out.penetration.max(world.report().penetration);
        out.outran += world.report().outran;
    }
    let measured = f64::from(measured.max(1));
    out.seconds /= f64::from(done.max(1));
    out.jitter /= f64::from(held.max(1));
    out.decades /= measured;
    out.paper /= measured;
    out.scaled /= measured;
    out.where_ = whereabouts(world, bottle, particles)?;
    Ok(out)
}

/// Name of the link that holds the bottle.
fn palm(world: &World) -> String {
    let mut palms = world
        .body_names()
        .filter(|name| name.ends_with("/right_palm"));
    palms.next().unwrap_or_default().to_owned()
}

/// Particles in the bottle, in the other one, and elsewhere: inside is within the box around a bottle.
fn whereabouts(world: &World, bottle: BodyHandle, particles: usize) -> Result<[usize; 3]> {
    let other = world.find_body("other bottle")?;
    let poses = [
        (world.pose(bottle)?, [0.03, 0.12]),
        (world.pose(other)?, [0.05, 0.1]),
    ];
    let mut out = [0; 3];
    for index in 0..particles {
        let particle = world.find_body(&format!("particle {index}"))?;
        let at = world.pose(particle)?.translation.vector;
        let inside = poses.iter().position(|(pose, [radius, height])| {
            let local = pose.inverse_transform_point(&at.into());
            local.x.hypot(local.y) < *radius && local.z > 0.0 && local.z < *height
        });
        if at.iter().all(|value| value.is_finite()) {
            out[inside.unwrap_or(2)] += 1;
        }
    }
    Ok(out)
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let counts: &[usize] = if run.is_quick() {
        &[9, 27]
    } else {
        &[9, 18, 27, 36, 45]
    };
    let seconds = run.or_quick(8.0, 0.25);
    let mut all: Vec<Vec<Poured>> = vec![Vec::new(); SOLVERS.len()];
    let mut alone = Vec::new();
    let pace = Pace::of(run);
    let runs = SOLVERS.len() * (counts.len() + 1) + GRIPS.len();
    let mut done = 0;
    for (solver, column) in all.iter_mut().enumerate() {
        for &particles in [0].iter().chain(counts) {
            let share = done as f64 / runs as f64;
            run.tell(
                share,
                &format!("{particles} particles with {}", SOLVERS[solver].0),
            )?;
            let poured = on_one_thread(|| pour(&pace, (particles, 1.0), solver, seconds))?;
            match particles {
                0 => alone.push(poured.seconds),
                _ => column.push(poured),
            }
            done += 1;
        }
    }
    let mut strong = Vec::new();
    if !run.is_quick() {
        for (number, grip) in GRIPS.into_iter().enumerate() {
            let share = (done + number) as f64 / runs as f64;
            run.tell(share, &format!("a grasp {grip} times as strong"))?;
            let mut row = Vec::new();
            for solver in [CANAL, SUBADMM, PGS] {
                row.push(on_one_thread(|| {
                    pour(&pace, (GRIPPED, grip), solver, HELD)
                })?);
            }
            strong.push((grip, row));
        }
    }
    let mut table = Table::new(
        "Means over the steps of the task",
        [
            "solver",
            "particles",
            "degrees of freedom",
            "time (ms)",
            "residual, paper's",
            "residual, scaled (m/s)",
            "-log10 of the paper's, mean",
            "deepest penetration (mm)",
            "jitter of the bottle in the hand (mm/s a step)",
            "in the bottle, in the other, beside",
        ],
    );
    for ((name, iterations), column) in SOLVERS.iter().zip(&all) {
        for one in column {
            let [from, to, beside] = one.where_;
            table.rows.push(vec![
                match &one.end {
                    Some(error) => format!("{name}, {iterations} (ended: {error})"),
                    None => format!("{name}, {iterations}"),
                },
                one.particles.to_string(),
                (WITHOUT + 6 * one.particles).to_string(),
                format!("{:.3}", 1e3 * one.seconds),
                format!("{:.1e}", one.paper),
                format!("{:.1e}", one.scaled),
                format!("{:.2}", one.decades),
                format!("{:.3}", 1e3 * one.penetration),
                format!("{:.3}", 1e3 * one.jitter),
                format!("{from}, {to}, {beside}"),
            ]);
        }
    }
    Ok(Section {
        heading: "Figure 11: pouring".to_owned(),
        text: format!(
            "The scene `pouring` for {seconds} s with more and fewer particles, each solver with the paper's fixed number of iterations \
             and simulating by itself. The exponent is that of the time without the one that the same scene takes without particles, \
             over the number of particles. Islands that touch nothing of each other are solved apart. Residuals are means over the steps \
             of the task, as in the figure: the hard steps make them, not the many in which everything lies still."
        ),
        statements: statements(&all, &alone, strong.last()),
        tables: vec![table, grips_table(&strong)],
        figures: vec![figure(&all)?],
    })
}

/// Exponent of the time beyond what the robot alone takes.
fn exponent(column: &[Poured], alone: f64) -> f64 {
    let points: Vec<(f64, f64)> = column
        .iter()
        .filter(|one| one.seconds > alone)
        .map(|one| ((one.particles as f64).ln(), (one.seconds - alone).ln()))
        .collect();
    Line::fit(&points).map_or(f64::NAN, |line| line.slope)
}

/// One row for each strength and solver.
fn grips_table(strong: &[(f64, Vec<Poured>)]) -> Table {
    let mut table = Table::new(
        &format!(
            "{GRIPPED} particles and stronger hands, until {HELD} s: the bottle is lifted and carried"
        ),
        [
            "stiffness of the hand, over the usual",
            "solver",
            "residual, paper's",
            "residual, scaled (m/s)",
            "deepest penetration (mm)",
            "jitter of the bottle in the hand (mm/s a step)",
            "slip in the hand (mm)",
        ],
    );
    for (grip, row) in strong {
        for (one, (name, iterations)) in row.iter().zip(&SOLVERS) {
            table.rows.push(vec![
                grip.to_string(),
                match &one.end {
                    Some(error) => format!("{name}, {iterations} (ended: {error})"),
                    None => format!("{name}, {iterations}"),
                },
                format!("{:.1e}", one.paper),
                format!("{:.1e}", one.scaled),
                format!("{:.3}", 1e3 * one.penetration),
                format!("{:.3}", 1e3 * one.jitter),
                format!("{:.2}", 1e3 * one.slipped),
            ]);
        }
    }
    table
}

fn statements(
    all: &[Vec<Poured>],
    alone: &[f64],
    strongest: Option<&(f64, Vec<Poured>)>,
) -> Vec<Statement> {
    let how =
        |residual: &str| How::new("canal, subadmm, pgs", residual, "5, 100 and 100 iterations");
    let [canal, subadmm, pgs] =
        [CANAL, SUBADMM, PGS].map(|index| exponent(&all[index], alone[index]));
    let flat = |index: usize| {
        let residuals = all[index].iter().map(|one| one.paper);
        let low = residuals.clone().fold(f64::INFINITY, f64::min);
        residuals.fold(0.0, f64::max) / low
    };
    let mean = |index: usize| {
        let column: &Vec<Poured> = &all[index];
        let sum: f64 = column.iter().map(|one| one.paper.ln()).sum();
        (sum / column.len().max(1) as f64).exp()
    };
    let every: [usize; 5] = [CANAL, SUBADMM, PGS, CANAL_PAPER, SUBADMM_PAPER];
    let spread = every.map(flat);
    let worst = [CANAL, CANAL_PAPER].map(|index| {
        let residuals = all[index].iter().map(|one| one.paper);
        residuals.fold(0.0, f64::max)
    });
    let ratios = [SUBADMM, SUBADMM_PAPER].map(|index| mean(index) / mean(PGS));
    let lost =
        |one: &Poured| one.where_.iter().sum::<usize>() != one.particles || one.end.is_some();
    let exact = || all[CANAL].iter().chain(&all[SUBADMM]);
    let deepest = exact().map(|one| one.penetration).fold(0.0, f64::max);
    let outran: usize = exact().map(|one| one.outran).sum();
    let mut out = vec![
        Statement::judged(
            "figure 11: the growth of time is ordered SubADMM < PGS < CANAL",
            &how("exponent of the time over particles, the robot's share taken off"),
            format!("{subadmm:.2}, {pgs:.2}, {canal:.2}"),
            subadmm < pgs && pgs < canal,
        ),
        Statement::judged(
            "section VII-C: SubADMM scales at least linearly, here with an exponent of at most 1.2",
            &how("exponent of the time"),
            format!("{subadmm:.2}"),
            subadmm <= 1.2,
        ),
        Statement::judged(
            "section VII-C: CANAL's exponent is significantly below 3, here below 2",
            &how("exponent of the time"),
            format!("{canal:.2}"),
            canal < 2.0,
        ),
        Statement::judged(
            "figure 11: residuals do not depend on the number of particles, here within a factor of 3",
            &How::new(
                "canal, subadmm, pgs, canal-paper, subadmm-paper",
                "largest over smallest of the paper's residual, means over steps",
                "5 and 100 iterations",
            ),
            spread.map(|spread| format!("{spread:.1}")).join(", "),
            spread.iter().all(|spread| *spread <= 3.0),
        ),
        Statement::judged(
            "section VII-C: CANAL below 1e-5 in 5 iterations",
            &How::new(
                "canal, canal-paper",
                "paper's, mean over steps, the worst number of particles",
                "5 iterations",
            ),
            format!("{:.1e}, {:.1e}", worst[0], worst[1]),
            worst[0] <= 1e-5,
        ),
        Statement::judged(
            "section VII-C: SubADMM's residual is about 0.1 of PGS's (0.03 to 0.3)",
            &How::new(
                "subadmm, subadmm-paper, pgs",
                "ratio of the paper's residuals, means over steps",
                "100 iterations",
            ),
            format!("{:.2e}, as printed {:.2e}", ratios[0], ratios[1]),
            ratios.iter().any(|ratio| (0.03..=0.3).contains(ratio)),
        ),
        Statement::judged(
            "every particle is accounted for and none goes through a wall",
            &how(
                "particles at the end; penetration below half a wall and nothing too fast for its contacts; canal and subadmm",
            ),
            format!(
                "{} of {} runs with all particles, {:.2} mm deep at most, {outran} too fast",
                exact().filter(|one| !lost(one)).count(),
                exact().count(),
                1e3 * deepest
            ),
            exact().all(|one| !lost(one)) && deepest < WALL && outran == 0,
        ),
    ];
    out.extend(strongest.map(|(grip, row)| strong_grasp(*grip, row)));
    out
}

fn strong_grasp(grip: f64, row: &[Poured]) -> Statement {
    let [canal, subadmm, pgs] = [CANAL, SUBADMM, PGS].map(|index| &row[index]);
    let exact = canal.jitter.max(subadmm.jitter);
    Statement::judged(
        format!(
            "section VII-C: PGS is unstable at a strong grasp, here of a hand {grip} times as stiff"
        ),
        &How::new(
            "pgs, canal, subadmm",
            "mean change of the bottle's velocity from step to step in the hand; slip in the hand",
            "100, 5 and 100 iterations",
        ),
        format!(
            "{:.2}, {:.2} and {:.2} mm/s; {:.1}, {:.1} and {:.1} mm",
            1e3 * pgs.jitter,
            1e3 * canal.jitter,
            1e3 * subadmm.jitter,
            1e3 * pgs.slipped,
            1e3 * canal.slipped,
            1e3 * subadmm.slipped
        ),
        pgs.jitter > 2.0 * exact || pgs.end.is_some(),
    )
}

fn figure(all: &[Vec<Poured>]) -> Result<Figure> {
    let curves = |of: fn(&Poured) -> f64| {
        SOLVERS
            .iter()
            .zip(all)
            .enumerate()
            .map(|(color, ((name, iterations), column))| Curve {
                label: format!("{name}, {iterations}"),
                color,
                points: column
                    .iter()
                    .map(|one| ((WITHOUT + 6 * one.particles) as f64, of(one)))
                    .collect(),
            })
            .collect::<Vec<_>>()
    };
    let chart = |title: &str, y_label: &str, curves| Chart {
        title: title.to_owned(),
        x_label: "degrees of freedom".to_owned(),
        y_label: y_label.to_owned(),
        scale: Scale::LogarithmicY,
        curves,
        legend: true,
    };
    let charts = [
        chart(
            "time",
            "time of a step (ms)",
            curves(|one| 1e3 * one.seconds),
        ),
        chart("residual", "the paper's residual", curves(|one| one.paper)),
    ];
    Ok(Figure {
        name: "figure-11".to_owned(),
        caption: "Pouring".to_owned(),
        svg: grid("Pouring", &charts, 2, (1200, 460))?,
        paper: "figure 11: time grows most with CANAL and least with SubADMM; residuals are level, CANAL's below 1e-5, SubADMM's a \
                tenth of PGS's"
            .to_owned(),
    })
}
