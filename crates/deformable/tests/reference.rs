//! Stiffness, forces, energies and masses against values that other programs made.

mod common;

use std::path::Path;

use common::norm;
use nalgebra::Vector3;
use serde_json::Value;
use stiction_deformable::TetMesh;
use stiction_deformable::fem::{
    ElementState, FemModel, FemSettings, Material, SoftBody, StepStart,
};
use stiction_test_support::outside;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

/// H at rest as a full matrix by columns: A − M with a time step of 1 s.
fn stiffness(body: &mut SoftBody) -> Vec<f64> {
    let n = body.model().dof_count();
    let (x, v) = (body.model().rest_positions().to_vec(), vec![0.0; n]);
    let start = StepStart {
        x: &x,
        v: &v,
        force: &[],
        gravity: Vector3::zeros(),
        time_step: 1.0,
        theta: 0.0,
    };
    body.linearize(&start, None).unwrap();
    let mut values = vec![0.0; body.model().pattern().row_index().len()];
    body.write_matrix(&mut values).unwrap();
    let mut full = vec![0.0; n * n];
    for ((row, column), value) in body.model().pattern().places().zip(values) {
        full[column * n + row] = value;
        full[row * n + column] = value;
    }
    for dof in 0..n {
        full[dof * n + dof] -= body.model().masses()[dof / 3];
    }
    full
}

/// Volume over volume at rest of what is flat.
const FLAT: f64 = 1e-12;
/// Below these [certainties](certainty) the rotation of an element is any, or ill defined.
const NO_ROTATION: f64 = 1e-8;
const ILL_DEFINED: f64 = 1e-2;

/// How well the rotation of an element is defined: the least volume or sum of two principal stretches.
fn certainty(state: &ElementState) -> f64 {
    let mut stretches = state.strain.symmetric_eigenvalues().add_scalar(1.0);
    stretches.as_mut_slice().sort_by(f64::total_cmp);
    let sum = stretches[0] + stretches[1];
    match sum.abs() < NO_ROTATION {
        true => sum.abs(),
        false => state
            .volume_ratio
            .abs()
            .max(2.0 * NO_ROTATION)
            .min(sum.abs()),
    }
}

fn check(file: &Value, name: &str) {
    let nodes = numbers(&file["nodes"]);
    let nodes = nodes
        .chunks_exact(3)
        .map(|x| Vector3::new(x[0], x[1], x[2]))
        .collect();
    let tets = numbers(&file["tets"]);
    let tets = tets
        .chunks_exact(4)
        .map(|t| [t[0], t[1], t[2], t[3]].map(|node| node as u32))
        .collect();
    let mesh = TetMesh::new(nodes, tets).unwrap();
    let number = |key: &str| file[key].as_f64().unwrap();
    let young = number("young");
    let material = Material::corotational(young, number("poisson"), number("density"));
    let model = FemModel::new(&mesh, material).unwrap();
    let volume = number("volume");
    assert!((model.volume() - volume).abs() < 1e-13 * volume, "{name}");
    for (mass, expected) in model.masses().iter().zip(numbers(&file["lumped_mass"])) {
        assert!(
            (mass - expected).abs() < 1e-13 * expected,
            "{name}: mass {mass} {expected}"
        );
    }

    let mut body = SoftBody::new(model, FemSettings::default()).unwrap();
    let mut off = stiffness(&mut body);
    let n = body.model().dof_count();
    let largest = off
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let triplets = &file["stiffness"];
    let [rows, columns] = ["rows", "cols"].map(|key| numbers(&triplets[key]));
    for ((row, column), value) in rows.iter().zip(columns).zip(numbers(&triplets["values"])) {
        off[column as usize * n + *row as usize] -= value;
    }
    let worst = off
        .iter()
        .fold(0.0_f64, |worst, value| worst.max(value.abs()));
    assert!(
        worst < 1e-10 * largest,
        "{name}: stiffness {:e}",
        worst / largest
    );

    let model = body.model();
    // What is left where nothing should be: rounding of positions times the stiffness.
    let (force_floor, energy_floor) = (
        1e-12 * young * volume.powf(2.0 / 3.0),
        1e-12 * young * volume,
    );
    for (number, state) in file["states"].as_array().unwrap().iter().enumerate() {
        let (x, expected) = (numbers(&state["x"]), numbers(&state["force"]));
        let mut force = vec![0.0; n];
        model.internal_forces(&x, &mut force).unwrap();
        let off: Vec<f64> = force.iter().zip(&expected).map(|(a, b)| a - b).collect();
        let per_node = |values: &[f64]| values.chunks_exact(3).map(norm).fold(0.0, f64::max);
        let states = model.element_states(&x).unwrap();
        let certainty = states.iter().map(certainty).fold(1.0, f64::min);
        let (error, limit) = if certainty < NO_ROTATION {
            (0.0, 0.0)
        } else if certainty < ILL_DEFINED {
            (norm(&off), 1e-6 * norm(&expected))
        } else {
            (per_node(&off), 1e-9 * per_node(&expected))
        };
        assert!(
            error < limit + force_floor,
            "{name} {number}: force {error:e}"
        );
        let (energy, expected) = (
            model.elastic_energy(&x).unwrap(),
            state["energy"].as_f64().unwrap(),
        );
        let limit = 1e-9 * expected.abs() + energy_floor;
        assert!(
            (energy - expected).abs() < limit,
            "{name} {number}: {energy} {expected}"
        );
        // Which side a flat element is on is a matter of rounding.
        let below = |ratio: f64| {
            states
                .iter()
                .filter(|state| state.volume_ratio < ratio)
                .count()
        };
        let inverted = state["inverted_elements"].as_u64().unwrap() as usize;
        assert!(
            (below(-FLAT)..=below(FLAT)).contains(&inverted),
            "{name} {number}: {inverted} inverted"
        );
    }
}

/// How many files of tetrahedra a folder has; all are checked.
fn check_folder(folder: &Path) -> usize {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    files.sort();
    let mut read = 0;
    for path in files {
        let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        if file.get("tets").is_some() {
            check(&file, &path.display().to_string());
            read += 1;
        }
    }
    read
}

#[test]
fn a_crooked_box_is_as_stiff_as_calculated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    assert_eq!(check_folder(&folder), 1);
}

#[test]
fn bodies_of_the_reference_folder_are_as_stiff_as_given() {
    if let Some(folder) = outside::shared("deformable_reference") {
        assert!(
            check_folder(&folder) > 0,
            "no mesh was read from {}",
            folder.display()
        );
    }
}
