//! Cosserat rods in a world: cables, ropes, wires.

mod equations;
mod piece;
mod read;
mod rows;

use nalgebra::{Isometry3, Vector3};
use stiction_collision::{Collider, Groups, Material};
use stiction_deformable::rod::{self, Strains};
use stiction_islands::RowKey;

use crate::attachment;
use crate::body::BodyHandle;
use crate::error::{Result, SimError, finite_vector};
use crate::mechanism::{MechanismHandle, Registry};
use crate::world::{ColliderHandle, World};
use piece::Piece;
use rows::Attachment;

/// A rod to be added to a world.
#[derive(Debug, Clone)]
pub struct RodBody {
    /// Unique name; its links are bodies named `name[0]`, `name[1]` and so on.
    pub name: String,
    /// Its shape without stress, its stiffness and its damping.
    pub rod: rod::Rod,
    /// Where its links are at the start, world; empty for the shape without stress.
    pub poses: Vec<Isometry3<f64>>,
    /// Velocity of all of it at the start, m/s.
    pub velocity: Vector3<f64>,
    /// Links in a piece at most, shared ones counted in both; `None` for one piece.
    pub links_per_piece: Option<usize>,
    /// Links fixed to bodies, where they are at the start. Those on bodies that do not move or are driven
    /// are no unknowns; others are joined by constraints.
    pub attached: Vec<(usize, BodyHandle)>,
    /// Links whose point is fixed to a body, where it is at the start, and which may turn about it. All of
    /// them are joined by constraints.
    pub pivoted: Vec<(usize, BodyHandle)>,
    /// Whether strains are part of A and b, or soft rows as in the papers: those gain energy where it moves
    /// fast, and cost a constraint each.
    pub strains: Strains,
    /// How it touches; `None` for what passes through everything.
    pub contact: Option<RodContact>,
}

/// How a rod touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RodContact {
    /// Radius, m.
    pub radius: f64,
    /// Friction, restitution, compliance.
    pub material: Material,
    /// Groups and mask.
    pub groups: Groups,
    /// Whether it also touches itself.
    pub touches_itself: bool,
}

impl RodContact {
    /// A rod of this radius (m) and material that touches everything, itself too.
    pub fn new(radius: f64, material: Material) -> Self {
        Self {
            radius,
            material,
            groups: Groups::default(),
            touches_itself: true,
        }
    }
}

impl RodBody {
    /// A rod that touches nothing, at rest in its shape without stress.
    pub fn new(name: &str, rod: rod::Rod) -> Self {
        Self {
            name: name.to_owned(),
            rod,
            poses: Vec::new(),
            velocity: Vector3::zeros(),
            links_per_piece: None,
            attached: Vec::new(),
            pivoted: Vec::new(),
            strains: Strains::Folded,
            contact: None,
        }
    }

    /// The same with a radius (m) and material to touch with.
    #[must_use]
    pub fn touching(self, radius: f64, material: Material) -> Self {
        let contact = Some(RodContact::new(radius, material));
        Self { contact, ..self }
    }

    /// The same with a link fixed to a body.
    #[must_use]
    pub fn fixed_to(mut self, link: usize, body: BodyHandle) -> Self {
        self.attached.push((link, body));
        self
    }

    /// The same with the point of a link fixed to a body.
    #[must_use]
    pub fn pivoted_on(mut self, link: usize, body: BodyHandle) -> Self {
        self.pivoted.push((link, body));
        self
    }
}

/// A rod of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RodHandle(pub(crate) usize);

/// A rod in a world's list.
#[derive(Debug)]
pub(crate) struct RodEntry {
    pub(crate) name: String,
    pub(crate) handle: MechanismHandle<Cosserat>,
}

/// A rod in a world: a subsystem for each piece, a frame for each link.
#[derive(Debug)]
pub(crate) struct Cosserat {
    name: String,
    rod: rod::Rod,
    pieces: Vec<Piece>,
    /// Frames of the links in order; where a link has two copies, of the first.
    frames: Vec<BodyHandle>,
    attachments: Vec<Attachment>,
    strains: Strains,
    key: RowKey,
    /// Of the tube that is drawn, m.
    #[cfg(feature = "recording")]
    radius: f64,
    collider: Option<ColliderHandle>,
    /// Linearisations of this step beyond the first.
    passes: usize,
}

impl World {
    /// Adds a rod.
    ///
    /// # Errors
    /// Poses and attachments that make no rod, bodies that do not exist, taken names.
    pub fn add_rod(&mut self, body: RodBody) -> Result<RodHandle> {
        let contact = body.contact;
        let name = body.name.clone();
        let fixed = [&body.attached[..], &body.pivoted[..]].concat();
        let handle = self.add(|registry| Cosserat::new(body, registry))?;
        let collider = match contact {
            None => None,
            Some(contact) => {
                let frames = &self.mechanism(handle)?.frames;
                let chain = frames.iter().map(|frame| frame.0 as u32).collect();
                let collider = Collider {
                    material: contact.material,
                    groups: contact.groups,
                    touches_itself: contact.touches_itself,
                    ..Collider::chain(&name, chain, contact.radius)
                };
                Some(self.attach_collider(collider)?)
            }
        };
        // A link does not touch what it is fixed to.
        for (link, to) in fixed {
            let link = self.mechanism(handle)?.frames[link];
            self.exclude(link, to)?;
        }
        self.mechanism_mut(handle)?.collider = collider;
        self.rods.push(RodEntry { name, handle });
        Ok(RodHandle(self.rods.len() - 1))
    }
}

impl Cosserat {
    fn new(body: RodBody, registry: &mut Registry<'_>) -> Result<Self> {
        let name = &body.name;
        let refuse = |reason: String| SimError::not_possible(name, reason);
        finite_vector(name, "velocity", body.velocity.iter())?;
        let links = body.rod.link_count();
        let poses = match body.poses.is_empty() {
            true => &body.rod.rest().poses,
            false => &body.poses,
        };
        if poses.len() != links {
            let found = poses.len();
            return Err(refuse(format!("{found} poses are given for {links} links")));
        }
        for pose in poses {
            let numbers = pose.translation.vector.iter();
            finite_vector(name, "pose", numbers.chain(pose.rotation.coords.iter()))?;
        }
        let mut is_held = vec![false; links];
        let mut attachments: Vec<Attachment> = Vec::new();
        let fast = body.attached.iter().map(|&one| (one, false));
        let pivoted = body.pivoted.iter().map(|&one| (one, true));
        for ((link, to), turns) in fast.chain(pivoted) {
            if link >= links {
                let reason = format!("link {link} cannot be attached: there are {links}");
                return Err(refuse(reason));
            }
            if attachments.iter().any(|other| other.link == link) {
                return Err(refuse(format!("link {link} is attached twice")));
            }
            let motion = attachment::motion_of(to, registry)?;
            is_held[link] = !turns && motion.subsystem().is_none();
            attachments.push(Attachment {
                link,
                frame: to.0 as u32,
                at: registry.places.frames.pose[to.0].inv_mul(&poses[link]),
                is_held: is_held[link],
                turns,
            });
        }
        let cut = match body.links_per_piece {
            None => body.rod.cut(links),
            Some(most) => body.rod.cut(most),
        };
        let cut = cut.map_err(|error| refuse(error.to_string()))?;
        let mut pieces: Vec<Piece> = Vec::with_capacity(cut.pieces.len());
        for (own, &first) in cut.pieces.into_iter().zip(&cut.first_links) {
            let range = first..first + own.link_count();
            let poses = &poses[range.clone()];
            let held = &is_held[range];
            let is_copy = !pieces.is_empty();
            let start = (poses, &body.velocity);
            pieces.push(Piece::new(
                (name, first, is_copy),
                own,
                start,
                held,
                registry,
            )?);
        }
        let frames = pieces.iter().enumerate();
        let frames = frames
            .flat_map(|(number, piece)| piece.frames.iter().skip(usize::from(number > 0)).copied());
        Ok(Self {
            name: name.clone(),
            key: registry.row_key(0),
            frames: frames.collect(),
            attachments,
            strains: body.strains,
            pieces,
            #[cfg(feature = "recording")]
            radius: (body.contact).map_or_else(|| radius_of(&body.rod), |contact| contact.radius),
            collider: None,
            passes: 0,
            rod: body.rod,
        })
    }

    /// Its collider, if it touches.
    #[cfg(feature = "recording")]
    pub(crate) fn touches_with(&self) -> Option<ColliderHandle> {
        self.collider
    }

    /// The links in order.
    #[cfg(feature = "recording")]
    pub(crate) fn links(&self) -> &[BodyHandle] {
        &self.frames
    }

    /// What a recording shows of it.
    #[cfg(feature = "recording")]
    pub(crate) fn recorded(&self) -> stiction_recording::Deformable {
        stiction_recording::Deformable {
            name: self.name.clone(),
            kind: stiction_recording::DeformableKind::Rod {
                radius: self.radius,
                links: self.frames.iter().map(|link| link.0 as u32).collect(),
            },
            nodes: self.frames.len(),
        }
    }
}

/// Radius of a solid round rod with the same radius of gyration, m.
#[cfg(feature = "recording")]
fn radius_of(rod: &rod::Rod) -> f64 {
    let profile = rod.profile();
    2.0 * (profile.rotary_inertia[0] / profile.mass_per_length).sqrt()
}
