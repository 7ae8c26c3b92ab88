//! Where the meshes of a robot are.

use std::path::{Component, Path, PathBuf};

use super::Reader;
use crate::error::Result;
use crate::xml::Element;

/// Most places that an error lists.
const LISTED: usize = 8;

impl Reader<'_> {
    /// The path of a mesh as a scene has it: relative to the folder of the robot's file where the
    /// file says so, else absolute.
    pub(super) fn mesh_path(&mut self, element: &Element, name: &str) -> Result<String> {
        if let Some(path) = self.found.get(name) {
            return Ok(path.clone());
        }
        let looked_at = candidates(name, self.folder, &self.options.packages);
        let Some(path) = looked_at.iter().find(|path| path.is_file()) else {
            let list: Vec<String> = looked_at
                .iter()
                .take(LISTED)
                .map(|path| path.display().to_string())
                .collect();
            let more = looked_at.len().saturating_sub(LISTED);
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let advice = match name.starts_with("package://") {
                true => {
                    "name the folder that holds the package in the options, or set ROS_PACKAGE_PATH"
                }
                false => "correct the path, or put the file there",
            };
            let problem = format!(
                "filename: there is no file \"{name}\"; looked at {}{more}",
                list.join(", ")
            );
            return Err(element.error(problem, advice));
        };
        let found = match path.strip_prefix(self.folder) {
            // As the file has it.
            Ok(inside) if Path::new(name) == inside => inside.to_owned(),
            _ => std::path::absolute(path).unwrap_or_else(|_| path.clone()),
        };
        let Some(found) = found.to_str() else {
            let problem = format!("filename: the path {} is not UTF-8", found.display());
            return Err(element.error(problem, "rename the folders"));
        };
        self.found.insert(name.to_owned(), found.to_owned());
        Ok(found.to_owned())
    }
}

/// Where a mesh may be, best first.
fn candidates(name: &str, folder: &Path, packages: &[PathBuf]) -> Vec<PathBuf> {
    let unescaped;
    let name = match name.split_once("://") {
        // Addresses write spaces as %20.
        Some(_) => {
            unescaped = name.replace("%20", " ");
            unescaped.as_str()
        }
        None => name,
    };
    if let Some(path) = name.strip_prefix("file://") {
        let path = path.strip_prefix("localhost").unwrap_or(path);
        return vec![folder.join(path)];
    }
    for scheme in ["package://", "model://"] {
        if let Some(path) = name.strip_prefix(scheme) {
            let (package, rest) = path.split_once('/').unwrap_or((path, ""));
            return in_packages(package, Path::new(rest), folder, packages);
        }
    }
    vec![folder.join(name)]
}

fn in_packages(package: &str, rest: &Path, folder: &Path, packages: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut add = |path: PathBuf| {
        if !found.contains(&path) {
            found.push(path);
        }
    };
    for given in packages {
        // Either the folder with packages in it, or the package itself.
        add(given.join(package).join(rest));
        if given.file_name().is_some_and(|name| name == package) {
            add(given.join(rest));
        }
    }
    for variable in ["ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"] {
        let value = std::env::var_os(variable).unwrap_or_default();
        for entry in std::env::split_paths(&value).filter(|path| path.is_absolute()) {
            add(match variable {
                "AMENT_PREFIX_PATH" => entry.join("share").join(package).join(rest),
                _ => entry.join(package).join(rest),
            });
        }
    }
    // Around the file: a folder called like the package, or one whose content fits.
    let here = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let parts: Vec<Component<'_>> = rest.components().collect();
    for above in here.ancestors() {
        if above.file_name().is_some_and(|name| name == package) {
            add(above.join(rest));
        }
        add(above.join(package).join(rest));
    }
    for above in here.ancestors() {
        // A file name alone would fit too much.
        for start in 0..parts.len().saturating_sub(1) {
            add(above.join(parts[start..].iter().collect::<PathBuf>()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_looked_for_where_the_options_say_then_around_the_file() {
        let list = candidates(
            "package://arm/meshes/a%20b.stl",
            Path::new("/ws/arm/urdf"),
            &[PathBuf::from("/given"), PathBuf::from("/other/arm")],
        );
        assert_eq!(list[0], Path::new("/given/arm/meshes/a b.stl"));
        assert_eq!(list[1], Path::new("/other/arm/arm/meshes/a b.stl"));
        assert_eq!(list[2], Path::new("/other/arm/meshes/a b.stl"));
        let at = |path: &str| list.iter().position(|found| found == Path::new(path));
        assert!(at("/ws/arm/meshes/a b.stl").is_some());
        assert!(at("/ws/arm/meshes/a b.stl") < at("/ws/meshes/a b.stl"));
        assert!(at("/ws/a b.stl").is_none());
    }

    #[test]
    fn other_names_are_paths() {
        let one = |name: &str| candidates(name, Path::new("robots"), &[]);
        assert_eq!(one("meshes/a.stl"), [Path::new("robots/meshes/a.stl")]);
        assert_eq!(one("/m/a.stl"), [Path::new("/m/a.stl")]);
        assert_eq!(one("file:///m/a.stl"), [Path::new("/m/a.stl")]);
    }
}
