//! A rod in pieces, each a subsystem of its own.

use nalgebra::{Isometry3, Vector6};

use super::error::RodError;
use super::model::Rod;
use super::rotation::rotation_between;
use super::shape::RodShape;

/// A rod cut into pieces.
///
/// A cut goes through a link, not through a joint: both pieces have the link, each with the half of its
/// mass that belongs to the piece's own joint, and six rows make both copies move alike: velocities
/// (v, ω) of one less those of the other are zero. Every joint lies in one piece, so that pieces
/// assemble what the whole rod would, and joined by the rows they move as the whole rod does. A link is
/// shared by two pieces at most, so that the rows of a chain of pieces are independent.
#[derive(Debug, Clone, PartialEq)]
pub struct RodPieces {
    /// In order along the rod; each is a rod.
    pub pieces: Vec<Rod>,
    /// Where each piece's first link is in the whole rod.
    pub first_links: Vec<usize>,
    /// In order along the rod, one less than pieces.
    pub seams: Vec<RodSeam>,
}

/// Two copies of a link that move alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RodSeam {
    /// The piece before the seam.
    pub piece: usize,
    /// Number of the shared link in that piece: its last one. In the next piece it is link 0.
    pub link: usize,
}

impl RodSeam {
    /// How far the second copy of the link is from the first, m and rad, world axes: what its velocity
    /// less that of the first has to take away.
    pub fn error(&self, first: &Isometry3<f64>, second: &Isometry3<f64>) -> Vector6<f64> {
        let apart = second.translation.vector - first.translation.vector;
        let turn = first.rotation * rotation_between(&first.rotation, &second.rotation);
        Vector6::new(apart.x, apart.y, apart.z, turn.x, turn.y, turn.z)
    }
}

impl Rod {
    /// Cuts the rod into pieces of at most `links_per_piece` links, shared ones counted in both.
    ///
    /// # Errors
    /// Fewer than two links in a piece.
    pub fn cut(&self, links_per_piece: usize) -> Result<RodPieces, RodError> {
        if links_per_piece < 2 {
            return Err(RodError::TooFewLinks {
                links: links_per_piece,
            });
        }
        let joints = self.joint_count();
        let count = joints.div_ceil(links_per_piece - 1);
        // As even as can be: no short rest at the end.
        let starts: Vec<usize> = (0..=count).map(|piece| piece * joints / count).collect();
        let mut pieces = Vec::with_capacity(count);
        for pair in starts.windows(2) {
            let range = pair[0]..pair[1];
            let shape = RodShape {
                poses: self.rest().poses[range.start..=range.end].to_vec(),
                lengths: self.rest().lengths[range.clone()].to_vec(),
            };
            let mut piece = Self::new(shape, *self.profile())?.with_damping(*self.damping())?;
            piece.joints.copy_from_slice(&self.joints[range]);
            pieces.push(piece);
        }
        let seams = pieces[..count - 1].iter().enumerate();
        let seams = seams.map(|(piece, rod)| RodSeam {
            piece,
            link: rod.link_count() - 1,
        });
        Ok(RodPieces {
            seams: seams.collect(),
            first_links: starts[..count].to_vec(),
            pieces,
        })
    }
}
