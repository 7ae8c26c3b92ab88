//! A Panda with a box on its end effector, randomly actuated.

use stiction_scenes::{Options, SettingsDescription};

use super::SOLVERS;
use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::report::{Figure, Section, Statement, Table};

/// What the paper reports for each solver of [`SOLVERS`].
const REPORTED: [f64; 2] = [1e-12, 1e-4];

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let seconds = if run.quick { 0.5 } else { 10.0 };
    let mut curves = Vec::new();
    let mut rows = Vec::new();
    let mut statements = Vec::new();
    for (index, ((solver, tolerance), reported)) in SOLVERS.into_iter().zip(REPORTED).enumerate() {
        run.tell(0.4 + 0.25 * index as f64, &format!("Panda with {solver}"));
        let options = Options {
            settings: SettingsDescription {
                solver: Some(solver.to_owned()),
                tolerance: Some(tolerance),
                ..SettingsDescription::default()
            },
            seconds: Some(seconds),
            ..Options::default()
        };
        let mut scene = stiction_scenes::build("panda-box", &options)?;
        let steps = (seconds / scene.world.settings().time_step) as usize;
        let mut residuals = Vec::with_capacity(steps);
        let mut points = Vec::with_capacity(steps);
        let mut unconverged = 0;
        let (mut iterations, mut contacts) = (0, 0);
        for _ in 0..steps {
            scene.world.step()?;
            let report = scene.world.report();
            points.push((report.time, report.residual));
            residuals.push(report.residual);
            unconverged += usize::from(report.unconverged > 0);
            iterations += report.iterations;
            contacts += report.contacts;
        }
        residuals.sort_by(f64::total_cmp);
        let median = residuals[residuals.len() / 2];
        let worst = residuals[residuals.len() - 1];
        let mean = |sum: usize| sum as f64 / steps as f64;
        rows.push(vec![
            solver.to_owned(),
            format!("{tolerance:.0e}"),
            format!("{median:.1e}"),
            format!("{worst:.1e}"),
            format!("{unconverged} of {steps}"),
            format!("{:.1}", mean(iterations)),
            format!("{:.1}", mean(contacts)),
        ]);
        statements.push(Statement {
            paper: format!("figure 4: a residual of about {reported:.0e} with {solver}"),
            measured: format!("median {median:.1e}, largest {worst:.1e} m/s in {steps} steps"),
            holds: median <= reported && worst <= 100.0 * reported,
        });
        curves.push(Curve {
            label: solver.to_owned(),
            color: index,
            points,
        });
    }
    let header = [
        "solver",
        "tolerance (m/s)",
        "median residual",
        "largest residual",
        "steps above tolerance",
        "iterations a step",
        "contacts a step",
    ];
    Ok(Section {
        heading: "Panda with a box on its end effector, randomly actuated".to_owned(),
        text: format!(
            "The built-in scene `panda-box` for {seconds} s: a seven-joint arm with dry friction and \
             limits in every joint carries a box on a plate and is sent to random postures. Contact, \
             joint friction and joint limits are one problem in every step."
        ),
        statements,
        tables: vec![Table {
            header: header.map(str::to_owned).into(),
            rows,
        }],
        figures: vec![Figure {
            name: "panda".to_owned(),
            caption: "Residual of every step (the paper's figure 4)".to_owned(),
            svg: grid(
                "Residual",
                &[Chart {
                    title: String::new(),
                    x_label: "time (s)".to_owned(),
                    y_label: "residual (m/s)".to_owned(),
                    scale: Scale::LogarithmicY,
                    curves,
                    legend: true,
                }],
                1,
                (1100, 420),
            )?,
        }],
    })
}
