//! Soft bodies and rods as they deform, as files for other programs.

use std::path::{Path, PathBuf};

use anyhow::Context;
use stiction_io::tet_mesh::{Field, Series, SeriesFile, Values};
use stiction_scenes::Scene;
use stiction_sim::nalgebra::{Matrix3, Vector3};
use stiction_sim::{RodHandle, SoftHandle, World};

use crate::commands::export::write_text;

/// What kind of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MeshFormat {
    /// Tetrahedra and links with everything known about them, and a list of all moments.
    Vtu,
    /// Surfaces of soft bodies alone.
    Obj,
}

/// Writes the soft bodies and rods of a scene, one file for each of them and moment.
pub(crate) struct MeshLog {
    folder: PathBuf,
    format: MeshFormat,
    softs: Vec<(SoftHandle, Series<4>)>,
    rods: Vec<(RodHandle, Series<2>)>,
    written: usize,
}

impl MeshLog {
    /// Creates the folder, so that a bad one is found before anything is simulated.
    pub(crate) fn create(folder: &Path, format: MeshFormat, scene: &Scene) -> anyhow::Result<Self> {
        let world = &scene.world;
        let mut log = Self {
            folder: folder.to_owned(),
            format,
            softs: Vec::new(),
            rods: Vec::new(),
            written: 0,
        };
        let mut names: Vec<String> = Vec::new();
        for (soft, name) in world.soft_bodies() {
            let name = unique(name, &mut names);
            let series = Series::new(&name, world.soft_mesh(soft)?.tets())?;
            log.softs.push((soft, series));
        }
        for (rod, name) in world.rods().filter(|_| format == MeshFormat::Vtu) {
            let name = unique(name, &mut names);
            let joints = world.rod(rod)?.joint_count() as u32;
            let joints: Vec<[u32; 2]> = (0..joints).map(|link| [link, link + 1]).collect();
            log.rods.push((rod, Series::new(&name, &joints)?));
        }
        let (option, what) = match format {
            MeshFormat::Vtu => ("vtu", "neither soft bodies nor rods"),
            MeshFormat::Obj => ("obj", "no soft bodies"),
        };
        anyhow::ensure!(
            !names.is_empty(),
            "--{option}: the scene \"{}\" has {what}",
            scene.name
        );
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: the folder cannot be made", folder.display()))?;
        Ok(log)
    }

    /// Writes everything as it is now.
    pub(crate) fn take(&mut self, world: &World) -> anyhow::Result<()> {
        let mut files = Vec::new();
        for (soft, series) in &mut self.softs {
            files.push(match self.format {
                MeshFormat::Vtu => soft_moment(series, world, *soft)?,
                MeshFormat::Obj => {
                    let nodes = positions(world, *soft)?;
                    series.surface(&nodes, world.soft_triangles(*soft)?)?
                }
            });
        }
        for (rod, series) in &mut self.rods {
            files.push(rod_moment(series, world, *rod)?);
        }
        self.written += files.len();
        files.iter().try_for_each(|file| self.write(file))
    }

    /// Writes which file belongs to which time.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        if self.format == MeshFormat::Vtu {
            let lists = self.softs.iter().map(|(_, series)| series.list());
            let mut lists = lists.chain(self.rods.iter().map(|(_, series)| series.list()));
            lists.try_for_each(|list| self.write(&list))?;
        }
        Ok(())
    }

    fn write(&self, (name, text): &SeriesFile) -> anyhow::Result<()> {
        write_text(&self.folder.join(name), text)
    }

    /// What to tell the user.
    pub(crate) fn summary(&self) -> String {
        format!("{} meshes in {}", self.written, self.folder.display())
    }
}

fn positions(world: &World, soft: SoftHandle) -> anyhow::Result<Vec<Vector3<f64>>> {
    let positions = world.soft_positions(soft)?;
    Ok(positions.into_iter().map(|node| node.coords).collect())
}

fn soft_moment(
    series: &mut Series<4>,
    world: &World,
    soft: SoftHandle,
) -> anyhow::Result<SeriesFile> {
    let nodes = positions(world, soft)?;
    let rest = world.soft_mesh(soft)?.nodes().iter().zip(&nodes);
    let displacement: Vec<_> = rest.map(|(rest, now)| now - rest).collect();
    let (velocity, stress) = (world.soft_velocities(soft)?, world.soft_stress(soft)?);
    let elements = world.soft_elements(soft)?;
    let tensor =
        |m: &Matrix3<f64>| [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|at| m[at]);
    let stresses: Vec<_> = elements.iter().map(|one| tensor(&one.stress)).collect();
    let strains: Vec<_> = elements.iter().map(|one| tensor(&one.strain)).collect();
    let mises: Vec<_> = elements.iter().map(|one| one.von_mises).collect();
    let volumes: Vec<_> = elements.iter().map(|one| one.volume_ratio).collect();
    let field = |name, values| Field { name, values };
    let of_nodes = [
        field("displacement", Values::Vectors(&displacement)),
        field("velocity", Values::Vectors(&velocity)),
        field("von_mises", Values::Scalars(&stress)),
    ];
    let of_tets = [
        field("stress", Values::SymmetricTensors(&stresses)),
        field("strain", Values::SymmetricTensors(&strains)),
        field("von_mises", Values::Scalars(&mises)),
        field("volume_ratio", Values::Scalars(&volumes)),
    ];
    Ok(series.moment(world.time(), &nodes, &of_nodes, &of_tets)?)
}

fn rod_moment(series: &mut Series<2>, world: &World, rod: RodHandle) -> anyhow::Result<SeriesFile> {
    let (mut nodes, mut axes, mut velocity) = (Vec::new(), Vec::new(), Vec::new());
    for &link in world.rod_links(rod)? {
        let pose = world.pose(link)?;
        nodes.push(pose.translation.vector);
        axes.push(pose.rotation * Vector3::x());
        velocity.push(world.velocity(link)?.linear);
    }
    let joints = world.rod_stresses(rod)?;
    let force: Vec<_> = joints.iter().map(|joint| joint.force_world).collect();
    let moment: Vec<_> = joints.iter().map(|joint| joint.moment_world).collect();
    let field = |name, values| Field {
        name,
        values: Values::Vectors(values),
    };
    let of_links = [field("first_axis", &axes), field("velocity", &velocity)];
    let of_joints = [field("force", &force), field("moment", &moment)];
    Ok(series.moment(world.time(), &nodes, &of_links, &of_joints)?)
}

/// A name that files may have and that none of `taken` has, which it joins.
fn unique(name: &str, taken: &mut Vec<String>) -> String {
    let plain = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '_' => letter,
        _ => '-',
    };
    let base: String = name.chars().map(plain).collect();
    let base = if base.is_empty() {
        "mesh".to_owned()
    } else {
        base
    };
    let mut number = 1;
    let mut found = base.clone();
    while taken.contains(&found) {
        number += 1;
        found = format!("{base}-{number}");
    }
    taken.push(found.clone());
    found
}
