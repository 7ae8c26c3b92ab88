//! What is refused, by name.

mod common;

use common::{five_tet_box, with_policy};
use nalgebra::Vector3;
use stiction_deformable::TetMesh;
use stiction_deformable::fem::{
    FemError, FemModel, FemSettings, HessianPolicy, Material, SoftBody, StepStart,
};

fn mesh() -> TetMesh {
    five_tet_box([0.1; 3], [1; 3])
}

fn good() -> Material {
    Material::corotational(1e5, 0.3, 1e3)
}

#[test]
fn materials_that_make_no_sense() {
    let nan = f64::NAN;
    for (material, says) in [
        (
            Material {
                young: nan,
                ..good()
            },
            "material 0: Young's modulus NaN must be positive",
        ),
        (
            Material {
                young: 0.0,
                ..good()
            },
            "material 0: Young's modulus 0 must be positive",
        ),
        (
            Material {
                young: f64::INFINITY,
                ..good()
            },
            "material 0: Young's modulus inf must be",
        ),
        (
            Material {
                poisson: 0.5,
                ..good()
            },
            "material 0: Poisson's ratio 0.5 must be above -1 and below 1/2",
        ),
        (
            Material {
                poisson: -1.0,
                ..good()
            },
            "material 0: Poisson's ratio -1 must be",
        ),
        (
            Material {
                poisson: nan,
                ..good()
            },
            "material 0: Poisson's ratio NaN must be",
        ),
        (
            Material {
                density: -3.0,
                ..good()
            },
            "material 0: density -3 must be positive",
        ),
        (
            good().damped(-1.0, 0.0),
            "material 0: mass damping -1 must be finite and not negative",
        ),
        (
            good().damped(0.0, nan),
            "material 0: stiffness damping NaN must be",
        ),
    ] {
        let error = FemModel::new(&mesh(), material).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    }
    let error = FemModel::with_materials(&mesh(), &[good()], &[0, 0, 1, 0, 0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tetrahedron 2 is of material 1, but there are 1"
    );
    assert!(matches!(
        FemModel::with_materials(&mesh(), &[good()], &[0]),
        Err(FemError::WrongLength {
            expected: 5,
            found: 1,
            ..
        })
    ));
}

#[test]
fn meshes_that_make_no_body() {
    let mut nodes = mesh().nodes().to_vec();
    nodes.push(Vector3::zeros());
    let loose = TetMesh::new(nodes, mesh().tets().to_vec()).unwrap();
    let error = FemModel::new(&loose, good()).unwrap_err();
    assert_eq!(error, FemError::LooseNode { node: 8 });
}

#[test]
fn nodes_and_numbers_that_are_not_there() {
    let model = FemModel::new(&mesh(), good()).unwrap();
    let n = model.dof_count();
    let mut body = SoftBody::new(model, FemSettings::default()).unwrap();
    let error = body.held_mut().pin(8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node 8 does not exist: there are 8 nodes"
    );
    assert_eq!(
        body.held_mut().pin_axis(0, 3),
        Err(FemError::NoSuchAxis { axis: 3 })
    );
    let error = body
        .held_mut()
        .drive(1, Vector3::new(0.0, f64::NAN, 0.0))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "prescribed velocity of node 1 is NaN, not finite"
    );
    body.held_mut().release(1).unwrap();

    let rest = body.model().rest_positions().to_vec();
    let zeros = vec![0.0; n];
    let good = StepStart {
        x: &rest,
        v: &zeros,
        force: &[],
        gravity: Vector3::zeros(),
        time_step: 0.01,
        theta: 0.0,
    };
    let mut broken = rest.clone();
    broken[7] = f64::NAN;
    let mut stretched = rest.clone();
    stretched[0] = 1e200;
    for (start, guess, says) in [
        (
            StepStart { x: &broken, ..good },
            None,
            "position of node 2 is NaN, not finite",
        ),
        (
            StepStart { v: &broken, ..good },
            None,
            "velocity of node 2 is NaN, not finite",
        ),
        (
            StepStart {
                v: &zeros[1..],
                ..good
            },
            None,
            "velocity: 23 numbers for 24 degrees of freedom",
        ),
        (
            StepStart {
                force: &broken,
                ..good
            },
            None,
            "external force of node 2 is NaN, not finite",
        ),
        (
            StepStart {
                time_step: 0.0,
                ..good
            },
            None,
            "time step 0 must be positive and finite",
        ),
        (
            StepStart {
                time_step: f64::NAN,
                ..good
            },
            None,
            "time step NaN must be",
        ),
        (
            StepStart {
                gravity: Vector3::new(0.0, 0.0, f64::INFINITY),
                ..good
            },
            None,
            "gravity inf must be finite",
        ),
        (
            StepStart { theta: 0.3, ..good },
            None,
            "theta 0.3 must be 0 or 1/2",
        ),
        (
            StepStart {
                theta: f64::NAN,
                ..good
            },
            None,
            "theta NaN must be 0 or 1/2",
        ),
        (
            StepStart { theta: 0.5, ..good },
            None,
            "theta 1/2 with Hessian policy `psd` and one linearization",
        ),
        (
            good,
            Some(&broken[..]),
            "guessed velocity of node 2 is NaN, not finite",
        ),
        (
            StepStart {
                x: &stretched,
                ..good
            },
            None,
            "tetrahedron 0 is deformed beyond the range of numbers",
        ),
    ] {
        let error = body.linearize(&start, guess).unwrap_err().to_string();
        assert!(error.starts_with(says), "{error}");
    }
    body.linearize(&good, None).unwrap();
    assert!(body.write_matrix(&mut [0.0; 3]).is_err());
    assert!(body.ledger(&good, &zeros[1..], &[]).is_err());
    assert!(body.ledger(&good, &zeros, &broken).is_err());
}

#[test]
fn settings_that_do_not_suit() {
    let model = FemModel::new(&mesh(), Material::neo_hookean(1e5, 0.3, 1e3)).unwrap();
    for policy in [
        HessianPolicy::Majorizing,
        HessianPolicy::AbsoluteColumnSums,
        HessianPolicy::ConstantDamping { rate: 1.0 },
    ] {
        let error = SoftBody::new(model.clone(), with_policy(policy, true)).unwrap_err();
        assert_eq!(
            error,
            FemError::PolicyNeedsCorotational {
                policy: policy.name(),
                material: 0
            }
        );
    }
    let settings = FemSettings {
        linearizations: 0,
        ..FemSettings::default()
    };
    let error = SoftBody::new(model, settings).unwrap_err().to_string();
    assert_eq!(error, "linearizations 0 must be between 1 and 1000");
    let model = FemModel::new(&mesh(), good()).unwrap();
    let policy = HessianPolicy::ConstantDamping { rate: f64::NAN };
    let error = SoftBody::new(model, with_policy(policy, true))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "rate of constant damping NaN must be finite and not negative"
    );
}
