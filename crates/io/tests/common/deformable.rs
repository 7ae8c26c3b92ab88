//! Random soft bodies and rods.

use stiction_collision::Groups;
use stiction_deformable::cut::PieceSize;
use stiction_deformable::fem::{FemSettings, HessianPolicy, Law, Material, Rayleigh};
use stiction_deformable::mesh::Pattern;
use stiction_deformable::rod::Damping;
use stiction_io::scene_file::{
    Cells, MeshFile, NodeSelection, RodAttachment, RodCurve, RodDescription, RodLink, RodSection,
    RodStiffness, SceneDescription, SoftAttachment, SoftDescription, SoftMesh, SoftPart,
    TouchDescription,
};

use super::Dice;

pub(super) fn add(dice: &mut Dice, scene: &mut SceneDescription) {
    for index in 0..dice.below(3) {
        scene.soft.push(soft(dice, format!("soft {index}")));
    }
    for index in 0..dice.below(3) {
        scene.rods.push(rod(dice, format!("rod {index}")));
    }
}

fn touch(dice: &mut Dice, itself: bool) -> TouchDescription {
    if dice.coin() {
        return TouchDescription {
            touches: dice.coin(),
            ..TouchDescription::new(itself)
        };
    }
    TouchDescription {
        touches: true,
        material: dice.maybe(|_| "steel".to_owned()),
        groups: Groups {
            member_of: dice.next() as u32,
            collides_with: dice.next() as u32,
            either: dice.coin(),
        },
        itself: dice.coin(),
    }
}

fn elastic(dice: &mut Dice) -> Material {
    Material {
        law: [Law::Corotational, Law::NeoHookean][dice.below(2) as usize],
        young: 1e5 * dice.size(),
        poisson: dice.between(-0.9, 0.49),
        density: 1e3 * dice.size(),
        damping: match dice.coin() {
            true => Rayleigh::default(),
            false => Rayleigh {
                mass: dice.size(),
                stiffness: dice.size(),
            },
        },
    }
}

fn settings(dice: &mut Dice, law: Law) -> FemSettings {
    let rate = dice.size();
    let hessians = [
        HessianPolicy::Psd,
        HessianPolicy::CoRotated,
        HessianPolicy::Exact,
        HessianPolicy::Majorizing,
        HessianPolicy::ConstantDamping { rate },
        HessianPolicy::AbsoluteColumnSums,
    ];
    let known = match law {
        Law::Corotational => 6,
        Law::NeoHookean => 3,
    };
    FemSettings {
        hessian: hessians[dice.below(known) as usize],
        linearizations: 1 + dice.below(3) as usize,
        strict_ledger: dice.coin(),
    }
}

fn mesh(dice: &mut Dice) -> SoftMesh {
    let file = MeshFile {
        path: "meshes/cup.msh".to_owned(),
        scale: dice.sizes(),
    };
    let pattern = [Pattern::BodyCentred, Pattern::Five][dice.below(2) as usize];
    let cell_size = dice.size();
    match dice.below(9) {
        0 => SoftMesh::Box {
            size: dice.sizes(),
            cells: Cells::Size(cell_size),
            pattern,
        },
        1 => SoftMesh::Box {
            size: dice.sizes(),
            cells: Cells::Counts([0; 3].map(|_| 1 + dice.below(9) as usize)),
            pattern,
        },
        2 => SoftMesh::Mat {
            size: dice.sizes(),
            layers: 1 + dice.below(4) as usize,
            cell_size,
            pattern,
        },
        3 => SoftMesh::Ball {
            radius: dice.size(),
            cell_size,
        },
        4 => SoftMesh::Ellipsoid {
            radii: dice.sizes(),
            cell_size,
        },
        5 => SoftMesh::Cylinder {
            radius: dice.size(),
            length: dice.size(),
            cell_size,
        },
        6 => SoftMesh::Tetrahedra(file),
        7 => SoftMesh::Filled {
            surface: file,
            cell_size,
        },
        _ => SoftMesh::Inline {
            nodes: (0..5).map(|_| dice.point()).collect(),
            tets: vec![[0, 1, 2, 3], [4, 3, 2, 1]],
        },
    }
}

fn soft(dice: &mut Dice, name: String) -> SoftDescription {
    let mesh = mesh(dice);
    let elastic = elastic(dice);
    let has_names = matches!(mesh, SoftMesh::Tetrahedra(_));
    let touch = touch(dice, false);
    let attach = (0..dice.below(4)).map(|_| SoftAttachment {
        body: "arm/hand".to_owned(),
        nodes: match dice.below(3 + u64::from(has_names)) {
            0 => NodeSelection::Numbers(vec![dice.below(100) as usize, 7]),
            1 => NodeSelection::Box {
                size: dice.sizes(),
                pose: dice.pose(),
            },
            2 => NodeSelection::Sphere {
                radius: dice.size(),
                center: dice.point(),
            },
            _ => NodeSelection::Surface("a \"side\"".to_owned()),
        },
    });
    let attach = attach.collect();
    let parts = (0..if has_names { dice.below(3) } else { 0 }).map(|group| SoftPart {
        group: format!("part {group}"),
        elastic: self::elastic(dice),
    });
    let parts = parts.collect();
    let depth = if touch.touches {
        dice.maybe(Dice::size)
    } else {
        None
    };
    SoftDescription {
        name,
        mesh,
        pose: dice.pose(),
        velocity: dice.vector(),
        elastic,
        parts,
        settings: settings(dice, elastic.law),
        pieces: match dice.below(3) {
            0 => PieceSize::Whole,
            1 => PieceSize::Automatic,
            _ => PieceSize::AtMost(4 + dice.below(1000) as usize),
        },
        attach,
        touch,
        depth,
    }
}

fn rod(dice: &mut Dice, name: String) -> RodDescription {
    let links = 10 + dice.below(90) as usize;
    let mut stiffness = RodStiffness {
        stretch: dice.maybe(Dice::size),
        bend: dice.maybe(|dice| [dice.size(), dice.size()]),
        twist: dice.maybe(Dice::size),
        shear: dice.maybe(|dice| [dice.size(), dice.size()]),
    };
    if dice.coin() {
        stiffness.twist = None;
    }
    let all = [
        stiffness.stretch.is_some(),
        stiffness.bend.is_some(),
        stiffness.twist.is_some(),
        stiffness.shear.is_some(),
    ];
    let touch = touch(dice, true);
    let contact_radius = if touch.touches {
        dice.maybe(Dice::size)
    } else {
        None
    };
    let outer = dice.size();
    RodDescription {
        name,
        shape: match dice.below(4) {
            0 => RodCurve::Straight {
                from: dice.point(),
                to: dice.point(),
                links,
            },
            1 => RodCurve::Helix {
                radius: dice.size(),
                pitch: dice.between(-1.0, 1.0),
                turns: -dice.size(),
                links,
            },
            2 => RodCurve::Points {
                points: (0..links).map(|_| dice.point()).collect(),
                links: None,
            },
            _ => RodCurve::Points {
                points: vec![dice.point(), dice.point()],
                links: Some(links),
            },
        },
        normal: dice.maybe(Dice::vector),
        pose: dice.pose(),
        velocity: dice.vector(),
        straight_at_rest: dice.coin(),
        section: match dice.below(3) {
            0 => RodSection::Round { radius: outer },
            1 => RodSection::Tube {
                outer,
                inner: 0.5 * outer,
            },
            _ => RodSection::Rectangle {
                sides: [outer, dice.size()],
            },
        },
        density: 1e3 * dice.size(),
        elastic: match all == [true; 4] {
            true => None,
            false => Some([1e6 * dice.size(), dice.between(-0.9, 0.5)]),
        },
        stiffness,
        damping: match dice.coin() {
            true => Damping::default(),
            false => Damping {
                mass: dice.size(),
                stiffness: dice.size(),
                strain: [0.0; 6].map(|_| dice.size()),
            },
        },
        residual_bending: dice.coin(),
        links_per_piece: dice.maybe(|dice| 2 + dice.below(50) as usize),
        strains_as_rows: dice.coin(),
        attach: vec![
            RodAttachment {
                body: "body 0".to_owned(),
                link: RodLink::Start,
                pivot: false,
            },
            RodAttachment {
                body: "driven".to_owned(),
                link: RodLink::Number(3),
                pivot: true,
            },
            RodAttachment {
                body: "arm/world".to_owned(),
                link: RodLink::End,
                pivot: dice.coin(),
            },
        ],
        touch,
        contact_radius,
    }
}
