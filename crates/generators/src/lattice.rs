//! A deformable bar as a lattice of springs.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::{Law, Problem, ProblemError, RowBlock, SparseSymmetric};

use crate::GRAVITY;
use crate::geometry::{contact_frame, refuse};
use crate::sampling::{normal_vector, seeded};

/// A bar of nodes 10 mm apart, springs to all neighbours, one implicit step of 10 ms.
#[derive(Debug, Clone, PartialEq)]
pub struct LatticeParams {
    /// Nodes along x, y and z.
    pub nodes: [usize; 3],
    /// Stiffness of the material in Pa.
    pub modulus: f64,
    /// Friction coefficient of the floor.
    pub friction: f64,
    /// Number of pieces along x: each is a subsystem of its own, and the nodes on a cut exist
    /// twice and are tied by equality rows. The velocity is the same for any number of pieces.
    pub pieces: usize,
    /// Seed of the velocities before the step.
    pub seed: u64,
}

impl Default for LatticeParams {
    fn default() -> Self {
        Self {
            nodes: [20, 5, 5],
            modulus: 2e5,
            friction: 0.4,
            pieces: 1,
            seed: 0,
        }
    }
}

/// Distance between neighbouring nodes in m.
const SPACING: f64 = 0.01;
/// Time step in s.
const STEP: f64 = 0.01;
/// Mass density in kg/m³.
const DENSITY: f64 = 1000.0;

/// Towards the neighbours of a node, each pair once.
const NEIGHBOURS: [[isize; 3]; 9] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
];

/// A bar of springs as sparse subsystems, every node of its lowest layer in contact with a wavy
/// floor.
///
/// # Errors
/// No nodes, more pieces than there are nodes to cut between, or a law parameter that makes no
/// sense.
pub fn lattice(params: &LatticeParams) -> Result<Problem, ProblemError> {
    let [nx, ny, nz] = params.nodes;
    if nx == 0 || ny == 0 || nz == 0 {
        return Err(refuse("nodes", nx.min(ny).min(nz), "must be positive"));
    }
    if params.pieces == 0 || params.pieces > nx.saturating_sub(1).max(1) {
        return Err(refuse("pieces", params.pieces, "does not fit the nodes"));
    }
    let mut rng = seeded(params.seed);
    let velocities: Vec<Vector3<f64>> = (0..nx * ny * nz)
        .map(|_| Vector3::new(0.3, 0.1, -0.2) + 0.3 * normal_vector::<3>(&mut rng))
        .collect();
    let bar = Bar::new(params);
    let mut problem = Problem::new();
    for piece in 0..params.pieces {
        bar.push_piece(&mut problem, piece, params.modulus, &velocities)?;
    }
    let law = Law::Contact {
        friction: params.friction,
    };
    for (node, place) in bar.places.iter().enumerate().filter(|(_, p)| p[2] == 0) {
        let slope = 0.2 * (6.0 * place[0] as f64 / nx as f64).sin();
        let frame = contact_frame(&Vector3::new(slope, 0.0, 1.0)).transpose();
        let piece = bar.first_piece(place[0]);
        let block = RowBlock::Nodes {
            nodes: &[bar.local[piece][&node]],
            weights: &[1.0],
            frame: frame.as_slice(),
        };
        problem.push_constraint(law, &[0.0; 3], &[(piece, block)])?;
    }
    for piece in 1..params.pieces {
        for (node, _) in bar
            .places
            .iter()
            .enumerate()
            .filter(|(_, p)| p[0] == bar.cuts[piece])
        {
            bar.tie(&mut problem, node, piece)?;
        }
    }
    Ok(problem)
}

/// Where the nodes are and which piece knows them.
struct Bar {
    places: Vec<[usize; 3]>,
    size: [usize; 3],
    /// First plane of every piece, and the last plane of all.
    cuts: Vec<usize>,
    /// Node → node inside the piece.
    local: Vec<BTreeMap<usize, usize>>,
}

impl Bar {
    fn new(params: &LatticeParams) -> Self {
        let [nx, ny, nz] = params.nodes;
        let places: Vec<[usize; 3]> = (0..nx * ny * nz)
            .map(|node| [node / (ny * nz), node / nz % ny, node % nz])
            .collect();
        let cuts: Vec<usize> = (0..=params.pieces)
            .map(|piece| (nx - 1) * piece / params.pieces)
            .collect();
        let local = (0..params.pieces)
            .map(|piece| {
                (0..places.len())
                    .filter(|&node| (cuts[piece]..=cuts[piece + 1]).contains(&places[node][0]))
                    .enumerate()
                    .map(|(inside, node)| (node, inside))
                    .collect()
            })
            .collect();
        Self {
            places,
            size: params.nodes,
            cuts,
            local,
        }
    }

    fn first_piece(&self, plane: usize) -> usize {
        self.cuts[1..]
            .iter()
            .position(|&cut| plane <= cut)
            .unwrap_or(0)
    }

    /// How many pieces share everything between two planes (1 or 2).
    fn sharers(&self, low: usize, high: usize) -> f64 {
        self.cuts
            .windows(2)
            .filter(|cut| cut[0] <= low && high <= cut[1])
            .count() as f64
    }

    fn neighbour(&self, place: [usize; 3], step: [isize; 3]) -> Option<usize> {
        let mut other = [0; 3];
        for axis in 0..3 {
            other[axis] = place[axis]
                .checked_add_signed(step[axis])
                .filter(|&at| at < self.size[axis])?;
        }
        Some((other[0] * self.size[1] + other[1]) * self.size[2] + other[2])
    }

    /// A = M + Δt² K and b = M v + M g Δt of one piece; what two pieces share is halved.
    fn push_piece(
        &self,
        problem: &mut Problem,
        piece: usize,
        modulus: f64,
        velocities: &[Vector3<f64>],
    ) -> Result<usize, ProblemError> {
        let inside = &self.local[piece];
        let mut entries = Vec::new();
        let mut b = vec![0.0; 3 * inside.len()];
        for (&node, &at) in inside {
            let place = self.places[node];
            let mass = DENSITY * SPACING.powi(3) / self.sharers(place[0], place[0]);
            let momentum = mass * (velocities[node] - Vector3::z() * GRAVITY * STEP);
            for axis in 0..3 {
                entries.push((3 * at + axis, 3 * at + axis, mass));
                b[3 * at + axis] = momentum[axis];
            }
            for step in NEIGHBOURS {
                let Some(other) = self.neighbour(place, step) else {
                    continue;
                };
                let Some(&there) = inside.get(&other) else {
                    continue;
                };
                let far = self.places[other][0];
                let direction = Vector3::from_fn(|axis, _| step[axis] as f64).normalize();
                let stiffness = (direction * direction.transpose() + 0.1 * Matrix3::identity())
                    * (modulus * SPACING * STEP * STEP
                        / self.sharers(place[0].min(far), place[0].max(far)));
                push_spring(&mut entries, at, there, &stiffness);
            }
        }
        let matrix = SparseSymmetric::from_lower_entries(b.len(), &entries)
            .map_err(|reason| refuse("lattice", piece, &reason))?;
        problem.push_sparse(matrix, &b)
    }

    /// Ties the two copies of a node on the cut before a piece.
    fn tie(&self, problem: &mut Problem, node: usize, piece: usize) -> Result<(), ProblemError> {
        let identity = Matrix3::<f64>::identity();
        let block = |of: usize, weight: &'static [f64]| (of, [self.local[of][&node]], weight);
        let (near, far) = (block(piece - 1, &[1.0]), block(piece, &[-1.0]));
        let rows = [&near, &far].map(|(of, nodes, weights)| {
            (
                *of,
                RowBlock::Nodes {
                    nodes,
                    weights,
                    frame: identity.as_slice(),
                },
            )
        });
        problem.push_constraint(Law::Equality, &[0.0; 3], &rows)?;
        Ok(())
    }
}

/// Lower-triangle entries of a spring between two nodes.
fn push_spring(
    entries: &mut Vec<(usize, usize, f64)>,
    a: usize,
    b: usize,
    stiffness: &Matrix3<f64>,
) {
    let (low, high) = (a.min(b), a.max(b));
    for i in 0..3 {
        for j in 0..3 {
            if j <= i {
                entries.push((3 * low + i, 3 * low + j, stiffness[(i, j)]));
                entries.push((3 * high + i, 3 * high + j, stiffness[(i, j)]));
            }
            entries.push((3 * high + i, 3 * low + j, -stiffness[(i, j)]));
        }
    }
}
