//! Bodies, their masses and shapes.

use nalgebra::Vector3;
use stiction_collision::Groups;
use toml_edit::Table;

use super::super::description::{BodyDescription, BodyKind, MassDescription, ShapeDescription};
use super::shape::shape_kind;
use super::table::{Lines, float, list, numbers, table, tables};

pub(super) fn body(body: &BodyDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &body.name);
    match &body.kind {
        BodyKind::Fixed => out.text("kind", "fixed"),
        BodyKind::Driven => out.text("kind", "driven"),
        BodyKind::Free(mass) => {
            out.text("kind", "free");
            self::mass(&mut out, mass);
        }
    }
    out.pose(&body.pose);
    for (key, vector) in [
        ("velocity", &body.velocity),
        ("angular_velocity", &body.angular_velocity),
    ] {
        if *vector != Vector3::zeros() {
            out.numbers(key, vector.iter());
        }
    }
    if let Some(color) = body.color {
        out.numbers("color", &color.map(f64::from));
    }
    out.unless("gravity_compensation", body.gravity_compensation, 0.0);
    tables(&mut out, "shapes", &body.shapes, shape);
    out
}

pub(super) fn mass(out: &mut Table, mass: &MassDescription) {
    match mass {
        MassDescription::Mass(mass) => out.number("mass", *mass),
        MassDescription::Density(density) => out.number("density", *density),
        MassDescription::Inertia(inertia) => {
            let i = &inertia.about_center;
            out.line(
                "inertia",
                table([
                    ("mass", float(inertia.mass)),
                    ("center", numbers(inertia.center.iter())),
                    ("full", numbers(&[i.xx, i.xy, i.xz, i.yy, i.yz, i.zz])),
                ]),
            );
        }
    }
}

pub(super) fn shape(shape: &ShapeDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &shape.name);
    out.text("kind", shape.kind.word());
    shape_kind(&mut out, &shape.kind);
    out.pose(&shape.pose);
    if let Some(material) = &shape.material {
        out.text("material", material);
    }
    groups(&mut out, &shape.groups);
    if shape.visual_only {
        out.line("visual_only", true);
    }
    if let Some(color) = shape.color {
        out.numbers("color", &color.map(f64::from));
    }
    out
}

/// Groups and what they collide with, where they are not the default.
pub(super) fn groups(out: &mut Table, groups: &Groups) {
    let default = Groups::default();
    for (key, bits, default) in [
        ("groups", groups.member_of, default.member_of),
        ("collides_with", groups.collides_with, default.collides_with),
    ] {
        if bits != default {
            let numbers = (0..32_u8).filter(|bit| bits >> bit & 1 == 1);
            out.line(key, list(numbers.map(|bit| i64::from(bit).into())));
        }
    }
    if groups.either {
        out.line("either_group", true);
    }
}
