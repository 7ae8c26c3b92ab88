//! Bodies that touch, directly or through others, form an island. Islands are solved apart and
//! stop apart.

use nalgebra::Matrix6;
use rayon::prelude::*;
use stiction_constraints::{
    Budget, Criterion, Failure, Law, Outcome, Problem, ProblemError, Report, Residuals, RowBlock,
    Solution, Solver, Stall, Subsystem, Tree, Yardstick,
};

use crate::hold::Hold;
use crate::push_out::{self, Choice, PushOut};
use crate::rows::{Row, RowBuffer, Term};
use crate::warm_start::{Guess, WarmStart};

/// A and b of one subsystem in this step.
#[derive(Debug, Clone)]
pub(crate) struct SubsystemData {
    pub(crate) matrix: SubsystemMatrix,
    pub(crate) b: Vec<f64>,
    /// v̂, found by the solver.
    pub(crate) velocity: Vec<f64>,
}

/// A of one subsystem.
#[derive(Debug, Clone)]
pub(crate) enum SubsystemMatrix {
    FreeBody(Matrix6<f64>),
    Tree(Tree),
}

impl SubsystemData {
    fn subsystem(&self) -> Subsystem {
        match &self.matrix {
            SubsystemMatrix::FreeBody(inertia) => Subsystem::FreeBody(*inertia),
            SubsystemMatrix::Tree(tree) => Subsystem::Tree(tree.clone()),
        }
    }

    fn copy_into(&self, target: &mut Subsystem) {
        match (&self.matrix, target) {
            (SubsystemMatrix::FreeBody(inertia), Subsystem::FreeBody(to)) => *to = *inertia,
            (SubsystemMatrix::Tree(tree), Subsystem::Tree(to)) => to.copy_values_from(tree),
            (_, target) => *target = self.subsystem(),
        }
    }
}

/// One island with its problem and its solver, which keeps its workspace from step to step.
struct Island {
    members: Vec<usize>,
    rows: Vec<usize>,
    /// Rows that are not part of the problem, see [`Row::is_dormant`].
    dormant: Vec<usize>,
    push_out: PushOut,
    /// The members for which `problem` has its subsystems.
    built: Vec<usize>,
    problem: Problem,
    solution: Solution,
    /// λ that the last solve began with; empty where it began cold.
    guess: Vec<f64>,
    solver: Box<dyn Solver>,
    /// Whether the last guess was good.
    is_settled: bool,
    result: Result<Option<Report>, ProblemError>,
}

/// Constraints beside those of the largest island from which on islands are solved in parallel:
/// about 0.1 ms of work.
const WORTH_THREADS: usize = 30;

/// A guess is taken as it is if its residual is the tolerance times this, in two steps in a row. What
/// is let pass comes back in the next step: at the whole tolerance bodies creep, and an impulse that has
/// just stopped a motion, passed as the guess of what is now at rest, starts another.
const GOOD_GUESS: f64 = 0.1;

/// Times the energy without constraints that no attempt at a solution may have: constraints take energy
/// away, but for pushes and stabilisation.
const ABSURD: f64 = 1e6;

/// Makes the solver of a new island.
pub(crate) type MakeSolver = Box<dyn Fn() -> Box<dyn Solver> + Send + Sync>;

/// What a solver was given in the last step.
#[derive(Debug, Clone, Copy)]
pub struct SolvedProblem<'a> {
    /// The contact problem of one island, after everything that the step chose about it.
    pub problem: &'a Problem,
    /// λ that the solver began with; `None` where it began without.
    pub guess: Option<&'a [f64]>,
}

/// The islands of a world.
#[derive(Default)]
pub(crate) struct Islands {
    /// Union–find over subsystems; a root is the smallest member.
    parent: Vec<usize>,
    /// By root.
    slots: Vec<Option<Box<Island>>>,
    /// Roots of this step's islands, ascending.
    active: Vec<usize>,
}

/// What solving gave, over all islands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SolveSummary {
    pub(crate) islands: usize,
    pub(crate) iterations: usize,
    pub(crate) residual: f64,
    pub(crate) held_contacts: usize,
    pub(crate) unconverged: usize,
    pub(crate) outcome: Option<Outcome>,
}

/// An island that could not be solved.
pub(crate) struct IslandFailure {
    pub(crate) members: Vec<usize>,
    pub(crate) reason: String,
    /// What the solver could not solve; `None` if it could not even be written down.
    pub(crate) problem: Option<Box<Problem>>,
}

impl Islands {
    /// Forgets all solvers, for example because another is wanted.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
    }

    /// Deals subsystems and constraints out to islands, or all to one.
    pub(crate) fn build(
        &mut self,
        subsystems: &[SubsystemData],
        rows: &RowBuffer,
        apart: bool,
        make: &MakeSolver,
    ) {
        self.parent.clear();
        self.parent.extend(0..subsystems.len());
        for row in &rows.rows {
            if let [Some(a), Some(b)] = &row.terms {
                self.join(a.subsystem(), b.subsystem());
            }
        }
        if !apart {
            (1..subsystems.len()).for_each(|subsystem| self.join(0, subsystem));
        }
        self.slots.resize_with(subsystems.len(), || None);
        for island in self.slots.iter_mut().flatten() {
            island.members.clear();
            island.rows.clear();
            island.dormant.clear();
        }
        for (index, row) in rows.rows.iter().enumerate() {
            if let Some(term) = row.terms.iter().flatten().next() {
                let root = self.root(term.subsystem());
                let island = self.island(root, make);
                match row.is_dormant {
                    true => island.dormant.push(index),
                    false => island.rows.push(index),
                }
            }
        }
        self.active.clear();
        for subsystem in 0..subsystems.len() {
            let root = self.root(subsystem);
            let is_touched = self.slots[root]
                .as_ref()
                .is_some_and(|island| !island.rows.is_empty());
            // A robot on its own still needs A⁻¹ b; a free body in flight does not.
            let is_tree = matches!(subsystems[subsystem].matrix, SubsystemMatrix::Tree(_));
            if is_touched || is_tree {
                if root == subsystem {
                    self.active.push(root);
                }
                self.island(root, make).members.push(subsystem);
            }
        }
    }

    /// Solves every island, in parallel where there are several; the result does not depend on
    /// the threads.
    pub(crate) fn solve(
        &mut self,
        subsystems: &mut [SubsystemData],
        rows: &mut RowBuffer,
        warm: Option<&WarmStart>,
        budget: &Budget,
    ) -> Result<SolveSummary, Box<IslandFailure>> {
        let data = &*subsystems;
        let buffer = &*rows;
        let run = |island: &mut Box<Island>| island.solve(data, buffer, warm, budget);
        if self.is_worth_threads() {
            self.slots
                .par_iter_mut()
                .flatten()
                .filter(|island| !island.members.is_empty())
                .for_each(run);
        } else {
            self.slots
                .iter_mut()
                .flatten()
                .filter(|island| !island.members.is_empty())
                .for_each(run);
        }
        let mut summary = SolveSummary::default();
        for &root in &self.active {
            if let Some(island) = &self.slots[root] {
                island.check()?;
                island.store(subsystems, rows, &mut summary);
            }
        }
        Ok(summary)
    }

    /// What the solvers were given last, islands without constraints left out.
    pub(crate) fn problems(&self) -> impl Iterator<Item = SolvedProblem<'_>> {
        let islands = self
            .active
            .iter()
            .filter_map(|&root| self.slots[root].as_deref());
        islands
            .filter(|island| !island.problem.constraints().is_empty())
            .map(|island| SolvedProblem {
                problem: &island.problem,
                guess: (!island.guess.is_empty()).then_some(island.guess.as_slice()),
            })
    }

    /// Whether what is left beside the largest island outweighs waking threads up for it.
    fn is_worth_threads(&self) -> bool {
        let islands = self
            .active
            .iter()
            .filter_map(|&root| self.slots[root].as_ref());
        let (all, largest) = islands.fold((0, 0), |(all, largest), island| {
            let size = island.rows.len();
            (all + size, size.max(largest))
        });
        all - largest >= WORTH_THREADS && rayon::current_num_threads() > 1
    }

    /// Whether a subsystem is part of an island that was solved.
    pub(crate) fn is_solved(&self, subsystem: usize) -> bool {
        let root = self.root(subsystem);
        self.active.binary_search(&root).is_ok()
    }

    fn island(&mut self, root: usize, make: &MakeSolver) -> &mut Island {
        self.slots[root].get_or_insert_with(|| {
            Box::new(Island {
                members: Vec::new(),
                rows: Vec::new(),
                dormant: Vec::new(),
                push_out: PushOut::default(),
                built: Vec::new(),
                problem: Problem::new(),
                solution: Solution::cold(),
                guess: Vec::new(),
                solver: make(),
                is_settled: false,
                result: Ok(None),
            })
        })
    }

    fn root(&self, mut subsystem: usize) -> usize {
        while self.parent[subsystem] != subsystem {
            subsystem = self.parent[subsystem];
        }
        subsystem
    }

    fn join(&mut self, a: usize, b: usize) {
        let (mut a, mut b) = (self.root(a), self.root(b));
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a;
    }
}

impl Island {
    fn solve(
        &mut self,
        subsystems: &[SubsystemData],
        rows: &RowBuffer,
        warm: Option<&WarmStart>,
        budget: &Budget,
    ) {
        self.result = self.try_solve(subsystems, rows, warm, budget).map(Some);
    }

    fn try_solve(
        &mut self,
        subsystems: &[SubsystemData],
        rows: &RowBuffer,
        warm: Option<&WarmStart>,
        budget: &Budget,
    ) -> Result<Report, ProblemError> {
        let own_rows = || self.rows.iter().map(|&index| &rows.rows[index]);
        self.push_out.start(own_rows(), warm);
        let mut is_settled = self.fill(subsystems, rows, warm)?;
        let own_rows = || self.rows.iter().map(|&index| &rows.rows[index]);
        if self.push_out.ease(own_rows(), &self.problem) {
            is_settled = self.fill(subsystems, rows, warm)?;
        }
        let good_guess = GOOD_GUESS * budget.tolerance;
        let budget = Budget {
            guess_tolerance: Some(if is_settled { good_guess } else { 0.0 }),
            ..budget.clone()
        };
        let mut report = self.solve_awake(rows, &budget)?;
        for choice in [Choice::Missed, Choice::Any] {
            if !budget.rescue {
                break;
            }
            let own_rows = || self.rows.iter().map(|&index| &rows.rows[index]);
            let (problem, velocity) = (&self.problem, &self.solution.velocity);
            let choice = match self.push_out.is_violent(own_rows(), problem, velocity) {
                true => Choice::Any,
                false if report.outcome.is_converged() => break,
                false => choice,
            };
            let tolerance = budget.tolerance;
            if !self
                .push_out
                .hold(own_rows(), problem, velocity, choice, tolerance)
            {
                break;
            }
            // Impulses that grew against what cannot be moved are no guess.
            self.fill(subsystems, rows, None)?;
            let earlier = report;
            report = self.solve_awake(rows, &budget)?;
            report.add_earlier(&earlier);
        }
        let mut own_rows = self.rows.iter().map(|&index| &rows.rows[index]);
        if !report.outcome.is_converged() || own_rows.any(push_out::is_deep) {
            self.calm(&mut report, budget.criterion);
        }
        self.is_settled = report.start_residual <= good_guess;
        Ok(report)
    }

    /// Where a solver failed so badly, or contacts at a joint contradict each other so much, that bodies
    /// would be flung away, they move on without constraints for this step, which the report says.
    fn calm(&mut self, report: &mut Report, criterion: Criterion) {
        if let Some(motion) = push_out::motion(&self.problem, &self.solution.velocity)
            && !(motion.energy <= ABSURD * motion.free)
        {
            self.solution.velocity = motion.free_velocity;
            self.solution.impulse.fill(0.0);
            report.outcome = Outcome::stalled(Stall::NotUsed);
            let mut yardstick = Yardstick::default();
            if yardstick.update(&self.problem).is_ok() {
                let residual = yardstick.measure(&self.problem, &self.solution.impulse, criterion);
                report.residuals = Residuals::only(criterion, residual);
            }
        }
    }

    /// Solves, again where dormant constraints turn out to matter.
    fn solve_awake(&mut self, rows: &RowBuffer, budget: &Budget) -> Result<Report, ProblemError> {
        let mut report = self.solve_once(budget);
        while self.wake(rows)? {
            let earlier = report;
            report = self.solve_once(budget);
            report.add_earlier(&earlier);
        }
        Ok(report)
    }

    fn solve_once(&mut self, budget: &Budget) -> Report {
        self.guess.clone_from(&self.solution.impulse);
        self.solver.solve(&self.problem, budget, &mut self.solution)
    }

    /// Writes the island's problem and the guess; whether all of the guess is settled.
    fn fill(
        &mut self,
        subsystems: &[SubsystemData],
        rows: &RowBuffer,
        warm: Option<&WarmStart>,
    ) -> Result<bool, ProblemError> {
        self.problem.clear_constraints();
        if self.built == self.members {
            for (index, &member) in self.members.iter().enumerate() {
                let data = &subsystems[member];
                self.problem
                    .update_subsystem(index, &data.b, |target| data.copy_into(target))?;
            }
        } else {
            self.built.clear();
            self.problem = Problem::new();
            for &member in &self.members {
                let data = &subsystems[member];
                self.problem.push_subsystem(data.subsystem(), &data.b)?;
            }
            self.built.extend_from_slice(&self.members);
        }
        self.solution.clear();
        let mut is_settled = true;
        for position in 0..self.rows.len() {
            let row = &rows.rows[self.rows[position]];
            self.push_constraint(row, self.push_out.error(position, row), rows)?;
            let guess = warm.map_or(Guess::NONE, |warm| warm.guess(row));
            let impulse = &guess.impulse[..row.count];
            self.solution.impulse.extend_from_slice(impulse);
            is_settled &= guess.is_settled;
        }
        if warm.is_none() {
            self.solution.clear();
        }
        Ok(is_settled)
    }

    fn push_constraint(
        &mut self,
        row: &Row,
        error: [f64; 3],
        rows: &RowBuffer,
    ) -> Result<(), ProblemError> {
        let nothing = RowBlock::Dofs {
            dofs: &[],
            values: &[],
        };
        let mut blocks = [(0, nothing); 2];
        let mut count = 0;
        for term in row.terms.iter().flatten() {
            blocks[count] = self.block(term, row.count, rows);
            count += 1;
        }
        self.problem
            .push_constraint(row.law, &error[..row.count], &blocks[..count])?;
        Ok(())
    }

    /// Adds the dormant constraints that v̂ does not obey to the problem; whether there were any.
    /// The impulses found stay as the guess.
    fn wake(&mut self, rows: &RowBuffer) -> Result<bool, ProblemError> {
        if self.solution.velocity.len() != self.problem.dof_count() {
            return Ok(false);
        }
        let first = self.rows.len();
        let mut dormant = std::mem::take(&mut self.dormant);
        dormant.retain(|&index| {
            let is_obeyed = self.is_obeyed(&rows.rows[index], rows);
            if !is_obeyed {
                self.rows.push(index);
            }
            is_obeyed
        });
        self.dormant = dormant;
        for position in first..self.rows.len() {
            let row = &rows.rows[self.rows[position]];
            self.push_out.push_unpushed();
            self.push_constraint(row, row.error, rows)?;
            self.solution.impulse.resize(self.problem.row_count(), 0.0);
        }
        Ok(self.rows.len() > first)
    }

    /// Whether v̂ obeys a dormant constraint without an impulse of it.
    fn is_obeyed(&self, row: &Row, rows: &RowBuffer) -> bool {
        let Law::JointLimit { lower, upper } = row.law else {
            return false;
        };
        let mut velocity = row.error[0];
        for term in row.terms.iter().flatten() {
            let (member, block) = self.block(term, row.count, rows);
            let RowBlock::Dofs { dofs, values } = block else {
                return false;
            };
            let found = &self.solution.velocity[self.problem.dof_starts()[member]..];
            let products = dofs
                .iter()
                .zip(values)
                .map(|(&dof, value)| value * found[dof]);
            velocity += products.sum::<f64>();
        }
        // What is not a number is no business of a limit: the island is refused afterwards.
        !(velocity < lower || velocity > upper)
    }

    fn block<'a>(
        &self,
        term: &'a Term,
        count: usize,
        rows: &'a RowBuffer,
    ) -> (usize, RowBlock<'a>) {
        let local = |subsystem| self.members.partition_point(|&member| member < subsystem);
        match term {
            Term::Body {
                subsystem,
                body,
                block,
            } => (
                local(*subsystem),
                RowBlock::Body {
                    body: *body,
                    values: &rows.blocks[*block][..6 * count],
                },
            ),
            Term::Dofs {
                subsystem,
                first,
                count,
            } => (
                local(*subsystem),
                RowBlock::Dofs {
                    dofs: &rows.dofs[*first..first + count],
                    values: &rows.values[*first..first + count],
                },
            ),
        }
    }

    /// Refuses a result that cannot be used.
    fn check(&self) -> Result<(), Box<IslandFailure>> {
        let fail_with = |reason: String, problem: Option<Box<Problem>>| {
            Err(Box::new(IslandFailure {
                members: self.members.clone(),
                reason,
                problem,
            }))
        };
        let fail = |reason: String| fail_with(reason, Some(Box::new(self.problem.clone())));
        let report = match &self.result {
            Err(error) => return fail_with(error.to_string(), None),
            Ok(None) => return Ok(()),
            Ok(Some(report)) => report,
        };
        let finite = self.solution.velocity.iter().all(|value| value.is_finite());
        let fits = self.solution.velocity.len() == self.problem.dof_count();
        match &report.outcome {
            Outcome::Failed(Failure::Stalled(_)) if finite && fits => Ok(()),
            Outcome::Failed(failure) => fail(failure.to_string()),
            _ if finite && fits => Ok(()),
            _ => fail("the solver returned values that are not finite".to_owned()),
        }
    }

    fn store(
        &self,
        subsystems: &mut [SubsystemData],
        rows: &mut RowBuffer,
        summary: &mut SolveSummary,
    ) {
        let starts = self.problem.dof_starts();
        for (index, &member) in self.members.iter().enumerate() {
            let velocity = &self.solution.velocity[starts[index]..starts[index + 1]];
            subsystems[member].velocity.copy_from_slice(velocity);
        }
        let constraints = self.problem.constraints().iter();
        let holds = self.push_out.holds();
        for ((constraint, &index), hold) in constraints.zip(&self.rows).zip(holds) {
            let row = &mut rows.rows[index];
            row.impulse = constraint.load(&self.solution.impulse).into();
            row.is_settled = self.is_settled;
            // A contact that was pushed apart, however long it was held before, is forgiven.
            row.hold = match hold.is_on() {
                true => hold.one_step_on(),
                false => Hold::NONE,
            };
        }
        summary.held_contacts += self.push_out.held_count();
        if let Ok(Some(report)) = &self.result {
            summary.islands += 1;
            let iterations = report.iterations.max(report.inner_iterations);
            summary.iterations = summary.iterations.max(iterations);
            summary.residual = summary.residual.max(report.residuals.scaled);
            if !report.outcome.is_converged() {
                summary.unconverged += 1;
                summary.outcome = Some(report.outcome.clone());
            }
        }
    }
}
