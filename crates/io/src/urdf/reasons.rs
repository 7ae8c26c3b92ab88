//! Why things of URDF files are left out.

/// What of an element a reason is about.
#[derive(Clone, Copy)]
enum Of {
    /// The element with everything in it.
    All,
    /// The element where it stands.
    Itself,
    /// One of its attributes.
    Attribute(&'static str),
}

use Of::{All, Attribute, Itself};

const LIMITLESS: &str = "accelerations follow from forces and are not limited";
const PLANNERS: &str = "is for planners; shapes collide as they are";
const OUTSIDE: &str = "stands outside the robot";

const REASONS: &[(&str, Of, &str)] = &[
    ("gazebo", All, "is for Gazebo alone"),
    (
        "transmission",
        All,
        "is for ros_control; joints take torques directly, with the effort limits of <limit>",
    ),
    (
        "ros2_control",
        All,
        "is for ros2_control; joints take torques directly",
    ),
    (
        "safety_controller",
        All,
        "limits of a controller, not of the joint; those of <limit> are kept",
    ),
    (
        "calibration",
        All,
        "is about encoders, which do not matter here",
    ),
    ("sensor", All, "is not a sensor that can be simulated here"),
    ("texture", All, "surfaces have a colour, but no picture"),
    (
        "contact",
        All,
        "is for Bullet alone; shapes have the default material until a scene file gives another",
    ),
    ("material", Itself, "only <visual> shapes have a colour"),
    ("limit", Attribute("acceleration"), LIMITLESS),
    ("limit", Attribute("deceleration"), LIMITLESS),
    ("limit", Attribute("jerk"), LIMITLESS),
    (
        "origin",
        Attribute("quat_xyzw"),
        "is read from version=\"1.1\" of <robot> on",
    ),
    ("joint", Itself, OUTSIDE),
    ("link", Itself, OUTSIDE),
    ("verbose", All, "is a remark"),
    ("self_collision_checking", All, PLANNERS),
    ("collision_checking", All, PLANNERS),
];

/// For the list of what was not read.
pub(super) fn reason(tag: &str, attribute: Option<&str>) -> Option<&'static str> {
    let fits = |of: Of| match of {
        All => true,
        Itself => attribute.is_none(),
        Attribute(name) => attribute == Some(name),
    };
    let mut found = REASONS.iter();
    let found = found.find(|&&(known, of, _)| known == tag && fits(of));
    found.map(|&(_, _, reason)| reason)
}

/// What URDF files may say and what is listed as not done, with the reason. What is not here and not read is
/// listed too, without one.
pub fn not_done() -> Vec<(String, &'static str)> {
    let name = |&(tag, of, reason): &(&str, Of, &'static str)| match of {
        Attribute(attribute) => (format!("<{tag} {attribute}>"), reason),
        All | Itself => (format!("<{tag}>"), reason),
    };
    let mut out: Vec<_> = REASONS.iter().map(name).collect();
    out.sort();
    out
}
