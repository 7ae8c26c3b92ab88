//! Any file that describes a scene, by its ending and its content.

use std::path::Path;

use crate::bounded;
use crate::error::{IoError, Result};
use crate::options::ModelOptions;
use crate::scene_file::{self, SceneFile};
use crate::{mjcf, urdf};

/// Reads a scene file (`.toml`), a URDF file (`.urdf`) or an MJCF file (`.mjcf`); `.xml` files and those
/// with another ending are told apart by their first element.
///
/// # Errors
/// A file of another kind, and everything that the reader of its kind refuses.
pub fn read(path: &Path, options: &ModelOptions) -> Result<SceneFile> {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "toml" => scene_file::read(path),
        "urdf" => urdf::read(path, options),
        "mjcf" => mjcf::read(path, options),
        "xml" => match first_tag(path)?.as_deref() {
            Some("robot") => urdf::read(path, options),
            // The reader of MJCF says best what is wrong with anything else.
            _ => mjcf::read(path, options),
        },
        _ => match first_tag(path)?.as_deref() {
            Some("robot") => urdf::read(path, options),
            Some("mujoco" | "mujocoinclude") => mjcf::read(path, options),
            _ => Err(IoError::File {
                file: path.display().to_string(),
                problem:
                    "is neither a scene file (.toml), nor URDF (.urdf, .xml), nor MJCF (.xml, .mjcf)"
                        .to_owned(),
            }),
        },
    }
}

/// Name of the first element of an XML text, without parsing the rest.
fn first_tag(path: &Path) -> Result<Option<String>> {
    let text = bounded::text(path).map_err(|problem| IoError::File {
        file: path.display().to_string(),
        problem,
    })?;
    Ok(first_element(&text).map(str::to_owned))
}

fn first_element(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = &rest[rest.find('<')?..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = &comment[comment.find("-->")?..];
        } else if rest.starts_with("<?") || rest.starts_with("<!") {
            rest = &rest[2..];
        } else {
            let name = &rest[1..];
            let end = name.find(|letter: char| letter.is_whitespace() || "/>".contains(letter));
            return name.get(..end?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_element_is_found_behind_comments() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <mujoco> -->\n<!DOCTYPE x>\n<robot name=\"a\"/>";
        assert_eq!(first_element(text), Some("robot"));
        assert_eq!(first_element("<mujoco>"), Some("mujoco"));
        assert_eq!(first_element("no xml"), None);
        assert_eq!(first_element("<!-- open"), None);
    }
}
