//! Why things of URDF files are left out.

/// For the list of what was not read.
pub(super) fn reason(tag: &str, attribute: Option<&str>) -> Option<&'static str> {
    Some(match (tag, attribute) {
        ("gazebo", _) => "is for Gazebo alone",
        ("transmission", _) => {
            "is for ros_control; joints take torques directly, with the effort limits of <limit>"
        }
        ("ros2_control", _) => "is for ros2_control; joints take torques directly",
        ("safety_controller", _) => {
            "limits of a controller, not of the joint; those of <limit> are kept"
        }
        ("calibration", _) => "is about encoders, which do not matter here",
        ("sensor", _) => "is not a sensor that can be simulated here",
        ("texture", _) => "surfaces have a colour, but no picture",
        ("contact", _) => {
            "is for Bullet alone; shapes have the default material until a scene file gives another"
        }
        ("material", None) => "only <visual> shapes have a colour",
        ("limit", Some("acceleration" | "deceleration" | "jerk")) => {
            "accelerations follow from forces and are not limited"
        }
        ("origin", Some("quat_xyzw")) => "is read from version=\"1.1\" of <robot> on",
        ("joint" | "link", None) => "stands outside the robot",
        ("verbose", _) => "is a remark",
        ("self_collision_checking" | "collision_checking", _) => {
            "is for planners; shapes collide as they are"
        }
        _ => return None,
    })
}
