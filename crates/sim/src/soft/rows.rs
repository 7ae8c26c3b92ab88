//! Seams between pieces of a soft body, and nodes that are fixed to bodies.

use nalgebra::{Point3, Vector3};
use stiction_constraints::Law;
use stiction_deformable::cut::NodeCopy;
use stiction_islands::{AssemblyError, RowList, RowNote};
use stiction_modeling::stabilization::equality_error;
use stiction_modeling::{Motion, Places, Site};

use super::Soft;
use crate::attachment::AXES;
use crate::mechanism::{RowContext, RowSource};

/// A node fixed to a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attachment {
    /// Of the mesh.
    pub(super) node: usize,
    /// The copy that stands for it.
    pub(super) owner: NodeCopy,
    pub(super) frame: u32,
    /// Where on the body, in its frame, m.
    pub(super) at: Point3<f64>,
    /// Whether the body is no unknown, and so the node is none.
    pub(super) is_held: bool,
}

impl Soft {
    /// World nodes of the two copies of a seam.
    fn seam(&self, number: usize) -> [u32; 2] {
        self.cut.joins()[number]
            .copies
            .map(|copy| self.pieces[copy.piece as usize].nodes.start + copy.node)
    }

    /// World node and site on the body of an attachment.
    fn attachment(&self, attachment: &Attachment, places: &Places) -> (u32, Site) {
        let node = self.pieces[attachment.owner.piece as usize].nodes.start + attachment.owner.node;
        let at = places.frames.pose[attachment.frame as usize] * attachment.at;
        let frame = attachment.frame;
        (node, Site::Frame { frame, at })
    }
}

/// Seams first, then attachments.
impl RowSource for Soft {
    fn list(&self, places: &Places, rows: &mut RowList) {
        for number in 0..self.cut.joins().len() {
            let solved = self
                .seam(number)
                .map(|node| places.nodes.motion[node as usize]);
            if let [
                Motion::Solved { subsystem: a, .. },
                Motion::Solved { subsystem: b, .. },
            ] = solved
            {
                rows.push(
                    self.key.with(number as u64),
                    number,
                    [a as usize, b as usize],
                );
            }
        }
        let first = self.cut.joins().len();
        for (number, attachment) in self.attachments.iter().enumerate() {
            if attachment.is_held {
                continue;
            }
            let piece = self.pieces[attachment.owner.piece as usize].subsystem;
            let body = places.frames.motion[attachment.frame as usize].subsystem();
            let item = first + number;
            rows.push(
                self.key.with(item as u64),
                item,
                [piece].into_iter().chain(body),
            );
        }
    }

    /// Both ends move alike, and what they are apart is closed whole.
    fn write(&self, item: usize, context: RowContext<'_>) -> Result<RowNote, AssemblyError> {
        let (places, dt) = (context.places, context.scheme.dt);
        let (node, site) = match item.checked_sub(self.cut.joins().len()) {
            None => {
                let [node, other] = self.seam(item);
                (node, Site::node(other))
            }
            Some(number) => self.attachment(&self.attachments[number], places),
        };
        let at = match site {
            Site::Frame { at, .. } => at,
            _ => places.nodes.position[site.terms().next().map_or(0, |(node, _)| node)],
        };
        let mut row = context.begin(3);
        row.point(&Site::node(node), 1.0, &AXES);
        row.point(&site, -1.0, &AXES);
        let apart = places.nodes.position[node as usize] - at;
        let apart = apart - Vector3::from_column_slice(&row.guess[..3]) * places.advance;
        let error = apart.map(|apart| equality_error(apart, dt, 1.0));
        row.finish(Law::Equality, error.as_slice())?;
        Ok(RowNote::default())
    }
}
