//! What the other way costs: strains of a rod as soft rows instead of in A, and nodes that are held by rows
//! instead of left out of the unknowns.

use std::io::Write;

use serde_json::json;
use stiction_sim::deformable::cut::PieceSize;
use stiction_sim::deformable::fem::Material as SoftMaterial;
use stiction_sim::deformable::mesh::{Pattern, solid_box};
use stiction_sim::deformable::rod::{Damping, Profile, Rod, RodMaterial, RodShape, Strains};
use stiction_sim::{Inertia, RigidBody, RodBody, Settings, SoftBody, Vector3, World};

use super::quantile;

/// Links of the rod.
const LINKS: usize = 160;
/// Cells of the bar.
const CELLS: [usize; 3] = [40, 4, 4];
/// Steps that are timed, after as many that are not.
const STEPS: usize = 20;

/// A way and its median step.
pub(super) struct Choice {
    name: &'static str,
    rows: usize,
    step: f64,
    iterations: f64,
}

impl Choice {
    pub(super) fn json(&self) -> serde_json::Value {
        json!({
            "name": self.name,
            "rows": self.rows,
            "step_s": self.step,
            "iterations": self.iterations,
        })
    }
}

/// All of them, with `canal`.
pub(super) fn time_choices() -> anyhow::Result<Vec<Choice>> {
    Ok(vec![
        time("rod, strains in A", rod(Strains::Folded)?)?,
        time("rod, strains as rows", rod(Strains::AsRows)?)?,
        time("bar, held nodes left out", bar(true)?)?,
        time("bar, held nodes as rows", bar(false)?)?,
    ])
}

pub(super) fn print(out: &mut impl Write, choices: &[Choice]) -> anyhow::Result<()> {
    writeln!(
        out,
        "canal, rod of {LINKS} links and bar of {} × {} × {} cells, held at one end, 10 ms, tolerance 1e-6, one thread",
        CELLS[0], CELLS[1], CELLS[2]
    )?;
    writeln!(
        out,
        "{:<26} {:>7} {:>9} {:>10}",
        "", "rows", "step ms", "iterations"
    )?;
    for one in choices {
        writeln!(
            out,
            "{:<26} {:>7} {:>9.2} {:>10}",
            one.name,
            one.rows,
            1e3 * one.step,
            one.iterations
        )?;
    }
    Ok(())
}

fn time(name: &'static str, mut world: World) -> anyhow::Result<Choice> {
    let (mut times, mut iterations) = (Vec::new(), Vec::new());
    for step in 0..2 * STEPS {
        let report = world.step()?;
        if step >= STEPS {
            times.push(report.stages.total());
            iterations.push(report.iterations as f64);
        }
    }
    let rows = world.problems().map(|one| one.problem.row_count()).sum();
    Ok(Choice {
        name,
        rows,
        step: quantile(&mut times, 0.5),
        iterations: quantile(&mut iterations, 0.5),
    })
}

fn settings() -> Settings {
    Settings {
        time_step: 0.01,
        tolerance: 1e-6,
        ..Settings::default()
    }
}

/// A rod that swings down from a clamp.
fn rod(strains: Strains) -> anyhow::Result<World> {
    let mut world = World::new(settings())?;
    let wall = world.add_body(RigidBody::fixed("wall"))?;
    let shape = RodShape::straight(Vector3::zeros(), Vector3::x() * 0.4, LINKS)?;
    let material = RodMaterial {
        young: 3e6,
        poisson: 0.49,
        density: 1259.0,
    };
    let rod = Rod::new(shape, Profile::round(0.002, &material)?)?;
    let rod = rod.with_damping(Damping {
        stiffness: 0.01,
        ..Damping::default()
    })?;
    let body = RodBody {
        strains,
        ..RodBody::new("rod", rod)
    };
    world.add_rod(body.fixed_to(0, wall))?;
    Ok(world)
}

/// A bar that swings about one end, which a wall holds or a body that is too heavy to move.
fn bar(is_left_out: bool) -> anyhow::Result<World> {
    let mut world = World::new(Settings {
        gravity: Vector3::zeros(),
        ..settings()
    })?;
    let wall = match is_left_out {
        true => RigidBody::fixed("wall"),
        false => RigidBody::free("wall", Inertia::solid_sphere(1e6, 1.0)),
    };
    let wall = world.add_body(wall)?;
    let sides = Vector3::from(CELLS.map(|cells| 0.01 * cells as f64));
    let mesh = solid_box(&sides, CELLS, Pattern::Five)?;
    let rubber = SoftMaterial::corotational(1e6, 0.3, 1000.0).damped(0.0, 0.01);
    let mut body = SoftBody::new("bar", mesh, rubber);
    body.pieces = PieceSize::Whole;
    body.velocity = Vector3::z() * 0.5;
    let end = body
        .mesh
        .nodes()
        .iter()
        .map(|node| node.x)
        .fold(0.0, f64::min);
    let nodes = body.mesh.nodes().iter().enumerate();
    body.attached = nodes
        .filter(|(_, node)| node.x < end + 1e-9)
        .map(|(node, _)| (node, wall))
        .collect();
    world.add_soft_body(body)?;
    Ok(world)
}
