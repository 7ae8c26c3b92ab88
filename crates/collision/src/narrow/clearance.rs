//! What is known of faces that do not touch: how far off each is, until the pair has moved by that.
//!
//! The *way* of a pair is the sum over its steps of how much the distance can have changed on any
//! face ([`Sdf::change`](crate::sdf::Sdf::change)). A face that was seen to be clear by d when the way
//! was w is clear by the margin m for as long as d + w > way + m: it is not looked at before. Nothing
//! here bears on which contacts are found, so that it may be forgotten at any time.

use nalgebra::Isometry3;

use super::placement::Placement;
use crate::shape::Shape;

/// A list of near faces is made for so many steps like the last one.
const STEPS: f64 = 8.0;

/// A way as long as so many reaches is begun anew, so that sums stay exact.
const LONGEST: f64 = 1e3;

/// The clear faces of one part of a pair.
#[derive(Debug)]
pub(super) struct Clearance {
    /// Name of the parts.
    path: u64,
    /// Where the faces were in the last step.
    pose: Isometry3<f64>,
    way: f64,
    /// Way of the last step.
    step: f64,
    /// Distances beyond this are not told apart.
    reach: f64,
    /// By face: its distance plus the way at that time; −∞ if it may touch.
    keys: Vec<f64>,
    /// Faces that may be within the margin, in the order of the tree.
    near: Vec<u32>,
    /// Way plus margin up to which there are no others.
    near_until: f64,
    /// Way plus margin up to which no face touches at all.
    idle_until: f64,
}

impl Clearance {
    fn new(path: u64) -> Self {
        Self {
            path,
            pose: Isometry3::identity(),
            way: f64::NAN,
            step: 0.0,
            reach: 0.0,
            keys: Vec::new(),
            near: Vec::new(),
            near_until: f64::NEG_INFINITY,
            idle_until: f64::NEG_INFINITY,
        }
    }

    /// Takes note of where the faces are now.
    pub(super) fn advance(&mut self, now: &Placement<'_>) {
        self.step = now.change_since(&self.pose, self.reach);
        self.way += self.step;
        self.pose = now.pose;
    }

    /// Whether no face can be within `margin` m.
    pub(super) fn is_idle(&self, margin: f64) -> bool {
        self.way + margin < self.idle_until
    }

    /// Whether the list of near faces holds all that may be within `margin` m.
    pub(super) fn covers(&self, margin: f64) -> bool {
        self.way + margin < self.near_until
    }

    /// Begins a new list of near faces, of `n_faces` of about `size` m; returns how far off (m) they
    /// are to be. What the tree says of a face is good to `slack` m.
    pub(super) fn begin_list(&mut self, n_faces: usize, size: f64, margin: f64, slack: f64) -> f64 {
        let step = if self.step.is_finite() {
            self.step
        } else {
            0.0
        };
        let far = margin + slack + (STEPS * step).clamp(0.5 * size, 4.0 * size);
        // what is known of a face's middle is worth its size less
        let reach = far + size;
        let fits = self.keys.len() == n_faces && self.way < LONGEST * self.reach;
        if !fits || far > self.reach || reach > 1.5 * self.reach || reach < 0.3 * self.reach {
            self.reach = reach;
            self.way = 0.0;
            self.keys.clear();
            self.keys.resize(n_faces, f64::NEG_INFINITY);
        }
        self.near.clear();
        self.near_until = self.way + far - slack;
        far
    }

    /// Adds a face to the list of near ones.
    pub(super) fn list(&mut self, face: usize) {
        self.near.push(face as u32);
    }

    /// Appends the near faces that are not known to be clear of `margin` m.
    pub(super) fn open(&self, margin: f64, faces: &mut Vec<u32>) {
        let limit = self.way + margin;
        // a face that is known to be clear is the rule: no branch for each
        let start = faces.len();
        faces.resize(start + self.near.len(), 0);
        let mut end = start;
        for &face in &self.near {
            faces[end] = face;
            end += usize::from(self.keys[face as usize] <= limit);
        }
        faces.truncate(end);
    }

    /// Notes that φ is at least `distance` m at the middle of a face that is to be clear of it by
    /// `size` m.
    pub(super) fn note_middle(&mut self, face: u32, distance: f64, size: f64) {
        self.keys[face as usize] = distance.min(self.reach) - size + self.way;
    }

    /// Notes that φ is at least `distance` m all over a face.
    pub(super) fn note_all(&mut self, face: u32, distance: f64) {
        self.keys[face as usize] = distance.min(self.reach) + self.way;
    }

    /// Notes that a face may touch.
    pub(super) fn note_near(&mut self, face: u32) {
        self.keys[face as usize] = f64::NEG_INFINITY;
    }

    /// Takes note of whether anything was within the margin.
    pub(super) fn finish(&mut self, nothing_touches: bool) {
        self.idle_until = f64::NEG_INFINITY;
        if nothing_touches {
            let keys = self.near.iter().map(|&face| self.keys[face as usize]);
            self.idle_until = keys.fold(self.near_until, f64::min);
        }
    }
}

/// Clear faces of a pair, by part. A copy knows nothing, and all are equal: what is remembered here
/// changes how long a step takes and nothing else.
#[derive(Debug, Default)]
pub(super) struct Clearances {
    parts: Vec<Clearance>,
    /// Whose faces these are.
    shapes: Option<[Shape; 2]>,
}

impl Clearances {
    /// Forgets what is of other shapes than these; whether there was something of others.
    pub(super) fn belong_to(&mut self, a: &Shape, b: &Shape) -> bool {
        if let Some([x, y]) = &self.shapes
            && x.is_same(a)
            && y.is_same(b)
        {
            return false;
        }
        let of_others = self.shapes.is_some();
        self.parts.clear();
        self.shapes = Some([a.clone(), b.clone()]);
        of_others
    }

    /// Those of the parts with this name.
    pub(super) fn of(&mut self, path: u64) -> &mut Clearance {
        let index = match self.parts.iter().position(|part| part.path == path) {
            Some(index) => index,
            None => {
                self.parts.push(Clearance::new(path));
                self.parts.len() - 1
            }
        };
        &mut self.parts[index]
    }
}

impl Clone for Clearances {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Clearances {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
