//! What holds bodies: joints between them, couplings, tendons, and who may touch whom.

use std::collections::HashSet;

use nalgebra::{Isometry3, Translation3};
use stiction_collision::Material;

use super::Writer;
use crate::scene_file::{Anchors, ConnectionDescription, ConnectionKind, TendonPath};
use crate::xml::XmlWriter;

impl Writer<'_, '_> {
    /// Joints between bodies, as equalities and tendons.
    pub(super) fn connections(&mut self) {
        let scene = self.scene;
        for joint in &scene.joints {
            self.connection(joint);
            let holds = matches!(
                joint.kind,
                ConnectionKind::Ball | ConnectionKind::Hinge | ConnectionKind::Weld
            );
            if joint.collide == Some(false) || joint.collide.is_none() && holds {
                let pair = [0, 1].map(|end| {
                    let carrier = self.places.carrier(&joint.bodies[end]).0;
                    self.body_name(&carrier)
                });
                self.excluded.push(pair);
            }
        }
    }

    fn connection(&mut self, joint: &ConnectionDescription) {
        let [a, b] = [&joint.bodies[0], &joint.bodies[1]];
        let anchors = match &joint.anchors {
            Anchors::OnBodies(anchors) => *anchors,
            Anchors::InWorld(frame) => [a, b].map(|body| self.places.start(body).inverse() * frame),
        };
        let sites = |out: &mut Self, shift: Isometry3<f64>| {
            [
                out.site(a, &(anchors[0] * shift)),
                out.site(b, &(anchors[1] * shift)),
            ]
        };
        let here = Isometry3::identity();
        match joint.kind {
            ConnectionKind::Ball => {
                let sites = sites(self, here);
                self.equality("connect", &joint.name, &sites);
            }
            ConnectionKind::Weld => {
                let sites = sites(self, here);
                self.equality("weld", &joint.name, &sites);
            }
            ConnectionKind::Hinge => {
                // Two points that stay together leave the turn about the line through them.
                for (name, z) in [("lower", -0.05), ("upper", 0.05)] {
                    let shift = Isometry3::from(Translation3::new(0.0, 0.0, z));
                    let sites = sites(self, shift);
                    self.equality("connect", &format!("{} {name}", joint.name), &sites);
                }
            }
            ConnectionKind::Distance { length } => {
                let sites = sites(self, here);
                let points = [(a, anchors[0]), (b, anchors[1])]
                    .map(|(body, anchor)| (self.places.neutral(body) * anchor).translation.vector);
                // MuJoCo counts from the length before any coordinate is set.
                let before = (points[0] - points[1]).norm();
                self.line(&joint.name, &sites, |_| {});
                self.equalities
                    .begin("tendon")
                    .attribute("name", &joint.name)
                    .attribute("tendon1", &joint.name)
                    .numbers("polycoef", &[length - before, 0.0, 0.0, 0.0, 0.0])
                    .end();
            }
            ConnectionKind::Spring {
                stiffness,
                damping,
                rest_length,
            } => {
                let sites = sites(self, here);
                self.line(&joint.name, &sites, |xml| {
                    xml.numbers("stiffness", [&stiffness])
                        .numbers("damping", [&damping])
                        .numbers("springlength", [&rest_length]);
                });
            }
            ConnectionKind::Rolling { .. } | ConnectionKind::NoSideSlip => {
                let reason = "MJCF has no word for rolling without slip";
                self.left_out.add("rolling and no-side-slip joints", reason);
            }
        }
    }

    fn equality(&mut self, tag: &'static str, name: &str, sites: &[String; 2]) {
        self.equalities
            .begin(tag)
            .attribute("name", name)
            .attribute("site1", &sites[0])
            .attribute("site2", &sites[1])
            .end();
    }

    /// A tendon between two points.
    fn line(&mut self, name: &str, sites: &[String; 2], more: impl Fn(&mut XmlWriter)) {
        self.tendons.begin("spatial").attribute("name", name);
        more(&mut self.tendons);
        for site in sites {
            self.tendons.begin("site").attribute("site", site).end();
        }
        self.tendons.end();
    }

    /// Linear equations between joint coordinates.
    pub(super) fn couplings(&mut self) {
        let scene = self.scene;
        for robot in &scene.robots {
            for coupling in &robot.couplings {
                let name = format!("{}{}", self.joint_prefix(&robot.name), coupling.name);
                let terms: Vec<(String, f64)> = coupling
                    .terms
                    .iter()
                    .map(|(joint, at, factor)| (self.joint_name(&robot.name, joint, *at), *factor))
                    .collect();
                match &terms[..] {
                    [(first, a), rest @ ..] if *a != 0.0 && rest.len() < 2 => {
                        let slope = rest.first().map_or(0.0, |(_, b)| -b / a);
                        let xml = &mut self.equalities;
                        xml.begin("joint")
                            .attribute("name", name)
                            .attribute("joint1", first);
                        if let Some((second, _)) = rest.first() {
                            xml.attribute("joint2", second);
                        }
                        let start = coupling.offset / a;
                        xml.numbers("polycoef", &[start, slope, 0.0, 0.0, 0.0])
                            .end();
                    }
                    _ => {
                        self.tendons.begin("fixed").attribute("name", &name);
                        for (joint, factor) in &terms {
                            self.tendons
                                .begin("joint")
                                .attribute("joint", joint)
                                .numbers("coef", [factor])
                                .end();
                        }
                        self.tendons.end();
                        self.equalities
                            .begin("tendon")
                            .attribute("name", &name)
                            .attribute("tendon1", &name)
                            .numbers("polycoef", &[coupling.offset, 0.0, 0.0, 0.0, 0.0])
                            .end();
                    }
                }
            }
        }
    }

    /// The tendons of the scene.
    pub(super) fn scene_tendons(&mut self) {
        let scene = self.scene;
        for tendon in &scene.tendons {
            let (tag, branches) = match &tendon.path {
                TendonPath::Joints { .. } => ("fixed", Vec::new()),
                TendonPath::Points(branches) => ("spatial", branches.clone()),
            };
            // Sites first: they need the whole writer.
            let branches: Vec<(f64, Vec<String>)> = branches
                .iter()
                .map(|branch| {
                    let points = branch.points.iter();
                    let sites = points.map(|(body, point)| {
                        self.site(body, &Isometry3::from(Translation3::from(point.coords)))
                    });
                    (branch.divisor, sites.collect())
                })
                .collect();
            let xml = &mut self.tendons;
            xml.begin(tag).attribute("name", &tendon.name);
            if let Some(limits) = &tendon.limits {
                xml.numbers("range", limits);
            }
            xml.unless("stiffness", tendon.stiffness, 0.0)
                .unless("damping", tendon.damping, 0.0)
                .unless("frictionloss", tendon.friction_loss, 0.0);
            if tendon.stiffness != 0.0 {
                xml.numbers("springlength", &tendon.rest);
            }
            if let TendonPath::Joints { robot, terms } = &tendon.path {
                for (joint, factor) in terms {
                    let joint = self.joint_name(robot, joint, 0);
                    self.tendons
                        .begin("joint")
                        .attribute("joint", joint)
                        .numbers("coef", [factor])
                        .end();
                }
            }
            let several = branches.len() > 1;
            for (divisor, sites) in branches {
                let xml = &mut self.tendons;
                if several || divisor != 1.0 {
                    xml.begin("pulley").numbers("divisor", [&divisor]).end();
                }
                for site in sites {
                    xml.begin("site").attribute("site", site).end();
                }
            }
            self.tendons.end();
        }
    }

    /// The section about who may touch whom.
    pub(super) fn contacts(&mut self) -> String {
        let mut xml = XmlWriter::inside("contact");
        let scene = self.scene;
        let mut pairs: Vec<[String; 2]> = Vec::new();
        for pair in &scene.exclude {
            let carriers = [0, 1].map(|end| self.places.carrier(&pair[end]).0);
            match carriers.iter().all(|name| self.places.is_body(name)) {
                true => pairs.push(carriers.map(|name| self.body_name(&name))),
                false => self.left_out.add(
                    "a shape that never touches another",
                    "MuJoCo excludes whole bodies: the two touch",
                ),
            }
        }
        pairs.append(&mut self.excluded);
        let mut done: HashSet<[String; 2]> = HashSet::new();
        for mut pair in pairs {
            pair.sort();
            if pair[0] == pair[1] || done.contains(&pair) {
                continue;
            }
            xml.begin("exclude")
                .attribute("body1", &pair[0])
                .attribute("body2", &pair[1])
                .end();
            done.insert(pair);
        }
        for pair in &scene.contact_pairs {
            let geoms = pair
                .shapes
                .each_ref()
                .map(|shape| match shape.rsplit_once('/') {
                    Some((owner, shape)) => self.geom_name(owner, shape),
                    None => shape.clone(),
                });
            xml.begin("pair")
                .attribute("geom1", &geoms[0])
                .attribute("geom2", &geoms[1]);
            // MuJoCo does not ask the geoms of a pair.
            let friction = pair.friction.unwrap_or_else(|| {
                let [a, b] = pair.shapes.each_ref().map(|shape| self.material_of(shape));
                a.combine(&b, [None; 2]).friction_along
            });
            xml.numbers("friction", &[friction, friction, 0.005, 0.0001, 0.0001]);
            xml.end();
        }
        xml.finish_section()
    }

    /// The material of a shape `body/shape` or `robot/link/shape`.
    fn material_of(&self, name: &str) -> Material {
        let scene = self.scene;
        let of_bodies = scene.bodies.iter();
        let of_bodies = of_bodies.map(|body| (body.name.clone(), &body.shapes));
        let of_links = scene.robots.iter().flat_map(|robot| {
            let links = robot.links.iter();
            links.map(|link| (format!("{}/{}", robot.name, link.name), &link.shapes))
        });
        let mut owners = of_bodies.chain(of_links);
        let shape = owners.find_map(|(owner, shapes)| {
            let rest = name.strip_prefix(&owner)?.strip_prefix('/')?;
            shapes.iter().find(|shape| shape.name == rest)
        });
        let material = shape.and_then(|shape| shape.material.as_ref());
        let material = material.and_then(|name| scene.materials.get(name));
        material.copied().unwrap_or_default()
    }
}
