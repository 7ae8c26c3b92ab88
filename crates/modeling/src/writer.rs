//! Adding sites to the rows of one constraint.

use nalgebra::Vector3;
use stiction_constraints::{ConstraintWriter, DofBlock, Law, MAX_ROWS, Problem, ProblemError};

use crate::places::{Motion, Places, Twist};
use crate::site::Site;

/// Writes the rows of one constraint into a problem, site by site, and sums up on the way what error
/// terms need: the velocity of the rows before the step, the part of it that nobody solves for, and
/// that of the last pass.
#[derive(Debug)]
pub struct RowWriter<'a> {
    out: ConstraintWriter<'a>,
    /// For each subsystem its index in the problem.
    local: &'a [u32],
    places: &'a Places,
    /// J v at the start of the step.
    pub before: [f64; MAX_ROWS],
    /// Part of J v̂ that driven frames and nodes contribute.
    pub driven: [f64; MAX_ROWS],
    /// J v̂ of the last pass.
    pub guess: [f64; MAX_ROWS],
}

impl<'a> RowWriter<'a> {
    /// Begins a constraint of `rows` rows, 1 to [`MAX_ROWS`]; `local` names for each subsystem of the
    /// world its index in the problem.
    pub fn new(
        problem: &'a mut Problem,
        rows: usize,
        local: &'a [u32],
        places: &'a Places,
    ) -> Self {
        Self {
            out: problem.begin_constraint(rows.min(MAX_ROWS)),
            local,
            places,
            before: [0.0; MAX_ROWS],
            driven: [0.0; MAX_ROWS],
            guess: [0.0; MAX_ROWS],
        }
    }

    /// Where everything is.
    pub fn places(&self) -> &'a Places {
        self.places
    }

    /// Adds `sign` times the velocity of a site along `directions`, one for each row from the first on.
    pub fn point(&mut self, site: &Site, sign: f64, directions: &[Vector3<f64>]) {
        let places = self.places;
        match *site {
            Site::Frame { frame, at } => {
                let origin = places.origin(frame);
                self.frame(
                    frame,
                    sign,
                    directions,
                    |twist| twist.at(origin, &at),
                    |reference, direction, row| {
                        let arm = at.coords - reference;
                        row[..3].copy_from_slice((direction * sign).as_slice());
                        row[3..].copy_from_slice((arm.cross(direction) * sign).as_slice());
                    },
                );
            }
            Site::Between {
                frames,
                weights,
                offset,
            } => {
                for (frame, weight) in frames.into_iter().zip(weights) {
                    let at = (places.origin(frame) + offset).into();
                    self.point(&Site::Frame { frame, at }, sign * weight, directions);
                }
            }
            Site::Nodes { .. } => self.nodes(site, sign, directions),
        }
    }

    /// Adds `sign` times the angular velocity of a frame along `directions`.
    pub fn spin(&mut self, frame: u32, sign: f64, directions: &[Vector3<f64>]) {
        self.frame(
            frame,
            sign,
            directions,
            |twist| twist.angular,
            |_, direction, row| row[3..].copy_from_slice((direction * sign).as_slice()),
        );
    }

    /// Adds a frame: `measure` gives the velocity that rows measure, `fill` writes one row of its block
    /// for a body that moves about a reference point.
    fn frame(
        &mut self,
        frame: u32,
        sign: f64,
        directions: &[Vector3<f64>],
        measure: impl Fn(&Twist) -> Vector3<f64>,
        fill: impl Fn(&Vector3<f64>, &Vector3<f64>, &mut [f64]),
    ) {
        let frames = &self.places.frames;
        let index = frame as usize;
        let motion = frames.motion[index];
        let (before, guess) = (measure(&frames.twist[index]), measure(&frames.guess[index]));
        for (row, direction) in directions.iter().enumerate().take(MAX_ROWS) {
            self.add(
                row,
                sign,
                motion,
                direction.dot(&before),
                direction.dot(&guess),
            );
        }
        if let Motion::Solved { subsystem, index } = motion {
            let reference = self.places.reference(frame, subsystem as usize);
            let local = self.local[subsystem as usize] as usize;
            let block = self.out.body(local, index as usize);
            for (row, direction) in block.chunks_exact_mut(6).zip(directions) {
                fill(reference, direction, row);
            }
        }
    }

    fn nodes(&mut self, site: &Site, sign: f64, directions: &[Vector3<f64>]) {
        let nodes = &self.places.nodes;
        for (node, weight) in site.terms() {
            let (before, guess) = (&nodes.velocity[node], &nodes.guess[node]);
            for (row, direction) in directions.iter().enumerate().take(MAX_ROWS) {
                let (before, guess) = (direction.dot(before), direction.dot(guess));
                self.add(row, sign * weight, nodes.motion[node], before, guess);
            }
        }
        // One block for each subsystem, in the order in which the nodes name them.
        let solved = site
            .terms()
            .filter_map(|(node, weight)| match nodes.motion[node] {
                Motion::Solved { subsystem, index } => Some((subsystem, index as usize, weight)),
                Motion::Fixed | Motion::Driven => None,
            });
        for (place, (subsystem, ..)) in solved.clone().enumerate() {
            if solved
                .clone()
                .take(place)
                .any(|(earlier, ..)| earlier == subsystem)
            {
                continue;
            }
            let own = solved
                .clone()
                .filter(|(other, ..)| *other == subsystem)
                .map(|(_, index, weight)| (index, sign * weight));
            let frame = self.out.nodes(self.local[subsystem as usize] as usize, own);
            for (row, direction) in frame.chunks_exact_mut(3).zip(directions) {
                row.copy_from_slice(direction.as_slice());
            }
        }
    }

    fn add(&mut self, row: usize, sign: f64, motion: Motion, before: f64, guess: f64) {
        self.before[row] += sign * before;
        self.guess[row] += sign * guess;
        if motion == Motion::Driven {
            self.driven[row] += sign * before;
        }
    }

    /// Adds a block on degrees of freedom of a subsystem, each named once, to be filled by the caller.
    /// It does not enter [`before`](Self::before) and [`guess`](Self::guess).
    pub fn dofs(
        &mut self,
        subsystem: usize,
        dofs: impl IntoIterator<Item = usize>,
    ) -> DofBlock<'_> {
        self.out.dofs(self.local[subsystem] as usize, dofs)
    }

    /// Ends the constraint with its law and error term.
    ///
    /// # Errors
    /// Numbers that make no constraint.
    pub fn finish(self, law: Law, error: &[f64]) -> Result<usize, ProblemError> {
        self.out.finish(law, error)
    }
}
