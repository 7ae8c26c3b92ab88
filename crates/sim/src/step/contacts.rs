//! Contact points as rows.

use nalgebra::Vector3;
use stiction_collision::{ColliderSet, ContactMaterial, ContactPoint, Support};
use stiction_constraints::{Law, SoftContacts};
use stiction_islands::{AssemblyError, Bounce, Closing, RowList, RowNote, RowResult, Strike};
use stiction_modeling::contact::{Contact, Surface};
use stiction_modeling::impact::Impact;
use stiction_modeling::{Places, Scheme, Site};

use super::rows::RowKind;
use crate::error::{Result, SimError};
use crate::mechanism::{RowContext, RowSource};

/// The contacts of a pass.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    pub(crate) points: Vec<ContactPoint>,
    /// The laws that follow from their materials.
    laws: Vec<Law>,
    /// How they give way in place of that, where the solver wants it.
    pub(crate) soft: Option<SoftContacts>,
    /// Inverse mass that each body shows such contacts, 1/kg; not a number where there is no such thing.
    pub(crate) inverse_masses: Vec<f64>,
}

impl Contacts {
    /// None yet, of a solver that wants them to give way in a manner of its own.
    pub(crate) fn giving_way(soft: Option<SoftContacts>) -> Self {
        Self {
            soft,
            ..Self::default()
        }
    }

    /// Finds the laws of the contacts.
    pub(crate) fn prepare(&mut self, colliders: &ColliderSet, dt: f64) -> Result<()> {
        self.laws.clear();
        for point in &self.points {
            let law = surface(&point.material).law(dt);
            self.laws.push(law.map_err(|reason| SimError::NotPossible {
                element: {
                    let names = point.colliders.map(|collider| {
                        let collider = colliders.get(collider);
                        collider.map_or("?", |collider| collider.name.as_str())
                    });
                    format!("contact of \"{}\" and \"{}\"", names[0], names[1])
                },
                reason: reason.to_owned(),
            })?);
        }
        Ok(())
    }
}

impl Contacts {
    /// Sum of the inverse masses of the two bodies that touch; `None` where one of them is none, or nothing moves.
    fn inverse_mass(&self, point: &ContactPoint) -> Option<f64> {
        let mut sum = 0.0;
        for support in &point.on {
            let Support::Frame(frame) = support else {
                return None;
            };
            sum += self.inverse_masses.get(*frame as usize)?;
        }
        (sum > 0.0).then_some(sum)
    }

    /// Whether a contact is one that gives way and is still open: in that model it begins where the surfaces meet.
    fn is_out_of_reach(&self, point: &ContactPoint) -> bool {
        self.soft.is_some() && point.gap > 0.0 && self.inverse_mass(point).is_some()
    }

    /// The contacts of the last pass and what was found of them.
    pub(crate) fn with_results<'a>(
        &'a self,
        rows: &'a RowList,
        results: &'a [RowResult],
    ) -> impl Iterator<Item = (&'a ContactPoint, &'a RowResult)> {
        let contact = RowKind::Contact.key(0, 0).kind;
        let both = rows.heads().iter().zip(results);
        both.take_while(move |(head, _)| head.key.kind == contact)
            .map(|(head, result)| (&self.points[head.item as usize], result))
    }
}

/// Gap from which on a contact with something that nothing moves acts on the surface of what does move, m:
/// one that closes within the step has its forces there. Below, arms differ by less than anybody sees.
const OPEN: f64 = 1e-6;

/// Where a contact acts: both sides on the point between the two surfaces, so that angular momentum is
/// kept; where only one side moves and they are apart, on the surface of that side.
#[inline]
fn sites(point: &ContactPoint, places: &Places) -> [Site; 2] {
    let at = match point.gap <= OPEN {
        true => point.point,
        false => match [0, 1].map(|side| moves(&point.on[side], places)) {
            [true, false] => point.point_a(),
            [false, true] => point.point_b(),
            _ => point.point,
        },
    };
    let placed = ContactPoint {
        point: at,
        ..*point
    };
    [
        site(&point.on[0], &placed, places),
        site(&point.on[1], &placed, places),
    ]
}

/// Whether a subsystem moves what carries a side of a contact.
fn moves(support: &Support, places: &Places) -> bool {
    let (motion, indices) = match support {
        Support::Frame(frame) => (&places.frames.motion, std::slice::from_ref(frame)),
        Support::Frames { frames, .. } => (&places.frames.motion, &frames[..]),
        Support::Nodes { nodes, count, .. } => {
            (&places.nodes.motion, &nodes[..usize::from(*count)])
        }
    };
    let mut indices = indices.iter();
    indices.any(|&index| motion[index as usize].subsystem().is_some())
}

#[inline]
fn site(support: &Support, point: &ContactPoint, places: &Places) -> Site {
    match *support {
        Support::Frame(frame) => Site::Frame {
            frame,
            at: point.point,
        },
        Support::Frames { frames, weights } => {
            let [a, b] = frames.map(|frame| places.origin(frame));
            Site::Between {
                frames,
                weights,
                offset: point.point.coords - (a * weights[0] + b * weights[1]),
            }
        }
        Support::Nodes {
            nodes: [a, b, c],
            weights: [u, v, w],
            count,
        } => Site::Nodes {
            nodes: [a, b, c, a],
            weights: [u, v, w, 0.0],
            count,
        },
    }
}

/// Calls `visit` with every subsystem that a contact touches; one may come several times. What
/// [`Site::touches`] says, for less.
#[inline]
pub(crate) fn touches(point: &ContactPoint, places: &Places, mut visit: impl FnMut(usize)) {
    for support in &point.on {
        let (motion, indices) = match support {
            Support::Frame(frame) => (&places.frames.motion, std::slice::from_ref(frame)),
            Support::Frames { frames, .. } => (&places.frames.motion, &frames[..]),
            Support::Nodes { nodes, count, .. } => {
                (&places.nodes.motion, &nodes[..usize::from(*count)])
            }
        };
        for &index in indices {
            if let Some(subsystem) = motion[index as usize].subsystem() {
                visit(subsystem);
            }
        }
    }
}

/// Velocity of the second side of a contact minus that of the first at the start of the step, m/s.
#[inline]
pub(crate) fn relative_velocity(point: &ContactPoint, places: &Places) -> Vector3<f64> {
    let velocity = |side: usize| match &point.on[side] {
        Support::Frame(frame) => places.velocity_at(*frame, &point.point),
        other => site(other, point, places).velocity(places),
    };
    velocity(1) - velocity(0)
}

fn surface(material: &ContactMaterial) -> Surface {
    Surface {
        friction: [material.friction_along, material.friction_across],
        direction: material.direction,
        restitution: material.restitution,
        compliance: material.compliance,
        tangential_compliance: material.tangential_compliance,
    }
}

impl Contacts {
    /// What a contact that closes does in this step; `free` is J v̂ of the motion without impacts, `lag` how
    /// far velocities lag behind positions in flight, in steps.
    pub(crate) fn bounce(
        &self,
        (item, lag): (usize, f64),
        scheme: &Scheme,
        note: &RowNote,
        free: &[f64],
    ) -> Option<Bounce> {
        // With θ > 0 restitution is an error term of the contact.
        let closing = note.closing.filter(|_| scheme.theta == 0.0)?;
        let [t1, t2, n] = note.driven;
        let restitution = self.points[item].material.restitution;
        let impact = Impact {
            gap: closing.gap,
            before: closing.velocity,
            free: [free[0] + t1, free[1] + t2, free[2] + n],
            lag,
            restitution,
            dt: scheme.dt,
        };
        let ([error, way], strike) = Contact::bounce(&impact, note.driven)?;
        Some(Bounce {
            error,
            way,
            strike: strike.map(|strike| Strike {
                speed: strike.speed,
                share: strike.share,
                restitution,
            }),
        })
    }
}

impl RowSource for Contacts {
    fn list(&self, places: &Places, rows: &mut RowList) {
        for (item, point) in self.points.iter().enumerate() {
            if self.is_out_of_reach(point) {
                continue;
            }
            let key = RowKind::Contact.key(0, point.id.0);
            rows.push_with(key, item, |out| {
                touches(point, places, |subsystem| out.touch(subsystem));
            });
        }
    }

    fn write(
        &self,
        item: usize,
        context: RowContext<'_>,
    ) -> std::result::Result<RowNote, AssemblyError> {
        let point = &self.points[item];
        let contact = Contact {
            sites: sites(point, context.places),
            point: point.point,
            normal: point.normal,
            gap: point.gap,
            surface: surface(&point.material),
            law: self.laws[item],
        };
        let scheme = context.scheme;
        let rows = context.begin(Contact::ROWS);
        let written = match (&self.soft, self.inverse_mass(point)) {
            (Some(soft), Some(inverse_mass)) => {
                contact.write_soft(soft, inverse_mass, scheme, rows)?
            }
            _ => contact.write(scheme, rows)?,
        };
        Ok(RowNote {
            frame: written.frame,
            turns: true,
            push_out: written.push_out,
            driven: written.driven,
            closing: written
                .closing
                .map(|[gap, velocity]| Closing { gap, velocity }),
        })
    }
}
