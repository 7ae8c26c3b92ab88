//! A description back as TOML.

mod drive;

use std::fmt::{Display, Write};

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use stiction_collision::{CombineRule, Friction, Groups, Material};
use stiction_dynamics::{DofProperties, JointKind};
use stiction_modeling::{ConnectionKind, Signal};

use super::description::{
    Anchors, BodyDescription, BodyKind, ConnectionDescription, ControllerDescription,
    MassDescription, RobotDescription, RobotJointDescription, SceneDescription,
    SettingsDescription, ShapeDescription,
};
use super::read::RULES;
use super::shape::{MeshFile, MeshSource, PointSource, ShapeKind, ThreadDescription};

/// Writes a scene as the text of a scene file. Reading it again gives the same scene, as long as
/// the scene is one that a file may have.
pub fn to_toml(scene: &SceneDescription) -> String {
    let mut out = Writer::default();
    out.text("name", &scene.name);
    out.number("seconds", scene.seconds);
    if !scene.exclude.is_empty() {
        let pairs = scene.exclude.iter();
        let pairs = pairs.map(|[a, b]| format!("[{}, {}]", quoted(a), quoted(b)));
        out.line("exclude", list(pairs));
    }
    settings(&mut out, &scene.settings);
    for (name, material) in &scene.materials {
        out.header(&format!("[materials.{}]", quoted(name)));
        self::material(&mut out, material);
    }
    for body in &scene.bodies {
        self::body(&mut out, body);
    }
    for robot in &scene.robots {
        self::robot(&mut out, robot);
    }
    for joint in &scene.joints {
        self::joint(&mut out, joint);
    }
    for controller in &scene.controllers {
        self::controller(&mut out, controller);
    }
    for pair in &scene.contact_pairs {
        drive::contact_pair(&mut out, pair);
    }
    for tendon in &scene.tendons {
        drive::tendon(&mut out, tendon);
    }
    for actuator in &scene.actuators {
        drive::actuator(&mut out, actuator);
    }
    for sensor in &scene.sensors {
        drive::sensor(&mut out, sensor);
    }
    for keyframe in &scene.keyframes {
        drive::keyframe(&mut out, keyframe);
    }
    out.text
}

/// Lines of `key = value`.
#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn header(&mut self, header: &str) {
        self.text.push('\n');
        self.text.push_str(header);
        self.text.push('\n');
    }

    fn line(&mut self, key: &str, value: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{key} = {value}");
    }

    fn text(&mut self, key: &str, value: &str) {
        self.line(key, quoted(value));
    }

    fn number(&mut self, key: &str, value: f64) {
        self.line(key, float(value));
    }

    /// A number, unless it is what is meant without it.
    fn unless(&mut self, key: &str, value: f64, default: f64) {
        if value != default {
            self.number(key, value);
        }
    }

    fn numbers<'a>(&mut self, key: &str, values: impl IntoIterator<Item = &'a f64>) {
        self.line(key, numbers(values));
    }

    fn pose(&mut self, pose: &Isometry3<f64>) {
        if pose.translation.vector != Vector3::zeros() {
            self.numbers("position", pose.translation.vector.iter());
        }
        if pose.rotation != UnitQuaternion::identity() {
            self.line("rotation", rotation(&pose.rotation));
        }
    }
}

/// All digits that are needed to read the same number again.
fn float(value: f64) -> String {
    format!("{value:?}")
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn numbers<'a>(values: impl IntoIterator<Item = &'a f64>) -> String {
    list(values.into_iter().map(|&value| float(value)))
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

fn rotation(rotation: &UnitQuaternion<f64>) -> String {
    format!(
        "{{ quaternion_xyzw = {} }}",
        numbers(rotation.coords.iter())
    )
}

fn pose_value(pose: &Isometry3<f64>) -> String {
    let position = numbers(pose.translation.vector.iter());
    format!(
        "{{ position = {position}, rotation = {} }}",
        rotation(&pose.rotation)
    )
}

fn settings(out: &mut Writer, settings: &SettingsDescription) {
    if *settings == SettingsDescription::default() {
        return;
    }
    out.header("[settings]");
    if let Some(gravity) = &settings.gravity {
        out.numbers("gravity", gravity.iter());
    }
    if let Some(solver) = &settings.solver {
        out.text("solver", solver);
    }
    for (key, value) in [
        ("time_step", settings.time_step),
        ("theta", settings.theta),
        ("tolerance", settings.tolerance),
        ("baumgarte", settings.baumgarte),
        ("push_out_speed", settings.push_out_speed),
        ("contact_margin", settings.contact_margin),
        ("joint_tolerance", settings.joint_tolerance),
    ] {
        if let Some(value) = value {
            out.number(key, value);
        }
    }
    for (key, value) in [
        ("max_iterations", settings.max_iterations),
        ("relinearizations", settings.relinearizations),
        ("max_contacts", settings.max_contacts),
    ] {
        if let Some(value) = value {
            out.line(key, value);
        }
    }
    for (key, value) in [
        ("islands", settings.islands),
        ("warm_start", settings.warm_start),
    ] {
        if let Some(value) = value {
            out.line(key, value);
        }
    }
}

fn material(out: &mut Writer, material: &Material) {
    let default = Material::default();
    match &material.friction {
        Friction::Isotropic(friction) => out.number("friction", *friction),
        Friction::TwoAxis {
            along,
            across,
            direction,
        } => out.line(
            "friction",
            format!(
                "{{ along = {}, across = {}, direction = {} }}",
                float(*along),
                float(*across),
                numbers(direction.iter())
            ),
        ),
    }
    out.unless("restitution", material.restitution, default.restitution);
    out.unless("compliance", material.compliance, default.compliance);
    let word = |rule: CombineRule| {
        let found = RULES.iter().find(|&&(_, known)| known == rule);
        found.map_or("", |&(word, _)| word)
    };
    if material.friction_rule != default.friction_rule {
        out.text("friction_rule", word(material.friction_rule));
    }
    if material.restitution_rule != default.restitution_rule {
        out.text("restitution_rule", word(material.restitution_rule));
    }
}

fn body(out: &mut Writer, body: &BodyDescription) {
    out.header("[[bodies]]");
    out.text("name", &body.name);
    match &body.kind {
        BodyKind::Fixed => out.text("kind", "fixed"),
        BodyKind::Driven => out.text("kind", "driven"),
        BodyKind::Free(mass) => {
            out.text("kind", "free");
            self::mass(out, mass);
        }
    }
    out.pose(&body.pose);
    for (key, vector) in [
        ("velocity", &body.velocity),
        ("angular_velocity", &body.angular_velocity),
    ] {
        if *vector != Vector3::zeros() {
            out.numbers(key, vector.iter());
        }
    }
    if let Some(color) = body.color {
        out.numbers("color", &color.map(f64::from));
    }
    out.unless("gravity_compensation", body.gravity_compensation, 0.0);
    shapes(out, "[[bodies.shapes]]", &body.shapes);
}

fn mass(out: &mut Writer, mass: &MassDescription) {
    match mass {
        MassDescription::Mass(mass) => out.number("mass", *mass),
        MassDescription::Density(density) => out.number("density", *density),
        MassDescription::Inertia(inertia) => {
            let i = &inertia.about_center;
            out.line(
                "inertia",
                format!(
                    "{{ mass = {}, center = {}, full = {} }}",
                    float(inertia.mass),
                    numbers(inertia.center.iter()),
                    numbers(&[i.xx, i.xy, i.xz, i.yy, i.yz, i.zz])
                ),
            );
        }
    }
}

fn shapes(out: &mut Writer, header: &str, shapes: &[ShapeDescription]) {
    for shape in shapes {
        out.header(header);
        out.text("name", &shape.name);
        out.text("kind", shape.kind.word());
        shape_kind(out, &shape.kind);
        out.pose(&shape.pose);
        if let Some(material) = &shape.material {
            out.text("material", material);
        }
        let default = Groups::default();
        for (key, bits, default) in [
            ("groups", shape.groups.member_of, default.member_of),
            (
                "collides_with",
                shape.groups.collides_with,
                default.collides_with,
            ),
        ] {
            if bits != default {
                let numbers = (0..32).filter(|bit| bits >> bit & 1 == 1);
                out.line(key, list(numbers.map(|bit| bit.to_string())));
            }
        }
        if shape.groups.either {
            out.line("either_group", true);
        }
        if shape.visual_only {
            out.line("visual_only", true);
        }
        if let Some(color) = shape.color {
            out.numbers("color", &color.map(f64::from));
        }
    }
}

fn shape_kind(out: &mut Writer, kind: &ShapeKind) {
    match kind {
        ShapeKind::Sphere { radius } => out.number("radius", *radius),
        ShapeKind::Box { size } => out.numbers("size", size.iter()),
        ShapeKind::Capsule { length, radius }
        | ShapeKind::Cylinder { length, radius }
        | ShapeKind::Cone { length, radius } => {
            out.number("length", *length);
            out.number("radius", *radius);
        }
        ShapeKind::Ellipsoid { radii } => out.numbers("radii", radii.iter()),
        ShapeKind::HalfSpace => {}
        ShapeKind::Hull(PointSource::Inline(points)) => {
            out.line(
                "points",
                list(points.iter().map(|point| numbers(point.iter()))),
            );
        }
        ShapeKind::Hull(PointSource::File(file)) => mesh_file(out, file),
        ShapeKind::Mesh { triangles, open } => {
            self::triangles(out, triangles);
            if *open {
                out.line("open", true);
            }
        }
        ShapeKind::MeshDistance { triangles, cells } => {
            self::triangles(out, triangles);
            out.line("cells", cells);
        }
        ShapeKind::MeshParts { triangles, parts } => {
            self::triangles(out, triangles);
            out.line("parts", parts);
        }
        ShapeKind::HeightField {
            spacing,
            columns,
            heights,
        } => {
            out.numbers("spacing", spacing);
            let rows = heights.chunks((*columns).max(1));
            out.line("heights", list(rows.map(numbers)));
        }
        ShapeKind::Dish {
            floor,
            rim,
            height,
            thickness,
            resolution,
        } => {
            out.number("floor", *floor);
            out.number("rim", *rim);
            out.number("height", *height);
            out.number("thickness", *thickness);
            out.number("resolution", *resolution);
        }
        ShapeKind::Bolt {
            thread,
            length,
            head_height,
            head_width,
        } => {
            self::thread(out, thread);
            out.number("length", *length);
            if *head_height > 0.0 {
                out.number("head_height", *head_height);
                out.number("head_width", *head_width);
            }
        }
        ShapeKind::Nut {
            thread,
            height,
            width,
            clearance,
        } => {
            self::thread(out, thread);
            out.number("height", *height);
            out.number("width", *width);
            out.number("clearance", *clearance);
        }
    }
}

fn triangles(out: &mut Writer, triangles: &MeshSource) {
    match triangles {
        MeshSource::Inline(mesh) => {
            let vertices = mesh.vertices.iter().map(|vertex| numbers(vertex.iter()));
            out.line("vertices", list(vertices));
            let faces = mesh.faces.iter().map(|face| format!("{face:?}"));
            out.line("faces", list(faces));
        }
        MeshSource::File(file) => mesh_file(out, file),
    }
}

fn mesh_file(out: &mut Writer, file: &MeshFile) {
    out.text("file", &file.path);
    if file.scale != Vector3::repeat(1.0) {
        out.numbers("scale", file.scale.iter());
    }
}

fn thread(out: &mut Writer, thread: &ThreadDescription) {
    out.number("diameter", thread.diameter);
    out.number("pitch", thread.pitch);
    out.unless("start", thread.start, 0.0);
    out.line("chamfered", thread.chamfered);
    out.number("resolution", thread.resolution);
}

fn robot(out: &mut Writer, robot: &RobotDescription) {
    out.header("[[robots]]");
    out.text("name", &robot.name);
    out.pose(&robot.base);
    if robot.skip_overlaps {
        out.line("skip_overlaps", true);
    }
    for link in &robot.links {
        out.header("[[robots.links]]");
        out.text("name", &link.name);
        if let Some(mass) = &link.mass {
            self::mass(out, mass);
        }
        out.unless("gravity_compensation", link.gravity_compensation, 0.0);
        shapes(out, "[[robots.links.shapes]]", &link.shapes);
    }
    for joint in &robot.joints {
        robot_joint(out, joint);
    }
    for frame in &robot.frames {
        out.header("[[robots.frames]]");
        out.text("name", &frame.name);
        out.text("link", &frame.link);
        out.pose(&frame.pose);
    }
    for coupling in &robot.couplings {
        out.header("[[robots.couplings]]");
        out.text("name", &coupling.name);
        let terms = coupling
            .terms
            .iter()
            .map(|(joint, component, coefficient)| {
                format!(
                    "{{ joint = {}, component = {component}, coefficient = {} }}",
                    quoted(joint),
                    float(*coefficient)
                )
            });
        out.line("terms", list(terms));
        out.unless("offset", coupling.offset, 0.0);
    }
}

fn robot_joint(out: &mut Writer, joint: &RobotJointDescription) {
    out.header("[[robots.joints]]");
    out.text("name", &joint.name);
    let (word, axes): (&str, Vec<(&str, &Vector3<f64>)>) = match &joint.kind {
        JointKind::Revolute { axis } => ("revolute", vec![("axis", axis)]),
        JointKind::Continuous { axis } => ("continuous", vec![("axis", axis)]),
        JointKind::Prismatic { axis } => ("prismatic", vec![("axis", axis)]),
        JointKind::Helical { axis, .. } => ("helical", vec![("axis", axis)]),
        JointKind::Cylindrical { axis } => ("cylindrical", vec![("axis", axis)]),
        JointKind::Universal {
            first_axis,
            second_axis,
        } => (
            "universal",
            vec![("axis", first_axis), ("second_axis", second_axis)],
        ),
        JointKind::Planar { normal } => ("planar", vec![("normal", normal)]),
        JointKind::Spherical => ("spherical", Vec::new()),
        JointKind::Free => ("free", Vec::new()),
        // Kinds that this format does not know yet cannot move either.
        _ => ("fixed", Vec::new()),
    };
    out.text("kind", word);
    out.text("parent", &joint.parent);
    out.text("child", &joint.child);
    out.pose(&joint.pose);
    for (key, axis) in axes {
        out.numbers(key, axis.iter());
    }
    if let JointKind::Helical { pitch, .. } = joint.kind {
        out.number("pitch", pitch);
    }
    if word != "fixed" {
        properties(out, &joint.properties);
    }
    match (&joint.kind, joint.initial.as_slice()) {
        (_, []) => {}
        (JointKind::Spherical, q) => out.line("initial_rotation", quaternion(q)),
        (JointKind::Free, q) => {
            let (position, rotation) = q.split_at(q.len().min(3));
            out.numbers("initial_position", position);
            out.line("initial_rotation", quaternion(rotation));
        }
        (_, q) => out.numbers("initial", q),
    }
    if !joint.initial_velocity.is_empty() {
        out.numbers("initial_velocity", &joint.initial_velocity);
    }
}

fn quaternion(q: &[f64]) -> String {
    format!("{{ quaternion_xyzw = {} }}", numbers(q))
}

fn properties(out: &mut Writer, properties: &DofProperties) {
    let default = DofProperties::default();
    for (key, value, default) in [
        ("lower", properties.lower, default.lower),
        ("upper", properties.upper, default.upper),
        (
            "velocity_limit",
            properties.velocity_limit,
            default.velocity_limit,
        ),
        (
            "effort_limit",
            properties.effort_limit,
            default.effort_limit,
        ),
        ("friction", properties.friction_loss, default.friction_loss),
        ("damping", properties.damping, default.damping),
        ("armature", properties.armature, default.armature),
        (
            "rotor_inertia",
            properties.rotor_inertia,
            default.rotor_inertia,
        ),
        ("gear_ratio", properties.gear_ratio, default.gear_ratio),
        ("stiffness", properties.stiffness, default.stiffness),
        ("reference", properties.reference, default.reference),
    ] {
        out.unless(key, value, default);
    }
}

fn joint(out: &mut Writer, joint: &ConnectionDescription) {
    out.header("[[joints]]");
    out.text("name", &joint.name);
    let (word, values): (&str, Vec<(&str, f64)>) = match joint.kind {
        ConnectionKind::Ball => ("ball", Vec::new()),
        ConnectionKind::Hinge => ("hinge", Vec::new()),
        ConnectionKind::Weld => ("weld", Vec::new()),
        ConnectionKind::Distance { length } => ("distance", vec![("length", length)]),
        ConnectionKind::Spring {
            stiffness,
            damping,
            rest_length,
        } => (
            "spring",
            vec![
                ("stiffness", stiffness),
                ("damping", damping),
                ("rest_length", rest_length),
            ],
        ),
        ConnectionKind::Rolling { radius } => ("rolling", vec![("radius", radius)]),
        ConnectionKind::NoSideSlip => ("no-side-slip", Vec::new()),
    };
    out.text("kind", word);
    for (key, value) in values {
        out.number(key, value);
    }
    out.line("bodies", list(joint.bodies.iter().map(|name| quoted(name))));
    match &joint.anchors {
        Anchors::InWorld(pose) => out.line("at", pose_value(pose)),
        Anchors::OnBodies(poses) => {
            for (key, pose) in ["anchor_a", "anchor_b"].into_iter().zip(poses) {
                if *pose != Isometry3::identity() {
                    out.line(key, pose_value(pose));
                }
            }
        }
    }
    if let Some(collide) = joint.collide {
        out.line("collide", collide);
    }
}

fn controller(out: &mut Writer, controller: &ControllerDescription) {
    out.header("[[controllers]]");
    let number = |value: &f64| float(*value);
    let vector = |value: &Vector3<f64>| numbers(value.iter());
    match controller {
        ControllerDescription::Pd {
            robot,
            joint,
            stiffness,
            damping,
            feed_forward,
            target,
        } => {
            out.text("kind", "pd");
            out.text("robot", robot);
            out.text("joint", joint);
            out.number("stiffness", *stiffness);
            out.number("damping", *damping);
            out.unless("feed_forward", *feed_forward, 0.0);
            out.line("target", signal(target, number));
        }
        ControllerDescription::Torque {
            robot,
            joint,
            torque,
        } => {
            out.text("kind", "torque");
            out.text("robot", robot);
            out.text("joint", joint);
            out.line("torque", signal(torque, number));
        }
        ControllerDescription::Force {
            body,
            force,
            torque,
            point,
        } => {
            out.text("kind", "force");
            out.text("body", body);
            out.line("force", signal(force, vector));
            out.line("torque", signal(torque, vector));
            if let Some(point) = point {
                out.numbers("point", point.iter());
            }
        }
        ControllerDescription::Drive {
            body,
            velocity,
            angular_velocity,
        } => {
            out.text("kind", "drive");
            out.text("body", body);
            out.line("velocity", signal(velocity, vector));
            out.line("angular_velocity", signal(angular_velocity, vector));
        }
    }
}

fn signal<T>(signal: &Signal<T>, value: impl Fn(&T) -> String) -> String {
    match signal {
        Signal::Constant(constant) => value(constant),
        Signal::Sinusoid {
            mean,
            amplitude,
            frequency,
            phase,
        } => format!(
            "{{ mean = {}, amplitude = {}, frequency = {}, phase = {} }}",
            value(mean),
            value(amplitude),
            float(*frequency),
            float(*phase)
        ),
        Signal::Waypoints(points) => format!(
            "{{ times = {}, values = {} }}",
            list(points.iter().map(|&(time, _)| float(time))),
            list(points.iter().map(|(_, at)| value(at)))
        ),
    }
}
