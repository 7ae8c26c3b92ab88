//! `<asset>`: meshes, height fields and colours of materials.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nalgebra::{Point3, Vector3};

use super::compiler::Compiler;
use super::defaults::{Attributes, Defaults};
use super::pose;
use super::value::Value;
use crate::bounded;
use crate::error::Result;
use crate::limits::HEIGHT_SAMPLES;
use crate::mesh::MeshData;
use crate::scene_file::{MeshFile, MeshSource, ShapeKind, suggest};
use crate::xml::Element;

/// The assets of a file by name.
#[derive(Default)]
pub(super) struct Assets<'a> {
    meshes: HashMap<String, Mesh<'a>>,
    height_fields: HashMap<String, &'a Element>,
    colors: HashMap<String, [f32; 4]>,
    folder: PathBuf,
}

/// A mesh.
pub(super) struct Mesh<'a> {
    pub(super) element: &'a Element,
    /// `None` for a mesh that cannot be had; it was reported.
    pub(super) source: Option<MeshSource>,
    pub(super) rule: InertiaRule,
    data: OnceCell<MeshData>,
}

/// How a mesh is filled with mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum InertiaRule {
    /// The volume inside its faces.
    Signed,
    /// MuJoCo's rule where a file says none, for which parts outside count positive too.
    Unsigned,
    /// The volume of its convex hull.
    Hull,
}

impl<'a> Assets<'a> {
    /// The folder of the file.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn new(
        root: &'a Element,
        folder: &Path,
        compiler: &Compiler,
        defaults: &Defaults<'a>,
    ) -> Result<Self> {
        let mut assets = Self {
            folder: folder.to_owned(),
            ..Self::default()
        };
        for section in root.children_of("asset") {
            for element in section.children_of("mesh") {
                assets.add_mesh(element, compiler, defaults)?;
            }
            for element in section.children_of("hfield") {
                let name = name_of(element)?;
                assets.height_fields.insert(name, element);
            }
            for element in section.children_of("material") {
                let attributes = defaults.attributes(element, 0)?;
                let name = attributes.need("name")?.text.to_owned();
                // Shine and pictures, which only drawing knows.
                attributes.pass_over(&[
                    "emission",
                    "metallic",
                    "reflectance",
                    "roughness",
                    "shininess",
                    "specular",
                    "texrepeat",
                    "texuniform",
                ]);
                if let Some(value) = attributes.get("rgba") {
                    assets.colors.insert(name, color(value)?);
                }
            }
        }
        Ok(assets)
    }

    fn add_mesh(
        &mut self,
        element: &'a Element,
        compiler: &Compiler,
        defaults: &Defaults<'a>,
    ) -> Result<()> {
        let attributes = defaults.attributes(element, 0)?;
        let name = name_of(element)?;
        attributes.pass_over(&[
            "content_type",
            "normal",
            "texcoord",
            "smoothnormal",
            "maxhullvert",
            "material",
        ]);
        let rule = match attributes.get("inertia") {
            None => InertiaRule::Unsigned,
            Some(value) => match value.word(&["legacy", "exact", "convex", "shell"])? {
                "convex" => InertiaRule::Hull,
                "exact" => InertiaRule::Signed,
                "shell" => {
                    attributes.notes.ignore(
                        element,
                        "<mesh inertia=\"shell\">",
                        "meshes are solid here",
                    );
                    InertiaRule::Signed
                }
                _ => InertiaRule::Unsigned,
            },
        };
        let mesh = Mesh {
            element,
            source: source(&attributes, compiler, &self.folder)?,
            rule,
            data: OnceCell::new(),
        };
        if self.meshes.insert(name.clone(), mesh).is_some() {
            return Err(exists(element, "mesh", &name));
        }
        Ok(())
    }

    pub(super) fn mesh(&self, value: Value<'_>) -> Result<&Mesh<'a>> {
        self.meshes.get(value.text).ok_or_else(|| {
            let mut known: Vec<&str> = self.meshes.keys().map(String::as_str).collect();
            known.sort_unstable();
            value.error(
                format!("there is no mesh \"{}\"", value.text),
                suggest::advice("meshes", value.text, known),
            )
        })
    }

    pub(super) fn mesh_by_name(&self, name: &str) -> Option<&Mesh<'a>> {
        self.meshes.get(name)
    }

    /// Vertices and faces of a mesh in the frame and unit of the model.
    pub(super) fn data<'m>(&self, mesh: &'m Mesh<'a>) -> Result<Option<&'m MeshData>> {
        if let Some(data) = mesh.data.get() {
            return Ok(Some(data));
        }
        let data = match &mesh.source {
            None => return Ok(None),
            Some(MeshSource::Inline(data)) => data.clone(),
            Some(MeshSource::File(file)) => file.read(&self.folder).map_err(|error| {
                let advice = "give a mesh file that can be read";
                mesh.element.error(error.to_string(), advice)
            })?,
        };
        Ok(Some(mesh.data.get_or_init(|| data)))
    }

    /// The colour of a material, where it has one.
    pub(super) fn color(&self, material: &str) -> Option<[f32; 4]> {
        self.colors.get(material).copied()
    }

    /// The shape of a height field; `None` for one that cannot be had, which is reported.
    pub(super) fn height_field(
        &self,
        value: Value<'_>,
        compiler: &Compiler,
        defaults: &Defaults<'a>,
    ) -> Result<Option<ShapeKind>> {
        let Some(element) = self.height_fields.get(value.text) else {
            let mut known: Vec<&str> = self.height_fields.keys().map(String::as_str).collect();
            known.sort_unstable();
            return Err(value.error(
                format!("there is no height field \"{}\"", value.text),
                suggest::advice("height fields", value.text, known),
            ));
        };
        let attributes = Attributes::plain(element, &defaults.notes);
        attributes.pass_over(&["content_type"]);
        let [half_x, half_y, height, _base] = attributes.need("size")?.numbers()?;
        let grid = match attributes.get("file") {
            Some(file) if file.text.to_ascii_lowercase().ends_with(".png") => {
                attributes.notes.ignore(
                    element,
                    "<hfield file> as PNG",
                    "height fields are read from inline elevation and MuJoCo's binary files",
                );
                return Ok(None);
            }
            Some(file) => {
                let path = self.folder.join(compiler.asset_path(file.text));
                let bytes = bounded::data(&path).map_err(|error| {
                    file.error(
                        format!("\"{}\": {error}", path.display()),
                        "give a file that exists",
                    )
                })?;
                Some(binary_grid(&bytes).ok_or_else(|| {
                    file.error(
                        "is no height field",
                        "give nrow and ncol as 32-bit integers, then nrow · ncol 32-bit floats",
                    )
                })?)
            }
            None => inline_grid(&attributes)?,
        };
        let Some((rows, columns, mut heights)) = grid else {
            attributes.notes.ignore(
                element,
                "<hfield> without elevation",
                "heights that a program sets are flat here",
            );
            return Ok(None);
        };
        // Elevations count from the lowest to the highest sample.
        let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let most = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for sample in &mut heights {
            *sample = match most > least {
                true => (*sample - least) / (most - least) * height,
                false => 0.0,
            };
        }
        Ok(Some(ShapeKind::HeightField {
            spacing: [
                2.0 * half_x / (columns - 1) as f64,
                2.0 * half_y / (rows - 1) as f64,
            ],
            columns,
            heights,
        }))
    }
}

fn name_of(element: &Element) -> Result<String> {
    let stem = |file: &str| {
        let stem = Path::new(file).file_stem();
        stem.map(|stem| stem.to_string_lossy().into_owned())
    };
    let name = element.attribute("name").map(str::to_owned);
    name.or_else(|| element.attribute("file").and_then(stem))
        .ok_or_else(|| element.error("has no name", "name it: name=\"…\""))
}

pub(super) fn exists(element: &Element, what: &str, name: &str) -> crate::error::IoError {
    let problem = format!("the {what} \"{name}\" exists already");
    element.error(problem, "give another name")
}

/// Red, green, blue and opacity.
pub(super) fn color(value: Value<'_>) -> Result<[f32; 4]> {
    Ok(value
        .up_to([0.5, 0.5, 0.5, 1.0])?
        .map(|part| part.clamp(0.0, 1.0) as f32))
}

/// Where the triangles of a mesh are; `None` if they cannot be had, which is reported.
fn source(
    attributes: &Attributes<'_>,
    compiler: &Compiler,
    folder: &Path,
) -> Result<Option<MeshSource>> {
    let element = attributes.element;
    let scale = match attributes.get("scale") {
        Some(value) => value.vector()?,
        None => Vector3::repeat(1.0),
    };
    let shift = match attributes.get("refpos") {
        Some(value) => value.vector()?,
        None => Vector3::zeros(),
    };
    let turn = match attributes.get("refquat") {
        Some(value) => Some(pose::quaternion(value, value.numbers()?)?),
        None => None,
    };
    let is_moved = shift != Vector3::zeros() || turn.is_some();
    let mut data = if let Some(value) = attributes.get("file") {
        let file = MeshFile {
            path: compiler.asset_path(value.text),
            scale,
        };
        let path = folder.join(&file.path);
        if let Err(error) = std::fs::metadata(&path) {
            return Err(value.error(
                format!("\"{}\": {error}", path.display()),
                "meshes are looked for in meshdir, from the folder of the model",
            ));
        }
        if !is_moved {
            return Ok(Some(MeshSource::File(file)));
        }
        let unscaled = MeshFile {
            scale: Vector3::repeat(1.0),
            ..file
        };
        unscaled
            .read(folder)
            .map_err(|error| value.error(error.to_string(), "give a mesh file"))?
    } else if let Some(value) = attributes.get("vertex") {
        let numbers = value.list(12..=usize::MAX)?;
        MeshData {
            vertices: points(value, &numbers)?,
            faces: match attributes.get("face") {
                Some(value) => faces(value, numbers.len() / 3)?,
                None => Vec::new(),
            },
        }
    } else {
        attributes.pass_over(&["builtin", "params"]);
        attributes.notes.ignore(
            element,
            "<mesh> without file and vertices",
            "only meshes from files and from vertices are read",
        );
        return Ok(None);
    };
    for vertex in &mut data.vertices {
        let moved = vertex.coords - shift;
        let turned = turn.map_or(moved, |turn| turn.inverse() * moved);
        vertex.coords = turned.component_mul(&scale);
    }
    if scale.product() < 0.0 {
        data.faces.iter_mut().for_each(|face| face.swap(1, 2));
    }
    Ok(Some(MeshSource::Inline(data)))
}

fn points(value: Value<'_>, numbers: &[f64]) -> Result<Vec<Point3<f64>>> {
    if !numbers.len().is_multiple_of(3) {
        return Err(value.error(
            format!("has {} numbers", numbers.len()),
            "give three for each vertex",
        ));
    }
    let point = |c: &[f64]| Point3::new(c[0], c[1], c[2]);
    Ok(numbers.chunks_exact(3).map(point).collect())
}

fn faces(value: Value<'_>, n_vertices: usize) -> Result<Vec<[u32; 3]>> {
    let numbers = value.list(3..=usize::MAX)?;
    let mut corners = Vec::with_capacity(numbers.len());
    for number in numbers {
        if number < 0.0 || number.fract() != 0.0 || number >= n_vertices as f64 {
            return Err(value.error(
                format!("there is no vertex {number}"),
                format!("vertices count from 0 to {}", n_vertices.saturating_sub(1)),
            ));
        }
        corners.push(number as u32);
    }
    if !corners.len().is_multiple_of(3) {
        return Err(value.error(
            format!("has {} numbers", corners.len()),
            "give three vertices for each face",
        ));
    }
    Ok(corners
        .chunks_exact(3)
        .map(|c| [c[0], c[1], c[2]])
        .collect())
}

/// Rows, columns and samples, x fastest and from the lowest y on.
type Grid = (usize, usize, Vec<f64>);

fn inline_grid(attributes: &Attributes<'_>) -> Result<Option<Grid>> {
    let size = |name| -> Result<usize> {
        match attributes.get(name) {
            Some(value) => Ok(value.whole(2..=1 << 20)? as usize),
            None => Ok(0),
        }
    };
    let (rows, columns) = (size("nrow")?, size("ncol")?);
    let Some(value) = attributes.get("elevation") else {
        return Ok(None);
    };
    if rows * columns == 0 || rows * columns > HEIGHT_SAMPLES {
        return Err(attributes.element.error(
            format!("has {rows} rows and {columns} columns"),
            format!("give nrow and ncol, at least 2 and at most {HEIGHT_SAMPLES} samples"),
        ));
    }
    let samples = value.list(rows * columns..=rows * columns)?;
    // The first row of the text is the one with the largest y.
    let heights = samples.chunks_exact(columns).rev().flatten().copied();
    Ok(Some((rows, columns, heights.collect())))
}

/// MuJoCo's own format: two 32-bit integers and the samples as 32-bit floats.
fn binary_grid(bytes: &[u8]) -> Option<Grid> {
    let mut words = bytes
        .chunks_exact(4)
        .map(|word| [word[0], word[1], word[2], word[3]]);
    let mut count = || usize::try_from(i32::from_le_bytes(words.next()?)).ok();
    let (rows, columns) = (count()?, count()?);
    let n = rows.checked_mul(columns)?;
    if rows < 2 || columns < 2 || n > HEIGHT_SAMPLES || bytes.len() != 8 + 4 * n {
        return None;
    }
    let heights: Vec<f64> = words
        .map(|word| f64::from(f32::from_le_bytes(word)))
        .collect();
    heights
        .iter()
        .all(|height| height.is_finite())
        .then_some((rows, columns, heights))
}
