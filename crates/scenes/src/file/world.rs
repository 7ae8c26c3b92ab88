//! From a description to a world, in the order of the file.

use std::collections::{HashMap, HashSet};

use stiction_io::IoError;
use stiction_io::scene_file::{
    Anchors, BodyKind, ControllerDescription, RobotDescription, SceneFile, ShapeDescription,
};
use stiction_sim::{
    BodyHandle, Collider, ColliderHandle, Connection, Inertia, Isometry3, Material, Mobility,
    Overlap, Point3, RigidBody, RobotHandle, Shape, Vector3, World,
};

use super::compensation::{Carry, Compensation};
use super::control;
use super::mass;

/// Depth from which on links overlap, m; less than that contact pushes apart.
const OVERLAP: f64 = 1e-5;

/// What to do about errors that only a world can find.
const CORRECT: &str = "correct what is described here";

/// A world under construction.
pub(super) struct Builder<'a> {
    pub(super) file: &'a SceneFile,
    pub(super) world: World,
    places: HashMap<String, Place>,
    /// What collides, by the body or link that it belongs to.
    of_owner: HashMap<String, Vec<ColliderHandle>>,
    /// What collides, by the body that moves it.
    on_body: HashMap<usize, Vec<ColliderHandle>>,
    compensations: Vec<Compensation>,
}

/// One side of a pair that never touches.
enum Excluded {
    /// A body with all that it carries.
    Body(BodyHandle),
    /// Some of what a body carries.
    Colliders(Vec<ColliderHandle>),
}

/// Where a named body, link or frame is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The body that it is part of: links behind a fixed joint are part of the link they are fixed
    /// to.
    pub(super) body: BodyHandle,
    /// Its pose on that body.
    pub(super) offset: Isometry3<f64>,
    /// Whether it belongs to a robot.
    pub(super) is_link: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(file: &'a SceneFile, world: World) -> Self {
        Self {
            file,
            world,
            places: HashMap::new(),
            of_owner: HashMap::new(),
            on_body: HashMap::new(),
            compensations: Vec::new(),
        }
    }

    pub(super) fn finish(mut self) -> World {
        if !self.compensations.is_empty() {
            self.world
                .add_controller(Box::new(Carry(self.compensations)));
        }
        self.world
    }

    /// An error of the simulator about a key.
    pub(super) fn error(&self, key: &str, error: impl ToString) -> IoError {
        self.file.error(key, error.to_string(), CORRECT)
    }

    pub(super) fn add_bodies(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, body) in file.scene.bodies.iter().enumerate() {
            let key = format!("bodies[{index}]");
            let shapes = self.build_shapes(&key, &body.shapes)?;
            let mobility = match &body.kind {
                BodyKind::Fixed => Mobility::Fixed,
                BodyKind::Driven => Mobility::Driven,
                BodyKind::Free(mass) => Mobility::Free(
                    mass::inertia(mass, &body.name, &body.shapes, &shapes)
                        .map_err(|error| self.error(&key, error))?,
                ),
            };
            let rigid_body = RigidBody {
                mobility,
                pose: body.pose,
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
                color: body.color,
                ..RigidBody::fixed(&body.name)
            };
            let handle = self
                .world
                .add_body(rigid_body)
                .map_err(|error| self.error(&key, error))?;
            let place = Place {
                body: handle,
                offset: Isometry3::identity(),
                is_link: false,
            };
            self.places.insert(body.name.clone(), place);
            self.attach(&key, &body.name, place, &body.shapes, shapes)?;
            if let BodyKind::Free(_) = body.kind
                && body.gravity_compensation != 0.0
            {
                let mass = self.world.mass(handle);
                let mass = mass.map_err(|error| self.error(&key, error))?;
                self.compensations.push(Compensation {
                    body: handle,
                    point: None,
                    mass: body.gravity_compensation * mass,
                });
            }
        }
        Ok(())
    }

    fn build_shapes(
        &self,
        key: &str,
        descriptions: &[ShapeDescription],
    ) -> Result<Vec<Shape>, IoError> {
        let build = |(index, shape): (usize, &ShapeDescription)| {
            let built = shape.kind.build(&shape.name, self.file.folder());
            built.map_err(|error| self.error(&format!("{key}.shapes[{index}]"), error))
        };
        descriptions.iter().enumerate().map(build).collect()
    }

    /// Attaches shapes to a body; `owner` is the name of the body or link they belong to.
    fn attach(
        &mut self,
        key: &str,
        owner: &str,
        place: Place,
        descriptions: &[ShapeDescription],
        shapes: Vec<Shape>,
    ) -> Result<(), IoError> {
        for (index, (description, shape)) in descriptions.iter().zip(shapes).enumerate() {
            let key = format!("{key}.shapes[{index}]");
            let name = format!("{owner}/{}", description.name);
            if description.visual_only {
                let pose = place.offset * description.pose;
                self.world
                    .attach_visual(place.body, shape, pose, description.color)
                    .map_err(|error| self.error(&key, error))?;
                continue;
            }
            let material = description.material.as_ref();
            let material = material.and_then(|name| self.file.scene.materials.get(name));
            let pose = place.offset * description.pose;
            let collider = Collider {
                material: material.copied().unwrap_or_else(Material::default),
                groups: description.groups,
                ..Collider::rigid_at(&name, place.body.index() as u32, pose, shape)
            };
            let color = description.color;
            let attached = self.world.attach_collider(collider).and_then(|collider| {
                self.world.set_collider_color(collider, color)?;
                Ok(collider)
            });
            let collider = attached.map_err(|error| self.error(&key, error))?;
            let of_owner = self.of_owner.entry(owner.to_owned()).or_default();
            of_owner.push(collider);
            let on_body = self.on_body.entry(place.body.index()).or_default();
            on_body.push(collider);
        }
        Ok(())
    }

    pub(super) fn add_robots(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, robot) in file.scene.robots.iter().enumerate() {
            let key = format!("robots[{index}]");
            let mut shapes = Vec::new();
            let mut inertias: Vec<Option<Inertia>> = Vec::new();
            for (number, link) in robot.links.iter().enumerate() {
                let key = format!("{key}.links[{number}]");
                let built = self.build_shapes(&key, &link.shapes)?;
                let inertia = link
                    .mass
                    .map(|mass| mass::inertia(&mass, &link.name, &link.shapes, &built))
                    .transpose()
                    .map_err(|error| self.error(&key, error))?;
                shapes.push(built);
                inertias.push(inertia);
            }
            let model = robot.model(&inertias).build();
            let model = model.map_err(|error| self.error(&key, error))?;
            let handle = self
                .world
                .add_robot(&robot.name, model)
                .map_err(|error| self.error(&key, error))?;
            self.place_links(&key, robot, handle)?;
            for (number, (link, shapes)) in robot.links.iter().zip(shapes).enumerate() {
                let key = format!("{key}.links[{number}]");
                let owner = format!("{}/{}", robot.name, link.name);
                if let Some(&place) = self.places.get(&owner) {
                    self.attach(&key, &owner, place, &link.shapes, shapes)?;
                    if let Some(inertia) = inertias[number] {
                        self.compensate(place, link.gravity_compensation, &inertia);
                    }
                }
            }
            self.set_initial_state(&key, robot, handle)?;
        }
        Ok(())
    }

    /// Carries a share of a link's weight, unless the link does not move.
    fn compensate(&mut self, place: Place, share: f64, inertia: &Inertia) {
        let nothing = Vector3::zeros();
        let moves = self.world.commands().push(place.body, nothing, nothing);
        if share != 0.0 && moves.is_ok() {
            self.compensations.push(Compensation {
                body: place.body,
                point: Some(place.offset * Point3::from(inertia.com())),
                mass: share * inertia.mass,
            });
        }
    }

    /// Finds the body that each link moves with.
    fn place_links(
        &mut self,
        key: &str,
        robot: &RobotDescription,
        handle: RobotHandle,
    ) -> Result<(), IoError> {
        let model = self
            .world
            .model(handle)
            .map_err(|error| self.error(key, error))?;
        let mut found = Vec::new();
        for frame in model.frames() {
            let body = model.body_name(frame.body).unwrap_or("world");
            let body = self.world.find_body(&format!("{}/{body}", robot.name));
            let body = body.map_err(|error| self.error(key, error))?;
            let place = Place {
                body,
                offset: frame.placement.to_isometry(),
                is_link: true,
            };
            found.push((format!("{}/{}", robot.name, frame.name), place));
        }
        self.places.extend(found);
        Ok(())
    }

    fn set_initial_state(
        &mut self,
        key: &str,
        robot: &RobotDescription,
        handle: RobotHandle,
    ) -> Result<(), IoError> {
        let model = self
            .world
            .model(handle)
            .map_err(|error| self.error(key, error))?;
        let (mut q, mut v) = (model.neutral(), vec![0.0; model.nv()]);
        for joint in &robot.joints {
            let Some(info) = model.joint(&joint.name) else {
                continue;
            };
            if joint.initial.len() == info.q.len() {
                q[info.q.clone()].copy_from_slice(&joint.initial);
            }
            if joint.initial_velocity.len() == info.v.len() {
                v[info.v.clone()].copy_from_slice(&joint.initial_velocity);
            }
        }
        self.world
            .set_robot_state(handle, &q, &v)
            .map_err(|error| self.error(key, error))
    }

    pub(super) fn add_joints(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, joint) in file.scene.joints.iter().enumerate() {
            let key = format!("joints[{index}]");
            let [a, b] = [
                self.find(&key, &joint.bodies[0])?,
                self.find(&key, &joint.bodies[1])?,
            ];
            let frames = match &joint.anchors {
                Anchors::OnBodies([on_a, on_b]) => [a.offset * on_a, b.offset * on_b],
                Anchors::InWorld(frame) => {
                    let on = |body: BodyHandle| {
                        let pose = self.world.pose(body);
                        Ok(pose.map_err(|error| self.error(&key, error))?.inverse() * frame)
                    };
                    [on(a.body)?, on(b.body)?]
                }
            };
            let mut connection = Connection::new(&joint.name, joint.kind, a.body, b.body)
                .anchored(frames[0], frames[1]);
            if let Some(collide) = joint.collide {
                connection.collide = collide;
            }
            self.world
                .connect(connection)
                .map_err(|error| self.error(&key, error))?;
        }
        Ok(())
    }

    pub(super) fn exclude_pairs(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, [a, b]) in file.scene.exclude.iter().enumerate() {
            let key = format!("exclude[{index}]");
            let sides = [self.excluded(a), self.excluded(b)];
            self.keep_apart(&sides)
                .map_err(|error| self.error(&key, error))?;
        }
        Ok(())
    }

    /// What a name in `exclude` means: all of a body, or the colliders of a link that is fixed to others,
    /// or one shape. A shape that is only drawn has none.
    fn excluded(&self, name: &str) -> Excluded {
        let Some(place) = self.places.get(name) else {
            let shape = self.world.find_collider(name);
            return Excluded::Colliders(shape.into_iter().collect());
        };
        let own = self.of_owner.get(name).map_or(0, Vec::len);
        let all = self.on_body.get(&place.body.index()).map_or(0, Vec::len);
        match own == all {
            true => Excluded::Body(place.body),
            false => Excluded::Colliders(self.of_owner.get(name).cloned().unwrap_or_default()),
        }
    }

    fn keep_apart(&mut self, sides: &[Excluded; 2]) -> stiction_sim::Result<()> {
        if let [Excluded::Body(a), Excluded::Body(b)] = sides {
            return self.world.exclude(*a, *b);
        }
        let [first, second] = sides.each_ref().map(|side| match side {
            Excluded::Body(body) => self.on_body.get(&body.index()).cloned().unwrap_or_default(),
            Excluded::Colliders(colliders) => colliders.clone(),
        });
        for &a in &first {
            for &b in &second {
                self.world.exclude_pair(a, b)?;
            }
        }
        Ok(())
    }

    /// Keeps links from touching that overlap where their robot starts, where the file means it so;
    /// returns their names.
    pub(super) fn skip_overlaps(&mut self) -> Result<Vec<[String; 2]>, IoError> {
        let file = self.file;
        let (mut names, mut seen) = (Vec::new(), HashSet::new());
        for (index, robot) in file.scene.robots.iter().enumerate() {
            if !robot.skip_overlaps {
                continue;
            }
            let key = format!("robots[{index}]");
            let world = &mut self.world;
            let found = world
                .find_robot(&robot.name)
                .and_then(|handle| world.overlapping_links(handle, OVERLAP));
            let overlaps = found.map_err(|error| self.error(&key, error))?;
            for Overlap { shapes, .. } in overlaps {
                // A shape is named after its link, which may be fixed to others.
                let links = shapes.map(|shape| match shape.rsplit_once('/') {
                    Some((link, _)) => link.to_owned(),
                    None => shape,
                });
                if seen.insert(links.clone()) {
                    let sides = [self.excluded(&links[0]), self.excluded(&links[1])];
                    let kept = self.keep_apart(&sides);
                    kept.map_err(|error| self.error(&key, error))?;
                    names.push(links);
                }
            }
        }
        Ok(names)
    }

    pub(super) fn add_controllers(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, description) in file.scene.controllers.iter().enumerate() {
            let key = format!("controllers[{index}]");
            let place = match description {
                ControllerDescription::Force { body, .. }
                | ControllerDescription::Drive { body, .. } => Some(self.find(&key, body)?),
                _ => None,
            };
            let made = control::make(description, &mut self.world, place);
            let controller = made.map_err(|error| self.error(&key, error))?;
            self.world.add_controller(controller);
        }
        Ok(())
    }

    /// Makes the links of a rod known as `rod[number]`.
    pub(super) fn name_links(&mut self, rod: &str, links: &[BodyHandle]) {
        for (number, &body) in links.iter().enumerate() {
            let place = Place {
                body,
                offset: Isometry3::identity(),
                is_link: false,
            };
            self.places.insert(format!("{rod}[{number}]"), place);
        }
    }

    pub(super) fn find(&self, key: &str, name: &str) -> Result<Place, IoError> {
        let found = self.places.get(name).copied();
        found.ok_or_else(|| self.error(key, format!("there is no body \"{name}\"")))
    }
}
