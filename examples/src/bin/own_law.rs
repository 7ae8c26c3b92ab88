//! A law of one's own, for every solver: `cargo run -p stiction-examples --bin own_law`.
//!
//! A fluid clutch drags with c per unit of slip, and never with more than m: λ = −clamp(c z, ±m).
//! It couples two flywheels, one of which stands against a stop.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use anyhow::Result;
use stiction_constraints::nalgebra::DMatrix;
use stiction_constraints::{
    Budget, CustomLaw, CustomParameters, Law, Problem, RowBlock, Solution, Solver,
};
use stiction_solver_canal::Canal;
use stiction_solver_pgs::Pgs;
use stiction_solver_subadmm::SubAdmm;

/// All that a solver needs is the impulse in closed form, and its slope: z = x̄ + λ/β and
/// λ = −c (z + e) give λ = −cβ/(c + β) (x̄ + e), and beyond the bound λ stays there.
static FLUID_CLUTCH: CustomLaw = CustomLaw {
    kind: "fluid clutch",
    response: |&[damping, bound], x_bar, e, beta| {
        let stiffness = damping * beta / (damping + beta);
        let drag = -stiffness * (x_bar + e);
        match drag.abs() < bound {
            true => (drag, stiffness),
            false => (bound.copysign(drag), 0.0),
        }
    },
    check: |&[damping, bound]| match damping > 0.0 && bound >= 0.0 {
        true => Ok(()),
        false => Err("needs a positive damping and a bound that is not negative"),
    },
};

/// Two flywheels of 2 kg·m² and 1 kg·m², the first turning with `speed` rad/s, a clutch between them,
/// and a stop that keeps the second from turning backwards.
fn problem(speed: f64, parameters: CustomParameters) -> Result<Problem> {
    let mut problem = Problem::new();
    let inertia = DMatrix::from_diagonal(&[2.0, 1.0].to_vec().into());
    let wheels = problem.push_dense(inertia, &[2.0 * speed, 0.0])?;
    let slip = RowBlock::Dofs {
        dofs: &[0, 1],
        values: &[1.0, -1.0],
    };
    let clutch = Law::Custom {
        law: &FLUID_CLUTCH,
        parameters,
    };
    problem.push_constraint(clutch, &[0.0], &[(wheels, slip)])?;
    let second = RowBlock::Dofs {
        dofs: &[1],
        values: &[1.0],
    };
    problem.push_constraint(Law::Unilateral, &[0.0], &[(wheels, second)])?;
    Ok(problem)
}

fn main() -> Result<()> {
    // A clutch of 0.5 N·m·s per rad/s that transmits at most 1 N·m·s. What is no law is found here,
    // before a solver wonders.
    let parameters = [0.5, 1.0];
    if let Some(flaw) = FLUID_CLUTCH.find_flaw(&parameters) {
        anyhow::bail!("no law: {flaw}");
    }
    let solvers: [Box<dyn Solver>; 3] = [
        Box::<Canal>::default(),
        Box::<SubAdmm>::default(),
        Box::<Pgs>::default(),
    ];
    println!("solver    speed   outcome     wheels after, rad/s      clutch, N·m·s");
    for mut solver in solvers {
        // Drags, slips at its bound, and presses the second wheel against the stop.
        for speed in [1.0, 10.0, -1.0] {
            let problem = problem(speed, parameters)?;
            let mut solution = Solution::cold();
            let report = solver.solve(&problem, &Budget::with_tolerance(1e-10), &mut solution);
            let (name, outcome) = (solver.name(), report.outcome.to_string());
            let [first, second] = [solution.velocity[0], solution.velocity[1]];
            let clutch = solution.impulse[0];
            println!("{name:9} {speed:5}   {outcome:9} {first:12.8} {second:12.8} {clutch:13.8}");
        }
    }
    Ok(())
}
