//! Painlevé's rod: a rod slides on its lower end, which is ahead of its centre, with so much friction
//! that pressing on the end pulls it into the floor: J_n A⁻¹ (J_n − μ J_t)ᵀ < 0. No bounded force holds
//! it up while it slides. A step's impulse does: it stops the end at once.

mod common;

use common::{canal, is_sound, solve_cold};
use nalgebra::{DMatrix, DVector, Matrix2, Vector2};
use stiction_constraints::{Law, Problem, RowBlock, Solution};

/// kg, m: mass and half length.
const MASS: f64 = 1.0;
const HALF: f64 = 0.5;
/// 4/3 is where the paradox begins, for tan θ = 2.
const FRICTION: f64 = 2.0;

/// The rod with the velocity of its centre (x, y, z) and its turning about y at −θ, and what the
/// floor does to it.
struct Rod {
    problem: Problem,
    /// J A⁻¹ Jᵀ in the plane, rows (t1, n).
    delassus: Matrix2<f64>,
    /// Velocity of the end without the floor, (t1, n).
    free: Vector2<f64>,
}

/// Slides at `sliding` m/s while the end would leave the floor at `rising` m/s.
fn rod(sliding: f64, rising: f64) -> Rod {
    let angle = 2.0_f64.atan();
    let arm = Vector2::new(HALF * angle.cos(), -HALF * angle.sin());
    let inertia = MASS * HALF * HALF / 3.0;
    let masses = DVector::from_vec(vec![MASS, MASS, MASS, inertia]);
    // The end moves by (x − ω arm_z, y, z + ω arm_x).
    let rows = [
        1.0, 0.0, 0.0, -arm.y, //
        0.0, 1.0, 0.0, 0.0, //
        0.0, 0.0, 1.0, arm.x,
    ];
    let mut problem = Problem::new();
    let b = [MASS * sliding, 0.0, MASS * rising, 0.0];
    let body = problem
        .push_dense(DMatrix::from_diagonal(&masses), &b)
        .expect("a valid rod");
    let block = RowBlock::Dofs {
        dofs: &[0, 1, 2, 3],
        values: &rows,
    };
    let law = Law::Contact { friction: FRICTION };
    problem
        .push_constraint(law, &[0.0; 3], &[(body, block)])
        .expect("a valid contact");
    let couple = -arm.x * arm.y / inertia;
    Rod {
        problem,
        delassus: Matrix2::new(
            1.0 / MASS + arm.y * arm.y / inertia,
            couple,
            couple,
            1.0 / MASS + arm.x * arm.x / inertia,
        ),
        free: Vector2::new(sliding, rising),
    }
}

impl Rod {
    /// Velocity (t1, n) of the end, from its impulse.
    fn end(&self, solution: &Solution) -> Vector2<f64> {
        self.free + self.delassus * Vector2::new(solution.impulse[0], solution.impulse[2])
    }

    /// The impulse obeys Signorini and Coulomb.
    fn check(&self, solution: &Solution) {
        assert!(is_sound(&self.problem, solution));
        let (end, impulse) = (self.end(solution), &solution.impulse);
        let (friction, normal) = (impulse[0], impulse[2]);
        assert!(normal >= 0.0 && impulse[1].abs() < 1e-9);
        assert!(friction.abs() <= FRICTION * normal + 1e-9, "{impulse:?}");
        assert!(end.y > -1e-9, "sinks at {} m/s", -end.y);
        assert!(normal.min(end.y).abs() < 1e-9, "held up from afar");
        // Slides against the full friction only.
        let idle = (friction + FRICTION * normal * end.x.signum()).abs();
        assert!(idle.min(end.x.abs()) < 1e-8, "{end} {impulse:?}");
    }
}

/// The configuration is the paradoxical one.
#[test]
fn pressing_pulls_the_end_down() {
    let [[_, couple], [_, normal]] = rod(1.0, -0.1).delassus.data.0;
    assert!(normal - FRICTION * couple < 0.0, "{normal} {couple}");
}

/// Weight presses the end down: neither lifting off nor sliding on is a solution, whatever the
/// impulse. The only one stops the end, with an impulse that does not vanish with the weight: an
/// impact without a collision.
#[test]
fn a_rod_that_cannot_slide_on_jams() {
    for sliding in [1e-3, 0.1, 1.0, 10.0] {
        for falling in [1e-6, 0.01, 0.1] {
            let rod = rod(sliding, -falling);
            let (report, solution) = solve_cold(&mut canal(), &rod.problem, 1e-11);
            let name = format!("{sliding} m/s, falling {falling} m/s");
            assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
            rod.check(&solution);
            assert!(rod.end(&solution).norm() < 1e-9, "{name}: not stopped");
            let expected = -rod.delassus.try_inverse().expect("regular") * rod.free;
            let found = Vector2::new(solution.impulse[0], solution.impulse[2]);
            assert!((found - expected).norm() < 1e-9, "{name}: {found}");
        }
    }
}

/// An end that would rise has three answers: it leaves, slides on, or jams. Any of them is one.
#[test]
fn a_rod_that_may_leave_does_something_valid() {
    for sliding in [0.1, 1.0, 10.0] {
        for rising in [0.0, 1e-6, 0.01, 0.1] {
            let rod = rod(sliding, rising);
            let mut solver = canal();
            let (report, cold) = solve_cold(&mut solver, &rod.problem, 1e-11);
            assert!(
                report.outcome.is_converged(),
                "{sliding} m/s, rising {rising} m/s: {}",
                report.outcome
            );
            rod.check(&cold);
        }
    }
}
