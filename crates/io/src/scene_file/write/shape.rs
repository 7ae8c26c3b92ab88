//! What a shape is.

use nalgebra::Vector3;
use toml_edit::Table;

use super::super::distance::{Distance, DistanceSolid};
use super::super::shape::{MeshFile, MeshSource, PointSource, ShapeKind, ThreadDescription};
use super::table::{Lines, count, list, numbers};

pub(super) fn shape_kind(out: &mut Table, kind: &ShapeKind) {
    match kind {
        ShapeKind::Sphere { radius } => out.number("radius", *radius),
        ShapeKind::Box { size } => out.numbers("size", size.iter()),
        ShapeKind::Capsule { length, radius }
        | ShapeKind::Cylinder { length, radius }
        | ShapeKind::Cone { length, radius } => {
            out.number("length", *length);
            out.number("radius", *radius);
        }
        ShapeKind::Ellipsoid { radii } => out.numbers("radii", radii.iter()),
        ShapeKind::HalfSpace => {}
        ShapeKind::Hull(PointSource::Inline(points)) => {
            out.line(
                "points",
                list(points.iter().map(|point| numbers(point.iter()))),
            );
        }
        ShapeKind::Hull(PointSource::File(file)) => mesh_file(out, file),
        ShapeKind::Mesh { triangles, open } => {
            self::triangles(out, triangles);
            if *open {
                out.line("open", true);
            }
        }
        ShapeKind::MeshDistance { triangles, cells } => {
            self::triangles(out, triangles);
            out.line("cells", count(*cells));
        }
        ShapeKind::MeshParts { triangles, parts } => {
            self::triangles(out, triangles);
            out.line("parts", count(*parts));
        }
        ShapeKind::HeightField {
            spacing,
            columns,
            heights,
        } => {
            out.numbers("spacing", spacing);
            let rows = heights.chunks((*columns).max(1));
            out.line("heights", list(rows.map(numbers)));
        }
        ShapeKind::Dish {
            floor,
            rim,
            height,
            thickness,
            resolution,
        } => {
            out.number("floor", *floor);
            out.number("rim", *rim);
            out.number("height", *height);
            out.number("thickness", *thickness);
            out.number("resolution", *resolution);
        }
        ShapeKind::Bolt {
            thread,
            length,
            head_height,
            head_width,
        } => {
            self::thread(out, thread);
            out.number("length", *length);
            if *head_height > 0.0 {
                out.number("head_height", *head_height);
                out.number("head_width", *head_width);
            }
        }
        ShapeKind::Nut {
            thread,
            height,
            width,
            clearance,
        } => {
            self::thread(out, thread);
            out.number("height", *height);
            out.number("width", *width);
            out.number("clearance", *clearance);
        }
        ShapeKind::Distance(solid) => distance(out, solid),
    }
}

fn distance(out: &mut Table, solid: &DistanceSolid) {
    match &solid.distance {
        Distance::Torus { radius, tube } => {
            out.number("radius", *radius);
            out.number("tube", *tube);
        }
        Distance::Revolution { outline } => {
            out.line("outline", list(outline.iter().map(numbers)));
        }
        Distance::File { path } => out.text("file", path),
        Distance::Combined {
            parts,
            blend,
            rounding,
            ..
        } => {
            out.unless("blend", *blend, 0.0);
            out.unless("rounding", *rounding, 0.0);
            let parts = parts.iter().map(|part| {
                let mut table = Table::new();
                table.text("kind", part.kind.word());
                shape_kind(&mut table, &part.kind);
                table.pose(&part.pose);
                table.into_inline_table().into()
            });
            out.line("parts", list(parts));
        }
    }
    if let Some(resolution) = solid.resolution {
        out.number("resolution", resolution);
    }
}

fn triangles(out: &mut Table, triangles: &MeshSource) {
    match triangles {
        MeshSource::Inline(mesh) => {
            let vertices = mesh.vertices.iter().map(|vertex| numbers(vertex.iter()));
            out.line("vertices", list(vertices));
            let faces = mesh.faces.iter();
            let faces = faces.map(|face| list(face.iter().map(|&corner| i64::from(corner).into())));
            out.line("faces", list(faces));
        }
        MeshSource::File(file) => mesh_file(out, file),
    }
}

pub(super) fn mesh_file(out: &mut Table, file: &MeshFile) {
    out.text("file", &file.path);
    if file.scale != Vector3::repeat(1.0) {
        out.numbers("scale", file.scale.iter());
    }
}

fn thread(out: &mut Table, thread: &ThreadDescription) {
    out.number("diameter", thread.diameter);
    out.number("pitch", thread.pitch);
    out.unless("start", thread.start, 0.0);
    out.line("chamfered", thread.chamfered);
    out.number("resolution", thread.resolution);
}
