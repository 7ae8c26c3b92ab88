//! Limits, dry friction and couplings of a robot's joints, as rows.

use stiction_constraints::Law;
use stiction_islands::{AssemblyError, Inactive, RowKey, RowList, RowNote};
use stiction_modeling::limit::{Interval, SoftLimit, is_far_inside, velocity_interval};
use stiction_modeling::stabilization::{equality_error, joint_friction_bound};
use stiction_modeling::{Places, Scheme};

use super::Robot;
use crate::error::Result;
use crate::mechanism::{RowContext, RowSource};
use crate::step::RowKind;

/// One constraint of a robot in this step.
#[derive(Debug, Clone, Copy)]
pub(super) enum JointRow {
    /// Of a degree of freedom of the robot: the interval that v̂ may be in, and whether it will
    /// hardly leave it.
    Limit {
        dof: usize,
        interval: Interval,
        is_far: bool,
    },
    /// Of a degree of freedom of the robot beyond a limit that gives way.
    SoftLimit { dof: usize, limit: SoftLimit },
    /// Of a degree of freedom of the robot: largest impulse.
    Friction { dof: usize, bound: f64 },
    /// A coupling and its error.
    Coupling { number: usize, error: f64 },
}

impl Robot {
    /// Decides which rows there are in this step.
    pub(super) fn prepare_rows(&mut self, [q, v]: [&[f64]; 2], scheme: &Scheme) -> Result<()> {
        self.joint_rows.clear();
        for (dof, properties) in self.model.dof_properties().iter().enumerate() {
            let speed = properties.velocity_limit;
            let mut interval = Interval::of_speed(speed);
            let position = self.joints.position_of_dof[dof];
            let limits = [properties.lower, properties.upper];
            if let (Some(at), Some(soft)) = (position, &self.soft) {
                let motion = [q[at], v[dof]];
                let inverse_mass = soft.inverse_masses[dof];
                let limit = SoftLimit::of(&soft.contacts, motion, limits, inverse_mass, scheme.dt);
                let row = limit.map(|limit| JointRow::SoftLimit { dof, limit });
                self.joint_rows.extend(row);
            } else if let Some(at) = position {
                interval = velocity_interval(q[at], q[at], limits, speed, scheme);
            }
            if interval.lower.is_finite() || interval.upper.is_finite() {
                self.joint_rows.push(JointRow::Limit {
                    dof,
                    interval,
                    is_far: is_far_inside(interval.ends(), v[dof]),
                });
            }
            if properties.friction_loss > 0.0 {
                self.joint_rows.push(JointRow::Friction {
                    dof,
                    bound: joint_friction_bound(properties.friction_loss, scheme.dt),
                });
            }
        }
        for (number, coupling) in self.model.couplings().iter().enumerate() {
            let violation = coupling.position_error(q)?;
            self.joint_rows.push(JointRow::Coupling {
                number,
                error: equality_error(violation, scheme.dt, scheme.baumgarte),
            });
        }
        Ok(())
    }

    /// Decides which rows a projection of positions has: couplings, which it closes, and limits, beyond
    /// which it takes no joint any further.
    pub(super) fn prepare_position_rows(&mut self, q: &[f64]) -> Result<()> {
        self.joint_rows.clear();
        for (dof, properties) in self.model.dof_properties().iter().enumerate() {
            let Some(at) = self.joints.position_of_dof[dof] else {
                continue;
            };
            let interval = Interval {
                lower: (properties.lower - q[at]).min(0.0),
                upper: (properties.upper - q[at]).max(0.0),
                push: 0.0,
            };
            if interval.lower.is_finite() || interval.upper.is_finite() {
                // A projection moves little.
                let is_far = interval.lower < 0.0 && interval.upper > 0.0;
                self.joint_rows.push(JointRow::Limit {
                    dof,
                    interval,
                    is_far,
                });
            }
        }
        for (number, coupling) in self.model.couplings().iter().enumerate() {
            let error = coupling.position_error(q)?;
            self.joint_rows.push(JointRow::Coupling { number, error });
        }
        Ok(())
    }

    /// Subsystem of a degree of freedom of the robot, and which of the subsystem's it is.
    pub(crate) fn place_of_dof(&self, dof: usize) -> Option<(usize, usize)> {
        let holds = |view: &stiction_dynamics::TreeView| view.dofs.contains(&dof);
        let tree = self.views.iter().position(holds)?;
        Some((
            self.first_subsystem + tree,
            dof - self.views[tree].dofs.start,
        ))
    }

    /// The trees that a coupling joins.
    pub(crate) fn coupled(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let terms = &self.model.couplings()[number].terms;
        (0..self.views.len()).filter(|&tree| {
            let dofs = &self.views[tree].dofs;
            terms.iter().any(|term| dofs.contains(&term.dof))
        })
    }

    /// The row by which a degree of freedom comes back from a limit that gives way, and its sign; `None` where
    /// there is none in this step.
    pub(crate) fn soft_limit(&self, dof: usize) -> Option<(RowKey, f64)> {
        let side = self.joint_rows.iter().find_map(|row| match row {
            JointRow::SoftLimit { dof: own, limit } if *own == dof => Some(limit.side),
            _ => None,
        })?;
        Some((self.soft_limit_key(dof), side))
    }

    /// Beside the key of its speed limit.
    fn soft_limit_key(&self, dof: usize) -> RowKey {
        self.key(RowKind::Limit, self.model.nv() + dof)
    }

    fn key(&self, kind: RowKind, part: usize) -> RowKey {
        kind.key(self.number, part as u64)
    }
}

impl RowSource for Robot {
    fn list_positions(&self, places: &Places, rows: &mut RowList) {
        self.list(places, rows);
    }

    fn list(&self, _places: &Places, rows: &mut RowList) {
        for (item, row) in self.joint_rows.iter().enumerate() {
            match *row {
                JointRow::Limit {
                    dof,
                    interval,
                    is_far,
                } => {
                    let key = self.key(RowKind::Limit, dof);
                    let Some((subsystem, local)) = self.place_of_dof(dof) else {
                        continue;
                    };
                    match is_far {
                        true => rows.push_inactive(
                            key,
                            item,
                            Inactive {
                                subsystem,
                                dof: local,
                                interval: interval.ends(),
                            },
                        ),
                        false => rows.push(key, item, [subsystem]),
                    }
                }
                JointRow::SoftLimit { dof, .. } => {
                    let place = self.place_of_dof(dof).map(|(subsystem, _)| subsystem);
                    rows.push(self.soft_limit_key(dof), item, place);
                }
                JointRow::Friction { dof, .. } => {
                    let place = self.place_of_dof(dof).map(|(subsystem, _)| subsystem);
                    rows.push(self.key(RowKind::Friction, dof), item, place);
                }
                JointRow::Coupling { number, .. } => {
                    let trees = self.coupled(number);
                    let touched = trees.map(|tree| self.first_subsystem + tree);
                    rows.push(self.key(RowKind::Coupling, number), item, touched);
                }
            }
        }
    }

    fn write(
        &self,
        item: usize,
        context: RowContext<'_>,
    ) -> std::result::Result<RowNote, AssemblyError> {
        let mut row = context.begin(1);
        let mut on_dof = |dof: usize, side: f64| {
            if let Some((subsystem, local)) = self.place_of_dof(dof) {
                row.dofs(subsystem, [local]).values.fill(side);
            }
        };
        let mut push_out = 0.0;
        let (law, error) = match self.joint_rows[item] {
            JointRow::Limit { dof, interval, .. } => {
                on_dof(dof, 1.0);
                let (law, error, push) = interval.row();
                push_out = push;
                (law, error)
            }
            JointRow::SoftLimit { dof, limit } => {
                on_dof(dof, limit.side);
                (limit.law, limit.error)
            }
            JointRow::Friction { dof, bound } => {
                on_dof(dof, 1.0);
                (Law::JointFriction { bound }, 0.0)
            }
            JointRow::Coupling { number, error } => {
                let terms = &self.model.couplings()[number].terms;
                for tree in self.coupled(number) {
                    let dofs = &self.views[tree].dofs;
                    let own = terms.iter().filter(|term| dofs.contains(&term.dof));
                    let local = own.clone().map(|term| term.dof - dofs.start);
                    let block = row.dofs(self.first_subsystem + tree, local);
                    for (value, term) in block.values.iter_mut().zip(own) {
                        *value = term.coefficient;
                    }
                }
                (Law::Equality, error)
            }
        };
        row.finish(law, &[error])?;
        Ok(RowNote {
            push_out,
            ..RowNote::default()
        })
    }
}
