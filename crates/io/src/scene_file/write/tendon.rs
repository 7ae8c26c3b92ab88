//! Tendons.

use toml_edit::Table;

use super::super::tendon::{TendonDescription, TendonPath};
use super::table::{Lines, float, list, numbers, table};

pub(super) fn tendon(tendon: &TendonDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &tendon.name);
    match &tendon.path {
        TendonPath::Joints { robot, terms } => {
            out.text("robot", robot);
            let terms = terms.iter().map(|(joint, coefficient)| {
                table([
                    ("joint", joint.into()),
                    ("coefficient", float(*coefficient)),
                ])
            });
            out.line("joints", list(terms));
        }
        TendonPath::Points(branches) => {
            let branches = branches.iter().map(|branch| {
                let points = branch.points.iter().map(|(body, point)| {
                    table([("body", body.into()), ("point", numbers(point.iter()))])
                });
                table([("divisor", float(branch.divisor)), ("points", list(points))])
            });
            out.line("branches", list(branches));
        }
    }
    for (key, value) in ["lower", "upper"]
        .into_iter()
        .zip(tendon.limits.into_iter().flatten())
    {
        if value.is_finite() {
            out.number(key, value);
        }
    }
    out.unless("stiffness", tendon.stiffness, 0.0);
    out.unless("damping", tendon.damping, 0.0);
    if tendon.rest != [0.0; 2] {
        out.numbers("rest", &tendon.rest);
    }
    out.unless("friction", tendon.friction_loss, 0.0);
    out
}
