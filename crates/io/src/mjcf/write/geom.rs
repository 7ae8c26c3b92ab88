//! Shapes as geoms, and the assets they need.

use std::path::Path;

use nalgebra::{Isometry3, Translation3, Vector3};
use stiction_collision::{Friction, Groups, Material, Outline};

use super::Writer;
use super::body::pose;
use crate::error::{IoError, Result};
use crate::mesh::MeshData;
use crate::scene_file::{MeshFile, MeshSource, PointSource, ShapeDescription, ShapeKind};
use crate::written;
use crate::xml::XmlWriter;

/// Mesh files that MuJoCo reads.
const READ: [&str; 2] = ["obj", "stl"];
/// Coefficients of torsional and rolling friction that MuJoCo has by default, and that do nothing in
/// contacts of three dimensions.
const REST_OF_FRICTION: [f64; 2] = [0.005, 0.0001];

/// Something that geoms refer to.
pub(super) struct Asset {
    name: String,
    content: Content,
    /// Whether it is only drawn.
    drawn: bool,
}

#[derive(PartialEq)]
enum Content {
    File(MeshFile),
    Mesh(MeshData),
    Heights {
        columns: usize,
        rows: usize,
        /// Half sizes, height of the highest above the lowest, depth below.
        size: [f64; 4],
        /// 0 to 1.
        heights: Vec<f64>,
    },
}

/// A geom without its place.
struct Form {
    word: &'static str,
    size: Vec<f64>,
    /// Attribute and name of its asset.
    asset: Option<(&'static str, String)>,
    offset: Isometry3<f64>,
}

impl Form {
    fn new(word: &'static str, size: &[f64]) -> Self {
        Self {
            word,
            size: size.to_vec(),
            asset: None,
            offset: Isometry3::identity(),
        }
    }
}

impl Writer<'_, '_> {
    pub(super) fn geoms(
        &mut self,
        xml: &mut XmlWriter,
        owner: &str,
        shapes: &[ShapeDescription],
        color: Option<[f32; 4]>,
        is_static: bool,
    ) -> Result<()> {
        for shape in shapes {
            let forms = self.forms(owner, shape, is_static)?;
            let several = forms.len() > 1;
            for (index, form) in forms.into_iter().enumerate() {
                let mut name = self.geom_name(owner, &shape.name);
                if several {
                    name = format!("{name} {index}");
                }
                xml.begin("geom")
                    .attribute("name", name)
                    .attribute("type", form.word);
                if !form.size.is_empty() {
                    xml.numbers("size", &form.size);
                }
                if let Some((attribute, asset)) = &form.asset {
                    xml.attribute(attribute, asset);
                }
                pose(xml, &(shape.pose * form.offset));
                self.surface(xml, shape);
                if let Some(color) = shape.color.or(color) {
                    xml.attribute("rgba", color.map(|value| value.to_string()).join(" "));
                }
                xml.end();
            }
        }
        Ok(())
    }

    /// The name of a geom, from `body` and shape.
    pub(super) fn geom_name(&self, owner: &str, shape: &str) -> String {
        format!("{}/{shape}", self.body_name(owner))
    }

    /// Friction and groups of a geom.
    fn surface(&mut self, xml: &mut XmlWriter, shape: &ShapeDescription) {
        if shape.visual_only {
            xml.attribute("contype", 0)
                .attribute("conaffinity", 0)
                .attribute("group", 2);
            return;
        }
        let named = shape.material.as_ref();
        let material = named
            .and_then(|name| self.scene.materials.get(name))
            .copied();
        let material = material.unwrap_or_else(Material::default);
        let (along, _) = material.friction.coefficients();
        let [torsion, rolling] = REST_OF_FRICTION;
        xml.numbers("friction", &[along, torsion, rolling]);
        if material.priority != 0 {
            xml.attribute("priority", material.priority);
        }
        if material.frictionless {
            xml.attribute("condim", 1);
        }
        self.left_out.add(
            "how friction combines",
            "MuJoCo takes the larger of two coefficients",
        );
        if let Friction::TwoAxis { .. } = material.friction {
            let reason = "geoms have one coefficient; that along the direction is written";
            self.left_out.add("friction along two axes", reason);
        }
        if material.restitution != 0.0 {
            self.left_out
                .add("restitution", "MuJoCo has springs and dampers instead");
        }
        if material.compliance != 0.0 || material.tangential_compliance != 0.0 {
            self.left_out
                .add("compliance", "MuJoCo has springs and dampers instead");
        }
        let Groups {
            member_of,
            collides_with,
            either,
        } = shape.groups;
        if shape.groups != Groups::default() {
            // MuJoCo's are signed.
            xml.attribute("contype", member_of as i32);
            xml.attribute("conaffinity", collides_with as i32);
            if !either {
                let reason = "MuJoCo lets shapes touch if either is in a group of the other";
                self.left_out
                    .add("groups that must match both ways", reason);
            }
        }
    }

    /// The geoms that a shape becomes.
    fn forms(
        &mut self,
        owner: &str,
        shape: &ShapeDescription,
        is_static: bool,
    ) -> Result<Vec<Form>> {
        let hull = "meshes collide as their convex hull in MuJoCo";
        let kind = &shape.kind;
        let asset = format!("{} mesh", self.geom_name(owner, &shape.name));
        Ok(vec![match kind {
            ShapeKind::Sphere { radius } => Form::new("sphere", &[*radius]),
            ShapeKind::Box { size } => Form::new("box", (size / 2.0).as_slice()),
            ShapeKind::Capsule { length, radius } => Form::new("capsule", &[*radius, length / 2.0]),
            ShapeKind::Cylinder { length, radius } => {
                Form::new("cylinder", &[*radius, length / 2.0])
            }
            ShapeKind::Ellipsoid { radii } => Form::new("ellipsoid", radii.as_slice()),
            ShapeKind::HalfSpace if is_static => Form::new("plane", &[0.0, 0.0, 1.0]),
            ShapeKind::HalfSpace => {
                self.left_out
                    .add("half-spaces that move", "MuJoCo's planes stand still");
                return Ok(Vec::new());
            }
            ShapeKind::HeightField {
                spacing,
                columns,
                heights,
            } => self.heights(asset, *spacing, *columns, heights),
            ShapeKind::Hull(PointSource::File(file)) => {
                self.file_mesh(asset, file, shape.visual_only)?
            }
            ShapeKind::Mesh {
                triangles: MeshSource::File(file),
                ..
            }
            | ShapeKind::MeshDistance {
                triangles: MeshSource::File(file),
                ..
            } => {
                if !shape.visual_only {
                    self.left_out
                        .add(&format!("shapes of kind {}", kind.word()), hull);
                }
                self.file_mesh(asset, file, shape.visual_only)?
            }
            _ => {
                let built =
                    kind.build(&shape.name, self.folder)
                        .map_err(|error| IoError::File {
                            file: format!("{owner}/{}", shape.name),
                            problem: error.to_string(),
                        })?;
                if let Outline::Compound(parts) = built.outline() {
                    let mut forms = Vec::new();
                    for (index, (_, part)) in parts.iter().enumerate() {
                        if let Some(mesh) = written::surface(part) {
                            let name = format!("{asset} {index}");
                            forms.push(self.mesh(name, Content::Mesh(mesh), shape.visual_only));
                        }
                    }
                    return Ok(forms);
                }
                let Some(mesh) = written::surface(&built) else {
                    let what = format!("shapes of kind {}", kind.word());
                    self.left_out.add(&what, "have no surface to write");
                    return Ok(Vec::new());
                };
                if !shape.visual_only
                    && !matches!(kind, ShapeKind::Hull(_) | ShapeKind::Cone { .. })
                {
                    self.left_out
                        .add(&format!("shapes of kind {}", kind.word()), hull);
                }
                self.mesh(asset, Content::Mesh(mesh), shape.visual_only)
            }
        }])
    }

    fn file_mesh(&mut self, name: String, file: &MeshFile, drawn: bool) -> Result<Form> {
        Ok(match written::ends_in(&file.path, &READ) {
            true => self.mesh(name, Content::File(file.clone()), drawn),
            // Other files stand in the text.
            false => self.mesh(name, Content::Mesh(file.read(self.folder)?), drawn),
        })
    }

    /// A geom with a mesh; the same file is one asset.
    fn mesh(&mut self, name: String, content: Content, drawn: bool) -> Form {
        let same = |asset: &&Asset| {
            matches!(content, Content::File(_)) && asset.content == content && asset.drawn == drawn
        };
        let name = match self.assets.iter().find(same) {
            Some(known) => known.name.clone(),
            None => {
                self.assets.push(Asset {
                    name: name.clone(),
                    content,
                    drawn,
                });
                name
            }
        };
        Form {
            asset: Some(("mesh", name)),
            ..Form::new("mesh", &[])
        }
    }

    fn heights(
        &mut self,
        name: String,
        spacing: [f64; 2],
        columns: usize,
        heights: &[f64],
    ) -> Form {
        let rows = heights.len().checked_div(columns).unwrap_or(0);
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let rise = (high - low).max(1e-9);
        let half = |count: usize, step: f64| 0.5 * count.saturating_sub(1) as f64 * step;
        let (x, y) = (half(columns, spacing[0]), half(rows, spacing[1]));
        self.assets.push(Asset {
            name: name.clone(),
            content: Content::Heights {
                columns,
                rows,
                size: [x, y, rise, x.max(y)],
                heights: heights.iter().map(|height| (height - low) / rise).collect(),
            },
            drawn: false,
        });
        Form {
            asset: Some(("hfield", name)),
            offset: Isometry3::from(Translation3::from(Vector3::new(0.0, 0.0, low))),
            ..Form::new("hfield", &[])
        }
    }

    /// The section with all meshes and height fields.
    pub(super) fn assets(&self) -> String {
        let mut xml = XmlWriter::inside("asset");
        for asset in &self.assets {
            match &asset.content {
                Content::File(file) => {
                    let path = Path::new(&file.path).display().to_string();
                    xml.begin("mesh")
                        .attribute("name", &asset.name)
                        .attribute("file", path);
                    if file.scale != Vector3::repeat(1.0) {
                        xml.numbers("scale", file.scale.iter());
                    }
                }
                Content::Mesh(mesh) => {
                    let vertices = mesh.vertices.iter().flat_map(|vertex| vertex.iter());
                    let faces = mesh.faces.iter().flatten().map(u32::to_string);
                    xml.begin("mesh")
                        .attribute("name", &asset.name)
                        .numbers("vertex", vertices)
                        .attribute("face", faces.collect::<Vec<_>>().join(" "));
                }
                Content::Heights {
                    columns,
                    rows,
                    size,
                    heights,
                } => {
                    xml.begin("hfield")
                        .attribute("name", &asset.name)
                        .attribute("ncol", columns)
                        .attribute("nrow", rows)
                        .numbers("size", size)
                        // MuJoCo's rows run against y.
                        .numbers(
                            "elevation",
                            heights.chunks((*columns).max(1)).rev().flatten(),
                        );
                }
            }
            if asset.drawn {
                // What is drawn need not close.
                xml.attribute("inertia", "shell");
            }
            xml.end();
        }
        xml.finish_section()
    }
}
