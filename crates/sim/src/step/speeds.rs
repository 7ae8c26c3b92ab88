//! Speeds that no machine has: what a run does that has come apart.

use crate::error::{Result, SimError, StepFailure};
use crate::robot::Robot;
use crate::world::World;

/// Speed at which a run is stopped, m/s or rad/s: numbers would soon not be finite.
const ABSURD: f64 = 1e6;

impl World {
    /// Refuses a new state in which anything moves faster than any machine.
    pub(super) fn check_speeds(&self) -> Result<()> {
        let next = &self.next.v;
        let largest = next.iter().fold(0.0, |so_far: f64, v| so_far.max(v.abs()));
        if largest <= ABSURD {
            return Ok(());
        }
        let Some(dof) = next.iter().position(|v| v.abs() == largest) else {
            return Ok(());
        };
        let elements = self.tables.layout.elements.iter();
        let element = elements
            .clone()
            .find(|element| element.v.contains(&dof))
            .map_or("the world", |element| element.name.as_str());
        let what = match self.joint_of_dof(dof) {
            Some((joint, link)) => {
                format!("joint \"{joint}\" of link \"{link}\" moves at {largest:.1e} rad/s or m/s")
            }
            None => format!("body \"{element}\" moves at {largest:.1e} m/s or rad/s"),
        };
        let is_absurd =
            |range: std::ops::Range<usize>| next[range].iter().any(|v| v.abs() > ABSURD);
        let mut bodies: Vec<String> = elements
            .filter(|element| is_absurd(element.v.clone()))
            .map(|element| element.name.clone())
            .collect();
        bodies.sort_by_key(|name| name != element);
        Err(SimError::Step(Box::new(StepFailure {
            step: self.state.step,
            time: self.state.time,
            bodies,
            reason: format!("{what}: the run has come apart"),
            advice: "try a smaller time step, or check masses, limits, forces and gains",
            problem: None,
        })))
    }

    /// Name of the joint of a velocity of the world, and of the link that it carries.
    fn joint_of_dof(&self, dof: usize) -> Option<(&str, &str)> {
        let mut robots = self.robots.iter();
        let robot: &Robot = robots.find_map(|robot| {
            let robot: &Robot = self.mechanisms.typed(robot.index)?;
            robot.v.contains(&dof).then_some(robot)
        })?;
        let own = dof - robot.v.start;
        let mut joints = robot.model.description().joints.iter();
        let joint = joints.find(|joint| {
            let info = robot.model.joint(&joint.name);
            info.is_some_and(|info| info.v.contains(&own))
        })?;
        Some((&joint.name, &joint.child))
    }
}
