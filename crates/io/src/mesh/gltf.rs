//! glTF and GLB.
//!
//! The triangles of the scene with the transforms of its nodes, in metres and along the axes of the
//! file (glTF means y to be up; a robot file places a mesh by its own axes).

use std::path::Path;

use base64::Engine;
use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use nalgebra::{Matrix4, Point3};

use super::copies::Copies;
use super::{Builder, MeshData, refuse};
use crate::bounded;
use crate::error::Result;

/// Deepest nesting of nodes.
const DEEPEST: usize = 100;

/// `folder` is where further files of it are.
pub(super) fn parse(bytes: &[u8], file: &str, folder: &Path) -> Result<MeshData> {
    let wrong = |problem: String| refuse(file, 1, problem);
    check_length(bytes).map_err(wrong)?;
    check_positions(bytes).map_err(wrong)?;
    let gltf::Gltf { document, blob } =
        gltf::Gltf::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
    // Materials may be extended as they like; packed triangles cannot be read.
    let packed = document
        .extensions_required()
        .find(|name| !name.contains("material") && !name.contains("texture"));
    if let Some(name) = packed {
        let advice = "export the mesh without it";
        return Err(wrong(format!("needs the extension {name}; {advice}")));
    }
    let buffers = document
        .buffers()
        .map(|buffer| load(&buffer, blob.as_deref(), file, folder))
        .collect::<Result<Vec<_>>>()?;
    let mut reader = Reader {
        file,
        buffers,
        builder: Builder::default(),
        copies: Copies::default(),
    };
    let scene = document
        .default_scene()
        .or_else(|| document.scenes().next());
    match scene {
        Some(scene) => {
            for node in scene.nodes() {
                reader.node(&node, &Matrix4::identity(), 0)?;
            }
        }
        // A file without a scene is a library of meshes.
        None => {
            for mesh in document.meshes() {
                reader.mesh(&mesh, &Matrix4::identity())?;
            }
        }
    }
    reader.builder.finish(file)
}

/// Bytes of the header of a binary file: the mark, the version, the length of all.
const HEADER: usize = 12;

/// Refuses a binary file that claims to be shorter than its own header: the crate subtracts one from
/// the other.
fn check_length(bytes: &[u8]) -> std::result::Result<(), String> {
    match bytes.first_chunk::<HEADER>() {
        Some(&[b'g', b'l', b'T', b'F', _, _, _, _, a, b, c, d]) => {
            let length = u32::from_le_bytes([a, b, c, d]) as usize;
            if length < HEADER {
                return Err(format!(
                    "its header gives {length} bytes as the length of the file, less than the header has"
                ));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Refuses positions that refer to no accessor: the crate's own validation panics at those.
fn check_positions(bytes: &[u8]) -> std::result::Result<(), String> {
    let unchecked = gltf::Gltf::from_slice_without_validation(bytes);
    let root = unchecked
        .map_err(|error| error.to_string())?
        .document
        .into_json();
    let accessors = root.accessors.len();
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let indices = primitives.flat_map(|primitive| primitive.attributes.values());
    match indices
        .map(gltf::json::Index::value)
        .find(|&index| index >= accessors)
    {
        Some(index) => Err(format!("there is no accessor {index}")),
        None => Ok(()),
    }
}

fn load(
    buffer: &gltf::Buffer<'_>,
    blob: Option<&[u8]>,
    file: &str,
    folder: &Path,
) -> Result<Vec<u8>> {
    let wrong = |problem: String| refuse(file, 1, problem);
    match buffer.source() {
        gltf::buffer::Source::Bin => {
            let blob = blob.ok_or_else(|| wrong("its binary part is missing".to_owned()))?;
            Ok(blob.to_vec())
        }
        gltf::buffer::Source::Uri(uri) => {
            if let Some(data) = uri.strip_prefix("data:") {
                let encoded = data.split_once(";base64,").map(|(_, text)| text);
                return encoded
                    .and_then(|text| base64::prelude::BASE64_STANDARD.decode(text).ok())
                    .ok_or_else(|| wrong("a buffer is not base64 text".to_owned()));
            }
            let path = folder.join(uri.replace("%20", " "));
            let read = bounded::data(&path);
            read.map_err(|problem| wrong(format!("{}: {problem}", path.display())))
        }
    }
}

struct Reader<'a> {
    file: &'a str,
    buffers: Vec<Vec<u8>>,
    builder: Builder,
    copies: Copies,
}

impl Reader<'_> {
    fn wrong(&self, problem: impl Into<String>) -> crate::IoError {
        refuse(self.file, 1, problem)
    }

    /// Counts what is drawn.
    fn count(
        &mut self,
        add: impl FnOnce(&mut Copies) -> std::result::Result<(), String>,
    ) -> Result<()> {
        add(&mut self.copies).map_err(|problem| self.wrong(problem))
    }

    fn node(&mut self, node: &gltf::Node<'_>, parent: &Matrix4<f64>, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(self.wrong("its nodes are nested too deeply, or in themselves"));
        }
        self.count(|copies| copies.add_node(0))?;
        let columns = node.transform().matrix();
        let own = Matrix4::from_fn(|row, column| f64::from(columns[column][row]));
        let pose = parent * own;
        if let Some(mesh) = node.mesh() {
            self.mesh(&mesh, &pose)?;
        }
        for child in node.children() {
            self.node(&child, &pose, depth + 1)?;
        }
        Ok(())
    }

    fn mesh(&mut self, mesh: &gltf::Mesh<'_>, pose: &Matrix4<f64>) -> Result<()> {
        let mirrored = pose.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        for primitive in mesh.primitives() {
            self.count(|copies| copies.add_node(0))?;
            if !matches!(
                primitive.mode(),
                Mode::Triangles | Mode::TriangleFan | Mode::TriangleStrip
            ) {
                continue;
            }
            let Some(accessor) = primitive.get(&gltf::Semantic::Positions) else {
                continue;
            };
            let positions: Vec<Point3<f64>> = self
                .positions(&accessor)?
                .iter()
                .map(|p| pose.transform_point(p))
                .collect();
            if positions.iter().any(|p| !p.iter().all(|x| x.is_finite())) {
                return Err(self.wrong("a corner is not finite"));
            }
            let corners = match primitive.indices() {
                Some(accessor) => self.indices(&accessor, positions.len())?,
                None => (0..positions.len()).collect(),
            };
            let numbers = 3 * positions.len() + corners.len();
            self.count(|copies| copies.add_numbers(numbers))?;
            let steps = match primitive.mode() {
                Mode::Triangles => (2..corners.len()).step_by(3),
                _ => (2..corners.len()).step_by(1),
            };
            self.count(|copies| copies.add_triangles(steps.len()))?;
            for index in steps {
                let [a, mut b, mut c] = match primitive.mode() {
                    Mode::TriangleFan => [0, index - 1, index],
                    // Every second triangle of a strip runs the other way.
                    Mode::TriangleStrip if index % 2 == 1 => [index - 1, index - 2, index],
                    _ => [index - 2, index - 1, index],
                };
                if mirrored {
                    std::mem::swap(&mut b, &mut c);
                }
                self.builder.add([a, b, c].map(|i| positions[corners[i]]));
            }
        }
        Ok(())
    }

    fn positions(&self, accessor: &gltf::Accessor<'_>) -> Result<Vec<Point3<f64>>> {
        if (accessor.data_type(), accessor.dimensions()) != (DataType::F32, Dimensions::Vec3) {
            return Err(self.wrong("its positions are not three 32-bit floating-point numbers"));
        }
        self.rows(accessor, 12, |row| {
            let number = |at: usize| {
                let mut raw = [0; 4];
                raw.copy_from_slice(&row[at..at + 4]);
                f64::from(f32::from_le_bytes(raw))
            };
            Point3::new(number(0), number(4), number(8))
        })
    }

    fn indices(&self, accessor: &gltf::Accessor<'_>, positions: usize) -> Result<Vec<usize>> {
        let size = match accessor.data_type() {
            DataType::U8 => 1,
            DataType::U16 => 2,
            DataType::U32 => 4,
            _ => return Err(self.wrong("its indices are not whole numbers")),
        };
        let indices = self.rows(accessor, size, |row| {
            let mut raw = [0; 8];
            raw[..size].copy_from_slice(row);
            u64::from_le_bytes(raw) as usize
        })?;
        match indices.iter().find(|&&index| index >= positions) {
            None => Ok(indices),
            Some(index) => {
                Err(self.wrong(format!("index {index} is none of its {positions} corners")))
            }
        }
    }

    /// The entries of an accessor, each of `size` bytes. The crate's own readers panic where an
    /// accessor reaches beyond its buffer, so that the bytes are taken here.
    fn rows<T>(
        &self,
        accessor: &gltf::Accessor<'_>,
        size: usize,
        read: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>> {
        let (Some(view), None) = (accessor.view(), accessor.sparse()) else {
            return Err(self.wrong("sparse accessors are not read; export dense ones"));
        };
        let beyond = || self.wrong("an accessor reaches beyond its buffer");
        let buffer = self.buffers.get(view.buffer().index()).ok_or_else(beyond)?;
        let end = view
            .offset()
            .checked_add(view.length())
            .ok_or_else(beyond)?;
        let bytes = buffer.get(view.offset()..end).ok_or_else(beyond)?;
        let bytes = bytes.get(accessor.offset()..).ok_or_else(beyond)?;
        let stride = view.stride().unwrap_or(size).max(1);
        let count = accessor.count();
        let row = |index: usize| {
            let start = index.checked_mul(stride)?;
            bytes.get(start..start.checked_add(size)?)
        };
        // The last one decides, before anything is allocated.
        if count > 0 && row(count - 1).is_none() {
            return Err(beyond());
        }
        Ok((0..count).filter_map(row).map(read).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron, shown mirrored and moved, with its buffer inside the text.
    fn text() -> String {
        let mut bytes = Vec::new();
        for value in [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1] {
            bytes.extend((value as f32).to_le_bytes());
        }
        for index in [0_u16, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] {
            bytes.extend(index.to_le_bytes());
        }
        let data = base64::prelude::BASE64_STANDARD.encode(&bytes);
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"children":[1],"translation":[5,0,0]}},{{"mesh":0,"scale":[-2,2,2]}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}},
{{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
"buffers":[{{"byteLength":72,"uri":"data:application/octet-stream;base64,{data}"}}]}}"#
        )
    }

    fn read(text: &str) -> Result<MeshData> {
        parse(text.as_bytes(), "t.gltf", Path::new(""))
    }

    #[test]
    fn nodes_place_their_meshes() {
        let mesh = read(&text()).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.faces.len()), (4, 4));
        assert!(mesh.vertices.contains(&Point3::new(3.0, 0.0, 0.0)));
        let shape = stiction_collision::Shape::triangle_mesh("t", mesh.vertices, mesh.faces);
        let volume = shape.unwrap().surface().unwrap().volume();
        assert!((volume - 8.0 / 6.0).abs() < 1e-6, "{volume}");
    }

    #[test]
    fn the_binary_form_is_read_too() {
        let text = text();
        let (head, rest) = text
            .split_once(",\"uri\":\"data:application/octet-stream;base64,")
            .unwrap();
        let (data, tail) = rest.split_once('"').unwrap();
        let mut json = format!("{head}{tail}").into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let bin = base64::prelude::BASE64_STANDARD.decode(data).unwrap();
        let mut glb = b"glTF".to_vec();
        let total = 12 + 8 + json.len() + 8 + bin.len();
        for word in [2, total as u32, json.len() as u32, 0x4E4F_534A] {
            glb.extend(word.to_le_bytes());
        }
        glb.extend(&json);
        for word in [bin.len() as u32, 0x004E_4942] {
            glb.extend(word.to_le_bytes());
        }
        glb.extend(&bin);
        let mesh = parse(&glb, "t.glb", Path::new("")).unwrap();
        assert_eq!(mesh, read(&text).unwrap());
        // Cut off anywhere, it is refused.
        for length in 0..HEADER as u8 {
            let mut short = glb.clone();
            short[8..HEADER].copy_from_slice(&[length, 0, 0, 0]);
            let error = parse(&short, "t.glb", Path::new("")).unwrap_err();
            assert!(error.to_string().contains("length of the file"), "{error}");
        }
        for end in 0..glb.len() {
            assert!(parse(&glb[..end], "t.glb", Path::new("")).is_err(), "{end}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_change_makes_the_reader_panic(
            start in 0..1000_usize,
            length in 0..20_usize,
            put in "[-0-9\\[\\]{},:\"a-z]{0,4}",
        ) {
            let text = text();
            let (start, end) = (start.min(text.len()), (start + length).min(text.len()));
            let _ = read(&format!("{}{put}{}", &text[..start], &text[end..]));
        }
    }

    /// Nodes of which each draws the next one twice, the last one nothing, behind the first.
    fn fan(nodes: usize) -> String {
        let doubled = (0..nodes).map(|node| {
            let next = node + 2;
            format!("{{\"children\":[{next},{next}]}},")
        });
        doubled.collect::<String>() + "{},"
    }

    #[test]
    fn broken_files_are_refused() {
        for (from, to, expected) in [
            (
                "\"count\":4",
                "\"count\":5",
                "t.gltf:1: an accessor reaches beyond its buffer",
            ),
            (
                "\"count\":12",
                "\"count\":4000000000",
                "an accessor reaches beyond",
            ),
            (
                "\"byteLength\":48",
                "\"byteLength\":47",
                "an accessor reaches beyond",
            ),
            (
                "\"byteOffset\":48",
                "\"byteOffset\":4800",
                "an accessor reaches beyond",
            ),
            ("5123", "5126", "its indices are not whole numbers"),
            ("5126", "5123", "its positions are not three"),
            ("\"indices\":1", "\"indices\":7", "t.gltf:1: "),
            ("\"mesh\":0", "\"mesh\":9", "t.gltf:1: "),
            ("\"POSITION\":0", "\"POSITION\":5", "there is no accessor 5"),
            (
                "\"mesh\":0",
                "\"mesh\":0,\"children\":[0]",
                "nested too deeply",
            ),
            (
                "{\"mesh\":0",
                &format!("{}{{\"mesh\":0", fan(30)),
                "more than 1000000 nodes, copies included",
            ),
            (";base64,", ";base64,!", "a buffer is not base64 text"),
            (
                "\"scene\":0",
                "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"extensionsUsed\":[\"KHR_draco_mesh_compression\"],\"scene\":0",
                "t.gltf:1: ",
            ),
        ] {
            let message = read(&text().replacen(from, to, 1)).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
