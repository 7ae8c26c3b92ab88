//! One time step, from top to bottom.
//!
//! state q, v → equations of motion A, b; poses → contacts → rows; A, b, rows → solver → v̂, λ →
//! new q, v. Each stage is public: who wants another order calls them in it.

use std::time::Instant;

use stiction_collision::{Detector, PlacesView};
use stiction_constraints::{Budget, StopFlag};

use crate::body::Kind;
use crate::contact_rows::{bodies_of, push_contacts};
use crate::error::{Result, SimError, StepFailure};
use crate::island::IslandFailure;
use crate::report::{StageTimes, StepReport};
use crate::tendon::TendonContext;
use crate::world::World;

impl World {
    /// Moves the world on by one time step.
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
        self.solve()?;
        for _ in 0..self.settings.relinearizations {
            self.relinearize()?;
            self.detect_contacts()?;
            self.assemble()?;
            self.solve()?;
        }
        self.integrate()
    }

    /// Stage 1: controllers set their commands.
    ///
    /// # Errors
    /// What a controller reports.
    pub fn control(&mut self) -> Result<()> {
        let clock = Instant::now();
        self.report.stages = StageTimes::default();
        let mut controllers = std::mem::take(&mut self.controllers);
        let mut commands = std::mem::take(&mut self.commands);
        let result = controllers
            .iter_mut()
            .try_for_each(|controller| controller.control(self, &mut commands));
        self.controllers = controllers;
        self.commands = commands;
        for (index, body) in self.bodies.iter().enumerate() {
            if body.kind == Kind::Driven {
                self.placement.twists[index] = self.commands.driven[index];
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
        self.travel.clear();
        for (collider, reach) in self.colliders.as_slice().iter().zip(&self.reach) {
            let frame = collider.frame().unwrap_or(0) as usize;
            let twist = &self.placement.twists[frame];
            let speed = twist.linear.norm() + twist.angular.norm() * reach;
            self.travel.push(dt * speed);
        }
        let places = PlacesView {
            poses: &self.placement.poses,
            nodes: &[],
            travel: &self.travel,
        };
        self.detector
            .detect(&self.colliders, &places, &mut self.contacts)?;
        let bodies = &self.bodies;
        self.contacts.retain(|contact| {
            let moves = |body: usize| bodies[body].kind.site().is_some();
            bodies_of(contact).into_iter().any(moves)
        });
        let deepest = self.contacts.iter().map(|contact| -contact.gap);
        self.report.penetration = deepest.fold(0.0, f64::max);
        self.report.stages.detect += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Stage 3: equations of motion and the rows of contacts, connections, joints
    /// and tendons.
    ///
    /// # Errors
    /// Materials that no law describes, numbers that are not finite.
    pub fn assemble(&mut self) -> Result<()> {
        let clock = Instant::now();
        self.assemble_free_bodies();
        self.assemble_robots()?;
        self.rows.clear();
        push_contacts(
            &self.contacts,
            &self.placement,
            &self.bodies,
            &self.settings,
            &mut self.rows,
        )?;
        for (index, connection) in self.connections.iter().enumerate() {
            connection.push_rows(
                index,
                &self.placement,
                &self.bodies,
                &self.settings,
                &mut self.rows,
            );
        }
        for (index, robot) in self.robots.iter().enumerate() {
            robot.push_rows(
                index,
                &self.state.robots[index],
                &self.settings,
                &mut self.rows,
            )?;
        }
        let context = TendonContext {
            placement: &self.placement,
            bodies: &self.bodies,
            robots: &self.robots,
            states: &self.state.robots,
            settings: &self.settings,
        };
        for (index, tendon) in self.tendons.iter_mut().enumerate() {
            let command = &self.commands.tendons[index];
            let (subsystems, rows) = (&mut self.subsystems, &mut self.rows);
            tendon.push_rows(index, &context, command, subsystems, rows);
        }
        self.report.contacts = self.contacts.len();
        self.report.rows = self.rows.rows.iter().map(|row| row.count).sum();
        self.report.stages.assemble += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Stage 4: v̂ and λ, island by island.
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
        self.islands.build(
            &self.subsystems,
            &self.rows,
            self.settings.islands,
            &self.make_solver,
        );
        let warm = self.settings.warm_start.then_some(&self.warm_start);
        let summary = self
            .islands
            .solve(&mut self.subsystems, &mut self.rows, warm, &budget)
            .map_err(|failure| self.failure(*failure))?;
        // Half-solved impulses must not move anything.
        if self.stop.as_ref().is_some_and(StopFlag::is_raised) {
            return Err(SimError::Interrupted);
        }
        self.fly_free_bodies();
        self.report.islands = summary.islands;
        self.report.iterations = summary.iterations;
        self.report.residual = summary.residual;
        self.report.held_contacts = summary.held_contacts;
        self.report.unconverged = summary.unconverged;
        self.report.outcome = summary.outcome;
        self.report.stages.solve += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Stage 5: v̂ → q⁺, v⁺; forces and statistics.
    ///
    /// # Errors
    /// [`SimError::Step`] when the new state is not finite; the state is then as it was.
    pub fn integrate(&mut self) -> Result<()> {
        let clock = Instant::now();
        self.next.copy_from(&self.state);
        self.integrate_bodies();
        self.integrate_robots()?;
        self.check_next()?;
        self.next.time = self.state.time + self.settings.time_step;
        self.next.step = self.state.step + 1;
        std::mem::swap(&mut self.state, &mut self.next);
        self.warm_start.store(&self.rows.rows);
        self.last_wrenches.clone_from(&self.commands.wrenches);
        self.has_previous = true;
        self.commands.clear_forces();
        self.refresh()?;
        self.measure_contacts();
        self.measure_energy()?;
        self.report.time = self.state.time;
        self.report.stages.integrate += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Refuses a new state that is not finite.
    fn check_next(&self) -> Result<()> {
        let lost: Vec<String> = self
            .bodies
            .iter()
            .zip(&self.next.bodies)
            .filter(|(_, state)| !state.is_finite())
            .map(|(body, _)| body.name.clone())
            .chain(
                self.robots
                    .iter()
                    .zip(&self.next.robots)
                    .filter(|(_, state)| !state.is_finite())
                    .map(|(robot, _)| robot.name.clone()),
            )
            .collect();
        if lost.is_empty() {
            return Ok(());
        }
        Err(SimError::Step(Box::new(StepFailure {
            step: self.state.step,
            time: self.state.time,
            bodies: lost,
            reason: "the new positions or velocities are not finite".to_owned(),
            advice: "try a smaller time step, or check forces and gains",
            problem: None,
        })))
    }

    fn failure(&self, failure: IslandFailure) -> SimError {
        let is_member = |kind: Kind| {
            let site = kind.site();
            site.is_some_and(|(subsystem, _)| failure.members.contains(&subsystem))
        };
        let bodies = self.bodies.iter().filter(|body| is_member(body.kind));
        SimError::Step(Box::new(StepFailure {
            step: self.state.step,
            time: self.state.time,
            bodies: bodies.map(|body| body.name.clone()).collect(),
            reason: failure.reason,
            advice: "try a smaller time step or another solver",
            problem: failure.problem,
        }))
    }
}
