//! Meshes of tetrahedra: made, checked and judged.

mod boundary;
mod bounds;
mod boxes;
mod check;
mod cylinder;
mod error;
mod quality;
mod stuffing;
pub mod surface;
mod tet_mesh;

pub use boundary::{Boundary, Pinch};
pub use bounds::Bounds;
pub use boxes::{Pattern, cells, mat, solid_box};
pub use cylinder::cylinder;
pub use error::MeshError;
pub use quality::{Quality, Worst};
pub use stuffing::{ball, fill, fill_surface};
pub use surface::{SurfaceError, TriangleSurface};
pub use tet_mesh::{NodeTets, TetMesh};

/// Most cells of a mesh that is made here. A cell holds up to twelve tetrahedra, and these take about
/// 400 bytes each while the mesh is made and checked.
pub const MOST_CELLS: usize = 1_000_000;
