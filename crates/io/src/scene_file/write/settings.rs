//! Settings and materials.

use stiction_collision::{CombineRule, Friction, Material};
use stiction_dynamics::Integrator;
use toml_edit::Table;

use super::super::description::SettingsDescription;
use super::super::read::RULES;
use super::table::{Lines, count, float, numbers, table};

pub(super) fn settings(settings: &SettingsDescription) -> Table {
    let mut out = Table::new();
    if let Some(gravity) = &settings.gravity {
        out.numbers("gravity", gravity.iter());
    }
    if let Some(solver) = &settings.solver {
        out.text("solver", solver);
    }
    if let Some(integrator) = settings.integrator {
        let word = match integrator {
            Integrator::Rk4 => "rk4",
            Integrator::Euler => "euler",
        };
        out.text("integrator", word);
    }
    for (key, value) in [
        ("time_step", settings.time_step),
        ("theta", settings.theta),
        ("tolerance", settings.tolerance),
        ("solver_time", settings.solver_time),
        ("integration_tolerance", settings.integration_tolerance),
        ("joint_tolerance", settings.joint_tolerance),
        ("baumgarte", settings.baumgarte),
        ("push_out_speed", settings.push_out_speed),
        ("contact_margin", settings.contact_margin),
        ("contact_reuse", settings.contact_reuse),
    ] {
        if let Some(value) = value {
            out.number(key, value);
        }
    }
    for (key, value) in [
        ("max_iterations", settings.max_iterations),
        ("relinearizations", settings.relinearizations),
        ("max_contacts", settings.max_contacts),
        ("max_substeps", settings.max_substeps),
    ] {
        if let Some(value) = value {
            out.line(key, count(value));
        }
    }
    for (key, value) in [
        ("islands", settings.islands),
        ("warm_start", settings.warm_start),
        ("energy_account", settings.energy_account),
    ] {
        if let Some(value) = value {
            out.line(key, value);
        }
    }
    out
}

pub(super) fn material(material: &Material) -> Table {
    let mut out = Table::new();
    let default = Material::default();
    match &material.friction {
        Friction::Isotropic(friction) => out.number("friction", *friction),
        Friction::TwoAxis {
            along,
            across,
            direction,
        } => out.line(
            "friction",
            table([
                ("along", float(*along)),
                ("across", float(*across)),
                ("direction", numbers(direction.iter())),
            ]),
        ),
    }
    out.unless("restitution", material.restitution, default.restitution);
    out.unless("compliance", material.compliance, default.compliance);
    out.unless(
        "tangential_compliance",
        material.tangential_compliance,
        default.tangential_compliance,
    );
    let word = |rule: CombineRule| {
        let found = RULES.iter().find(|&&(_, known)| known == rule);
        found.map_or("", |&(word, _)| word)
    };
    if material.friction_rule != default.friction_rule {
        out.text("friction_rule", word(material.friction_rule));
    }
    if material.restitution_rule != default.restitution_rule {
        out.text("restitution_rule", word(material.restitution_rule));
    }
    out.unless("priority", f64::from(material.priority), 0.0);
    if material.frictionless {
        out.line("frictionless", true);
    }
    out
}
