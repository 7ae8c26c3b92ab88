//! Links and their masses.

use nalgebra::Isometry3;

use super::Writer;
use crate::error::Result;
use crate::scene_file::{LinkDescription, MassDescription};
use crate::written;

impl Writer<'_> {
    pub(super) fn link(&mut self, link: &LinkDescription) -> Result<()> {
        self.xml.begin("link").attribute("name", &link.name);
        if let Some(mass) = &link.mass {
            self.inertial(link, mass)?;
        }
        if link.gravity_compensation != 0.0 {
            self.left_out
                .add("gravity compensation", "URDF has no word for it");
        }
        for shape in &link.shapes {
            self.shape(&link.name, shape)?;
        }
        self.xml.end();
        Ok(())
    }

    fn inertial(&mut self, link: &LinkDescription, mass: &MassDescription) -> Result<()> {
        let inertia = written::inertia(&link.name, mass, &link.shapes, self.folder)?;
        self.xml.begin("inertial");
        self.origin(&Isometry3::from_parts(
            inertia.center.into(),
            Default::default(),
        ));
        self.xml
            .begin("mass")
            .numbers("value", [&inertia.mass])
            .end();
        let i = &inertia.about_center;
        self.xml.begin("inertia");
        for (name, value) in [
            ("ixx", i.xx),
            ("ixy", i.xy),
            ("ixz", i.xz),
            ("iyy", i.yy),
            ("iyz", i.yz),
            ("izz", i.zz),
        ] {
            self.xml.numbers(name, [&value]);
        }
        self.xml.end().end();
        Ok(())
    }
}
