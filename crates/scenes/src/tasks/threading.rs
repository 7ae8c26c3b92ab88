//! A nut onto a bolt.

use std::f64::consts::{PI, TAU};

use stiction_sim::sdf::MetricThread;
use stiction_sim::{BodyHandle, Isometry3, Result, RobotHandle, Vector3, World};

use super::{MeanSquare, Task, Verdict};

/// How far below the bolt's end the foot of a nut is, that comes upright and in phase, when the threads have met, and
/// when it cannot but follow, pitches.
const MET: f64 = 0.25;
const ON: f64 = 0.5;

/// What carries the nut.
#[derive(Debug, Clone, PartialEq)]
pub enum NutPlace {
    /// A free body.
    Body(BodyHandle),
    /// A link of a robot.
    Link(RobotHandle, String),
}

/// Judges whether a nut goes along the thread of a bolt.
///
/// From where the nut is around the bolt and on by half a pitch, or what [`Threading::caught_after`] says, it has to stay on the helix that it began: failed is half a
/// pitch off or through the thread to the side, a penetration of the two above their clearance, or a nut that ends more
/// than half a pitch above its goal or beside the bolt. How it comes to the bolt is left to whoever brings it.
#[derive(Debug, Clone)]
pub struct Threading {
    nut: NutPlace,
    bolt: BodyHandle,
    pitch: f64,
    /// Radius of the bolt, m: a nut whose axis is farther aside is not around it.
    radius: f64,
    /// Between the flanks, m.
    clearance: f64,
    /// Length of the bolt, and height of the nut's foot above the bolt's origin where it is to end, m.
    length: f64,
    goal: f64,
    /// How far below the bolt's end the nut's foot is when its advance counts, and when it is on, m.
    met: f64,
    on: f64,
    /// Angle of the nut about the bolt's axis, unwrapped, rad, and its height, m.
    at: Option<[f64; 2]>,
    /// The helix that it is on: height at angle zero, m.
    helix: Option<f64>,
    farthest: f64,
    deepest: f64,
    jitter: MeanSquare,
    /// Sums over what it turned, rad: 1, θ, z, θ², θ z.
    sums: [f64; 5],
}

impl Threading {
    /// A nut that fits a bolt's thread with a clearance (m); both begin their threads at angle zero. `length` is the
    /// bolt's, `goal` where the nut's foot is to end above the bolt's origin, m.
    pub fn new(
        nut: NutPlace,
        bolt: BodyHandle,
        thread: &MetricThread,
        [clearance, length, goal]: [f64; 3],
    ) -> Self {
        Self {
            nut,
            bolt,
            pitch: thread.pitch(),
            radius: thread.major_radius(),
            clearance,
            length,
            goal,
            met: MET * thread.pitch(),
            on: ON * thread.pitch(),
            at: None,
            helix: None,
            farthest: 0.0,
            deepest: 0.0,
            jitter: MeanSquare::default(),
            sums: [0.0; 5],
        }
    }

    /// For a nut that is brought without knowing where the thread begins: with chamfered ends it may lean and slip
    /// until its foot is this far below the bolt's end, in pitches.
    #[must_use]
    pub fn caught_after(mut self, pitches: f64) -> Self {
        self.on = pitches * self.pitch;
        self.met = self.on;
        self
    }

    /// Pose of the nut in the frame of the bolt.
    fn pose(&self, world: &World) -> Result<Isometry3<f64>> {
        let nut = match &self.nut {
            NutPlace::Body(body) => world.pose(*body)?,
            NutPlace::Link(robot, link) => world.frame_state(*robot, link)?.0,
        };
        Ok(world.pose(self.bolt)?.inverse() * nut)
    }

    /// Deepest contact of the bolt, which nothing but the nut reaches, at the beginning of the last step, m.
    fn penetration(&self, world: &World) -> f64 {
        let contacts = world.contact_forces().iter();
        let of_bolt =
            contacts.filter(|contact| [contact.body_a, contact.body_b].contains(&Some(self.bolt)));
        of_bolt.map(|contact| -contact.gap).fold(0.0, f64::max)
    }

    /// Height over angle of all that it turned on the thread, in pitches per turn.
    fn advance(&self) -> Option<f64> {
        let [weight, angle, height, square, product] = self.sums;
        let spread = weight * square - angle * angle;
        let is_known = weight > 0.1 * TAU && spread > 0.0;
        is_known.then(|| (weight * product - angle * height) / spread * TAU / self.pitch)
    }
}

impl Task for Threading {
    fn observe(&mut self, world: &World) -> Result<()> {
        let pose = self.pose(world)?;
        let (height, heading) = (pose.translation.z, pose.rotation * Vector3::x());
        let heading = heading.y.atan2(heading.x);
        let lead = self.pitch / TAU;
        let Some([before, height_before]) = self.at else {
            self.at = Some([heading, height]);
            return Ok(());
        };
        let step = (heading - before + PI).rem_euclid(TAU) - PI;
        let angle = before + step;
        self.at = Some([angle, height]);
        self.deepest = self.deepest.max(self.penetration(world));
        let pitch = self.pitch;
        let aside = pose.translation.vector.xy().norm();
        if aside > self.radius {
            // Not there yet; or through the thread, where nothing else leads.
            if self.helix.take().is_some() {
                self.farthest = self.farthest.max(aside);
            }
            return Ok(());
        }
        if height < self.length - self.met {
            let weight = step.abs();
            let terms = [1.0, angle, height, angle * angle, angle * height];
            for (sum, term) in self.sums.iter_mut().zip(terms) {
                *sum += weight * term;
            }
        }
        if height > self.length - self.on {
            // Not on, or taken off again.
            self.helix = None;
            return Ok(());
        }
        let off = height - lead * angle;
        let helix = *self
            .helix
            .get_or_insert_with(|| pitch * (off / pitch).round());
        self.farthest = self.farthest.max((off - helix).abs());
        let dt = world.settings().time_step;
        self.jitter.add((height - height_before - lead * step) / dt);
        Ok(())
    }

    fn verdict(&self, world: &World) -> Result<Verdict> {
        let mut verdict = Verdict::default();
        let place = self.pose(world)?.translation.vector;
        let (end, aside) = (place.z - self.goal, place.xy().norm());
        let (farthest, deepest) = (self.farthest, self.deepest);
        verdict.fail_if(farthest > 0.5 * self.pitch, || {
            format!("the nut left its helix by {farthest:.1e} m")
        });
        verdict.fail_if(deepest > self.clearance, || {
            format!("the threads went {deepest:.1e} m into each other")
        });
        verdict.fail_if(end > 0.5 * self.pitch, || {
            format!("the nut ends {end:.1e} m above its goal")
        });
        verdict.fail_if(aside > self.radius, || {
            format!("the nut ends {aside:.1e} m beside the bolt's axis")
        });
        verdict.add("deepest penetration", deepest, "m");
        verdict.add("farthest off the helix", farthest, "m");
        verdict.add("height above the goal", end, "m");
        verdict.add("jitter along the thread", self.jitter.root(), "m/s");
        if let Some(advance) = self.advance() {
            verdict.add("advance per turn", advance, "pitches");
        }
        Ok(verdict)
    }
}
