//! Figures 9 and 10: a cube slides to rest.

use stiction_constraints::nalgebra::Vector3;
use stiction_constraints::{Budget, Law, Solver};
use stiction_sim::solvers::make;

use super::models::{Kind, Model, models};
use super::picture::{chart, curve, figure, over_time};
use crate::Run;
use crate::chart::Scale;
use crate::cube::{Corner, Cube, CubeSettings};
use crate::error::{ExperimentError, Result};
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

/// Free fall, m/s².
pub(super) const GRAVITY: f64 = 9.81;
/// Speed at the start, m/s, and friction: the cube comes to rest after 1 s, at the end of a step.
pub(super) const SPEED: f64 = 2.0;
pub(super) const FRICTION: f64 = SPEED / GRAVITY;
pub(super) const REST: f64 = 1.0;
/// Side, m, and mass, kg.
pub(super) const SIDE: f64 = 0.2;
pub(super) const MASS: f64 = 1.0;
/// Residual of its own model at which a solve ends, m/s, and most iterations.
const TOLERANCE: f64 = 1e-10;
const MOST: usize = 20_000;
/// Time steps of the paths, s.
const STEP: f64 = 2e-3;
/// Share of a penetration that a step pushes out.
pub(super) const PUSHED_OUT: f64 = 0.2;
/// Impulses below this share of the weight's in a step are none.
const TOUCHES: f64 = 1e-6;

pub(super) fn settings(step: f64, gaps: Option<f64>) -> CubeSettings {
    CubeSettings {
        side: SIDE,
        mass: MASS,
        gravity: GRAVITY,
        step,
        theta: 0.0,
        gaps,
    }
}

pub(super) fn refused(error: impl std::fmt::Display) -> ExperimentError {
    ExperimentError::Data {
        path: "cube".to_owned(),
        problem: error.to_string(),
    }
}

fn budget() -> Budget {
    Budget {
        max_iterations: Some(MOST),
        all_residuals: false,
        ..Budget::with_tolerance(TOLERANCE)
    }
}

fn how(solver: &str, residual: &str) -> How {
    How::new(
        solver,
        residual,
        format!("residual of its own model {TOLERANCE:.0e} m/s, or {MOST} iterations"),
    )
}

/// Slides a cube with a law until `seconds`, and looks at it after every step.
fn slide(
    run: &Run<'_>,
    (velocity, law): (Vector3<f64>, Law),
    solver: &mut dyn Solver,
    seconds: f64,
    mut look: impl FnMut(f64, &Cube),
) -> Result<()> {
    let mut cube = Cube::new(settings(STEP, Some(PUSHED_OUT)), velocity);
    for step in 1..=(seconds / STEP).round() as usize {
        if run.is_interrupted() {
            return Err(ExperimentError::Interrupted);
        }
        cube.step(law, Vector3::zeros(), solver, &budget())
            .map_err(refused)?;
        look(STEP * step as f64, &cube);
    }
    Ok(())
}

/// Where friction on a pyramid brings the cube to rest, m: each axis brakes for itself with μ g.
fn pyramid_end(velocity: &Vector3<f64>) -> Vector3<f64> {
    velocity.map(|speed| 0.5 * speed * speed.abs() / (FRICTION * GRAVITY))
}

/// Figure 9.
pub(super) fn path(run: &mut Run<'_>) -> Result<Section> {
    let heading = 22.5_f64.to_radians();
    let along = Vector3::new(heading.cos(), heading.sin(), 0.0);
    let across = Vector3::z().cross(&along);
    let velocity = along * SPEED;
    let law = Law::Contact { friction: FRICTION };
    let mut table = Table::new(
        "Paths of the cube",
        [
            "model",
            "way (m)",
            "largest deviation (m)",
            "deviation at rest (m)",
        ],
    );
    let (mut statements, mut curves) = (Vec::new(), Vec::new());
    let wanted = pyramid_end(&velocity);
    for (color, model) in models().enumerate() {
        run.tell(0.1 * color as f64, model.solver)?;
        let mut solver = make(model.solver)?;
        let (mut points, mut worst) = (vec![(0.0, 0.0)], 0.0_f64);
        slide(
            run,
            (velocity, law),
            solver.as_mut(),
            1.2 * REST,
            |_, cube| {
                let (way, off) = (cube.position.dot(&along), cube.position.dot(&across));
                worst = worst.max(off.abs());
                points.push((way, off));
            },
        )?;
        let (way, off) = points.last().copied().unwrap_or_default();
        table.rows.push(vec![
            model.label(),
            format!("{way:.4}"),
            format!("{worst:.1e}"),
            format!("{off:.1e}"),
        ]);
        curves.push(curve(model.label(), color, points));
        statements.extend(path_statement(model, worst, off, wanted.dot(&across)));
    }
    let picture = chart(
        ["", "along the first velocity (m)", "across it (m)"],
        Scale::Linear,
        curves,
    );
    Ok(Section {
        heading: "Figure 9: a cube slides straight on, or does not".to_owned(),
        text: format!(
            "A cube of {SIDE} m and {MASS} kg slides off at {SPEED} m/s, μ {FRICTION:.4}, at 22.5° to the sides of the \
             friction pyramid, with steps of {STEP} s. On a pyramid of four sides each of its axes brakes for \
             itself, so that the cube comes to rest {:.3} m off its straight way.",
            wanted.dot(&across).abs()
        ),
        statements,
        tables: vec![table],
        figures: vec![figure(
            "sliding-path",
            "Path of the cube from above",
            &[picture],
            1,
            "figure 9: the LCP's cube leaves the straight line",
        )?],
    })
}

fn path_statement(model: Model, worst: f64, off: f64, wanted: f64) -> Option<Statement> {
    let how = how(model.solver, "distance from the straight line");
    match model.kind {
        Kind::Lcp => Some(Statement::judged(
            format!(
                "figure 9: friction on a pyramid pulls towards its corners: at rest the cube is {:.3} m off its \
                 straight way (within 5 %)",
                wanted.abs()
            ),
            &how,
            format!("{:.4} m off", off.abs()),
            (off / wanted - 1.0).abs() < 0.05,
        )),
        Kind::Ncp => Some(Statement::judged(
            "figure 9: the NCP's cube stays on its straight way (below 1e-6 m)",
            &how,
            format!("{worst:.1e} m off"),
            worst < 1e-6,
        )),
        Kind::Ccp | Kind::Raisim => None,
    }
}

/// What was seen of a slide.
#[derive(Default)]
struct Seen {
    height: Vec<(f64, f64)>,
    energy: Vec<(f64, f64)>,
    /// Largest height, m, and difference of energy from the analytic one: above it and below, J.
    highest: f64,
    above: f64,
    below: f64,
    /// Slipping corners with an impulse: largest |c_N − μ‖c_T‖|, largest c_N, m/s.
    gliding: f64,
    rising: f64,
    /// And the largest sine between their slip and eq. (21).
    off_21: f64,
}

impl Seen {
    fn look(&mut self, time: f64, cube: &Cube) {
        let energy = cube.energy();
        let speed = (SPEED - FRICTION * GRAVITY * time).max(0.0);
        let difference = energy - 0.5 * MASS * speed * speed;
        self.above = self.above.max(difference);
        self.below = self.below.max(-difference);
        self.highest = self.highest.max(cube.position.z);
        self.height.push((time, 1e3 * cube.position.z));
        self.energy.push((time, energy));
        for corner in cube.corners() {
            let slip = corner.velocity.xy().norm();
            if corner.impulse.z < TOUCHES * MASS * GRAVITY * STEP || slip < 1e-3 {
                continue;
            }
            self.gliding = self
                .gliding
                .max((corner.velocity.z - FRICTION * slip).abs());
            self.rising = self.rising.max(corner.velocity.z);
            self.off_21 = self.off_21.max(off_21(corner));
        }
    }
}

/// Sine of the angle between a corner's slip and what eq. (21) says, c_T ∝ −λ_T − μ² λ_N / G_NN G_NT.
///
/// (21) follows from (20) with the impulses on the cone: c_T is parallel to the gradient of ‖λ_T‖² − μ² λ_N² along
/// the plane of no normal velocity, on which dλ_N = −G_NT·dλ_T / G_NN.
fn off_21(corner: &Corner) -> f64 {
    let across = corner.block.fixed_view::<2, 1>(0, 2);
    let pull = across * (FRICTION * FRICTION * corner.impulse.z / corner.block[(2, 2)]);
    let wanted = -corner.impulse.xy() - pull;
    let slip = corner.velocity.xy();
    let turned = slip.x * wanted.y - slip.y * wanted.x;
    (turned / (slip.norm() * wanted.norm())).abs()
}

/// Figure 10.
pub(super) fn energy(run: &mut Run<'_>) -> Result<Section> {
    let law = Law::Contact { friction: FRICTION };
    let velocity = Vector3::y() * SPEED;
    let start = 0.5 * MASS * SPEED * SPEED;
    let mut table = Table::new(
        "",
        [
            "model",
            "highest (mm)",
            "energy above the analytic one, largest (J)",
            "below it, largest (J)",
            "largest |c_N − μ‖c_T‖| of slipping contacts (m/s)",
            "largest c_N of slipping contacts (m/s)",
            "largest sine between the slip and (21)",
        ],
    );
    let (mut statements, mut heights, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    for (color, model) in models().enumerate() {
        run.tell(0.1 * color as f64, model.solver)?;
        let mut solver = make(model.solver)?;
        let mut seen = Seen::default();
        slide(
            run,
            (velocity, law),
            solver.as_mut(),
            1.2 * REST,
            |time, cube| {
                seen.look(time, cube);
            },
        )?;
        table.rows.push(vec![
            model.label(),
            format!("{:.4}", 1e3 * seen.highest),
            format!("{:.2e}", seen.above),
            format!("{:.2e}", seen.below),
            format!("{:.1e}", seen.gliding),
            format!("{:.1e}", seen.rising),
            format!("{:.1e}", seen.off_21),
        ]);
        statements.extend(energy_statements(model, &seen, start));
        heights.push(curve(
            model.label(),
            color,
            std::mem::take(&mut seen.height),
        ));
        energies.push(curve(
            model.label(),
            color,
            std::mem::take(&mut seen.energy),
        ));
    }
    let analytic = (0..=100).map(|index| {
        let time = 0.012 * f64::from(index);
        let speed = (SPEED - FRICTION * GRAVITY * time).max(0.0);
        (time, 0.5 * MASS * speed * speed)
    });
    energies.push(curve("analytic", energies.len(), analytic.collect()));
    let charts = [
        over_time("Height of the cube", "height (mm)", heights),
        over_time("Energy", "mechanical energy (J)", energies),
    ];
    Ok(Section {
        heading: "Figure 10: a cube slides to rest, and what becomes of its energy".to_owned(),
        text: format!(
            "The same cube slides along y. By maximum dissipation its speed falls by μ g t, and it is at rest after \
             {REST} s. Velocities are those that the laws are about, J v̂ + e."
        ),
        statements,
        tables: vec![table],
        figures: vec![figure(
            "sliding-energy",
            "Height and energy of the cube",
            &charts,
            2,
            "figure 10: CCP bounces and loses energy otherwise, RaiSim dissipates too little, NCP is on the analytic curve",
        )?],
    })
}

fn energy_statements(model: Model, seen: &Seen, start: f64) -> Vec<Statement> {
    let how = |residual: &str| how(model.solver, residual);
    let off = seen.above.max(seen.below);
    match model.kind {
        Kind::Ccp if !model.is_softened => vec![
            Statement::judged(
                "figure 10, (18): CCP lifts off while it slides, c_N = μ‖c_T‖ at slipping contacts (within 1e-6 m/s)",
                &how("|c_N − μ‖c_T‖| of slipping contacts that push"),
                format!(
                    "off by {:.1e} m/s at most, c_N up to {:.3} m/s, {:.2} mm high",
                    seen.gliding,
                    seen.rising,
                    1e3 * seen.highest
                ),
                seen.gliding < 1e-6 && seen.rising > 0.1,
            ),
            Statement::judged(
                "figure 10: its energy leaves the analytic curve (by more than 1 % of the first energy)",
                &how("mechanical energy"),
                format!("by {:.1} %", 100.0 * off / start),
                off > 0.01 * start,
            ),
        ],
        Kind::Raisim => vec![
            Statement::judged(
                "figure 10, (21): RaiSim's slip is along −λ_T − μ² λ_N/G_NN G_NT (sine below 1e-6)",
                &how("sine of the angle between the two"),
                format!("{:.1e}", seen.off_21),
                seen.off_21 < 1e-6,
            ),
            Statement::judged(
                "figure 10: RaiSim dissipates less than the analytic energy (never more than 1e-6 of it)",
                &how("mechanical energy"),
                format!(
                    "{:.2e} J above the curve, {:.1e} J below it",
                    seen.above, seen.below
                ),
                seen.above > 1e-3 * start && seen.below < 1e-6 * start,
            ),
        ],
        Kind::Ncp => vec![Statement::judged(
            "figure 10: NCP does not lift off (below 1e-6 m/s) and has the analytic energy (within 1e-6 of the first, \
             as the rule of the step is exact here)",
            &how("normal velocity, mechanical energy"),
            format!(
                "c_N up to {:.1e} m/s, energy off by {:.1e} J",
                seen.rising, off
            ),
            seen.rising < 1e-6 && off < 1e-6 * start,
        )],
        Kind::Ccp | Kind::Lcp => Vec::new(),
    }
}
