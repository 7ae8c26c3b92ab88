//! The links and joints of a robot, as a tree.

use std::collections::HashMap;
use std::fmt::Write;

use stiction_dynamics::{JointKind, WORLD};
use stiction_io::scene_file::{LinkDescription, RobotDescription, RobotJointDescription};

use super::{mass_of, shapes_of, short};

pub(super) fn describe(out: &mut String, robot: &RobotDescription) {
    let dofs: usize = robot.joints.iter().map(|joint| joint.kind.nv()).sum();
    let _ = writeln!(
        out,
        "robot {}: {} links, {} joints, {dofs} degrees of freedom",
        robot.name,
        robot.links.len(),
        robot.joints.len()
    );
    let links = robot.links.iter().map(|link| (link.name.as_str(), link));
    let links: HashMap<&str, &LinkDescription> = links.collect();
    let mut children: HashMap<&str, Vec<&RobotJointDescription>> = HashMap::new();
    for joint in &robot.joints {
        children.entry(&joint.parent).or_default().push(joint);
    }
    // Depth first; the prefix of each line shows which branches are still open.
    let mut open: Vec<(&RobotJointDescription, String, bool)> = Vec::new();
    let push = |open: &mut Vec<_>, parent: &str, prefix: &str| {
        let joints = children.get(parent).map_or(&[][..], Vec::as_slice);
        for (index, joint) in joints.iter().enumerate().rev() {
            open.push((*joint, prefix.to_owned(), index + 1 == joints.len()));
        }
    };
    push(&mut open, WORLD, "");
    while let Some((joint, prefix, is_last)) = open.pop() {
        let (branch, below) = if is_last {
            ("└ ", "  ")
        } else {
            ("├ ", "│ ")
        };
        let link = links.get(joint.child.as_str());
        let mass = link.and_then(|link| link.mass);
        let mass = mass.map_or("no mass".to_owned(), |mass| mass_of(&mass));
        let shapes = link.map_or(String::new(), |link| shapes_of(&link.shapes));
        let _ = writeln!(
            out,
            "  {prefix}{branch}{}: {mass}{shapes}, by {}",
            joint.child,
            joint_words(joint)
        );
        push(&mut open, &joint.child, &format!("{prefix}{below}"));
    }
    for coupling in &robot.couplings {
        let terms = coupling.terms.iter();
        let terms = terms.map(|(joint, _, factor)| format!("{} · {joint}", short(*factor)));
        let terms: Vec<String> = terms.collect();
        let _ = writeln!(out, "  {} = {}", terms.join(" + "), short(coupling.offset));
    }
}

fn joint_words(joint: &RobotJointDescription) -> String {
    if joint.kind == JointKind::Fixed {
        return format!("the fixed joint {}", joint.name);
    }
    let kind = joint.kind.word();
    let mut words = format!("the {kind} joint {}", joint.name);
    let p = &joint.properties;
    if p.lower.is_finite() || p.upper.is_finite() {
        let _ = write!(words, ", from {} to {}", short(p.lower), short(p.upper));
    }
    for (name, value) in [
        ("friction", p.friction_loss),
        ("damping", p.damping),
        ("armature", p.total_armature()),
        ("stiffness", p.stiffness),
    ] {
        if value != 0.0 {
            let _ = write!(words, ", {name} {}", short(value));
        }
    }
    for (name, limit) in [("effort", p.effort_limit), ("speed", p.velocity_limit)] {
        if limit.is_finite() {
            let _ = write!(words, ", {name} up to {}", short(limit));
        }
    }
    words
}
