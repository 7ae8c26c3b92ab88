//! One piece of a rod: a sparse subsystem of bodies.

use std::ops::Range;

use nalgebra::{Isometry3, Vector3};
use stiction_constraints::SparseSymmetric;
use stiction_deformable::rod::{BlockTridiagonal, Rod, RodEquations, Supports};
use stiction_modeling::{Motion, Places, Twist};

use crate::body::BodyHandle;
use crate::error::{Result, SimError};
use crate::free_bodies::{read_pose, read_vector, write_pose};
use crate::mechanism::{Placing, Registry};

/// One piece of a rod.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) rod: Rod,
    /// Number of its first link in the whole rod.
    pub(super) first: usize,
    pub(super) frames: Vec<BodyHandle>,
    /// Its index among all subsystems.
    pub(super) subsystem: usize,
    pub(super) q: Range<usize>,
    pub(super) v: Range<usize>,
    pub(super) supports: Supports,
    pub(super) equations: RodEquations,
    pub(super) pattern: SparseSymmetric,
    /// Poses at the start of the step, and where a guess leads.
    pub(super) poses: Vec<Isometry3<f64>>,
    pub(super) reached: Vec<Isometry3<f64>>,
    /// A v̂ of a solve.
    pub(super) impulse: Vec<f64>,
    /// Wrenches on the links, N and N·m.
    pub(super) wrenches: Vec<f64>,
}

impl Piece {
    pub(super) fn new(
        (name, first, is_copy): (&str, usize, bool),
        rod: Rod,
        (poses, velocity): (&[Isometry3<f64>], &Vector3<f64>),
        is_held: &[bool],
        registry: &mut Registry<'_>,
    ) -> Result<Self> {
        let links = rod.link_count();
        let (column_start, row_index) = BlockTridiagonal::pattern(links);
        let entries: Vec<_> = (0..6 * links)
            .flat_map(|column| {
                let rows = &row_index[column_start[column]..column_start[column + 1]];
                rows.iter().map(move |&row| (row, column, 0.0))
            })
            .collect();
        let pattern = SparseSymmetric::from_lower_entries(6 * links, &entries)
            .and_then(SparseSymmetric::of_bodies)
            .map_err(|reason| SimError::NotPossible {
                element: name.to_owned(),
                reason,
            })?;
        let mut q = vec![0.0; 7 * links];
        for (q, pose) in q.chunks_exact_mut(7).zip(poses) {
            write_pose(q, &pose.translation.vector, &pose.rotation);
        }
        let mut v = vec![0.0; 6 * links];
        for (v, &is_held) in v.chunks_exact_mut(6).zip(is_held) {
            if !is_held {
                v[..3].copy_from_slice(velocity.as_slice());
            }
        }
        let element = registry.element(&format!("{name} from link {first} on"), &q, &[]);
        let (subsystem, v) = registry.subsystem_of_bodies(&v);
        let mut frames = Vec::with_capacity(links);
        for (index, &is_held) in is_held.iter().enumerate() {
            let motion = match is_held {
                true => Motion::Driven,
                false => Motion::Solved {
                    subsystem: subsystem as u32,
                    index: index as u32,
                },
            };
            let link = first + index;
            let label = match is_copy && index == 0 {
                true => format!("{name}[{link}], second half"),
                false => format!("{name}[{link}]"),
            };
            let mass = rod.link_inertia(index).map_or(0.0, |inertia| inertia.0);
            frames.push(registry.frame(&label, motion, mass)?);
        }
        Ok(Self {
            supports: Supports::free(links),
            equations: RodEquations::default(),
            poses: poses.to_vec(),
            reached: poses.to_vec(),
            impulse: vec![0.0; 6 * links],
            wrenches: vec![0.0; 6 * links],
            rod,
            first,
            frames,
            subsystem,
            q: element.q,
            v,
            pattern,
        })
    }

    pub(super) fn place(&self, at: &Placing<'_>, places: &mut Places) {
        let (q, v) = (&at.q[self.q.clone()], &at.v[self.v.clone()]);
        let guess = at.guess.map(|guess| &guess[self.v.clone()]);
        for (index, frame) in self.frames.iter().enumerate() {
            let (center, rotation) = read_pose(&q[7 * index..7 * index + 7]);
            let frames = &mut places.frames;
            frames.pose[frame.0] = Isometry3::from_parts(center.into(), rotation);
            frames.twist[frame.0] = twist(v, index);
            frames.guess[frame.0] = guess.map_or(Twist::default(), |guess| twist(guess, index));
        }
    }
}

/// The velocities of a link.
pub(super) fn twist(v: &[f64], link: usize) -> Twist {
    let v = &v[6 * link..6 * link + 6];
    Twist {
        linear: read_vector(v),
        angular: read_vector(&v[3..]),
    }
}
