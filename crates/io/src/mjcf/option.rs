//! `<option>`: time step, gravity, and what is switched off.

use nalgebra::Vector3;
use stiction_dynamics::Integrator;

use super::defaults::Attributes;
use super::notes::Notes;
use super::value::Value;
use crate::error::Result;
use crate::xml::Element;
use std::rc::Rc;

/// MuJoCo's time step where a file says none, s.
const TIME_STEP: f64 = 0.002;

/// What a file switches off, by `<flag>`.
#[derive(Debug, Clone)]
pub(super) struct Switches {
    pub(super) contacts: bool,
    pub(super) equalities: bool,
    pub(super) limits: bool,
    pub(super) friction_loss: bool,
    pub(super) springs: bool,
    pub(super) dampers: bool,
    pub(super) actuators: bool,
    gravity: bool,
}

/// What `<option>` says.
#[derive(Debug, Clone)]
pub(super) struct Options {
    /// s.
    pub(super) time_step: f64,
    /// m/s².
    pub(super) gravity: Vector3<f64>,
    /// How trees move where nothing touches them, if it is a rule that is here too.
    pub(super) integrator: Option<Integrator>,
    pub(super) switches: Switches,
}

impl Options {
    pub(super) fn new(root: &Element, notes: &Rc<Notes>) -> Result<Self> {
        let mut out = Self {
            time_step: TIME_STEP,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            integrator: None,
            switches: Switches {
                contacts: true,
                equalities: true,
                limits: true,
                friction_loss: true,
                springs: true,
                dampers: true,
                actuators: true,
                gravity: true,
            },
        };
        for element in root.children_of("option") {
            out.read(element, notes)?;
        }
        if !out.switches.gravity {
            out.gravity = Vector3::zeros();
        }
        Ok(out)
    }

    fn read(&mut self, element: &Element, notes: &Rc<Notes>) -> Result<()> {
        let attributes = Attributes::plain(element, notes);
        if let Some(value) = attributes.get("timestep") {
            self.time_step = value.positive()?;
        }
        if let Some(value) = attributes.get("gravity") {
            self.gravity = value.vector()?;
        }
        for (name, done) in [
            ("wind", [0.0; 3].as_slice()),
            ("density", &[0.0]),
            ("viscosity", &[0.0]),
        ] {
            attributes.report_unless(name, done)?;
        }
        if let Some(value) = attributes.get("integrator") {
            match value.word(&["Euler", "RK4", "implicit", "implicitfast", "discrete"])? {
                "RK4" => self.integrator = Some(Integrator::Rk4),
                _ => notes.ignore_attribute(element, "integrator"),
            }
        }
        if let Some(value) = attributes.get("cone")
            && value.word(&["pyramidal", "elliptic"])? == "pyramidal"
        {
            notes.ignore_attribute(element, "cone");
        }
        // How MuJoCo computes, which is not what it computes.
        attributes.pass_over(&["jacobian", "magnetic", "sdf_initpoints", "sdf_iterations"]);
        if let Some(flags) = element.child("flag") {
            self.read_flags(flags, notes)?;
        }
        Ok(())
    }

    fn read_flags(&mut self, element: &Element, notes: &Notes) -> Result<()> {
        let on = |name, default: bool| {
            let value = Value::of(element, name);
            value.map_or(Ok(default), |value| {
                Ok(value.word(&["enable", "disable"])? == "enable")
            })
        };
        let switches = &mut self.switches;
        switches.contacts = on("contact", switches.contacts)?;
        switches.equalities = on("equality", switches.equalities)?;
        switches.limits = on("limit", switches.limits)?;
        switches.friction_loss = on("frictionloss", switches.friction_loss)?;
        switches.springs = on("spring", switches.springs)?;
        switches.dampers = on("damper", switches.dampers)?;
        switches.actuators = on("actuation", switches.actuators)?;
        switches.gravity = on("gravity", switches.gravity)?;
        if !on("passive", true)? {
            (switches.springs, switches.dampers) = (false, false);
        }
        if !on("constraint", true)? {
            switches.contacts = false;
            switches.equalities = false;
            switches.limits = false;
            switches.friction_loss = false;
        }
        for (name, default) in [
            ("filterparent", true),
            ("clampctrl", true),
            ("override", false),
        ] {
            if on(name, default)? != default {
                notes.ignore_attribute(element, name);
            }
        }
        // How MuJoCo computes, which is not what it computes.
        for name in [
            "autoreset",
            "diagexact",
            "energy",
            "eulerdamp",
            "fwdinv",
            "invdiscrete",
            "ipc",
            "island",
            "midphase",
            "multiccd",
            "nativeccd",
            "refsafe",
            "sensor",
            "sensornoise",
            "sleep",
            "speculative",
            "warmstart",
        ] {
            element.attribute(name);
        }
        Ok(())
    }
}
