//! Shapes in the forms that URDF knows.

use std::path::Path;

use nalgebra::Vector3;
use stiction_collision::Groups;

use super::Writer;
use super::joint::free_name;
use crate::error::{IoError, Result};
use crate::scene_file::{MeshSource, PointSource, ShapeDescription, ShapeKind};
use crate::written;

/// Forms that URDF knows.
enum Form {
    Box(Vector3<f64>),
    Sphere(f64),
    /// Tag, length and radius.
    Long(&'static str, f64, f64),
    /// File and scale.
    Mesh(String, Vector3<f64>),
}

impl Writer<'_> {
    pub(super) fn shape(&mut self, link: &str, shape: &ShapeDescription) -> Result<()> {
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
}

/// A name that any file may have.
fn file_name(name: &str) -> String {
    let good = |letter: char| match letter.is_ascii_alphanumeric() || "-_".contains(letter) {
        true => letter,
        false => '_',
    };
    name.chars().map(good).collect()
}
