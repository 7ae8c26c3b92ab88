//! Contact nodalization: every constraint acts on nodes, its own or virtual ones, [COND, §III-A].

use stiction_constraints::{JointRows, Law, Problem, RowBlock};

use crate::settings::Gain;

/// Rows of a frame may be off from a rotation's by this much.
const ORTHONORMAL: f64 = 1e-9;

/// Where a constraint acts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Site {
    /// On a node, [COND, (13)].
    Node {
        /// First of its three degrees of freedom.
        first: usize,
        /// Weight × frame by rows.
        rows: [f64; 9],
        /// The weight's square: rows rowsᵀ = square · I.
        square: f64,
    },
    /// On a virtual node, whose velocity is in the constraint's own rows.
    Virtual(usize),
}

/// A node without mass that a damper of gain k_v holds to its place, [COND, (14)].
#[derive(Debug, Clone)]
pub(crate) struct VirtualNode {
    /// First of its degrees of freedom among those of all virtual nodes.
    pub(crate) first: usize,
    pub(crate) rows: usize,
    /// Its rows of J_v.
    segments: std::ops::Range<usize>,
    /// k_v, kg.
    pub(crate) gain: f64,
    /// First row of its constraint.
    pub(crate) constraint_row: usize,
}

/// A run of degrees of freedom that a virtual node hangs on.
#[derive(Debug, Clone, Copy)]
struct Segment {
    first_dof: usize,
    len: usize,
    first_value: usize,
}

/// What the contact solve needs of a constraint.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    pub(crate) law: Law,
    pub(crate) rows: usize,
    pub(crate) first_row: usize,
    sites: std::ops::Range<usize>,
}

/// All constraints of a problem on nodes.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) locals: Vec<Local>,
    sites: Vec<Site>,
    pub(crate) virtuals: Vec<VirtualNode>,
    segments: Vec<Segment>,
    values: Vec<f64>,
    /// Whether a constraint acts on a node directly already: Γ is diagonal where at most one does, and the
    /// others get virtual nodes.
    is_taken: Vec<bool>,
    row_count: usize,
}

impl Nodes {
    /// Nodalizes a problem. `starts` says where subsystems begin in the solver's own numbering.
    pub(crate) fn update(&mut self, problem: &Problem, rows: &JointRows, starts: &[usize]) {
        self.locals.clear();
        self.sites.clear();
        self.virtuals.clear();
        self.segments.clear();
        self.values.clear();
        self.is_taken.clear();
        let blocks = starts.last().map_or(0, |dofs| dofs / 3);
        self.is_taken.resize(blocks, false);
        self.row_count = 0;
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let first = self.sites.len();
            self.add_nodes(problem, index, starts);
            self.add_virtual_nodes(problem, index, rows, starts, first);
            self.locals.push(Local {
                law: constraint.law,
                rows: constraint.rows,
                first_row: constraint.first_row,
                sites: first..self.sites.len(),
            });
        }
    }

    /// Sites on nodes that are free: the only term on its subsystem, one node, three orthogonal directions.
    fn add_nodes(&mut self, problem: &Problem, index: usize, starts: &[usize]) {
        for (subsystem, block) in problem.terms(index) {
            let of_subsystem = problem.terms(index).filter(|(one, _)| *one == subsystem);
            if of_subsystem.count() > 1 {
                continue;
            }
            let Some((node, site)) = node_site(&block, starts[subsystem]) else {
                continue;
            };
            let is_taken = &mut self.is_taken[starts[subsystem] / 3 + node];
            if !*is_taken {
                *is_taken = true;
                self.sites.push(site);
            }
        }
    }

    /// A virtual node on every other subsystem that the constraint can move.
    fn add_virtual_nodes(
        &mut self,
        problem: &Problem,
        index: usize,
        rows: &JointRows,
        starts: &[usize],
        first_site: usize,
    ) {
        let constraint = &problem.constraints()[index];
        let dof_starts = problem.dof_starts();
        let mut segments = rows.segments(index).iter().peekable();
        while let Some(head) = segments.peek() {
            let subsystem = head.subsystem;
            let first_segment = self.segments.len();
            let direct = self.sites[first_site..].iter().any(|site| {
                matches!(site, Site::Node { first, .. }
                    if (starts[subsystem]..starts[subsystem + 1]).contains(first))
            });
            let mut is_movable = false;
            while let Some(segment) = segments.next_if(|next| next.subsystem == subsystem) {
                let values = rows.values(index, segment);
                if direct {
                    continue;
                }
                is_movable |= values.iter().any(|&value| value != 0.0);
                self.segments.push(Segment {
                    first_dof: starts[subsystem] + segment.first_dof - dof_starts[subsystem],
                    len: segment.len,
                    first_value: self.values.len(),
                });
                self.values.extend_from_slice(values);
            }
            if is_movable {
                self.push_virtual(constraint.rows, constraint.first_row, first_segment);
            } else {
                self.segments.truncate(first_segment);
            }
        }
        if self.sites.len() == first_site {
            // Nothing that it acts on can move: a node of its own, held to rest.
            let first_segment = self.segments.len();
            self.push_virtual(constraint.rows, constraint.first_row, first_segment);
        }
    }

    fn push_virtual(&mut self, rows: usize, constraint_row: usize, first_segment: usize) {
        self.sites.push(Site::Virtual(self.virtuals.len()));
        self.virtuals.push(VirtualNode {
            first: self.row_count,
            rows,
            segments: first_segment..self.segments.len(),
            gain: 1.0,
            constraint_row,
        });
        self.row_count += rows;
    }

    /// Sets the gains; `diagonal` is that of A.
    pub(crate) fn set_gains(&mut self, gain: Gain, diagonal: &[f64]) {
        for index in 0..self.virtuals.len() {
            let gain = match gain {
                Gain::Absolute(gain) => gain,
                Gain::Relative(multiple) => {
                    let mut compliance: f64 = 0.0;
                    for row in 0..self.virtuals[index].rows {
                        self.for_each(index, row, |dof, value| {
                            compliance += value * value / diagonal[dof];
                        });
                    }
                    let mass = self.virtuals[index].rows as f64 / compliance;
                    match mass.is_finite() && mass > 0.0 {
                        true => multiple * mass,
                        false => multiple,
                    }
                }
            };
            self.virtuals[index].gain = gain;
        }
    }

    /// Degrees of freedom of all virtual nodes.
    pub(crate) fn virtual_count(&self) -> usize {
        self.row_count
    }

    /// Numbers that products with J_v multiply with.
    pub(crate) fn entry_count(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn sites(&self, local: &Local) -> &[Site] {
        &self.sites[local.sites.clone()]
    }

    /// First degree of freedom of every node that a constraint acts on directly.
    pub(crate) fn direct_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.sites.iter().filter_map(|site| match site {
            Site::Node { first, .. } => Some(*first),
            Site::Virtual(_) => None,
        })
    }

    /// Calls `visit(dof, value)` for the numbers of a row of a virtual node.
    pub(crate) fn for_each(&self, index: usize, row: usize, mut visit: impl FnMut(usize, f64)) {
        for segment in &self.segments[self.virtuals[index].segments.clone()] {
            let first = segment.first_value + row * segment.len;
            let values = &self.values[first..first + segment.len];
            for (offset, &value) in values.iter().enumerate() {
                visit(segment.first_dof + offset, value);
            }
        }
    }

    /// out = J_v v.
    pub(crate) fn follow(&self, v: &[f64], out: &mut [f64]) {
        for (index, node) in self.virtuals.iter().enumerate() {
            for row in 0..node.rows {
                let mut sum = 0.0;
                self.for_each(index, row, |dof, value| sum += value * v[dof]);
                out[node.first + row] = sum;
            }
        }
    }

    /// out −= J_vᵀ p.
    pub(crate) fn pull_back(&self, p: &[f64], out: &mut [f64]) {
        for (index, node) in self.virtuals.iter().enumerate() {
            for row in 0..node.rows {
                let force = p[node.first + row];
                if force != 0.0 {
                    self.for_each(index, row, |dof, value| out[dof] -= value * force);
                }
            }
        }
    }

    /// By how much the law's velocity of a constraint differs from J v̂ for each unit of impulse: Σ 1/k_v, 1/kg.
    pub(crate) fn lag(&self, local: &Local) -> f64 {
        let sites = self.sites(local).iter();
        sites
            .map(|site| match site {
                Site::Node { .. } => 0.0,
                Site::Virtual(index) => 1.0 / self.virtuals[*index].gain,
            })
            .sum()
    }
}

/// The node of a block of one node and three directions at right angles.
fn node_site(block: &RowBlock<'_>, start: usize) -> Option<(usize, Site)> {
    let RowBlock::Nodes {
        nodes: &[node],
        weights: &[weight],
        frame,
    } = *block
    else {
        return None;
    };
    let frame: &[f64; 9] = frame.try_into().ok()?;
    for i in 0..3 {
        for j in 0..=i {
            let product: f64 = (0..3).map(|k| frame[3 * i + k] * frame[3 * j + k]).sum();
            let wanted = if i == j { 1.0 } else { 0.0 };
            if !((product - wanted).abs() <= ORTHONORMAL) {
                return None;
            }
        }
    }
    (weight != 0.0).then_some((
        node,
        Site::Node {
            first: start + 3 * node,
            rows: frame.map(|entry| weight * entry),
            square: weight * weight,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: [f64; 9] = [0.6, 0.8, 0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 1.0];

    #[test]
    fn one_node_with_right_angles_is_nodal_and_others_are_not() {
        let block = |nodes: &'static [usize], weights: &'static [f64], frame: &'static [f64]| {
            node_site(
                &RowBlock::Nodes {
                    nodes,
                    weights,
                    frame,
                },
                9,
            )
        };
        let (node, site) = block(&[2], &[-1.0], &FRAME).unwrap();
        assert!(matches!(site, Site::Node { first: 15, square, .. } if square == 1.0));
        assert_eq!(node, 2);
        assert!(block(&[1, 2], &[0.5, 0.5], &FRAME).is_none());
        assert!(block(&[2], &[1.0], &[1.0, 0.0, 0.0]).is_none());
        const SKEW: [f64; 9] = [1.0, 0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        assert!(block(&[2], &[1.0], &SKEW).is_none());
    }
}
