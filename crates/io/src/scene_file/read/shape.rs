//! `[[bodies.shapes]]` and `[[robots.links.shapes]]`.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};
use stiction_collision::Groups;
use stiction_collision::sdf::MetricThread;

use super::super::description::ShapeDescription;
use super::super::node::{Node, Table};
use super::super::shape::{MeshFile, MeshSource, PointSource, ShapeKind, ThreadDescription};
use super::super::units::{ANGLE, LENGTH, PLAIN};
use super::{body, distance, pose};
use crate::error::Result;
use crate::mesh::MeshData;

/// The keys that every shape has, and further ones.
macro_rules! keys {
    ($($more:literal),*) => {
        &[
            "name", "kind", "position", "rotation", "material", "groups", "collides_with",
            "either_group", "visual_only", "color", $($more),*
        ]
    };
}

/// The keys of each kind.
pub(super) const KINDS: &[(&str, &[&str])] = &[
    ("sphere", keys!["radius"]),
    ("box", keys!["size"]),
    ("capsule", keys!["length", "radius"]),
    ("cylinder", keys!["length", "radius"]),
    ("cone", keys!["length", "radius"]),
    ("ellipsoid", keys!["radii"]),
    ("half-space", keys![]),
    ("hull", keys!["points", "file", "scale"]),
    ("mesh", keys!["vertices", "faces", "file", "scale", "open"]),
    (
        "mesh-distance",
        keys!["vertices", "faces", "file", "scale", "cells"],
    ),
    (
        "mesh-parts",
        keys!["vertices", "faces", "file", "scale", "parts"],
    ),
    ("height-field", keys!["spacing", "heights"]),
    (
        "dish",
        keys!["floor", "rim", "height", "thickness", "resolution"],
    ),
    (
        "bowl",
        keys!["floor", "rim", "height", "thickness", "resolution"],
    ),
    (
        "plate",
        keys!["floor", "rim", "height", "thickness", "resolution"],
    ),
    ("pot", keys!["radius", "height", "thickness", "resolution"]),
    (
        "bottle",
        keys!["radius", "neck", "height", "thickness", "resolution"],
    ),
    (
        "bolt",
        keys![
            "size",
            "diameter",
            "pitch",
            "start",
            "chamfered",
            "resolution",
            "length",
            "head_height",
            "head_width"
        ],
    ),
    (
        "nut",
        keys![
            "size",
            "diameter",
            "pitch",
            "start",
            "chamfered",
            "resolution",
            "height",
            "width",
            "clearance"
        ],
    ),
    ("torus", keys!["radius", "tube", "resolution"]),
    ("revolution", keys!["outline", "resolution"]),
    ("distance-file", keys!["file", "resolution"]),
    ("union", keys!["parts", "blend", "rounding", "resolution"]),
    (
        "intersection",
        keys!["parts", "blend", "rounding", "resolution"],
    ),
    (
        "difference",
        keys!["parts", "blend", "rounding", "resolution"],
    ),
];

/// Smallest and largest size of a shape, m.
const SIZES: std::ops::RangeInclusive<f64> = 1e-6..=1e6;
/// Largest ratio of two sizes of one shape: beyond it the faces of its mesh have no area.
const SLENDEREST: f64 = 1e5;
/// Most mesh edges along the longest side of a dish.
const FINEST: f64 = 150.0;
/// Most turns of a thread.
const MOST_TURNS: f64 = 100.0;

/// Reads all shapes of a body or link. One without a name is called after its kind.
pub(super) fn read_all(table: &Table<'_>) -> Result<Vec<ShapeDescription>> {
    let mut shapes: Vec<ShapeDescription> = Vec::new();
    for node in table.list("shapes")? {
        let (word, table) = node.table_by_kind(KINDS)?;
        let taken = |name: &str| shapes.iter().any(|shape| shape.name == name);
        let name = match table.get("name") {
            Some(given) => {
                let name = given.name()?;
                if taken(&name) {
                    let problem = format!("the body has a shape \"{name}\" already");
                    return Err(given.fail(problem, "give another name"));
                }
                name
            }
            None => std::iter::once(word.to_owned())
                .chain((2..).map(|number| format!("{word}-{number}")))
                .find(|name| !taken(name))
                .unwrap_or_default(),
        };
        shapes.push(ShapeDescription {
            name,
            kind: kind(word, &table, 0)?,
            pose: pose::read(&table)?,
            material: table.read("material", |node| node.name())?,
            groups: groups(&table)?,
            visual_only: table
                .read("visual_only", |node| node.flag())?
                .unwrap_or(false),
            color: table.read("color", |node| body::color(&node))?,
        });
    }
    Ok(shapes)
}

/// The form of a shape that is nested so deep in others.
pub(super) fn kind(word: &str, table: &Table<'_>, depth: usize) -> Result<ShapeKind> {
    if let Some(kind) = distance::read(word, table, depth)? {
        return Ok(kind);
    }
    let shape = match word {
        "sphere" => ShapeKind::Sphere {
            radius: size(&table.need("radius")?)?,
        },
        "box" => ShapeKind::Box {
            size: sizes(&table.need("size")?)?,
        },
        "capsule" | "cylinder" | "cone" => {
            let (length, radius) = (size(&table.need("length")?)?, size(&table.need("radius")?)?);
            slender(table, &[length, radius])?;
            match word {
                "capsule" => ShapeKind::Capsule { length, radius },
                "cylinder" => ShapeKind::Cylinder { length, radius },
                _ => ShapeKind::Cone { length, radius },
            }
        }
        "ellipsoid" => ShapeKind::Ellipsoid {
            radii: sizes(&table.need("radii")?)?,
        },
        "half-space" => ShapeKind::HalfSpace,
        "hull" => ShapeKind::Hull(hull(table)?),
        "mesh" => ShapeKind::Mesh {
            triangles: triangles(table)?,
            open: table.read("open", |node| node.flag())?.unwrap_or(false),
        },
        "mesh-distance" => ShapeKind::MeshDistance {
            triangles: triangles(table)?,
            cells: number_of(table, "cells", 64, 4..=512)?,
        },
        "mesh-parts" => ShapeKind::MeshParts {
            triangles: triangles(table)?,
            parts: number_of(table, "parts", 16, 1..=256)?,
        },
        "height-field" => height_field(table)?,
        "pot" => {
            let radius = size(&table.need("radius")?)?;
            dish(table, radius, radius)?
        }
        "bottle" => {
            let radius = size(&table.need("radius")?)?;
            dish(table, radius, size(&table.need("neck")?)?)?
        }
        "bolt" => bolt(table)?,
        "nut" => nut(table)?,
        _ => {
            let floor = size(&table.need("floor")?)?;
            dish(table, floor, size(&table.need("rim")?)?)?
        }
    };
    Ok(shape)
}

/// A size of a shape, m.
pub(super) fn size(node: &Node<'_>) -> Result<f64> {
    node.ranged(
        LENGTH,
        |value| SIZES.contains(&value),
        "must be positive, from 1e-6 m to 1e6 m",
    )
}

/// Sizes along x, y and z, m.
pub(super) fn sizes(node: &Node<'_>) -> Result<Vector3<f64>> {
    let [x, y, z] = node.items_exactly::<3>("three lengths in [ ]")?;
    let sizes = Vector3::new(size(&x)?, size(&y)?, size(&z)?);
    match sizes.max() / sizes.min() <= SLENDEREST {
        true => Ok(sizes),
        false => Err(node.fail(
            format!("the largest is more than {SLENDEREST:e} times the smallest"),
            "make the shape less slender",
        )),
    }
}

fn slender(table: &Table<'_>, sizes: &[f64]) -> Result<()> {
    let (smallest, largest) = sizes
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), &size| {
            (low.min(size), high.max(size))
        });
    match largest / smallest <= SLENDEREST {
        true => Ok(()),
        false => Err(table.node.fail(
            format!("the largest size is more than {SLENDEREST:e} times the smallest"),
            "make the shape less slender",
        )),
    }
}

fn hull(table: &Table<'_>) -> Result<PointSource> {
    match (table.get("points"), table.get("file")) {
        (Some(points), None) => {
            scale_needs_file(table)?;
            let inline = self::points(&points)?;
            if inline.len() < 4 {
                let problem = format!("a hull of {} points has no volume", inline.len());
                return Err(points.fail(problem, "give at least 4 points"));
            }
            Ok(PointSource::Inline(inline))
        }
        (None, Some(file)) => Ok(PointSource::File(mesh_file(table, &file)?)),
        _ => Err(table
            .node
            .fail("has no points", "give either points or file")),
    }
}

pub(super) fn points(node: &Node<'_>) -> Result<Vec<Point3<f64>>> {
    let read = |node: &Node<'_>| Ok(Point3::from(node.position()?));
    node.items()?.iter().map(read).collect()
}

/// A count with a default.
pub(super) fn number_of(
    table: &Table<'_>,
    key: &'static str,
    default: usize,
    good: std::ops::RangeInclusive<usize>,
) -> Result<usize> {
    let Some(node) = table.get(key) else {
        return Ok(default);
    };
    let count = node.count(*good.end())?;
    match good.contains(&count) {
        true => Ok(count),
        false => Err(node.fail(
            format!("{count} is too small"),
            format!("give {} to {}", good.start(), good.end()),
        )),
    }
}

fn triangles(table: &Table<'_>) -> Result<MeshSource> {
    Ok(match (table.get("file"), table.get("vertices")) {
        (Some(file), None) => {
            if let Some(faces) = table.get("faces") {
                return Err(faces.fail("does not go with file", "leave out one of them"));
            }
            MeshSource::File(mesh_file(table, &file)?)
        }
        (None, Some(vertices)) => {
            scale_needs_file(table)?;
            let vertices = points(&vertices)?;
            let mut faces = Vec::new();
            for face in table.need("faces")?.items()? {
                let corners = face.items_exactly::<3>("the indices of three vertices, from 0")?;
                let mut out = [0; 3];
                for (out, corner) in out.iter_mut().zip(&corners) {
                    let index = corner.count(u32::MAX as usize)?;
                    if index >= vertices.len() {
                        let problem = format!("there is no vertex {index}");
                        let advice = format!("the {} vertices count from 0", vertices.len());
                        return Err(corner.fail(problem, advice));
                    }
                    *out = index as u32;
                }
                faces.push(out);
            }
            MeshSource::Inline(MeshData { vertices, faces })
        }
        _ => {
            return Err(table.node.fail(
                "has no triangles",
                "give either file, or vertices and faces",
            ));
        }
    })
}

pub(super) fn scale_needs_file(table: &Table<'_>) -> Result<()> {
    match table.get("scale") {
        None => Ok(()),
        Some(scale) => Err(scale.fail("only goes with file", "scale the numbers themselves")),
    }
}

pub(super) fn mesh_file(table: &Table<'_>, file: &Node<'_>) -> Result<MeshFile> {
    let path = file.name()?;
    let extension = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    if !crate::mesh::EXTENSIONS.contains(&extension.as_str()) {
        return Err(file.fail(
            "is neither .obj, .stl, .dae, .glb, .gltf nor .msh",
            "convert the mesh to one of them",
        ));
    }
    let scale = match table.get("scale") {
        None => Vector3::repeat(1.0),
        Some(node) => {
            let scale = match node.is_list() {
                true => node.vector(PLAIN)?,
                false => Vector3::repeat(node.number(PLAIN)?),
            };
            if scale
                .iter()
                .any(|value| !(1e-9..=1e9).contains(&value.abs()))
            {
                let advice = "give metres per unit of the file, such as 0.001 for mm";
                return Err(node.fail("is zero or out of range", advice));
            }
            scale
        }
    };
    Ok(MeshFile { path, scale })
}

fn height_field(table: &Table<'_>) -> Result<ShapeKind> {
    let node = table.need("spacing")?;
    let spacing = match node.is_list() {
        true => {
            let [x, y] = node.items_exactly::<2>("two lengths, along x and y")?;
            [size(&x)?, size(&y)?]
        }
        false => [size(&node)?; 2],
    };
    let node = table.need("heights")?;
    let rows = node.items()?;
    let advice = "give rows of one length, at least 2 × 2 numbers, each row along x";
    let mut heights = Vec::new();
    let mut columns = 0;
    for (index, row) in rows.iter().enumerate() {
        let row_items = row.items()?;
        if index == 0 {
            columns = row_items.len();
        } else if row_items.len() != columns {
            let problem = format!("has {} numbers, the first row {columns}", row_items.len());
            return Err(row.fail(problem, advice));
        }
        for item in &row_items {
            let good = |value: f64| value.abs() <= *SIZES.end();
            heights.push(item.ranged(LENGTH, good, "must be between -1e6 m and 1e6 m")?);
        }
    }
    if rows.len() < 2 || columns < 2 {
        let problem = format!("has {} rows of {columns}", rows.len());
        return Err(node.fail(problem, advice));
    }
    Ok(ShapeKind::HeightField {
        spacing,
        columns,
        heights,
    })
}

fn dish(table: &Table<'_>, floor: f64, rim: f64) -> Result<ShapeKind> {
    let height = size(&table.need("height")?)?;
    let node = table.need("thickness")?;
    let thickness = size(&node)?;
    let narrowest = floor.min(rim);
    if thickness >= 2.0 * narrowest {
        return Err(node.fail(
            format!("leaves no room inside a radius of {narrowest} m"),
            "make the wall thinner than the dish is wide",
        ));
    }
    slender(table, &[floor, rim, height, thickness])?;
    let largest = floor.max(rim).max(height);
    let resolution = resolution(table, largest / 12.0, largest / FINEST)?;
    Ok(ShapeKind::Dish {
        floor,
        rim,
        height,
        thickness,
        resolution,
    })
}

/// Edge length of a surface mesh, m.
fn resolution(table: &Table<'_>, default: f64, finest: f64) -> Result<f64> {
    let Some(node) = table.get("resolution") else {
        return Ok(default);
    };
    node.ranged(
        LENGTH,
        |value| (finest..=*SIZES.end()).contains(&value),
        &format!("must be at least {finest} m for this shape"),
    )
}

fn thread(table: &Table<'_>) -> Result<ThreadDescription> {
    let advice = "give either size = 48 for M48, or diameter and pitch";
    let (diameter, pitch) = match (table.get("size"), table.get("diameter"), table.get("pitch")) {
        (Some(node), None, None) => {
            let size = node.count(1000)? as u32;
            let thread =
                MetricThread::coarse(size).map_err(|error| node.fail(error.to_string(), advice))?;
            (2.0 * thread.major_radius(), thread.pitch())
        }
        (None, Some(diameter), Some(pitch)) => {
            let (d, p) = (size(&diameter)?, size(&pitch)?);
            if !(d / 50.0..=d / 2.0).contains(&p) {
                return Err(pitch.fail(
                    format!("must be between 1/50 and 1/2 of the diameter, is {p} m"),
                    "change pitch or diameter",
                ));
            }
            (d, p)
        }
        _ => return Err(table.node.fail("has no thread, or two", advice)),
    };
    Ok(ThreadDescription {
        diameter,
        pitch,
        start: table
            .read("start", |node| node.number(ANGLE))?
            .unwrap_or(0.0),
        chamfered: table.read("chamfered", |node| node.flag())?.unwrap_or(true),
        resolution: resolution(table, (PI * diameter / 24.0).min(pitch), pitch / 8.0)?,
    })
}

/// A length along a thread, m.
fn threaded(node: &Node<'_>, thread: &ThreadDescription) -> Result<f64> {
    let (shortest, longest) = (thread.pitch, MOST_TURNS * thread.pitch);
    node.ranged(
        LENGTH,
        |value| (shortest..=longest).contains(&value),
        &format!("must be 1 to {MOST_TURNS} turns of the thread, {shortest} m to {longest} m"),
    )
}

fn bolt(table: &Table<'_>) -> Result<ShapeKind> {
    let thread = thread(table)?;
    let (head_height, head_width) = match (table.get("head_height"), table.get("head_width")) {
        (None, None) => (0.0, 0.0),
        (Some(height), Some(width)) => (
            size(&height)?,
            wider(&width, thread.diameter, thread.diameter)?,
        ),
        _ => {
            let advice = "give both head_height and head_width, or none";
            return Err(table.node.fail("the head lacks a size", advice));
        }
    };
    Ok(ShapeKind::Bolt {
        length: threaded(&table.need("length")?, &thread)?,
        thread,
        head_height,
        head_width,
    })
}

fn nut(table: &Table<'_>) -> Result<ShapeKind> {
    let thread = thread(table)?;
    let good = |value: f64| (0.0..=0.1 * thread.pitch).contains(&value);
    let clearance = table
        .read("clearance", |node| {
            node.ranged(LENGTH, good, "must be between 0 and a tenth of the pitch")
        })?
        .unwrap_or(0.0);
    Ok(ShapeKind::Nut {
        height: threaded(&table.need("height")?, &thread)?,
        width: wider(
            &table.need("width")?,
            thread.diameter + 2.0 * clearance,
            thread.diameter,
        )?,
        thread,
        clearance,
    })
}

/// Width over flats, which must exceed what is inside, m.
fn wider(node: &Node<'_>, inside: f64, diameter: f64) -> Result<f64> {
    node.ranged(
        LENGTH,
        |value| value > inside && value <= 100.0 * diameter,
        &format!("must exceed {inside} m and be at most 100 diameters"),
    )
}

/// Reads group numbers 0 to 31 into bits.
pub(super) fn groups(table: &Table<'_>) -> Result<Groups> {
    let bits = |node: Node<'_>| {
        let mut bits = 0;
        for item in node.items()? {
            bits |= 1_u32 << item.count(31)?;
        }
        Ok(bits)
    };
    let default = Groups::default();
    Ok(Groups {
        member_of: table.read("groups", bits)?.unwrap_or(default.member_of),
        collides_with: table
            .read("collides_with", bits)?
            .unwrap_or(default.collides_with),
        either: table
            .read("either_group", |node| node.flag())?
            .unwrap_or(default.either),
    })
}
