//! From bodies to the root and back: wrenches in, velocities out.

use stiction_constraints::Tree;

/// A wrench, a velocity or an axis: six numbers and two zeros, the shape of vector registers.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Spatial(pub(crate) [f64; 8]);

impl Spatial {
    pub(crate) const ZERO: Self = Self([0.0; 8]);

    /// Six numbers.
    #[inline(always)]
    pub(crate) fn new(numbers: &[f64]) -> Self {
        let mut out = Self::ZERO;
        out.0[..6].copy_from_slice(&numbers[..6]);
        out
    }

    /// The six numbers.
    #[inline(always)]
    pub(crate) fn six(&self) -> &[f64] {
        &self.0[..6]
    }

    /// self += scale × x.
    #[inline(always)]
    pub(crate) fn add_scaled(&mut self, scale: f64, x: &Self) {
        for k in 0..8 {
            self.0[k] += scale * x.0[k];
        }
    }

    /// Σ x y in four interleaved sums.
    #[inline(always)]
    pub(crate) fn dot(&self, y: &Self) -> f64 {
        let mut sums = [0.0; 4];
        for k in 0..4 {
            sums[k] = self.0[k] * y.0[k] + self.0[k + 4] * y.0[k + 4];
        }
        (sums[0] + sums[2]) + (sums[1] + sums[3])
    }
}

/// The bodies of trees that carry constraints, with all between them and their roots, parents
/// first. Others feel nothing but their own joints.
#[derive(Debug, Default)]
pub(crate) struct TreeSweeps {
    steps: Vec<Step>,
    axes: Vec<Spatial>,
    is_needed: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    body: usize,
    parent: Option<usize>,
    /// Degrees of freedom of the joint, inside the tree.
    first_dof: usize,
    dofs: usize,
    first_axis: usize,
}

impl TreeSweeps {
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.axes.clear();
    }

    /// Adds a tree with constraints on some bodies; returns the range of its steps.
    pub(crate) fn push(
        &mut self,
        tree: &Tree,
        touched: impl Iterator<Item = usize>,
    ) -> (usize, usize) {
        let first = self.steps.len();
        self.is_needed.clear();
        self.is_needed.resize(tree.bodies().len(), false);
        for body in touched {
            self.is_needed[body] = true;
        }
        for (index, body) in tree.bodies().iter().enumerate().rev() {
            if let Some(parent) = body.parent
                && self.is_needed[index]
            {
                self.is_needed[parent] = true;
            }
        }
        for (index, body) in tree.bodies().iter().enumerate() {
            if !self.is_needed[index] {
                continue;
            }
            let first_dof = tree.first_dof(index);
            self.steps.push(Step {
                body: index,
                parent: body.parent,
                first_dof,
                dofs: body.joint_dofs,
                first_axis: self.axes.len(),
            });
            let columns = &tree.columns()[first_dof..first_dof + body.joint_dofs];
            self.axes
                .extend(columns.iter().map(|column| Spatial::new(column.as_slice())));
        }
        (first, self.steps.len())
    }

    /// The sweep over some steps.
    #[inline(always)]
    pub(crate) fn of(&self, first: usize, end: usize) -> TreeSweep<'_> {
        TreeSweep {
            steps: &self.steps[first..end],
            axes: &self.axes,
        }
    }
}

/// The sweep over one tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeSweep<'a> {
    steps: &'a [Step],
    axes: &'a [Spatial],
}

impl TreeSweep<'_> {
    /// forces += Σ_b J_bᵀ w_b: from the leaves to the root, every body hands its wrench to its
    /// parent.
    #[inline(always)]
    pub(crate) fn collect(&self, wrenches: &mut [Spatial], forces: &mut [f64]) {
        for step in self.steps.iter().rev() {
            let wrench = wrenches[step.body];
            let axes = &self.axes[step.first_axis..step.first_axis + step.dofs];
            let forces = &mut forces[step.first_dof..step.first_dof + step.dofs];
            for (force, axis) in forces.iter_mut().zip(axes) {
                *force += axis.dot(&wrench);
            }
            if let Some(parent) = step.parent {
                wrenches[parent].add_scaled(1.0, &wrench);
            }
        }
    }

    /// velocities[b] = J_b v̂, from the root to the leaves.
    #[inline(always)]
    pub(crate) fn spread(&self, v: &[f64], velocities: &mut [Spatial]) {
        for step in self.steps {
            let mut velocity = step
                .parent
                .map_or(Spatial::ZERO, |parent| velocities[parent]);
            let axes = &self.axes[step.first_axis..step.first_axis + step.dofs];
            let own = &v[step.first_dof..step.first_dof + step.dofs];
            for (axis, &v) in axes.iter().zip(own) {
                velocity.add_scaled(v, axis);
            }
            velocities[step.body] = velocity;
        }
    }
}
