//! Rods of a scene, as plain data, and the rods made of it.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use stiction_deformable::rod::{
    Damping, Profile, Rod, RodError, RodMaterial, RodShape, Section, Stiffness,
};

use super::touch::TouchDescription;

/// A rod: cable, rope or wire.
#[derive(Debug, Clone, PartialEq)]
pub struct RodDescription {
    /// Unique among rods.
    pub name: String,
    /// Where its links are.
    pub shape: RodCurve,
    /// Direction that the first axis of the first link lies nearest to, in the frame of the shape.
    pub normal: Option<Vector3<f64>>,
    /// Where the shape is put in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of all of it at the start, world axes, m/s.
    pub velocity: Vector3<f64>,
    /// Whether it is straight where it is free of stress, whatever shape it starts in.
    pub straight_at_rest: bool,
    /// Its cross-section.
    pub section: RodSection,
    /// kg/m³.
    pub density: f64,
    /// Young's modulus, Pa, and Poisson's ratio; `None` where all stiffnesses are given.
    pub elastic: Option<[f64; 2]>,
    /// Stiffnesses in place of those that follow from section and material.
    pub stiffness: RodStiffness,
    /// Damping.
    pub damping: Damping,
    /// Whether the bending flexibility that links leave out is added to shear.
    pub residual_bending: bool,
    /// Links in a piece at most; `None` for one piece.
    pub links_per_piece: Option<usize>,
    /// Whether strains are soft rows, as in the papers, and no part of A and b.
    pub strains_as_rows: bool,
    /// Links fixed to bodies.
    pub attach: Vec<RodAttachment>,
    /// How it touches.
    pub touch: TouchDescription,
    /// Radius that it touches with, m; `None` for that of its section.
    pub contact_radius: Option<f64>,
}

/// Where the links of a rod are, m.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RodCurve {
    /// Evenly from one point to another.
    Straight {
        /// The first link.
        from: Point3<f64>,
        /// The last link.
        to: Point3<f64>,
        /// Number of links.
        links: usize,
    },
    /// Evenly along a helix about z that begins at (radius, 0, 0).
    Helix {
        /// Radius.
        radius: f64,
        /// Rise along z per turn.
        pitch: f64,
        /// Number of turns; negative ones run clockwise seen from above.
        turns: f64,
        /// Number of links.
        links: usize,
    },
    /// Along points.
    Points {
        /// The points.
        points: Vec<Point3<f64>>,
        /// Number of links, evenly along the way; `None` for one at each point.
        links: Option<usize>,
    },
}

/// Cross-section of a rod, m.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum RodSection {
    /// A disc.
    Round {
        /// Radius.
        radius: f64,
    },
    /// A ring.
    Tube {
        /// Outer radius.
        outer: f64,
        /// Inner radius.
        inner: f64,
    },
    /// A rectangle.
    Rectangle {
        /// Sides along the first and second axis of a link.
        sides: [f64; 2],
    },
}

/// Stiffnesses of a rod that are given; `None` for what section and material say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RodStiffness {
    /// EA, N.
    pub stretch: Option<f64>,
    /// EI about the first and second axis of a link, N·m².
    pub bend: Option<[f64; 2]>,
    /// GJ, N·m².
    pub twist: Option<f64>,
    /// kGA along the first and second axis of a link, N.
    pub shear: Option<[f64; 2]>,
}

/// A link of a rod that is fixed to a body.
#[derive(Debug, Clone, PartialEq)]
pub struct RodAttachment {
    /// Body, or `robot/link`.
    pub body: String,
    /// Which link.
    pub link: RodLink,
    /// Whether only its point is fixed, so that it may turn about it.
    pub pivot: bool,
}

/// A link of a rod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RodLink {
    /// The first.
    Start,
    /// The last.
    End,
    /// By number, from 0.
    Number(usize),
}

impl RodLink {
    /// Its number in a rod of so many links.
    pub fn number(self, links: usize) -> usize {
        match self {
            Self::Start => 0,
            Self::End => links.saturating_sub(1),
            Self::Number(number) => number,
        }
    }
}

impl RodCurve {
    /// The word for it in scene files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Straight { .. } => "straight",
            Self::Helix { .. } => "helix",
            Self::Points { .. } => "points",
        }
    }

    /// Number of links.
    pub fn links(&self) -> usize {
        match self {
            Self::Straight { links, .. } | Self::Helix { links, .. } => *links,
            Self::Points { points, links } => links.unwrap_or(points.len()),
        }
    }

    /// Poses of the links and the lengths between them.
    ///
    /// # Errors
    /// Too few links, points that coincide or turn back.
    fn shape(&self) -> Result<RodShape, RodError> {
        match self {
            Self::Straight { from, to, links } => {
                RodShape::straight(from.coords, to.coords, *links)
            }
            Self::Helix {
                radius,
                pitch,
                turns,
                links,
            } => {
                let place = |turn: f64| {
                    let (sin, cos) = (TAU * turn).sin_cos();
                    Vector3::new(radius * cos, radius * sin, pitch * turn.abs())
                };
                RodShape::along_curve(place, 0.0..*turns, *links)
            }
            Self::Points {
                points,
                links: None,
            } => {
                let points: Vec<Vector3<f64>> = points.iter().map(|point| point.coords).collect();
                RodShape::along_points(&points)
            }
            Self::Points {
                points,
                links: Some(links),
            } => {
                // The parameter is the length along the way, so that no corner is cut more than links cut
                // it anyway.
                let mut along = vec![0.0];
                for pair in points.windows(2) {
                    along.push(along[along.len() - 1] + (pair[1] - pair[0]).norm());
                }
                let place = |at: f64| {
                    let after = along.partition_point(|&length| length < at);
                    let after = after.clamp(1, along.len().max(2) - 1);
                    let [Some(a), Some(b)] = [after - 1, after].map(|point| points.get(point))
                    else {
                        return points.first().map_or_else(Vector3::zeros, |p| p.coords);
                    };
                    let length = along[after] - along[after - 1];
                    let share = if length > 0.0 {
                        (at - along[after - 1]) / length
                    } else {
                        0.0
                    };
                    a.coords + (b - a) * share
                };
                RodShape::along_curve(place, 0.0..along[along.len() - 1], *links)
            }
        }
    }
}

impl RodSection {
    /// Radius that it touches with where none is given, m: of the outside, of a rectangle half of the
    /// smaller side.
    pub fn contact_radius(&self) -> f64 {
        match *self {
            Self::Round { radius } => radius,
            Self::Tube { outer, .. } => outer,
            Self::Rectangle { sides: [a, b] } => 0.5 * a.min(b),
        }
    }

    fn section(&self, poisson: f64) -> Section {
        match *self {
            Self::Round { radius } => Section::circle(radius, poisson),
            Self::Tube { outer, inner } => Section::tube(outer, inner, poisson),
            Self::Rectangle { sides: [a, b] } => Section::rectangle(a, b, poisson),
        }
    }
}

impl RodDescription {
    /// Stiffness and inertia per length.
    ///
    /// # Errors
    /// Values that no rod has.
    fn profile(&self) -> Result<Profile, RodError> {
        // Without a material all stiffnesses are given, so that any will do.
        let [young, poisson] = self.elastic.unwrap_or([1.0, 0.0]);
        let material = RodMaterial {
            young,
            poisson,
            density: self.density,
        };
        let mut profile = Profile::new(&self.section.section(poisson), &material)?;
        let RodStiffness {
            stretch,
            bend,
            twist,
            shear,
        } = self.stiffness;
        let derived = profile.stiffness;
        profile.stiffness = Stiffness {
            shear: shear.unwrap_or(derived.shear),
            stretch: stretch.unwrap_or(derived.stretch),
            bend: bend.unwrap_or(derived.bend),
            twist: twist.unwrap_or(derived.twist),
        };
        Ok(profile)
    }

    /// The rod, and the poses of its links at the start, world.
    ///
    /// # Errors
    /// Values that make no rod.
    pub fn make(&self) -> Result<(Rod, Vec<Isometry3<f64>>), RodError> {
        let mut shape = self.shape.shape()?;
        if let Some(normal) = self.normal {
            shape = shape.with_normal(normal)?;
        }
        for pose in &mut shape.poses {
            *pose = self.pose * *pose;
        }
        let start = shape.poses.clone();
        if self.straight_at_rest
            && let Some(&first) = start.first()
        {
            let mut along = 0.0;
            for (link, pose) in shape.poses.iter_mut().enumerate() {
                *pose = first * Translation3::new(0.0, 0.0, along);
                along += shape.lengths.get(link).copied().unwrap_or(0.0);
            }
        }
        let mut rod = Rod::new(shape, self.profile()?)?.with_damping(self.damping)?;
        if self.residual_bending {
            rod = rod.with_residual_bending();
        }
        Ok((rod, start))
    }
}
