//! `stiction bench loading`: whether twice the file takes twice the time.

use std::fmt::Write as _;
use std::io::Write;

use clap::Args;
use cpu_time::ProcessTime;
use stiction_io::scene_file::SceneFile;
use stiction_io::{ModelOptions, mesh, mjcf, urdf};
use stiction_scenes::{Options, from_scene_file};
use stiction_sim::Shape;

use crate::Ending;

#[derive(Debug, Args)]
pub(crate) struct LoadingArguments {
    /// Most bodies, links, excludes and triangles
    #[arg(long, value_name = "COUNT", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1000..=400_000))]
    pub(crate) most: u64,

    /// Loads of each file, of which the fastest counts
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(crate) repeats: u64,
}

/// Fewest of everything.
const FEWEST: u64 = 1000;
/// Sizes of each kind, evenly spaced: a line is fitted to them.
const SIZES: u64 = 6;

/// Something that is loaded, by how many parts it has.
struct Kind {
    name: &'static str,
    text: fn(u64) -> String,
    load: fn(&str) -> anyhow::Result<()>,
}

const KINDS: [Kind; 5] = [
    Kind {
        name: "MJCF bodies",
        text: bodies,
        load: mjcf_world,
    },
    Kind {
        name: "MJCF excludes",
        text: excludes,
        load: mjcf_world,
    },
    Kind {
        name: "URDF links of a chain",
        text: links,
        load: urdf_robot,
    },
    Kind {
        name: "triangles of a mesh",
        text: triangles,
        load: surface,
    },
    Kind {
        name: "triangles of a hull",
        text: triangles,
        load: hull,
    },
];

pub(crate) fn run(out: &mut impl Write, arguments: &LoadingArguments) -> anyhow::Result<Ending> {
    writeln!(
        out,
        "processor seconds from the text of a file to a world, robot or shape, the fastest of {}",
        arguments.repeats
    )?;
    let step = (arguments.most - FEWEST.min(arguments.most)) / (SIZES - 1);
    let sizes: Vec<u64> = (0..SIZES).map(|k| FEWEST + k * step).collect();
    write!(out, "{:22}", "")?;
    for size in &sizes {
        write!(out, " {size:>9}")?;
    }
    writeln!(out, " {:>9} {:>7}", "each", "R²")?;
    let mut is_linear = true;
    for kind in &KINDS {
        write!(out, "{:22}", kind.name)?;
        out.flush()?;
        let times = fastest(kind, &sizes, arguments.repeats)?;
        for time in &times {
            write!(out, " {time:>9.4}")?;
        }
        let (slope, fit) = line(&sizes, &times);
        is_linear &= fit >= 0.99;
        writeln!(out, " {:>6.1} µs {fit:>7.4}", 1e6 * slope)?;
    }
    Ok(match is_linear {
        true => Ending::Fine,
        false => Ending::NotConverged,
    })
}

/// Processor time of each size, s. The sizes take turns: what else the machine does then slows down all of
/// them, not one.
fn fastest(kind: &Kind, sizes: &[u64], repeats: u64) -> anyhow::Result<Vec<f64>> {
    let texts: Vec<String> = sizes.iter().map(|&size| (kind.text)(size)).collect();
    let mut times = vec![f64::INFINITY; sizes.len()];
    for _ in 0..repeats {
        for (text, time) in texts.iter().zip(&mut times) {
            let clock = ProcessTime::now();
            (kind.load)(text)?;
            *time = time.min(clock.elapsed().as_secs_f64());
        }
    }
    Ok(times)
}

/// Slope of the line through the points with the least squares, and its coefficient of determination.
fn line(sizes: &[u64], times: &[f64]) -> (f64, f64) {
    let n = times.len() as f64;
    let x_mean = sizes.iter().sum::<u64>() as f64 / n;
    let y_mean = times.iter().sum::<f64>() / n;
    let [mut xx, mut xy, mut yy] = [0.0; 3];
    for (&x, y) in sizes.iter().zip(times) {
        let (x, y) = (x as f64 - x_mean, y - y_mean);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    (xy / xx, xy * xy / (xx * yy))
}

fn bodies(count: u64) -> String {
    let mut text = "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/>\n".to_owned();
    for body in 0..count {
        let _ = writeln!(
            text,
            "<body name=\"b{body}\" pos=\"0 0 {body}\"><freejoint/><geom size=\"0.1\"/></body>"
        );
    }
    text + "</worldbody></mujoco>"
}

/// All on one line.
fn excludes(count: u64) -> String {
    let bodies = 1000;
    let mut text = "<mujoco><worldbody>".to_owned();
    for body in 0..bodies {
        let _ = write!(
            text,
            "<body name=\"b{body}\"><freejoint/><geom size=\"0.1\"/></body>"
        );
    }
    text += "</worldbody><contact>";
    for pair in 0..count {
        let (a, b) = (pair % bodies, (pair / bodies + pair % bodies + 1) % bodies);
        let _ = write!(text, "<exclude body1=\"b{a}\" body2=\"b{b}\"/>");
    }
    text + "</contact></mujoco>"
}

fn links(count: u64) -> String {
    let mut text = "<robot name=\"chain\">\n".to_owned();
    for link in 0..count {
        let _ = writeln!(
            text,
            "<link name=\"l{link}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" \
             iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
        );
    }
    for joint in 1..count {
        let _ = writeln!(
            text,
            "<joint name=\"j{joint}\" type=\"continuous\"><parent link=\"l{}\"/><child link=\"l{joint}\"/>\
             <origin xyz=\"0 0 0.1\"/></joint>",
            joint - 1
        );
    }
    text + "</robot>"
}

/// A ball as OBJ, all of whose vertices are corners of its hull.
fn triangles(count: u64) -> String {
    let rings = ((count as f64 / 2.0).sqrt() as u64).max(3);
    let mut text = String::new();
    let _ = writeln!(text, "v 0 0 1\nv 0 0 -1");
    for ring in 1..rings {
        let polar = std::f64::consts::PI * ring as f64 / rings as f64;
        for side in 0..rings {
            let angle =
                std::f64::consts::TAU * (side as f64 + 0.5 * (ring % 2) as f64) / rings as f64;
            let (sin, cos) = polar.sin_cos();
            let _ = writeln!(text, "v {} {} {cos}", sin * angle.cos(), sin * angle.sin());
        }
    }
    let vertex = |ring: u64, side: u64| match ring {
        0 => 1,
        ring if ring == rings => 2,
        ring => 3 + (ring - 1) * rings + side % rings,
    };
    for ring in 0..rings {
        for side in 0..rings {
            let [a, b] = [vertex(ring, side), vertex(ring, side + 1)];
            let [c, d] = [vertex(ring + 1, side), vertex(ring + 1, side + 1)];
            if ring > 0 {
                let _ = writeln!(text, "f {a} {c} {b}");
            }
            if ring + 1 < rings {
                let _ = writeln!(text, "f {b} {c} {d}");
            }
        }
    }
    text
}

fn mjcf_world(text: &str) -> anyhow::Result<()> {
    world(&mjcf::parse(text, "bench.xml", &ModelOptions::default())?)
}

/// The robot alone: the mass matrix of a chain grows with the square of its length, and a world refuses
/// what no memory holds.
fn urdf_robot(text: &str) -> anyhow::Result<()> {
    urdf::parse(text, "bench.urdf", &ModelOptions::default())?;
    Ok(())
}

fn world(file: &SceneFile) -> anyhow::Result<()> {
    from_scene_file(file, &Options::default())?;
    Ok(())
}

fn surface(text: &str) -> anyhow::Result<()> {
    let data = mesh::parse_obj(text.as_bytes(), "bench.obj")?;
    Shape::triangle_mesh("bench", data.vertices, data.faces)?;
    Ok(())
}

fn hull(text: &str) -> anyhow::Result<()> {
    let data = mesh::parse_obj(text.as_bytes(), "bench.obj")?;
    Shape::convex_hull("bench", &data.vertices)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_loaded_and_a_line_is_known_from_a_curve() {
        for kind in &KINDS {
            (kind.load)(&(kind.text)(60)).unwrap();
        }
        let sizes = [1, 2, 3, 4, 5, 6];
        let (slope, fit) = line(&sizes, &[3.0, 5.0, 7.0, 9.0, 11.0, 13.0]);
        assert!((slope - 2.0).abs() < 1e-12 && (fit - 1.0).abs() < 1e-12);
        let squares = sizes.map(|size| (size * size) as f64);
        assert!(line(&sizes, &squares).1 < 0.99);
    }
}
