//! What drives, damping and forces did to a robot in a step.

use nalgebra::Vector3;
use stiction_modeling::Places;

use super::Robot;
use crate::mechanism::{Now, Work};

impl Robot {
    /// Work with the mean velocities `mean` of the step; `v_hat` and `mean` are those of the robot.
    pub(super) fn work_of_step(
        &self,
        now: &Now<'_>,
        [v_hat, mean]: [&[f64]; 2],
        places: &Places,
    ) -> Work {
        let dt = now.settings.time_step;
        let mut work = Work::default();
        let properties = self.model.dof_properties();
        for dof in 0..mean.len() {
            let [torque, implicit] = self.joints.drive[dof];
            work.drives += (dt * torque - implicit * v_hat[dof]) * mean[dof];
            work.damping -= dt * properties[dof].damping * v_hat[dof] * mean[dof];
        }
        for (link, &id) in self.ids.iter().enumerate() {
            let wrench = &now.inputs.wrenches[self.first_body + link];
            if wrench.force == Vector3::zeros() && wrench.torque == Vector3::zeros() {
                continue;
            }
            for (tree, view) in self.views.iter().enumerate() {
                let Some(body) = view.body_index(id) else {
                    continue;
                };
                let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
                let mut at = Some(body);
                while let Some(body) = at {
                    for dof in view.dof_start[body]..view.dof_start[body + 1] {
                        let speed = mean[view.dofs.start + dof];
                        linear += view.columns[dof].linear * speed;
                        angular += view.columns[dof].angular * speed;
                    }
                    at = view.parents[body];
                }
                let origin = places.origin((self.first_body + link) as u32);
                let arm = origin - places.references[self.first_subsystem + tree];
                let velocity = linear + angular.cross(&arm);
                work.drives += dt * (wrench.force.dot(&velocity) + wrench.torque.dot(&angular));
            }
        }
        work
    }
}
