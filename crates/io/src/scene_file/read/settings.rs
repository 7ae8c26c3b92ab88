//! `[settings]`: how a scene is stepped.

use stiction_dynamics::Integrator;

use super::super::description::SettingsDescription;
use super::super::node::Node;
use super::super::units::{ACCELERATION, LENGTH, PLAIN, SPEED, TIME};
use crate::error::Result;

const KEYS: &[&str] = &[
    "time_step",
    "theta",
    "gravity",
    "solver",
    "tolerance",
    "max_iterations",
    "solver_time",
    "baumgarte",
    "push_out_speed",
    "contact_margin",
    "contact_reuse",
    "relinearizations",
    "integrator",
    "integration_tolerance",
    "max_substeps",
    "energy_account",
    "joint_tolerance",
    "islands",
    "warm_start",
    "max_contacts",
];

pub(super) fn read(node: &Node<'_>) -> Result<SettingsDescription> {
    let table = node.table(KEYS)?;
    Ok(SettingsDescription {
        time_step: table.read("time_step", |node| {
            node.ranged(
                TIME,
                |value| value > 0.0 && value <= 1.0,
                "must be positive and at most 1 s",
            )
        })?,
        theta: table.read("theta", |node| theta(&node))?,
        gravity: table.read("gravity", |node| node.vector(ACCELERATION))?,
        solver: table.read("solver", |node| node.name())?,
        tolerance: table.read("tolerance", |node| node.positive(SPEED))?,
        max_iterations: table.read("max_iterations", |node| positive_count(&node, 1_000_000))?,
        solver_time: table.read("solver_time", |node| node.positive(TIME))?,
        baumgarte: table.read("baumgarte", |node| {
            node.ranged(
                PLAIN,
                |value| (0.0..=1.0).contains(&value),
                "must be in [0, 1]",
            )
        })?,
        push_out_speed: table.read("push_out_speed", |node| node.not_negative(SPEED))?,
        contact_margin: table.read("contact_margin", |node| node.not_negative(LENGTH))?,
        contact_reuse: table.read("contact_reuse", |node| node.not_negative(LENGTH))?,
        relinearizations: table.read("relinearizations", |node| node.count(1000))?,
        integrator: table.read("integrator", |node| {
            Ok(match node.one_of(&["rk4", "euler"])? {
                "euler" => Integrator::Euler,
                _ => Integrator::Rk4,
            })
        })?,
        integration_tolerance: table.read("integration_tolerance", |node| node.positive(PLAIN))?,
        max_substeps: table.read("max_substeps", |node| positive_count(&node, 65_536))?,
        energy_account: table.read("energy_account", |node| node.flag())?,
        joint_tolerance: table.read("joint_tolerance", |node| node.positive(PLAIN))?,
        islands: table.read("islands", |node| node.flag())?,
        warm_start: table.read("warm_start", |node| node.flag())?,
        max_contacts: table.read("max_contacts", |node| positive_count(&node, 1_000_000))?,
    })
}

fn theta(node: &Node<'_>) -> Result<f64> {
    if node.is_text() {
        return Ok(match node.one_of(&["implicit-euler", "midpoint"])? {
            "midpoint" => 0.5,
            _ => 0.0,
        });
    }
    node.ranged(
        PLAIN,
        |value| (0.0..1.0).contains(&value),
        "must be in [0, 1)",
    )
}

fn positive_count(node: &Node<'_>, most: usize) -> Result<usize> {
    match node.count(most)? {
        0 => Err(node.fail("is 0", format!("give a whole number from 1 to {most}"))),
        count => Ok(count),
    }
}
