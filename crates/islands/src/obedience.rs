//! Constraints that a velocity found elsewhere does not obey.

use stiction_constraints::{JointRows, Law};

use crate::group::Islands;
use crate::island::Island;
use crate::rows::RowList;

/// Work space of [`Islands::disobeyed`].
#[derive(Debug, Default)]
pub(crate) struct Obedience {
    rows: JointRows,
    velocity: Vec<f64>,
    row_velocity: Vec<f64>,
}

impl Islands {
    /// Writes which constraints of the list (by position) velocities `v_hat` do not obey without an
    /// impulse, of the islands that have a subsystem with `is_asked`: one-sided constraints and limits
    /// that would be violated, and every constraint of another law. Islands are as of the last
    /// [`solve`](Self::solve).
    pub fn disobeyed(
        &mut self,
        list: &RowList,
        dof_start: &[usize],
        is_asked: &[bool],
        v_hat: &[f64],
        out: &mut Vec<usize>,
    ) {
        out.clear();
        let (slots, work) = self.slots_and_obedience();
        for island in slots.iter().flatten() {
            if island.members.iter().any(|&member| is_asked[member]) {
                island.disobeyed(list, dof_start, v_hat, work, out);
            }
        }
    }
}

impl Island {
    fn disobeyed(
        &self,
        list: &RowList,
        dof_start: &[usize],
        v_hat: &[f64],
        work: &mut Obedience,
        out: &mut Vec<usize>,
    ) {
        let problem = self.problem();
        work.velocity.clear();
        for &member in &self.members {
            let dofs = dof_start[member]..dof_start[member + 1];
            work.velocity.extend_from_slice(&v_hat[dofs]);
        }
        work.rows.update(problem);
        work.row_velocity.clear();
        work.row_velocity.resize(problem.row_count(), 0.0);
        work.rows.mul(&work.velocity, &mut work.row_velocity);
        for (position, constraint) in problem.constraints().iter().enumerate() {
            let first = constraint.row_range().start;
            let speed = |row: usize| work.row_velocity[row] + problem.errors()[row];
            let is_obeyed = match constraint.law {
                Law::Unilateral => speed(first) >= 0.0,
                // Rows of a contact are (t1, t2, n).
                Law::Contact { .. }
                | Law::AnisotropicContact { .. }
                | Law::CompliantContact { .. } => speed(first + 2) >= 0.0,
                Law::JointLimit { lower, upper } => (lower..=upper).contains(&speed(first)),
                _ => false,
            };
            if !is_obeyed {
                out.push(self.rows[position]);
            }
        }
        for &index in &self.inactive {
            let Some(inactive) = list.heads()[index].inactive else {
                continue;
            };
            let velocity = v_hat[dof_start[inactive.subsystem] + inactive.dof];
            let [lowest, highest] = inactive.interval;
            if !(lowest..=highest).contains(&velocity) {
                out.push(index);
            }
        }
    }
}
