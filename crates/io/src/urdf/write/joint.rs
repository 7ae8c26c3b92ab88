//! Joints, split into those that URDF knows.

use nalgebra::{Isometry3, Vector3};
use stiction_dynamics::{DofProperties, JointKind};

use super::Writer;
use crate::scene_file::RobotJointDescription;

/// A limit that no joint reaches, where a file must have one.
const FAR: f64 = 1e9;

/// A joint as URDF has it: one of those that a joint is split into.
pub(super) struct Step {
    name: String,
    word: &'static str,
    axis: Option<Vector3<f64>>,
    /// The joint it follows, and how much.
    follows: Option<(String, f64)>,
}

impl Writer<'_> {
    pub(super) fn ends(&mut self, parent: &str, child: &str) {
        self.xml.begin("parent").attribute("link", parent).end();
        self.xml.begin("child").attribute("link", child).end();
    }

    pub(super) fn joint(
        &mut self,
        joint: &RobotJointDescription,
        steps: &[Step],
        pose: Isometry3<f64>,
        mimic: Option<(String, f64, f64)>,
    ) {
        let properties = &joint.properties;
        let default = DofProperties::default();
        if properties.total_armature() != 0.0 {
            self.left_out.add(
                "armatures and rotors of joints",
                "URDF has no word for them",
            );
        }
        if properties.stiffness != default.stiffness {
            self.left_out
                .add("springs of joints", "URDF has no word for them");
        }
        if joint
            .initial
            .iter()
            .chain(&joint.initial_velocity)
            .any(|value| *value != 0.0)
        {
            self.left_out
                .add("where joints start", "URDF has no start positions");
        }
        if joint.kind == JointKind::Spherical {
            let reason = "are written as type spherical, which not every reader knows";
            self.left_out.add("spherical joints", reason);
        }
        let mut parent = joint.parent.clone();
        for (index, step) in steps.iter().enumerate() {
            let is_last = index + 1 == steps.len();
            let child = match is_last {
                true => joint.child.clone(),
                false => format!("{} link", step.name),
            };
            if !is_last {
                self.xml.begin("link").attribute("name", &child).end();
            }
            self.xml
                .begin("joint")
                .attribute("name", &step.name)
                .attribute("type", step.word);
            self.ends(&parent, &child);
            if index == 0 {
                self.origin(&pose);
            }
            if let Some(axis) = &step.axis {
                self.xml.begin("axis").numbers("xyz", axis.iter()).end();
            }
            self.limit(step, properties);
            self.losses(step, properties);
            let follows = step
                .follows
                .clone()
                .map(|(joint, factor)| (joint, factor, 0.0));
            if let Some((source, factor, offset)) = follows.or_else(|| mimic.clone()) {
                self.xml
                    .begin("mimic")
                    .attribute("joint", source)
                    .numbers("multiplier", [&factor])
                    .numbers("offset", [&offset])
                    .end();
            }
            self.xml.end();
            parent = child;
        }
    }

    fn limit(&mut self, step: &Step, properties: &DofProperties) {
        let ranged = matches!(step.word, "revolute" | "prismatic");
        // Zero is how URDF says that nobody knows.
        let known = |value: f64| if value.is_finite() { value } else { 0.0 };
        let (effort, velocity) = (
            known(properties.effort_limit),
            known(properties.velocity_limit),
        );
        let drives = matches!(step.word, "continuous" | "spherical") && effort + velocity > 0.0;
        if !ranged && !drives {
            return;
        }
        self.xml.begin("limit");
        if ranged {
            let (mut lower, mut upper) = match step.follows {
                None => (properties.lower, properties.upper),
                Some(_) => (-FAR, FAR),
            };
            if lower.is_infinite() != upper.is_infinite() {
                self.left_out.add(
                    "limits to one side",
                    "the other side is written as 1e9 away",
                );
            }
            lower = lower.max(-FAR);
            upper = upper.min(FAR);
            self.xml
                .numbers("lower", [&lower])
                .numbers("upper", [&upper]);
        }
        self.xml
            .numbers("effort", [&effort])
            .numbers("velocity", [&velocity])
            .end();
    }

    fn losses(&mut self, step: &Step, properties: &DofProperties) {
        let (damping, friction) = (properties.damping, properties.friction_loss);
        if damping == 0.0 && friction == 0.0 || step.word == "fixed" || step.follows.is_some() {
            return;
        }
        if matches!(step.word, "floating" | "planar") {
            let reason = "URDF gives one number for lengths and angles";
            self.left_out
                .add("losses of planar and free joints", reason);
            return;
        }
        self.xml
            .begin("dynamics")
            .numbers("damping", [&damping])
            .numbers("friction", [&friction])
            .end();
    }
}

/// What a joint is split into.
pub(super) fn steps(joint: &RobotJointDescription, taken: impl Fn(&str) -> bool) -> Vec<Step> {
    let step = |suffix: &str, word: &'static str, axis: Option<&Vector3<f64>>| Step {
        name: match suffix {
            "" => joint.name.clone(),
            suffix => free_name(&format!("{} {suffix}", joint.name), &taken),
        },
        word,
        axis: axis.copied(),
        follows: None,
    };
    let unlimited = joint.properties.lower.is_infinite() && joint.properties.upper.is_infinite();
    let turning = match unlimited {
        true => "continuous",
        false => "revolute",
    };
    match &joint.kind {
        JointKind::Revolute { axis } => vec![step("", turning, Some(axis))],
        JointKind::Continuous { axis } => vec![step("", "continuous", Some(axis))],
        JointKind::Prismatic { axis } => vec![step("", "prismatic", Some(axis))],
        JointKind::Planar { normal } => vec![step("", "planar", Some(normal))],
        JointKind::Spherical => vec![step("", "spherical", None)],
        JointKind::Free => vec![step("", "floating", None)],
        JointKind::Cylindrical { axis } => vec![
            step("slide", "prismatic", Some(axis)),
            step("turn", "continuous", Some(axis)),
        ],
        JointKind::Universal {
            first_axis,
            second_axis,
        } => vec![
            step("first", turning, Some(first_axis)),
            step("second", turning, Some(second_axis)),
        ],
        JointKind::Helical { axis, pitch } => {
            let turn = step("turn", turning, Some(axis));
            let slide = Step {
                follows: Some((turn.name.clone(), *pitch)),
                ..step("slide", "prismatic", Some(axis))
            };
            vec![turn, slide]
        }
        // Kinds that this format does not know cannot move.
        _ => vec![step("", "fixed", None)],
    }
}

pub(super) fn free_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    std::iter::once(name.to_owned())
        .chain((2..).map(|number| match name.strip_suffix(".obj") {
            Some(name) => format!("{name}-{number}.obj"),
            None => format!("{name}-{number}"),
        }))
        .find(|name| !taken(name))
        .unwrap_or_default()
}
