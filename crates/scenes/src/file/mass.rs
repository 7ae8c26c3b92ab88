//! Masses of bodies and links from their shapes.

use stiction_io::scene_file::{MassDescription, ShapeDescription};
use stiction_sim::{Inertia, Result, Shape, SimError, uniform_inertia, volume};

/// Inertia in the body's frame; `shapes` are the built ones of `descriptions`.
pub(super) fn inertia(
    mass: &MassDescription,
    name: &str,
    descriptions: &[ShapeDescription],
    shapes: &[Shape],
) -> Result<Inertia> {
    let whole = || {
        // What is only drawn weighs nothing.
        let solid = descriptions.iter().zip(shapes);
        let solid = solid.filter(|(description, _)| !description.visual_only);
        let parts: Vec<_> = solid
            .map(|(description, shape)| (description.pose, shape.clone()))
            .collect();
        if parts.is_empty() {
            return Err(SimError::NotPossible {
                element: name.to_owned(),
                reason: "has no shape but what is only drawn: give its inertia".to_owned(),
            });
        }
        Ok(Shape::compound(name, parts)?)
    };
    match mass {
        MassDescription::Inertia(inertia) => Ok(inertia.to_inertia()),
        MassDescription::Mass(mass) => uniform_inertia(&whole()?, *mass),
        MassDescription::Density(density) => {
            let whole = whole()?;
            uniform_inertia(&whole, density * volume(&whole)?)
        }
    }
}
