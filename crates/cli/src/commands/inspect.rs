//! `stiction inspect`: what a robot or scene file says, and what of it is not done.

mod json;
mod tree;

use std::fmt::Write as _;
use std::io::Write;

use stiction_io::scene_file::{
    ActuatorTarget, BodyKind, MassDescription, SceneDescription, SceneFile, ShapeDescription,
    TendonPath,
};

use crate::Ending;
use crate::arguments::InspectArguments;
use crate::deformables;

pub(crate) fn run(arguments: &InspectArguments) -> anyhow::Result<Ending> {
    let file = arguments.model.read(&arguments.file)?;
    // A file that says something impossible is refused here as it is by `run`.
    let scene = arguments.model.build(&file, &Default::default())?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let mut described = json::describe(&file);
        described["soft"] = deformables::soft_json(&scene.world)?;
        described["rods"] = deformables::rod_json(&scene.world)?;
        writeln!(out, "{described}")?;
    } else {
        write!(out, "{}", describe(&file))?;
        let overlaps = scene.skipped_overlaps.iter();
        let mut text = String::new();
        let soft = deformables::soft_lines(&scene.world)?;
        list(&mut text, "soft bodies", soft.into_iter());
        let rods = deformables::rod_lines(&scene.world)?;
        list(&mut text, "rods", rods.into_iter());
        list(
            &mut text,
            "overlap at the start, and never touch",
            overlaps.map(|[a, b]| format!("{a} and {b}")),
        );
        write!(out, "{text}")?;
        let steps = scene.world.settings();
        let g = steps.gravity;
        writeln!(
            out,
            "\nsteps of {} s under a gravity of ({}, {}, {}) m/s²",
            steps.time_step, g.x, g.y, g.z
        )?;
    }
    Ok(Ending::Fine)
}

fn describe(file: &SceneFile) -> String {
    let scene = &file.scene;
    let mut out = format!("{}: {}\n", scene.name, counts(scene));
    for robot in &scene.robots {
        out.push('\n');
        tree::describe(&mut out, robot);
    }
    bodies(&mut out, scene);
    let connections = scene.joints.iter().map(|joint| {
        let kind = format!("{:?}", joint.kind).to_lowercase();
        format!(
            "{}: {kind} of {} and {}",
            joint.name, joint.bodies[0], joint.bodies[1]
        )
    });
    list(&mut out, "connections", connections);
    list(&mut out, "tendons", scene.tendons.iter().map(tendon));
    list(&mut out, "actuators", scene.actuators.iter().map(actuator));
    let sensors = scene.sensors.iter();
    list(
        &mut out,
        "sensors",
        sensors.map(|sensor| sensor.name.clone()),
    );
    let keyframes = scene.keyframes.iter();
    list(&mut out, "keyframes", keyframes.map(|key| key.name.clone()));
    list(
        &mut out,
        "not done",
        file.ignored.iter().map(ToString::to_string),
    );
    out
}

/// The numbers that characterise a scene.
fn counts(scene: &SceneDescription) -> String {
    let links = scene.robots.iter().flat_map(|robot| &robot.links);
    let link_shapes = links.flat_map(|link| &link.shapes);
    let body_shapes = scene.bodies.iter().flat_map(|body| &body.shapes);
    let shapes: Vec<&ShapeDescription> = link_shapes.chain(body_shapes).collect();
    let drawn = shapes.iter().filter(|shape| shape.visual_only).count();
    let free = scene.bodies.iter();
    let free = free
        .filter(|body| matches!(body.kind, BodyKind::Free(_)))
        .count();
    let joints = scene.robots.iter().flat_map(|robot| &robot.joints);
    let dofs = joints.map(|joint| joint.kind.nv()).sum::<usize>() + 6 * free;
    [
        (scene.robots.len(), "robot"),
        (scene.bodies.len(), "body"),
        (scene.soft.len(), "soft body"),
        (scene.rods.len(), "rod"),
        (dofs, "degree of freedom"),
        (scene.actuators.len(), "actuator"),
        (scene.sensors.len(), "sensor"),
        (shapes.len() - drawn, "shape that collides"),
        (drawn, "shape that is only drawn"),
    ]
    .into_iter()
    .filter(|&(count, _)| count > 0)
    .map(|(count, what)| format!("{count} {}", plural(what, count)))
    .collect::<Vec<_>>()
    .join(", ")
}

fn plural(what: &str, count: usize) -> String {
    if count == 1 {
        return what.to_owned();
    }
    match what {
        "body" => "bodies".to_owned(),
        "soft body" => "soft bodies".to_owned(),
        "degree of freedom" => "degrees of freedom".to_owned(),
        "shape that collides" => "shapes that collide".to_owned(),
        "shape that is only drawn" => "shapes that are only drawn".to_owned(),
        other => format!("{other}s"),
    }
}

fn bodies(out: &mut String, scene: &SceneDescription) {
    let lines = scene.bodies.iter().map(|body| {
        let kind = match &body.kind {
            BodyKind::Fixed => "fixed".to_owned(),
            BodyKind::Driven => "driven".to_owned(),
            BodyKind::Free(mass) => format!("free, {}", mass_of(mass)),
        };
        format!("{}: {kind}{}", body.name, shapes_of(&body.shapes))
    });
    list(out, "bodies", lines);
}

fn list(out: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        let _ = writeln!(out, "\n{heading}");
        lines.for_each(|line| {
            let _ = writeln!(out, "  {line}");
        });
    }
}

fn mass_of(mass: &MassDescription) -> String {
    match mass {
        MassDescription::Mass(mass) => format!("{} kg", short(*mass)),
        MassDescription::Density(density) => format!("{} kg/m³", short(*density)),
        MassDescription::Inertia(inertia) => format!("{} kg", short(inertia.mass)),
    }
}

/// The kinds of shapes with their numbers, ready to be appended.
fn shapes_of(shapes: &[ShapeDescription]) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for shape in shapes {
        let mut word = shape.kind.word().to_owned();
        if shape.visual_only {
            word.push_str(" (drawn)");
        }
        match kinds.iter_mut().find(|(kind, _)| *kind == word) {
            Some((_, count)) => *count += 1,
            None => kinds.push((word, 1)),
        }
    }
    let words = kinds.into_iter().map(|(kind, count)| match count {
        1 => kind,
        _ => format!("{count} × {kind}"),
    });
    let words: Vec<String> = words.collect();
    match words.is_empty() {
        true => String::new(),
        false => format!(", {}", words.join(", ")),
    }
}

fn tendon(tendon: &stiction_io::scene_file::TendonDescription) -> String {
    let path = match &tendon.path {
        TendonPath::Joints { terms, .. } => {
            let terms = terms
                .iter()
                .map(|(joint, factor)| format!("{} · {joint}", short(*factor)));
            terms.collect::<Vec<_>>().join(" + ")
        }
        TendonPath::Points(branches) => {
            let points: usize = branches.iter().map(|branch| branch.points.len()).sum();
            format!("through {points} points")
        }
        _ => "of another kind".to_owned(),
    };
    let limits = tendon.limits.map_or(String::new(), |[low, high]| {
        format!(", from {} to {}", short(low), short(high))
    });
    format!("{}: {path}{limits}", tendon.name)
}

fn actuator(actuator: &stiction_io::scene_file::ActuatorDescription) -> String {
    let target = match &actuator.target {
        ActuatorTarget::Joint { robot, joint } => format!("joint {robot}/{joint}"),
        ActuatorTarget::Tendon(tendon) => format!("tendon {tendon}"),
        ActuatorTarget::Frame { body, .. } => format!("body {body}"),
        _ => "something else".to_owned(),
    };
    let [constant, length, speed] = actuator.bias;
    let mut force = format!("{} u", short(actuator.gain));
    for (factor, of) in [(constant, ""), (length, " · length"), (speed, " · speed")] {
        if factor != 0.0 {
            let _ = write!(
                force,
                " {} {}{of}",
                if factor < 0.0 { '−' } else { '+' },
                short(factor.abs())
            );
        }
    }
    let range = |name: &str, range: Option<[f64; 2]>| {
        range.map_or(String::new(), |[low, high]| {
            format!(", {name} from {} to {}", short(low), short(high))
        })
    };
    format!(
        "{}: {target}, force {force}{}{}",
        actuator.name,
        range("u", actuator.control_limits),
        range("force", actuator.force_limits)
    )
}

/// A number as short as it is readable: six digits.
fn short(value: f64) -> String {
    let exact = format!("{value}");
    let rounded = format!("{:.*}", digits(value), value);
    if exact.len() <= rounded.len() {
        exact
    } else {
        rounded
    }
}

/// Decimals that show about six digits.
fn digits(value: f64) -> usize {
    let magnitude = value.abs().max(1e-12).log10().floor();
    (5.0 - magnitude).clamp(0.0, 12.0) as usize
}
