//! Why things of a file are not done.

use super::schema;

/// What MJCF files may say and what is listed as not done, with the reason, as `<joint springdamper>`; in the
/// order of the alphabet, attributes of whatever is not done at all left out.
pub fn not_done() -> Vec<(String, &'static str)> {
    let mut out: Vec<(String, &str)> = Vec::new();
    for (around, tag, attributes) in schema::known() {
        // A section and a sensor have this name; that of an actuator is measured where the actuator is done.
        let is_read = tag == "contact" && around != "sensor" || tag == "actuatorfrc";
        if let Some(reason) = of_element(tag).filter(|_| !is_read) {
            let place = if around == "sensor" {
                " of <sensor>"
            } else {
                ""
            };
            out.push((format!("<{tag}>{place}"), reason));
            continue;
        }
        let reasons = attributes
            .iter()
            .filter_map(|name| Some((format!("<{tag} {name}>"), of_attribute(tag, name)?)));
        out.extend(reasons);
    }
    out.sort();
    out.dedup();
    out
}

/// Why an attribute, or with `None` a whole element, is not done.
pub(super) fn reasons(tag: &str, attribute: Option<&str>) -> Option<&'static str> {
    match attribute {
        None => of_element(tag),
        Some(attribute) => of_attribute(tag, attribute),
    }
}

const DRAWING: &str = "is only drawing";
const HARD: &str = "contacts, limits and joints are hard here, not springs";
const EXACT: &str = "contact is solved exactly here, by solvers with settings of their own";
const AIR: &str = "there is no air or water here";
const PLUGIN: &str = "plugins of MuJoCo are not run";
const DEFORMABLE: &str = "of what deforms only solids, strings and cables are read";
const NODES: &str = "the surface is where the nodes are";

fn of_element(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "light" | "camera" | "visual" | "statistic" | "texture" | "skin" | "layer" => DRAWING,
        "plugin" | "extension" => PLUGIN,
        "composite" | "flexcomp" | "flex" | "deformable" | "flexstrain" => DEFORMABLE,
        "attach" | "model" => "models are put together by <include> only",
        "muscle" => "muscles are not actuators here",
        "adhesion" => "adhesion does not act here",
        "damper" => "a drive whose gain depends on speed is not an actuator here",
        "orientation" | "pid" | "dcmotor" => "this kind of actuator is not known here",
        "touch" | "rangefinder" | "magnetometer" | "camprojection" | "subtreecom"
        | "subtreelinvel" | "subtreeangmom" | "clock" | "user" | "contact" | "distance"
        | "normal" | "fromto" | "insidesite" | "tactile" | "e_potential" | "e_kinetic"
        | "ballquat" | "ballangvel" | "jointlimitpos" | "jointlimitvel" | "jointlimitfrc"
        | "tendonlimitpos" | "tendonlimitvel" | "tendonlimitfrc" | "actuatorpos"
        | "actuatorvel" | "jointactuatorfrc" | "tendonactuatorfrc" | "framexaxis"
        | "frameyaxis" | "framezaxis" | "framelinacc" | "frameangacc" => "is not measured here",
        "actuatorfrc" => "its actuator is not done here",
        "custom" | "numeric" | "text" | "tuple" => "is data for programs, not of the model",
        _ => return None,
    })
}

fn of_attribute(tag: &str, attribute: &str) -> Option<&'static str> {
    Some(match (tag, attribute) {
        (
            _,
            "solref" | "solimp" | "solreflimit" | "solimplimit" | "solreffriction"
            | "solimpfriction",
        )
        | ("weld", "torquescale") => HARD,
        (_, "solmix") => {
            "it weighs solref and solimp against each other, and contacts are hard here, not springs"
        }
        ("flexcomp", "radius") => NODES,
        ("edge", "stiffness" | "damping") => "solids are held by their elasticity, not by edges",
        ("elasticity", "thickness" | "elastic2d") => "is for cloth and shells",
        ("contact", "internal" | "activelayers" | "passive" | "vertcollide") => {
            "nodes touch triangles, and turned tetrahedra right themselves"
        }
        ("geom" | "pair" | "contact", "margin" | "gap") => "contact begins where surfaces touch",
        (_, "margin") => "limits begin where they are",
        ("geom", "fluidshape" | "fluidcoef") | ("option", "wind" | "density" | "viscosity") => AIR,
        (_, "adhesion") => "surfaces don't stick here",
        ("geom", "surfacevel") => "surfaces don't run here",
        ("geom", "shellinertia") => "geoms are solid here",
        ("option", "cone") => "the friction cone is round here",
        ("option", "integrator") => {
            "free motion is by RK4 here, and contact and drives are implicit"
        }
        (
            "option",
            "impratio" | "solver" | "iterations" | "tolerance" | "ls_iterations" | "ls_tolerance"
            | "noslip_iterations" | "noslip_tolerance" | "ccd_iterations" | "ccd_tolerance",
        ) => EXACT,
        ("option", "o_margin" | "o_solref" | "o_solimp" | "o_friction") | ("flag", "override") => {
            "every geom keeps its own contact parameters"
        }
        ("option", "actuatorgroupdisable") => "actuators are not grouped",
        ("option", "sleep_tolerance") | ("body", "sleep") => "nothing sleeps here",
        ("flag", "filterparent") => "neighbouring links never touch here",
        ("flag", "clampctrl") => "controls are always clamped to their range",
        ("joint", "springdamper") => "give stiffness and damping themselves",
        ("joint", "springyield") | ("spatial" | "fixed" | "tendon", "springyield") => {
            "springs don't yield here"
        }
        ("joint", "actuatorgravcomp") => "gravity compensation is no drive here",
        ("spatial" | "fixed" | "tendon", "armature") => "tendons have no inertia here",
        ("spatial" | "fixed" | "tendon", "actuatorfrcrange" | "actuatorfrclimited") => {
            "the force of an actuator is limited by its forcerange"
        }
        (_, "dampratio") => "only what drives joints knows its inertia; give kv itself",
        (_, "delay" | "nsample" | "interp" | "interval") => "nothing is late here",
        (_, "noise") => "sensors are exact",
        (_, "lengthrange" | "actearly" | "actdim") => "is for muscles and programs",
        ("material", "texture") => DRAWING,
        ("key", "act") => "activations start at zero",
        ("key", "time") => "time starts at zero",
        _ => return None,
    })
}
