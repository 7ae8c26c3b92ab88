//! Robots: their trees in the problem, and their way through a step.

use stiction_dynamics::integrate;

use crate::error::Result;
use crate::island::SubsystemMatrix;
use crate::robot::Drive;
use crate::world::World;

impl World {
    /// A and b of every tree of every robot.
    pub(crate) fn assemble_robots(&mut self) -> Result<()> {
        for (index, robot) in self.robots.iter_mut().enumerate() {
            let state = &self.state.robots[index];
            let at = if self.placement.advance > 0.0 {
                &self.linearized[index]
            } else {
                state
            };
            let links = robot.first_body..robot.first_body + robot.ids().len();
            let first = robot.first_subsystem;
            let scale = 1.0 / (1.0 - self.settings.theta);
            let subsystems = &mut self.subsystems;
            let nv = robot.model.nv();
            let drive = Drive {
                joints: &self.commands.robots[index],
                links: &self.commands.wrenches[links],
            };
            robot.assemble(
                [state, at],
                &drive,
                &self.settings,
                &mut self.robot_b[..nv],
                |tree, view, implicit, b| {
                    let data = &mut subsystems[first + tree];
                    data.b.copy_from_slice(b);
                    let SubsystemMatrix::Tree(tree) = &mut data.matrix else {
                        return Ok(());
                    };
                    for (body, inertia) in view.inertias.iter().enumerate() {
                        tree.set_inertia(body, inertia.to_matrix() * scale);
                    }
                    for (to, from) in tree.columns_mut().iter_mut().zip(&view.columns) {
                        *to = from.to_vector();
                    }
                    for (dof, to) in tree.diagonal_mut().iter_mut().enumerate() {
                        *to = view.diagonal[dof] * scale + implicit[dof];
                    }
                    Ok(())
                },
            )?;
            for tree in 0..robot.views.len() {
                self.placement.references[first + tree] = robot.reference(tree);
            }
        }
        Ok(())
    }

    /// v̂ → configuration and velocity at the end of the step.
    pub(crate) fn integrate_robots(&mut self) -> Result<()> {
        let theta = self.settings.theta;
        for (index, robot) in self.robots.iter().enumerate() {
            let state = &self.state.robots[index];
            let next = &mut self.next.robots[index];
            for (tree, view) in robot.views.iter().enumerate() {
                let found = &self.subsystems[robot.first_subsystem + tree].velocity;
                next.v[view.dofs.clone()].copy_from_slice(found);
            }
            integrate(
                &robot.model,
                &state.q,
                &next.v,
                self.settings.time_step,
                &mut next.q,
            )?;
            for (next, before) in next.v.iter_mut().zip(&state.v) {
                *next = (*next - theta * before) / (1.0 - theta);
            }
        }
        Ok(())
    }
}
