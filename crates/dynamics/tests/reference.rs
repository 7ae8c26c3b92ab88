//! Every quantity against the values that Pinocchio computed: for two small robots of our own, and for
//! real ones where their values lie beside the project.

mod common;

use std::path::Path;

use common::relative_error;
use nalgebra::{Matrix3, Matrix6xX, Vector3};
use serde_json::Value;
use stiction_dynamics::*;
use stiction_test_support::{data, outside};

const TOLERANCE: f64 = 1e-10;

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

fn vector3(value: &Value) -> Vector3<f64> {
    Vector3::from_row_slice(&numbers(value))
}

fn matrix3(value: &Value) -> Matrix3<f64> {
    Matrix3::from_row_slice(&numbers(value))
}

fn pose(value: &Value) -> Transform {
    Transform::new(matrix3(&value["R"]), vector3(&value["p"]))
}

fn joint_kind(joint: &Value) -> JointKind {
    let kind = joint["type"].as_str().unwrap();
    if kind == "JointModelFreeFlyer" {
        return JointKind::Free;
    }
    let axis = vector3(&joint["axis"]);
    if kind.starts_with("JointModelP") {
        JointKind::Prismatic { axis }
    } else {
        assert!(
            kind.starts_with("JointModelR"),
            "joint type {kind} in the reference is not known"
        );
        JointKind::Revolute { axis }
    }
}

/// The model of a reference file. Bodies carry the names of their joints.
fn build(reference: &Value) -> Model {
    let mut robot = ModelDescription::new(reference["robot"].as_str().unwrap());
    for joint in reference["joints"].as_array().unwrap() {
        let name = joint["name"].as_str().unwrap();
        let inertia = &joint["inertia"];
        let about_com = Symmetric3::from_matrix(&matrix3(&inertia["about_com"]));
        let mass = inertia["mass"].as_f64().unwrap();
        robot.add_body(
            name,
            Inertia::from_com(mass, vector3(&inertia["com"]), about_com),
        );
        let parent = match joint["parent"].as_str().unwrap() {
            "universe" => WORLD,
            other => other,
        };
        robot
            .add_joint(name, joint_kind(joint), parent, name)
            .at(pose(&joint["placement_in_parent"]));
    }
    let fixed = &reference["inertia_fixed_to_world"];
    let mass = fixed["mass"].as_f64().unwrap();
    if mass > 0.0 {
        let base = Inertia::from_com(mass, vector3(&fixed["com"]), Symmetric3::default());
        robot.add_body("fixed base", base);
        robot.add_joint("fixed base", JointKind::Fixed, WORLD, "fixed base");
    }
    for (name, frame) in reference["frame_placements"].as_object().unwrap() {
        let body = frame["parent_joint"].as_str().unwrap();
        robot.add_frame(format!("frame {name}"), body, pose(frame));
    }
    robot.build().unwrap()
}

/// Collects the worst relative error of each quantity.
#[derive(Default)]
struct Worst(std::collections::BTreeMap<&'static str, f64>);

impl Worst {
    fn add(&mut self, quantity: &'static str, actual: &[f64], expected: &[f64]) {
        let error = relative_error(actual, expected, 0.0);
        let worst = self.0.entry(quantity).or_default();
        *worst = worst.max(error);
    }
}

fn check_sample(model: &Model, data: &mut Data, sample: &Value, worst: &mut Worst) {
    let [q, v, a, tau] = ["q", "v", "a", "tau"].map(|key| numbers(&sample[key]));
    worst.add(
        "rnea",
        rnea(model, data, &q, &v, &a, None).unwrap(),
        &numbers(&sample["rnea"]),
    );
    worst.add(
        "nle",
        nonlinear_effects(model, data, &q, &v).unwrap(),
        &numbers(&sample["nle"]),
    );
    worst.add(
        "aba",
        aba(model, data, &q, &v, &tau, None).unwrap(),
        &numbers(&sample["aba"]),
    );

    let mut mass = MassMatrix::new(model);
    crba(model, data, &q, &mut mass).unwrap();
    let dense = mass.to_dense();
    let nv = model.nv();
    let upper: Vec<f64> = (0..nv)
        .flat_map(|i| (i..nv).map(move |j| (i, j)))
        .map(|ij| dense[ij])
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
        let frame = model.frame_id(&format!("frame {name}")).unwrap();
        let pose = frame_placement(model, data, frame).unwrap();
        worst.add(
            "frame position",
            pose.translation.as_slice(),
            &numbers(&expected["p"]),
        );
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
            if let Some(values) = expected.get(key) {
                frame_jacobian(model, data, frame, reference, &mut jacobian).unwrap();
                worst.add(quantity, jacobian.transpose().as_slice(), &numbers(values));
            }
        }
    }
}

/// Compares all samples of all robots of a folder.
fn agrees_with_pinocchio(folder: &Path) {
    for path in data::files(folder, "json") {
        let text = std::fs::read_to_string(&path).unwrap();
        let reference: Value = serde_json::from_str(&text).unwrap();
        let robot = reference["robot"].as_str().unwrap();
        let model = build(&reference);
        assert_eq!(model.nq() as u64, reference["nq"].as_u64().unwrap());
        assert_eq!(model.nv() as u64, reference["nv"].as_u64().unwrap());
        let mut data = Data::new(&model);
        let mut worst = Worst::default();
        let samples = reference["samples"].as_array().unwrap();
        assert!(!samples.is_empty(), "{robot}");
        for sample in samples {
            check_sample(&model, &mut data, sample, &mut worst);
        }
        for (quantity, error) in &worst.0 {
            assert!(
                *error <= TOLERANCE,
                "{robot}: {quantity}: relative error {error:.2e}"
            );
        }
    }
}

#[test]
fn own_robots() {
    agrees_with_pinocchio(&data::folder("robots"));
}

#[test]
fn real_robots() {
    if let Some(folder) = outside::shared("rbd_reference") {
        agrees_with_pinocchio(&folder);
    }
}
