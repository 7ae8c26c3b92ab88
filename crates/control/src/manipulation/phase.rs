//! What a task consists of.

use stiction_sim::{Isometry3, Vector3};

use crate::servo::Servo;

/// A joint of a hand, between open and closed.
#[derive(Debug, Clone, PartialEq)]
pub struct HandJoint {
    /// Its name.
    pub name: String,
    /// What drives it.
    pub servo: Servo,
    /// Where it is when the hand is open, rad or m.
    pub open: f64,
    /// Where it is told to go when the hand closes, rad or m: as a rule inside of what is held, so that its
    /// stiffness makes a force.
    pub closed: f64,
}

/// The joints that close a hand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hand {
    /// Its joints.
    pub joints: Vec<HandJoint>,
}

/// When a phase is over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Until {
    /// As soon as its time is.
    Elapsed,
    /// When the tool is also this close (m) to its goal.
    Arrived {
        /// m.
        within: f64,
    },
    /// When the links of the hand also touch something with forces that add up to this much (N).
    Holding {
        /// N.
        force: f64,
    },
}

/// A part of a task: the tool goes to a pose while the hand opens or closes.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// What it is called in errors.
    pub name: String,
    /// Where the tool goes, world.
    pub tool: Isometry3<f64>,
    /// How far the hand closes: 0 open, 1 closed.
    pub grip: f64,
    /// Mass at the tool that the arm bears besides itself, kg: the springs of an arm that does not know what it holds
    /// give way by its weight.
    pub load: f64,
    /// How long it takes, s.
    pub seconds: f64,
    /// What has to be true at its end.
    pub until: Until,
    /// How much longer that may take, s; then the task has failed.
    pub patience: f64,
}

impl Phase {
    /// A phase that ends when its time is over.
    pub fn new(name: &str, tool: Isometry3<f64>, grip: f64, seconds: f64) -> Self {
        Self {
            name: name.to_owned(),
            tool,
            grip,
            load: 0.0,
            seconds,
            until: Until::Elapsed,
            patience: 1.0,
        }
    }

    /// The same with a mass (kg) at the tool, known by the end of the phase.
    #[must_use]
    pub fn carrying(mut self, mass: f64) -> Self {
        self.load = mass;
        self
    }

    /// The same with a condition at its end.
    pub fn until(mut self, until: Until) -> Self {
        self.until = until;
        self
    }
}

/// Takes a thing where it is and puts it somewhere else: approach, descend, close, lift, carry, lower, open,
/// withdraw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraspAndPlace {
    /// Pose of the tool when it holds the thing where it is, world.
    pub grasp: Isometry3<f64>,
    /// Pose of the tool when it holds the thing where it goes, world.
    pub place: Isometry3<f64>,
    /// From either pose to where the tool comes from and goes to, world, m: as a rule upwards.
    pub away: Vector3<f64>,
    /// Time of the long ways, and of the short ones and of the hand, s.
    pub seconds: [f64; 2],
    /// Least sum of the forces on the hand that counts as holding, N.
    pub holding: f64,
    /// How close the tool has to come, m.
    pub within: f64,
}

impl GraspAndPlace {
    /// Its phases.
    pub fn phases(&self) -> Vec<Phase> {
        let away = |pose: &Isometry3<f64>| {
            Isometry3::from_parts((pose.translation.vector + self.away).into(), pose.rotation)
        };
        let [long, short] = self.seconds;
        let arrived = Until::Arrived {
            within: self.within,
        };
        let holding = Until::Holding {
            force: self.holding,
        };
        let (grasp, place) = (self.grasp, self.place);
        vec![
            Phase::new("approach", away(&grasp), 0.0, long).until(arrived),
            Phase::new("descend", grasp, 0.0, short).until(arrived),
            Phase::new("close", grasp, 1.0, short).until(holding),
            Phase::new("lift", away(&grasp), 1.0, short).until(holding),
            Phase::new("carry", away(&place), 1.0, long).until(holding),
            Phase::new("lower", place, 1.0, short).until(arrived),
            Phase::new("open", place, 0.0, short),
            Phase::new("withdraw", away(&place), 0.0, short),
        ]
    }
}
