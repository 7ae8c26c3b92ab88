//! `<include>`: other files, put in the place of the element.

use std::path::{Path, PathBuf};

use super::compiler::path;
use crate::bounded;
use crate::error::{IoError, Result};
use crate::limits::{MJCF_FILES, XML_DEPTH};
use crate::xml::{self, Element};

/// Puts the content of included files in the place of each `<include>`, which is looked for from
/// the folder of the main file, then from that of the file that includes it.
pub(super) fn expand(root: &mut Element, main: &Path) -> Result<()> {
    let folder = main.parent().unwrap_or(Path::new("")).to_owned();
    let mut files = vec![identity(main)];
    visit(root, &folder, &mut files, 0)
}

fn visit(
    element: &mut Element,
    folder: &Path,
    files: &mut Vec<PathBuf>,
    depth: usize,
) -> Result<()> {
    if depth > XML_DEPTH {
        return Err(element.error(
            format!("is nested more than {XML_DEPTH} levels deep"),
            "flatten the model",
        ));
    }
    // What is put in is visited next, so that its own includes count as its own.
    let mut open_lists = vec![std::mem::take(&mut element.children).into_iter()];
    while let Some(list) = open_lists.last_mut() {
        match list.next() {
            None => drop(open_lists.pop()),
            Some(include) if include.tag == "include" => {
                open_lists.push(open(&include, folder, files)?.into_iter());
            }
            Some(mut child) => {
                visit(&mut child, folder, files, depth + 1)?;
                element.children.push(child);
            }
        }
    }
    Ok(())
}

/// The elements of an included file.
fn open(include: &Element, folder: &Path, files: &mut Vec<PathBuf>) -> Result<Vec<Element>> {
    let Some(name) = include.attribute("file") else {
        return Err(include.error("names no file", "write file=\"…\""));
    };
    let refuse = |problem: String, advice: &str| -> IoError {
        include.attribute_error("file", problem, advice)
    };
    let beside = Path::new(&*include.file).parent().unwrap_or(Path::new(""));
    let candidates = [folder, beside].map(|folder| folder.join(path(name)));
    let path = candidates.iter().find(|path| path.is_file());
    let path = path.unwrap_or(&candidates[0]);
    let known = identity(path);
    // A file that includes itself, directly or not, would be here for the second time too.
    if files.contains(&known) {
        return Err(refuse(
            format!("\"{name}\" is included already, or includes itself"),
            "include each file once",
        ));
    }
    if files.len() >= MJCF_FILES {
        return Err(refuse(
            format!("is one of more than {MJCF_FILES} files"),
            "put them together",
        ));
    }
    files.push(known);
    let text = bounded::text(path).map_err(|problem| {
        let problem = format!("\"{}\": {problem}", path.display());
        refuse(problem, "files are looked for from the folder of the model")
    })?;
    let mut root = xml::parse(&text, &path.display().to_string())?;
    if !["mujoco", "mujocoinclude"].contains(&root.tag.as_str()) {
        return Err(root.error("is no part of a model", "begin it with <mujocoinclude>"));
    }
    Ok(std::mem::take(&mut root.children))
}

/// A path by which the same file is known however it was named.
fn identity(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
