//! What comes of writing a scene in another format.

use std::path::Path;

use nalgebra::Isometry3;
use stiction_collision::Shape;
use stiction_dynamics::{Inertia, Symmetric3};

use crate::error::{IoError, Result};
use crate::mesh::MeshData;
use crate::scene_file::{InertiaDescription, MassDescription, ShapeDescription};

/// A scene in another format.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The text of the file.
    pub text: String,
    /// Further files it refers to: path relative to it, and content.
    pub files: Vec<(String, String)>,
    /// What the format cannot say, each kind once.
    pub left_out: Vec<LeftOut>,
}

/// Something that a format cannot say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// What.
    pub what: String,
    /// Why, or what was written instead.
    pub reason: String,
    /// How often.
    pub count: usize,
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.what)?;
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// Collects what is left out.
#[derive(Debug, Default)]
pub(crate) struct LeftOuts(pub(crate) Vec<LeftOut>);

impl LeftOuts {
    /// Notes something.
    pub(crate) fn add(&mut self, what: &str, reason: &str) {
        self.add_many(what, reason, 1);
    }

    /// Notes something that occurs `count` times, which may be none.
    pub(crate) fn add_many(&mut self, what: &str, reason: &str, count: usize) {
        if count == 0 {
            return;
        }
        match self.0.iter_mut().find(|known| known.what == what) {
            Some(known) => known.count += count,
            None => self.0.push(LeftOut {
                what: what.to_owned(),
                reason: reason.to_owned(),
                count,
            }),
        }
    }
}

/// Mass, centre and inertia of a body or link, from its shapes where they decide; mesh files are
/// looked for from `folder`.
pub(crate) fn inertia(
    owner: &str,
    mass: &MassDescription,
    shapes: &[ShapeDescription],
    folder: &Path,
) -> Result<InertiaDescription> {
    let refuse = |problem: String| IoError::File {
        file: owner.to_owned(),
        problem,
    };
    let (mass, density) = match mass {
        MassDescription::Inertia(given) => return Ok(*given),
        MassDescription::Mass(mass) => (Some(*mass), 0.0),
        MassDescription::Density(density) => (None, *density),
    };
    let parts = shapes
        .iter()
        .map(|shape| {
            let built = shape.kind.build(&shape.name, folder);
            Ok((
                shape.pose,
                built.map_err(|error| refuse(error.to_string()))?,
            ))
        })
        .collect::<Result<Vec<(Isometry3<f64>, Shape)>>>()?;
    let whole = Shape::compound(owner, parts).map_err(|error| refuse(error.to_string()))?;
    let moments = whole
        .volume_moments()
        .ok_or_else(|| refuse("its shapes have no volume, so that they have no mass".to_owned()))?;
    let density = mass.map_or(density, |mass| mass / moments.volume);
    Ok(InertiaDescription::from(Inertia::from_moments(
        moments.volume * density,
        moments.first * density,
        &(moments.second * density),
    )))
}

/// Whether some real body can have this inertia.
pub(crate) fn is_real(inertia: &Symmetric3) -> bool {
    let [a, b, c] = inertia.eigenvalues();
    a > 0.0 && c <= (a + b) * (1.0 + 1e-9)
}

/// A mesh as Wavefront OBJ.
pub(crate) fn to_obj(mesh: &MeshData) -> String {
    use crate::xml::number;
    let mut out = String::new();
    for v in &mesh.vertices {
        out += &format!("v {} {} {}\n", number(v.x), number(v.y), number(v.z));
    }
    for [a, b, c] in &mesh.faces {
        out += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    out
}

/// The surface of a shape that can be drawn.
pub(crate) fn surface(shape: &Shape) -> Option<MeshData> {
    let mesh = shape.surface()?;
    Some(MeshData {
        vertices: mesh.vertices().to_vec(),
        faces: mesh.faces().to_vec(),
    })
}

/// Whether a mesh file ends in one of these.
pub(crate) fn ends_in(path: &str, endings: &[&str]) -> bool {
    let ending = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    endings.contains(&ending.as_str())
}
