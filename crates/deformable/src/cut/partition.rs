//! Recursive bisection of a mesh's tetrahedra.
//!
//! A part is halved across its longest direction, which makes short seams; what that leaves in several
//! components is put together again, and the seam is smoothed. All choices are by numbers of tetrahedra
//! where they would be ties.

use nalgebra::linalg::SymmetricEigen;
use nalgebra::{Matrix3, Vector3};

use crate::mesh::TetMesh;

/// No neighbour behind a face.
const OUTSIDE: u32 = u32::MAX;

/// Rounds of smoothing a seam; more change little.
const SMOOTHING_ROUNDS: usize = 4;

struct Bisector<'a> {
    mesh: &'a TetMesh,
    centers: Vec<Vector3<f64>>,
    /// The tetrahedron behind each face.
    neighbours: Vec<[u32; 4]>,
    limit: usize,
    /// Which half each tetrahedron of the present part is in.
    side: Vec<Side>,
    /// When each node was counted last.
    counted: Vec<u32>,
    count: u32,
    pieces: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Elsewhere,
    First,
    Second,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            Self::Elsewhere => Self::Elsewhere,
        }
    }
}

/// The tetrahedra of each piece, ascending; pieces have at most `limit` nodes (or one tetrahedron).
pub(super) fn partition(mesh: &TetMesh, limit: usize) -> Vec<Vec<u32>> {
    let center = |corners: &[u32; 4]| {
        corners
            .iter()
            .map(|&node| mesh.nodes()[node as usize])
            .sum::<Vector3<f64>>()
            / 4.0
    };
    let mut bisector = Bisector {
        mesh,
        centers: mesh.tets().iter().map(center).collect(),
        neighbours: neighbours(mesh.tets()),
        limit,
        side: vec![Side::Elsewhere; mesh.tets().len()],
        counted: vec![0; mesh.nodes().len()],
        count: 0,
        pieces: Vec::new(),
    };
    bisector.divide((0..mesh.tets().len() as u32).collect());
    bisector.pieces
}

/// The tetrahedra behind the faces of each, [`OUTSIDE`] on the surface. Face k lies opposite to corner k.
pub(super) fn neighbours(tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut faces: Vec<([u32; 3], u32, u8)> = Vec::with_capacity(4 * tets.len());
    for (tet, corners) in tets.iter().enumerate() {
        for opposite in 0..4 {
            let mut face = [1, 2, 3].map(|k| corners[(opposite + k) % 4]);
            face.sort_unstable();
            faces.push((face, tet as u32, opposite as u8));
        }
    }
    faces.sort_unstable();
    let mut neighbours = vec![[OUTSIDE; 4]; tets.len()];
    for pair in faces.windows(2) {
        let [(first, a, i), (second, b, j)] = [pair[0], pair[1]];
        if first == second {
            neighbours[a as usize][i as usize] = b;
            neighbours[b as usize][j as usize] = a;
        }
    }
    neighbours
}

/// Whether a face has nothing behind it.
pub(super) fn is_outside(neighbour: u32) -> bool {
    neighbour == OUTSIDE
}

/// About how many pieces of `limit` nodes hold a part of more: seams double their nodes, so pieces are
/// counted as blocks of cells, which have a node less in each direction.
fn pieces_needed(nodes: usize, limit: usize) -> usize {
    let cells = |nodes: usize| ((nodes as f64).cbrt() - 1.0).powi(3);
    ((cells(nodes) / cells(limit)).ceil() as usize).clamp(2, nodes)
}

impl Bisector<'_> {
    /// Halves a part until its pieces are small enough. Without recursion: a stack of parts.
    fn divide(&mut self, whole: Vec<u32>) {
        let mut parts = vec![whole];
        while let Some(mut part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            let nodes = self.count_nodes(&part);
            if nodes <= self.limit || part.len() == 1 {
                part.sort_unstable();
                self.pieces.push(part);
                continue;
            }
            // Three pieces are cut 1 : 2, not 1 : 1 : 2.
            let pieces = pieces_needed(nodes, self.limit);
            let (first, second) = self.halve(part, pieces / 2, pieces);
            parts.push(second);
            parts.push(first);
        }
    }

    fn count_nodes(&mut self, part: &[u32]) -> usize {
        self.count += 1;
        let mut nodes = 0;
        for &node in part.iter().flat_map(|&tet| &self.mesh.tets()[tet as usize]) {
            if self.counted[node as usize] != self.count {
                self.counted[node as usize] = self.count;
                nodes += 1;
            }
        }
        nodes
    }

    /// Two parts of about `share`/`of` and the rest, none empty.
    fn halve(&mut self, mut part: Vec<u32>, share: usize, of: usize) -> (Vec<u32>, Vec<u32>) {
        let direction = self.longest_direction(&part);
        let at = |tet: u32| self.centers[tet as usize].dot(&direction);
        part.sort_by(|&a, &b| at(a).total_cmp(&at(b)).then(a.cmp(&b)));
        let middle = (part.len() * share / of).clamp(1, part.len() - 1);
        for (number, &tet) in part.iter().enumerate() {
            self.side[tet as usize] = if number < middle {
                Side::First
            } else {
                Side::Second
            };
        }
        self.smooth(&part, middle);
        self.join_components(&part);
        let (first, second): (Vec<u32>, Vec<u32>) = part
            .iter()
            .partition(|&&tet| self.side[tet as usize] == Side::First);
        for &tet in &part {
            self.side[tet as usize] = Side::Elsewhere;
        }
        if first.is_empty() || second.is_empty() {
            let back = part.split_off(middle);
            return (part, back);
        }
        (first, second)
    }

    /// Along which the centres spread most.
    fn longest_direction(&self, part: &[u32]) -> Vector3<f64> {
        let centers = || part.iter().map(|&tet| self.centers[tet as usize]);
        let mean = centers().sum::<Vector3<f64>>() / part.len() as f64;
        let spread: Matrix3<f64> = centers()
            .map(|center| (center - mean) * (center - mean).transpose())
            .sum();
        let Some(eigen) = SymmetricEigen::try_new(spread, f64::EPSILON, 64) else {
            return Vector3::x();
        };
        eigen.eigenvectors.column(eigen.eigenvalues.imax()).into()
    }

    /// Moves tetrahedra that have most of their neighbours on the other side, keeping the halves within
    /// a tenth of their size.
    fn smooth(&mut self, part: &[u32], middle: usize) {
        let slack = part.len() / 10;
        let least = [
            middle - (middle / 2).min(slack),
            part.len() - middle - ((part.len() - middle) / 2).min(slack),
        ];
        let mut sizes = [middle, part.len() - middle];
        for _ in 0..SMOOTHING_ROUNDS {
            let mut has_moved = false;
            for &tet in part {
                let side = self.side[tet as usize];
                let on = |wanted: Side| {
                    let behind = self.neighbours[tet as usize].iter();
                    behind
                        .filter(|&&n| !is_outside(n) && self.side[n as usize] == wanted)
                        .count()
                };
                let own = usize::from(side == Side::Second);
                if on(side.other()) > on(side) && sizes[own] > least[own].max(1) {
                    self.side[tet as usize] = side.other();
                    sizes[own] -= 1;
                    sizes[1 - own] += 1;
                    has_moved = true;
                }
            }
            if !has_moved {
                break;
            }
        }
    }

    /// Hands components of a half other than its largest over to the other half where they touch it.
    fn join_components(&mut self, part: &[u32]) {
        let mut sorted = part.to_vec();
        sorted.sort_unstable();
        for side in [Side::First, Side::Second] {
            let components = self.components(&sorted, side);
            let largest = components.iter().map(Vec::len).max().unwrap_or(0);
            let keep = components
                .iter()
                .position(|component| component.len() == largest);
            for (number, component) in components.iter().enumerate() {
                let touches = component.iter().any(|&tet| {
                    let mut behind = self.neighbours[tet as usize].iter();
                    behind.any(|&n| !is_outside(n) && self.side[n as usize] == side.other())
                });
                if Some(number) != keep && touches {
                    for &tet in component {
                        self.side[tet as usize] = side.other();
                    }
                }
            }
        }
    }

    /// The tetrahedra of a half that hang together by faces.
    fn components(&self, sorted: &[u32], side: Side) -> Vec<Vec<u32>> {
        let mut is_seen = vec![false; sorted.len()];
        let mut components = Vec::new();
        for start in 0..sorted.len() {
            if is_seen[start] || self.side[sorted[start] as usize] != side {
                continue;
            }
            is_seen[start] = true;
            let mut component = vec![sorted[start]];
            let mut next = 0;
            while next < component.len() {
                for &neighbour in &self.neighbours[component[next] as usize] {
                    if is_outside(neighbour) || self.side[neighbour as usize] != side {
                        continue;
                    }
                    if let Ok(at) = sorted.binary_search(&neighbour)
                        && !is_seen[at]
                    {
                        is_seen[at] = true;
                        component.push(neighbour);
                    }
                }
                next += 1;
            }
            components.push(component);
        }
        components
    }
}
