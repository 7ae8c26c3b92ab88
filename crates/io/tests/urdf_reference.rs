//! Robots read from URDF against the values that Pinocchio computed from the same files, and their meshes:
//! two small robots of our own, and real ones where they lie beside the project.

use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::Matrix6xX;
use serde_json::Value;
use stiction_dynamics::*;
use stiction_io::scene_file::{MassDescription, SceneFile, ShapeKind};
use stiction_io::{Base, MeshUse, ModelOptions, mesh, urdf};
use stiction_test_support::{data, outside};

const TOLERANCE: f64 = 1e-10;

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|x| x.as_f64().unwrap()).collect()
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

/// Compares the robots that a folder has values of with their URDF among `robots`; returns how many of
/// these there are.
fn agrees_with_pinocchio(references: &Path, robots: &Path) -> usize {
    let mut compared = 0;
    for path in data::files(references, "json") {
        let reference: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let robot = reference["robot"].as_str().unwrap();
        let file = robots.join(reference["urdf"].as_str().unwrap());
        if !file.is_file() {
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
        let locked = reference["locked_joints_at_neutral"].as_array().unwrap();
        let locked: Vec<&str> = locked.iter().map(|name| name.as_str().unwrap()).collect();
        let model = model(&read, &locked);
        assert_eq!(model.nq() as u64, reference["nq"].as_u64().unwrap());
        let order = Order::new(&model, &reference);
        let mut data = Data::new(&model);
        let mut worst = Worst::default();
        for sample in reference["samples"].as_array().unwrap() {
            check_sample(&model, &order, &mut data, sample, &mut worst);
        }
        assert!(worst.0.contains_key("rnea"), "{robot} has no samples");
        for (quantity, error) in &worst.0 {
            assert!(
                *error <= TOLERANCE,
                "{robot}: {quantity}: relative error {error:.2e}"
            );
        }
        compared += 1;
    }
    compared
}

#[test]
fn own_robots_agree_with_pinocchio() {
    let folder = data::folder("robots");
    assert_eq!(agrees_with_pinocchio(&folder, &folder), 2);
}

/// Values of the Talos are there without its URDF.
#[test]
fn real_robots_agree_with_pinocchio() {
    if let Some(references) = outside::shared("rbd_reference") {
        let robots = references.with_file_name("robots").join("urdf");
        assert!(agrees_with_pinocchio(&references, &robots) > 0);
    }
}

/// Loads every robot of a folder; returns the number of meshes that collide.
fn all_robots_load_with_their_meshes(folder: &Path) -> usize {
    let mut meshes = 0;
    for path in data::files(folder, "urdf") {
        let file =
            urdf::read(&path, &ModelOptions::default()).unwrap_or_else(|error| panic!("{error}"));
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
    }
    meshes
}

#[test]
fn own_robots_load_with_their_meshes() {
    assert_eq!(
        all_robots_load_with_their_meshes(&data::folder("robots")),
        3
    );
}

#[test]
fn real_robots_load_with_their_meshes() {
    if let Some(folder) = outside::shared("robots/urdf") {
        assert!(all_robots_load_with_their_meshes(&folder) > 0);
    }
}

/// Volume (m³) of the first colliding shape of a link as a hull, as signed distances and as parts.
fn volumes(path: &Path, link: &str, cells: usize, parts: usize) -> [f64; 3] {
    [
        MeshUse::Hull,
        MeshUse::SignedDistance { cells },
        MeshUse::Decomposition { parts },
    ]
    .map(|meshes| {
        let options = ModelOptions {
            meshes,
            ..ModelOptions::default()
        };
        let file = urdf::read(path, &options).unwrap();
        let mut links = file.scene.robots[0].links.iter();
        let link = links.find(|other| other.name == link).unwrap();
        let mut shapes = link.shapes.iter();
        let shape = shapes.find(|shape| !shape.visual_only).unwrap();
        let built = shape.kind.build("shape", file.folder());
        let built = built.unwrap_or_else(|error| panic!("{meshes:?}: {error}"));
        built.volume_moments().unwrap().volume
    })
}

/// The bracket is an L of 0.12 and 0.08 m, 0.02 m thick and 0.04 m wide; its hull cuts the corner off.
#[test]
fn a_bracket_becomes_what_is_asked_for() {
    let path = data::folder("robots").join("arm.urdf");
    let [hull, distance, parts] = volumes(&path, "upper", 48, 4);
    let exact = (0.12 * 0.02 + 0.06 * 0.02) * 0.04;
    let of_hull = (0.12 * 0.08 - 0.1 * 0.06 / 2.0) * 0.04;
    assert!((hull / of_hull - 1.0).abs() < 1e-9, "{hull}");
    assert!((distance / exact - 1.0).abs() < 0.02, "{distance}");
    // Parts hold the whole mesh and may overlap a little.
    assert!((0.99..1.05).contains(&(parts / exact)), "{parts}");
}

#[test]
fn a_real_hand_becomes_what_is_asked_for() {
    if let Some(path) = outside::shared("robots/urdf/panda_description/urdf/panda.urdf") {
        let [hull, distance, parts] = volumes(&path, "panda_hand", 24, 4);
        assert!(distance <= hull * 1.001);
        // Parts may overlap a little, and hold the whole mesh.
        assert!(parts > 0.9 * distance && parts < 1.02 * hull);
    }
}

/// COLLADA against mesh-loader, which reads in single precision and does not move nodes: sizes only.
fn collada_agrees_with_another_reader(folder: &Path) {
    for path in data::files(folder, "dae") {
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

#[test]
fn own_collada() {
    collada_agrees_with_another_reader(&data::folder("robots"));
}

#[test]
fn collada_of_others() {
    if let Some(folder) = outside::shared("robots/urdf") {
        collada_agrees_with_another_reader(&folder);
    }
}
