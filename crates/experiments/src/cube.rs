//! A cube on the ground, four corners in contact, in bare contact problems: what a law or a solver does to it is
//! not covered up by collision detection, by corrections of positions, or by islands.

use stiction_constraints::nalgebra::{Matrix3, Matrix6, Rotation3, Vector3, Vector6};
use stiction_constraints::{
    Budget, Law, Problem, ProblemError, Report, RowBlock, Solution, Solver,
};

/// Corners that touch the ground, in half sides.
const CORNERS: [[f64; 3]; 4] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [1.0, 1.0, -1.0],
];

/// What a cube is and how it is stepped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CubeSettings {
    /// Side, m.
    pub(crate) side: f64,
    /// Mass, kg.
    pub(crate) mass: f64,
    /// Free fall, m/s².
    pub(crate) gravity: f64,
    /// Time step, s.
    pub(crate) step: f64,
    /// θ of v̂ = θ v + (1 − θ) v⁺.
    pub(crate) theta: f64,
    /// Where contacts know their gaps, so that corners that lift off fly and land: the share of a penetration that a
    /// step pushes out. If `None`, corners are held to be in contact wherever they are.
    pub(crate) gaps: Option<f64>,
}

/// A corner after a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    /// Impulse of the ground, N·s.
    pub(crate) impulse: Vector3<f64>,
    /// Velocity J v̂ + e that the law is about, m/s.
    pub(crate) velocity: Vector3<f64>,
    /// Its own block of J A⁻¹ Jᵀ, 1/kg.
    pub(crate) block: Matrix3<f64>,
}

/// Where the cube is and how it moves.
pub(crate) struct Cube {
    settings: CubeSettings,
    /// Of its middle, from where it started, m.
    pub(crate) position: Vector3<f64>,
    rotation: Rotation3<f64>,
    velocity: Vector6<f64>,
    problem: Problem,
    solution: Solution,
    corners: [Corner; 4],
}

/// The corners on the ground from the middle of a cube that is not turned, m.
pub(crate) fn corners_from_middle(side: f64) -> [Vector3<f64>; 4] {
    CORNERS.map(|corner| Vector3::from(corner) * (0.5 * side))
}

impl Cube {
    /// On the ground, with a velocity in m/s.
    pub(crate) fn new(settings: CubeSettings, velocity: Vector3<f64>) -> Self {
        let still = Corner {
            impulse: Vector3::zeros(),
            velocity: Vector3::zeros(),
            block: Matrix3::zeros(),
        };
        Self {
            settings,
            position: Vector3::zeros(),
            rotation: Rotation3::identity(),
            velocity: Vector6::new(velocity.x, velocity.y, velocity.z, 0.0, 0.0, 0.0),
            problem: Problem::new(),
            solution: Solution::cold(),
            corners: [still; 4],
        }
    }

    /// One step under a force at its middle, N; the impulses of the last step are the guess.
    pub(crate) fn step(
        &mut self,
        law: Law,
        force: Vector3<f64>,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Report, ProblemError> {
        let CubeSettings { step, theta, .. } = self.settings;
        let arms = self.write_problem(law, force)?;
        let report = solver.solve(&self.problem, budget, &mut self.solution);
        let mean = Vector6::from_column_slice(&self.solution.velocity);
        let inverse = self.inertia().map(|inertia| 1.0 / inertia);
        for (index, (corner, arm)) in self.corners.iter_mut().zip(arms).enumerate() {
            let error = Vector3::from_column_slice(self.problem.error(index));
            let (linear, angular) = (mean.fixed_rows::<3>(0), mean.fixed_rows::<3>(3));
            let angular: Vector3<f64> = angular.into();
            let across = arm.cross_matrix();
            let turning = Matrix3::from_diagonal(&inverse.fixed_rows::<3>(3).into_owned());
            *corner = Corner {
                impulse: Vector3::from_column_slice(
                    &self.solution.impulse[3 * index..3 * index + 3],
                ),
                velocity: linear + angular.cross(&arm) + error,
                block: Matrix3::identity() * inverse[0] - across * turning * across,
            };
        }
        self.position += step * mean.fixed_rows::<3>(0);
        let turn: Vector3<f64> = step * mean.fixed_rows::<3>(3);
        self.rotation = Rotation3::new(turn) * self.rotation;
        self.velocity = (mean - theta * self.velocity) / (1.0 - theta);
        Ok(report)
    }

    /// Mass and moments of inertia over 1 − θ; a cube has the same moment about every axis.
    fn inertia(&self) -> Vector6<f64> {
        let CubeSettings {
            side, mass, theta, ..
        } = self.settings;
        let turning = mass * side * side / 6.0;
        Vector6::new(mass, mass, mass, turning, turning, turning) / (1.0 - theta)
    }

    /// Writes down the step, and returns the corners from the middle, m.
    fn write_problem(
        &mut self,
        law: Law,
        force: Vector3<f64>,
    ) -> Result<[Vector3<f64>; 4], ProblemError> {
        let CubeSettings {
            side,
            mass,
            gravity,
            step,
            gaps,
            ..
        } = self.settings;
        let inertia = self.inertia();
        let mut b = inertia.component_mul(&self.velocity);
        for axis in 0..3 {
            b[axis] += step * force[axis];
        }
        b[2] -= step * mass * gravity;
        self.problem = Problem::new();
        let body = self
            .problem
            .push_free_body(Matrix6::from_diagonal(&inertia), b.as_slice())?;
        let arms = corners_from_middle(side).map(|arm| self.rotation * arm);
        for arm in &arms {
            let gap = self.position.z + arm.z + 0.5 * side;
            let error = gaps.map_or(0.0, |pushed_out| {
                if gap >= 0.0 {
                    gap / step
                } else {
                    pushed_out * gap / step
                }
            });
            let values: Vec<f64> = [Vector3::x(), Vector3::y(), Vector3::z()]
                .iter()
                .flat_map(|direction| {
                    let turn = arm.cross(direction);
                    [
                        direction.x,
                        direction.y,
                        direction.z,
                        turn.x,
                        turn.y,
                        turn.z,
                    ]
                })
                .collect();
            let block = RowBlock::Body {
                body: 0,
                values: &values,
            };
            self.problem
                .push_constraint(law, &[0.0, 0.0, error], &[(body, block)])?;
        }
        Ok(arms)
    }

    /// Forgets the impulses of the last step.
    pub(crate) fn forget(&mut self) {
        self.solution.clear();
    }

    /// The corners after the last step.
    pub(crate) fn corners(&self) -> &[Corner; 4] {
        &self.corners
    }

    /// Linear velocity at the end of the last step, m/s.
    pub(crate) fn velocity(&self) -> Vector3<f64> {
        self.velocity.fixed_rows::<3>(0).into_owned()
    }

    /// Kinetic energy, and that of its height, J.
    pub(crate) fn energy(&self) -> f64 {
        let inertia = (1.0 - self.settings.theta) * self.inertia();
        let CubeSettings { mass, gravity, .. } = self.settings;
        let kinetic = 0.5 * self.velocity.dot(&inertia.component_mul(&self.velocity));
        kinetic + mass * gravity * self.position.z
    }
}
