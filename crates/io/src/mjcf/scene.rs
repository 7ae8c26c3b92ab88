//! From the tree of a file to bodies, and one robot of everything that has joints.

use std::cell::{Cell, OnceCell};
use std::collections::HashSet;

use nalgebra::{Isometry3, Vector3};
use stiction_collision::{CombineRule, Groups, Material};
use stiction_dynamics::{Inertia, Model, Transform, WORLD};

use super::Context;
use super::body::Tree;
use super::geom::{Form, Geom, Surface};
use super::inertia;
use super::layout::{Layout, Role};
use super::lookup::Names;
use crate::error::Result;
use crate::mesh_use::{drawn_mesh, mesh_shape};
use crate::scene_file::{
    BodyDescription, BodyKind, MassDescription, MeshSource, Place, Places, SceneDescription,
    ShapeDescription, ShapeKind,
};

/// A scene under construction.
pub(super) struct Builder<'c, 'a> {
    pub(super) context: &'c Context<'a>,
    pub(super) tree: Tree<'a>,
    pub(super) layout: Layout,
    pub(super) inertias: Vec<Option<Inertia>>,
    pub(super) scene: SceneDescription,
    pub(super) places: Places,
    /// Name of the robot.
    pub(super) robot: String,
    /// Geoms that a pair lets touch whatever else is said.
    pub(super) paired: HashSet<String>,
    /// Whether something refers to the world as a body.
    pub(super) world_is_used: Cell<bool>,
    pub(super) names: Names,
    /// The robot in the pose that the file describes, once someone asked for it.
    pub(super) model: OnceCell<Option<(Model, Vec<f64>)>>,
}

/// A frame on something of the scene.
#[derive(Debug, Clone)]
pub(super) struct Mount {
    /// Body, or `robot/link`.
    pub(super) body: String,
    /// In the frame of that body.
    pub(super) pose: Isometry3<f64>,
}

impl<'c, 'a> Builder<'c, 'a> {
    pub(super) fn new(
        context: &'c Context<'a>,
        tree: Tree<'a>,
        paired: HashSet<String>,
    ) -> Result<Self> {
        let names = Names::new(&tree);
        let mut robot = context.name.clone();
        while names.has_body(&robot) {
            robot.push_str("-robot");
        }
        let mut scene = SceneDescription::new(context.name.clone(), context.seconds);
        scene.settings.time_step = Some(context.options.time_step);
        scene.settings.integrator = context.options.integrator;
        scene.settings.gravity = Some(context.options.gravity);
        Ok(Self {
            context,
            layout: Layout::new(context, &tree),
            inertias: inertia::of_bodies(context, &tree.bodies)?,
            tree,
            scene,
            places: Places::default(),
            robot,
            paired,
            world_is_used: Cell::new(false),
            names,
            model: OnceCell::new(),
        })
    }

    /// Bodies and the robot.
    pub(super) fn add_bodies(&mut self) -> Result<()> {
        if !self.tree.bodies[0].geoms.is_empty() {
            self.add_world();
        }
        for index in 1..self.tree.bodies.len() {
            let kind = match self.layout.roles[index] {
                Role::Fixed => BodyKind::Fixed,
                Role::Driven(root) if root == index => BodyKind::Driven,
                Role::Free(root) if root == index => BodyKind::Free(self.free_mass(index)?),
                Role::Driven(_) | Role::Free(_) | Role::Link | Role::Node => continue,
            };
            self.add_body(index, kind);
        }
        self.add_robot();
        Ok(())
    }

    fn add_world(&mut self) {
        self.add_body(0, BodyKind::Fixed);
        self.world_is_used.set(false);
    }

    /// Adds the world as a body if something was fixed to it that needs one.
    pub(super) fn finish(&mut self) {
        let is_there = self.scene.bodies.iter().any(|body| body.name == WORLD);
        if self.world_is_used.get() && !is_there {
            self.add_world();
        }
    }

    fn add_body(&mut self, index: usize, kind: BodyKind) {
        let key = format!("bodies[{}]", self.scene.bodies.len());
        // What moves with a body is part of it.
        let members: Vec<usize> = match kind {
            BodyKind::Fixed => vec![index],
            _ => self.members(index),
        };
        let shapes = self.shapes(&key, index, &members);
        let body = &self.tree.bodies[index];
        self.places.insert(key, body.element.place());
        self.scene.bodies.push(BodyDescription {
            name: body.name.clone(),
            kind,
            pose: self.layout.poses[index],
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            color: None,
            gravity_compensation: body.gravity_compensation,
            shapes,
        });
    }

    /// The bodies that are part of a free or driven one.
    fn members(&self, root: usize) -> Vec<usize> {
        self.layout.members.get(&root).cloned().unwrap_or_default()
    }

    fn free_mass(&self, root: usize) -> Result<MassDescription> {
        let mut sum = Inertia::default();
        for member in self.members(root) {
            if let Some(inertia) = self.inertias[member] {
                let offset = self.layout.poses[root].inverse() * self.layout.poses[member];
                let transform = Transform::new(
                    *offset.rotation.to_rotation_matrix().matrix(),
                    offset.translation.vector,
                );
                // The exact numbers of a body that is alone.
                sum = match member == root {
                    true => sum + inertia,
                    false => sum + transform.apply_inertia(&inertia),
                };
            }
        }
        let body = &self.tree.bodies[root];
        if !(sum.mass > 0.0) {
            return Err(body.element.error(
                "moves but has no mass",
                "give it an <inertial>, or geoms with a mass or density",
            ));
        }
        if !(sum.about_com().eigenvalues()[0] > 0.0) {
            return Err(body.element.error(
                "turns but has no rotational inertia",
                "give its <inertial> a diaginertia or fullinertia",
            ));
        }
        Ok(MassDescription::Inertia(sum.into()))
    }

    /// Whether a geom can touch anything.
    pub(super) fn touches(&self, geom: &Geom<'_>) -> bool {
        let has_groups = geom.contype != 0 || geom.conaffinity != 0;
        self.context.options.switches.contacts && (has_groups || self.paired.contains(&geom.name))
    }

    /// The shapes of some bodies, in the frame of the first.
    pub(super) fn shapes(
        &mut self,
        key: &str,
        root: usize,
        members: &[usize],
    ) -> Vec<ShapeDescription> {
        let mut shapes = Vec::new();
        for &member in members {
            let offset = match member == root {
                true => Isometry3::identity(),
                false => self.layout.poses[root].inverse() * self.layout.poses[member],
            };
            for geom in &self.tree.bodies[member].geoms {
                let touches = self.touches(geom);
                if !touches && self.context.compiler.discard_visual {
                    continue;
                }
                let Some(kind) = shape_kind(geom, touches, self.context) else {
                    continue;
                };
                let place = geom.element.place();
                let (scene, places) = (&mut self.scene, &mut self.places);
                let name = material(scene, places, &geom.surface, place.clone());
                self.places
                    .insert(format!("{key}.shapes[{}]", shapes.len()), place);
                shapes.push(ShapeDescription {
                    name: geom.name.clone(),
                    kind,
                    pose: offset * geom.pose,
                    material: Some(name),
                    groups: Groups {
                        member_of: geom.contype,
                        collides_with: geom.conaffinity,
                        either: true,
                    },
                    visual_only: !touches,
                    color: geom.color,
                });
            }
        }
        shapes
    }
}

/// Name of the material of a surface; of two surfaces of one priority the larger friction counts.
pub(super) fn material(
    scene: &mut SceneDescription,
    places: &mut Places,
    surface: &Surface,
    place: Place,
) -> String {
    let mut name = format!("friction-{}", surface.friction);
    if surface.priority != 0 {
        name += &format!("-priority-{}", surface.priority);
    }
    if surface.frictionless {
        name += "-frictionless";
    }
    let materials = &mut scene.materials;
    materials.entry(name.clone()).or_insert_with(|| Material {
        friction_rule: CombineRule::Max,
        priority: surface.priority,
        frictionless: surface.frictionless,
        ..Material::with_friction(surface.friction)
    });
    places.insert(format!("materials.{name}"), place);
    name
}

/// The form of a geom; `None` for one that cannot be had.
fn shape_kind(geom: &Geom<'_>, touches: bool, context: &Context<'_>) -> Option<ShapeKind> {
    match &geom.form {
        Form::Primitive(kind) => Some(kind.clone()),
        Form::Mesh { source, .. } if touches => Some(mesh_shape(context.meshes, source.clone())),
        // What is only drawn keeps its triangles, closed or not.
        Form::Mesh { source, .. } => Some(match source {
            MeshSource::Inline(data) if data.faces.is_empty() => {
                mesh_shape(context.meshes, source.clone())
            }
            _ => drawn_mesh(source.clone()),
        }),
        Form::Missing => None,
    }
}
