//! A kinematic tree as the problem layer sees it: parents, motion subspaces, inertias.

use nalgebra::{Matrix6, Vector6};
use serde::{Deserialize, Serialize};

use super::{are_finite, check_symmetric, is_plainly_symmetric};

/// One body of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeBody {
    /// Parent body, `None` when the joint hangs on the ground. Parents come before children.
    pub parent: Option<usize>,
    /// Number of degrees of freedom of the joint that carries this body (0 for a fixed joint).
    pub joint_dofs: usize,
    /// Spatial inertia, (linear, angular), world axes at the tree's reference point, divided by
    /// (1 − θ).
    pub inertia: Matrix6<f64>,
}

/// A kinematic tree: everything is expressed in world axes at one reference point near the tree,
/// so that composite inertias are plain sums and a robot far from the origin loses no digits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TreeData", into = "TreeData")]
pub struct Tree {
    bodies: Vec<TreeBody>,
    columns: Vec<Vector6<f64>>,
    diagonal: Vec<f64>,
    /// First dof of each body.
    first_dof: Vec<usize>,
    /// Nearest dof towards the root, for each dof.
    dof_parent: Vec<Option<usize>>,
    /// Deepest dof that moves each body.
    body_dof: Vec<Option<usize>>,
    /// Start of each dof's packed row: [dof, parent dof, grandparent dof, …].
    row_start: Vec<usize>,
    /// The dofs of each packed row.
    packed_path: Vec<usize>,
}

/// What a tree is in a file: everything else follows from it.
#[derive(Serialize, Deserialize)]
struct TreeData {
    bodies: Vec<TreeBody>,
    columns: Vec<Vector6<f64>>,
    diagonal: Vec<f64>,
}

impl TryFrom<TreeData> for Tree {
    type Error = String;

    fn try_from(data: TreeData) -> Result<Self, String> {
        Tree::new(data.bodies, data.columns, data.diagonal)
    }
}

impl From<Tree> for TreeData {
    fn from(tree: Tree) -> Self {
        Self {
            bodies: tree.bodies,
            columns: tree.columns,
            diagonal: tree.diagonal,
        }
    }
}

impl Tree {
    /// Builds a tree from its bodies, the motion-subspace column of every degree of freedom
    /// (linear, angular; in the order of bodies) and the joint-space diagonal (armature,
    /// implicit damping and gains).
    ///
    /// # Errors
    /// A parent that does not come before its child, or lengths that do not fit.
    pub fn new(
        bodies: Vec<TreeBody>,
        columns: Vec<Vector6<f64>>,
        diagonal: Vec<f64>,
    ) -> Result<Self, String> {
        let dofs = bodies
            .iter()
            .try_fold(0usize, |sum, body| sum.checked_add(body.joint_dofs))
            .ok_or("the joints have more degrees of freedom than can be counted")?;
        if columns.len() != dofs {
            return Err(format!(
                "the joints have {dofs} degrees of freedom but {} motion columns were given",
                columns.len()
            ));
        }
        if diagonal.len() != dofs {
            return Err(format!(
                "the joints have {dofs} degrees of freedom but {} diagonal terms were given",
                diagonal.len()
            ));
        }
        let (mut first_dof, mut dof_parent, mut body_dof) = (Vec::new(), Vec::new(), Vec::new());
        for (index, body) in bodies.iter().enumerate() {
            let mut above = match body.parent {
                None => None,
                Some(parent) if parent < index => body_dof[parent],
                Some(parent) => {
                    return Err(format!(
                        "body {index}: its parent {parent} must come before it"
                    ));
                }
            };
            first_dof.push(dof_parent.len());
            for _ in 0..body.joint_dofs {
                dof_parent.push(above);
                above = Some(dof_parent.len() - 1);
            }
            body_dof.push(above);
        }
        let (mut row_start, mut packed_path) = (vec![0], Vec::new());
        for dof in 0..dofs {
            packed_path.push(dof);
            if let Some(parent) = dof_parent[dof] {
                packed_path.extend_from_within(row_start[parent]..row_start[parent + 1]);
            }
            row_start.push(packed_path.len());
        }
        Ok(Self {
            bodies,
            columns,
            diagonal,
            first_dof,
            dof_parent,
            body_dof,
            row_start,
            packed_path,
        })
    }

    /// The bodies, parents before children.
    #[inline]
    pub fn bodies(&self) -> &[TreeBody] {
        &self.bodies
    }

    /// Sets a body's spatial inertia in place (world axes at the reference point).
    pub fn set_inertia(&mut self, body: usize, inertia: Matrix6<f64>) {
        self.bodies[body].inertia = inertia;
    }

    /// Motion-subspace columns, (linear, angular), one per degree of freedom.
    #[inline]
    pub fn columns(&self) -> &[Vector6<f64>] {
        &self.columns
    }

    /// Motion-subspace columns, to be changed in place.
    pub fn columns_mut(&mut self) -> &mut [Vector6<f64>] {
        &mut self.columns
    }

    /// Joint-space diagonal added to the inertia (armature, implicit damping and gains).
    #[inline]
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Joint-space diagonal, to be changed in place.
    pub fn diagonal_mut(&mut self) -> &mut [f64] {
        &mut self.diagonal
    }

    /// Number of degrees of freedom.
    #[inline]
    pub fn dof_count(&self) -> usize {
        self.columns.len()
    }

    /// First degree of freedom of a body's joint.
    #[inline]
    pub fn first_dof(&self, body: usize) -> usize {
        self.first_dof[body]
    }

    /// Nearest degree of freedom towards the root.
    pub fn dof_parent(&self, dof: usize) -> Option<usize> {
        self.dof_parent[dof]
    }

    /// Deepest degree of freedom that moves a body, `None` for a body fixed to the ground.
    #[inline]
    pub fn body_dof(&self, body: usize) -> Option<usize> {
        self.body_dof[body]
    }

    /// Start of each dof's row in packed branch-sparse storage: row `i` holds the entries of
    /// dof i against i itself, its parent dof, its grandparent dof, … up to the root.
    pub fn packed_row_start(&self) -> &[usize] {
        &self.row_start
    }

    /// The dofs of all packed rows, see [`packed_row_start`](Self::packed_row_start).
    pub fn packed_path(&self) -> &[usize] {
        &self.packed_path
    }

    /// A dof and all dofs between it and the root, deepest first.
    pub fn path(&self, dof: Option<usize>) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let range = dof.map_or(0..0, |dof| self.row_start[dof]..self.row_start[dof + 1]);
        self.packed_path[range].iter().copied()
    }

    /// Whether another tree has the same bodies, joints and so the same packed pattern.
    pub fn same_pattern(&self, other: &Tree) -> bool {
        self.dof_parent == other.dof_parent
            && self.body_dof == other.body_dof
            && self.first_dof == other.first_dof
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        for (index, body) in self.bodies.iter().enumerate() {
            if is_plainly_symmetric(6, |i, j| body.inertia[(i, j)]) {
                continue;
            }
            // A body may be massless inside a tree as long as the tree as a whole has inertia.
            if let Some(value) = body.inertia.iter().find(|value| !value.is_finite()) {
                return Err(format!("body {index}: its inertia holds {value}"));
            }
            if body.inertia.iter().any(|&value| value != 0.0) {
                check_symmetric(6, |i, j| body.inertia[(i, j)])
                    .map_err(|reason| format!("body {index}: inertia: {reason}"))?;
            }
        }
        for (dof, column) in self.columns.iter().enumerate() {
            if !are_finite(column.as_slice()) {
                return Err(format!("motion column of dof {dof} is not finite"));
            }
            if column.iter().all(|&value| value == 0.0) {
                return Err(format!("motion column of dof {dof} is zero"));
            }
            let diagonal = self.diagonal[dof];
            if !(diagonal.is_finite() && diagonal >= 0.0) {
                return Err(format!(
                    "joint-space diagonal of dof {dof} = {diagonal} must be finite and not negative"
                ));
            }
        }
        Ok(())
    }
}
