//! One time step, from top to bottom.
//!
//! state q, v → poses → contacts; equations of motion A, b; names of all constraints → islands, which
//! write A, b, J and e in place and solve → v̂, λ → new q, v. Each stage is public: who wants another
//! order calls them in it.

mod contacts;
mod passes;
mod report;
mod rows;

pub use report::{ContactForce, ContactMode, StageTimes, StepReport};

pub(crate) use contacts::{Contacts, relative_velocity, touches};
pub(crate) use rows::RowKind;

use std::time::{Duration, Instant};

use stiction_collision::{Detector, Geometry, PlacesView};
use stiction_constraints::{Budget, StopFlag};
use stiction_islands::{IslandFailure, StepContext};
use stiction_modeling::{Motion, Places};

use crate::error::{Result, SimError, StepFailure};
use crate::mechanism::Now;
use crate::state::are_finite;
use crate::world::World;
use rows::WorldAssembly;

impl World {
    /// Moves the world on by one time step.
    ///
    /// What is done about bodies that overlap and cannot simply be pushed apart is a policy of its own,
    /// see [`OverlapPolicy`](stiction_islands::OverlapPolicy): pushes are eased where they would fling a
    /// link about; contacts that did not come apart are held as they are, and pushed again later; a
    /// result that would fling bodies away is not used, and they move on without constraints for this
    /// step. [`StepReport`] says so.
    ///
    /// # Errors
    /// [`SimError::Step`] and what controllers or custom detectors report. The state is then as it
    /// was before. A solver that ran out of iterations is no error: see
    /// [`StepReport::unconverged`].
    pub fn step(&mut self) -> Result<&StepReport> {
        match self.try_step() {
            Ok(()) => Ok(&self.report),
            Err(error) => {
                // Poses and velocities may stand where the failed pass left them.
                self.refresh()?;
                Err(error)
            }
        }
    }

    fn try_step(&mut self) -> Result<()> {
        self.control()?;
        self.detect_contacts()?;
        self.assemble()?;
        self.solve_and_revise()?;
        for _ in 0..self.settings.relinearizations {
            self.relinearize()?;
            self.detect_contacts()?;
            self.assemble()?;
            self.solve_and_revise()?;
        }
        self.integrate()
    }

    /// Stage 1: controllers set their commands, and actuators follow their controls.
    ///
    /// # Errors
    /// What a controller reports, and an actuator whose force is not finite.
    pub fn control(&mut self) -> Result<()> {
        let clock = Instant::now();
        self.report.stages = StageTimes::default();
        let time = self.settings.step_time.map(Duration::from_secs_f64);
        self.deadline = time.and_then(|time| clock.checked_add(time));
        let result = self.run_drives();
        for (frame, motion) in self.places.frames.motion.iter().enumerate() {
            if *motion == Motion::Driven {
                self.places.frames.twist[frame] = self.commands.inputs.driven[frame];
            }
        }
        self.report.stages.control += clock.elapsed().as_secs_f64();
        result
    }

    /// Stage 2: poses → contact points. What moves sees as far as it goes in a step.
    ///
    /// # Errors
    /// Pairs of shapes that cannot be tested.
    pub fn detect_contacts(&mut self) -> Result<()> {
        let clock = Instant::now();
        let dt = self.settings.time_step;
        self.measure_travel(dt);
        let frames = &self.places.frames;
        let view = PlacesView {
            poses: &frames.pose,
            nodes: &self.places.nodes.position,
            travel: &self.travel,
        };
        let points = &mut self.contacts.points;
        match &mut self.own_detector {
            Some(own) => own.detect(&self.colliders, &view, points)?,
            None => self.detector.detect(&self.colliders, &view, points)?,
        };
        let places = &self.places;
        points.retain(|contact| {
            let mut moves = false;
            touches(contact, places, |_| moves = true);
            moves
        });
        let deepest = self.contacts.points.iter().map(|contact| -contact.gap);
        self.report.penetration = deepest.fold(0.0, f64::max);
        self.report.stages.detect += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// How far everything that collides goes in a step of `dt` s.
    fn measure_travel(&mut self, dt: f64) {
        let colliders = self.colliders.as_slice().iter().zip(&self.reach);
        let places = &self.places;
        let travel =
            colliders.map(|(collider, &reach)| dt * speed(&collider.geometry, reach, places));
        self.travel.clear();
        self.travel.extend(travel);
    }

    /// Colliders that went farther in the step than contacts were looked for, by more than half their
    /// thickness.
    fn count_outran(&self) -> usize {
        let (dt, margin) = (self.settings.time_step, self.settings.contact_margin);
        let colliders = self.colliders.as_slice().iter().zip(&self.reach);
        let outran = colliders
            .zip(&self.travel)
            .filter(|((collider, reach), travel)| {
                let went = dt * speed(&collider.geometry, **reach, &self.places);
                went > *travel + margin + half_thickness(&collider.geometry)
            });
        outran.count()
    }

    /// Stage 3: what equations of motion and constraints are made from.
    ///
    /// # Errors
    /// Materials that no law describes, numbers that are not finite.
    pub fn assemble(&mut self) -> Result<()> {
        let clock = Instant::now();
        let scheme = self.settings.scheme();
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: (self.places.advance > 0.0).then_some(&self.v_hat),
        };
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.prepare(&now, &mut self.places)?;
        }
        self.contacts.prepare(&self.colliders, scheme.dt)?;
        for (tendon, command) in self.tendons.iter_mut().zip(&now.inputs.tendons) {
            let motion = tendon.measure(&self.state, &self.places);
            tendon.model.prepare(motion, &self.places, command, &scheme);
        }
        self.report.contacts = self.contacts.points.len();
        self.report.stages.assemble += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Stage 4: all constraints by name; then A, b, J and e, v̂ and λ, island by island.
    ///
    /// # Errors
    /// [`SimError::Step`] when an island could not be solved, [`SimError::Interrupted`] when the flag
    /// of [`World::stop_with`] was raised.
    pub fn solve(&mut self) -> Result<()> {
        let clock = Instant::now();
        let budget = Budget {
            max_iterations: self.settings.max_iterations,
            // Whoever limits iterations wants a step that takes no longer.
            rescue: self.settings.max_iterations.is_none(),
            stop: self.stop.clone(),
            all_residuals: false,
            ..Budget::with_tolerance(self.settings.tolerance)
        };
        let scheme = self.settings.scheme();
        let assembly = WorldAssembly {
            mechanisms: &self.mechanisms,
            layout: &self.tables.layout,
            contacts: &self.contacts,
            connections: &self.connections,
            tendons: &self.tendons,
            places: &self.places,
            scheme: &scheme,
        };
        assembly.list(&mut self.rows);
        let warm = self.settings.warm_start.then_some(&self.warm_start);
        let policy = &self.settings.overlaps;
        let step = StepContext::new(&self.rows, &assembly, warm, policy, &budget);
        let step = step.until(self.deadline);
        self.islands.group(
            &step,
            self.tables.layout.subsystem_count(),
            self.settings.islands,
            &self.make_solver,
        );
        self.v_hat.resize(self.state.v.len(), 0.0);
        let starts = &self.tables.layout.dof_start;
        let summary = self
            .islands
            .solve(&step, starts, &mut self.v_hat, &mut self.results)
            .map_err(|failure| self.failure(*failure))?;
        // Half-solved impulses must not move anything.
        if self.stop.as_ref().is_some_and(StopFlag::is_raised) {
            return Err(SimError::Interrupted);
        }
        self.report.rows = summary.rows;
        self.report.islands = summary.islands;
        self.report.iterations = summary.iterations;
        self.report.residual = summary.residual;
        self.report.delayed_pushes = summary.delayed_pushes;
        self.report.unconverged = summary.unconverged;
        self.report.outcome = summary.outcome;
        self.report.stages.solve += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Solves, and again as long as a mechanism [revises](crate::Mechanism::revise) its equations.
    fn solve_and_revise(&mut self) -> Result<()> {
        self.solve()?;
        while self.revise()? {
            self.solve()?;
        }
        Ok(())
    }

    fn revise(&mut self) -> Result<bool> {
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: (self.places.advance > 0.0).then_some(&self.v_hat),
        };
        let mut is_revised = false;
        for mechanism in self.mechanisms.iter_mut() {
            is_revised |= mechanism.revise(&now, &self.v_hat)?;
        }
        Ok(is_revised)
    }

    /// Stage 5: v̂ → q⁺, v⁺; forces and statistics.
    ///
    /// # Errors
    /// [`SimError::Step`] when the new state is not finite; the state is then as it was.
    pub fn integrate(&mut self) -> Result<()> {
        let clock = Instant::now();
        self.next.copy_from(&self.state);
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: (self.places.advance > 0.0).then_some(&self.v_hat),
        };
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.advance(&now, &self.v_hat, &mut self.next)?;
        }
        self.advance_actuators();
        self.check_next()?;
        self.next.time = self.state.time + self.settings.time_step;
        self.next.step = self.state.step + 1;
        self.keep_last_step();
        self.state.copy_from(&self.next);
        self.warm_start.store(&self.rows, self.last.results());
        self.commands.clear_forces();
        self.refresh()?;
        self.report.outran = self.count_outran();
        self.measure_contacts();
        self.measure_energy()?;
        self.report.time = self.state.time;
        self.report.stages.integrate += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Refuses a new state that is not finite.
    fn check_next(&self) -> Result<()> {
        if self.next.is_finite() {
            return Ok(());
        }
        let next = &self.next;
        let lost = self.tables.layout.elements.iter().filter(|element| {
            !are_finite(&next.q[element.q.clone()])
                || !are_finite(&next.v[element.v.clone()])
                || !are_finite(&next.memory[element.memory.clone()])
        });
        Err(SimError::Step(Box::new(StepFailure {
            step: self.state.step,
            time: self.state.time,
            bodies: lost.map(|element| element.name.clone()).collect(),
            reason: "the new positions or velocities are not finite".to_owned(),
            advice: "try a smaller time step, or check forces and gains",
            problem: None,
        })))
    }

    fn failure(&self, failure: IslandFailure) -> SimError {
        let is_member = |subsystem: usize| failure.members.contains(&subsystem);
        let motions = self.places.frames.motion.iter();
        let mut bodies: Vec<String> = self
            .tables
            .bodies
            .iter()
            .zip(motions)
            .filter(|(_, motion)| motion.subsystem().is_some_and(is_member))
            .map(|(body, _)| body.name.clone())
            .collect();
        if bodies.is_empty() {
            // What has no bodies is named by its part of the state.
            let layout = &self.tables.layout;
            let elements = layout.elements.iter().filter(|element| {
                let holds = |&member: &usize| element.v.contains(&layout.dof_start[member]);
                failure.members.iter().any(holds)
            });
            bodies = elements.map(|element| element.name.clone()).collect();
        }
        SimError::Step(Box::new(StepFailure {
            step: self.state.step,
            time: self.state.time,
            bodies,
            reason: failure.reason,
            advice: "try a smaller time step or another solver",
            problem: failure.problem,
        }))
    }
}

/// Speed of the fastest point of a collider, m/s.
fn speed(geometry: &Geometry, reach: f64, places: &Places) -> f64 {
    let of_frame = |frame: u32| {
        let twist = &places.frames.twist[frame as usize];
        twist.linear.norm() + twist.angular.norm() * reach
    };
    match geometry {
        Geometry::Rigid { frame, .. } => of_frame(*frame),
        Geometry::Chain { frames, .. } => frames
            .iter()
            .map(|&frame| of_frame(frame))
            .fold(0.0, f64::max),
        Geometry::Surface { nodes, .. } | Geometry::Points { nodes, .. } => {
            let velocity = &places.nodes.velocity;
            let speeds = nodes.iter().map(|&node| velocity[node as usize].norm());
            speeds.fold(0.0, f64::max)
        }
    }
}

/// Half the smallest extent of a collider, m.
fn half_thickness(geometry: &Geometry) -> f64 {
    match geometry {
        Geometry::Rigid { shape, .. } => {
            let bounds = shape.bounds();
            0.5 * (bounds.max - bounds.min).min()
        }
        Geometry::Chain { radius, .. } | Geometry::Points { radius, .. } => *radius,
        Geometry::Surface { depth, .. } => *depth,
    }
}
