//! Soft bodies: tetrahedra in a world.

mod equations;
mod line_search;
mod piece;
mod read;
mod rows;

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::{Collider, Groups, Material};
use stiction_deformable::cut::{Cut, PieceSize};
use stiction_deformable::fem::{FemModel, FemSettings, Material as SoftMaterial};
use stiction_deformable::mesh::Boundary;
use stiction_deformable::{TetMesh, fem};
use stiction_islands::RowKey;
use stiction_modeling::Motion;

use crate::attachment;
use crate::body::BodyHandle;
use crate::error::{Result, SimError, finite_vector};
use crate::mechanism::{MechanismHandle, Registry};
use crate::world::{ColliderHandle, World};
use line_search::LineSearch;
use piece::Piece;
use rows::Attachment;

/// A soft body to be added to a world.
#[derive(Debug, Clone)]
pub struct SoftBody {
    /// Unique name.
    pub name: String,
    /// Its shape at rest.
    pub mesh: TetMesh,
    /// Where the mesh is put.
    pub pose: Isometry3<f64>,
    /// Velocity of all of it at the start, m/s.
    pub velocity: Vector3<f64>,
    /// What it is made of.
    pub materials: Vec<SoftMaterial>,
    /// The material of each tetrahedron; empty where all are of the first.
    pub material_of_tet: Vec<u32>,
    /// How it is linearised.
    pub settings: FemSettings,
    /// How large the pieces are that it is cut into.
    pub pieces: PieceSize,
    /// Nodes fixed to bodies, where they are at the start. Those on bodies that do not move or are driven
    /// are no unknowns; others are joined by constraints.
    pub attached: Vec<(usize, BodyHandle)>,
    /// How it touches; `None` for what passes through everything.
    pub contact: Option<SoftContact>,
}

/// How the surface of a soft body touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftContact {
    /// Friction, restitution, compliance.
    pub material: Material,
    /// Groups and mask.
    pub groups: Groups,
    /// Whether it also touches itself.
    pub touches_itself: bool,
    /// How far inside of it a vertex of something else is still pushed out, m; `None` for twice the mean
    /// length of its surface's edges.
    pub depth: Option<f64>,
}

impl SoftContact {
    /// A surface of a material that touches everything but itself.
    pub fn new(material: Material) -> Self {
        Self {
            material,
            groups: Groups::default(),
            touches_itself: false,
            depth: None,
        }
    }
}

impl SoftBody {
    /// A body of one material that touches nothing, at rest where its mesh is.
    pub fn new(name: &str, mesh: TetMesh, material: SoftMaterial) -> Self {
        Self {
            name: name.to_owned(),
            mesh,
            pose: Isometry3::identity(),
            velocity: Vector3::zeros(),
            materials: vec![material],
            material_of_tet: Vec::new(),
            settings: FemSettings::default(),
            pieces: PieceSize::default(),
            attached: Vec::new(),
            contact: None,
        }
    }

    /// The same at another place.
    #[must_use]
    pub fn at(self, pose: Isometry3<f64>) -> Self {
        Self { pose, ..self }
    }

    /// The same with a surface that touches.
    #[must_use]
    pub fn touching(self, material: Material) -> Self {
        let contact = Some(SoftContact::new(material));
        Self { contact, ..self }
    }
}

/// A soft body of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SoftHandle(pub(crate) usize);

/// A soft body in a world: a subsystem for each piece.
#[derive(Debug)]
pub(crate) struct Soft {
    name: String,
    mesh: TetMesh,
    cut: Cut,
    pieces: Vec<Piece>,
    attachments: Vec<Attachment>,
    key: RowKey,
    /// Its surface, by node of the mesh.
    boundary: Boundary,
    /// World indices of the nodes on its surface.
    surface_nodes: Vec<u32>,
    collider: Option<ColliderHandle>,
    /// Linearisations of this step so far.
    passes: usize,
    /// Those of this step because it overshot.
    searches: usize,
    search: LineSearch,
    /// Whether the last step gained energy that Newton's method did not take back.
    gained: bool,
}

impl World {
    /// Adds a soft body.
    ///
    /// # Errors
    /// Meshes, materials and settings that make no soft body, bodies and nodes that do not exist, a taken
    /// name.
    pub fn add_soft_body(&mut self, body: SoftBody) -> Result<SoftHandle> {
        let contact = body.contact;
        if self.softs.iter().any(|soft| soft.name == body.name) {
            return Err(SimError::DuplicateName {
                what: "soft body",
                name: body.name,
            });
        }
        let name = body.name.clone();
        let handle = self.add(|registry| Soft::new(body, registry))?;
        let collider = match contact {
            None => None,
            Some(contact) => {
                let collider = self.mechanism(handle)?.collider(&contact);
                Some(self.attach_collider(collider)?)
            }
        };
        self.mechanism_mut(handle)?.collider = collider;
        self.softs.push(SoftEntry { name, handle });
        Ok(SoftHandle(self.softs.len() - 1))
    }
}

/// A soft body in a world's list.
#[derive(Debug)]
pub(crate) struct SoftEntry {
    pub(crate) name: String,
    pub(crate) handle: MechanismHandle<Soft>,
}

impl Soft {
    fn new(body: SoftBody, registry: &mut Registry<'_>) -> Result<Self> {
        let SoftBody { name, mesh, .. } = &body;
        finite_vector(name, "velocity", body.velocity.iter())?;
        let pose = body.pose.translation.vector.iter();
        finite_vector(name, "pose", pose.chain(body.pose.rotation.coords.iter()))?;
        let refuse = |reason: String| SimError::not_possible(name, reason);
        let of_tet = match body.material_of_tet.is_empty() {
            true => vec![0; mesh.tets().len()],
            false => body.material_of_tet.clone(),
        };
        if of_tet.len() != mesh.tets().len() {
            let (found, expected) = (of_tet.len(), mesh.tets().len());
            let reason = format!("materials are given for {found} of {expected} tetrahedra");
            return Err(refuse(reason));
        }
        let cut = Cut::new(mesh, body.pieces).map_err(|error| refuse(error.to_string()))?;
        let mut is_held = vec![false; mesh.nodes().len()];
        let mut attachments = Vec::with_capacity(body.attached.len());
        for &(node, to) in &body.attached {
            let owner = cut.owner(node);
            let (Some(owner), Some(is_held)) = (owner, is_held.get_mut(node)) else {
                let nodes = mesh.nodes().len();
                return Err(refuse(format!(
                    "node {node} cannot be attached: there are {nodes}"
                )));
            };
            let motion = attachment::motion_of(to, registry)?;
            if attachments
                .iter()
                .any(|other: &Attachment| other.node == node)
            {
                return Err(refuse(format!("node {node} is attached twice")));
            }
            *is_held = motion.subsystem().is_none();
            let at = body.pose * Point3::from(mesh.nodes()[node]);
            attachments.push(Attachment {
                node,
                owner,
                frame: to.0 as u32,
                at: registry.places.frames.pose[to.0].inverse_transform_point(&at),
                is_held: *is_held,
            });
        }
        let mut pieces = Vec::with_capacity(cut.pieces().len());
        for (number, part) in cut.pieces().iter().enumerate() {
            let of_tets = part.of_tets(&of_tet);
            let model = FemModel::with_materials(part.mesh(), &body.materials, &of_tets);
            let own = model.and_then(|model| fem::SoftBody::new(model, body.settings));
            let own = own.map_err(|error| refuse(error.to_string()))?;
            let label = match cut.pieces().len() {
                1 => name.clone(),
                _ => format!("{name}, piece {number}"),
            };
            let held: Vec<bool> = (part.nodes().iter())
                .map(|&node| is_held[node as usize])
                .collect();
            let at = (&body.pose, &body.velocity);
            pieces.push(Piece::new(&label, own, at, &held, registry)?);
        }
        let boundary = mesh.boundary();
        let mut soft = Self {
            surface_nodes: Vec::new(),
            boundary,
            name: name.clone(),
            key: registry.row_key(0),
            attachments,
            pieces,
            cut,
            mesh: body.mesh,
            collider: None,
            passes: 0,
            searches: 0,
            search: LineSearch::default(),
            gained: false,
        };
        let nodes = soft.boundary.nodes.iter();
        let nodes = nodes.filter_map(|&node| soft.world_node(node as usize));
        soft.surface_nodes = nodes.collect();
        Ok(soft)
    }

    /// World index of a node of the mesh: of the copy that stands for it.
    fn world_node(&self, node: usize) -> Option<u32> {
        let owner = self.cut.owner(node)?;
        let piece = &self.pieces[owner.piece as usize];
        Some(piece.nodes.start + owner.node)
    }

    /// Its collider, if it touches.
    #[cfg(feature = "recording")]
    pub(crate) fn touches_with(&self) -> Option<ColliderHandle> {
        self.collider
    }

    /// World indices of the nodes on its surface.
    #[cfg(feature = "recording")]
    pub(crate) fn surface_nodes(&self) -> &[u32] {
        &self.surface_nodes
    }

    /// Nodes of the mesh on its surface, in the same order.
    #[cfg(feature = "recording")]
    pub(crate) fn boundary_nodes(&self) -> &[u32] {
        &self.boundary.nodes
    }

    /// Triangles of its surface by position among the nodes on it.
    fn surface_faces(&self) -> Vec<[u32; 3]> {
        let nodes = &self.boundary.nodes;
        let local = |node: u32| nodes.partition_point(|&other| other < node) as u32;
        let faces = self.boundary.triangles.iter();
        faces.map(|face| face.map(local)).collect()
    }

    /// What a recording shows of it.
    #[cfg(feature = "recording")]
    pub(crate) fn recorded(&self) -> stiction_recording::Deformable {
        stiction_recording::Deformable {
            name: self.name.clone(),
            kind: stiction_recording::DeformableKind::Soft {
                triangles: self.surface_faces(),
            },
            nodes: self.surface_nodes.len(),
        }
    }

    /// Its surface as a collider.
    fn collider(&self, contact: &SoftContact) -> Collider {
        let boundary = &self.boundary;
        let (nodes, faces) = (self.surface_nodes.clone(), self.surface_faces());
        let depth = contact.depth.unwrap_or_else(|| {
            let edges = boundary.triangles.iter().flat_map(|&[a, b, c]| {
                [[a, b], [b, c], [c, a]]
                    .map(|edge| edge.map(|node| self.mesh.nodes()[node as usize]))
            });
            let lengths = edges.map(|[a, b]| (b - a).norm());
            2.0 * lengths.sum::<f64>() / (3 * boundary.triangles.len()) as f64
        });
        let mut collider = Collider::surface(&self.name, nodes, faces, depth);
        collider.material = contact.material;
        collider.groups = contact.groups;
        collider.touches_itself = contact.touches_itself;
        collider
    }
}

/// What moves a node: its piece, or what it is attached to.
fn motion_of(is_held: bool, subsystem: usize, index: usize) -> Motion {
    match is_held {
        true => Motion::Driven,
        false => Motion::Solved {
            subsystem: subsystem as u32,
            index: index as u32,
        },
    }
}
