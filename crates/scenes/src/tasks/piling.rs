//! Things upon each other.

use stiction_sim::{BodyHandle, Result, Vector3, World};

use super::{MeanSquare, Task, Verdict};

/// A pile leans no more than this, rad.
const UPRIGHT: f64 = 0.2;
/// What moves faster than this does not stand, m/s and rad/s.
const STILL: f64 = 1e-3;

/// Judges whether bodies end upon each other.
///
/// A pile stands when every body is upright, over the one below it and at rest. Failed is also a penetration of half
/// the thickness of a wall: then one went through the other.
#[derive(Debug, Clone)]
pub struct Piling {
    /// From the lowest to the highest, with how far the origin of each is above that of the one below, m.
    bodies: Vec<(BodyHandle, f64)>,
    /// How far an axis may be beside the lowest one, m.
    beside: f64,
    /// Half the thickness of the walls, m.
    wall: f64,
    /// How far the origins may be from their heights, m.
    height: f64,
    /// From when on nothing is to move, s.
    rest: f64,
    deepest: f64,
    jitter: MeanSquare,
}

impl Piling {
    /// Bodies from the lowest to the highest with the heights (m) of their origins above that of the one below; the
    /// distance (m) of their axes and the error of their heights (m) up to which they are a pile; half the thickness
    /// of their walls (m), and from when on they are to rest (s).
    pub fn new(
        bodies: Vec<(BodyHandle, f64)>,
        [beside, height, wall]: [f64; 3],
        rest: f64,
    ) -> Self {
        Self {
            bodies,
            beside,
            wall,
            height,
            rest,
            deepest: 0.0,
            jitter: MeanSquare::default(),
        }
    }

    /// Largest speed of any of them, m/s and rad/s.
    fn speed(&self, world: &World) -> Result<f64> {
        let mut fastest = 0.0_f64;
        for &(body, _) in &self.bodies {
            let twist = world.velocity(body)?;
            fastest = fastest.max(twist.linear.norm()).max(twist.angular.norm());
        }
        Ok(fastest)
    }
}

impl Task for Piling {
    fn observe(&mut self, world: &World) -> Result<()> {
        let is_dish = |body: Option<BodyHandle>| {
            body.is_some_and(|body| self.bodies.iter().any(|&(dish, _)| dish == body))
        };
        let contacts = world.contact_forces().iter();
        let touching =
            contacts.filter(|contact| is_dish(contact.body_a) || is_dish(contact.body_b));
        let deepest = touching.map(|contact| -contact.gap).fold(0.0, f64::max);
        self.deepest = self.deepest.max(deepest);
        if world.time() > self.rest {
            self.jitter.add(self.speed(world)?);
        }
        Ok(())
    }

    fn verdict(&self, world: &World) -> Result<Verdict> {
        let mut verdict = Verdict::default();
        let (mut aside, mut leaning) = (0.0_f64, 0.0_f64);
        let Some(&(lowest, _)) = self.bodies.first() else {
            return Ok(verdict);
        };
        let mut below = world.pose(lowest)?;
        let axis = below.translation.vector.xy();
        for &(body, rise) in &self.bodies {
            let (pose, name) = (world.pose(body)?, world.body_name(body)?);
            let tilt = (pose.rotation * Vector3::z()).angle(&Vector3::z());
            let beside = (pose.translation.vector.xy() - axis).norm();
            let risen = pose.translation.z - below.translation.z;
            (aside, leaning) = (aside.max(beside), leaning.max(tilt));
            verdict.fail_if(!(tilt < UPRIGHT), || {
                format!("{name} leans by {tilt:.2} rad")
            });
            verdict.fail_if(!(beside < self.beside), || {
                format!("{name} is {beside:.3} m beside the pile")
            });
            verdict.fail_if(
                body != lowest && !((risen - rise).abs() < self.height),
                || format!("{name} is {risen:.3} m above the one below it, and not {rise:.3} m"),
            );
            below = pose;
        }
        let (speed, deepest) = (self.speed(world)?, self.deepest);
        verdict.fail_if(!(speed < STILL), || {
            format!("the pile moves at {speed:.1e} m/s or rad/s")
        });
        verdict.fail_if(deepest > self.wall, || {
            format!("something went {deepest:.1e} m into a wall")
        });
        verdict.add("deepest penetration", deepest, "m");
        verdict.add("farthest beside the pile", aside, "m");
        verdict.add("most leaning", leaning, "rad");
        verdict.add("speed at the end", speed, "m/s or rad/s");
        verdict.add("jitter at rest", self.jitter.root(), "m/s or rad/s");
        Ok(verdict)
    }
}
