//! Soft bodies and rods: from descriptions to what a world takes.

use stiction_io::IoError;
use stiction_io::scene_file::{RodDescription, SoftDescription, TouchDescription};
use stiction_sim::deformable::rod::Strains;
use stiction_sim::{Material, RodBody, RodContact, SoftBody, SoftContact};

use super::world::Builder;

impl Builder<'_> {
    pub(super) fn add_soft_bodies(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, description) in file.scene.soft.iter().enumerate() {
            let key = format!("soft[{index}]");
            let body = self.soft_body(&key, description)?;
            let added = self.world.add_soft_body(body);
            added.map_err(|error| self.error(&key, error))?;
        }
        Ok(())
    }

    fn soft_body(&self, key: &str, description: &SoftDescription) -> Result<SoftBody, IoError> {
        let made = description.mesh.make(self.file.folder());
        let made = made.map_err(|error| self.error(&format!("{key}.mesh"), error))?;
        let of_tet = made.material_of_tet(&description.parts);
        let of_tet = of_tet.map_err(|error| self.error(&format!("{key}.parts"), error))?;
        let mut attached = Vec::new();
        for (number, attachment) in description.attach.iter().enumerate() {
            let key = format!("{key}.attach[{number}]");
            let body = self.find(&key, &attachment.body)?.body;
            let nodes = made.select(&attachment.nodes);
            let nodes = nodes.map_err(|error| self.error(&key, error))?;
            attached.extend(nodes.into_iter().map(|node| (node, body)));
        }
        let others = description.parts.iter().map(|part| part.elastic);
        let touch = &description.touch;
        Ok(SoftBody {
            name: description.name.clone(),
            mesh: made.mesh,
            pose: description.pose,
            velocity: description.velocity,
            materials: std::iter::once(description.elastic).chain(others).collect(),
            material_of_tet: of_tet,
            settings: description.settings,
            pieces: description.pieces,
            attached,
            contact: touch.touches.then(|| SoftContact {
                material: self.surface(touch),
                groups: touch.groups,
                touches_itself: touch.itself,
                depth: description.depth,
            }),
        })
    }

    pub(super) fn add_rods(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, description) in file.scene.rods.iter().enumerate() {
            let key = format!("rod[{index}]");
            let body = self.rod_body(&key, description)?;
            let added = self.world.add_rod(body);
            let rod = added.map_err(|error| self.error(&key, error))?;
            let links = self.world.rod_links(rod).map(<[_]>::to_vec);
            let links = links.map_err(|error| self.error(&key, error))?;
            self.name_links(&description.name, &links);
        }
        Ok(())
    }

    fn rod_body(&self, key: &str, description: &RodDescription) -> Result<RodBody, IoError> {
        let made = description.make();
        let (rod, poses) = made.map_err(|error| self.error(key, error))?;
        let (mut attached, mut pivoted) = (Vec::new(), Vec::new());
        for (number, attachment) in description.attach.iter().enumerate() {
            let key = format!("{key}.attach[{number}]");
            let body = self.find(&key, &attachment.body)?.body;
            let link = attachment.link.number(rod.link_count());
            match attachment.pivot {
                true => pivoted.push((link, body)),
                false => attached.push((link, body)),
            }
        }
        let touch = &description.touch;
        let radius = description.contact_radius;
        Ok(RodBody {
            name: description.name.clone(),
            rod,
            poses,
            velocity: description.velocity,
            links_per_piece: description.links_per_piece,
            attached,
            pivoted,
            strains: match description.strains_as_rows {
                true => Strains::AsRows,
                false => Strains::Folded,
            },
            contact: touch.touches.then(|| RodContact {
                radius: radius.unwrap_or_else(|| description.section.contact_radius()),
                material: self.surface(touch),
                groups: touch.groups,
                touches_itself: touch.itself,
            }),
        })
    }

    /// The material of a surface.
    fn surface(&self, touch: &TouchDescription) -> Material {
        let name = touch.material.as_ref();
        let material = name.and_then(|name| self.file.scene.materials.get(name));
        material.copied().unwrap_or_default()
    }
}
