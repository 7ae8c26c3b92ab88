//! Soft bodies.

use nalgebra::Vector3;
use stiction_deformable::cut::PieceSize;
use stiction_deformable::fem::{FemSettings, HessianPolicy, Law, Material, Rayleigh};
use stiction_deformable::mesh::Pattern;
use toml_edit::{InlineTable, Table, Value};

use super::super::read::{HESSIANS, LAWS, PATTERNS};
use super::super::soft::{
    Cells, NodeSelection, SoftAttachment, SoftDescription, SoftMesh, SoftPart,
};
use super::shape::mesh_file;
use super::table::{Lines, count, float, list, numbers, table, tables};
use super::touch::touch;

pub(super) fn soft(soft: &SoftDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &soft.name);
    out.line("mesh", mesh(&soft.mesh));
    out.pose(&soft.pose);
    if soft.velocity != Vector3::zeros() {
        out.numbers("velocity", soft.velocity.iter());
    }
    elastic(&mut out, &soft.elastic);
    settings(&mut out, &soft.settings);
    match soft.pieces {
        PieceSize::Automatic => {}
        PieceSize::Whole => out.text("pieces", "whole"),
        PieceSize::AtMost(nodes) => out.line("pieces", count(nodes)),
    }
    if !soft.attach.is_empty() {
        out.line("attach", list(soft.attach.iter().map(attachment)));
    }
    touch(&mut out, &soft.touch, false);
    if let Some(depth) = soft.depth {
        out.number("depth", depth);
    }
    tables(&mut out, "parts", &soft.parts, part);
    out
}

fn part(part: &SoftPart) -> Table {
    let mut out = Table::new();
    out.text("group", &part.group);
    elastic(&mut out, &part.elastic);
    out
}

fn word<T: PartialEq>(known: &[(&'static str, T)], value: &T) -> Option<&'static str> {
    let found = known.iter().find(|(_, known)| known == value);
    found.map(|(word, _)| *word)
}

fn elastic(out: &mut Table, elastic: &Material) {
    out.number("young", elastic.young);
    out.number("poisson", elastic.poisson);
    out.number("density", elastic.density);
    if elastic.law != Law::default()
        && let Some(law) = word(LAWS, &elastic.law)
    {
        out.text("law", law);
    }
    let Rayleigh { mass, stiffness } = elastic.damping;
    if elastic.damping != Rayleigh::default() {
        let fields = [("mass", float(mass)), ("stiffness", float(stiffness))];
        out.line("damping", table(fields));
    }
}

fn settings(out: &mut Table, settings: &FemSettings) {
    let default = FemSettings::default();
    match settings.hessian {
        hessian if hessian == default.hessian => {}
        HessianPolicy::ConstantDamping { rate } => {
            let fields = [("kind", "constant-damping".into()), ("rate", float(rate))];
            out.line("hessian", table(fields));
        }
        hessian => {
            if let Some(word) = word(HESSIANS, &hessian) {
                out.text("hessian", word);
            }
        }
    }
    if settings.linearizations != default.linearizations {
        out.line("linearizations", count(settings.linearizations));
    }
    if settings.strict_ledger != default.strict_ledger {
        out.line("strict_ledger", settings.strict_ledger);
    }
}

fn mesh(mesh: &SoftMesh) -> Value {
    // Written as lines of a table, then put on one line.
    let mut out = Table::new();
    out.text("kind", mesh.word());
    match mesh {
        SoftMesh::Box {
            size,
            cells,
            pattern,
        } => {
            out.numbers("size", size.iter());
            match cells {
                Cells::Counts(counts) => {
                    out.line("cells", list(counts.iter().map(|&cells| count(cells))));
                }
                Cells::Size(size) => out.number("cell_size", *size),
            }
            self::pattern(&mut out, pattern);
        }
        SoftMesh::Mat {
            size,
            layers,
            cell_size,
            pattern,
        } => {
            out.numbers("size", size.iter());
            out.line("layers", count(*layers));
            out.number("cell_size", *cell_size);
            self::pattern(&mut out, pattern);
        }
        SoftMesh::Ball { radius, cell_size } => {
            out.number("radius", *radius);
            out.number("cell_size", *cell_size);
        }
        SoftMesh::Ellipsoid { radii, cell_size } => {
            out.numbers("radii", radii.iter());
            out.number("cell_size", *cell_size);
        }
        SoftMesh::Cylinder {
            radius,
            length,
            cell_size,
        } => {
            out.number("radius", *radius);
            out.number("length", *length);
            out.number("cell_size", *cell_size);
        }
        SoftMesh::Tetrahedra(file) => mesh_file(&mut out, file),
        SoftMesh::Filled { surface, cell_size } => {
            mesh_file(&mut out, surface);
            out.number("cell_size", *cell_size);
        }
        SoftMesh::Inline { nodes, tets } => {
            out.line("nodes", list(nodes.iter().map(|node| numbers(node.iter()))));
            let tets = tets.iter();
            let tets = tets.map(|tet| list(tet.iter().map(|&node| i64::from(node).into())));
            out.line("tets", list(tets));
        }
    }
    Value::InlineTable(out.into_inline_table())
}

fn pattern(out: &mut Table, pattern: &Pattern) {
    if *pattern != Pattern::default()
        && let Some(word) = word(PATTERNS, pattern)
    {
        out.text("pattern", word);
    }
}

fn attachment(attachment: &SoftAttachment) -> Value {
    let (key, selection) = match &attachment.nodes {
        NodeSelection::Numbers(nodes) => ("nodes", list(nodes.iter().map(|&node| count(node)))),
        NodeSelection::Box { size, pose } => {
            let mut fields = InlineTable::new();
            fields.numbers("size", size.iter());
            fields.pose(pose);
            ("box", Value::InlineTable(fields))
        }
        NodeSelection::Sphere { radius, center } => {
            let fields = [
                ("radius", float(*radius)),
                ("position", numbers(center.iter())),
            ];
            ("sphere", table(fields))
        }
        NodeSelection::Surface(name) => ("surface", name.into()),
    };
    table([("body", attachment.body.as_str().into()), (key, selection)])
}
