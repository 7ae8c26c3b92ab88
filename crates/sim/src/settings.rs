//! How a world is stepped.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction_collision::NarrowSettings;
use stiction_dynamics::{Integrator, MotionSettings};
use stiction_islands::OverlapPolicy;
use stiction_modeling::Scheme;

use crate::error::{Result, check, finite_vector, not_negative, positive};

/// How a world is stepped. The defaults work for robots and objects of everyday size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Time step, s.
    pub time_step: f64,
    /// θ of v̂ = θ v + (1 − θ) v⁺ in [0, 1), see [`Settings::IMPLICIT_EULER`] and
    /// [`Settings::MIDPOINT`].
    pub theta: f64,
    /// Acceleration of free fall in world axes, m/s².
    pub gravity: Vector3<f64>,
    /// Residual at which a solver stops, m/s (scaled residual).
    pub tolerance: f64,
    /// Most iterations of the solver per island and step; `None` leaves it to the solver.
    pub max_iterations: Option<usize>,
    /// Wall-clock time that a step may take until its solvers stop with what they have, s; `None` for
    /// no limit. With a limit results depend on the machine.
    #[serde(default)]
    pub step_time: Option<f64>,
    /// Processor time that a solver may take per island and step until it stops with what it has, s; `None` for
    /// no limit. With a limit results depend on the machine.
    #[serde(default)]
    pub solver_time: Option<f64>,
    /// Share of a penetration or of a joint's error that is removed in a step, in [0, 1].
    pub baumgarte: f64,
    /// Largest speed at which a penetration is pushed out, m/s, and at which a joint or tendon that
    /// is beyond its limits comes back, m/s or rad/s.
    pub push_out_speed: f64,
    /// Gap up to which contacts are handed to the solver even between bodies at rest, m. What
    /// moves sees further, by the way it goes in a step.
    pub contact_margin: f64,
    /// Which contacts stand for a pair of curved bodies with many is chosen anew when a distance between
    /// their surfaces may have changed by this, m; their points, normals and gaps are of every step. 0
    /// chooses in every step.
    #[serde(default = "default_contact_reuse")]
    pub contact_reuse: f64,
    /// Further passes of linearise-and-solve in one step, with arms and axes of joints averaged over it;
    /// 0 is the plain scheme. With θ = 1/2 there are at least two. Passes that do not settle are not used; with θ =
    /// 1/2 the step is then made in halves.
    pub relinearizations: usize,
    /// How robots, and free bodies that are joined to each other, move where nothing touches them.
    #[serde(default)]
    pub integrator: Integrator,
    /// Largest embedded error of a step of such a motion, as a share of its speed: substeps are bisected
    /// until they make less, see [`Settings::max_substeps`].
    #[serde(default = "default_integration_tolerance")]
    pub integration_tolerance: f64,
    /// Most substeps of a step, rounded down to a power of two. Mechanisms of few joined bodies take up to 16
    /// times as many where the error would still be far too large.
    #[serde(default = "default_max_substeps")]
    pub max_substeps: usize,
    /// Whether energy that no force gave is taken away: from robots, and from free bodies that something touches.
    #[serde(default = "default_energy_account")]
    pub energy_account: bool,
    /// Largest error of position that joints between bodies, loops, couplings and hard tendons keep at
    /// the end of a step, as a share of the size of their links (rad for angles), see
    /// [`PositionError`](crate::PositionError): what is above is projected out, if it can be.
    #[serde(default = "default_joint_tolerance")]
    pub joint_tolerance: f64,
    /// Whether bodies that don't touch are solved apart.
    pub islands: bool,
    /// Whether impulses of the last step are the guess of the next.
    pub warm_start: bool,
    /// Limits of what is done about bodies that overlap and cannot simply be pushed apart.
    #[serde(default)]
    pub overlaps: OverlapPolicy,
    /// When one evaluation of a robot's motion is not enough although something touches it.
    #[serde(default)]
    pub contact_motion: ContactMotion,
}

/// How robots move that something touches. `stiction bench motion --contact` sweeps all three.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContactMotion {
    /// Angle by which a link turns in a step from which on stages are evaluated, rad: centrifugal forces
    /// then turn as fast as they act.
    pub fast_turn: f64,
    /// Change of the acceleration that gravity and motion alone give, since the last step and times the time
    /// step, from which on stages are evaluated, as a share of the speed (both as √ of kinetic energy). It is looked
    /// at where a link turns by more than a 64th of a radian in a step.
    pub fast_change: f64,
    /// Way of a joint in a step, rad or m, below which a robot is too slow to be looked at: a fortieth of a radian or
    /// metre per second at 240 Hz. What errors give it while it is slower makes it faster.
    pub slow: f64,
}

impl Default for ContactMotion {
    fn default() -> Self {
        Self {
            fast_turn: 0.25,
            fast_change: 0.05,
            slow: 1e-4,
        }
    }
}

fn default_joint_tolerance() -> f64 {
    Settings::default().joint_tolerance
}

impl Settings {
    /// θ of implicit Euler: first order, dissipative, the choice with the fewest surprises.
    pub const IMPLICIT_EULER: f64 = 0.0;
    /// θ of the midpoint rule: second order in free motion.
    pub const MIDPOINT: f64 = 0.5;

    /// Refuses settings that make no sense.
    pub(crate) fn validate(&self) -> Result<()> {
        positive("settings", "time_step", self.time_step)?;
        let theta = (0.0..1.0).contains(&self.theta);
        check("settings", "theta", self.theta, theta, "must be in [0, 1)")?;
        finite_vector("settings", "gravity", self.gravity.iter())?;
        positive("settings", "tolerance", self.tolerance)?;
        if let Some(time) = self.step_time {
            positive("settings", "step_time", time)?;
        }
        if let Some(time) = self.solver_time {
            positive("settings", "solver_time", time)?;
        }
        let share = (0.0..=1.0).contains(&self.baumgarte);
        check(
            "settings",
            "baumgarte",
            self.baumgarte,
            share,
            "must be in [0, 1]",
        )?;
        not_negative("settings", "push_out_speed", self.push_out_speed)?;
        positive(
            "settings",
            "integration_tolerance",
            self.integration_tolerance,
        )?;
        let substeps = self.max_substeps as f64;
        let sensible = (1..=MOST_SUBSTEPS).contains(&self.max_substeps);
        check(
            "settings",
            "max_substeps",
            substeps,
            sensible,
            "must be from 1 to 65536",
        )?;
        not_negative("settings", "contact_margin", self.contact_margin)?;
        not_negative("settings", "contact_reuse", self.contact_reuse)?;
        check(
            "settings",
            "joint_tolerance",
            self.joint_tolerance,
            self.joint_tolerance > 0.0,
            "must be positive",
        )?;
        let overlaps = &self.overlaps;
        for (field, value) in [
            ("overlaps.notable", overlaps.notable),
            ("overlaps.missed", overlaps.missed),
            ("overlaps.immovable", overlaps.immovable),
            ("overlaps.violent", overlaps.violent),
            ("overlaps.out_of_reach", overlaps.out_of_reach),
            ("overlaps.absurd", overlaps.absurd),
            ("overlaps.good_guess", overlaps.good_guess),
            ("contact_motion.fast_turn", self.contact_motion.fast_turn),
            (
                "contact_motion.fast_change",
                self.contact_motion.fast_change,
            ),
            ("contact_motion.slow", self.contact_motion.slow),
        ] {
            not_negative("settings", field, value)?;
        }
        Ok(())
    }

    /// How trees move where nothing touches them.
    pub fn motion(&self) -> MotionSettings {
        MotionSettings {
            integrator: self.integrator,
            tolerance: self.integration_tolerance,
            max_substeps: self.max_substeps,
            energy_account: self.energy_account,
        }
    }

    /// What rows need to know of it.
    pub fn scheme(&self) -> Scheme {
        Scheme {
            dt: self.time_step,
            theta: self.theta,
            baumgarte: self.baumgarte,
            push_out_speed: self.push_out_speed,
        }
    }
}

const MOST_SUBSTEPS: usize = 1 << 16;

fn default_contact_reuse() -> f64 {
    NarrowSettings::default().reuse
}

fn default_integration_tolerance() -> f64 {
    MotionSettings::default().tolerance
}

fn default_max_substeps() -> usize {
    MotionSettings::default().max_substeps
}

fn default_energy_account() -> bool {
    MotionSettings::default().energy_account
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_step: 1.0 / 240.0,
            theta: Self::IMPLICIT_EULER,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            tolerance: 1e-8,
            max_iterations: None,
            step_time: None,
            solver_time: None,
            baumgarte: 0.2,
            push_out_speed: 0.5,
            contact_margin: 1e-3,
            contact_reuse: default_contact_reuse(),
            relinearizations: 0,
            integrator: Integrator::Rk4,
            integration_tolerance: default_integration_tolerance(),
            max_substeps: default_max_substeps(),
            energy_account: default_energy_account(),
            joint_tolerance: 1e-6,
            islands: true,
            warm_start: true,
            overlaps: OverlapPolicy::default(),
            contact_motion: ContactMotion::default(),
        }
    }
}
