//! Robots as URDF.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use stiction_collision::Groups;
use stiction_dynamics::{DofProperties, JointKind, WORLD};

use crate::error::{IoError, Result};
use crate::scene_file::{
    BodyDescription, BodyKind, LinkDescription, MassDescription, MeshSource, PointSource,
    RobotDescription, RobotJointDescription, SceneDescription, ShapeDescription, ShapeKind,
};
use crate::written::{self, LeftOuts, Written};
use crate::xml::XmlWriter;

/// A limit that no joint reaches, where a file must have one.
const FAR: f64 = 1e9;

/// Writes the first robot of a scene as URDF; a scene without robots gives its first body as a robot
/// of one link. Mesh files are looked for from `folder`, and the text refers to them from there.
///
/// What URDF has no word for is split (universal, cylindrical and helical joints become several with
/// links without mass between them; frames become such links) or else listed as left out.
///
/// # Errors
/// A scene without anything to write, and a link whose mass cannot be found because its shapes cannot
/// be built.
pub fn to_urdf(scene: &SceneDescription, folder: &Path) -> Result<Written> {
    let mut out = Writer {
        xml: XmlWriter::default(),
        files: Vec::new(),
        left_out: LeftOuts::default(),
        folder,
    };
    let alone;
    let robot = match (scene.robots.first(), first_body(scene)) {
        (Some(robot), _) => robot,
        (None, Some(body)) => {
            alone = body_as_robot(body);
            &alone
        }
        (None, None) => {
            return Err(IoError::File {
                file: scene.name.clone(),
                problem: "has neither a robot nor a body to write as URDF".to_owned(),
            });
        }
    };
    out.scene(scene, scene.robots.is_empty());
    out.robot(robot)?;
    Ok(Written {
        text: format!("<?xml version=\"1.0\"?>\n{}", out.xml.finish()),
        files: out.files,
        left_out: out.left_out.0,
    })
}

/// The body that stands for a robot: one that moves, if any.
fn first_body(scene: &SceneDescription) -> Option<&BodyDescription> {
    let free = |body: &&BodyDescription| matches!(body.kind, BodyKind::Free(_));
    let mut bodies = scene.bodies.iter();
    bodies.clone().find(free).or_else(|| bodies.next())
}

/// A body as a robot of one link.
fn body_as_robot(body: &BodyDescription) -> RobotDescription {
    // The world cannot be a link.
    let name = match body.name == WORLD {
        true => "body".to_owned(),
        false => body.name.clone(),
    };
    let (mass, kind) = match body.kind {
        BodyKind::Free(mass) => (Some(mass), JointKind::Free),
        BodyKind::Fixed | BodyKind::Driven => (None, JointKind::Fixed),
    };
    let mut shapes = body.shapes.clone();
    for shape in &mut shapes {
        shape.color = shape.color.or(body.color);
    }
    RobotDescription {
        name: body.name.clone(),
        skip_overlaps: false,
        base: body.pose,
        links: vec![LinkDescription {
            name: name.clone(),
            mass,
            gravity_compensation: body.gravity_compensation,
            shapes,
        }],
        joints: vec![RobotJointDescription {
            name: "root_joint".to_owned(),
            kind,
            parent: WORLD.to_owned(),
            child: name,
            pose: Isometry3::identity(),
            properties: DofProperties::default(),
            initial: Vec::new(),
            initial_velocity: Vec::new(),
        }],
        frames: Vec::new(),
        couplings: Vec::new(),
    }
}

struct Writer<'a> {
    xml: XmlWriter,
    files: Vec<(String, String)>,
    left_out: LeftOuts,
    folder: &'a Path,
}

/// A joint as URDF has it: one of those that a joint is split into.
struct Step {
    name: String,
    word: &'static str,
    axis: Option<Vector3<f64>>,
    /// The joint it follows, and how much.
    follows: Option<(String, f64)>,
}

impl Writer<'_> {
    /// Notes what is beside the robot.
    fn scene(&mut self, scene: &SceneDescription, body_written: bool) {
        let out = &mut self.left_out;
        let robots = scene.robots.len().saturating_sub(1);
        out.add_many(
            "robots",
            "a URDF file has one; the first is written",
            robots,
        );
        let bodies = scene.bodies.len() - usize::from(body_written);
        out.add_many(
            "bodies",
            "a URDF file has one robot and nothing else",
            bodies,
        );
        for (what, count) in [
            ("joints between bodies", scene.joints.len()),
            ("controllers", scene.controllers.len()),
            ("pairs that never touch", scene.exclude.len()),
            ("contact pairs", scene.contact_pairs.len()),
            ("tendons", scene.tendons.len()),
            ("actuators", scene.actuators.len()),
            ("sensors", scene.sensors.len()),
            ("keyframes", scene.keyframes.len()),
        ] {
            out.add_many(what, "URDF has no word for them", count);
        }
        if scene.settings != Default::default() {
            out.add("settings", "URDF describes robots, not simulations");
        }
    }

    fn robot(&mut self, robot: &RobotDescription) -> Result<()> {
        self.xml.begin("robot").attribute("name", &robot.name);
        let root = self.implied_root(robot);
        let stands_on_world = robot.frames.iter().any(|frame| frame.link == WORLD);
        if root.is_none() || stands_on_world {
            self.xml.begin("link").attribute("name", WORLD).end();
        }
        for link in &robot.links {
            self.link(link)?;
        }
        let mut taken: HashSet<&str> = robot.joints.iter().map(|joint| &*joint.name).collect();
        taken.extend(robot.links.iter().map(|link| &*link.name));
        let mut mimics = self.mimics(robot);
        for (index, joint) in robot.joints.iter().enumerate() {
            if root == Some(index) && !stands_on_world {
                continue;
            }
            let base = match joint.parent == WORLD {
                true => robot.base,
                false => Isometry3::identity(),
            };
            let steps = steps(joint, |name| taken.contains(name));
            self.joint(
                joint,
                &steps,
                base * joint.pose,
                mimics.remove(joint.name.as_str()),
            );
        }
        for frame in &robot.frames {
            let base = match frame.link == WORLD {
                true => robot.base,
                false => Isometry3::identity(),
            };
            self.xml.begin("link").attribute("name", &frame.name).end();
            let joint = free_name(&frame.name, |name| taken.contains(name));
            self.xml
                .begin("joint")
                .attribute("name", joint)
                .attribute("type", "fixed");
            self.ends(&frame.link, &frame.name);
            self.origin(&(base * frame.pose));
            self.xml.end();
        }
        self.xml.end();
        Ok(())
    }

    /// The joint that URDF implies between the world and the root, if there is just that.
    fn implied_root(&mut self, robot: &RobotDescription) -> Option<usize> {
        let is_root = |joint: &RobotJointDescription| joint.parent == WORLD;
        let mut roots = robot
            .joints
            .iter()
            .enumerate()
            .filter(|(_, joint)| is_root(joint));
        let (Some((index, joint)), None) = (roots.next(), roots.next()) else {
            return None;
        };
        let identity = robot.base * joint.pose == Isometry3::identity();
        match joint.kind {
            JointKind::Fixed => identity.then_some(index),
            JointKind::Free => {
                let reason = "URDF leaves it to the reader whether the root is free";
                self.left_out.add("the free base", reason);
                if !identity || !joint.initial.is_empty() {
                    self.left_out
                        .add("where the base starts", "URDF has no start positions");
                }
                Some(index)
            }
            _ => None,
        }
    }

    /// Couplings that say that one joint follows another: joint that follows, source, factor, offset.
    fn mimics(&mut self, robot: &RobotDescription) -> HashMap<String, (String, f64, f64)> {
        let mut mimics = HashMap::new();
        let single = |name: &str| {
            let joint = robot.joints.iter().find(|joint| joint.name == name);
            joint.is_some_and(|joint| {
                matches!(
                    joint.kind,
                    JointKind::Revolute { .. }
                        | JointKind::Continuous { .. }
                        | JointKind::Prismatic { .. }
                )
            })
        };
        for coupling in &robot.couplings {
            let said = match &coupling.terms[..] {
                [(follower, _, a), (source, _, b)]
                    if *a != 0.0
                        && single(follower)
                        && single(source)
                        && !mimics.contains_key(follower) =>
                {
                    let value = (source.clone(), -b / a, coupling.offset / a);
                    mimics.insert(follower.clone(), value);
                    true
                }
                _ => false,
            };
            if !said {
                let reason = "URDF can only let one joint with one coordinate follow another";
                self.left_out.add("couplings", reason);
            }
        }
        mimics
    }

    fn link(&mut self, link: &LinkDescription) -> Result<()> {
        self.xml.begin("link").attribute("name", &link.name);
        if let Some(mass) = &link.mass {
            self.inertial(link, mass)?;
        }
        if link.gravity_compensation != 0.0 {
            self.left_out
                .add("gravity compensation", "URDF has no word for it");
        }
        for shape in &link.shapes {
            self.shape(&link.name, shape)?;
        }
        self.xml.end();
        Ok(())
    }

    fn inertial(&mut self, link: &LinkDescription, mass: &MassDescription) -> Result<()> {
        let inertia = written::inertia(&link.name, mass, &link.shapes, self.folder)?;
        self.xml.begin("inertial");
        self.origin(&Isometry3::from_parts(
            inertia.center.into(),
            Default::default(),
        ));
        self.xml
            .begin("mass")
            .numbers("value", [&inertia.mass])
            .end();
        let i = &inertia.about_center;
        self.xml.begin("inertia");
        for (name, value) in [
            ("ixx", i.xx),
            ("ixy", i.xy),
            ("ixz", i.xz),
            ("iyy", i.yy),
            ("iyz", i.yz),
            ("izz", i.zz),
        ] {
            self.xml.numbers(name, [&value]);
        }
        self.xml.end().end();
        Ok(())
    }

    fn origin(&mut self, pose: &Isometry3<f64>) {
        if *pose == Isometry3::identity() {
            return;
        }
        self.xml
            .begin("origin")
            .numbers("xyz", pose.translation.vector.iter())
            .numbers("rpy", &rpy(&pose.rotation))
            .end();
    }

    fn shape(&mut self, link: &str, shape: &ShapeDescription) -> Result<()> {
        let Some(form) = self.form(link, shape)? else {
            return Ok(());
        };
        if shape.material.is_some() {
            self.left_out
                .add("surface materials", "URDF has no friction of surfaces");
        }
        if shape.groups != Groups::default() {
            self.left_out.add("collision groups", "URDF has none");
        }
        let tag = match shape.visual_only {
            true => "visual",
            false => "collision",
        };
        self.xml.begin(tag).attribute("name", &shape.name);
        self.origin(&shape.pose);
        self.xml.begin("geometry");
        match form {
            Form::Box(size) => self.xml.begin("box").numbers("size", size.iter()).end(),
            Form::Sphere(radius) => self.xml.begin("sphere").numbers("radius", [&radius]).end(),
            Form::Long(tag, length, radius) => self
                .xml
                .begin(tag)
                .numbers("radius", [&radius])
                .numbers("length", [&length])
                .end(),
            Form::Mesh(file, scale) => {
                self.xml.begin("mesh").attribute("filename", file);
                if scale != Vector3::repeat(1.0) {
                    self.xml.numbers("scale", scale.iter());
                }
                self.xml.end()
            }
        };
        self.xml.end();
        match (shape.color, shape.visual_only) {
            (Some(color), true) => {
                let words = color.map(|value| value.to_string()).join(" ");
                self.xml
                    .begin("material")
                    .attribute("name", format!("color {words}"));
                self.xml.begin("color").attribute("rgba", words).end().end();
            }
            (Some(_), false) => {
                let reason = "URDF colours only shapes that are drawn and don't collide";
                self.left_out.add("colours of colliding shapes", reason);
            }
            (None, _) => {}
        }
        self.xml.end();
        Ok(())
    }

    /// The form of a shape as URDF has it, if it has.
    fn form(&mut self, link: &str, shape: &ShapeDescription) -> Result<Option<Form>> {
        let hulls_only = "URDF says a mesh, and its reader what it collides as";
        let file = match &shape.kind {
            ShapeKind::Box { size } => return Ok(Some(Form::Box(*size))),
            ShapeKind::Sphere { radius } => return Ok(Some(Form::Sphere(*radius))),
            ShapeKind::Cylinder { length, radius } => {
                return Ok(Some(Form::Long("cylinder", *length, *radius)));
            }
            ShapeKind::Capsule { length, radius } => {
                let reason = "are written as <capsule>, which not every reader knows";
                self.left_out.add("capsules", reason);
                return Ok(Some(Form::Long("capsule", *length, *radius)));
            }
            ShapeKind::HalfSpace | ShapeKind::HeightField { .. } => {
                let what = format!("shapes of kind {}", shape.kind.word());
                self.left_out.add(&what, "URDF has no ground");
                return Ok(None);
            }
            ShapeKind::Hull(PointSource::File(file)) => Some(file),
            ShapeKind::Mesh {
                triangles: MeshSource::File(file),
                open,
            } => {
                if !open || !shape.visual_only {
                    self.left_out.add("what meshes collide as", hulls_only);
                }
                Some(file)
            }
            ShapeKind::MeshDistance {
                triangles: MeshSource::File(file),
                ..
            }
            | ShapeKind::MeshParts {
                triangles: MeshSource::File(file),
                ..
            } => {
                self.left_out.add("what meshes collide as", hulls_only);
                Some(file)
            }
            _ => None,
        };
        if let Some(file) = file {
            let name = match Path::new(&file.path).is_absolute() {
                true => format!("file://{}", file.path),
                false => file.path.clone(),
            };
            return Ok(Some(Form::Mesh(name, file.scale)));
        }
        // Everything else is a mesh in a file of its own.
        let data = match &shape.kind {
            ShapeKind::Mesh { triangles, .. }
            | ShapeKind::MeshDistance { triangles, .. }
            | ShapeKind::MeshParts { triangles, .. } => Some(triangles.data(self.folder)?),
            kind => {
                let built =
                    kind.build(&shape.name, self.folder)
                        .map_err(|error| IoError::File {
                            file: format!("{link}/{}", shape.name),
                            problem: error.to_string(),
                        })?;
                written::surface(&built)
            }
        };
        let what = format!("shapes of kind {}", shape.kind.word());
        let Some(data) = data else {
            self.left_out.add(&what, "has no surface");
            return Ok(None);
        };
        if !matches!(shape.kind, ShapeKind::Hull(_)) {
            self.left_out.add(&what, "are written as meshes");
        }
        let name = format!("meshes/{}-{}.obj", file_name(link), file_name(&shape.name));
        let name = free_name(&name, |name| self.files.iter().any(|file| file.0 == name));
        self.files.push((name.clone(), written::to_obj(&data)));
        Ok(Some(Form::Mesh(name, Vector3::repeat(1.0))))
    }

    fn ends(&mut self, parent: &str, child: &str) {
        self.xml.begin("parent").attribute("link", parent).end();
        self.xml.begin("child").attribute("link", child).end();
    }

    fn joint(
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

/// Forms that URDF knows.
enum Form {
    Box(Vector3<f64>),
    Sphere(f64),
    /// Tag, length and radius.
    Long(&'static str, f64, f64),
    /// File and scale.
    Mesh(String, Vector3<f64>),
}

/// Roll, pitch and yaw of R = Rz(yaw) Ry(pitch) Rx(roll), to rounding even where the pitch is
/// vertical: there yaw is anything, and roll is what remains.
fn rpy(rotation: &UnitQuaternion<f64>) -> [f64; 3] {
    let m = *rotation.to_rotation_matrix().matrix();
    let yaw = m[(1, 0)].atan2(m[(0, 0)]);
    let pitch = (-m[(2, 0)]).atan2(m[(0, 0)].hypot(m[(1, 0)]));
    let undo = UnitQuaternion::from_euler_angles(0.0, pitch, yaw).inverse();
    let rest = *(undo * rotation).to_rotation_matrix().matrix();
    [rest[(2, 1)].atan2(rest[(1, 1)]), pitch, yaw]
}

/// What a joint is split into.
fn steps(joint: &RobotJointDescription, taken: impl Fn(&str) -> bool) -> Vec<Step> {
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

fn free_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    std::iter::once(name.to_owned())
        .chain((2..).map(|number| match name.strip_suffix(".obj") {
            Some(name) => format!("{name}-{number}.obj"),
            None => format!("{name}-{number}"),
        }))
        .find(|name| !taken(name))
        .unwrap_or_default()
}

/// A name that any file may have.
fn file_name(name: &str) -> String {
    let good = |letter: char| match letter.is_ascii_alphanumeric() || "-_".contains(letter) {
        true => letter,
        false => '_',
    };
    name.chars().map(good).collect()
}
