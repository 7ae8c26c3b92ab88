//! Subsystems that touch, directly or through others, form an island. Islands are solved apart and
//! stop apart.

use std::time::Instant;

use rayon::prelude::*;
use stiction_constraints::{Budget, Outcome, Problem, RowBlock, Solver};

use crate::assembly::{Assembly, RowResult};
use crate::island::Island;
use crate::obedience::Obedience;
use crate::policy::OverlapPolicy;
use crate::rows::RowList;
use crate::warm_start::WarmStart;

/// Constraints beside those of the largest island from which on islands are solved in parallel:
/// about 0.1 ms of work.
const WORTH_THREADS: usize = 30;

/// Of a subsystem that is in no island.
const NOWHERE: u32 = u32::MAX;

/// Makes the solver of a new island.
pub type MakeSolver = Box<dyn Fn() -> Box<dyn Solver> + Send + Sync>;

/// What a solver was given in the last step.
#[derive(Debug, Clone, Copy)]
pub struct SolvedProblem<'a> {
    /// The contact problem of one island, after everything that the step chose about it.
    pub problem: &'a Problem,
    /// λ that the solver began with; `None` where it began without.
    pub guess: Option<&'a [f64]>,
}

/// What solving gave, over all islands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolveSummary {
    /// Islands solved.
    pub islands: usize,
    /// Constraint rows, inactive ones included.
    pub rows: usize,
    /// Most iterations of an island.
    pub iterations: usize,
    /// Largest scaled residual of an island, m/s.
    pub residual: f64,
    /// Contacts of bodies that overlap and cannot be pushed apart: they are held as they are.
    pub delayed_pushes: usize,
    /// Islands whose solver did not reach the tolerance.
    pub unconverged: usize,
    /// How the last of those ended.
    pub outcome: Option<Outcome>,
    /// Whether something goes through the step otherwise than with v̂, see [`Islands::write_way`].
    pub has_way: bool,
    /// Whether that is because something is pushed back.
    pub is_pushed: bool,
    /// The first impact with restitution, as a share of the change of velocities in the step, see
    /// [`Strike::share`](crate::Strike::share).
    pub strike: Option<f64>,
}

/// Velocities at the start of a step.
#[derive(Debug, Clone, Copy)]
pub struct StartVelocity<'a> {
    /// Of all subsystems, as v̂.
    pub velocity: &'a [f64],
    /// θ of v̂ = θ v + (1 − θ) v⁺.
    pub theta: f64,
}

impl StartVelocity<'_> {
    /// (v + v⁺)/2 of one degree of freedom from v and v̂.
    pub fn mean(&self, before: f64, v_hat: f64) -> f64 {
        0.5 * (before + (v_hat - self.theta * before) / (1.0 - self.theta))
    }
}

/// An island that could not be solved.
#[derive(Debug, Clone)]
pub struct IslandFailure {
    /// Its subsystems.
    pub members: Vec<usize>,
    /// What happened.
    pub reason: String,
    /// What the solver could not solve; `None` if it could not even be written down.
    pub problem: Option<Box<Problem>>,
}

/// What every island of a step sees.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The constraints.
    pub rows: &'a RowList,
    /// Who writes the numbers.
    pub assembly: &'a dyn Assembly,
    /// Impulses of the last step; `None` begins cold.
    pub warm: Option<&'a WarmStart>,
    /// What is done about overlaps.
    pub policy: &'a OverlapPolicy,
    /// What each island may spend.
    pub budget: &'a Budget,
    /// When solvers stop with what they have; `None` for no limit.
    pub deadline: Option<Instant>,
    /// Velocities before the step, for the work of constraints; `None` for a problem that is no step in
    /// time: then v̂ is the only answer, pushes and all.
    pub start: Option<StartVelocity<'a>>,
    /// For each subsystem its index in the problem of its island; set by [`Islands::solve`].
    pub(crate) local: &'a [u32],
    /// First degree of freedom of each subsystem; set by [`Islands::solve`].
    pub(crate) dof_start: &'a [usize],
}

impl<'a> StepContext<'a> {
    /// What the islands of a step see.
    pub fn new(
        rows: &'a RowList,
        assembly: &'a dyn Assembly,
        warm: Option<&'a WarmStart>,
        policy: &'a OverlapPolicy,
        budget: &'a Budget,
    ) -> Self {
        Self {
            rows,
            assembly,
            warm,
            policy,
            budget,
            deadline: None,
            start: None,
            local: &[],
            dof_start: &[],
        }
    }

    /// The same with a time at which solvers stop with what they have.
    #[must_use]
    pub fn until(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// The same with velocities before the step, so that the work of constraints is measured.
    #[must_use]
    pub fn starting_with(mut self, start: StartVelocity<'a>) -> Self {
        self.start = Some(start);
        self
    }
}

/// The islands of a world. A subsystem keeps its shape from step to step: whoever has others
/// [clears](Self::clear) first.
#[derive(Default)]
pub struct Islands {
    /// Union–find over subsystems; a root is the smallest member.
    parent: Vec<usize>,
    /// By root.
    slots: Vec<Option<Box<Island>>>,
    /// Roots of this step's islands, ascending.
    active: Vec<usize>,
    /// For each subsystem its index in the problem of its island.
    local: Vec<u32>,
    obedience: Obedience,
}

impl Islands {
    /// Forgets all solvers, for example because another is wanted.
    pub fn clear(&mut self) {
        self.slots.clear();
    }

    /// Deals `count` subsystems and the constraints out to islands, or all to one unless they are
    /// solved `apart`. What nothing touches and what is [solved alone](Assembly::solves_alone) is in none.
    pub fn group(&mut self, step: &StepContext<'_>, count: usize, apart: bool, make: &MakeSolver) {
        let rows = step.rows;
        self.parent.clear();
        self.parent.extend(0..count);
        for head in rows.heads().iter().filter(|head| !head.is_settled) {
            let mut touched = rows.touched(head);
            if let Some(first) = touched.next() {
                touched.for_each(|other| self.join(first, other));
            }
        }
        if !apart {
            (1..count).for_each(|subsystem| self.join(0, subsystem));
        }
        self.slots.resize_with(count, || None);
        for island in self.slots.iter_mut().flatten() {
            island.clear();
        }
        for (index, head) in rows.heads().iter().enumerate() {
            if head.is_settled {
                continue;
            }
            if let Some(first) = rows.touched(head).next() {
                let root = self.root(first);
                let island = self.island(root, make);
                match head.inactive {
                    Some(_) => island.inactive.push(index),
                    None => island.rows.push(index),
                }
            }
        }
        self.active.clear();
        self.local.clear();
        self.local.resize(count, NOWHERE);
        for subsystem in 0..count {
            let root = self.root(subsystem);
            let is_touched = self.slots[root]
                .as_ref()
                .is_some_and(|island| !island.rows.is_empty());
            // What has no solution of its own still needs A⁻¹ b.
            if is_touched || !step.assembly.solves_alone(subsystem) {
                if root == subsystem {
                    self.active.push(root);
                }
                let members = &mut self.island(root, make).members;
                members.push(subsystem);
                self.local[subsystem] = members.len() as u32 - 1;
            }
        }
    }

    /// Solves every island, in parallel where there are several, and solves the rest alone; the result does
    /// not depend on the threads. Subsystem j has `v_hat[dof_start[j]..dof_start[j + 1]]`; there is one
    /// result for each constraint of the list.
    ///
    /// # Errors
    /// An island that could not be written or solved.
    pub fn solve(
        &mut self,
        step: &StepContext<'_>,
        dof_start: &[usize],
        v_hat: &mut [f64],
        results: &mut Vec<RowResult>,
    ) -> Result<SolveSummary, Box<IslandFailure>> {
        let is_worth_threads = self.is_worth_threads();
        let step = StepContext {
            local: &self.local,
            dof_start,
            ..*step
        };
        if is_worth_threads {
            self.slots
                .par_iter_mut()
                .flatten()
                .filter(|island| !island.members.is_empty())
                .for_each(|island| island.solve(&step));
        } else {
            self.slots
                .iter_mut()
                .flatten()
                .filter(|island| !island.members.is_empty())
                .for_each(|island| island.solve(&step));
        }
        results.clear();
        results.resize(step.rows.heads().len(), RowResult::default());
        let mut summary = SolveSummary::default();
        for &root in &self.active {
            if let Some(island) = &mut self.slots[root] {
                island.check()?;
                island.store(&step, dof_start, v_hat, results, &mut summary);
            }
        }
        for (subsystem, &local) in self.local.iter().enumerate() {
            if local == NOWHERE {
                let dofs = dof_start[subsystem]..dof_start[subsystem + 1];
                step.assembly.free_velocity(subsystem, &mut v_hat[dofs]);
            }
        }
        Ok(summary)
    }

    /// Writes the velocities with which subsystems go through the step, where these are not v̂: what
    /// bounces goes to the impact with one velocity and on with another, and what is pushed out of
    /// something keeps no velocity of the push. Others are left as they are.
    pub fn write_way(&self, dof_start: &[usize], way: &mut [f64]) {
        for island in self.active_islands() {
            island.write_way(dof_start, way);
        }
    }

    /// Calls `visit` for every subsystem that goes through the step another way than with v̂.
    pub fn for_each_on_way(&self, mut visit: impl FnMut(usize)) {
        for island in self.active_islands().filter(|island| island.has_way()) {
            island.members.iter().for_each(|&member| visit(member));
        }
    }

    /// The island that a subsystem was dealt to, named by its first member; `None` for a subsystem that
    /// is in none.
    pub fn island_of(&self, subsystem: usize) -> Option<usize> {
        (*self.local.get(subsystem)? != NOWHERE).then(|| self.root(subsystem))
    }

    /// What the solvers were given last, islands without constraints left out.
    pub fn problems(&self) -> impl Iterator<Item = SolvedProblem<'_>> {
        self.active_islands().filter_map(Island::solved)
    }

    /// Calls `visit(subsystem, body, rows × 6 values, impulses)` for every block of the last step by
    /// which a constraint acts on a body; blocks of one subsystem in the order of the constraints.
    pub fn for_each_body_impulse(&self, mut visit: impl FnMut(usize, usize, &[f64], &[f64])) {
        for island in self.active_islands() {
            let problem = island.problem();
            for (index, constraint) in problem.constraints().iter().enumerate() {
                let impulse = &island.impulse()[constraint.row_range()];
                for (local, block) in problem.terms(index) {
                    if let RowBlock::Body { body, values } = block {
                        visit(island.members[local], body, values, impulse);
                    }
                }
            }
        }
    }

    pub(crate) fn slots_and_obedience(&mut self) -> (&[Option<Box<Island>>], &mut Obedience) {
        (&self.slots, &mut self.obedience)
    }

    fn active_islands(&self) -> impl Iterator<Item = &Island> {
        let islands = self.active.iter();
        islands.filter_map(|&root| self.slots[root].as_deref())
    }

    /// Whether what is left beside the largest island outweighs activating threads up for it.
    fn is_worth_threads(&self) -> bool {
        let sizes = self.active_islands().map(|island| island.rows.len());
        let (all, largest) = sizes.fold((0, 0), |(all, largest), size| {
            (all + size, size.max(largest))
        });
        all - largest >= WORTH_THREADS && rayon::current_num_threads() > 1
    }

    fn island(&mut self, root: usize, make: &MakeSolver) -> &mut Island {
        self.slots[root].get_or_insert_with(|| Box::new(Island::new(make())))
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
