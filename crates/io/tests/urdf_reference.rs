//! Robots read from URDF against the values that Pinocchio computed from the same files.
//!
//! Files and values lie beside the project (`../shared`); without them the tests say so and pass.
#![expect(
    clippy::print_stderr,
    reason = "a skipped test must say that it was skipped"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nalgebra::Matrix6xX;
use serde_json::Value;
use stiction_dynamics::*;
use stiction_io::scene_file::{MassDescription, SceneFile, ShapeKind};
use stiction_io::{Base, MeshUse, ModelOptions, mesh, urdf};

const TOLERANCE: f64 = 1e-10;

fn shared() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|x| x.as_f64().unwrap()).collect()
}

/// Every file of a kind in a folder and those inside it, sorted.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false
                    if path
                        .extension()
                        .is_some_and(|e| e.eq_ignore_ascii_case(extension)) =>
                {
                    found.push(path);
                }
                false => {}
            }
        }
    }
    found.sort();
    found
}

fn model(file: &SceneFile, locked: &[&str]) -> Model {
    let mut robot = file.scene.robots[0].clone();
    for joint in &mut robot.joints {
        if locked.contains(&joint.name.as_str()) {
            joint.kind = JointKind::Fixed;
        }
        joint.properties = DofProperties::default();
    }
    let is_free = |name: &str| !locked.contains(&name);
    robot
        .couplings
        .retain(|coupling| coupling.terms.iter().all(|term| is_free(&term.0)));
    let inertias: Vec<Option<Inertia>> = robot
        .links
        .iter()
        .map(|link| match link.mass {
            Some(MassDescription::Inertia(inertia)) => Some(inertia.to_inertia()),
            None => None,
            other => panic!("{other:?}"),
        })
        .collect();
    robot.model(&inertias).build().unwrap()
}

/// Where each number of the reference stands in ours: joints come in another order.
struct Order {
    q: Vec<usize>,
    v: Vec<usize>,
}

impl Order {
    fn new(model: &Model, reference: &Value) -> Self {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for joint in reference["joints"].as_array().unwrap() {
            let name = joint["name"].as_str().unwrap();
            let own = model
                .joint(name)
                .unwrap_or_else(|| panic!("no joint {name}"));
            assert_eq!(own.q.len() as u64, joint["nq"].as_u64().unwrap(), "{name}");
            q.extend(own.q.clone());
            v.extend(own.v.clone());
        }
        assert_eq!((q.len(), v.len()), (model.nq(), model.nv()));
        Self { q, v }
    }

    /// From the order of the reference into ours.
    fn ours(order: &[usize], values: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; values.len()];
        for (&at, &value) in order.iter().zip(values) {
            out[at] = value;
        }
        out
    }

    /// From ours into that of the reference.
    fn theirs(order: &[usize], values: &[f64]) -> Vec<f64> {
        order.iter().map(|&at| values[at]).collect()
    }
}

/// Collects the worst relative error of each quantity.
#[derive(Default)]
struct Worst(BTreeMap<&'static str, f64>);

impl Worst {
    fn add(&mut self, quantity: &'static str, actual: &[f64], expected: &[f64]) {
        assert_eq!(actual.len(), expected.len(), "{quantity}");
        let size = actual
            .iter()
            .chain(expected)
            .fold(0.0, |m: f64, x| m.max(x.abs()));
        let gaps = actual.iter().zip(expected).map(|(a, b)| (a - b).abs());
        let gap = gaps.fold(0.0, |m, gap| {
            if gap.is_nan() {
                f64::INFINITY
            } else {
                gap.max(m)
            }
        });
        let error = if size == 0.0 { gap } else { gap / size };
        let worst = self.0.entry(quantity).or_default();
        *worst = worst.max(error);
    }
}

fn check_sample(model: &Model, order: &Order, data: &mut Data, sample: &Value, worst: &mut Worst) {
    let q = Order::ours(&order.q, &numbers(&sample["q"]));
    let [v, a, tau] = ["v", "a", "tau"].map(|key| Order::ours(&order.v, &numbers(&sample[key])));
    let theirs = |values: &[f64]| Order::theirs(&order.v, values);
    let result = theirs(rnea(model, data, &q, &v, &a, None).unwrap());
    worst.add("rnea", &result, &numbers(&sample["rnea"]));
    let result = theirs(nonlinear_effects(model, data, &q, &v).unwrap());
    worst.add("nle", &result, &numbers(&sample["nle"]));
    let result = theirs(aba(model, data, &q, &v, &tau, None).unwrap());
    worst.add("aba", &result, &numbers(&sample["aba"]));

    let mut mass = MassMatrix::new(model);
    crba(model, data, &q, &mut mass).unwrap();
    let dense = mass.to_dense();
    let nv = model.nv();
    let upper: Vec<f64> = (0..nv)
        .flat_map(|i| (i..nv).map(move |j| (i, j)))
        .map(|(i, j)| dense[(order.v[i], order.v[j])])
        .collect();
    worst.add("crba", &upper, &numbers(&sample["crba_upper"]));

    let com = center_of_mass(model, data, &q).unwrap();
    worst.add("com", com.as_slice(), &numbers(&sample["com"]));
    let vcom = center_of_mass_velocity(model, data, &q, &v).unwrap();
    worst.add("vcom", vcom.as_slice(), &numbers(&sample["vcom"]));
    let ke = kinetic_energy(model, data, &q, &v).unwrap();
    worst.add("kinetic energy", &[ke], &[sample["ke"].as_f64().unwrap()]);
    let pe = potential_energy(model, data, &q).unwrap();
    worst.add("potential energy", &[pe], &[sample["pe"].as_f64().unwrap()]);

    joint_jacobians(model, data, &q).unwrap();
    let mut jacobian = Matrix6xX::zeros(nv);
    for (name, expected) in sample["frames"].as_object().unwrap() {
        let frame = model.frame_id(name).unwrap();
        let pose = frame_placement(model, data, frame).unwrap();
        let position = pose.translation.as_slice();
        worst.add("frame position", position, &numbers(&expected["p"]));
        let rotation = pose.rotation.transpose(); // column-major transpose is row-major
        worst.add(
            "frame rotation",
            rotation.as_slice(),
            &numbers(&expected["R"]),
        );
        for (quantity, key, reference) in [
            (
                "Jacobian, local world aligned",
                "J_lwa",
                ReferenceFrame::LocalWorldAligned,
            ),
            ("Jacobian, local", "J_local", ReferenceFrame::Local),
        ] {
            let Some(values) = expected.get(key) else {
                continue;
            };
            frame_jacobian(model, data, frame, reference, &mut jacobian).unwrap();
            let rows: Vec<f64> = (0..6)
                .flat_map(|row| order.v.iter().map(move |&column| (row, column)))
                .map(|at| jacobian[at])
                .collect();
            worst.add(quantity, &rows, &numbers(values));
        }
    }
}

#[test]
fn agrees_with_pinocchio() {
    let references = files(&shared().join("rbd_reference"), "json");
    if references.is_empty() {
        eprintln!("skipped: no reference values beside the project");
    }
    for path in references {
        let reference: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let robot = reference["robot"].as_str().unwrap();
        let file = shared()
            .join("robots/urdf")
            .join(reference["urdf"].as_str().unwrap());
        if !file.is_file() {
            eprintln!("skipped {robot}: its URDF is not beside the project");
            continue;
        }
        let options = ModelOptions {
            base: match reference["free_flyer"].as_bool().unwrap() {
                true => Base::Free,
                false => Base::Fixed,
            },
            ..ModelOptions::default()
        };
        let read = urdf::read(&file, &options).unwrap();
        let locked: Vec<&str> = reference["locked_joints_at_neutral"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let model = model(&read, &locked);
        assert_eq!(model.nq() as u64, reference["nq"].as_u64().unwrap());
        let order = Order::new(&model, &reference);
        let mut data = Data::new(&model);
        let mut worst = Worst::default();
        for sample in reference["samples"].as_array().unwrap() {
            check_sample(&model, &order, &mut data, sample, &mut worst);
        }
        for (quantity, error) in &worst.0 {
            eprintln!("{robot:14} {quantity:30} {error:.1e}");
            assert!(
                *error <= TOLERANCE,
                "{robot}: {quantity}: relative error {error:.2e}"
            );
        }
    }
}

#[test]
fn all_robots_load_with_their_meshes() {
    let robots = files(&shared().join("robots/urdf"), "urdf");
    if robots.is_empty() {
        eprintln!("skipped: no robots beside the project");
    }
    for path in robots {
        let file =
            urdf::read(&path, &ModelOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let mut meshes = 0;
        for link in &file.scene.robots[0].links {
            for shape in &link.shapes {
                let built = shape.kind.build(&shape.name, file.folder());
                let built = built.unwrap_or_else(|error| {
                    panic!("{}: {} {}: {error}", path.display(), link.name, shape.name)
                });
                let size = built.bounds().half_extents().max();
                // In metres: a mesh in mm would be huge.
                assert!((1e-4..1.0).contains(&size), "{} {size}", shape.name);
                let is_mesh = matches!(shape.kind, ShapeKind::Hull(_) | ShapeKind::Mesh { .. });
                meshes += usize::from(is_mesh);
            }
        }
        eprintln!("{}: {meshes} meshes", path.display());
        for ignored in &file.ignored {
            eprintln!("  {ignored}");
        }
    }
}

#[test]
fn collision_meshes_become_what_is_asked_for() {
    let path = shared().join("robots/urdf/panda_description/urdf/panda.urdf");
    if !path.is_file() {
        eprintln!("skipped: no robots beside the project");
        return;
    }
    let mut volumes = Vec::new();
    for meshes in [
        MeshUse::Hull,
        MeshUse::SignedDistance { cells: 24 },
        MeshUse::Decomposition { parts: 4 },
    ] {
        let options = ModelOptions {
            meshes,
            ..ModelOptions::default()
        };
        let file = urdf::read(&path, &options).unwrap();
        let hand = file.scene.robots[0]
            .links
            .iter()
            .find(|link| link.name == "panda_hand");
        let shape = hand
            .unwrap()
            .shapes
            .iter()
            .find(|shape| !shape.visual_only)
            .unwrap();
        let built = shape
            .kind
            .build("hand", file.folder())
            .unwrap_or_else(|error| {
                panic!("{meshes:?}: {error}");
            });
        volumes.push(built.volume_moments().unwrap().volume);
    }
    let [hull, distance, parts] = volumes[..] else {
        panic!("{volumes:?}");
    };
    eprintln!("hull {hull:.3e} m³, distances {distance:.3e} m³, parts {parts:.3e} m³");
    assert!(distance <= hull * 1.001);
    // Parts may overlap a little, and hold the whole mesh.
    assert!(parts > 0.9 * distance && parts < 1.02 * hull);
}

/// COLLADA against mesh-loader, which reads in single precision and does not move nodes: sizes only.
#[test]
fn collada_agrees_with_another_reader() {
    let paths = files(&shared().join("robots/urdf"), "dae");
    if paths.is_empty() {
        eprintln!("skipped: no COLLADA files beside the project");
    }
    for path in paths {
        let ours = mesh::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let theirs = mesh_loader::Loader::default()
            .merge_meshes(true)
            .load_collada(&path);
        let theirs = theirs.unwrap().meshes.remove(0);
        assert_eq!(ours.faces.len(), theirs.faces.len(), "{}", path.display());
        let sum = |points: &mut dyn Iterator<Item = [f64; 3]>| {
            points.fold(
                ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]),
                |(low, high), p| {
                    let min = std::array::from_fn(|i| f64::min(low[i], p[i]));
                    (min, std::array::from_fn(|i| f64::max(high[i], p[i])))
                },
            )
        };
        let (low, high) = sum(&mut ours.vertices.iter().map(|p| [p.x, p.y, p.z]));
        let (low2, high2) = sum(&mut theirs.vertices.iter().map(|p| p.map(f64::from)));
        for i in 0..3 {
            let (size, size2) = (high[i] - low[i], high2[i] - low2[i]);
            assert!((size - size2).abs() < 1e-5 * size, "{}", path.display());
        }
    }
}
