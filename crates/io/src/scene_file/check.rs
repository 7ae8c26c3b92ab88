//! What refers to what: names used twice, and names that nobody has.

mod deformable;
mod drive;

use std::collections::{HashMap, HashSet};

use stiction_dynamics::{DynamicsError, Inertia, ModelWarning, WORLD};

use super::description::{
    BodyKind, ControllerDescription, MassDescription, RobotDescription, ShapeDescription,
};
use super::suggest;
use super::{Ignored, SceneFile};
use crate::error::Result;

/// Refuses a scene whose names don't fit together; returns what is odd about the rest.
pub(super) fn references(file: &SceneFile) -> Result<Vec<Ignored>> {
    let scene = &file.scene;
    let robot_names = scene.robots.iter().map(|robot| robot.name.as_str());
    unique(file, "robot", "robots", robot_names)?;
    let joint_names = scene.joints.iter().map(|joint| joint.name.as_str());
    unique(file, "joint", "joints", joint_names)?;
    let mut odd = Vec::new();
    for (index, description) in scene.robots.iter().enumerate() {
        robot(file, index, description, &mut odd)?;
    }
    let bodies = Bodies::collect(file)?;
    impossible_bodies(file, &mut odd);
    materials(file)?;
    for (index, joint) in scene.joints.iter().enumerate() {
        for name in &joint.bodies {
            bodies.find(file, &format!("joints[{index}].bodies"), name)?;
        }
    }
    let shapes = Shapes::collect(file);
    for (index, pair) in scene.exclude.iter().enumerate() {
        for name in pair.iter().filter(|name| !shapes.names.contains(*name)) {
            bodies.find(file, &format!("exclude[{index}]"), name)?;
        }
    }
    controllers(file, &bodies)?;
    drive::references(file, &bodies, &shapes)?;
    deformable::references(file, &bodies)?;
    Ok(odd)
}

/// Refuses a name that appears twice in a list of tables.
fn unique<'a>(
    file: &SceneFile,
    what: &str,
    list: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let mut seen = HashMap::new();
    for (index, name) in names.enumerate() {
        if let Some(first) = seen.insert(name, index) {
            return Err(file.error(
                &format!("{list}[{index}].name"),
                format!("the {what} \"{name}\" exists already, as {list}[{first}]"),
                "give another name",
            ));
        }
    }
    Ok(())
}

/// How a body takes part.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    Fixed,
    Driven,
    Free,
    Link,
}

/// All bodies and links by name.
struct Bodies {
    roles: HashMap<String, Role>,
    /// In the order of the file, for suggestions.
    names: Vec<String>,
}

impl Bodies {
    fn collect(file: &SceneFile) -> Result<Self> {
        let mut all = Self {
            roles: HashMap::new(),
            names: Vec::new(),
        };
        for robot in &file.scene.robots {
            let links = robot
                .links
                .iter()
                .map(|link| (link.name.as_str(), Role::Link));
            for (link, role) in links.chain([(WORLD, Role::Fixed)]) {
                let name = format!("{}/{link}", robot.name);
                all.roles.insert(name.clone(), role);
                all.names.push(name);
            }
        }
        for (index, body) in file.scene.bodies.iter().enumerate() {
            let role = match body.kind {
                BodyKind::Fixed => Role::Fixed,
                BodyKind::Driven => Role::Driven,
                BodyKind::Free(_) => Role::Free,
            };
            if all.roles.insert(body.name.clone(), role).is_some() {
                return Err(file.error(
                    &format!("bodies[{index}].name"),
                    format!("the body \"{}\" exists already", body.name),
                    "give another name",
                ));
            }
            all.names.push(body.name.clone());
        }
        Ok(all)
    }

    fn find(&self, file: &SceneFile, key: &str, name: &str) -> Result<Role> {
        self.roles.get(name).copied().ok_or_else(|| {
            let names = self.names.iter().map(String::as_str);
            let advice = suggest::advice("bodies", name, names);
            file.error(key, format!("there is no body \"{name}\""), advice)
        })
    }
}

/// All shapes, as `body/shape` or `robot/link/shape`.
struct Shapes {
    names: HashSet<String>,
    /// Those that are only drawn.
    drawn: HashSet<String>,
    /// In the order of the file, for suggestions.
    in_order: Vec<String>,
}

impl Shapes {
    fn collect(file: &SceneFile) -> Self {
        let mut all = Self {
            names: HashSet::new(),
            drawn: HashSet::new(),
            in_order: Vec::new(),
        };
        let mut collect = |owner: &str, shapes: &[ShapeDescription]| {
            for shape in shapes {
                let name = format!("{owner}/{}", shape.name);
                if shape.visual_only {
                    all.drawn.insert(name.clone());
                }
                all.names.insert(name.clone());
                all.in_order.push(name);
            }
        };
        for body in &file.scene.bodies {
            collect(&body.name, &body.shapes);
        }
        for robot in &file.scene.robots {
            for link in &robot.links {
                collect(&format!("{}/{}", robot.name, link.name), &link.shapes);
            }
        }
        all
    }
}

/// Every material that a shape names must exist.
fn materials(file: &SceneFile) -> Result<()> {
    let scene = &file.scene;
    let bodies = scene
        .bodies
        .iter()
        .enumerate()
        .map(|(i, body)| (format!("bodies[{i}]"), &body.shapes));
    let links = scene.robots.iter().enumerate().flat_map(|(r, robot)| {
        let links = robot.links.iter().enumerate();
        links.map(move |(l, link)| (format!("robots[{r}].links[{l}]"), &link.shapes))
    });
    for (owner, shapes) in bodies.chain(links) {
        for (index, shape) in shapes.iter().enumerate() {
            if let Some(name) = &shape.material {
                material(file, &format!("{owner}.shapes[{index}].material"), name)?;
            }
        }
    }
    Ok(())
}

/// A material that a key names must exist.
fn material(file: &SceneFile, key: &str, name: &str) -> Result<()> {
    let materials = &file.scene.materials;
    if materials.contains_key(name) {
        return Ok(());
    }
    let known = materials.keys().map(String::as_str);
    Err(file.error(
        key,
        format!("there is no material \"{name}\""),
        suggest::advice("materials", name, known),
    ))
}

fn controllers(file: &SceneFile, bodies: &Bodies) -> Result<()> {
    let mut taken = HashMap::new();
    for (index, controller) in file.scene.controllers.iter().enumerate() {
        let mut once = |what: String| match taken.insert(what, index) {
            None => Ok(()),
            Some(first) => Err(file.error(
                &format!("controllers[{index}]"),
                format!("drives what controllers[{first}] drives already"),
                "leave out one of the two",
            )),
        };
        let key = format!("controllers[{index}].body");
        match controller {
            ControllerDescription::Pd { robot, joint, .. }
            | ControllerDescription::Torque { robot, joint, .. } => {
                once(format!("joint {robot}/{joint}"))?;
            }
            ControllerDescription::Force { body, .. } => {
                let role = bodies.find(file, &key, body)?;
                if matches!(role, Role::Fixed | Role::Driven) {
                    let problem = format!("forces don't move the body \"{body}\"");
                    return Err(file.error(&key, problem, "name a free body or a link"));
                }
            }
            ControllerDescription::Drive { body, .. } => {
                if bodies.find(file, &key, body)? != Role::Driven {
                    let problem = format!("\"{body}\" is not a driven body");
                    return Err(file.error(&key, problem, "write kind = \"driven\" there"));
                }
                once(format!("body {body}"))?;
            }
        }
    }
    Ok(())
}

/// Links and joints must make a tree that the dynamics accept; `odd` gets what is odd about it.
fn robot(
    file: &SceneFile,
    index: usize,
    robot: &RobotDescription,
    odd: &mut Vec<Ignored>,
) -> Result<()> {
    let list = |part: &str| format!("robots[{index}].{part}");
    let links = robot.links.iter().map(|link| link.name.as_str());
    unique(file, "link", &list("links"), links.clone())?;
    let joints = robot.joints.iter().map(|joint| joint.name.as_str());
    unique(file, "joint", &list("joints"), joints)?;
    let names: HashSet<&str> = links.clone().collect();
    let is_link = |name: &str| names.contains(name);
    let known = links.chain([WORLD]);
    for (number, joint) in robot.joints.iter().enumerate() {
        for (end, name) in [("parent", &joint.parent), ("child", &joint.child)] {
            if !is_link(name) && (end == "child" || name != WORLD) {
                return Err(file.error(
                    &list(&format!("joints[{number}].{end}")),
                    format!("robot \"{}\" has no link \"{name}\"", robot.name),
                    suggest::advice("links", name, known.clone()),
                ));
            }
        }
    }
    // The masses of shapes are not known here; any will do for the tree.
    let inertias: Vec<Option<Inertia>> = robot
        .links
        .iter()
        .map(|link| {
            link.mass.map(|mass| match mass {
                MassDescription::Inertia(inertia) => inertia.to_inertia(),
                _ => Inertia::solid_sphere(1.0, 0.1),
            })
        })
        .collect();
    match robot.model(&inertias).build() {
        Ok(model) => {
            for warning in model.warnings() {
                note(file, index, robot, warning, odd);
            }
            Ok(())
        }
        Err(error) => {
            let key = match place_of(&error, robot) {
                Some(part) => list(&part),
                None => format!("robots[{index}]"),
            };
            Err(file.error(&key, error.to_string(), "correct the robot"))
        }
    }
}

/// Notes free bodies with inertias that no body has.
fn impossible_bodies(file: &SceneFile, odd: &mut Vec<Ignored>) {
    let mut count = 0;
    let mut first = None;
    for (index, body) in file.scene.bodies.iter().enumerate() {
        let BodyKind::Free(MassDescription::Inertia(inertia)) = body.kind else {
            continue;
        };
        let [a, b, c] = inertia.about_center.eigenvalues();
        // The rest is refused when the body is made.
        if a > 0.0 && c > (a + b) * (1.0 + 1e-9) {
            count += 1;
            first.get_or_insert((index, &body.name));
        }
    }
    if let Some((index, name)) = first {
        odd.push(Ignored {
            what: "an inertia that breaks the triangle inequality".to_owned(),
            reason: format!("of body \"{name}\" first, is used as it is given"),
            count,
            first: file.place(&format!("bodies[{index}]")),
        });
    }
}

/// Notes an odd link, each kind of oddity once.
fn note(
    file: &SceneFile,
    robot_index: usize,
    robot: &RobotDescription,
    warning: &ModelWarning,
    odd: &mut Vec<Ignored>,
) {
    let (body, what) = match warning {
        ModelWarning::TriangleInequality { body, .. } => {
            (body, "an inertia that breaks the triangle inequality")
        }
        ModelWarning::NegativeMoment { body, .. } => (body, "an inertia with a negative moment"),
        ModelWarning::InertiaWithoutMass { body } => (body, "rotational inertia without mass"),
        _ => return,
    };
    if let Some(known) = odd.iter_mut().find(|known| known.what == what) {
        known.count += 1;
        return;
    }
    let links = &robot.links;
    let key = match links.iter().position(|link| link.name == *body) {
        Some(link) => format!("robots[{robot_index}].links[{link}]"),
        None => format!("robots[{robot_index}]"),
    };
    odd.push(Ignored {
        what: what.to_owned(),
        reason: format!("of link \"{body}\" first, is used as it is given"),
        count: 1,
        first: file.place(&key),
    });
}

/// The part of a robot that an error is about.
fn place_of(error: &DynamicsError, robot: &RobotDescription) -> Option<String> {
    let joint = |name: &str| {
        let at = robot.joints.iter().position(|joint| joint.name == name);
        at.map(|at| format!("joints[{at}]"))
    };
    let link = |name: &str| {
        let at = robot.links.iter().position(|link| link.name == name);
        at.map(|at| format!("links[{at}]"))
    };
    let frame = |name: &str| {
        let at = robot.frames.iter().position(|frame| frame.name == name);
        at.map(|at| format!("frames[{at}]"))
    };
    let coupling = |name: &str| {
        let at = robot
            .couplings
            .iter()
            .rposition(|coupling| coupling.name == name);
        at.map(|at| format!("couplings[{at}]"))
    };
    match error {
        DynamicsError::DuplicateName { kind, name }
        | DynamicsError::BadName { kind, name, .. }
        | DynamicsError::UnknownReference { kind, name, .. }
        | DynamicsError::BadPlacement { kind, name, .. } => match *kind {
            "joint" => joint(name),
            "frame" => frame(name),
            "coupling" => coupling(name),
            _ => link(name),
        },
        DynamicsError::TwoParents { second, .. } => joint(second),
        DynamicsError::Cycle { joints } => joints.first().and_then(|name| joint(name)),
        DynamicsError::BadJoint { joint: name, .. } => joint(name),
        DynamicsError::Unattached { body } | DynamicsError::BadInertia { body, .. } => link(body),
        DynamicsError::BadCoupling { coupling: name, .. } => coupling(name),
        _ => None,
    }
}
