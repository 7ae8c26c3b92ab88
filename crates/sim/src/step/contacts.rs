//! Contact points as rows.

use stiction_collision::{ContactMaterial, ContactPoint};
use stiction_constraints::Law;
use stiction_islands::{AssemblyError, RowList, RowNote, RowResult};
use stiction_modeling::contact::{Contact, Surface};
use stiction_modeling::{Places, Site};

use super::rows::RowKind;
use crate::body::Body;
use crate::error::{Result, SimError};
use crate::mechanism::{RowContext, RowSource};

/// The contacts of a pass.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    pub(crate) points: Vec<ContactPoint>,
    /// The laws that follow from their materials.
    laws: Vec<Law>,
}

impl Contacts {
    /// Finds the laws of the contacts.
    pub(crate) fn prepare(&mut self, bodies: &[Body], dt: f64) -> Result<()> {
        self.laws.clear();
        for point in &self.points {
            let law = surface(&point.material).law(dt);
            self.laws.push(law.map_err(|reason| SimError::NotPossible {
                element: format!(
                    "contact of \"{}\" and \"{}\"",
                    bodies[point.body_a].name, bodies[point.body_b].name
                ),
                reason: reason.to_owned(),
            })?);
        }
        Ok(())
    }
}

impl Contacts {
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

/// Where a contact acts: on the point between the two surfaces.
fn sites(point: &ContactPoint) -> [Site; 2] {
    [point.body_a, point.body_b].map(|body| Site::Frame {
        frame: body as u32,
        at: point.point,
    })
}

fn surface(material: &ContactMaterial) -> Surface {
    Surface {
        friction: [material.friction_along, material.friction_across],
        direction: material.direction,
        restitution: material.restitution,
        compliance: material.compliance,
    }
}

impl RowSource for Contacts {
    fn list(&self, places: &Places, rows: &mut RowList) {
        for (item, point) in self.points.iter().enumerate() {
            let key = RowKind::Contact.key(0, point.id.0);
            rows.push_with(key, item, |out| {
                for site in sites(point) {
                    site.touches(places, |subsystem| out.touch(subsystem));
                }
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
            sites: sites(point),
            point: point.point,
            normal: point.normal,
            gap: point.gap,
            surface: surface(&point.material),
            law: self.laws[item],
        };
        let scheme = context.scheme;
        let written = contact.write(scheme, context.begin(Contact::ROWS))?;
        Ok(RowNote {
            frame: written.frame,
            turns: true,
            push_out: written.push_out,
        })
    }
}
