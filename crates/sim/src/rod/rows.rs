//! Seams between pieces of a rod, links that are fixed to bodies, and strains where these are rows.

use nalgebra::{Isometry3, Vector3};
use stiction_constraints::Law;
use stiction_deformable::rod::Strains;
use stiction_islands::{AssemblyError, RowList, RowNote};
use stiction_modeling::stabilization::equality_error;
use stiction_modeling::{Places, Site};

use super::Cosserat;
use crate::attachment::AXES;
use crate::mechanism::{RowContext, RowSource};

/// A link fixed to a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attachment {
    pub(super) link: usize,
    pub(super) frame: u32,
    /// Pose of the link in the body's frame.
    pub(super) at: Isometry3<f64>,
    /// Whether the body is no unknown, and so the link is none.
    pub(super) is_held: bool,
    /// Whether the link may turn about its point.
    pub(super) turns: bool,
}

/// Two frames that move as one: the second is `at` in the first.
struct Weld {
    frames: [u32; 2],
    at: Isometry3<f64>,
    /// Whether their rotations are free of each other.
    turns: bool,
}

impl Cosserat {
    /// Seams first, then attachments.
    fn weld(&self, number: usize) -> Weld {
        let seams = self.pieces.len() - 1;
        match number.checked_sub(seams) {
            None => {
                let (before, after) = (&self.pieces[number], &self.pieces[number + 1]);
                let last = before.frames[before.frames.len() - 1];
                Weld {
                    frames: [last.0 as u32, after.frames[0].0 as u32],
                    at: Isometry3::identity(),
                    turns: false,
                }
            }
            Some(number) => {
                let attachment = &self.attachments[number];
                Weld {
                    frames: [attachment.frame, self.frames[attachment.link].0 as u32],
                    at: attachment.at,
                    turns: attachment.turns,
                }
            }
        }
    }
}

/// Strains of a joint.
const STRAINS: usize = 6;

impl Cosserat {
    /// The item of the first strain, after those of all welds.
    fn first_strain(&self) -> usize {
        2 * (self.pieces.len() - 1 + self.attachments.len())
    }

    /// The soft row λ = −k e − c J v̂ of a strain, k = hℓC and c = k (h + τ); links that are held move as they
    /// are told to.
    fn write_strain(
        &self,
        mut number: usize,
        context: RowContext<'_>,
    ) -> Result<RowNote, AssemblyError> {
        let dt = context.scheme.dt;
        let mut row = context.begin(1);
        for piece in &self.pieces {
            let own = STRAINS * piece.rod.joint_count();
            if number >= own {
                number -= own;
                continue;
            }
            let (joint, strain) = (number / STRAINS, number % STRAINS);
            // A joint that is folded was refused where A and b were made.
            let Ok(joint_rows) = piece.rod.joint_rows(joint, &piece.poses) else {
                break;
            };
            let stiffness = dt * joint_rows.stiffness[strain];
            let damping = piece.rod.damping();
            let time = dt + damping.stiffness + damping.strain[strain];
            let mut error = joint_rows.strain[strain];
            let first = 6 * joint;
            let supports = &piece.supports;
            let block = row.dofs(piece.subsystem, first..first + 12);
            for (k, value) in block.values.iter_mut().enumerate() {
                let entry = joint_rows.jacobian[(strain, k)];
                match supports.given()[first + k] {
                    true => error += time * entry * supports.velocity()[first + k],
                    false => *value = entry,
                }
            }
            let law = Law::Soft {
                stiffness,
                damping: stiffness * time,
            };
            row.finish(law, &[error])?;
            break;
        }
        Ok(RowNote::default())
    }
}

impl RowSource for Cosserat {
    /// A weld is two constraints: of position, and of rotation where it holds that.
    fn list(&self, places: &Places, rows: &mut RowList) {
        for number in 0..self.pieces.len() - 1 + self.attachments.len() {
            let weld = self.weld(number);
            let motions = weld
                .frames
                .map(|frame| places.frames.motion[frame as usize]);
            if motions[1].subsystem().is_none() {
                continue;
            }
            let last = 2 * number + usize::from(!weld.turns);
            for item in 2 * number..=last {
                let touched = motions.into_iter().filter_map(|motion| motion.subsystem());
                rows.push(self.key.with(item as u64), item, touched);
            }
        }
        if self.strains == Strains::AsRows {
            let mut item = self.first_strain();
            for piece in &self.pieces {
                for _ in 0..STRAINS * piece.rod.joint_count() {
                    rows.push(self.key.with(item as u64), item, [piece.subsystem]);
                    item += 1;
                }
            }
        }
    }

    /// Both move alike, and what they are apart is closed whole.
    fn write(&self, item: usize, context: RowContext<'_>) -> Result<RowNote, AssemblyError> {
        if let Some(strain) = item.checked_sub(self.first_strain()) {
            return self.write_strain(strain, context);
        }
        let (places, dt) = (context.places, context.scheme.dt);
        let Weld { frames, at, .. } = self.weld(item / 2);
        let [first, second] = frames.map(|frame| places.frames.pose[frame as usize]);
        let wanted = first * at;
        let mut row = context.begin(3);
        let apart = if item.is_multiple_of(2) {
            let here = second.translation.vector.into();
            row.point(
                &Site::Frame {
                    frame: frames[1],
                    at: here,
                },
                1.0,
                &AXES,
            );
            let there = wanted.translation.vector.into();
            row.point(
                &Site::Frame {
                    frame: frames[0],
                    at: there,
                },
                -1.0,
                &AXES,
            );
            here - there
        } else {
            row.spin(frames[1], 1.0, &AXES);
            row.spin(frames[0], -1.0, &AXES);
            (second.rotation * wanted.rotation.inverse()).scaled_axis()
        };
        let apart = apart - Vector3::from_column_slice(&row.guess[..3]) * places.advance;
        let driven = Vector3::from_column_slice(&row.driven[..3]);
        let error = apart.map(|apart| equality_error(apart, dt, 1.0)) + driven;
        row.finish(Law::Equality, error.as_slice())?;
        Ok(RowNote::default())
    }
}
