//! What follows from the parent array alone.

use super::Link;

/// Marks a degree of freedom without a parent.
pub(crate) const NO_DOF: usize = usize::MAX;

/// Index structure of the tree, for bodies (0 is the world) and for degrees of freedom.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    /// One past the last body of the subtree of each body.
    pub(crate) subtree_end: Vec<usize>,
    /// First body with mass in the tree of each body. Its origin is the point at which world-axes
    /// quantities of that tree are expressed: near the robot, wherever the robot is.
    pub(crate) reference_body: Vec<usize>,
    /// The degree of freedom above each one ([`NO_DOF`] at a root): the previous one of the same
    /// joint or the last one of the closest moving ancestor, [RBDA, section 6.5]'s expanded λ.
    pub(crate) dof_parent: Vec<usize>,
    /// Number of degrees of freedom above each one.
    pub(crate) dof_depth: Vec<usize>,
    /// The body that each degree of freedom moves.
    pub(crate) dof_body: Vec<usize>,
    /// Last degree of freedom of each body, [`NO_DOF`] for the world.
    pub(crate) last_dof: Vec<usize>,
    /// Where the joint-space block (nv × nv) of each body starts in an array of all of them.
    pub(crate) pivot_start: Vec<usize>,
    /// Length of that array.
    pub(crate) n_pivots: usize,
    /// Links in an order for passes over the tree, those nearer to the root first; each tree has the places of its
    /// own links.
    pub(crate) pass_order: Vec<usize>,
}

/// Links of a tree that passes take level by level. Limbs then alternate, and a processor works on one while it waits
/// for what the next link of the other needs; larger trees are passed through limb by limb, as they lie in memory.
const LEVELLED: usize = 256;

impl Topology {
    pub(crate) fn new(links: &[Link]) -> Self {
        let n = links.len() + 1;
        let mut topology = Self {
            subtree_end: (1..=n).collect(),
            reference_body: vec![0; n],
            dof_parent: Vec::new(),
            dof_depth: Vec::new(),
            dof_body: Vec::new(),
            last_dof: vec![NO_DOF; n],
            pivot_start: vec![0; n],
            n_pivots: 0,
            pass_order: (0..links.len()).collect(),
        };
        for i in (1..n).rev() {
            let parent = links[i - 1].parent;
            let end = topology.subtree_end[i];
            topology.subtree_end[parent] = topology.subtree_end[parent].max(end);
        }
        for i in 1..n {
            let link = &links[i - 1];
            topology.reference_body[i] = match link.parent {
                0 => (i..topology.subtree_end[i])
                    .find(|&j| links[j - 1].inertia.mass > 0.0)
                    .unwrap_or(i),
                parent => topology.reference_body[parent],
            };
            let mut above = topology.last_dof[link.parent];
            for dof in link.v() {
                let depth = if above == NO_DOF {
                    0
                } else {
                    topology.dof_depth[above] + 1
                };
                topology.dof_parent.push(above);
                topology.dof_depth.push(depth);
                topology.dof_body.push(i);
                above = dof;
            }
            topology.last_dof[i] = above;
            topology.pivot_start[i] = topology.n_pivots;
            topology.n_pivots += link.joint.nv() * link.joint.nv();
        }
        let mut depth = vec![0; n];
        for i in 1..n {
            depth[i] = depth[links[i - 1].parent] + 1;
        }
        let mut root = 1;
        while root < n {
            let end = topology.subtree_end[root];
            if end - root <= LEVELLED {
                topology.pass_order[root - 1..end - 1].sort_by_key(|&k| depth[k + 1]);
            }
            root = end;
        }
        topology
    }

    /// One past the last body of the tree that starts at `root`; 0 if there is no such body.
    pub(crate) fn tree_end(&self, root: usize) -> usize {
        self.subtree_end.get(root).copied().unwrap_or(0)
    }
}
