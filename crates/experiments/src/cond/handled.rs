//! The four scenes in which a robot handles something soft, with the parameters that the paper draws for its trials.

use std::path::Path;

use stiction_scenes::{
    Options, Scene, SoftChoice, cable_winding, soft_ball, soft_gripper, soft_mat,
};
use stiction_sim::{Point3, Touching, Vector3, World};

use crate::error::{ExperimentError, Result};

/// A scene of the paper's section V-C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handled {
    /// A Panda folds a mat.
    Mat,
    /// A gripper lifts a ball.
    Ball,
    /// A Panda winds a cable.
    Cable,
    /// Two soft fingers grip a part.
    Gripper,
}

/// Length of a cell of the mat's mesh, m: as in the scene `soft-mat`.
pub(super) const CELL: f64 = 0.0146;
/// Links of the cable.
const LINKS: usize = 320;

impl Handled {
    /// Name of the built-in scene.
    pub(super) fn scene(self) -> &'static str {
        match self {
            Self::Mat => "soft-mat",
            Self::Ball => "soft-ball",
            Self::Cable => "cable-winding",
            Self::Gripper => "soft-gripper",
        }
    }

    /// The paper's ranges: Young's modulus, Pa, Poisson's ratio, friction.
    fn ranges(self) -> [[f64; 2]; 3] {
        match self {
            Self::Mat => [[5e4, 1e5], [0.3, 0.4], [0.1, 0.5]],
            Self::Ball => [[5e5, 2e6], [0.3, 0.4], [0.4, 0.6]],
            Self::Cable => [[4e6, 5e6], [0.4, 0.49], [0.5, 1.5]],
            Self::Gripper => [[5e4, 1e5], [0.4, 0.49], [0.5, 2.1]],
        }
    }

    /// How fast it is handled in the tables, as a share of the scene's own pace, which the paper does not publish but of the
    /// cable: its hand takes 55 s where that of the scene takes 35 s. From a guess that is the last step's velocity iterations
    /// have to make up for accelerations: slow gripping and lifting, not how hard it grips, keeps them few.
    pub(super) fn pace(self) -> f64 {
        match self {
            Self::Mat => 1.0,
            Self::Cable => 35.0 / 55.0,
            Self::Ball => 0.25,
            Self::Gripper => 0.1,
        }
    }

    /// The parameters of a trial: drawn evenly from the paper's ranges, the same in every run.
    pub(super) fn drawn(self, trial: usize) -> SoftChoice {
        let drawn = |which: usize| {
            let [low, high] = self.ranges()[which];
            low + uniform((3 * trial + which) as u64) * (high - low)
        };
        SoftChoice {
            young: drawn(0),
            poisson: drawn(1),
            friction: drawn(2),
            is_cut: false,
            pace: self.pace(),
        }
    }

    /// The middle of the paper's ranges, at the scene's own pace.
    pub(super) fn middle(self) -> SoftChoice {
        let [young, poisson, friction] = self.ranges().map(|[low, high]| 0.5 * (low + high));
        SoftChoice {
            young,
            poisson,
            friction,
            is_cut: false,
            pace: 1.0,
        }
    }

    /// The scene with these parameters; `way` is that of the hand with the cable, where it is given.
    pub(super) fn build(self, choice: SoftChoice, way: Option<&[Vector3<f64>]>) -> Result<Scene> {
        let options = Options::default();
        Ok(match self {
            Self::Mat => soft_mat(&options, choice, CELL)?,
            Self::Ball => soft_ball(&options, choice)?,
            Self::Cable => cable_winding(&options, LINKS, choice, way)?,
            Self::Gripper => soft_gripper(&options, choice)?,
        })
    }

    /// What its dynamics index is the norm of, and its unit.
    pub(super) fn index_word(self) -> &'static str {
        match self {
            Self::Mat | Self::Ball => "IE (N)",
            Self::Cable | Self::Gripper => "FE (N)",
        }
    }

    /// The dynamics index: norm of the nodes' internal forces of a mat or ball, of the cable's force on the hand, of
    /// a finger's force on the part, N.
    pub(super) fn index(self, world: &World) -> Result<f64> {
        Ok(match self {
            Self::Mat | Self::Ball => {
                let mut sum = 0.0;
                for (soft, _) in world.soft_bodies() {
                    let forces = world.soft_forces(soft)?;
                    sum += forces.iter().map(Vector3::norm_squared).sum::<f64>();
                }
                sum.sqrt()
            }
            Self::Cable => {
                let mut force: f64 = 0.0;
                for (rod, _) in world.rods() {
                    let last = world.rod(rod)?.joint_count() - 1;
                    force = world.rod_stress(rod, last)?.force_world.norm();
                }
                force
            }
            Self::Gripper => {
                let part = Touching::Body(world.find_body("part")?);
                let finger = world.find_soft_body("left")?;
                let finger = world.soft_collider(finger)?.map(Touching::Collider);
                world.contact_force(part, finger)?.norm()
            }
        })
    }

    /// Where the nodes of its soft bodies are, m.
    pub(super) fn nodes(self, world: &World) -> Result<Vec<Point3<f64>>> {
        let mut all = Vec::new();
        for (soft, _) in world.soft_bodies() {
            all.extend(world.soft_positions(soft)?);
        }
        Ok(all)
    }
}

/// A number between 0 and 1 that looks like chance and is the same for the same `number`.
fn uniform(number: u64) -> f64 {
    let mut z = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The published way of the hand that winds the cable: `p_des.txt` of a folder, one number a line, three a step of
/// 10 ms, m.
pub(super) fn published_way(folder: &Path) -> Result<Vec<Vector3<f64>>> {
    let path = folder.join("p_des.txt");
    let refuse = |problem: String| ExperimentError::Data {
        path: path.display().to_string(),
        problem,
    };
    let text = std::fs::read_to_string(&path).map_err(|error| refuse(error.to_string()))?;
    let mut numbers = Vec::new();
    for (line, word) in text.split_whitespace().enumerate() {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => numbers.push(number),
            _ => {
                return Err(refuse(format!("number {}, \"{word}\", is none", line + 1)));
            }
        }
    }
    let (steps, rest) = numbers.as_chunks::<3>();
    if steps.is_empty() || !rest.is_empty() {
        return Err(refuse(format!(
            "{} numbers: three are wanted for each step",
            numbers.len()
        )));
    }
    Ok(steps.iter().map(|&step| step.into()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_differ_and_stay_within_the_ranges() {
        for handled in [
            Handled::Mat,
            Handled::Ball,
            Handled::Cable,
            Handled::Gripper,
        ] {
            let all: Vec<_> = (0..20).map(|trial| handled.drawn(trial)).collect();
            let ranges = handled.ranges();
            for (number, one) in all.iter().enumerate() {
                let values = [one.young, one.poisson, one.friction];
                for (value, [low, high]) in values.into_iter().zip(ranges) {
                    assert!((low..=high).contains(&value));
                }
                assert!(!all[..number].contains(one));
            }
            // Twenty even draws come near both ends.
            let least = all.iter().fold(f64::INFINITY, |a, one| a.min(one.young));
            let most = all.iter().fold(0.0_f64, |a, one| a.max(one.young));
            let [low, high] = ranges[0];
            assert!(most - least > 0.6 * (high - low));
        }
    }

    #[test]
    fn a_way_that_is_none_is_refused_by_its_file() {
        let folder = std::env::temp_dir().join(format!("stiction-way-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |text: &str| std::fs::write(folder.join("p_des.txt"), text).unwrap();
        write("0.5\n0.1\n0.2\n0.5\n0.1\n0.3\n");
        let way = published_way(&folder).unwrap();
        assert_eq!(
            way,
            [Vector3::new(0.5, 0.1, 0.2), Vector3::new(0.5, 0.1, 0.3)]
        );
        for (text, word) in [("1\n2\n", "three"), ("1\n2\nx\n", "\"x\""), ("", "three")] {
            write(text);
            let message = published_way(&folder).unwrap_err().to_string();
            assert!(
                message.contains("p_des.txt") && message.contains(word),
                "{message}"
            );
        }
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(published_way(&folder).is_err());
    }
}
