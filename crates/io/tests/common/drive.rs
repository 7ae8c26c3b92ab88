//! Random tendons, actuators, sensors, keyframes and contact pairs of the random scene.

use stiction_io::scene_file::{
    Activation, ActuatorDescription, ActuatorTarget, ContactPairDescription, FrameQuantity,
    KeyframeBody, KeyframeDescription, KeyframeJoint, SceneDescription, SensorDescription,
    SensorKind, TendonBranch, TendonDescription, TendonPath,
};

use super::{Dice, signal};

pub(super) fn add(dice: &mut Dice, scene: &mut SceneDescription) {
    for friction in [None, Some(dice.size())] {
        scene.contact_pairs.push(ContactPairDescription {
            shapes: ["body 0/shape 0".to_owned(), "arm/hand/shape 0".to_owned()],
            friction,
        });
    }
    scene.tendons = tendons(dice);
    for index in 0..4 {
        scene.actuators.push(actuator(dice, index));
    }
    scene.sensors = sensors(dice);
    for index in 0..dice.below(3) {
        scene.keyframes.push(keyframe(dice, index));
    }
}

fn joint(name: &str) -> (String, String) {
    ("arm".to_owned(), name.to_owned())
}

fn range(dice: &mut Dice) -> [f64; 2] {
    let low = dice.between(-2.0, 2.0);
    [low, low + dice.size()]
}

fn tendons(dice: &mut Dice) -> Vec<TendonDescription> {
    let joints = TendonPath::Joints {
        robot: "arm".to_owned(),
        terms: ["revolute", "continuous", "prismatic"]
            .map(|joint| (joint.to_owned(), dice.between(-2.0, 2.0)))
            .to_vec(),
    };
    let mut branches = Vec::new();
    for _ in 0..1 + dice.below(3) {
        let bodies = ["body 0", "arm/hand", "arm/world", "driven"];
        let count = 2 + dice.below(3);
        let points = (0..count).map(|_| {
            let body = bodies[dice.below(4) as usize].to_owned();
            (body, dice.point())
        });
        branches.push(TendonBranch {
            points: points.collect(),
            divisor: dice.size(),
        });
    }
    [("joints", joints), ("path", TendonPath::Points(branches))]
        .into_iter()
        .map(|(name, path)| TendonDescription {
            name: name.to_owned(),
            path,
            limits: match dice.below(4) {
                0 => None,
                1 => Some([f64::NEG_INFINITY, dice.size()]),
                2 => Some([dice.size(), f64::INFINITY]),
                _ => Some(range(dice)),
            },
            stiffness: dice.size(),
            damping: dice.maybe(Dice::size).unwrap_or(0.0),
            rest: match dice.coin() {
                true => [dice.size(); 2],
                false => range(dice),
            },
            friction_loss: dice.maybe(Dice::size).unwrap_or(0.0),
        })
        .collect()
}

fn actuator(dice: &mut Dice, index: u64) -> ActuatorDescription {
    let (robot, joint) = joint("revolute");
    ActuatorDescription {
        name: format!("drive \"{index}\""),
        target: match index {
            0 => ActuatorTarget::Tendon("path".to_owned()),
            1 => ActuatorTarget::Frame {
                body: "arm/hand".to_owned(),
                pose: dice.pose(),
                force: dice.vector(),
                torque: dice.vector(),
            },
            _ => ActuatorTarget::Joint { robot, joint },
        },
        gear: dice.between(-3.0, 3.0),
        gain: dice.between(-3.0, 3.0),
        bias: [0; 3].map(|_| dice.between(-3.0, 3.0)),
        control_limits: dice.maybe(range),
        force_limits: dice.maybe(range),
        activation: match dice.below(3) {
            0 => Activation::Direct,
            1 => Activation::Filter {
                time_constant: dice.size(),
            },
            _ => Activation::Integrator {
                limits: dice.maybe(range),
            },
        },
        control: signal(dice, Dice::size),
    }
}

fn sensors(dice: &mut Dice) -> Vec<SensorDescription> {
    let (robot, joint) = joint("prismatic");
    let mut kinds = vec![
        SensorKind::JointPosition {
            robot: robot.clone(),
            joint: joint.clone(),
        },
        SensorKind::JointVelocity { robot, joint },
        SensorKind::TendonLength("joints".to_owned()),
        SensorKind::TendonVelocity("path".to_owned()),
        SensorKind::ActuatorForce("drive \"2\"".to_owned()),
    ];
    for quantity in [
        FrameQuantity::Position,
        FrameQuantity::Orientation,
        FrameQuantity::LinearVelocity,
        FrameQuantity::AngularVelocity,
        FrameQuantity::Velocimeter,
        FrameQuantity::Gyro,
        FrameQuantity::Accelerometer,
        FrameQuantity::Force,
        FrameQuantity::Torque,
    ] {
        kinds.push(SensorKind::Frame {
            body: "arm/hand".to_owned(),
            pose: dice.pose(),
            quantity,
        });
    }
    let kinds = kinds.into_iter().enumerate();
    kinds
        .map(|(index, kind)| SensorDescription {
            name: format!("sensor {index}"),
            kind,
            cutoff: dice.maybe(Dice::size),
        })
        .collect()
}

fn keyframe(dice: &mut Dice, index: u64) -> KeyframeDescription {
    let (robot, joint) = joint("universal");
    KeyframeDescription {
        name: format!("pose {index}"),
        joints: vec![KeyframeJoint {
            robot,
            joint,
            position: vec![dice.size(), dice.size()],
            velocity: dice
                .maybe(|dice| vec![dice.size(), dice.size()])
                .unwrap_or_default(),
        }],
        bodies: vec![KeyframeBody {
            body: "body 0".to_owned(),
            pose: dice.pose(),
            velocity: dice.vector(),
            angular_velocity: dice.vector(),
        }],
        controls: vec![
            ("drive \"1\"".to_owned(), dice.size()),
            ("drive \"0\"".to_owned(), dice.size()),
        ],
    }
}
