//! Inverse kinematics against forward kinematics, on an arm of seven joints with limits.

use proptest::prelude::*;
use stiction_control::InverseKinematics;
use stiction_sim::{
    DofProperties, Inertia, Isometry3, JointKind, Model, ModelDescription, Transform, Vector3,
};

const JOINTS: [&str; 7] = ["j1", "j2", "j3", "j4", "j5", "j6", "j7"];
const LIMIT: f64 = 2.0;

/// Axes along and across the arm by turns, 0.2 m between joints.
fn arm() -> Model {
    let mut arm = ModelDescription::new("arm");
    let limits = DofProperties {
        lower: -LIMIT,
        upper: LIMIT,
        ..DofProperties::default()
    };
    let mut parent = "world".to_owned();
    for (index, joint) in JOINTS.into_iter().enumerate() {
        let axis = if index % 2 == 0 {
            Vector3::z()
        } else {
            Vector3::y()
        };
        let link = format!("link{index}");
        arm.add_body(link.clone(), Inertia::solid_sphere(1.0, 0.05));
        arm.add_joint(joint, JointKind::Revolute { axis }, parent, link.clone())
            .at(Transform::from_translation(Vector3::z() * 0.2))
            .with_properties(limits);
        parent = link;
    }
    arm.build().unwrap()
}

fn search(model: &Model, near: &[f64; 7]) -> InverseKinematics {
    InverseKinematics::new(model, &model.neutral(), "link6", &JOINTS, near).unwrap()
}

fn joints(range: f64) -> impl Strategy<Value = [f64; 7]> {
    prop::array::uniform7(-range..range)
}

fn is_within_limits(search: &InverseKinematics) -> bool {
    search.joints().all(|joint| joint.abs() <= LIMIT)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_pose_nearby_is_reached(from in joints(1.2), step in joints(0.15)) {
        let model = arm();
        let to: [f64; 7] = std::array::from_fn(|joint| from[joint] + step[joint]);
        let goal = search(&model, &to).pose(&model).unwrap();
        let mut search = search(&model, &from);
        let miss = search.go_to(&model, &goal).unwrap();
        prop_assert!(miss < 1e-8, "{miss}");
        prop_assert!(is_within_limits(&search));
        let reached = goal.inverse() * search.pose(&model).unwrap();
        prop_assert!(reached.translation.vector.norm() < 1e-7 && reached.rotation.angle() < 1e-7);
    }

    #[test]
    fn whatever_is_asked_for_joints_stay_within_their_limits(
        from in joints(1.9),
        at in prop::array::uniform3(-3.0..3.0_f64),
        turn in prop::array::uniform3(-3.0..3.0_f64),
    ) {
        let model = arm();
        let mut search = search(&model, &from);
        let miss = search.go_to(&model, &Isometry3::new(at.into(), turn.into())).unwrap();
        prop_assert!(miss.is_finite());
        prop_assert!(is_within_limits(&search));
    }
}

#[test]
fn what_is_out_of_reach_is_missed_by_what_is_missing() {
    let model = arm();
    let mut search = search(&model, &[0.1; 7]);
    let far = Isometry3::translation(0.0, 0.0, 2.4);
    let miss = search.go_to(&model, &far).unwrap();
    assert!(miss > 0.5, "{miss}");
}

#[test]
fn what_the_robot_does_not_have_is_named() {
    let model = arm();
    let q = model.neutral();
    let near = [0.0; 7];
    let link = InverseKinematics::new(&model, &q, "thumb", &JOINTS, &near).unwrap_err();
    assert!(link.to_string().contains("\"thumb\""), "{link}");
    let joint = InverseKinematics::new(&model, &q, "link6", &["j9"], &[0.0]).unwrap_err();
    assert!(joint.to_string().contains("\"j9\""), "{joint}");
    assert!(InverseKinematics::new(&model, &q, "link6", &JOINTS, &[0.0]).is_err());
}
