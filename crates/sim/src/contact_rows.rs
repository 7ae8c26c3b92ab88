//! Contacts as rows: from gap, speed and material to law and error term.

use stiction_collision::{ContactMaterial, ContactPoint};
use stiction_constraints::Law;
use stiction_constraints::stabilization::{ContactNormal, tangential_error};

use crate::body::Body;
use crate::error::{Result, SimError};
use crate::placement::{Pair, Placement, tangents};
use crate::rows::{Key, RowBuffer};
use crate::settings::Settings;

/// Adds the rows (t1, t2, n) of every contact: velocity of B minus velocity of A.
pub(crate) fn push_contacts(
    contacts: &[ContactPoint],
    placement: &Placement,
    bodies: &[Body],
    settings: &Settings,
    rows: &mut RowBuffer,
) -> Result<()> {
    let dt = settings.time_step;
    for contact in contacts {
        let [first, second] = bodies_of(contact);
        let pair = Pair {
            placement,
            bodies,
            first,
            second,
        };
        let [t1, t2] = tangents(&contact.normal, contact.material.direction);
        let frame = [t1, t2, contact.normal];
        let motion = pair.linear([&contact.point, &contact.point], &frame);
        // The gap at the start of the step, as seen from where this pass linearises.
        let gap = contact.gap - placement.advance * motion.guess[2];
        let slowest = if settings.baumgarte > 0.0 {
            -settings.push_out_speed * dt / settings.baumgarte
        } else {
            f64::NEG_INFINITY
        };
        let law = law(&contact.material, dt).map_err(|reason| SimError::NotPossible {
            element: format!(
                "contact of \"{}\" and \"{}\"",
                bodies[first].name, bodies[second].name
            ),
            reason: reason.to_owned(),
        })?;
        let hard = |gap: f64| {
            let normal = ContactNormal {
                gap,
                normal_velocity: motion.before[2],
                restitution: contact.material.restitution,
                baumgarte: settings.baumgarte,
                dt,
                theta: settings.theta,
            };
            normal.error()
        };
        let (normal, push_out) = if contact.material.compliance > 0.0 {
            // The spring of the surfaces sees the gap itself.
            (gap / dt, 0.0)
        } else if gap < 0.0 {
            let normal = hard(gap.max(slowest));
            (normal, hard(0.0) - normal)
        } else {
            (hard(gap), 0.0)
        };
        let [e1, e2] = tangential_error([motion.before[0], motion.before[1]], settings.theta);
        let error = [
            e1 + motion.driven[0],
            e2 + motion.driven[1],
            normal + motion.driven[2],
        ];
        rows.push_bodies(
            Key::Contact(contact.id.0),
            law,
            &error,
            frame,
            &motion.terms,
        );
        rows.set_push_out(push_out);
    }
    Ok(())
}

/// The bodies of a contact: every collider of a world is rigid, and its frames are its bodies.
pub(crate) fn bodies_of(contact: &ContactPoint) -> [usize; 2] {
    contact
        .frames()
        .unwrap_or_default()
        .map(|frame| frame as usize)
}

/// The law of a contact with this material. A surface compliance c (m/N) gives the impulse
/// λ = −dt (φ + dt z)/c, that is R = c/dt² in z + φ/dt + R λ = 0.
fn law(material: &ContactMaterial, dt: f64) -> std::result::Result<Law, &'static str> {
    let (along, across) = (material.friction_along, material.friction_across);
    let is_isotropic = along == across;
    if material.compliance > 0.0 {
        if !is_isotropic {
            return Err("two-axis friction together with compliance is not supported");
        }
        return Ok(Law::CompliantContact {
            friction: along,
            tangential_compliance: 0.0,
            normal_compliance: material.compliance / (dt * dt),
        });
    }
    if is_isotropic {
        return Ok(Law::Contact { friction: along });
    }
    if along == 0.0 || across == 0.0 {
        return Err("two-axis friction needs two positive coefficients");
    }
    Ok(Law::AnisotropicContact {
        friction: [along, across],
    })
}
