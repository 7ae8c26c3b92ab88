//! Meshes and runs that several tests use.
#![allow(dead_code, reason = "each test takes what it needs")]

use nalgebra::{Matrix3, Rotation3, Vector3};
use stiction_deformable::TetMesh;
use stiction_deformable::fem::{
    FemModel, FemSettings, FreeStepReport, HessianPolicy, Material, StepStart, Stepper,
};

/// A box of cells of five tetrahedra, alternating; its first corner in the origin.
pub(crate) fn five_tet_box(sides: [f64; 3], cells: [usize; 3]) -> TetMesh {
    let grid = Grid { sides, cells };
    let mut tets = Vec::new();
    grid.for_each_cell(|cell, corner| {
        let is_odd = cell.iter().sum::<usize>() % 2 == 1;
        let (inner, outer) = ([0, 6, 5, 3], [4, 2, 1, 7]);
        let (inner, outer) = if is_odd {
            (outer, inner)
        } else {
            (inner, outer)
        };
        tets.push(inner.map(&corner));
        for tip in outer {
            tets.push([tip, tip ^ 1, tip ^ 2, tip ^ 4].map(&corner));
        }
    });
    oriented(grid.nodes(), tets)
}

/// A box of a body-centred lattice: a node in the middle of each cell, tetrahedra around each edge of the
/// faces between cells, faces of the surface halved.
pub(crate) fn bcc_box(sides: [f64; 3], cells: [usize; 3]) -> TetMesh {
    let grid = Grid { sides, cells };
    let mut nodes = grid.nodes();
    let first = nodes.len();
    let number = |cell: [usize; 3]| first + (cell[0] * cells[1] + cell[1]) * cells[2] + cell[2];
    grid.for_each_cell(|cell, _| {
        nodes.push(Vector3::from_fn(|a, _| {
            sides[a] * (cell[a] as f64 + 0.5) / cells[a] as f64
        }));
    });
    let mut tets = Vec::new();
    grid.for_each_cell(|cell, corner| {
        let own = number(cell) as u32;
        for axis in 0..3 {
            let (u, v) = (4 >> ((axis + 1) % 3), 4 >> ((axis + 2) % 3));
            for far in [0, 4 >> axis] {
                let quad = [far, far | u, far | u | v, far | v].map(&corner);
                let beyond = if far == 0 {
                    cell[axis] == 0
                } else {
                    cell[axis] + 1 == cells[axis]
                };
                if beyond {
                    // The diagonal from face to face, so that the surface has no handedness.
                    let shift = cell.iter().sum::<usize>() % 2;
                    let q = |k: usize| quad[(k + shift) % 4];
                    tets.push([own, q(0), q(1), q(2)]);
                    tets.push([own, q(0), q(2), q(3)]);
                } else if far != 0 {
                    let mut next = cell;
                    next[axis] += 1;
                    for k in 0..4 {
                        tets.push([own, number(next) as u32, quad[k], quad[(k + 1) % 4]]);
                    }
                }
            }
        }
    });
    oriented(nodes, tets)
}

struct Grid {
    sides: [f64; 3],
    cells: [usize; 3],
}

impl Grid {
    fn nodes(&self) -> Vec<Vector3<f64>> {
        let [nx, ny, nz] = self.cells;
        let mut nodes = Vec::new();
        for (i, j, k) in
            (0..=nx).flat_map(|i| (0..=ny).flat_map(move |j| (0..=nz).map(move |k| (i, j, k))))
        {
            let at = [i, j, k];
            nodes.push(Vector3::from_fn(|a, _| {
                self.sides[a] * at[a] as f64 / self.cells[a] as f64
            }));
        }
        nodes
    }

    /// Calls with each cell and what its eight corners are: bits 4, 2, 1 for x, y, z.
    fn for_each_cell(&self, mut visit: impl FnMut([usize; 3], &dyn Fn(usize) -> u32)) {
        let [nx, ny, nz] = self.cells;
        for (i, j, k) in
            (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k))))
        {
            let corner = |bits: usize| {
                let [i, j, k] = [i + (bits >> 2 & 1), j + (bits >> 1 & 1), k + (bits & 1)];
                ((i * (ny + 1) + j) * (nz + 1) + k) as u32
            };
            visit([i, j, k], &corner);
        }
    }
}

fn oriented(nodes: Vec<Vector3<f64>>, mut tets: Vec<[u32; 4]>) -> TetMesh {
    for tet in &mut tets {
        let [a, b, c, d] = tet.map(|node| nodes[node as usize]);
        if (b - a).cross(&(c - a)).dot(&(d - a)) < 0.0 {
            tet.swap(0, 1);
        }
    }
    TetMesh::new(nodes, tets).unwrap()
}

/// Numbers between −1 and 1, always the same.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Positions moved by a function.
pub(crate) fn moved(x: &[f64], by: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Vec<f64> {
    let nodes = x
        .chunks_exact(3)
        .map(|x| by(Vector3::new(x[0], x[1], x[2])));
    nodes.flat_map(|x| [x.x, x.y, x.z]).collect()
}

pub(crate) fn at(values: &[f64], node: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&values[3 * node..3 * node + 3])
}

pub(crate) fn turn(axis: [f64; 3], angle: f64) -> Matrix3<f64> {
    let axis = nalgebra::Unit::new_normalize(Vector3::from(axis));
    Rotation3::from_axis_angle(&axis, angle).into_inner()
}

pub(crate) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// A body on its own with its state.
pub(crate) struct Run {
    pub(crate) stepper: Stepper,
    pub(crate) x: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) force: Vec<f64>,
    pub(crate) gravity: Vector3<f64>,
    pub(crate) time_step: f64,
    pub(crate) theta: f64,
}

impl Run {
    pub(crate) fn new(
        mesh: &TetMesh,
        material: Material,
        settings: FemSettings,
        time_step: f64,
    ) -> Self {
        let model = FemModel::new(mesh, material).unwrap();
        let x = model.rest_positions().to_vec();
        Self {
            v: vec![0.0; x.len()],
            x,
            force: Vec::new(),
            gravity: Vector3::zeros(),
            stepper: Stepper::new(model, settings).unwrap(),
            time_step,
            theta: 0.0,
        }
    }

    pub(crate) fn step(&mut self) -> FreeStepReport {
        let start = StepStart {
            x: &self.x,
            v: &self.v,
            force: &self.force,
            gravity: self.gravity,
            time_step: self.time_step,
            theta: self.theta,
        };
        let report = self.stepper.step(&start).unwrap();
        self.x.copy_from_slice(self.stepper.positions());
        self.v.copy_from_slice(self.stepper.velocities());
        report
    }

    pub(crate) fn model(&self) -> &FemModel {
        self.stepper.body().model()
    }

    pub(crate) fn energy(&self) -> f64 {
        self.model().kinetic_energy(&self.v) + self.model().elastic_energy(&self.x).unwrap()
    }

    /// Linear and angular momentum.
    pub(crate) fn momentum(&self) -> [Vector3<f64>; 2] {
        let mut sums = [Vector3::zeros(); 2];
        for (node, &mass) in self.model().masses().iter().enumerate() {
            let momentum = at(&self.v, node) * mass;
            sums[0] += momentum;
            sums[1] += at(&self.x, node).cross(&momentum);
        }
        sums
    }

    /// Spins about z through the middle, rad/s.
    pub(crate) fn spin(&mut self, rate: f64) {
        let nodes = self.x.len() / 3;
        let middle = (0..nodes)
            .map(|node| at(&self.x, node))
            .sum::<Vector3<f64>>()
            / nodes as f64;
        self.v = moved(&self.x, |x| {
            Vector3::new(0.0, 0.0, rate).cross(&(x - middle))
        });
    }
}

pub(crate) fn with_policy(hessian: HessianPolicy, strict_ledger: bool) -> FemSettings {
    FemSettings {
        hessian,
        strict_ledger,
        ..FemSettings::default()
    }
}
