//! Rods.

use nalgebra::Vector3;
use stiction_deformable::rod::Damping;
use toml_edit::{Table, Value};

use super::super::rod::{
    RodAttachment, RodCurve, RodDescription, RodLink, RodSection, RodStiffness,
};
use super::table::{Lines, count, float, list, numbers, table};
use super::touch::touch;

pub(super) fn rod(rod: &RodDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &rod.name);
    out.line("shape", curve(&rod.shape));
    if let Some(normal) = &rod.normal {
        out.numbers("normal", normal.iter());
    }
    out.pose(&rod.pose);
    if rod.velocity != Vector3::zeros() {
        out.numbers("velocity", rod.velocity.iter());
    }
    if rod.straight_at_rest {
        out.line("straight_at_rest", true);
    }
    section(&mut out, &rod.section);
    out.number("density", rod.density);
    if let Some([young, poisson]) = rod.elastic {
        out.number("young", young);
        out.number("poisson", poisson);
    }
    if rod.stiffness != RodStiffness::default() {
        out.line("stiffness", stiffness(&rod.stiffness));
    }
    if rod.damping != Damping::default() {
        let fields = [
            ("mass", float(rod.damping.mass)),
            ("stiffness", float(rod.damping.stiffness)),
            ("strain", numbers(&rod.damping.strain)),
        ];
        out.line("damping", table(fields));
    }
    if rod.residual_bending {
        out.line("residual_bending", true);
    }
    if let Some(links) = rod.links_per_piece {
        out.line("links_per_piece", count(links));
    }
    if rod.strains_as_rows {
        out.line("strains_as_rows", true);
    }
    if !rod.attach.is_empty() {
        out.line("attach", list(rod.attach.iter().map(attachment)));
    }
    touch(&mut out, &rod.touch, true);
    if let Some(radius) = rod.contact_radius {
        out.number("contact_radius", radius);
    }
    out
}

fn curve(curve: &RodCurve) -> Value {
    let mut fields = vec![("kind", curve.word().into())];
    match curve {
        RodCurve::Straight { from, to, links } => fields.extend([
            ("from", numbers(from.iter())),
            ("to", numbers(to.iter())),
            ("links", count(*links)),
        ]),
        RodCurve::Helix {
            radius,
            pitch,
            turns,
            links,
        } => fields.extend([
            ("radius", float(*radius)),
            ("pitch", float(*pitch)),
            ("turns", float(*turns)),
            ("links", count(*links)),
        ]),
        RodCurve::Points { points, links } => {
            let points = points.iter().map(|point| numbers(point.iter()));
            fields.push(("points", list(points)));
            fields.extend(links.map(|links| ("links", count(links))));
        }
    }
    table(fields)
}

fn section(out: &mut Table, section: &RodSection) {
    match section {
        RodSection::Round { radius } => out.number("radius", *radius),
        RodSection::Tube { outer, inner } => {
            let fields = [
                ("kind", "tube".into()),
                ("outer", float(*outer)),
                ("inner", float(*inner)),
            ];
            out.line("section", table(fields));
        }
        RodSection::Rectangle { sides } => {
            let fields = [("kind", "rectangle".into()), ("sides", numbers(sides))];
            out.line("section", table(fields));
        }
    }
}

fn stiffness(stiffness: &RodStiffness) -> Value {
    let fields = [
        ("EA", stiffness.stretch.map(float)),
        ("EI", stiffness.bend.map(|bend| numbers(&bend))),
        ("GJ", stiffness.twist.map(float)),
        ("kGA", stiffness.shear.map(|shear| numbers(&shear))),
    ];
    let given = fields.into_iter();
    table(given.filter_map(|(key, value)| Some((key, value?))))
}

fn attachment(attachment: &RodAttachment) -> Value {
    let link = match attachment.link {
        RodLink::Start => ("end", "start".into()),
        RodLink::End => ("end", "end".into()),
        RodLink::Number(link) => ("link", count(link)),
    };
    let pivot = attachment.pivot.then(|| ("pivot", true.into()));
    let fields = [("body", attachment.body.as_str().into()), link];
    table(fields.into_iter().chain(pivot))
}
