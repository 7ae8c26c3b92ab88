//! `<joint>` and `<freejoint>`.

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_dynamics::DofProperties;

use super::compiler::Compiler;
use super::defaults::Attributes;
use super::option::Switches;
use super::pose;
use crate::error::Result;
use crate::xml::Element;

/// A joint of a body.
#[derive(Debug)]
pub(super) struct Joint<'a> {
    pub(super) element: &'a Element,
    /// Empty until all names are known.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// A point of the axis in the frame of the body; the origin for a joint that only slides.
    pub(super) anchor: Vector3<f64>,
    /// Unit vector in the frame of the body.
    pub(super) axis: Vector3<f64>,
    /// Coordinate in the pose that the file describes.
    pub(super) reference: f64,
    pub(super) properties: DofProperties,
}

/// What a joint allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Free,
    Ball,
    Slide,
    Hinge,
}

impl Kind {
    /// Number of coordinates and of velocities.
    pub(super) fn sizes(self) -> (usize, usize) {
        match self {
            Self::Free => (7, 6),
            Self::Ball => (4, 3),
            Self::Slide | Self::Hinge => (1, 1),
        }
    }

    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Self::Slide | Self::Hinge)
    }
}

/// `<freejoint>`, to which no defaults apply.
pub(super) fn free<'a>(attributes: &Attributes<'a>) -> Joint<'a> {
    attributes.pass_over(&["group"]);
    if attributes
        .get("align")
        .is_some_and(|align| align.text == "true")
    {
        attributes.notes.ignore(
            attributes.element,
            "<freejoint align=\"true\">",
            "the frame of the body stays where the file puts it; keyframes are about that frame",
        );
    }
    Joint {
        element: attributes.element,
        name: String::new(),
        kind: Kind::Free,
        anchor: Vector3::zeros(),
        axis: Vector3::z(),
        reference: 0.0,
        properties: DofProperties::default(),
    }
}

/// `<joint>`; `frame` is the frame around it in the frame of the body.
pub(super) fn read<'a>(
    attributes: &Attributes<'a>,
    frame: &Isometry3<f64>,
    compiler: &Compiler,
    switches: &Switches,
) -> Result<Joint<'a>> {
    let kind = match attributes.get("type") {
        None => Kind::Hinge,
        Some(value) => match value.word(&["free", "ball", "slide", "hinge"])? {
            "free" => Kind::Free,
            "ball" => Kind::Ball,
            "slide" => Kind::Slide,
            _ => Kind::Hinge,
        },
    };
    attributes.pass_over(&["group", "user"]);
    let unit = match kind {
        Kind::Hinge | Kind::Ball => compiler.angle,
        Kind::Free | Kind::Slide => 1.0,
    };
    let anchor = match attributes.get("pos") {
        Some(value) if matches!(kind, Kind::Hinge | Kind::Ball) => value.vector()?,
        _ => Vector3::zeros(),
    };
    let anchor = match kind {
        Kind::Hinge | Kind::Ball => (frame * Point3::from(anchor)).coords,
        Kind::Free | Kind::Slide => Vector3::zeros(),
    };
    let axis = match attributes.get("axis") {
        Some(value) if kind.is_scalar() => pose::direction(value, value.vector()?)?.into_inner(),
        _ => Vector3::z(),
    };
    let angle = |name: &'static str| Ok(attributes.number_or(name, 0.0)? * unit);
    let (reference, spring_reference) = match kind.is_scalar() {
        true => (angle("ref")?, angle("springref")?),
        false => {
            attributes.pass_over(&["ref", "springref"]);
            (0.0, 0.0)
        }
    };
    let mut properties = DofProperties {
        friction_loss: attributes.number_or("frictionloss", 0.0)?,
        damping: attributes.linear_or("damping", 0.0)?,
        armature: attributes.number_or("armature", 0.0)?,
        stiffness: attributes.linear_or("stiffness", 0.0)?,
        reference: spring_reference,
        ..DofProperties::default()
    };
    let range = attributes.range("limited", "range", compiler.autolimits)?;
    if let Some([lower, upper]) = range
        && switches.limits
    {
        match kind.is_scalar() {
            true => (properties.lower, properties.upper) = (lower * unit, upper * unit),
            false => attributes.notes.ignore(
                attributes.element,
                "<joint range> of a ball",
                "only hinges and slides have limits here",
            ),
        }
    }
    let forces = attributes.range(
        "actuatorfrclimited",
        "actuatorfrcrange",
        compiler.autolimits,
    )?;
    if let Some([lower, upper]) = forces {
        match lower == -upper && kind.is_scalar() {
            true => properties.effort_limit = upper,
            false => attributes.notes.ignore(
                attributes.element,
                "<joint actuatorfrcrange> that is not symmetric",
                "drive torques are limited to the same size in both directions",
            ),
        }
    }
    if properties.stiffness != 0.0 && !kind.is_scalar() {
        properties.stiffness = 0.0;
        attributes.notes.ignore(
            attributes.element,
            "<joint stiffness> of a ball or free joint",
            "only hinges and slides have springs here",
        );
    }
    if properties.armature != 0.0 && kind == Kind::Free {
        attributes.notes.ignore(
            attributes.element,
            "<joint armature> of a free joint in world axes",
            "it acts in the axes of the body",
        );
    }
    if !switches.springs {
        properties.stiffness = 0.0;
    }
    if !switches.dampers {
        properties.damping = 0.0;
    }
    if !switches.friction_loss {
        properties.friction_loss = 0.0;
    }
    attributes.report_unless("springdamper", &[0.0, 0.0])?;
    attributes.report_unless("margin", &[0.0])?;
    if attributes.flag_or("actuatorgravcomp", false)? {
        attributes
            .notes
            .ignore_attribute(attributes.element, "actuatorgravcomp");
    }
    Ok(Joint {
        element: attributes.element,
        name: String::new(),
        kind,
        anchor,
        axis: frame.rotation * axis,
        reference,
        properties,
    })
}
