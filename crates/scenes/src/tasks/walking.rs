//! A robot that walks as it is told.

use stiction_sim::{BodyHandle, Result, Vector3, World};

use super::{Task, Verdict};

/// Speeds (m/s) and rates (rad/s) below this count as this where errors are shares of them.
const SLOW: f64 = 0.2;

/// Judges whether a robot walks at the velocity that it is told, and does not fall.
///
/// Failed is a mean velocity too far from the command, and a trunk that was ever lower than 0.6 of its
/// height at the start or leant by more than 0.6 rad.
#[derive(Debug, Clone)]
pub struct Walking {
    trunk: BodyHandle,
    /// Forwards and to the left, m/s, turning to the left, rad/s.
    command: [f64; 3],
    /// Largest error of the mean velocity, as a share of the command.
    close: f64,
    /// From when on the mean is taken, s.
    from: f64,
    height: Option<f64>,
    lowest: f64,
    leaning: f64,
    /// Integral of the velocity in the trunk's heading, m, m, rad, and how long, s.
    way: [f64; 4],
}

impl Walking {
    /// The trunk, the command (m/s, m/s, rad/s), by which share of it the mean may differ, and from when on it is
    /// taken (s).
    pub fn new(trunk: BodyHandle, command: [f64; 3], close: f64, from: f64) -> Self {
        Self {
            trunk,
            command,
            close,
            from,
            height: None,
            lowest: f64::INFINITY,
            leaning: 0.0,
            way: [0.0; 4],
        }
    }

    /// Mean velocity forwards and to the left, m/s, and turning, rad/s.
    pub fn velocity(&self) -> [f64; 3] {
        let [x, y, turn, time] = self.way;
        [x, y, turn].map(|way| way / time.max(f64::MIN_POSITIVE))
    }
}

impl Task for Walking {
    fn observe(&mut self, world: &World) -> Result<()> {
        let (pose, twist) = (world.pose(self.trunk)?, world.velocity(self.trunk)?);
        self.height.get_or_insert(pose.translation.z);
        self.lowest = self.lowest.min(pose.translation.z);
        let tilt = (pose.rotation * Vector3::z()).angle(&Vector3::z());
        self.leaning = self.leaning.max(tilt);
        if world.time() > self.from {
            let dt = world.settings().time_step;
            let forwards = pose.rotation * Vector3::x();
            let forwards = Vector3::new(forwards.x, forwards.y, 0.0).normalize();
            let left = Vector3::z().cross(&forwards);
            let speeds = [
                twist.linear.dot(&forwards),
                twist.linear.dot(&left),
                twist.angular.z,
                1.0,
            ];
            for (way, speed) in self.way.iter_mut().zip(speeds) {
                *way += dt * speed;
            }
        }
        Ok(())
    }

    fn verdict(&self, _: &World) -> Result<Verdict> {
        let mut verdict = Verdict::default();
        let found = self.velocity();
        let [x, y, turn] = std::array::from_fn(|axis| found[axis] - self.command[axis]);
        let height = self.height.unwrap_or(f64::NAN);
        let (lowest, leaning) = (self.lowest / height, self.leaning);
        verdict.fail_if(!(lowest > 0.6 && leaning < 0.6), || {
            format!("it fell: {lowest:.2} of its height, {leaning:.2} rad from upright")
        });
        let (error, told) = (x.hypot(y), self.command[0].hypot(self.command[1]));
        let turned = (turn.abs(), self.command[2].abs());
        verdict.fail_if(error > self.close * told.max(SLOW), || {
            format!("its velocity is {error:.3} m/s from {told:.3} m/s")
        });
        verdict.fail_if(turned.0 > self.close * turned.1.max(SLOW), || {
            format!("it turns {:.3} rad/s from {:.3} rad/s", turned.0, turned.1)
        });
        verdict.add("velocity forwards", found[0], "m/s");
        verdict.add("velocity to the left", found[1], "m/s");
        verdict.add("turning", found[2], "rad/s");
        verdict.add("velocity error", error / told.max(SLOW), "1");
        verdict.add("lowest height", lowest, "1");
        verdict.add("most leaning", leaning, "rad");
        Ok(verdict)
    }
}
