//! Masses of bodies and links from their shapes.

use stiction_io::scene_file::{MassDescription, ShapeDescription};
use stiction_sim::{Inertia, Result, Shape, uniform_inertia, volume};

/// Inertia in the body's frame; `shapes` are the built ones of `descriptions`.
pub(super) fn inertia(
    mass: &MassDescription,
    name: &str,
    descriptions: &[ShapeDescription],
    shapes: &[Shape],
) -> Result<Inertia> {
    let whole = || {
        let poses = descriptions.iter().map(|description| description.pose);
        Ok::<_, stiction_sim::SimError>(Shape::compound(
            name,
            poses.zip(shapes.iter().cloned()).collect(),
        )?)
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
