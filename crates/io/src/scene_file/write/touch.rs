//! How soft bodies and rods touch.

use toml_edit::Table;

use super::super::touch::TouchDescription;
use super::body::groups;
use super::table::Lines;

/// Writes what differs from touching everything, itself too or not.
pub(super) fn touch(out: &mut Table, touch: &TouchDescription, itself: bool) {
    if !touch.touches {
        out.line("touches", false);
        return;
    }
    if let Some(material) = &touch.material {
        out.text("material", material);
    }
    groups(out, &touch.groups);
    if touch.itself != itself {
        out.line("touches_itself", touch.itself);
    }
}
