//! Any body as tetrahedra with good angles: isosurface stuffing.
//!
//! F. Labelle, J. R. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral
//! angles", ACM Transactions on Graphics 26 (3), 2007. A body-centred cubic lattice is laid over the
//! body; lattice points near the surface are moved onto it, and the tetrahedra that it still cuts are
//! replaced by the part of them inside. All angles between faces lie between 10.7° and 164.8°, whatever
//! the body.

mod cut;
mod lattice;
mod stencil;

use nalgebra::Vector3;

use super::boxes::check_length;
use super::check::check_hinges;
use super::surface::TriangleSurface;
use super::{Bounds, MeshError, TetMesh};
use cut::CutLattice;
use lattice::Lattice;

/// Fills the body where `distance` (m; negative inside) is negative with tetrahedra.
///
/// `bounds` is a box around the body, `size` the side of the lattice's cubes. Only the sign of the
/// function and its zero along edges of the lattice count, so that any continuous function with the right
/// zero will do. Edges of the body are chamfered by up to a cell, walls thinner than about 1.5 cells may
/// be torn. The lattice has its middle in that of the box; nodes are numbered along it.
///
/// # Errors
/// A size that is not positive, more cells than [`super::MOST_CELLS`], a function that is no number
/// somewhere or not positive outside of the box, a body that no lattice point hits or that falls into
/// pieces or hangs together by a node or an edge alone.
pub fn fill(
    bounds: &Bounds,
    size: f64,
    distance: impl Fn(&Vector3<f64>) -> f64,
) -> Result<TetMesh, MeshError> {
    let lattice = Lattice::around(bounds, size)?;
    let mut cut = CutLattice::new(lattice, &distance)?;
    cut.warp();
    let (nodes, tets) = stencil::fill(&cut);
    if tets.is_empty() {
        return Err(MeshError::NothingInside { size });
    }
    let mesh = TetMesh::new(nodes, tets)?;
    check_hinges(&mesh)?;
    Ok(mesh)
}

/// Fills a closed surface with tetrahedra; `size` is the side of the lattice's cubes, m.
///
/// # Errors
/// As [`fill`].
pub fn fill_surface(surface: &TriangleSurface, size: f64) -> Result<TetMesh, MeshError> {
    fill(&surface.bounds(), size, |place| {
        surface.signed_distance(place)
    })
}

/// A ball around the origin; `size` is the side of the lattice's cubes, m.
///
/// # Errors
/// Lengths that are not positive, too many cells for the size, a ball that no lattice point hits.
pub fn ball(radius: f64, size: f64) -> Result<TetMesh, MeshError> {
    check_length("the radius", radius)?;
    let bounds = Bounds::centred(Vector3::repeat(2.0 * radius));
    fill(&bounds, size, |place| place.norm() - radius)
}
