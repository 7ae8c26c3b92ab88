//! COLLADA.
//!
//! Everything that the scene shows is read, with the transforms of its nodes and in metres.
//! `<up_axis>` is left alone, as RViz and Pinocchio do: a robot file places a mesh by its own axes.

use std::collections::HashMap;

use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};

use super::copies::Copies;
use super::{Builder, MeshData, refuse};
use crate::error::{IoError, Result};
use crate::xml::{self, Element};

/// Deepest nesting of nodes, `<instance_node>` included.
const DEEPEST: usize = 100;

pub(super) fn parse(text: &str, file: &str) -> Result<MeshData> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = xml::parse(text, file)?;
    if root.tag != "COLLADA" {
        return Err(wrong(&root, "is not the root of a COLLADA file"));
    }
    let mut reader = Reader {
        ids: HashMap::new(),
        builder: Builder::default(),
        copies: Copies::default(),
    };
    reader.collect_ids(&root);
    let meter = match root.child("asset").and_then(|asset| asset.child("unit")) {
        Some(unit) => match unit.attribute("meter") {
            Some(text) => floats(unit, text)?
                .first()
                .copied()
                .filter(|meter| *meter > 0.0)
                .ok_or_else(|| wrong(unit, "meter is not a positive number"))?,
            None => 1.0,
        },
        None => 1.0,
    };
    let to_meters = Matrix4::new_scaling(meter);
    match scene(&root, &reader)? {
        Some(scene) => reader.children(scene, &to_meters, 0)?,
        // A file without a scene is a library of geometries.
        None => {
            let library = root.children_of("library_geometries");
            for geometry in library.flat_map(|library| library.children_of("geometry")) {
                reader.geometry(geometry, &to_meters)?;
            }
        }
    }
    reader.builder.finish(file)
}

/// The scene that the file shows, if it has any.
fn scene<'a>(root: &'a Element, reader: &Reader<'a>) -> Result<Option<&'a Element>> {
    let shown = root
        .child("scene")
        .and_then(|s| s.child("instance_visual_scene"));
    if let Some(shown) = shown {
        return reader.target(shown, "url").map(Some);
    }
    let library = root.child("library_visual_scenes");
    Ok(library.and_then(|library| library.child("visual_scene")))
}

struct Reader<'a> {
    ids: HashMap<&'a str, &'a Element>,
    builder: Builder,
    copies: Copies,
}

impl<'a> Reader<'a> {
    fn collect_ids(&mut self, element: &'a Element) {
        if let Some(id) = element.attribute("id") {
            self.ids.entry(id).or_insert(element);
        }
        for child in &element.children {
            self.collect_ids(child);
        }
    }

    /// The element that an attribute such as `url="#id"` names.
    fn target(&self, element: &Element, attribute: &str) -> Result<&'a Element> {
        let url = element.attribute(attribute).unwrap_or("");
        let id = url.strip_prefix('#').unwrap_or(url);
        let found = self.ids.get(id).copied();
        found.ok_or_else(|| wrong(element, format!("there is no element with the id \"{id}\"")))
    }

    /// Adds what a scene or node holds.
    fn children(&mut self, parent: &'a Element, pose: &Matrix4<f64>, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(wrong(
                parent,
                "its nodes are nested too deeply, or in themselves",
            ));
        }
        let count = self.copies.add_node(0);
        count.map_err(|problem| wrong(parent, problem))?;
        for child in &parent.children {
            match child.tag.as_str() {
                "node" => self.children(child, &(pose * transform(child)?), depth + 1)?,
                "instance_node" => {
                    let node = self.target(child, "url")?;
                    self.children(node, &(pose * transform(node)?), depth + 1)?;
                }
                "instance_geometry" => {
                    let geometry = self.target(child, "url")?;
                    self.geometry(geometry, pose)?;
                }
                // Cameras, lights and bent skins.
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: &'a Element, pose: &Matrix4<f64>) -> Result<()> {
        let Some(mesh) = geometry.child("mesh") else {
            return Ok(());
        };
        for primitives in &mesh.children {
            let form = match primitives.tag.as_str() {
                "triangles" | "polylist" | "polygons" => Form::Polygons,
                "trifans" => Form::Fans,
                "tristrips" => Form::Strips,
                _ => continue,
            };
            self.primitives(primitives, form, pose)?;
        }
        Ok(())
    }

    fn primitives(&mut self, element: &'a Element, form: Form, pose: &Matrix4<f64>) -> Result<()> {
        let mut stride = 1;
        let mut vertices = None;
        for input in element.children_of("input") {
            let offset = match input.attribute("offset") {
                Some(text) => text
                    .trim()
                    .parse::<usize>()
                    .ok()
                    .filter(|offset| *offset < 64)
                    .ok_or_else(|| wrong(input, "offset is not a small whole number"))?,
                None => 0,
            };
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                vertices = Some((self.target(input, "source")?, offset));
            }
        }
        let Some((vertices, offset)) = vertices else {
            return Err(wrong(element, "has no input with semantic=\"VERTEX\""));
        };
        let positions = self.positions(vertices)?;
        // The text is read anew for each copy.
        let texts = element.children_of("p").map(|p| p.text.len());
        let read = 3 * positions.len() + texts.sum::<usize>();
        let count = self.copies.add_node(read);
        count.map_err(|problem| wrong(element, problem))?;
        let positions: Vec<Point3<f64>> =
            positions.iter().map(|p| pose.transform_point(p)).collect();
        if positions.iter().any(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(wrong(vertices, "a corner is not finite"));
        }
        let mirrored = pose.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        for corners in runs(element, stride, offset, positions.len())? {
            let count = self.copies.add_corners(corners.len());
            count.map_err(|problem| wrong(element, problem))?;
            for index in 2..corners.len() {
                let [a, mut b, mut c] = match form {
                    Form::Polygons | Form::Fans => [0, index - 1, index],
                    // Every second triangle of a strip runs the other way.
                    Form::Strips if index % 2 == 0 => [index - 2, index - 1, index],
                    Form::Strips => [index - 1, index - 2, index],
                };
                if mirrored {
                    std::mem::swap(&mut b, &mut c);
                }
                self.builder.add([a, b, c].map(|i| positions[corners[i]]));
            }
        }
        Ok(())
    }

    /// The positions behind a `<vertices>` element.
    fn positions(&self, vertices: &Element) -> Result<Vec<Point3<f64>>> {
        let is_position = |input: &&Element| input.attribute("semantic") == Some("POSITION");
        let Some(input) = vertices.children_of("input").find(is_position) else {
            return Err(wrong(vertices, "has no input with semantic=\"POSITION\""));
        };
        let source = self.target(input, "source")?;
        let accessor = source
            .child("technique_common")
            .and_then(|common| common.child("accessor"))
            .ok_or_else(|| wrong(source, "has no <accessor>"))?;
        let array = self.target(accessor, "source")?;
        let values = floats(array, &array.text)?;
        let whole = |name: &str, default: usize| match accessor.attribute(name) {
            Some(text) => text
                .trim()
                .parse::<usize>()
                .map_err(|_| wrong(accessor, format!("{name} is not a whole number"))),
            None => Ok(default),
        };
        let (stride, offset) = (whole("stride", 3)?, whole("offset", 0)?);
        if stride < 3 {
            return Err(wrong(
                accessor,
                "stride is less than the three of a position",
            ));
        }
        let count = whole("count", values.len() / stride)?;
        let rows = values.get(offset..).unwrap_or(&[]).chunks(stride);
        let points: Vec<Point3<f64>> = rows
            .filter(|row| row.len() >= 3)
            .take(count)
            .map(|row| Point3::new(row[0], row[1], row[2]))
            .collect();
        match points.len() == count {
            true => Ok(points),
            false => Err(wrong(
                accessor,
                format!("wants {count} positions where there are {}", points.len()),
            )),
        }
    }
}

#[derive(Clone, Copy)]
enum Form {
    Polygons,
    Fans,
    Strips,
}

/// The corners of each polygon, fan or strip, as indices of positions.
fn runs(
    element: &Element,
    stride: usize,
    offset: usize,
    positions: usize,
) -> Result<Vec<Vec<usize>>> {
    if element.child("ph").is_some() {
        return Err(wrong(
            element,
            "polygons with holes are not read; cut them into triangles",
        ));
    }
    let mut runs = Vec::new();
    for p in element.children_of("p") {
        let mut corners = Vec::new();
        for (index, word) in p.text.split_ascii_whitespace().enumerate() {
            if index % stride != offset {
                continue;
            }
            let corner = word.parse::<usize>().ok().filter(|&c| c < positions);
            corners.push(corner.ok_or_else(|| {
                wrong(
                    p,
                    format!("corner \"{word}\" is none of the {positions} vertices"),
                )
            })?);
        }
        match element.tag.as_str() {
            "triangles" => runs.extend(corners.chunks_exact(3).map(<[usize]>::to_vec)),
            "polylist" => {
                let counts = element.child("vcount").map_or("", |vcount| &vcount.text);
                let mut rest = corners.as_slice();
                for word in counts.split_ascii_whitespace() {
                    let count = word.parse::<usize>().ok();
                    let Some((polygon, after)) = count.and_then(|c| rest.split_at_checked(c))
                    else {
                        return Err(wrong(element, "<vcount> does not fit <p>"));
                    };
                    runs.push(polygon.to_vec());
                    rest = after;
                }
            }
            _ => runs.push(corners),
        }
    }
    Ok(runs)
}

/// The product of the transforms of a node, in the order of the file.
fn transform(node: &Element) -> Result<Matrix4<f64>> {
    let mut pose = Matrix4::identity();
    for child in &node.children {
        let wanted = match child.tag.as_str() {
            "matrix" => 16,
            "translate" | "scale" => 3,
            "rotate" => 4,
            "lookat" | "skew" => {
                return Err(wrong(child, "is not read; write the transform as <matrix>"));
            }
            _ => continue,
        };
        let v = floats(child, &child.text)?;
        if v.len() != wanted {
            return Err(wrong(
                child,
                format!("needs {wanted} numbers, not {}", v.len()),
            ));
        }
        pose *= match child.tag.as_str() {
            "matrix" => Matrix4::from_row_slice(&v),
            "translate" => Matrix4::new_translation(&Vector3::new(v[0], v[1], v[2])),
            "scale" => Matrix4::new_nonuniform_scaling(&Vector3::new(v[0], v[1], v[2])),
            _ => match Unit::try_new(Vector3::new(v[0], v[1], v[2]), 1e-12) {
                Some(axis) => Rotation3::from_axis_angle(&axis, v[3].to_radians()).to_homogeneous(),
                None => Matrix4::identity(),
            },
        };
    }
    Ok(pose)
}

/// Finite numbers of a text.
fn floats(element: &Element, text: &str) -> Result<Vec<f64>> {
    let number = |word: &str| {
        let value: Option<f64> = word.parse().ok();
        value
            .filter(|value| value.is_finite())
            .ok_or_else(|| wrong(element, format!("\"{word}\" is not a finite number")))
    };
    text.split_ascii_whitespace().map(number).collect()
}

fn wrong(element: &Element, problem: impl Into<String>) -> IoError {
    let problem = format!("<{}> {}", element.tag, problem.into());
    refuse(&element.file, element.line, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron in cm, shown twice: as it is, and mirrored and moved.
    const TEXT: &str = r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="cm" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
  <source id="s"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
    <technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
  <polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/>
    <input semantic="NORMAL" source="#s" offset="1"/>
    <vcount>3 3 3 3</vcount><p>0 9 2 9 1 9  0 9 1 9 3 9  0 9 3 9 2 9  1 9 2 9 3 9</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene">
  <node><instance_geometry url="#g"/></node>
  <node><translate>10 0 0</translate><rotate>0 0 1 90</rotate><scale>-2 2 2</scale>
    <node><instance_geometry url="#g"/></node></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"##;

    #[test]
    fn instances_transforms_and_units_are_applied() {
        let mesh = parse(TEXT, "t.dae").unwrap();
        assert_eq!((mesh.vertices.len(), mesh.faces.len()), (8, 8));
        // (1, 0, 0) → scale (−2, 0, 0) → turn (0, −2, 0) → move (10, −2, 0) cm
        let expected = Point3::new(0.1, -0.02, 0.0);
        assert!(mesh.vertices.iter().any(|v| (v - expected).norm() < 1e-12));
        // Both close and neither is inside out.
        let shape = stiction_collision::Shape::triangle_mesh("t", mesh.vertices, mesh.faces);
        let volume = shape.unwrap().surface().unwrap().volume();
        assert!((volume - 9e-6 / 6.0).abs() < 1e-15, "{volume}");
    }

    proptest::proptest! {
        #[test]
        fn no_change_makes_the_reader_panic(
            start in 0..TEXT.len(),
            length in 0..30_usize,
            put in "[-0-9 <>/\"#a-z]{0,4}",
        ) {
            let end = (start + length).min(TEXT.len());
            let _ = parse(&format!("{}{put}{}", &TEXT[..start], &TEXT[end..]), "t.dae");
        }
    }

    #[test]
    fn broken_files_are_refused_with_a_line() {
        for (from, to, expected) in [
            (
                "#a\"",
                "#b\"",
                "t.dae:6: <accessor> there is no element with the id \"b\"",
            ),
            (
                "1 9 2 9 3 9<",
                "1 9 2 9 4 9<",
                "t.dae:10: <p> corner \"4\" is none of the 4",
            ),
            (
                "<vcount>3",
                "<vcount>4",
                "t.dae:8: <polylist> <vcount> does not fit <p>",
            ),
            (
                ">0 0 0 1",
                ">0 0 NaN 1",
                "t.dae:5: <float_array> \"NaN\" is not a finite",
            ),
            (
                "count=\"4\" stride",
                "count=\"9\" stride",
                "t.dae:6: <accessor> wants 9 positions",
            ),
            (
                "0.01",
                "-1",
                "t.dae:3: <unit> meter is not a positive number",
            ),
            (
                "10 0 0<",
                "10 0<",
                "t.dae:14: <translate> needs 3 numbers, not 2",
            ),
            ("COLLADA", "collada", "t.dae:2: <collada> is not the root"),
        ] {
            let message = parse(&TEXT.replace(from, to), "t.dae")
                .unwrap_err()
                .to_string();
            assert!(message.starts_with(expected), "{message}");
        }
        let draw = |id: usize| format!("<instance_node url=\"#n{id}\"/>").repeat(2);
        let doubled = (0..30).map(|id| format!("<node id=\"n{id}\">{}</node>", draw(id + 1)));
        let fan = doubled.collect::<String>() + "<node id=\"n30\"/>";
        let text = TEXT.replacen("<node><inst", &format!("{fan}<node><inst"), 1);
        let message = parse(&text, "t.dae").unwrap_err().to_string();
        assert!(message.contains("more than 1000000 nodes"), "{message}");
        let own = "<instance_node url=\"#n\"/>";
        let text = TEXT.replacen("<node><inst", &format!("<node id=\"n\">{own}<inst"), 1);
        let message = parse(&text, "t.dae").unwrap_err().to_string();
        assert!(message.contains("nested too deeply"), "{message}");
    }
}
