//! `stiction convert`: the same scene in another format, as far as it can say it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use stiction_io::Written;
use stiction_io::scene_file::{SceneDescription, to_toml};
use stiction_recording::is_same_file;

use crate::arguments::ConvertArguments;
use crate::commands::export::{unwritable, write_text};
use crate::model_arguments::warn_of_ignored;
use crate::simulate::Interrupt;
use crate::{Ending, complain};

pub(crate) fn run(arguments: &ConvertArguments) -> anyhow::Result<Ending> {
    Interrupt::end_at_once();
    anyhow::ensure!(
        !is_same_file(&arguments.input, &arguments.output),
        "{} is what is read; name another file",
        arguments.output.display()
    );
    let file = arguments.model.read(&arguments.input)?;
    warn_of_ignored(&file);
    // What cannot be simulated is not worth writing down.
    let built = arguments.model.build(&file, &Default::default())?;
    // Other formats cannot say that overlapping links don't touch, but they can name the pairs.
    let mut scene = file.scene.clone();
    scene.exclude.extend(built.skipped_overlaps);
    let folder = arguments.output.parent().unwrap_or(Path::new(""));
    if !is_same_folder(file.folder(), folder) {
        name_meshes_absolutely(&mut scene, file.folder());
    }
    let written = write(&scene, file.folder(), &arguments.output)?;
    if !written.left_out.is_empty() {
        let lines = written.left_out.iter().map(|lost| format!("  {lost}"));
        let lines: Vec<String> = lines.collect();
        anyhow::ensure!(
            !arguments.model.strict,
            "--strict: the new format cannot say:\n{}",
            lines.join("\n")
        );
        complain("the new format cannot say (--strict makes this an error):");
        lines.iter().for_each(|line| complain(line));
    }
    let further = written.files.iter();
    let further = further.map(|(path, content)| (folder.join(path), content));
    let all = std::iter::once((arguments.output.clone(), &written.text)).chain(further);
    let all: Vec<(PathBuf, &String)> = all.collect();
    let mut reads = Vec::new();
    for_each_file(&mut file.scene.clone(), |name| {
        reads.push(file.folder().join(&*name));
    });
    for (path, content) in &all {
        let is_read = reads.iter().any(|read| is_same_file(read, path));
        let is_same = std::fs::read(path).is_ok_and(|bytes| bytes == content.as_bytes());
        anyhow::ensure!(
            is_same || !is_read,
            "{} would be written, but the scene reads it; convert into another folder",
            path.display()
        );
    }
    for (path, content) in all {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| unwritable(&path))?;
        }
        write_text(&path, content)?;
    }
    Ok(Ending::Fine)
}

/// Whether two folders are the same; an empty path is the current one.
fn is_same_folder(a: &Path, b: &Path) -> bool {
    let [a, b] = [a, b].map(|folder| Path::new(".").join(folder).canonicalize());
    matches!((a, b), (Ok(a), Ok(b)) if a == b)
}

/// Makes the paths of mesh files good from everywhere.
fn name_meshes_absolutely(scene: &mut SceneDescription, folder: &Path) {
    for_each_file(scene, |file| {
        if let Ok(path) = folder.join(&*file).canonicalize() {
            *file = path.display().to_string();
        }
    });
}

/// Calls a function with the path of every file that a scene is read from beside its own.
fn for_each_file(scene: &mut SceneDescription, call: impl FnMut(&mut String)) {
    let links = scene.robots.iter_mut().flat_map(|robot| &mut robot.links);
    let of_links = links.flat_map(|link| &mut link.shapes);
    let of_bodies = scene.bodies.iter_mut().flat_map(|body| &mut body.shapes);
    let of_shapes = of_links.chain(of_bodies);
    let of_shapes = of_shapes.flat_map(|shape| shape.kind.files_mut());
    let of_soft = scene.soft.iter_mut();
    let of_soft = of_soft.filter_map(|soft| Some(&mut soft.mesh.file_mut()?.path));
    of_shapes.chain(of_soft).for_each(call);
}

/// The text of the new file, and what it cannot say.
fn write(scene: &SceneDescription, folder: &Path, output: &Path) -> anyhow::Result<Written> {
    let ending = output.extension().map(|ending| ending.to_string_lossy());
    let ending = ending.map(|ending| ending.to_ascii_lowercase());
    Ok(match ending.as_deref() {
        Some("toml") => Written {
            text: to_toml(scene),
            files: Vec::new(),
            left_out: Vec::new(),
        },
        Some("urdf") => stiction_io::urdf::to_urdf(scene, folder)?,
        Some("xml" | "mjcf") => stiction_io::mjcf::to_mjcf(scene, folder)?,
        _ => anyhow::bail!(
            "{}: the new file must end in .toml, .urdf, .xml or .mjcf",
            output.display()
        ),
    })
}
