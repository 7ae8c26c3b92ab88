//! How soft bodies and rods touch.

use super::super::node::Table;
use super::super::touch::TouchDescription;
use super::shape;
use crate::error::Result;

/// Reads `touches`, `material`, `groups`, `collides_with`, `either_group` and `touches_itself`.
pub(super) fn read(table: &Table<'_>, itself: bool) -> Result<TouchDescription> {
    let touches = table.read("touches", |node| node.flag())?.unwrap_or(true);
    if !touches {
        for key in [
            "material",
            "groups",
            "collides_with",
            "either_group",
            "touches_itself",
        ] {
            if let Some(node) = table.get(key) {
                return Err(node.fail("does not go with touches = false", "leave out one of them"));
            }
        }
    }
    Ok(TouchDescription {
        touches,
        material: table.read("material", |node| node.name())?,
        groups: shape::groups(table)?,
        itself: (table.read("touches_itself", |node| node.flag())?).unwrap_or(itself),
    })
}
