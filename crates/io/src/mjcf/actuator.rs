//! `<actuator>`.

use nalgebra::Vector3;

use super::asset::exists;
use super::defaults::{ACTUATORS, Attributes};
use super::scene::Builder;
use crate::error::Result;
use crate::scene_file::{Activation, ActuatorDescription, ActuatorTarget, Signal};
use crate::xml::Element;

/// What the force of an actuator is made of.
struct Law {
    gain: f64,
    bias: [f64; 3],
    activation: Activation,
    /// Share of critical damping that a servo asks for, instead of a gain.
    damping_ratio: f64,
}

impl Law {
    fn direct(gain: f64, bias: [f64; 3]) -> Self {
        Self {
            gain,
            bias,
            activation: Activation::Direct,
            damping_ratio: 0.0,
        }
    }
}

impl<'a> Builder<'_, 'a> {
    /// The names of all actuators of the file in its order; `None` for those that are not done.
    pub(super) fn add_actuators(&mut self) -> Result<Vec<Option<String>>> {
        let root = self.context.root;
        let mut names = Vec::new();
        for section in root.children_of("actuator") {
            for element in &section.children {
                if ACTUATORS.contains(&element.tag.as_str()) {
                    let name = self.add_actuator(element, names.len())?;
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    fn add_actuator(&mut self, element: &'a Element, number: usize) -> Result<Option<String>> {
        let attributes = self.context.defaults.attributes(element, 0)?;
        let name = match attributes.get("name") {
            Some(value) => value.text.to_owned(),
            None => format!("actuator-{number}"),
        };
        if self.scene.actuators.iter().any(|other| other.name == name) {
            return Err(exists(element, "actuator", &name));
        }
        let kinds = [
            "general",
            "motor",
            "position",
            "velocity",
            "intvelocity",
            "cylinder",
        ];
        if !kinds.contains(&element.tag.as_str()) {
            // Left unread, and so reported as a whole.
            return Ok(None);
        }
        element.mark_read();
        attributes.pass_over(&["group", "user"]);
        let Some(mut law) = law(&attributes, self.context.compiler.autolimits)? else {
            element.mark_all_read();
            return Ok(None);
        };
        let Some((target, gear)) = self.target(&attributes)? else {
            element.mark_all_read();
            return Ok(None);
        };
        if law.damping_ratio > 0.0 {
            match self.reflected_inertia(&target, gear) {
                // The damper of a spring kp with the inertia m, 2 ζ √(kp m).
                Some(inertia) => {
                    law.bias[2] = -2.0 * law.damping_ratio * (law.gain * inertia).sqrt();
                }
                None => attributes.notes.ignore_attribute(element, "dampratio"),
            }
        }
        let autolimits = self.context.compiler.autolimits;
        let mut control_limits = attributes.range("ctrllimited", "ctrlrange", autolimits)?;
        let mut activation = law.activation;
        let share = inherited_share(&attributes)?;
        if share > 0.0 {
            let range = self.inherited_range(&attributes, share)?;
            match &mut activation {
                Activation::Integrator { limits } => *limits = Some(range),
                _ => control_limits = Some(range),
            }
        }
        let force_limits = attributes.range("forcelimited", "forcerange", autolimits)?;
        attributes.report_unless("armature", &[0.0])?;
        attributes.report_unless("damping", &[0.0])?;
        if !self.context.options.switches.actuators {
            return Ok(None);
        }
        let key = format!("actuators[{}]", self.scene.actuators.len());
        self.places.insert(key, element.place());
        self.scene.actuators.push(ActuatorDescription {
            name: name.clone(),
            target,
            gear,
            gain: law.gain,
            bias: law.bias,
            control_limits,
            force_limits,
            activation,
            control: Signal::Constant(0.0),
        });
        Ok(Some(name))
    }

    /// What an actuator drives and its gear; `None` for what is not done, which is reported.
    fn target(&self, attributes: &Attributes<'a>) -> Result<Option<(ActuatorTarget, f64)>> {
        let element = attributes.element;
        let gear = match attributes.get("gear") {
            Some(value) => value.up_to([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?,
            None => [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        };
        let not_done = |what: &str, reason: &str| {
            attributes.notes.ignore(element, what, reason);
            Ok(None)
        };
        let joint = attributes.get("joint").or(attributes.get("jointinparent"));
        if let Some(value) = joint {
            let joint = self.joint(value)?;
            if !joint.kind.is_scalar() {
                return not_done(
                    "an actuator on a ball or free joint",
                    "only hinges and slides are driven",
                );
            }
            let target = ActuatorTarget::Joint {
                robot: self.robot.clone(),
                joint: joint.name.clone(),
            };
            return Ok(Some((target, gear[0])));
        }
        if let Some(value) = attributes.get("tendon") {
            let name = self.tendon(value)?.name.clone();
            return Ok(Some((ActuatorTarget::Tendon(name), gear[0])));
        }
        if let Some(value) = attributes.get("site") {
            let site = self.site(value)?;
            if attributes.get("refsite").is_some() {
                return not_done(
                    "an actuator with a refsite",
                    "a site is pushed and turned, not moved towards another",
                );
            }
            if self.is_held(site.body) {
                return not_done(
                    "an actuator on a site of a body that stands still",
                    "forces don't move it",
                );
            }
            let mount = self.mount(site.body, &site.pose);
            let target = ActuatorTarget::Frame {
                body: mount.body,
                pose: mount.pose,
                force: Vector3::new(gear[0], gear[1], gear[2]),
                torque: Vector3::new(gear[3], gear[4], gear[5]),
            };
            return Ok(Some((target, 1.0)));
        }
        if attributes.get("body").is_some() || attributes.get("slidersite").is_some() {
            return not_done(
                "an actuator on a body or a slider-crank",
                "joints, tendons and sites are driven",
            );
        }
        Err(element.error("drives nothing", "name a joint, a tendon or a site"))
    }

    /// The range of what an actuator drives, wider or narrower about its middle.
    fn inherited_range(&self, attributes: &Attributes<'a>, share: f64) -> Result<[f64; 2]> {
        let range = if let Some(value) = attributes.get("joint").or(attributes.get("jointinparent"))
        {
            let properties = &self.joint(value)?.properties;
            let range = [properties.lower, properties.upper];
            range.iter().all(|bound| bound.is_finite()).then_some(range)
        } else if let Some(value) = attributes.get("tendon") {
            self.tendon(value)?.limits
        } else {
            None
        };
        let Some([lower, upper]) = range else {
            return Err(attributes.element.error(
                "inherits the range of something without range",
                "give ctrlrange, or the joint a range",
            ));
        };
        let (middle, half) = ((lower + upper) / 2.0, (upper - lower) / 2.0);
        Ok([middle - share * half, middle + share * half])
    }
}

/// The law of a kind of actuator; `None` for one that is not done, which is reported.
fn law(attributes: &Attributes<'_>, autolimits: bool) -> Result<Option<Law>> {
    let limits = || attributes.range("actlimited", "actrange", autolimits);
    Ok(Some(match attributes.element.tag.as_str() {
        "motor" => Law::direct(1.0, [0.0; 3]),
        "position" => {
            let (kp, kv, damping_ratio) = servo_gains(attributes)?;
            Law {
                damping_ratio,
                activation: filter(attributes.number_or("timeconst", 0.0)?),
                ..Law::direct(kp, [0.0, -kp, -kv])
            }
        }
        "velocity" => {
            let kv = gain(attributes, "kv", 1.0)?;
            Law::direct(kv, [0.0, 0.0, -kv])
        }
        "intvelocity" => {
            let (kp, kv, damping_ratio) = servo_gains(attributes)?;
            Law {
                damping_ratio,
                activation: Activation::Integrator { limits: limits()? },
                ..Law::direct(kp, [0.0, -kp, -kv])
            }
        }
        "cylinder" => {
            let area = match attributes.get("diameter") {
                Some(value) => std::f64::consts::PI / 4.0 * value.positive()?.powi(2),
                None => attributes.number_or("area", 1.0)?,
            };
            attributes.pass_over(&["area"]);
            let bias = match attributes.get("bias") {
                Some(value) => value.up_to([0.0; 3])?,
                None => [0.0; 3],
            };
            Law {
                activation: filter(attributes.number_or("timeconst", 1.0)?),
                ..Law::direct(area, bias)
            }
        }
        _ => return general(attributes, limits()?),
    }))
}

fn general(attributes: &Attributes<'_>, limits: Option<[f64; 2]>) -> Result<Option<Law>> {
    let element = attributes.element;
    let not_done = |what: &str, reason: &str| {
        attributes.notes.ignore(element, what, reason);
        Ok(None)
    };
    let parameters = |name: &'static str, default: [f64; 10]| match attributes.get(name) {
        Some(value) => value.up_to(default),
        None => Ok(default),
    };
    let mut one = [0.0; 10];
    one[0] = 1.0;
    let gains = parameters("gainprm", one)?;
    let biases = parameters("biasprm", [0.0; 10])?;
    let dynamics = parameters("dynprm", one)?;
    if let Some(value) = attributes.get("gaintype") {
        match value.word(&["fixed", "affine", "muscle", "user"])? {
            "fixed" => {}
            "affine" if gains[1] == 0.0 && gains[2] == 0.0 => {}
            "affine" => {
                return not_done(
                    "<general gaintype=\"affine\"> that depends on length or speed",
                    "the gain of an actuator is constant",
                );
            }
            _ => {
                return not_done(
                    "<general gaintype> of muscles and programs",
                    "gains are fixed or affine",
                );
            }
        }
    }
    let bias = match attributes.get("biastype") {
        None => [0.0; 3],
        Some(value) => match value.word(&["none", "affine", "muscle", "user"])? {
            "none" => [0.0; 3],
            "affine" => [biases[0], biases[1], biases[2]],
            _ => {
                return not_done(
                    "<general biastype> of muscles and programs",
                    "biases are none or affine",
                );
            }
        },
    };
    let kinds = [
        "none",
        "integrator",
        "filter",
        "filterexact",
        "muscle",
        "user",
    ];
    let activation = match attributes.get("dyntype") {
        None => Activation::Direct,
        Some(value) => match value.word(&kinds)? {
            "none" => Activation::Direct,
            "integrator" => Activation::Integrator { limits },
            "filter" | "filterexact" => {
                if limits.is_some() {
                    attributes.notes.ignore(
                        element,
                        "<general actrange> of a filter",
                        "only integrators have a range of activation",
                    );
                }
                filter(dynamics[0])
            }
            _ => {
                return not_done(
                    "<general dyntype> of muscles and programs",
                    "activation is direct, a filter or an integrator",
                );
            }
        },
    };
    let mut law = Law {
        activation,
        ..Law::direct(gains[0], bias)
    };
    // A servo whose damping is positive, which would drive it, means the share of critical damping.
    if law.bias[2] > 0.0 && law.gain == -law.bias[1] {
        law.damping_ratio = std::mem::take(&mut law.bias[2]);
    }
    Ok(Some(law))
}

/// How much of the range of its joint or tendon a servo takes as its own: none where it has one itself.
fn inherited_share(attributes: &Attributes<'_>) -> Result<f64> {
    let own = match attributes.element.tag.as_str() {
        "position" => "ctrlrange",
        "intvelocity" => "actrange",
        _ => return Ok(0.0),
    };
    let share = attributes.number_or("inheritrange", 0.0)?;
    let is_inherited = !attributes.element.has("inheritrange");
    Ok(match is_inherited && attributes.element.has(own) {
        true => 0.0,
        false => share,
    })
}

fn filter(time_constant: f64) -> Activation {
    match time_constant > 0.0 {
        true => Activation::Filter { time_constant },
        false => Activation::Direct,
    }
}

fn gain(attributes: &Attributes<'_>, name: &'static str, default: f64) -> Result<f64> {
    attributes
        .get(name)
        .map_or(Ok(default), |value| value.non_negative())
}

/// Stiffness and damping of a servo, and the share of critical damping where it asks for that.
fn servo_gains(attributes: &Attributes<'_>) -> Result<(f64, f64, f64)> {
    let (kp, kv) = (gain(attributes, "kp", 1.0)?, gain(attributes, "kv", 0.0)?);
    let ratio = attributes.get("dampratio");
    if let (Some(ratio), true) = (ratio, kv > 0.0) {
        return Err(ratio.error("kv says the damping already", "leave out one of the two"));
    }
    let ratio = ratio.map_or(Ok(0.0), |value| value.non_negative())?;
    Ok((kp, kv, ratio))
}
