//! What a scene has of soft bodies and rods, for people and for programs.

use serde_json::{Value, json};
use stiction_sim::{Result, World};

/// A line for each soft body: nodes, tetrahedra, pieces, and how good its mesh is.
pub(crate) fn soft_lines(world: &World) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for (soft, name) in world.soft_bodies() {
        let quality = world.soft_mesh(soft)?.quality();
        let pieces = world.soft_pieces(soft)?;
        lines.push(format!(
            "{name}: {} nodes, {} tetrahedra, {pieces} {}, {:.4e} m³, angles from {:.1}° to {:.1}°, \
             3 r/R from {:.3}, mean {:.3}{}",
            quality.nodes,
            quality.tets,
            plural("piece", pieces),
            quality.volume,
            quality.smallest_angle.value,
            quality.largest_angle.value,
            quality.worst_aspect.value,
            quality.mean_aspect,
            match quality.pinch {
                Some(_) => ", its surface touches itself",
                None => "",
            }
        ));
    }
    Ok(lines)
}

/// A line for each rod: links, pieces, length and mass.
pub(crate) fn rod_lines(world: &World) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for (handle, name) in world.rods() {
        let rod = world.rod(handle)?;
        let pieces = world.rod_pieces(handle)?;
        lines.push(format!(
            "{name}: {} links, {pieces} {}, {:.4} m, {:.4e} kg",
            rod.link_count(),
            plural("piece", pieces),
            rod.rest().length(),
            rod.mass()
        ));
    }
    Ok(lines)
}

fn plural(what: &str, count: usize) -> String {
    match count {
        1 => what.to_owned(),
        _ => format!("{what}s"),
    }
}

/// The soft bodies as JSON.
pub(crate) fn soft_json(world: &World) -> Result<Value> {
    let mut all = Vec::new();
    for (soft, name) in world.soft_bodies() {
        let quality = world.soft_mesh(soft)?.quality();
        all.push(json!({
            "name": name,
            "nodes": quality.nodes,
            "tetrahedra": quality.tets,
            "pieces": world.soft_pieces(soft)?,
            "volume_m3": quality.volume,
            "smallest_angle_deg": quality.smallest_angle.value,
            "largest_angle_deg": quality.largest_angle.value,
            "worst_aspect": quality.worst_aspect.value,
            "mean_aspect": quality.mean_aspect,
        }));
    }
    Ok(Value::Array(all))
}

/// The rods as JSON.
pub(crate) fn rod_json(world: &World) -> Result<Value> {
    let mut all = Vec::new();
    for (handle, name) in world.rods() {
        let rod = world.rod(handle)?;
        all.push(json!({
            "name": name,
            "links": rod.link_count(),
            "pieces": world.rod_pieces(handle)?,
            "length_m": rod.rest().length(),
            "mass_kg": rod.mass(),
        }));
    }
    Ok(Value::Array(all))
}
