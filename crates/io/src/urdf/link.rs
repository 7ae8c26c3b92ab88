//! Links: masses and shapes.

use nalgebra::{Matrix3, Vector3};
use stiction_collision::Groups;
use stiction_dynamics::Symmetric3;

use super::{Reader, tree};
use crate::error::Result;
use crate::mesh_use::{drawn_mesh, mesh_shape};
use crate::scene_file::{
    InertiaDescription, LinkDescription, MassDescription, MeshFile, MeshSource, ShapeDescription,
    ShapeKind,
};
use crate::xml::Element;

/// What a shape is for.
#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    Drawn,
    Collides,
}

impl Reader<'_> {
    pub(super) fn link(
        &mut self,
        element: &Element,
        link: &urdf_rs::Link,
        number: usize,
    ) -> Result<LinkDescription> {
        let mut out = LinkDescription {
            name: link.name.clone(),
            mass: None,
            gravity_compensation: 0.0,
            shapes: Vec::new(),
        };
        if let Some(inertial) = element.child("inertial") {
            out.mass = self.mass(inertial, &link.inertial)?;
        }
        let collisions = element.children_of("collision").zip(&link.collision);
        for (element, collision) in collisions {
            let shape = self.shape(
                element,
                Purpose::Collides,
                &collision.origin,
                &collision.geometry,
            )?;
            self.add_shape(element, number, &mut out.shapes, shape);
        }
        for (element, visual) in element.children_of("visual").zip(&link.visual) {
            if is_nothing(&visual.geometry) {
                self.leave_out("<visual> of size zero", "shows nothing", element);
                continue;
            }
            let mut shape =
                self.shape(element, Purpose::Drawn, &visual.origin, &visual.geometry)?;
            shape.color = self.color(element, visual.material.as_ref())?;
            self.add_shape(element, number, &mut out.shapes, shape);
        }
        Ok(out)
    }

    fn add_shape(
        &mut self,
        element: &Element,
        link: usize,
        shapes: &mut Vec<ShapeDescription>,
        mut shape: ShapeDescription,
    ) {
        let given = tree::name(element).trim();
        let base = match given {
            "" => element.tag.as_str(),
            given => given,
        };
        let taken = |name: &str| shapes.iter().any(|shape| shape.name == name);
        shape.name = self.tree.free_name(base, taken);
        let key = format!("robots[0].links[{link}].shapes[{}]", shapes.len());
        self.places.insert(key, element.place());
        shapes.push(shape);
    }

    /// The mass of a link, about its centre and along the axes of the link.
    fn mass(
        &self,
        element: &Element,
        inertial: &urdf_rs::Inertial,
    ) -> Result<Option<MassDescription>> {
        let mass = inertial.mass.value;
        let given = &inertial.inertia;
        let moments = [
            given.ixx, given.ixy, given.ixz, given.iyy, given.iyz, given.izz,
        ];
        let place = element.child("mass").unwrap_or(element);
        if mass < 0.0 {
            let problem = format!("{mass} kg is negative");
            return Err(place.attribute_error("value", problem, "give the mass in kg"));
        }
        if mass == 0.0 && moments.iter().all(|&value| value == 0.0) {
            // A link that says it has none is a link without mass.
            return Ok(None);
        }
        let pose = self.pose(element, &inertial.origin)?;
        let [xx, xy, xz, yy, yz, zz] = moments;
        let own = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let rotation = pose.rotation.to_rotation_matrix();
        let about_center = match *rotation.matrix() == Matrix3::identity() {
            true => own,
            false => rotation.matrix() * own * rotation.matrix().transpose(),
        };
        Ok(Some(MassDescription::Inertia(InertiaDescription {
            mass,
            center: pose.translation.vector,
            about_center: Symmetric3::from_matrix(&about_center),
        })))
    }

    fn shape(
        &mut self,
        element: &Element,
        purpose: Purpose,
        origin: &urdf_rs::Pose,
        geometry: &urdf_rs::Geometry,
    ) -> Result<ShapeDescription> {
        Ok(ShapeDescription {
            name: String::new(),
            kind: self.kind(element, purpose, geometry)?,
            pose: self.pose(element, origin)?,
            material: None,
            groups: Groups::default(),
            visual_only: purpose == Purpose::Drawn,
            color: None,
        })
    }

    fn kind(
        &mut self,
        element: &Element,
        purpose: Purpose,
        geometry: &urdf_rs::Geometry,
    ) -> Result<ShapeKind> {
        let form = element.child("geometry").and_then(|geometry| {
            let word = word(geometry, &element.tag);
            geometry.child(word)
        });
        let form = form.unwrap_or(element);
        let positive = |name: &str, value: f64| match value > 0.0 {
            true => Ok(value),
            false => {
                let problem = format!("{value} m is not positive");
                Err(form.attribute_error(name, problem, "give the size in m"))
            }
        };
        Ok(match geometry {
            urdf_rs::Geometry::Box { size } => {
                let size = Vector3::from(size.0);
                positive("size", size.min())?;
                ShapeKind::Box { size }
            }
            urdf_rs::Geometry::Sphere { radius } => ShapeKind::Sphere {
                radius: positive("radius", *radius)?,
            },
            urdf_rs::Geometry::Cylinder { radius, length } => ShapeKind::Cylinder {
                length: positive("length", *length)?,
                radius: positive("radius", *radius)?,
            },
            urdf_rs::Geometry::Capsule { radius, length } => ShapeKind::Capsule {
                length: positive("length", *length)?,
                radius: positive("radius", *radius)?,
            },
            urdf_rs::Geometry::Mesh { filename, scale } => {
                let scale = scale.map_or(Vector3::repeat(1.0), |scale| Vector3::from(scale.0));
                if scale.iter().any(|value| *value == 0.0) {
                    let advice = "give metres per unit of the file, such as 0.001 0.001 0.001";
                    return Err(form.attribute_error("scale", "is zero", advice));
                }
                let path = self.mesh_path(form, filename.trim())?;
                let source = MeshSource::File(MeshFile { path, scale });
                match purpose {
                    Purpose::Collides => mesh_shape(self.options.meshes, source),
                    Purpose::Drawn => drawn_mesh(source),
                }
            }
        })
    }

    /// The colour of a drawn shape: its own, or that of the material it names.
    fn color(
        &mut self,
        element: &Element,
        material: Option<&urdf_rs::Material>,
    ) -> Result<Option<[f32; 4]>> {
        let (Some(material), Some(element)) = (material, element.child("material")) else {
            return Ok(None);
        };
        let of_links = || self.robot.links.iter().flat_map(|link| &link.visual);
        let own = material.color.as_ref();
        let named = || {
            let visuals = of_links().filter_map(|visual| visual.material.as_ref());
            let mut all = self.robot.materials.iter().chain(visuals);
            all.find(|other| other.name == material.name && other.color.is_some())
                .and_then(|other| other.color.as_ref())
        };
        let Some(color) = own.or_else(named) else {
            let known = !element.has("texture") && element.children.is_empty();
            if known && !material.name.is_empty() {
                let what = format!("<material name=\"{}\">", material.name);
                self.leave_out(&what, "no material with this name has a colour", element);
            }
            return Ok(None);
        };
        if let Some(bad) = color
            .rgba
            .iter()
            .find(|value| !(0.0..=1.0).contains(*value))
        {
            // What is drawn needs no refusal.
            let what = "<color rgba> beyond 0 to 1";
            self.leave_out(what, &format!("{bad} is clamped"), element);
        }
        Ok(Some(color.rgba.0.map(|value| value.clamp(0.0, 1.0) as f32)))
    }
}

/// Whether a primitive has a size of zero, as files write for what is not to be seen.
fn is_nothing(geometry: &urdf_rs::Geometry) -> bool {
    match geometry {
        urdf_rs::Geometry::Box { size } => size.0.contains(&0.0),
        urdf_rs::Geometry::Sphere { radius } => *radius == 0.0,
        urdf_rs::Geometry::Cylinder { radius, length }
        | urdf_rs::Geometry::Capsule { radius, length } => *radius == 0.0 || *length == 0.0,
        urdf_rs::Geometry::Mesh { .. } => false,
    }
}

/// The form inside a geometry.
fn word<'a>(geometry: &'a Element, fallback: &'a str) -> &'a str {
    const FORMS: [&str; 5] = ["box", "sphere", "cylinder", "capsule", "mesh"];
    let known = |element: &&Element| FORMS.contains(&element.tag.as_str());
    let form = geometry.children.iter().find(known);
    form.map_or(fallback, |form| form.tag.as_str())
}
