//! Pieces joined at their seams move as the whole.
#![expect(clippy::print_stdout, reason = "figures are shown with --nocapture")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Noise, bcc_box, five_tet_box};
use nalgebra::{DMatrix, DVector, Vector3};
use stiction_deformable::TetMesh;
use stiction_deformable::cut::{Cut, CutError, PieceSize};
use stiction_deformable::fem::{FemModel, FemSettings, Material, SoftBody, StepStart};

/// A and b of a body, full.
fn assemble(
    mesh: &TetMesh,
    material: Material,
    x: &[f64],
    v: &[f64],
) -> (DMatrix<f64>, DVector<f64>) {
    let model = FemModel::new(mesh, material).unwrap();
    let mut body = SoftBody::new(model, FemSettings::default()).unwrap();
    let start = StepStart {
        x,
        v,
        force: &[],
        gravity: Vector3::new(0.0, 0.0, -9.81),
        time_step: 0.01,
        theta: 0.0,
    };
    body.linearize(&start, None).unwrap();
    let pattern = body.model().pattern();
    let mut values = vec![0.0; pattern.row_index().len()];
    body.write_matrix(&mut values).unwrap();
    let mut a = DMatrix::zeros(x.len(), x.len());
    for ((row, column), value) in pattern.places().zip(values) {
        a[(row, column)] = value;
        a[(column, row)] = value;
    }
    (a, DVector::from_column_slice(body.right_hand_side()))
}

#[test]
fn joined_pieces_move_as_the_whole() {
    let mesh = five_tet_box([0.3, 0.1, 0.1], [6, 2, 2]);
    let mut noise = Noise(1);
    let n = 3 * mesh.nodes().len();
    let x: Vec<f64> = mesh
        .nodes()
        .iter()
        .flat_map(|x| [x.x, x.y, x.z])
        .map(|x| x + 0.005 * noise.next())
        .collect();
    let v: Vec<f64> = (0..n).map(|_| noise.next()).collect();
    for (young, limit) in [(5e4, 1e-12), (1e7, 1e-10)] {
        let material = Material::corotational(young, 0.4, 1e3).damped(0.1, 0.001);
        let (a, b) = assemble(&mesh, material, &x, &v);
        let whole = a.cholesky().unwrap().solve(&b);
        for size in [40, 25, 12] {
            let cut = Cut::new(&mesh, PieceSize::AtMost(size)).unwrap();
            let starts: Vec<usize> = cut
                .pieces()
                .iter()
                .scan(0, |next, piece| {
                    let start = *next;
                    *next += 3 * piece.nodes().len();
                    Some(start)
                })
                .collect();
            let copies: usize = cut
                .pieces()
                .iter()
                .map(|piece| 3 * piece.nodes().len())
                .sum();
            let rows = 3 * cut.joins().len();
            let mut kkt = DMatrix::zeros(copies + rows, copies + rows);
            let mut right = DVector::zeros(copies + rows);
            for (piece, &at) in cut.pieces().iter().zip(&starts) {
                let count = 3 * piece.nodes().len();
                let mut own = [vec![0.0; count], vec![0.0; count]];
                piece.read_whole(&x, &mut own[0]);
                piece.read_whole(&v, &mut own[1]);
                let (a, b) = assemble(piece.mesh(), material, &own[0], &own[1]);
                kkt.view_mut((at, at), (count, count)).copy_from(&a);
                right.rows_mut(at, count).copy_from(&b);
            }
            for (number, join) in cut.joins().iter().enumerate() {
                for (copy, sign) in join.copies.iter().zip([1.0, -1.0]) {
                    for axis in 0..3 {
                        let dof = starts[copy.piece as usize] + 3 * copy.node as usize + axis;
                        let row = copies + 3 * number + axis;
                        kkt[(row, dof)] = sign;
                        kkt[(dof, row)] = sign;
                    }
                }
            }
            let solved = kkt
                .lu()
                .solve(&right)
                .expect("chains of seams do not depend on each other");
            let of_pieces: Vec<&[f64]> = cut
                .pieces()
                .iter()
                .zip(&starts)
                .map(|(piece, &at)| &solved.as_slice()[at..at + 3 * piece.nodes().len()])
                .collect();
            let mut together = vec![0.0; n];
            cut.write_whole(&of_pieces, &mut together);
            let off = (DVector::from_vec(together) - &whole).amax() / whole.amax();
            println!(
                "{young:e} Pa, {} pieces, {} joins: {off:.1e}",
                cut.pieces().len(),
                cut.joins().len()
            );
            assert!(off < limit, "{} pieces: {off:e}", cut.pieces().len());
        }
    }
}

#[test]
fn pieces_are_bounded_connected_and_complete() {
    for (mesh, size) in [
        (five_tet_box([0.4, 0.1, 0.1], [16, 4, 4]), 120),
        (bcc_box([0.1, 0.1, 0.1], [6, 6, 6]), 100),
        (bcc_box([0.3, 0.3, 0.02], [15, 15, 1]), 90),
    ] {
        let cut = Cut::new(&mesh, PieceSize::AtMost(size)).unwrap();
        let mut tets = BTreeSet::new();
        let mut copies: BTreeMap<u32, usize> = BTreeMap::new();
        for piece in cut.pieces() {
            assert!(piece.nodes().len() <= size && is_connected(piece.mesh()));
            tets.extend(piece.tets().iter().copied());
            for &node in piece.nodes() {
                *copies.entry(node).or_default() += 1;
            }
        }
        assert_eq!(tets.len(), mesh.tets().len());
        assert_eq!(
            cut.pieces()
                .iter()
                .map(|piece| piece.tets().len())
                .sum::<usize>(),
            mesh.tets().len()
        );
        // Not many more than needed, and seams that are not frayed.
        let least = mesh.nodes().len().div_ceil(size);
        println!(
            "{} nodes: {} pieces, {} joins",
            mesh.nodes().len(),
            cut.pieces().len(),
            cut.joins().len()
        );
        assert!(cut.pieces().len() <= 2 * least + 1);
        assert!(cut.joins().len() < mesh.nodes().len());
        // One equality less than copies; each surface node owned once by a copy of itself.
        assert_eq!(
            cut.joins().len(),
            copies.values().map(|copies| copies - 1).sum::<usize>()
        );
        let owners = cut.surface_owners(&mesh);
        let distinct: BTreeSet<_> = owners.iter().map(|(_, copy)| *copy).collect();
        assert_eq!(distinct.len(), owners.len());
        for (node, copy) in owners {
            assert_eq!(
                cut.pieces()[copy.piece as usize].nodes()[copy.node as usize],
                node
            );
            let x = mesh.nodes()[node as usize];
            let bounds = mesh
                .nodes()
                .iter()
                .fold(Vector3::zeros(), |m: Vector3<f64>, x| m.sup(x));
            assert!((0..3).any(|a| x[a] < 1e-12 || x[a] > bounds[a] - 1e-12));
        }
        // The same again.
        let again = Cut::new(&mesh, PieceSize::AtMost(size)).unwrap();
        assert_eq!(cut.joins(), again.joins());
    }
}

fn is_connected(mesh: &TetMesh) -> bool {
    let mut faces: BTreeMap<[u32; 3], Vec<usize>> = BTreeMap::new();
    for (tet, corners) in mesh.tets().iter().enumerate() {
        for opposite in 0..4 {
            let mut face = [1, 2, 3].map(|k| corners[(opposite + k) % 4]);
            face.sort_unstable();
            faces.entry(face).or_default().push(tet);
        }
    }
    let mut root: Vec<usize> = (0..mesh.tets().len()).collect();
    fn find(root: &[usize], mut tet: usize) -> usize {
        while root[tet] != tet {
            tet = root[tet];
        }
        tet
    }
    for pair in faces.values().filter(|tets| tets.len() == 2) {
        let [a, b] = [find(&root, pair[0]), find(&root, pair[1])];
        root[a.max(b)] = a.min(b);
    }
    (0..root.len()).all(|tet| find(&root, tet) == find(&root, 0))
}

#[test]
fn small_meshes_stay_whole() {
    let mesh = five_tet_box([0.1; 3], [3; 3]);
    for size in [PieceSize::Whole, PieceSize::Automatic] {
        let cut = Cut::new(&mesh, size).unwrap();
        assert_eq!(cut.pieces().len(), 1);
        assert!(cut.joins().is_empty());
        assert_eq!(cut.pieces()[0].mesh(), &mesh);
    }
    let refused = Cut::new(&mesh, PieceSize::AtMost(3)).unwrap_err();
    assert_eq!(refused, CutError::PieceTooSmall { nodes: 3 });
    assert_eq!(
        refused.to_string(),
        "pieces of at most 3 nodes: a tetrahedron has 4"
    );
    // As small as can be: every tetrahedron on its own.
    assert_eq!(
        Cut::new(&mesh, PieceSize::AtMost(4))
            .unwrap()
            .pieces()
            .len(),
        mesh.tets().len()
    );
}
