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
        for (tree, view) in self.views.iter().enumerate() {
            let mut drives = 0.0;
            let mut damping = 0.0;
            for dof in view.dofs.clone() {
                let [torque, implicit] = self.joints.drive[dof];
                drives += (dt * torque - implicit * v_hat[dof]) * mean[dof];
                damping -= dt * properties[dof].damping * v_hat[dof] * mean[dof];
            }
            work.damping += damping;
            work.drives += match self.paths.work_on(tree) {
                // What a path's rule has added up is exact where one evaluation of stiff drives is far off.
                Some(done) => done + self.work_beside(tree, now, [v_hat, mean]) - damping,
                None => drives + self.work_of_wrenches(tree, now, mean, places),
            };
        }
        work
    }

    /// Work of what holds the joints, beside that on the tree's free path, where v̂ is not that of the path.
    fn work_beside(&self, tree: usize, now: &Now<'_>, [v_hat, mean]: [&[f64]; 2]) -> f64 {
        if self.paths.is_on(tree) {
            return 0.0;
        }
        let theta = now.settings.theta;
        let (before, (_, end)) = (&now.state.v[self.v.clone()], self.paths.end());
        let dofs = self.views[tree].dofs.clone();
        let each = dofs.map(|dof| {
            let free = theta * before[dof] + (1.0 - theta) * end[dof];
            -self.joints.implicit[dof] * (v_hat[dof] - free) * mean[dof]
        });
        each.sum()
    }

    /// Work of forces from outside on the links of a tree.
    fn work_of_wrenches(&self, tree: usize, now: &Now<'_>, mean: &[f64], places: &Places) -> f64 {
        let view = &self.views[tree];
        let mut work = 0.0;
        for (link, &id) in self.ids.iter().enumerate() {
            let wrench = &now.inputs.wrenches[self.first_body + link];
            if wrench.force == Vector3::zeros() && wrench.torque == Vector3::zeros() {
                continue;
            }
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
            work += now.settings.time_step
                * (wrench.force.dot(&velocity) + wrench.torque.dot(&angular));
        }
        work
    }
}
