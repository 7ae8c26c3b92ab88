//! Joint friction and limits as complementarity conditions: S. Park, J. Yun, D. Lee, "Constrained
//! Dynamics Solver for Robotic Simulation via Augmented Lagrangian", eqs. (6)–(10), figures 2–4.

mod as_printed;
mod door_handle;
mod panda;

use crate::error::Result;
use crate::report::Report;
use crate::{Experiment, Run};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "joint-constraints",
    summary: "joint friction and limits of a door handle, and a Panda with a box under random actuation",
    run,
};

/// Both solvers of the paper, with the tolerance they are given here (m/s).
const SOLVERS: [(&str, f64); 2] = [("canal", 1e-12), ("subadmm", 1e-4)];

fn run(run: &mut Run<'_>) -> Result<Report> {
    run.tell(0.0, "door handle, rising torque");
    let friction = door_handle::friction(run.quick)?;
    run.tell(0.2, "door handle, periodic torque");
    let limits = door_handle::limits(run.quick)?;
    run.tell(0.4, "Panda under random actuation");
    let panda = panda::section(run)?;
    let as_printed = as_printed::section(run)?;
    Ok(Report {
        name: EXPERIMENT.name.to_owned(),
        title: "Joint friction and limits in the same framework as contact".to_owned(),
        introduction: "Park, Yun and Lee state joint dry friction (their eqs. 6 and 7) and joint \
                       limits (eqs. 8 to 10) as complementarity conditions, and solve them together \
                       with contact by CANAL and SubADMM. Their three figures are made anew here with \
                       stiction's solvers of these names. Residuals are the scaled residual, in m/s."
            .to_owned(),
        sections: vec![friction, limits, panda, as_printed],
    })
}
