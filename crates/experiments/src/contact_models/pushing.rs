//! Figure 11: a cube is pushed harder and harder; forces of the ground that cancel each other.

use stiction_constraints::nalgebra::{Matrix6, SMatrix, SVector, Vector3};
use stiction_constraints::{Budget, Law};
use stiction_sim::solvers::make;

use super::models::{Model, models};
use super::picture::{curve, figure, over_time};
use super::sliding::{GRAVITY, MASS, PUSHED_OUT, SIDE, refused, settings};
use crate::Run;
use crate::cube::{Cube, corners_from_middle};
use crate::error::{ExperimentError, Result};
use crate::report::{Section, Table};
use crate::statement::{How, Statement};

const FRICTION: f64 = 0.5;
const STEP: f64 = 1e-3;
/// When the push overcomes friction, s, as in the paper's figure; its rate is chosen for it.
const SLIPS: f64 = 0.25;
/// Until when impulses that do not cancel each other are within friction, s: each corner then bears a quarter of the
/// push F and of the weight W, those at the back F/4 less of the latter by the push's moment, and F ≤ μ (W − F).
const EVEN: f64 = SLIPS / (1.0 + FRICTION);
const TOLERANCE: f64 = 1e-12;
const MOST: usize = 20_000;

/// What was seen of a push.
struct Pushed {
    model: Model,
    /// Tangential force of each corner along the push, N, over time.
    forces: [Vec<(f64, f64)>; 4],
    /// Speed along the push, m/s.
    speed: Vec<(f64, f64)>,
    /// Forces that cancel each other over the push, over time, cold.
    internal: Vec<(f64, f64)>,
    /// The largest of them until [`EVEN`].
    worst: f64,
}

/// Projects impulses of the corners on those that cancel each other: on the kernel of Jᵀ.
fn cancelling(cube: &Cube) -> f64 {
    let mut rows = SMatrix::<f64, 12, 6>::zeros();
    let mut impulse = SVector::<f64, 12>::zeros();
    for (index, (corner, arm)) in cube
        .corners()
        .iter()
        .zip(corners_from_middle(SIDE))
        .enumerate()
    {
        let first = 3 * index;
        rows.fixed_view_mut::<3, 3>(first, 0).fill_with_identity();
        // Arms in half sides, so that both columns are of one size.
        let turning = -arm.cross_matrix() / (0.5 * SIDE);
        rows.fixed_view_mut::<3, 3>(first, 3).copy_from(&turning);
        impulse
            .fixed_rows_mut::<3>(first)
            .copy_from(&corner.impulse);
    }
    let square: Matrix6<f64> = rows.transpose() * rows;
    let Some(factor) = square.cholesky() else {
        return f64::NAN;
    };
    let seen = rows * factor.solve(&(rows.transpose() * impulse));
    (impulse - seen).norm()
}

fn push(run: &Run<'_>, model: Model) -> Result<Pushed> {
    let mut solver = make(model.solver)?;
    let budget = Budget {
        max_iterations: Some(MOST),
        all_residuals: false,
        ..Budget::with_tolerance(TOLERANCE)
    };
    let law = Law::Contact { friction: FRICTION };
    let mut cube = Cube::new(settings(STEP, Some(PUSHED_OUT)), Vector3::zeros());
    let mut out = Pushed {
        model,
        forces: Default::default(),
        speed: Vec::new(),
        internal: Vec::new(),
        worst: 0.0,
    };
    let rate = FRICTION * MASS * GRAVITY / SLIPS;
    for step in 1..=(2.0 * SLIPS / STEP).round() as usize {
        if run.is_interrupted() {
            return Err(ExperimentError::Interrupted);
        }
        let time = STEP * step as f64;
        let force = rate * time;
        cube.forget();
        cube.step(law, Vector3::y() * force, solver.as_mut(), &budget)
            .map_err(refused)?;
        for (forces, corner) in out.forces.iter_mut().zip(cube.corners()) {
            forces.push((time, corner.impulse.y / STEP));
        }
        out.speed.push((time, cube.velocity().y));
        let internal = cancelling(&cube) / (force * STEP);
        out.internal.push((time, internal));
        if time < 0.99 * EVEN {
            out.worst = out.worst.max(internal);
        }
    }
    Ok(out)
}

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let mut all = Vec::new();
    for (index, model) in models().enumerate() {
        run.tell(0.1 * index as f64, model.solver)?;
        all.push(push(run, model)?);
    }
    let mut table = Table::new(
        "Forces that cancel each other over the push, as long as there need be none, cold; and speed at the end",
        ["model", "largest share", "speed at the end (m/s)"],
    );
    let mut statements = Vec::new();
    for pushed in &all {
        let last = pushed.speed.last().map_or(f64::NAN, |point| point.1);
        table.rows.push(vec![
            pushed.model.label(),
            format!("{:.1e}", pushed.worst),
            format!("{last:.4}"),
        ]);
        if ["ccp-admm", "staggered"].contains(&pushed.model.solver) {
            statements.push(Statement::judged(
                "figure 11: at stiction no forces cancel each other as long as there need be none, ‖P_ker(Jᵀ) λ‖ over the push \
                 at most 1e-6 cold",
                &How::new(
                    pushed.model.solver,
                    "norm of the part of λ in the kernel of Jᵀ over the push's impulse",
                    format!("residual of its own model {TOLERANCE:.0e} m/s"),
                ),
                format!("{:.1e}", pushed.worst),
                pushed.worst <= 1e-6,
            ));
        }
    }
    // Speed that Coulomb's law leaves: ∫ (F − μ m g)/m from the slip on.
    let wanted = 0.5 * FRICTION * GRAVITY * SLIPS;
    for pushed in all.iter().filter(|one| one.model.is_ncp()) {
        let last = pushed.speed.last().map_or(f64::NAN, |point| point.1);
        statements.push(Statement::judged(
            format!("figure 11: the NCP's cube moves at ½ μ g T = {wanted:.4} m/s in the end (within 1 %)"),
            &How::new(pushed.model.solver, "speed", "scaled residual 1e-12 m/s"),
            format!("{last:.4} m/s"),
            (last / wanted - 1.0).abs() < 0.01,
        ));
    }
    let speeds = all
        .iter()
        .enumerate()
        .map(|(color, one)| curve(one.model.label(), color, one.speed.clone()));
    let internal = all
        .iter()
        .enumerate()
        .map(|(color, one)| curve(one.model.label(), color, one.internal.clone()));
    let mut charts = vec![
        over_time(
            "Speed of the cube",
            "along the push (m/s)",
            speeds.collect(),
        ),
        over_time(
            "Forces that cancel each other",
            "share of the push",
            internal.collect(),
        ),
    ];
    for one in &all {
        let curves =
            one.forces.iter().enumerate().map(|(color, forces)| {
                curve(format!("corner {}", color + 1), color, forces.clone())
            });
        charts.push(over_time(
            &one.model.label(),
            "friction of each corner (N)",
            curves.collect(),
        ));
    }
    Ok(Section {
        heading: "Figure 11: a cube is pushed harder and harder".to_owned(),
        text: format!(
            "A horizontal force on the middle of the resting cube ({MASS} kg, μ {FRICTION}) grows by {:.1} N a second, so \
             that it slips after {SLIPS} s. Every step of {STEP} s is solved without a guess. Four contacts have \
             twelve impulses for six degrees of freedom: six combinations of them cancel each other. \
             None needs to until {EVEN:.3} s; from then on the corners at the back bear too little for their even share of friction.",
            FRICTION * MASS * GRAVITY / SLIPS
        ),
        statements,
        tables: vec![table],
        figures: vec![figure(
            "pushing",
            "Speed, cancelling forces, and friction of the corners",
            &charts,
            2,
            "figure 11: per-contact solvers stretch the cube at stiction, ADMM and staggered projections do not",
        )?],
    })
}
