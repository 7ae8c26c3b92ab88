//! `[[soft]]`: soft bodies.

use nalgebra::Point3;
use stiction_deformable::cut::PieceSize;
use stiction_deformable::fem::{FemSettings, HessianPolicy, Law, Material, Rayleigh};
use stiction_deformable::mesh::{MOST_CELLS, Pattern};

use super::super::node::{Node, Table};
use super::super::soft::{
    Cells, NodeSelection, SoftAttachment, SoftDescription, SoftMesh, SoftPart,
};
use super::super::units::{DENSITY, PLAIN, PRESSURE, RATE, RATE_SQUARED, SPEED, TIME};
use super::{pose, shape, touch};
use crate::error::Result;

const KEYS: &[&str] = &[
    "name",
    "mesh",
    "position",
    "rotation",
    "velocity",
    "young",
    "poisson",
    "density",
    "law",
    "damping",
    "parts",
    "hessian",
    "linearizations",
    "strict_ledger",
    "pieces",
    "attach",
    "touches",
    "material",
    "groups",
    "collides_with",
    "either_group",
    "touches_itself",
    "depth",
];

const PART_KEYS: &[&str] = &["group", "young", "poisson", "density", "law", "damping"];

const MESHES: &[(&str, &[&str])] = &[
    ("box", &["kind", "size", "cells", "cell_size", "pattern"]),
    ("mat", &["kind", "size", "layers", "cell_size", "pattern"]),
    ("ball", &["kind", "radius", "cell_size"]),
    ("ellipsoid", &["kind", "radii", "cell_size"]),
    ("cylinder", &["kind", "radius", "length", "cell_size"]),
    ("tetrahedra", &["kind", "file", "scale"]),
    ("filled", &["kind", "file", "scale", "cell_size"]),
    ("inline", &["kind", "nodes", "tets"]),
];

/// Laws by name.
pub(in crate::scene_file) const LAWS: &[(&str, Law)] = &[
    ("corotational", Law::Corotational),
    ("neo-hookean", Law::NeoHookean),
];

/// Patterns of boxes by name.
pub(in crate::scene_file) const PATTERNS: &[(&str, Pattern)] = &[
    ("body-centred", Pattern::BodyCentred),
    ("five", Pattern::Five),
];

/// Hessians that need no number, by name.
pub(in crate::scene_file) const HESSIANS: &[(&str, HessianPolicy)] = &[
    ("psd", HessianPolicy::Psd),
    ("K", HessianPolicy::CoRotated),
    ("maj", HessianPolicy::Majorizing),
    ("absolute-column-sums", HessianPolicy::AbsoluteColumnSums),
    ("exact", HessianPolicy::Exact),
];

pub(super) fn read(node: &Node<'_>) -> Result<SoftDescription> {
    let table = node.table(KEYS)?;
    let name = table.need("name")?.name()?;
    let mesh_node = table.need("mesh")?;
    let mesh = mesh(&mesh_node)?;
    let elastic = elastic(&table)?;
    let settings = settings(&table, &elastic)?;
    let touch = touch::read(&table, false)?;
    let depth = table.read("depth", |node| shape::size(&node))?;
    if depth.is_some() && !touch.touches {
        let node = table.need("depth")?;
        return Err(node.fail("does not go with touches = false", "leave out one of them"));
    }
    let mut parts: Vec<SoftPart> = Vec::new();
    for node in table.list("parts")? {
        if !matches!(mesh, SoftMesh::Tetrahedra(_)) {
            let problem = format!("a mesh of kind \"{}\" has no groups", mesh.word());
            return Err(node.fail(problem, "take the tetrahedra of a .msh file, or no parts"));
        }
        let part = node.table(PART_KEYS)?;
        let group = part.need("group")?;
        let name = group.text()?.to_owned();
        if parts.iter().any(|other| other.group == name) {
            let problem = format!("the group \"{name}\" has a material already");
            return Err(group.fail(problem, "leave out one of them"));
        }
        parts.push(SoftPart {
            group: name,
            elastic: self::elastic(&part)?,
        });
    }
    let mut attach = Vec::new();
    for node in table.list("attach")? {
        attach.push(attachment(&node, &mesh)?);
    }
    Ok(SoftDescription {
        name,
        mesh,
        pose: pose::read(&table)?,
        velocity: (table.read("velocity", |node| node.vector(SPEED))?).unwrap_or_default(),
        elastic,
        parts,
        settings,
        pieces: (table.read("pieces", |node| pieces(&node))?).unwrap_or_default(),
        attach,
        touch,
        depth,
    })
}

fn mesh(node: &Node<'_>) -> Result<SoftMesh> {
    let (word, table) = node.table_by_kind(MESHES)?;
    let length = |key: &'static str| shape::size(&table.need(key)?);
    Ok(match word {
        "box" => SoftMesh::Box {
            size: shape::sizes(&table.need("size")?)?,
            cells: cells(&table)?,
            pattern: pattern(&table)?,
        },
        "mat" => SoftMesh::Mat {
            size: shape::sizes(&table.need("size")?)?,
            layers: shape::number_of(&table, "layers", 1, 1..=1000)?,
            cell_size: length("cell_size")?,
            pattern: pattern(&table)?,
        },
        "ball" => SoftMesh::Ball {
            radius: length("radius")?,
            cell_size: length("cell_size")?,
        },
        "ellipsoid" => SoftMesh::Ellipsoid {
            radii: shape::sizes(&table.need("radii")?)?,
            cell_size: length("cell_size")?,
        },
        "cylinder" => SoftMesh::Cylinder {
            radius: length("radius")?,
            length: length("length")?,
            cell_size: length("cell_size")?,
        },
        "tetrahedra" => {
            let file = table.need("file")?;
            let mesh = shape::mesh_file(&table, &file)?;
            if !mesh.path.to_ascii_lowercase().ends_with(".msh") {
                let advice = "give a .msh file of Gmsh, or write kind = \"filled\" for a surface";
                return Err(file.fail("has no tetrahedra", advice));
            }
            SoftMesh::Tetrahedra(mesh)
        }
        "filled" => SoftMesh::Filled {
            surface: shape::mesh_file(&table, &table.need("file")?)?,
            cell_size: length("cell_size")?,
        },
        _ => inline(&table)?,
    })
}

fn cells(table: &Table<'_>) -> Result<Cells> {
    match (table.get("cells"), table.get("cell_size")) {
        (Some(node), None) => {
            let mut counts = [0; 3];
            let items = node.items_exactly::<3>("the numbers of cells along x, y and z")?;
            for (count, item) in counts.iter_mut().zip(&items) {
                *count = item.count(MOST_CELLS)?;
                if *count == 0 {
                    return Err(item.fail("is 0", "give at least one cell"));
                }
            }
            Ok(Cells::Counts(counts))
        }
        (None, Some(node)) => Ok(Cells::Size(shape::size(&node)?)),
        _ => Err(table.node.fail(
            "says not how fine it is",
            "give either cells = [x, y, z] or cell_size",
        )),
    }
}

fn pattern(table: &Table<'_>) -> Result<Pattern> {
    Ok((table.read("pattern", |node| by_name(&node, PATTERNS))?).unwrap_or_default())
}

fn inline(table: &Table<'_>) -> Result<SoftMesh> {
    let nodes = shape::points(&table.need("nodes")?)?;
    let mut tets = Vec::new();
    for tet in table.need("tets")?.items()? {
        let corners = tet.items_exactly::<4>("the indices of four nodes, from 0")?;
        let mut out = [0; 4];
        for (out, corner) in out.iter_mut().zip(&corners) {
            let index = corner.count(u32::MAX as usize)?;
            if index >= nodes.len() {
                let advice = format!("the {} nodes count from 0", nodes.len());
                return Err(corner.fail(format!("there is no node {index}"), advice));
            }
            *out = index as u32;
        }
        tets.push(out);
    }
    Ok(SoftMesh::Inline { nodes, tets })
}

fn elastic(table: &Table<'_>) -> Result<Material> {
    Ok(Material {
        law: (table.read("law", |node| by_name(&node, LAWS))?).unwrap_or_default(),
        young: table.need("young")?.positive(PRESSURE)?,
        poisson: table.need("poisson")?.ranged(
            PLAIN,
            |value| value > -1.0 && value < 0.5,
            "must be above -1 and below 1/2",
        )?,
        density: table.need("density")?.positive(DENSITY)?,
        damping: (table.read("damping", |node| damping(&node))?).unwrap_or_default(),
    })
}

fn damping(node: &Node<'_>) -> Result<Rayleigh> {
    let table = node.table(&["mass", "stiffness"])?;
    Ok(Rayleigh {
        mass: (table.read("mass", |node| node.not_negative(RATE))?).unwrap_or(0.0),
        stiffness: (table.read("stiffness", |node| node.not_negative(TIME))?).unwrap_or(0.0),
    })
}

fn settings(table: &Table<'_>, elastic: &Material) -> Result<FemSettings> {
    let default = FemSettings::default();
    let settings = FemSettings {
        hessian: (table.read("hessian", |node| hessian(&node))?).unwrap_or(default.hessian),
        linearizations: shape::number_of(
            table,
            "linearizations",
            default.linearizations,
            1..=1000,
        )?,
        strict_ledger: (table.read("strict_ledger", |node| node.flag())?)
            .unwrap_or(default.strict_ledger),
    };
    let is_known = matches!(
        settings.hessian,
        HessianPolicy::Psd | HessianPolicy::CoRotated | HessianPolicy::Exact
    );
    if elastic.law == Law::NeoHookean && !is_known {
        return Err(table.need("hessian")?.fail(
            "is not known for the law \"neo-hookean\"",
            "give \"psd\", \"K\" or \"exact\"",
        ));
    }
    Ok(settings)
}

fn hessian(node: &Node<'_>) -> Result<HessianPolicy> {
    if !node.is_table() {
        return by_name(node, HESSIANS);
    }
    let (_, table) = node.table_by_kind(&[("constant-damping", &["kind", "rate"])])?;
    Ok(HessianPolicy::ConstantDamping {
        rate: table.need("rate")?.not_negative(RATE_SQUARED)?,
    })
}

fn by_name<T: Copy>(node: &Node<'_>, known: &[(&'static str, T)]) -> Result<T> {
    let words: Vec<&'static str> = known.iter().map(|&(word, _)| word).collect();
    let word = node.one_of(&words)?;
    let found = known.iter().find(|&&(known, _)| known == word);
    found
        .map(|&(_, value)| value)
        .ok_or_else(|| node.fail("is not known", "give another word"))
}

fn pieces(node: &Node<'_>) -> Result<PieceSize> {
    if node.is_text() {
        return by_name(
            node,
            &[
                ("whole", PieceSize::Whole),
                ("automatic", PieceSize::Automatic),
            ],
        );
    }
    let nodes = node.count(u32::MAX as usize)?;
    match nodes >= 4 {
        true => Ok(PieceSize::AtMost(nodes)),
        false => Err(node.fail(
            format!("pieces of {nodes} nodes hold no tetrahedron"),
            "give \"whole\", \"automatic\" or the most nodes of a piece, at least 4",
        )),
    }
}

fn attachment(node: &Node<'_>, mesh: &SoftMesh) -> Result<SoftAttachment> {
    let table = node.table(&["body", "nodes", "box", "sphere", "surface"])?;
    let ways = ["nodes", "box", "sphere", "surface"].map(|key| table.get(key));
    let given: Vec<(usize, &Node<'_>)> = (ways.iter().enumerate())
        .filter_map(|(way, node)| Some((way, node.as_ref()?)))
        .collect();
    let [(way, given)] = given[..] else {
        return Err(node.fail(
            "needs one selection of nodes",
            "give one of nodes, box, sphere and surface",
        ));
    };
    let nodes = match way {
        0 => {
            let numbers = given.items()?;
            let numbers = numbers.iter().map(|item| item.count(u32::MAX as usize));
            NodeSelection::Numbers(numbers.collect::<Result<_>>()?)
        }
        1 => {
            let table = given.table(&["size", "position", "rotation"])?;
            NodeSelection::Box {
                size: shape::sizes(&table.need("size")?)?,
                pose: pose::read(&table)?,
            }
        }
        2 => {
            let table = given.table(&["radius", "position"])?;
            let center = table.read("position", |node| node.position())?;
            NodeSelection::Sphere {
                radius: shape::size(&table.need("radius")?)?,
                center: center.map_or_else(Point3::origin, Point3::from),
            }
        }
        _ => {
            if !matches!(mesh, SoftMesh::Tetrahedra(_)) {
                let problem = format!("a mesh of kind \"{}\" has no named parts", mesh.word());
                return Err(given.fail(problem, "give nodes, box or sphere"));
            }
            NodeSelection::Surface(given.text()?.to_owned())
        }
    };
    Ok(SoftAttachment {
        body: table.need("body")?.name()?,
        nodes,
    })
}
