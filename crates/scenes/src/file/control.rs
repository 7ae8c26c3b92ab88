//! The controllers of scene files.

use stiction_io::scene_file::ControllerDescription;
use stiction_sim::{
    BodyHandle, Commands, Controller, Point3, Result, RobotHandle, Signal, SimError, Tracking,
    Vector3, World,
};

use super::world::Place;

/// Makes a controller; `place` is the body that it names.
pub(super) fn make(
    description: &ControllerDescription,
    world: &mut World,
    place: Option<Place>,
) -> Result<Box<dyn Controller>> {
    let place = || {
        place.ok_or(SimError::Unknown {
            what: "body",
            name: "of the controller".to_owned(),
        })
    };
    Ok(match description {
        ControllerDescription::Pd {
            robot,
            joint,
            stiffness,
            damping,
            feed_forward,
            target,
        } => {
            let robot = world.find_robot(robot)?;
            Box::new(JointDrive {
                robot,
                dof: world.dof(robot, joint)?,
                target: target.clone(),
                torque: Signal::Constant(*feed_forward),
                gains: [*stiffness, *damping],
            })
        }
        ControllerDescription::Torque {
            robot,
            joint,
            torque,
        } => {
            let robot = world.find_robot(robot)?;
            Box::new(JointDrive {
                robot,
                dof: world.dof(robot, joint)?,
                target: Signal::Constant(0.0),
                torque: torque.clone(),
                gains: [0.0, 0.0],
            })
        }
        ControllerDescription::Force {
            force,
            torque,
            point,
            ..
        } => {
            let place = place()?;
            // A link that is fixed to the world is not moved by forces: said now, not at the step.
            let nothing = Vector3::zeros();
            world.commands().push(place.body, nothing, nothing)?;
            // A link has no centre of mass of its own here: forces act at its origin.
            let point = point.or_else(|| place.is_link.then(Point3::origin));
            Box::new(Push {
                body: place.body,
                force: force.clone(),
                torque: torque.clone(),
                point: point.map(|point| place.offset * point),
            })
        }
        ControllerDescription::Drive {
            velocity,
            angular_velocity,
            ..
        } => Box::new(Drive {
            body: place()?.body,
            velocity: velocity.clone(),
            angular_velocity: angular_velocity.clone(),
        }),
        _ => {
            return Err(SimError::NotPossible {
                element: "controller".to_owned(),
                reason: "the simulator does not know this kind".to_owned(),
            });
        }
    })
}

/// Tracks a position with a joint, or applies a torque where the gains are zero; what acts on one joint
/// adds up.
struct JointDrive {
    robot: RobotHandle,
    dof: usize,
    target: Signal<f64>,
    torque: Signal<f64>,
    /// Stiffness and damping.
    gains: [f64; 2],
}

impl Controller for JointDrive {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let dt = world.settings().time_step;
        // Tracking compares with the end of the step; a torque acts throughout it.
        let (position, velocity) = self.target.at(world.time() + dt, 0.0);
        let (feed_forward, _) = self.torque.at(world.time() + 0.5 * dt, 0.0);
        let [stiffness, damping] = self.gains;
        let tracking = Tracking {
            position,
            velocity,
            stiffness,
            damping,
            feed_forward,
        };
        commands.add_drive(self.robot, self.dof, tracking)
    }
}

/// Pushes a body.
struct Push {
    body: BodyHandle,
    force: Signal<Vector3<f64>>,
    torque: Signal<Vector3<f64>>,
    /// Where the force acts, in the body's frame; `None` for the centre of mass.
    point: Option<Point3<f64>>,
}

impl Controller for Push {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let middle = world.time() + 0.5 * world.settings().time_step;
        let (force, _) = self.force.at(middle, Vector3::zeros());
        let (torque, _) = self.torque.at(middle, Vector3::zeros());
        match self.point {
            None => commands.push(self.body, force, torque),
            Some(point) => {
                commands.push_at(self.body, force, world.pose(self.body)? * point)?;
                commands.push(self.body, Vector3::zeros(), torque)
            }
        }
    }
}

/// Sets the velocity of a driven body.
struct Drive {
    body: BodyHandle,
    velocity: Signal<Vector3<f64>>,
    angular_velocity: Signal<Vector3<f64>>,
}

impl Controller for Drive {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let middle = world.time() + 0.5 * world.settings().time_step;
        let (velocity, _) = self.velocity.at(middle, Vector3::zeros());
        let (angular_velocity, _) = self.angular_velocity.at(middle, Vector3::zeros());
        commands.drive(self.body, velocity, angular_velocity)
    }
}
