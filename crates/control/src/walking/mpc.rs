//! The trunk as one rigid body over a horizon, [CMPC, section III].
//!
//! x = (Θ, p, ω, v): Θ roll, pitch and yaw, p and v of the centre of mass, ω in world axes. With the forces f_i of
//! standing feet at r_i from the centre of mass, [CMPC, (16)–(17)]:
//!   Θ⁺ = Θ + h Rz(ψ)ᵀ ω,  p⁺ = p + h v,  ω⁺ = ω + h I⁻¹ Σ r_i × f_i,  v⁺ = v + h (Σ f_i / m + g).
//! All x of the horizon are affine in all forces, and the cost Σ ‖x − x_ref‖²_Q + α ‖f‖² is a quadratic program in
//! the forces, [CMPC, (28)–(32)], with a pyramid of friction for each.

use nalgebra::{Const, DMatrix, DVector, Dyn, Matrix3, OMatrix, SMatrix, SVector, Vector3};
use stiction_sim::Result;

use super::LEGS;
use super::program;

type Vector12 = SVector<f64, 12>;
type Matrix12 = SMatrix<f64, 12, 12>;
type Matrix12xX = OMatrix<f64, Const<12>, Dyn>;

/// Where the trunk is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrunkState {
    /// Roll, pitch, yaw, rad.
    pub angles: Vector3<f64>,
    /// Centre of mass of the robot, world, m.
    pub position: Vector3<f64>,
    /// Angular velocity, world axes, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Velocity of the centre of mass, world axes, m/s.
    pub velocity: Vector3<f64>,
}

impl TrunkState {
    fn vector(&self) -> Vector12 {
        let parts = [
            self.angles,
            self.position,
            self.angular_velocity,
            self.velocity,
        ];
        Vector12::from_iterator(parts.iter().flatten().copied())
    }
}

/// Where the trunk should be at one time of the horizon, and which feet stand where until the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrunkReference {
    /// Where it should be at the end.
    pub wanted: TrunkState,
    /// Per leg: where its foot stands meanwhile (world, m), if it does.
    pub feet: [Option<Vector3<f64>>; LEGS],
}

/// What errors and forces cost, without units: angles in rad, lengths over the height h of the centre of mass,
/// times over √(h/g), forces over the weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of roll, pitch, yaw.
    pub angles: [f64; 3],
    /// Of x, y, z.
    pub position: [f64; 3],
    /// Of the angular velocity.
    pub angular_velocity: [f64; 3],
    /// Of the velocity.
    pub velocity: [f64; 3],
    /// Of forces.
    pub force: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            angles: [10.0, 10.0, 10.0],
            position: [10.0, 10.0, 50.0],
            angular_velocity: [0.5, 0.5, 0.5],
            velocity: [2.0, 2.0, 2.0],
            force: 1e-3,
        }
    }
}

/// What a program is made with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MpcSettings {
    /// Length of a step of the horizon, s.
    pub step: f64,
    /// Friction that the feet may count on.
    pub friction: f64,
    /// Most that one foot may push with, in weights of the robot.
    pub most: f64,
    /// What errors and forces cost.
    pub weights: Weights,
}

/// The rigid body that stands for the robot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mpc {
    /// Mass of the robot, kg.
    pub mass: f64,
    /// Inertia of the whole robot about its centre of mass, world axes, kg·m².
    pub inertia: Matrix3<f64>,
    /// Free fall, world axes, m/s².
    pub gravity: Vector3<f64>,
    /// Height of the centre of mass, m, by which errors are measured.
    pub height: f64,
}

impl Mpc {
    /// Forces of the feet (world axes, N) in the first step of the horizon that keep the trunk nearest to its
    /// references; zero for feet that do not stand.
    ///
    /// # Errors
    /// A program that cannot be solved: numbers that are not finite.
    pub fn forces(
        &self,
        now: &TrunkState,
        horizon: &[TrunkReference],
        settings: &MpcSettings,
    ) -> Result<[Vector3<f64>; LEGS]> {
        let mut forces = [Vector3::zeros(); LEGS];
        let Some(first) = horizon.first() else {
            return Ok(forces);
        };
        let (hessian, gradient) = self.program(now, horizon, settings);
        let weight = self.mass * self.gravity.norm();
        // Unknowns are forces over the weight.
        let solution = program::solve(&hessian, &gradient, settings.friction, settings.most)?;
        let standing = (0..LEGS).filter(|&leg| first.feet[leg].is_some());
        for (leg, force) in standing.zip(solution.chunks_exact(3)) {
            forces[leg] = Vector3::from_column_slice(force) * weight;
        }
        Ok(forces)
    }

    /// H and g of ½ uᵀH u + gᵀu, u the forces over the weight of all standing feet, step by step.
    fn program(
        &self,
        now: &TrunkState,
        horizon: &[TrunkReference],
        settings: &MpcSettings,
    ) -> (DMatrix<f64>, DVector<f64>) {
        let count = |reference: &TrunkReference| reference.feet.iter().flatten().count();
        let unknowns = 3 * horizon.iter().map(count).sum::<usize>();
        let cost = self.cost(&settings.weights);
        let mut hessian = DMatrix::identity(unknowns, unknowns) * settings.weights.force;
        let mut gradient = DVector::zeros(unknowns);
        // x of a step = response · u + free.
        let mut response = Matrix12xX::zeros(unknowns);
        let mut free = now.vector();
        let (mut used, mut before) = (0, *now);
        for reference in horizon {
            let yaw = 0.5 * (before.angles.z + reference.wanted.angles.z);
            let advance = advance(yaw, settings.step);
            response = advance * response;
            free = advance * free;
            let fall = self.gravity * settings.step;
            free.fixed_rows_mut::<3>(9)
                .zip_apply(&fall, |x, change| *x += change);
            let center = 0.5 * (before.position + reference.wanted.position);
            for foot in reference.feet.iter().flatten() {
                let push = self.push(&(foot - center), settings.step);
                let mut columns = response.view_mut((6, used), (6, 3));
                columns += push;
                used += 3;
            }
            let error = free - reference.wanted.vector();
            let weighted =
                DMatrix::from_fn(12, used, |row, column| cost[row] * response[(row, column)]);
            let active = response.view((0, 0), (12, used));
            let mut part = hessian.view_mut((0, 0), (used, used));
            part += active.transpose() * &weighted;
            let mut part = gradient.rows_mut(0, used);
            part += weighted.transpose() * error;
            before = reference.wanted;
        }
        (hessian, gradient)
    }

    /// What the squares of all twelve errors cost.
    fn cost(&self, weights: &Weights) -> Vector12 {
        let (length, gravity) = (self.height, self.gravity.norm());
        let time = (length / gravity).sqrt();
        let scaled = |weights: [f64; 3], unit: f64| weights.map(|weight| weight / (unit * unit));
        let parts = [
            scaled(weights.angles, 1.0),
            scaled(weights.position, length),
            scaled(weights.angular_velocity, 1.0 / time),
            scaled(weights.velocity, length / time),
        ];
        Vector12::from_iterator(parts.into_iter().flatten())
    }

    /// Change of (ω, v) by a force over the weight of a foot at `arm` from the centre of mass.
    fn push(&self, arm: &Vector3<f64>, step: f64) -> SMatrix<f64, 6, 3> {
        let weight = self.mass * self.gravity.norm();
        let inverse = self.inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
        let mut push = SMatrix::<f64, 6, 3>::zeros();
        let turning = inverse * arm.cross_matrix() * (step * weight);
        push.fixed_rows_mut::<3>(0).copy_from(&turning);
        let moving = Matrix3::identity() * (step * weight / self.mass);
        push.fixed_rows_mut::<3>(3).copy_from(&moving);
        push
    }
}

/// The motion without forces.
fn advance(yaw: f64, step: f64) -> Matrix12 {
    let mut advance = Matrix12::identity();
    let (sin, cos) = yaw.sin_cos();
    let rates = Matrix3::new(cos, sin, 0.0, -sin, cos, 0.0, 0.0, 0.0, 1.0);
    advance
        .fixed_view_mut::<3, 3>(0, 6)
        .copy_from(&(rates * step));
    let along = Matrix3::identity() * step;
    advance.fixed_view_mut::<3, 3>(3, 9).copy_from(&along);
    advance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_rest(height: f64) -> TrunkState {
        TrunkState {
            angles: Vector3::zeros(),
            position: Vector3::new(0.0, 0.0, height),
            angular_velocity: Vector3::zeros(),
            velocity: Vector3::zeros(),
        }
    }

    fn corners() -> [Option<Vector3<f64>>; LEGS] {
        [[0.2, -0.1], [0.2, 0.1], [-0.2, -0.1], [-0.2, 0.1]]
            .map(|[x, y]| Some(Vector3::new(x, y, 0.0)))
    }

    fn body(mass: f64, height: f64) -> Mpc {
        Mpc {
            mass,
            inertia: Matrix3::from_diagonal(&Vector3::new(0.01, 0.03, 0.03)) * mass,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            height,
        }
    }

    fn settings() -> MpcSettings {
        MpcSettings {
            step: 0.03,
            friction: 0.5,
            most: 2.0,
            weights: Weights {
                force: 1e-9,
                ..Weights::default()
            },
        }
    }

    #[test]
    fn four_feet_carry_a_robot_at_rest_alike() {
        for mass in [2.5, 25.0] {
            let reference = TrunkReference {
                wanted: at_rest(0.3),
                feet: corners(),
            };
            let forces = body(mass, 0.3)
                .forces(&at_rest(0.3), &[reference; 10], &settings())
                .unwrap();
            for force in forces {
                let error = force - Vector3::new(0.0, 0.0, 0.25 * mass * 9.81);
                assert!(error.norm() < 2e-3 * mass * 9.81, "{force}");
            }
        }
    }

    #[test]
    fn a_push_to_the_side_is_answered_against_it_within_friction() {
        let mut now = at_rest(0.3);
        now.velocity.y = 0.5;
        let mut feet = corners();
        feet[1] = None;
        feet[2] = None;
        let reference = TrunkReference {
            wanted: at_rest(0.3),
            feet,
        };
        let forces = body(10.0, 0.3)
            .forces(&now, &[reference; 10], &settings())
            .unwrap();
        let total: Vector3<f64> = forces.iter().sum();
        assert!(total.y < -5.0, "{total}");
        assert_eq!((forces[1], forces[2]), (Vector3::zeros(), Vector3::zeros()));
        for force in [forces[0], forces[3]] {
            assert!(
                force.z > 0.0 && force.y.abs() <= 0.5 * force.z + 1e-5,
                "{force}"
            );
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        let reference = TrunkReference {
            wanted: at_rest(f64::NAN),
            feet: corners(),
        };
        let refused = body(10.0, 0.3).forces(&at_rest(0.3), &[reference; 2], &settings());
        assert!(refused.is_err());
    }
}
