//! Equations of motion of a robot's trees.

use stiction_constraints::{Subsystem, Tree, TreeBody};
use stiction_dynamics::{
    Force, Integrator, Motion, TreeView, bias_from_kinematics, forward_kinematics_velocity,
    jacobians_from_kinematics,
};
use stiction_modeling::{Places, Twist};

use super::Robot;
use crate::error::{Result, SimError};
use crate::mechanism::Now;

impl Robot {
    /// Poses and velocities of all links (the base first); `v` is those of the start of the step,
    /// `guess` those of the last pass.
    pub(super) fn place_links(
        &mut self,
        [q, v]: [&[f64]; 2],
        guess: Option<&[f64]>,
        places: &mut Places,
    ) -> Result<()> {
        let links = self.first_body..self.first_body + self.ids.len();
        forward_kinematics_velocity(&self.model, &mut self.placed, q, guess.unwrap_or(v))?;
        let frames = &mut places.frames;
        for (&id, link) in self.ids.iter().zip(links.clone()) {
            let pose = self.placed.pose(id)?;
            let local = self.placed.velocity(id)?;
            frames.pose[link] = pose.to_isometry();
            let twist = Twist {
                linear: pose.rotation * local.linear,
                angular: pose.rotation * local.angular,
            };
            match guess {
                None => (frames.twist[link], frames.guess[link]) = (twist, Twist::default()),
                Some(_) => frames.guess[link] = twist,
            }
        }
        if guess.is_some() {
            let mut measured = self.measured();
            forward_kinematics_velocity(&self.model, &mut measured, q, v)?;
            for (&id, link) in self.ids.iter().zip(links) {
                let rotation = &measured.pose(id)?.rotation;
                let local = measured.velocity(id)?;
                frames.twist[link] = Twist {
                    linear: rotation * local.linear,
                    angular: rotation * local.angular,
                };
            }
        }
        Ok(())
    }

    /// What A and b of every tree are made of:
    /// A = M/(1 − θ) + implicit gains, b = M v/(1 − θ) + dt (τ − h).
    pub(super) fn prepare_trees(&mut self, now: &Now<'_>, places: &mut Places) -> Result<()> {
        let dt = now.settings.time_step;
        self.lag = match now.settings.integrator {
            Integrator::Rk4 => 0.0,
            Integrator::Euler => 0.5,
        };
        let v = &now.state.v[self.v.clone()];
        let drives = &now.inputs.dofs[self.v.clone()];
        let q = &now.state.q[self.q.clone()];
        let at = now.guess.map_or(v, |guess| &guess[self.v.clone()]);
        self.joints
            .prepare(self.model.dof_properties(), [q, at], drives, dt);
        jacobians_from_kinematics(&self.model, &mut self.placed)?;
        for (i, &id) in self.ids.iter().enumerate() {
            let wrench = &now.inputs.wrenches[self.first_body + i];
            let pose = self.placed.pose(id)?;
            self.external[i] = Force::new(
                pose.rotation.tr_mul(&wrench.force),
                pose.rotation.tr_mul(&wrench.torque),
            );
        }
        for view in &mut self.views {
            view.update(&self.model, &self.placed)?;
        }
        let bias = bias_from_kinematics(&self.model, &mut self.placed, at, &self.external)?;
        self.bias.copy_from_slice(bias);
        self.scale = 1.0 / (1.0 - now.settings.theta);
        if now.guess.is_none() {
            self.look_for_fast_trees(now)?;
        }
        for (tree, view) in self.views.iter().enumerate() {
            places.references[self.first_subsystem + tree] = view.reference_point;
        }
        self.add_up_forces(now)
    }

    /// b of every tree from its momentum, bias forces and the torques of its joints.
    pub(super) fn add_up_forces(&mut self, now: &Now<'_>) -> Result<()> {
        let dt = now.settings.time_step;
        let v = &now.state.v[self.v.clone()];
        for dof in 0..self.b.len() {
            self.b[dof] = dt * (self.joints.torque[dof] - self.bias[dof]);
        }
        for view in &self.views {
            let (twists, momenta) = (&mut self.twists, &mut self.momenta);
            let v = &v[view.dofs.clone()];
            let b = &mut self.b[view.dofs.clone()];
            add_momentum(view, v, self.scale, twists, momenta, b);
        }
        for tree in 0..self.views.len() {
            let can_fly = self.paths.are_there && now.guess.is_none();
            if can_fly && self.indicators[tree].is_fast {
                self.find_path(tree, now)?;
                self.take_free_velocity(tree, now);
                self.paths.give_velocity(tree);
            }
        }
        Ok(())
    }

    /// Largest angular velocity of a tree's links, rad/s.
    pub(super) fn fastest_turn(&self, tree: usize) -> f64 {
        let links = self.ids[self.views[tree].bodies.clone()].iter();
        let turns = links.filter_map(|&id| self.placed.velocity(id).ok());
        turns.map(|local| local.angular.norm()).fold(0.0, f64::max)
    }

    /// b = A v̂ with v̂ = θ v + (1 − θ) v⁺ of the tree's free path: what turns too fast for one evaluation is
    /// at least right where nothing touches it.
    fn take_free_velocity(&mut self, tree: usize, now: &Now<'_>) {
        let theta = now.settings.theta;
        let dofs = self.views[tree].dofs.clone();
        let (v, (_, end)) = (&now.state.v[self.v.clone()], self.paths.end());
        for (at, dof) in dofs.clone().enumerate() {
            self.momentum[at] = theta * v[dof] + (1.0 - theta) * end[dof];
            self.b[dof] = self.joints.implicit[dof] * self.momentum[at];
        }
        let (twists, momenta) = (&mut self.twists, &mut self.momenta);
        let v_hat = &self.momentum[..dofs.len()];
        let b = &mut self.b[dofs];
        add_momentum(&self.views[tree], v_hat, self.scale, twists, momenta, b);
    }

    /// A and reference points of every tree where it was placed last, without forces.
    pub(super) fn prepare_tree_positions(&mut self, places: &mut Places) -> Result<()> {
        jacobians_from_kinematics(&self.model, &mut self.placed)?;
        for (tree, view) in self.views.iter_mut().enumerate() {
            view.update(&self.model, &self.placed)?;
            places.references[self.first_subsystem + tree] = view.reference_point;
        }
        Ok(())
    }

    /// An empty tree subsystem of the right shape.
    pub(super) fn empty_tree(name: &str, view: &TreeView) -> Result<Tree> {
        let bodies = (0..view.parents.len())
            .map(|body| TreeBody {
                parent: view.parents[body],
                joint_dofs: view.dof_start[body + 1] - view.dof_start[body],
                inertia: nalgebra::Matrix6::identity(),
            })
            .collect();
        let dofs = view.columns.len();
        let columns = vec![nalgebra::Vector6::zeros(); dofs];
        Tree::new(bodies, columns, vec![0.0; dofs]).map_err(|reason| SimError::NotPossible {
            element: name.to_owned(),
            reason,
        })
    }

    /// Writes A of a tree.
    pub(super) fn write_tree(&self, tree: usize, a: &mut Subsystem) {
        let view = &self.views[tree];
        let Subsystem::Tree(to) = a else {
            return;
        };
        for (body, inertia) in view.inertias.iter().enumerate() {
            to.set_inertia(body, inertia.to_matrix() * self.scale);
        }
        for (to, from) in to.columns_mut().iter_mut().zip(&view.columns) {
            *to = from.to_vector();
        }
        let implicit = &self.joints.implicit[view.dofs.clone()];
        for (dof, to) in to.diagonal_mut().iter_mut().enumerate() {
            *to = view.diagonal[dof] * self.scale + implicit[dof];
        }
    }
}

/// b += factor · M v, by momenta: twists from the root outwards, momenta back inwards.
pub(super) fn add_momentum(
    view: &TreeView,
    v: &[f64],
    factor: f64,
    twists: &mut [Motion],
    momenta: &mut [Force],
    b: &mut [f64],
) {
    for body in 0..view.parents.len() {
        let mut twist = view.parents[body].map_or(Motion::zero(), |parent| twists[parent]);
        for dof in view.dof_start[body]..view.dof_start[body + 1] {
            twist += view.columns[dof] * v[dof];
        }
        twists[body] = twist;
        momenta[body] = view.inertias[body].mul(&twist);
    }
    for body in (0..view.parents.len()).rev() {
        let momentum = momenta[body];
        for dof in view.dof_start[body]..view.dof_start[body + 1] {
            b[dof] += factor * (view.columns[dof].dot(&momentum) + view.diagonal[dof] * v[dof]);
        }
        if let Some(parent) = view.parents[body] {
            momenta[parent] += momentum;
        }
    }
}
