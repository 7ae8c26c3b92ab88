//! One time step, from top to bottom.
//!
//! state q, v → poses → contacts; equations of motion A, b; names of all constraints → islands, which
//! write A, b, J and e in place and solve → v̂, λ → new q, v. Each stage is public: who wants another
//! order calls them in it.

mod account;
mod contacts;
mod free_paths;
mod halving;
mod impact_parts;
mod locked;
mod passes;
mod projection;
mod report;
mod rows;
mod speeds;
mod stiffness;
mod tree_account;

pub use report::{ContactForce, ContactMode, JointErrors, StageTimes, StepReport};

pub(crate) use account::Account;
pub(crate) use contacts::{Contacts, relative_velocity, touches};
pub(crate) use free_paths::FreePaths;
pub(crate) use halving::WholeStep;
pub(crate) use projection::Projection;
pub(crate) use rows::RowKind;

use std::time::{Duration, Instant};

use stiction_collision::{Detector, Geometry, PlacesView};
use stiction_constraints::{Budget, StopFlag};
use stiction_islands::{IslandFailure, StartVelocity, StepContext};
use stiction_modeling::{Motion, Places, Scheme};

use crate::body::{Body, Kind};
use crate::error::{Result, SimError, StepFailure};
use crate::ledger::WorldEnergy;
use crate::mechanism::{Now, StepWork};
use crate::robot::{Robot, RobotHandle};
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
        // A step that the midpoint rule cannot follow is made in parts, or by implicit Euler.
        let theta = self.settings.theta;
        let result = self.try_step();
        self.settings.theta = theta;
        match result {
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
        self.move_through()
    }

    /// Stage 1: controllers set their commands, and actuators follow their controls.
    ///
    /// # Errors
    /// What a controller reports, and an actuator whose force is not finite.
    pub fn control(&mut self) -> Result<()> {
        let clock = Instant::now();
        self.report.stages = StageTimes::default();
        if self.energy.is_none() || !self.last.is_known {
            self.energy = Some(self.energy_now()?);
        }
        let time = self.settings.step_time.map(Duration::from_secs_f64);
        self.deadline = time.and_then(|time| clock.checked_add(time));
        self.open_account();
        let result = self.run_drives();
        self.take_driven_velocities();
        self.report.stages.control += clock.elapsed().as_secs_f64();
        result
    }

    /// Driven frames move in this step as they are told.
    fn take_driven_velocities(&mut self) {
        for (frame, motion) in self.places.frames.motion.iter().enumerate() {
            if *motion == Motion::Driven {
                self.places.frames.twist[frame] = self.commands.inputs.driven[frame];
            }
        }
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
        self.prepare_soft_contacts()?;
        self.stiffen();
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

    /// What contacts and limits need to know of bodies and joints where the solver wants them soft.
    fn prepare_soft_contacts(&mut self) -> Result<()> {
        for handle in &self.robots {
            if let Some(robot) = self.mechanisms.typed_mut::<Robot>(handle.index) {
                robot.give_way(self.contacts.soft)?;
            }
        }
        let count = self.tables.bodies.len();
        if self.contacts.soft.is_none() || self.contacts.inverse_masses.len() == count {
            return Ok(());
        }
        let mut of_robots = Vec::new();
        for robot in 0..self.robots.len() {
            of_robots.push(self.robot(RobotHandle(robot))?.inverse_masses()?);
        }
        let of = |body: &Body| match body.kind {
            Kind::Scenery(_) => 0.0,
            Kind::Free(_) => 1.0 / body.mass,
            Kind::Link { robot, link } => of_robots
                .get(robot)
                .and_then(|links: &Vec<f64>| links.get(link))
                .copied()
                .unwrap_or(f64::NAN),
            Kind::Other { .. } => f64::NAN,
        };
        self.contacts.inverse_masses = self.tables.bodies.iter().map(of).collect();
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
            time_limit: self.settings.solver_time.map(Duration::from_secs_f64),
            // Whoever limits iterations or time wants a step that takes no longer.
            rescue: self.settings.max_iterations.is_none() && self.settings.solver_time.is_none(),
            stop: self.stop.clone(),
            all_residuals: false,
            ..Budget::with_tolerance(self.settings.tolerance)
        };
        let scheme = self.settings.scheme();
        let mut rows = std::mem::take(&mut self.rows);
        self.assembly(&scheme).list(&mut rows);
        self.rows = rows;
        self.v_hat.resize(self.state.v.len(), 0.0);
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: None,
        };
        let mut paths = free_paths::Step {
            rows: &self.rows,
            layout: &self.tables.layout,
            now,
            mechanisms: &mut self.mechanisms,
            v_hat: &mut self.v_hat,
        };
        self.free_paths.take_untouched(&mut paths, &self.tendons)?;
        self.take_clear_joined_paths()?;
        let assembly = WorldAssembly {
            mechanisms: &self.mechanisms,
            layout: &self.tables.layout,
            contacts: &self.contacts,
            connections: &self.connections,
            tendons: &self.tendons,
            places: &self.places,
            scheme: &scheme,
        };
        let warm = self.settings.warm_start.then_some(&self.warm_start);
        let policy = &self.settings.overlaps;
        let step = StepContext::new(&self.rows, &assembly, warm, policy, &budget);
        let step = step.until(self.deadline).starting_with(StartVelocity {
            velocity: &self.state.v,
            theta: scheme.theta,
        });
        self.islands.group(
            &step,
            self.tables.layout.subsystem_count(),
            self.settings.islands,
            &self.make_solver,
        );
        let starts = &self.tables.layout.dof_start;
        let summary = self
            .islands
            .solve(&step, starts, &mut self.v_hat, &mut self.results)
            .map_err(|failure| self.failure(*failure))?;
        // Half-solved impulses must not move anything.
        if self.stop.as_ref().is_some_and(StopFlag::is_raised) {
            return Err(SimError::Interrupted);
        }
        self.has_way = summary.has_way;
        self.is_pushed = summary.is_pushed;
        self.strike = summary.strike;
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: None,
        };
        let mut paths = free_paths::Step {
            rows: &self.rows,
            layout: &self.tables.layout,
            now,
            mechanisms: &mut self.mechanisms,
            v_hat: &mut self.v_hat,
        };
        self.free_paths
            .take_open(&mut paths, &mut self.islands, &self.results)?;
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
        if self.revise_actuators() {
            self.assemble()?;
            return Ok(true);
        }
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

    fn assembly<'a>(&'a self, scheme: &'a Scheme) -> WorldAssembly<'a> {
        WorldAssembly {
            mechanisms: &self.mechanisms,
            layout: &self.tables.layout,
            contacts: &self.contacts,
            connections: &self.connections,
            tendons: &self.tendons,
            places: &self.places,
            scheme,
        }
    }

    /// Stage 5: v̂ → q⁺, v⁺; forces and statistics.
    ///
    /// # Errors
    /// [`SimError::Step`] when the new state is not finite; the state is then as it was.
    pub fn integrate(&mut self) -> Result<()> {
        self.find_end()?;
        self.take_effect()?;
        self.end_step();
        Ok(())
    }

    /// The state at the end of the step, joints put right.
    fn find_end(&mut self) -> Result<()> {
        let clock = Instant::now();
        self.take_joined_paths()?;
        self.next.copy_from(&self.state);
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: (self.places.advance > 0.0).then_some(&self.v_hat),
        };
        if self.has_way {
            // Positions go another way than with v̂.
            self.way.clone_from(&self.v_hat);
            let starts = &self.tables.layout.dof_start;
            self.islands.write_way(starts, &mut self.way);
            for mechanism in self.mechanisms.iter_mut() {
                mechanism.advance(&now, &self.way, &mut self.next)?;
            }
            self.passing.clone_from(&self.next.q);
            self.next.copy_from(&self.state);
        }
        let mut work = StepWork::default();
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.advance(&now, &self.v_hat, &mut self.next)?;
            work += mechanism.step_work();
        }
        if self.has_way {
            // The other way round where it is needed later: positions without pushes.
            std::mem::swap(&mut self.next.q, &mut self.passing);
        }
        if self.is_pushed {
            self.plain.clone_from(&self.passing);
        }
        self.report.substeps = work.substeps;
        self.report.staged_trees = work.staged;
        self.report.energy_taken = work.taken;
        self.advance_actuators();
        self.check_next()?;
        self.next.time = self.state.time + self.settings.time_step;
        self.next.step = self.state.step + 1;
        self.keep_last_step();
        self.add_up_work();
        self.is_pushed_apart = self.is_pushed;
        self.project()?;
        let taken = self.report.energy_taken;
        self.settle_tree_accounts()?;
        self.report.energy.account -= self.report.energy_taken - taken;
        self.settle_account()?;
        self.report.stages.integrate += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Goes to the end of the step, and measures there.
    fn take_effect(&mut self) -> Result<()> {
        let clock = Instant::now();
        let before = self.energy.take();
        self.state.copy_from(&self.next);
        self.warm_start.store(&self.rows, self.last.results());
        self.refresh()?;
        self.report.outran = self.count_outran();
        self.measure_contacts();
        self.measure_joints();
        self.measure_energy(before)?;
        self.report.time = self.state.time;
        self.report.stages.integrate += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Forgets what acted in the step.
    fn end_step(&mut self) {
        self.commands.clear_forces();
        self.forget_begun_step();
    }

    /// Energies at the end of the step, and who changed them since its start.
    fn measure_energy(&mut self, before: Option<WorldEnergy>) -> Result<()> {
        self.add_direct_work();
        let after = self.energy_now()?;
        if self.is_pushed {
            self.report.energy.projection = self.projection_work(&after)?;
        }
        self.close_ledger(&before.unwrap_or(after), &after);
        self.energy = Some(after);
        self.report.kinetic_energy = after.kinetic;
        self.report.potential_energy = after.potential();
        Ok(())
    }

    /// Refuses a new state that is not finite, and speeds that no machine has.
    fn check_next(&self) -> Result<()> {
        if self.next.is_finite() {
            return self.check_speeds();
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
