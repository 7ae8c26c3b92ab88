//! Table VIII and figure 12: a cable by COND and by position-based dynamics.

use stiction_scenes::{Options, Scene, cable_winding};
use stiction_sim::{Isometry3, Point3, RodHandle, Snapshot, Vector3};

use super::follow::{Ending, Track, Way, follow, mean, start_of};
use super::handled::Handled;
use super::tables::COND;
use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::{ExperimentError, Result};
use crate::report::{Figure, Section, Table};
use crate::statement::{How, Statement};
use crate::steppers::{XpbdRod, XpbdSettings};
use crate::timing::processor_time;

/// Links, as in the paper: with 320, position-based dynamics gets nowhere.
const LINKS: usize = 120;
/// Iterations or substeps, and the paper's MP (mm), FE (N) and TT (ms) of COND and of PBD.
const ROWS: [(usize, [[f64; 3]; 2]); 2] = [
    (100, [[0.0031, 0.553, 3.949], [0.0036, 2.654, 94.45]]),
    (200, [[0.0032, 0.553, 7.125], [0.0026, 1.575, 187.6]]),
];
/// Radii of the cylinder and of the cable of `cable-winding`, m.
const CYLINDER: f64 = 0.02;
const CABLE: f64 = 0.002;

/// What a run showed.
struct Shown {
    /// Penetration, m, and force on the hand, N, of each step.
    penetrations: Vec<f64>,
    forces: Vec<f64>,
    /// Time of a step, s.
    time: f64,
}

impl Shown {
    fn force_error(&self, truth: &Track) -> f64 {
        let pairs = self.forces.iter().zip(&truth.index);
        mean(
            &pairs
                .map(|(own, other)| (own - other).abs())
                .collect::<Vec<_>>(),
        )
    }
}

fn rod_of(scene: &Scene) -> Result<RodHandle> {
    let found = scene.world.rods().next().map(|(rod, _)| rod);
    found.ok_or_else(|| ExperimentError::Data {
        path: scene.name.clone(),
        problem: "has no rod".to_owned(),
    })
}

fn poses(scene: &Scene, rod: RodHandle) -> Result<Vec<Isometry3<f64>>> {
    let links = scene.world.rod_links(rod)?;
    let poses = links.iter().map(|&link| scene.world.pose(link));
    Ok(poses.collect::<stiction_sim::Result<_>>()?)
}

/// The same way of the hand by position-based dynamics: its cable touches the cylinder and the floor, not itself.
fn by_positions(
    scene: &mut Scene,
    start: &Snapshot,
    hand: &[Isometry3<f64>],
    friction: f64,
    substeps: usize,
) -> Result<Shown> {
    scene.world.restore(start)?;
    let handle = rod_of(scene)?;
    let cylinder = scene.world.find_body("cylinder")?;
    let axis: Point3<f64> = scene.world.pose(cylinder)?.translation.vector.into();
    let at = poses(scene, handle)?;
    let failed = |error: stiction_sim::deformable::rod::RodError| ExperimentError::Data {
        path: "xpbd".to_owned(),
        problem: error.to_string(),
    };
    let mut rod = XpbdRod::new(scene.world.rod(handle)?.clone(), at.clone()).map_err(failed)?;
    let (first, last) = (0, at.len() - 1);
    rod.lead(first);
    rod.lead(last);
    let touch = |at: &Vector3<f64>| {
        let away = Vector3::new(at.x - axis.x, at.y - axis.y, 0.0);
        let depth = CYLINDER + CABLE - away.norm();
        if depth > 0.0 {
            return Some((depth, away.normalize()));
        }
        (at.z < CABLE).then(|| (CABLE - at.z, Vector3::z()))
    };
    let settings = XpbdSettings {
        substeps,
        gravity: scene.world.settings().gravity,
        friction,
    };
    let mut out = Shown {
        penetrations: Vec::new(),
        forces: Vec::new(),
        time: 0.0,
    };
    for pose in hand {
        let led = [(first, at[first]), (last, *pose)];
        let (given, seconds) = processor_time(|| rod.step(&settings, 0.01, &led, &touch));
        let given = given.map_err(failed)?;
        out.time += seconds / hand.len() as f64;
        out.forces.push(given[1].norm() / 0.01);
        let inner = &rod.poses()[1..last];
        let depths = inner
            .iter()
            .filter_map(|pose| touch(&pose.translation.vector));
        out.penetrations
            .push(depths.map(|(depth, _)| depth).fold(0.0, f64::max));
    }
    Ok(out)
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let handled = Handled::Cable;
    let choice = handled.middle();
    let (skip, steps) = run.or_quick((450, 100), (320, 10));
    run.tell(0.0, "cable of 120 links")?;
    let mut scene = cable_winding(&Options::default(), LINKS, choice, None)?;
    let start = start_of(run, &mut scene, skip)?;
    let way = Way {
        handled,
        start: &start,
        steps,
        samples: 0,
    };
    run.tell(0.3, "truth")?;
    let truth = follow(run, &mut scene, way, "canal", Ending::Residual(1e-12))?;
    // Where the hand leads the end of the cable.
    scene.world.restore(&start)?;
    let rod = rod_of(&scene)?;
    let mut hand = Vec::new();
    for _ in 0..steps {
        scene.world.step()?;
        hand.extend(poses(&scene, rod)?.last().copied());
    }
    let mut table = Table::new(
        "Table VIII, means over steps, the paper's in brackets",
        [
            "solver",
            "iterations or substeps",
            "MP (mm)",
            "FE (N)",
            "TT (ms)",
        ],
    );
    let mut statements = Vec::new();
    let mut curves = vec![("truth".to_owned(), truth.index.clone())];
    for (number, (count, printed)) in ROWS.into_iter().enumerate() {
        run.tell(
            0.4 + 0.3 * number as f64,
            &format!("{count} iterations and substeps"),
        )?;
        let track = follow(run, &mut scene, way, COND, Ending::Iterations(count))?;
        let cond = Shown {
            time: track.solver_time() + track.dynamics_time(),
            penetrations: track.penetrations.clone(),
            forces: track.index.clone(),
        };
        let positions = by_positions(&mut scene, &start, &hand, choice.friction, count)?;
        for ((name, shown), printed) in [(COND, &cond), ("xpbd", &positions)]
            .into_iter()
            .zip(printed)
        {
            table.rows.push(vec![
                name.to_owned(),
                count.to_string(),
                format!("{:.4} ({})", 1e3 * mean(&shown.penetrations), printed[0]),
                format!("{:.4} ({})", shown.force_error(&truth), printed[1]),
                format!("{:.2} ({})", 1e3 * shown.time, printed[2]),
            ]);
            curves.push((format!("{name} {count}"), shown.forces.clone()));
        }
        let how = |what: &str| {
            How::new(
                format!("{COND}, xpbd"),
                what,
                format!("{count} iterations, {count} substeps"),
            )
        };
        let errors = [cond.force_error(&truth), positions.force_error(&truth)];
        statements.push(Statement::judged(
            format!(
                "Table VIII: the hand's force by {count} iterations of cond is nearer to the truth than that by {count} substeps of position-based dynamics \
                 ({} and {} N)",
                printed[0][1], printed[1][1]
            ),
            &how("FE"),
            format!("{:.4} and {:.4} N", errors[0], errors[1]),
            errors[0] < errors[1],
        ));
        statements.push(Statement::judged(
            format!(
                "Table VIII: {count} substeps take longer than a step of cond ({:.1} times)",
                printed[1][2] / printed[0][2]
            ),
            &how("processor time of a step"),
            format!("{:.2} times", positions.time / cond.time),
            positions.time > cond.time,
        ));
    }
    let charted = curves
        .into_iter()
        .enumerate()
        .map(|(color, (label, forces))| Curve {
            label,
            color,
            points: (forces.into_iter().enumerate())
                .map(|(step, force)| (0.01 * step as f64, force))
                .collect(),
        });
    let chart = Chart {
        title: String::new(),
        x_label: "time (s)".to_owned(),
        y_label: "force on the hand (N)".to_owned(),
        scale: Scale::LogarithmicY,
        curves: charted.collect(),
        legend: true,
    };
    Ok(Section {
        heading: "Table VIII, figure 12: position-based dynamics".to_owned(),
        text: format!(
            "The scene `cable-winding` with {LINKS} links, {steps} steps from {:.2} s on: by cond with a fixed number of iterations, and the same \
             cable, its ends led along the same way, by position-based dynamics in as many substeps (`steppers::XpbdRod`), which touches the \
             cylinder and the floor but not itself. FE is the mean over steps of how far the norm of the cable's force on the hand is from \
             that of `canal` to 1e-12 m/s; the paper's is against a measurement that was not published. TT is the processor time of a whole step, \
             collisions and the robot included for cond only.",
            0.01 * skip as f64
        ),
        statements,
        tables: vec![table],
        figures: vec![Figure {
            name: "position-based".to_owned(),
            caption: "Force on the hand".to_owned(),
            svg: grid("Force on the hand", &[chart], 1, (1100, 420))?,
            paper: "figure 12: the forces of cond with 100 and 200 iterations lie on each other, those of PBD depend on the number of \
                    substeps"
                .to_owned(),
        }],
    })
}
