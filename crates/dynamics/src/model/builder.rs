//! From a description to a model: names resolved, joints sorted depth first, fixed joints merged.

use std::collections::HashMap;

use nalgebra::DMatrix;

use super::topology::Topology;
use super::{
    BodyId, Coupling, CouplingTerm, DofProperties, Frame, FrameId, JointInfo, Link, Model,
    ModelDescription, WORLD, validate,
};
use crate::error::{DynamicsError, Result};
use crate::spatial::{Inertia, Transform};

impl ModelDescription {
    /// Checks the description and builds the model. The error names the element at fault.
    pub fn build(self) -> Result<Model> {
        Builder::new(&self)?.assemble()
    }
}

/// Bodies are numbered as in the description plus one; 0 is the world.
struct Builder<'a> {
    description: &'a ModelDescription,
    body_by_name: HashMap<&'a str, usize>,
    /// Joint that carries each body.
    carried_by: Vec<Option<usize>>,
    /// Joints mounted on each body, in the order of the description.
    mounted: Vec<Vec<usize>>,
    model: Model,
    /// For each body, the frame that was made for it.
    frame_of_body: Vec<usize>,
}

impl<'a> Builder<'a> {
    fn new(description: &'a ModelDescription) -> Result<Self> {
        validate::gravity(&description.name, &description.gravity)?;
        let body_by_name = number_bodies(description)?;
        let n = description.bodies.len() + 1;
        let world = Frame {
            name: WORLD.to_owned(),
            body: BodyId::WORLD,
            placement: Transform::identity(),
        };
        let model = Model {
            description: description.clone(),
            gravity: description.gravity,
            links: Vec::new(),
            link_names: Vec::new(),
            topology: Topology::new(&[]),
            world_inertia: Inertia::default(),
            dofs: Vec::new(),
            armature: Vec::new(),
            nq: 0,
            frames: vec![world],
            frame_by_name: HashMap::from([(WORLD.to_owned(), 0)]),
            joints: Vec::new(),
            joint_by_name: HashMap::new(),
            couplings: Vec::new(),
            warnings: Vec::new(),
        };
        Ok(Self {
            description,
            body_by_name,
            carried_by: vec![None; n],
            mounted: vec![Vec::new(); n],
            model,
            frame_of_body: vec![0; n],
        })
    }

    fn assemble(mut self) -> Result<Model> {
        self.connect()?;
        self.check_reach()?;
        self.place_bodies()?;
        self.check_moving_inertias()?;
        self.model.topology = Topology::new(&self.model.links);
        self.add_frames()?;
        self.add_couplings()?;
        Ok(self.model)
    }

    /// Resolves the names in the joints.
    fn connect(&mut self) -> Result<()> {
        for (index, joint) in self.description.joints.iter().enumerate() {
            check_name("joint", &joint.name)?;
            if self
                .model
                .joint_by_name
                .insert(joint.name.clone(), index)
                .is_some()
            {
                return Err(duplicate("joint", &joint.name));
            }
            let find = |field, target: &str| {
                self.body_by_name.get(target).copied().ok_or_else(|| {
                    DynamicsError::UnknownReference {
                        kind: "joint",
                        name: joint.name.clone(),
                        field,
                        target: target.to_owned(),
                    }
                })
            };
            let parent = find("parent body", &joint.parent)?;
            let child = find("child body", &joint.child)?;
            if child == 0 {
                return Err(DynamicsError::BadName {
                    kind: "joint",
                    name: joint.name.clone(),
                    reason: "its child is the world, which cannot move",
                });
            }
            if let Some(first) = self.carried_by[child] {
                return Err(DynamicsError::TwoParents {
                    body: joint.child.clone(),
                    first: self.description.joints[first].name.clone(),
                    second: joint.name.clone(),
                });
            }
            self.carried_by[child] = Some(index);
            self.mounted[parent].push(index);
        }
        Ok(())
    }

    /// Every body must lead to the world.
    fn check_reach(&self) -> Result<()> {
        let n = self.carried_by.len();
        let mut reached = vec![false; n];
        let mut stack = vec![0];
        while let Some(body) = stack.pop() {
            reached[body] = true;
            stack.extend(self.mounted[body].iter().map(|&joint| self.child(joint)));
        }
        let Some(lost) = reached.iter().position(|&r| !r) else {
            return Ok(());
        };
        // walk up from the lost body: either the way ends at a body without a joint, or it returns
        let mut order = vec![usize::MAX; n];
        let mut path = Vec::new();
        let mut body = lost;
        while order[body] == usize::MAX {
            order[body] = path.len();
            let Some(joint) = self.carried_by[body] else {
                let body = self.description.bodies[body - 1].name.clone();
                return Err(DynamicsError::Unattached { body });
            };
            path.push(self.description.joints[joint].name.clone());
            body = self.body_by_name[self.description.joints[joint].parent.as_str()];
        }
        Err(DynamicsError::Cycle {
            joints: path.split_off(order[body]),
        })
    }

    fn child(&self, joint: usize) -> usize {
        self.body_by_name[self.description.joints[joint].child.as_str()]
    }

    /// Depth-first walk that makes a link of each moving body and merges the fixed ones.
    fn place_bodies(&mut self) -> Result<()> {
        let no_joint = JointInfo {
            body: BodyId::WORLD,
            frame: FrameId(0),
            q: 0..0,
            v: 0..0,
        };
        self.model.joints = vec![no_joint; self.description.joints.len()];
        let mut stack: Vec<usize> = self.mounted[0].iter().rev().copied().collect();
        while let Some(joint) = stack.pop() {
            self.place_joint(joint)?;
            stack.extend(self.mounted[self.child(joint)].iter().rev());
        }
        Ok(())
    }

    fn place_joint(&mut self, index: usize) -> Result<()> {
        let joint = &self.description.joints[index];
        let parent = self.body_by_name[joint.parent.as_str()];
        let child = self.child(index);
        let local = validate::placement("joint", &joint.name, &joint.placement)?;
        let base = &self.model.frames[self.frame_of_body[parent]];
        let (mut carrier, mut placement) = (base.body.0, base.placement.compose(&local));

        let kernels = joint.kind.kernels().map_err(|e| DynamicsError::BadJoint {
            joint: joint.name.clone(),
            field: e.field,
            value: e.value,
            reason: e.reason,
        })?;
        let (q_start, v_start) = (self.model.nq, self.model.dofs.len());
        self.add_dof_properties(index)?;

        let mut next_v = v_start;
        let last = kernels.len().saturating_sub(1);
        for (k, kernel) in kernels.into_iter().enumerate() {
            let (nq, nv) = (kernel.nq(), kernel.nv());
            self.model.links.push(Link {
                joint: kernel.placed(&placement),
                placement,
                inertia: Inertia::default(),
                parent: carrier,
                q_start: self.model.nq,
                v_start: next_v,
            });
            self.model.link_names.push(match k == last {
                true => joint.child.clone(),
                false => format!("{}/cross", joint.name),
            });
            self.model.nq += nq;
            next_v += nv;
            carrier = self.model.links.len();
            placement = Transform::identity();
        }

        let frame = self.add_frame(&joint.child, carrier, placement);
        self.frame_of_body[child] = frame;
        self.add_inertia(child, carrier, &placement)?;
        self.model.joints[index] = JointInfo {
            body: BodyId(carrier),
            frame: FrameId(frame),
            q: q_start..self.model.nq,
            v: v_start..next_v,
        };
        Ok(())
    }

    fn add_dof_properties(&mut self, index: usize) -> Result<()> {
        let joint = &self.description.joints[index];
        let nv = joint.kind.nv();
        if joint.dofs.len() > 1 && joint.dofs.len() != nv {
            return Err(DynamicsError::BadJoint {
                joint: joint.name.clone(),
                field: "dofs",
                value: joint.dofs.len() as f64,
                reason: "give none, one, or one for each degree of freedom",
            });
        }
        for k in 0..nv {
            let dof = match joint.dofs.len() {
                0 => DofProperties::default(),
                1 => joint.dofs[0],
                _ => joint.dofs[k],
            };
            validate::dof_properties(&joint.name, &dof)?;
            self.model.armature.push(dof.total_armature());
            self.model.dofs.push(dof);
        }
        Ok(())
    }

    fn add_frame(&mut self, name: &str, body: usize, placement: Transform) -> usize {
        let index = self.model.frames.len();
        self.model.frames.push(Frame {
            name: name.to_owned(),
            body: BodyId(body),
            placement,
        });
        self.model.frame_by_name.insert(name.to_owned(), index);
        index
    }

    /// Adds the inertia of a described body to the link it moves with.
    fn add_inertia(&mut self, body: usize, carrier: usize, placement: &Transform) -> Result<()> {
        let body = &self.description.bodies[body - 1];
        let Some(inertia) = &body.inertia else {
            return Ok(());
        };
        let warning = validate::body_inertia(&body.name, inertia, self.description.strict)?;
        self.model.warnings.extend(warning);
        let merged = match carrier {
            0 => &mut self.model.world_inertia,
            i => &mut self.model.links[i - 1].inertia,
        };
        *merged += placement.apply_inertia(inertia);
        Ok(())
    }

    /// Every joint must move something that resists.
    ///
    /// That is enough for a positive-definite mass matrix where each body resists by itself: of the
    /// joints that move, the one nearest to the world moves its body. Bodies without resistance of
    /// their own are let pass when they carry some.
    fn check_moving_inertias(&self) -> Result<()> {
        let links = &self.model.links;
        let mut carries_mass = vec![false; links.len() + 1];
        for i in (1..=links.len()).rev() {
            let link = &links[i - 1];
            let columns: Vec<_> = (0..link.joint.nv()).map(|k| link.joint.column(k)).collect();
            let resistance = DMatrix::from_fn(columns.len(), columns.len(), |row, column| {
                let armature = match row == column {
                    true => self.model.armature[link.v_start + row],
                    false => 0.0,
                };
                columns[row].dot(&link.inertia.mul(&columns[column])) + armature
            });
            let name = &self.model.link_names[i - 1];
            validate::moving_inertia(name, &link.inertia, &resistance, carries_mass[i])?;
            carries_mass[link.parent] = true;
        }
        Ok(())
    }

    fn add_frames(&mut self) -> Result<()> {
        for frame in &self.description.frames {
            check_name("frame", &frame.name)?;
            if self.model.frame_by_name.contains_key(&frame.name) {
                return Err(duplicate("frame", &frame.name));
            }
            let Some(&body) = self.body_by_name.get(frame.body.as_str()) else {
                return Err(DynamicsError::UnknownReference {
                    kind: "frame",
                    name: frame.name.clone(),
                    field: "body",
                    target: frame.body.clone(),
                });
            };
            let local = validate::placement("frame", &frame.name, &frame.placement)?;
            let base = &self.model.frames[self.frame_of_body[body]];
            let (carrier, placement) = (base.body.0, base.placement.compose(&local));
            self.add_frame(&frame.name, carrier, placement);
        }
        Ok(())
    }

    fn add_couplings(&mut self) -> Result<()> {
        for description in &self.description.couplings {
            let name = &description.name;
            check_name("coupling", name)?;
            if self.model.couplings.iter().any(|c| &c.name == name) {
                return Err(duplicate("coupling", name));
            }
            let bad = |field, value, reason| DynamicsError::BadCoupling {
                coupling: name.clone(),
                field,
                value,
                reason,
            };
            if !description.offset.is_finite() {
                return Err(bad("offset", description.offset, "must be finite"));
            }
            let mut terms: Vec<CouplingTerm> = Vec::new();
            for (joint, component, coefficient) in &description.terms {
                let (component, coefficient) = (*component, *coefficient);
                let Some(&index) = self.model.joint_by_name.get(joint) else {
                    return Err(DynamicsError::UnknownReference {
                        kind: "coupling",
                        name: name.clone(),
                        field: "joint",
                        target: joint.clone(),
                    });
                };
                let info = &self.model.joints[index];
                if !self.description.joints[index].kind.has_scalar_coordinates() {
                    let value = info.v.len() as f64;
                    return Err(bad(
                        "degrees of freedom",
                        value,
                        "joint has no scalar coordinates",
                    ));
                }
                if component >= info.v.len() {
                    let value = component as f64;
                    return Err(bad("component", value, "the joint has fewer coordinates"));
                }
                if !coefficient.is_finite() {
                    return Err(bad("coefficient", coefficient, "must be finite"));
                }
                let dof = info.v.start + component;
                if terms.iter().any(|term| term.dof == dof) {
                    return Err(bad(
                        "component",
                        component as f64,
                        "a coordinate appears twice",
                    ));
                }
                terms.push(CouplingTerm {
                    q: info.q.start + component,
                    dof,
                    coefficient,
                });
            }
            if terms.iter().all(|term| term.coefficient == 0.0) {
                return Err(bad(
                    "coefficient",
                    0.0,
                    "at least one must differ from zero",
                ));
            }
            self.model.couplings.push(Coupling {
                name: name.clone(),
                terms,
                offset: description.offset,
            });
        }
        Ok(())
    }
}

fn number_bodies(description: &ModelDescription) -> Result<HashMap<&str, usize>> {
    let mut by_name = HashMap::from([(WORLD, 0)]);
    for (index, body) in description.bodies.iter().enumerate() {
        check_name("body", &body.name)?;
        if body.name == WORLD {
            return Err(DynamicsError::BadName {
                kind: "body",
                name: body.name.clone(),
                reason: "this name is that of the immovable root",
            });
        }
        if by_name.insert(&body.name, index + 1).is_some() {
            return Err(duplicate("body", &body.name));
        }
    }
    Ok(by_name)
}

fn check_name(kind: &'static str, name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(DynamicsError::BadName {
            kind,
            name: String::new(),
            reason: "the name is empty",
        });
    }
    Ok(())
}

fn duplicate(kind: &'static str, name: &str) -> DynamicsError {
    DynamicsError::DuplicateName {
        kind,
        name: name.to_owned(),
    }
}
