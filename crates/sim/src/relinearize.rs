//! Further passes of linearise-and-solve in one step.

use nalgebra::Vector3;
use stiction_dynamics::integrate;

use crate::body::Kind;
use crate::error::Result;
use crate::gyroscopic::turn;
use crate::state::Twist;
use crate::world::World;

impl World {
    /// Moves poses on along v̂, so that the next pass linearises there: at the end of the step for
    /// implicit Euler, in the middle for the midpoint rule.
    ///
    /// # Errors
    /// Robots whose configuration cannot be integrated.
    pub fn relinearize(&mut self) -> Result<()> {
        let advance = (1.0 - self.settings.theta) * self.settings.time_step;
        self.refresh()?;
        self.placement.advance = advance;
        for (index, body) in self.bodies.iter().enumerate() {
            let state = &self.state.bodies[index];
            let twist = match body.kind {
                Kind::Fixed | Kind::Link { .. } => continue,
                Kind::Driven => self.commands.driven[index],
                Kind::Free { subsystem } => {
                    let found = &self.subsystems[subsystem].velocity;
                    Twist {
                        linear: Vector3::from_column_slice(&found[..3]),
                        angular: Vector3::from_column_slice(&found[3..]),
                    }
                }
            };
            let mut moved = *state;
            moved.center += twist.linear * advance;
            moved.rotation = turn(&state.rotation, &twist.angular, advance);
            let pose = moved.pose(&body.center);
            let arm = pose.translation.vector - moved.center;
            let at_origin = |linear: Vector3<f64>, angular: Vector3<f64>| Twist {
                linear: linear + angular.cross(&arm),
                angular,
            };
            self.placement.poses[index] = pose;
            self.placement.guess[index] = at_origin(twist.linear, twist.angular);
            self.placement.twists[index] = match body.kind {
                Kind::Driven => twist,
                _ => at_origin(state.velocity, state.angular_velocity),
            };
            if let Kind::Free { subsystem } = body.kind {
                self.placement.references[subsystem] = moved.center;
            }
        }
        for (index, robot) in self.robots.iter_mut().enumerate() {
            let state = &self.state.robots[index];
            let at = &mut self.linearized[index];
            for (tree, view) in robot.views.iter().enumerate() {
                let found = &self.subsystems[robot.first_subsystem + tree].velocity;
                at.v[view.dofs.clone()].copy_from_slice(found);
            }
            integrate(&robot.model, &state.q, &at.v, advance, &mut at.q)?;
            let links = robot.first_body..robot.first_body + robot.ids().len();
            robot.place(
                at,
                &mut self.placement.poses[links.clone()],
                &mut self.placement.guess[links.clone()],
            )?;
            robot.twists_of(&at.q, &state.v, &mut self.placement.twists[links])?;
        }
        Ok(())
    }
}
