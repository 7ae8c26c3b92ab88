//! How large files may be. Whatever is larger is refused with the limit in the message: a file that asks for
//! more is a mistake or an attack, and would fill the memory or the stack.

use stiction_collision::shape::HULL_POINTS;

/// A limit, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is limited.
    pub what: &'static str,
    /// The most there may be.
    pub most: u64,
    /// Of what.
    pub unit: &'static str,
}

/// Largest file of text, bytes; larger meshes belong into mesh files.
pub(crate) const TEXT_BYTES: u64 = 64 << 20;
/// Largest file of numbers, bytes.
pub(crate) const DATA_BYTES: u64 = 1 << 30;
/// Deepest nesting of XML elements, those of included files within those around them.
pub(crate) const XML_DEPTH: usize = 200;
/// Most attributes of one XML element: parsers compare each with all others.
pub(crate) const XML_ATTRIBUTES: usize = 256;
/// Most elements and texts of an XML file.
pub(crate) const XML_NODES: u32 = 4_000_000;
/// Most files of an MJCF model.
pub(crate) const MJCF_FILES: usize = 1000;
/// Most bodies, geoms, sites and joints of an MJCF model, copies included.
pub(crate) const MJCF_ELEMENTS: usize = 1_000_000;
/// Most numbers of one MJCF attribute: inline meshes and height fields are the longest.
pub(crate) const MJCF_NUMBERS: usize = 4_000_000;
/// Most samples of a height field.
pub(crate) const HEIGHT_SAMPLES: usize = 16_000_000;
/// Most nodes of a `<flexcomp>`.
pub(crate) const FLEX_NODES: usize = 200_000;
/// Most points of a rod or cable.
pub(crate) const ROD_POINTS: usize = 100_000;
/// Most triangles of a mesh file that may draw one mesh several times: COLLADA and glTF.
pub(crate) const MESH_TRIANGLES: usize = 20_000_000;
/// Most nodes and parts of meshes of such a file.
pub(crate) const MESH_NODES: usize = 1_000_000;
/// Most numbers that are read for them: a mesh is read anew for each copy.
pub(crate) const MESH_NUMBERS: usize = 1_000_000_000;
/// Deepest nesting of TOML tables and lists, as the crate that reads them has it.
const TOML_DEPTH: u64 = 80;

/// All limits of this crate.
pub const LIMITS: &[Limit] = &[
    Limit {
        what: "a text file: scene, URDF, MJCF, OBJ, COLLADA, glTF as text",
        most: TEXT_BYTES,
        unit: "bytes",
    },
    Limit {
        what: "a file of numbers: STL, GLB, MSH, buffers of glTF",
        most: DATA_BYTES,
        unit: "bytes",
    },
    Limit {
        what: "XML elements within each other",
        most: XML_DEPTH as u64,
        unit: "levels",
    },
    Limit {
        what: "attributes of one XML element",
        most: XML_ATTRIBUTES as u64,
        unit: "",
    },
    Limit {
        what: "elements and texts of an XML file",
        most: XML_NODES as u64,
        unit: "",
    },
    Limit {
        what: "tables and lists of TOML within each other",
        most: TOML_DEPTH,
        unit: "levels",
    },
    Limit {
        what: "files that an MJCF model is put together from",
        most: MJCF_FILES as u64,
        unit: "",
    },
    Limit {
        what: "bodies, geoms, sites and joints of an MJCF model, copies of `<replicate>` included",
        most: MJCF_ELEMENTS as u64,
        unit: "",
    },
    Limit {
        what: "numbers of one MJCF attribute",
        most: MJCF_NUMBERS as u64,
        unit: "",
    },
    Limit {
        what: "samples of a height field",
        most: HEIGHT_SAMPLES as u64,
        unit: "",
    },
    Limit {
        what: "nodes of a `<flexcomp>`",
        most: FLEX_NODES as u64,
        unit: "",
    },
    Limit {
        what: "points of a rod or cable",
        most: ROD_POINTS as u64,
        unit: "",
    },
    Limit {
        what: "triangles of a COLLADA or glTF file, copies included",
        most: MESH_TRIANGLES as u64,
        unit: "",
    },
    Limit {
        what: "nodes and parts of meshes of a COLLADA or glTF file, copies included",
        most: MESH_NODES as u64,
        unit: "",
    },
    Limit {
        what: "numbers read for them, copies included",
        most: MESH_NUMBERS as u64,
        unit: "",
    },
    Limit {
        what: "points that may be corners of a convex hull",
        most: HULL_POINTS as u64,
        unit: "",
    },
];
