//! Robots from URDF files.
//!
//! ```
//! use stiction_io::{ModelOptions, urdf};
//!
//! let text = r#"
//! <robot name="pendulum">
//!   <link name="base"/>
//!   <link name="rod">
//!     <inertial>
//!       <origin xyz="0 0 -0.5"/>
//!       <mass value="1"/>
//!       <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/>
//!     </inertial>
//!   </link>
//!   <joint name="hinge" type="continuous">
//!     <parent link="base"/>
//!     <child link="rod"/>
//!     <axis xyz="0 1 0"/>
//!   </joint>
//! </robot>"#;
//! let file = urdf::parse(text, "pendulum.urdf", &ModelOptions::default())?;
//! assert_eq!(file.scene.robots[0].links[1].name, "rod");
//!
//! let error = urdf::parse(&text.replace("\"1\"", "\"-1\""), "pendulum.urdf", &ModelOptions::default());
//! assert_eq!(
//!     error.unwrap_err().to_string(),
//!     "pendulum.urdf:7:13: mass: value: -1 kg is negative; give the mass in kg"
//! );
//! # Ok::<(), stiction_io::IoError>(())
//! ```
//!
//! Everything is read from the elements of the file themselves, so that every refusal has its line; a link
//! without `<inertial>` is no link with mass zero, a joint without `<limit>` is not locked, and
//! quaternions stay quaternions.

mod joint;
mod link;
mod package;
mod reasons;
mod schema;
mod tree;
mod write;

use std::collections::HashMap;
use std::path::Path;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use stiction_dynamics::{JointKind, WORLD};

use crate::bounded;
use crate::error::{IoError, Result};
use crate::options::{Base, ModelOptions};
use crate::scene_file::{
    Ignored, Places, RobotDescription, RobotJointDescription, SceneDescription, SceneFile,
};
use crate::xml::{self, Element};

pub use reasons::not_done;
pub use write::to_urdf;

/// Why something was not read.
const REASONS: xml::Reasons = reasons::reason;

/// Reads a URDF file as a scene with one robot. Meshes must be where the file says; see
/// [`ModelOptions::packages`] for `package://` names.
///
/// # Errors
/// A file that cannot be read, and everything that [`parse`] refuses.
pub fn read(path: &Path, options: &ModelOptions) -> Result<SceneFile> {
    let file = path.display().to_string();
    let text = bounded::text(path).map_err(|problem| IoError::File {
        file: file.clone(),
        problem,
    })?;
    parse_in(
        &text,
        &file,
        path.parent().unwrap_or(Path::new("")),
        options,
    )
}

/// Reads the text of a URDF file; `file` is the name put in errors, and relative meshes are looked
/// for from its folder.
///
/// # Errors
/// Text that is not XML or not URDF, missing and unknown names, values out of range, links and
/// joints that make no tree, meshes that are not there; each with its line and element.
pub fn parse(text: &str, file: &str, options: &ModelOptions) -> Result<SceneFile> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    parse_in(text, file, folder, options)
}

fn parse_in(text: &str, file: &str, folder: &Path, options: &ModelOptions) -> Result<SceneFile> {
    // A byte order mark is allowed, and only in the way.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = xml::parse(text, file)?;
    refuse_other_formats(&root)?;
    schema::check(&root)?;
    let tree = tree::Tree::new(&root)?;

    let mut reader = Reader {
        root: &root,
        tree: &tree,
        folder,
        options,
        version: schema::version(&root)?,
        places: Places::default(),
        left_out: Vec::new(),
        found: HashMap::new(),
        colors: link::colors(&root),
        known: HashMap::new(),
    };
    let description = reader.robot()?;
    let mut scene = SceneDescription::new(description.name.clone(), options.seconds);
    scene.robots.push(description);
    let Reader {
        places,
        mut left_out,
        ..
    } = reader;
    left_out.extend(xml::unread(&root, REASONS));
    SceneFile::checked(scene, left_out, file, folder, places)
}

/// What is being read, and where it goes.
struct Reader<'a> {
    root: &'a Element,
    tree: &'a tree::Tree<'a>,
    folder: &'a Path,
    options: &'a ModelOptions,
    /// Major and minor version of the format.
    version: (u32, u32),
    places: Places,
    left_out: Vec<Ignored>,
    /// Mesh names that were resolved already.
    found: HashMap<String, String>,
    /// Colours of materials, by name.
    colors: HashMap<&'a str, &'a Element>,
    /// Where in `left_out` each kind is.
    known: HashMap<String, usize>,
}

impl Reader<'_> {
    fn robot(&mut self) -> Result<RobotDescription> {
        let name = match tree::name(self.root).trim() {
            "" => "robot",
            name => name,
        };
        self.places
            .insert("robots[0]".to_owned(), self.root.place());
        let mut robot = RobotDescription {
            name: name.to_owned(),
            skip_overlaps: true,
            base: Isometry3::identity(),
            links: Vec::new(),
            joints: Vec::new(),
            frames: Vec::new(),
            couplings: Vec::new(),
        };
        self.stand(&mut robot)?;
        let tree = self.tree;
        for element in &tree.joints {
            let description = self.joint(element)?;
            let key = format!("robots[0].joints[{}]", robot.joints.len());
            self.places.insert(key, element.place());
            robot.joints.push(description);
        }
        for element in &tree.joints {
            if let Some(coupling) = self.coupling(element)? {
                let key = format!("robots[0].couplings[{}]", robot.couplings.len());
                self.places.insert(key, element.place());
                robot.couplings.push(coupling);
            }
        }
        Ok(robot)
    }

    /// Adds the links, and the joint between the world and the root.
    fn stand(&mut self, robot: &mut RobotDescription) -> Result<()> {
        let tree = self.tree;
        for (index, element) in tree.links.iter().enumerate() {
            let is_world = tree::name(element) == WORLD;
            if is_world && index != tree.root {
                return Err(element.error(
                    "only the root of a robot may be called \"world\"",
                    "give the link another name",
                ));
            }
            let number = robot.links.len();
            let mut description = self.link(element, number)?;
            if is_world {
                if self.options.base == Base::Free {
                    return Err(element.error(
                        "the robot stands on a link \"world\", so it cannot be free",
                        "take that link and its joint away, or let the base be fixed",
                    ));
                }
                // The root called world is the world; only what it carries needs a link.
                if description.mass.take().is_some() {
                    let reason = "the world has no mass";
                    self.leave_out("<inertial> of the link world", reason, element);
                }
                if description.shapes.is_empty() {
                    continue;
                }
                description.name = tree.free_name("world_link", |name| tree.is_link(name));
            }
            let key = format!("robots[0].links[{number}]");
            self.places.insert(key, element.place());
            if index == tree.root {
                let kind = match self.options.base {
                    Base::Fixed => JointKind::Fixed,
                    Base::Free => JointKind::Free,
                };
                let key = format!("robots[0].joints[{}]", robot.joints.len());
                self.places.insert(key, element.place());
                robot.joints.push(RobotJointDescription {
                    name: tree.free_name("root_joint", |name| tree.is_joint(name)),
                    kind,
                    parent: WORLD.to_owned(),
                    child: description.name.clone(),
                    pose: Isometry3::identity(),
                    properties: Default::default(),
                    initial: Vec::new(),
                    initial_velocity: Vec::new(),
                });
            }
            robot.links.push(description);
        }
        Ok(())
    }

    /// Notes something that is not done, each kind once.
    fn leave_out(&mut self, what: &str, reason: &str, element: &Element) {
        if let Some(&known) = self.known.get(what) {
            self.left_out[known].count += 1;
            return;
        }
        self.known.insert(what.to_owned(), self.left_out.len());
        self.left_out.push(Ignored {
            what: what.to_owned(),
            reason: reason.to_owned(),
            count: 1,
            first: (element.file.to_string(), element.line),
        });
    }

    /// The pose of `<origin>` inside an element.
    fn pose(&self, element: &Element) -> Result<Isometry3<f64>> {
        let Some(origin) = element.child("origin") else {
            return Ok(Isometry3::identity());
        };
        let rotation = if origin.has("quat_xyzw") && self.version >= (1, 1) {
            quaternion(origin)?
        } else {
            let [roll, pitch, yaw] = schema::numbers(origin, "rpy")?.unwrap_or_default();
            UnitQuaternion::from_euler_angles(roll, pitch, yaw)
        };
        let position: [f64; 3] = schema::numbers(origin, "xyz")?.unwrap_or_default();
        Ok(Isometry3::from_parts(
            Translation3::from(Vector3::from(position)),
            rotation,
        ))
    }
}

/// A quaternion as URDF 1.1 has it.
fn quaternion(origin: &Element) -> Result<UnitQuaternion<f64>> {
    if origin.has("rpy") {
        let problem = "does not go with rpy";
        return Err(origin.attribute_error("quat_xyzw", problem, "leave out one of the two"));
    }
    let [x, y, z, w] = schema::numbers(origin, "quat_xyzw")?.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let quaternion = Quaternion::new(w, x, y, z);
    if quaternion.norm() < 1e-9 {
        let advice = "give x, y, z, w, such as 0 0 0 1";
        return Err(origin.attribute_error("quat_xyzw", "has no length", advice));
    }
    Ok(UnitQuaternion::new_normalize(quaternion))
}

fn refuse_other_formats(root: &Element) -> Result<()> {
    if let Some(element) = xacro(root) {
        return Err(element.error(
            "is xacro, not URDF",
            "turn the template into URDF first: xacro robot.urdf.xacro > robot.urdf",
        ));
    }
    let advice = match root.tag.as_str() {
        "robot" => return Ok(()),
        "mujoco" => "this is MJCF; give the file the name .xml",
        "sdf" => "this is SDF, which is not read; export the model as URDF or MJCF",
        _ => "the root of a URDF file is <robot name=\"…\">",
    };
    Err(root.error("is not the root of a URDF file", advice))
}

/// The first element with the prefix of xacro.
fn xacro(element: &Element) -> Option<&Element> {
    match element.is_xacro {
        true => Some(element),
        false => element.children.iter().find_map(xacro),
    }
}
