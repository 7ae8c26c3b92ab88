//! Surface meshes of signed distance functions.
//!
//! [`surface_mesh`] works for any solid: it marches the tetrahedra of a body-centred cubic lattice,
//! moving lattice points that lie close to the surface onto it first (the warping of Labelle &
//! Shewchuk 2007, "Isosurface stuffing"), so that no triangle is degenerate and every vertex lies on
//! φ = 0. Threads and dishes have structured meshes of their own that follow their creases with far
//! fewer faces: [`bolt_mesh`], [`nut_mesh`], [`dish_mesh`].

mod dish;
mod lattice;
mod thread;

pub use dish::dish_mesh;
pub use lattice::surface_mesh;
pub use thread::{bolt_mesh, nut_mesh};
