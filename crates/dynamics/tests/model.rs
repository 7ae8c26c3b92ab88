//! Models that must be refused, with the name of what is wrong, and models that must not.

use nalgebra::{Matrix3, Vector3};
use stiction_dynamics::*;

fn hinge() -> JointKind {
    JointKind::Revolute { axis: Vector3::z() }
}

fn ball() -> Inertia {
    Inertia::solid_sphere(1.0, 0.1)
}

/// Two links; each test spoils one thing.
fn arm() -> ModelDescription {
    let mut arm = ModelDescription::new("arm");
    arm.add_body("upper", ball());
    arm.add_body("lower", ball());
    arm.add_joint("shoulder", hinge(), WORLD, "upper");
    arm.add_joint("elbow", hinge(), "upper", "lower");
    arm
}

/// The message of the error that `spoil` causes.
#[track_caller]
fn refused(spoil: impl FnOnce(&mut ModelDescription)) -> String {
    let mut description = arm();
    assert!(description.clone().build().is_ok());
    spoil(&mut description);
    description
        .build()
        .expect_err("must be refused")
        .to_string()
}

#[track_caller]
fn assert_names(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(
            message.contains(part),
            "\"{message}\" does not mention {part}"
        );
    }
}

#[test]
fn structure_errors_name_the_element() {
    let message = refused(|m| m.joints[1].parent = "torso".into());
    assert_names(&message, &["joint \"elbow\"", "parent body \"torso\""]);
    let message = refused(|m| m.joints[1].child = "hand".into());
    assert_names(&message, &["joint \"elbow\"", "child body \"hand\""]);
    let message = refused(|m| m.joints[0].parent = "lower".into());
    assert_names(&message, &["\"shoulder\"", "\"elbow\"", "cycle"]);
    let message = refused(|m| m.add_body("upper", ball()));
    assert_names(&message, &["body \"upper\"", "twice"]);
    let message = refused(|m| m.joints[1].name = "shoulder".into());
    assert_names(&message, &["joint \"shoulder\"", "twice"]);
    let message = refused(|m| m.add_body("lamp", ball()));
    assert_names(&message, &["body \"lamp\"", "no joint"]);
    let message = refused(|m| m.add_body(WORLD, ball()));
    assert_names(&message, &["body \"world\""]);
    let message = refused(|m| {
        m.add_joint("second elbow", hinge(), WORLD, "lower");
    });
    assert_names(&message, &["\"lower\"", "\"elbow\"", "\"second elbow\""]);
    let message = refused(|m| {
        m.add_joint("backwards", hinge(), "lower", WORLD);
    });
    assert_names(&message, &["joint \"backwards\"", "world"]);
    let message = refused(|m| m.add_frame("tip", "finger", Transform::identity()));
    assert_names(&message, &["frame \"tip\"", "\"finger\""]);
    let message = refused(|m| m.add_frame("lower", "upper", Transform::identity()));
    assert_names(&message, &["frame \"lower\"", "twice"]);
    let message = refused(|m| m.bodies[0].name = String::new());
    assert_names(&message, &["empty"]);
}

#[test]
fn a_body_hanging_on_a_cycle_reports_only_the_cycle() {
    let mut description = arm();
    description.joints[0].parent = "lower".into();
    description.bodies.insert(
        0,
        BodyDescription {
            name: "tail".into(),
            inertia: Some(ball()),
        },
    );
    description.add_joint("tail joint", hinge(), "lower", "tail");
    match description.build() {
        Err(DynamicsError::Cycle { mut joints }) => {
            joints.sort();
            assert_eq!(joints, ["elbow", "shoulder"]);
        }
        other => panic!("{other:?}"),
    }
}

/// Makes one number of a degree of freedom wrong.
type Spoil = fn(&mut DofProperties);

#[test]
fn number_errors_name_element_and_field() {
    for (kind, field) in [
        (
            JointKind::Revolute {
                axis: Vector3::zeros(),
            },
            "axis",
        ),
        (
            JointKind::Prismatic {
                axis: Vector3::new(f64::NAN, 0.0, 1.0),
            },
            "axis",
        ),
        (
            JointKind::Helical {
                axis: Vector3::x(),
                pitch: f64::INFINITY,
            },
            "pitch",
        ),
        (
            JointKind::Planar {
                normal: Vector3::zeros(),
            },
            "normal",
        ),
        (
            JointKind::Universal {
                first_axis: Vector3::x(),
                second_axis: Vector3::x(),
            },
            "second_axis",
        ),
    ] {
        let message = refused(|m| m.joints[1].kind = kind);
        assert_names(&message, &["joint \"elbow\"", field]);
    }
    let message = refused(|m| m.joints[1].placement.translation.x = f64::NAN);
    assert_names(&message, &["joint \"elbow\"", "placement"]);
    let message = refused(|m| m.joints[1].placement.rotation = Matrix3::identity() * 1.1);
    assert_names(&message, &["joint \"elbow\"", "not a rotation"]);
    let message = refused(|m| m.joints[1].placement.rotation = -Matrix3::identity());
    assert_names(&message, &["joint \"elbow\"", "not a rotation"]);
    let message = refused(|m| m.gravity.y = f64::NAN);
    assert_names(&message, &["\"arm\"", "gravity"]);

    let spoiled: [(Spoil, &str); 7] = [
        (|d| d.damping = -1.0, "damping"),
        (|d| d.armature = f64::NAN, "armature"),
        (|d| d.friction_loss = f64::INFINITY, "friction_loss"),
        (|d| d.rotor_inertia = -1.0, "rotor_inertia"),
        (|d| d.effort_limit = f64::NAN, "effort_limit"),
        (|d| (d.lower, d.upper) = (1.0, -1.0), "lower"),
        (|d| d.upper = f64::NAN, "upper"),
    ];
    for (spoil, field) in spoiled {
        let mut dof = DofProperties::default();
        spoil(&mut dof);
        let message = refused(|m| m.joints[1].dofs = vec![dof]);
        assert_names(&message, &["joint \"elbow\"", field]);
    }
    let message = refused(|m| m.joints[1].dofs = vec![DofProperties::default(); 2]);
    assert_names(&message, &["joint \"elbow\"", "dofs"]);
}

#[test]
fn inertia_errors_name_the_body() {
    let inertia = |mass, x, y, z| {
        let about_com = Symmetric3::diagonal(x, y, z);
        Some(Inertia::from_com(
            mass,
            Vector3::new(0.0, 0.1, 0.0),
            about_com,
        ))
    };
    for (bad, field) in [
        (inertia(-1.0, 1.0, 1.0, 1.0), "mass"),
        (inertia(0.0, 1.0, 1.0, 1.0), "mass"),
        (inertia(f64::NAN, 1.0, 1.0, 1.0), "inertia"),
        (inertia(1.0, -0.1, 1.0, 1.0), "moment"),
        (
            Some(Inertia::from_com(
                1.0,
                Vector3::zeros(),
                Symmetric3::default(),
            )),
            "moment",
        ),
        (None, "mass"),
    ] {
        let message = refused(|m| m.bodies[1].inertia = bad);
        assert_names(&message, &["body \"lower\"", field]);
    }
}

#[test]
fn a_point_mass_may_turn_about_an_axis_beside_it() {
    let mut description = arm();
    let beside = Vector3::new(0.0, 0.1, 0.0);
    let point = Inertia::from_com(1.0, beside, Symmetric3::default());
    description.bodies[1].inertia = Some(point);
    let model = description.build().unwrap();
    let mut data = Data::new(&model);
    aba(&model, &mut data, &[0.0; 2], &[0.0; 2], &[0.0; 2], None).unwrap();
}

#[test]
fn odd_inertias_are_reported_where_something_makes_up_for_them() {
    let odd = [
        Inertia::from_com(0.0, Vector3::zeros(), Symmetric3::diagonal(0.1, 0.1, 0.1)),
        Inertia::from_com(
            1e-6,
            Vector3::zeros(),
            Symmetric3::diagonal(-1e-8, 1e-8, 1e-8),
        ),
    ];
    for (inertia, word) in odd.into_iter().zip(["no mass", "negative"]) {
        let mut description = arm();
        description.add_body("antenna", inertia);
        description.add_joint("glue", JointKind::Fixed, "lower", "antenna");
        let model = description.clone().build().unwrap();
        assert_names(&model.warnings()[0].to_string(), &["\"antenna\"", word]);
        description.strict = true;
        let message = description.build().unwrap_err().to_string();
        assert_names(&message, &["body \"antenna\""]);
    }
}

#[test]
fn a_broken_triangle_inequality_is_reported_and_refused_only_when_strict() {
    let mut description = arm();
    let about_com = Symmetric3::diagonal(0.1, 0.1, 0.5);
    description.bodies[1].inertia = Some(Inertia::from_com(1.0, Vector3::zeros(), about_com));
    let model = description.clone().build().unwrap();
    assert_eq!(model.warnings().len(), 1);
    assert_names(&model.warnings()[0].to_string(), &["\"lower\"", "triangle"]);
    description.strict = true;
    let message = description.build().unwrap_err().to_string();
    assert_names(&message, &["body \"lower\"", "0.5"]);
    assert!(arm().build().unwrap().warnings().is_empty());
}

#[test]
fn massless_bodies_are_fine_when_they_carry_mass_or_are_fixed_to_it() {
    let mut description = arm();
    description.bodies[0].inertia = None; // carries "lower"
    description.add_massless_body("marker");
    description.add_joint("glue", JointKind::Fixed, "lower", "marker");
    let model = description.build().unwrap();
    assert_eq!(model.body_id("marker"), model.body_id("lower"));
}

#[test]
fn a_massless_link_that_nothing_holds_is_an_error_not_a_nan() {
    // two hinges about the same axis through the same point, nothing between them
    let mut description = arm();
    description.bodies[0].inertia = None;
    let model = description.build().unwrap();
    let mut data = Data::new(&model);
    let error = aba(&model, &mut data, &[0.0; 2], &[0.0; 2], &[0.0; 2], None).unwrap_err();
    assert_names(&error.to_string(), &["joint \"shoulder\""]);
    let mut mass = MassMatrix::new(&model);
    crba(&model, &mut data, &[0.0; 2], &mut mass).unwrap();
    let error = LdlFactorization::new(&model)
        .factorize(&model, &mass)
        .unwrap_err();
    assert_names(&error.to_string(), &["joint \"shoulder\""]);
}

/// What moves without resistance in every configuration is found, and what only lines up in some is not.
#[test]
fn motions_without_resistance_are_refused_by_name() {
    assert!(check_resistance(&arm().build().unwrap()).is_ok());
    let names = |description: ModelDescription, body: &str| {
        let error = check_resistance(&description.build().unwrap()).unwrap_err();
        assert_names(&error.to_string(), &[&format!("body \"{body}\"")]);
    };
    // Two hinges about the same axis through the same point, nothing between them.
    let mut parallel = arm();
    parallel.bodies[0].inertia = None;
    names(parallel.clone(), "upper");
    let damped = DofProperties {
        damping: 0.1,
        ..DofProperties::default()
    };
    parallel.joints[0].dofs = vec![damped];
    assert!(check_resistance(&parallel.build().unwrap()).is_ok());
    // A free base without mass, and one that is a point, each with one hinge.
    for base in [
        None,
        Some(Inertia::from_com(
            1.0,
            Vector3::zeros(),
            Symmetric3::default(),
        )),
    ] {
        let mut free = ModelDescription::new("free");
        match base {
            Some(base) => free.add_body("base", base),
            None => free.add_massless_body("base"),
        }
        free.add_body("arm", ball());
        free.add_joint("float", JointKind::Free, WORLD, "base");
        let axis = Vector3::y();
        free.add_joint("hinge", JointKind::Revolute { axis }, "base", "arm");
        names(free, "base");
    }
    // The cross of a universal joint lines up in some configurations only.
    let mut cross = ModelDescription::new("cross");
    cross.add_massless_body("cross");
    cross.add_body("arm", ball());
    let axis = Vector3::x();
    cross.add_joint("first", JointKind::Revolute { axis }, WORLD, "cross");
    let axis = Vector3::y();
    cross.add_joint("second", JointKind::Revolute { axis }, "cross", "arm");
    assert!(check_resistance(&cross.build().unwrap()).is_ok());
}

#[test]
fn wrong_lengths_are_refused_by_name() {
    let model = arm().build().unwrap();
    let mut data = Data::new(&model);
    let (two, three) = ([0.0; 2], [0.0; 3]);
    let message = rnea(&model, &mut data, &two, &three, &two, None)
        .unwrap_err()
        .to_string();
    assert_names(&message, &["v", "expected length 2", "got 3"]);
    let message = aba(&model, &mut data, &three, &two, &two, None)
        .unwrap_err()
        .to_string();
    assert_names(&message, &["q", "expected length 2"]);
    let forces = [Force::zero(); 2];
    let message = aba(&model, &mut data, &two, &two, &two, Some(&forces))
        .unwrap_err()
        .to_string();
    assert_names(&message, &["external", "expected length 3"]);

    let mut other = ModelDescription::new("other");
    other.add_body("ball", ball());
    other.add_joint("free", JointKind::Free, WORLD, "ball");
    let other = other.build().unwrap();
    assert!(forward_kinematics(&other, &mut data, &other.neutral()).is_err());
    let mut q = vec![0.0; 7];
    let message = normalize(&other, &mut q).unwrap_err().to_string();
    assert_names(&message, &["joint \"free\"", "quaternion"]);
    let lower = model.body_id("lower").unwrap();
    assert!(TreeView::new(&model, lower).is_err());
}

#[test]
fn mimic_joints_become_equality_rows() {
    let mut description = arm();
    description.add_mimic("elbow", "shoulder", -2.0, 0.5);
    let model = description.clone().build().unwrap();
    let [row] = model.couplings() else {
        panic!("one row")
    };
    // q(elbow) = −2 q(shoulder) + 0.5
    assert!(row.position_error(&[0.3, -0.1]).unwrap().abs() < 1e-15);
    assert!((row.position_error(&[0.3, 0.0]).unwrap() - 0.1).abs() < 1e-15);
    assert!(row.velocity_error(&[1.0, -2.0]).unwrap().abs() < 1e-15);
    assert!(row.position_error(&[0.3]).is_err());
    let entries: Vec<_> = row.terms.iter().map(|t| (t.dof, t.coefficient)).collect();
    assert_eq!(entries, [(1, 1.0), (0, 2.0)]);

    let message = refused(|m| m.add_mimic("elbow", "knee", 1.0, 0.0));
    assert_names(&message, &["coupling \"elbow\"", "\"knee\""]);
    let message = refused(|m| m.add_mimic("elbow", "shoulder", f64::NAN, 0.0));
    assert_names(&message, &["coupling \"elbow\"", "coefficient"]);
    let message = refused(|m| m.add_mimic("elbow", "elbow", 1.0, 0.0));
    assert_names(&message, &["coupling \"elbow\"", "twice"]);
    let message = refused(|m| {
        m.joints[1].kind = JointKind::Spherical;
        m.add_mimic("elbow", "shoulder", 1.0, 0.0);
    });
    assert_names(&message, &["coupling \"elbow\"", "scalar"]);
}

#[test]
fn a_model_survives_being_saved() {
    let mut description = arm();
    description.add_frame("tip", "lower", Transform::from_translation(Vector3::x()));
    description.joints[1].kind = JointKind::Universal {
        first_axis: Vector3::x(),
        second_axis: Vector3::y(),
    };
    // one limit given, the others infinite, which JSON cannot write as numbers
    let limited = DofProperties {
        upper: 1.5,
        ..Default::default()
    };
    description.joints[0].with_properties(limited);
    let model = description.build().unwrap();
    let state = State::neutral(&model);
    let saved = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<State>(&saved).unwrap(), state);
    let saved = serde_json::to_string(&model).unwrap();
    let loaded: Model = serde_json::from_str(&saved).unwrap();
    assert_eq!(loaded.description(), model.description());
    // a spoiled file is refused with the reason, not loaded
    let spoiled = saved.replace("\"parent\":\"upper\"", "\"parent\":\"nobody\"");
    assert_ne!(spoiled, saved);
    let message = serde_json::from_str::<Model>(&spoiled)
        .unwrap_err()
        .to_string();
    assert_names(&message, &["nobody"]);
}

#[test]
fn random_configurations_stay_within_limits_and_on_the_manifold() {
    use rand::SeedableRng;
    let mut description = arm();
    let limits = DofProperties {
        lower: -0.2,
        upper: 0.7,
        ..Default::default()
    };
    description.joints[0].with_properties(limits);
    description.joints[1].kind = JointKind::Free;
    let model = description.build().unwrap();
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let mut state = State::neutral(&model);
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..1_000 {
        random_configuration(&model, &mut rng, &mut state.q).unwrap();
        let angle = state.q[0];
        (lowest, highest) = (lowest.min(angle), highest.max(angle));
        let norm: f64 = state.q[4..8].iter().map(|x| x * x).sum();
        assert!((norm - 1.0).abs() < 1e-14);
        state.validate(&model).unwrap();
    }
    // they fill the range without leaving it
    assert!((-0.2..-0.19).contains(&lowest), "{lowest}");
    assert!((0.69..=0.7).contains(&highest), "{highest}");
}
