//! Scene files with soft bodies and rods become worlds that run.

use std::path::Path;

use stiction_io::scene_file::{parse, to_toml};
use stiction_scenes::{LoadError, Options, Scene, from_scene_file, load};

const SCENE: &str = r#"
seconds = 1
[settings]
time_step = "5 ms"
[materials.rubber]
friction = 0.8
[[bodies]]
name = "floor"
kind = "fixed"
shapes = [{ kind = "half-space" }]
[[bodies]]
name = "weight"
kind = "free"
mass = "200 g"
position = [0.52, 0, 0.3]
shapes = [{ kind = "box", size = [0.04, 0.04, 0.04] }]
[[soft]]
name = "block"
mesh = { kind = "box", size = ["10 cm", "10 cm", "6 cm"], cells = [3, 3, 2] }
position = [0, 0, "3.01 cm"]
young = "50 kPa"
poisson = 0.3
density = 1000
damping = { stiffness = "10 ms" }
material = "rubber"
pieces = 60
[[soft]]
name = "beam"
mesh = { kind = "box", size = ["20 cm", "3 cm", "3 cm"], cell_size = "15 mm", pattern = "five" }
position = [0, 1, 0.5]
young = "500 kPa"
poisson = 0.3
density = 1000
hessian = "K"
attach = [{ body = "floor", box = { size = ["1 mm", 1, 1], position = ["-10 cm", 0, 0] } }]
touches = false
[[rod]]
name = "rope"
shape = { kind = "straight", from = [0.5, 0, 1], to = [0.5, 0, 0.32], links = 18 }
radius = "4 mm"
density = 1200
young = "3 MPa"
poisson = 0.49
links_per_piece = 10
damping = { stiffness = "1 ms" }
attach = [{ body = "floor", end = "start" }, { body = "weight", end = "end" }]
"#;

fn scene(text: &str) -> Scene {
    from_scene_file(&parse(text, "test.toml").unwrap(), &Options::default()).unwrap()
}

fn refusal(text: &str) -> String {
    let file = parse(text, "test.toml").unwrap();
    match from_scene_file(&file, &Options::default()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(LoadError::File(error)) => error.to_string(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_file_with_soft_bodies_and_a_rod_runs() {
    let mut scene = scene(SCENE);
    let world = &mut scene.world;
    let block = world.find_soft_body("block").unwrap();
    let beam = world.find_soft_body("beam").unwrap();
    let rope = world.find_rod("rope").unwrap();
    assert!(world.soft_pieces(block).unwrap() > 1);
    assert_eq!(world.rod_pieces(rope).unwrap(), 2);
    let start = world.soft_positions(beam).unwrap();
    for _ in 0..100 {
        world.step().unwrap();
    }
    // The block rests on the floor.
    let lowest = world.soft_positions(block).unwrap();
    let lowest = lowest
        .iter()
        .map(|node| node.z)
        .fold(f64::INFINITY, f64::min);
    assert!(lowest.abs() < 1e-3, "{lowest}");
    // The beam's clamped end stays, its other end sags.
    let end = world.soft_positions(beam).unwrap();
    let mut held = 0;
    for (start, end) in start.iter().zip(&end) {
        if start.x < -0.0999 {
            held += 1;
            assert_eq!(start, end);
        } else if start.x > 0.0999 {
            assert!(end.z < start.z - 1e-3);
        }
    }
    assert_eq!(held, 9);
    // The weight hangs from the rope.
    let weight = world.find_body("weight").unwrap();
    let z = world.pose(weight).unwrap().translation.vector.z;
    assert!((0.2..0.31).contains(&z), "{z}");
}

/// The sensors of what deforms against weights and statics: what the floor and the rope carry.
#[test]
fn sensors_measure_contact_stress_and_rods() {
    let text = SCENE.to_owned()
        + r#"
[[sensors]]
name = "floor"
kind = "contact-force"
on = "floor"
from = "block"
[[sensors]]
name = "block"
kind = "contact-force"
on = "block"
[[sensors]]
name = "rope on floor"
kind = "contact-force"
on = "floor"
from = "rope"
[[sensors]]
name = "stress"
kind = "soft-stress"
soft = "beam"
[[sensors]]
name = "stress at a node"
kind = "soft-stress"
soft = "beam"
node = 3
[[sensors]]
name = "tension"
kind = "rod-force"
rod = "rope"
joint = 16
[[sensors]]
name = "twist"
kind = "rod-moment"
rod = "rope"
joint = 0
[[sensors]]
name = "end"
kind = "frame-position"
body = "rope[17]"
"#;
    let written = to_toml(&parse(&text, "test.toml").unwrap().scene);
    let mut scene = scene(&written);
    for _ in 0..400 {
        scene.world.step().unwrap();
    }
    let world = &scene.world;
    let read = |name: &str| {
        let sensor = world.find_sensor(name).unwrap();
        world.read_sensor(sensor).unwrap().to_vec()
    };
    let weight = 0.1 * 0.1 * 0.06 * 1000.0 * 9.81;
    for (name, sign) in [("floor", -1.0), ("block", 1.0)] {
        let force = read(name)[2] * sign;
        assert!((force - weight).abs() < 0.01 * weight, "{name}: {force} N");
    }
    assert_eq!(read("rope on floor"), [0.0; 3]);
    let beam = world.find_soft_body("beam").unwrap();
    let stress = world.soft_stress(beam).unwrap();
    let largest = stress.iter().copied().fold(0.0, f64::max);
    assert_eq!(read("stress"), [largest]);
    assert_eq!(read("stress at a node"), [stress[3]]);
    assert!(largest > 1e3, "{largest} Pa");
    // The weight and half a link hang below the last joint; it still swings a little.
    let tension = read("tension")[2];
    assert!((tension - 0.2 * 9.81).abs() < 0.1, "{tension} N");
    assert!(read("twist")[2].abs() < 1e-6);
    let rope = world.find_rod("rope").unwrap();
    let last = world.pose(world.rod_links(rope).unwrap()[17]).unwrap();
    assert_eq!(read("end"), last.translation.vector.as_slice());

    let with = |sensor: &str| format!("{SCENE}[[sensors]]\nname = \"s\"\n{sensor}\n");
    for (sensor, expected) in [
        (
            "kind = \"soft-stress\"\nsoft = \"block\"\nnode = 100000",
            "node",
        ),
        ("kind = \"rod-force\"\nrod = \"rope\"\njoint = 17", "joint"),
        ("kind = \"contact-force\"\non = \"beam\"", "touches nothing"),
        ("kind = \"gyro\"\nbody = \"rope[18]\"", "rope[18]"),
    ] {
        let error = refusal(&with(sensor));
        assert!(error.contains(expected), "{sensor}: {error}");
    }
    for (sensor, expected) in [
        (
            "kind = \"soft-stress\"\nsoft = \"blok\"",
            "no soft body \"blok\"",
        ),
        (
            "kind = \"rod-force\"\nrod = \"block\"\njoint = 0",
            "no rod \"block\"",
        ),
        ("kind = \"contact-force\"\non = \"nobody\"", "nobody"),
        ("kind = \"force\"\nbody = \"rope[2]\"", "no joint carries"),
    ] {
        let error = parse(&with(sensor), "test.toml").unwrap_err().to_string();
        assert!(error.contains(expected), "{sensor}: {error}");
    }
}

#[test]
fn a_file_that_is_written_again_runs_the_same() {
    let written = to_toml(&parse(SCENE, "test.toml").unwrap().scene);
    let [mut first, mut second] = [scene(SCENE), scene(&written)];
    for _ in 0..10 {
        first.world.step().unwrap();
        second.world.step().unwrap();
    }
    let nodes = |scene: &Scene| {
        let block = scene.world.find_soft_body("block").unwrap();
        scene.world.soft_positions(block).unwrap()
    };
    assert_eq!(nodes(&first), nodes(&second));
}

#[test]
fn what_makes_no_body_is_refused_at_its_line() {
    let cases = [
        (
            "cells = [3, 3, 2]",
            "cells = [1000, 1000, 1000]",
            "soft[0].mesh",
            "cells",
        ),
        (
            "position = [\"-10 cm\", 0, 0] } }",
            "position = [9, 0, 0] } }",
            "soft[1].attach[0]",
            "none of the",
        ),
        (
            "{ body = \"floor\", box = { size = [\"1 mm\", 1, 1], position = [\"-10 cm\", 0, 0] } }",
            "{ body = \"floor\", nodes = [9999] }",
            "soft[1].attach[0]",
            "no node 9999",
        ),
        ("to = [0.5, 0, 0.32]", "to = [0.5, 0, 1]", "rod[0]", ""),
        (
            "{ body = \"weight\", end = \"end\" }",
            "{ body = \"weight\", link = 0 }",
            "rod[0]",
            "attached twice",
        ),
    ];
    for (old, new, key, words) in cases {
        assert!(SCENE.contains(old), "{old}");
        let message = refusal(&SCENE.replacen(old, new, 1));
        assert!(message.starts_with("test.toml:"), "{message}");
        assert!(message.contains(key), "{key}: {message}");
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn meshes_come_from_files_with_their_parts() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deformable_files");
    std::fs::create_dir_all(&folder).unwrap();
    // Two tetrahedra of two groups on a common face, and a named triangle, in mm.
    let msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n3 1 \"hard\"\n3 2 \"soft\"\n2 3 \"base\"\n$EndPhysicalNames\n\
        $Nodes\n5\n1 0 0 0\n2 100 0 0\n3 0 100 0\n4 0 0 100\n5 100 100 100\n$EndNodes\n\
        $Elements\n3\n1 4 2 1 1 1 2 3 4\n2 4 2 2 2 2 3 4 5\n3 2 2 3 1 1 2 3\n$EndElements\n";
    std::fs::write(folder.join("two.msh"), msh).unwrap();
    let cube = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
        f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    std::fs::write(folder.join("cube.obj"), cube).unwrap();
    let text = r#"
seconds = 1
[[bodies]]
name = "floor"
kind = "fixed"
[[soft]]
name = "two"
mesh = { kind = "tetrahedra", file = "two.msh", scale = 0.001 }
young = 1e5
poisson = 0.3
density = 1000
attach = [{ body = "floor", surface = "base" }]
[[soft.parts]]
group = "hard"
young = 1e7
poisson = 0.3
density = 2000
[[soft]]
name = "cube"
mesh = { kind = "filled", file = "cube.obj", scale = 0.1, cell_size = "4 cm" }
position = [1, 0, 0]
young = 1e5
poisson = 0.3
density = 1000
"#;
    let path = folder.join("files.toml");
    std::fs::write(&path, text).unwrap();
    let mut scene = load(&path, &Options::default()).unwrap();
    let world = &mut scene.world;
    let two = world.find_soft_body("two").unwrap();
    assert_eq!(world.soft_mesh(two).unwrap().tets().len(), 2);
    let volume = world.soft_mesh(two).unwrap().tet_volume(0);
    assert!((volume - 1e-3 / 6.0).abs() < 1e-15, "{volume}");
    let cube = world.find_soft_body("cube").unwrap();
    let volume = world.soft_mesh(cube).unwrap().volume();
    assert!((0.8e-3..=1.0001e-3).contains(&volume), "{volume}");
    for _ in 0..10 {
        world.step().unwrap();
    }
    let nodes = world.soft_positions(two).unwrap();
    assert_eq!(nodes[1].coords.as_slice(), &[0.1, 0.0, 0.0]);
    assert!(nodes[4].z < 0.1);
    std::fs::write(&path, text.replace("\"hard\"", "\"hrd\"")).unwrap();
    let error = load(&path, &Options::default()).err().unwrap().to_string();
    assert!(
        error.contains("no group \"hrd\"") && error.contains("soft[0].parts"),
        "{error}"
    );
}

#[test]
fn a_soft_cube_and_a_cable_of_mjcf_move() {
    let text = r#"<mujoco>
<option timestep=".002" integrator="discrete"/>
<worldbody>
<geom type="plane" size="1 1 .1"/>
<flexcomp name="s" type="grid" dim="3" count="4 4 4" spacing=".03333 .03333 .03333" pos="0 0 .051" mass="1" radius=".001">
<elasticity young="1e5" poisson=".3" damping=".01"/><contact selfcollide="none"/><edge equality="false"/>
</flexcomp>
<body name="post" pos="1 0 1">
<composite prefix="c" type="cable" curve="s" count="11 1 1" size="0.5" initial="none">
<plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e6"/><config key="bend" value="1e6"/></plugin>
<geom type="capsule" size=".005"/>
</composite></body>
</worldbody></mujoco>"#;
    let file = stiction_io::mjcf::parse(text, "m.xml", &Default::default()).unwrap();
    let mut scene = from_scene_file(&file, &Options::default()).unwrap();
    let world = &mut scene.world;
    for _ in 0..100 {
        world.step().unwrap();
    }
    let cube = world.find_soft_body("s").unwrap();
    let nodes = world.soft_positions(cube).unwrap();
    let lowest = nodes
        .iter()
        .map(|node| node.z)
        .fold(f64::INFINITY, f64::min);
    assert!(lowest.abs() < 1e-3, "{lowest}");
    let cable = world.find_rod("c").unwrap();
    let links = world.rod_links(cable).unwrap();
    let [first, last] = [links[0], links[10]].map(|link| world.pose(link).unwrap());
    assert_eq!(first.translation.vector.z, 1.0);
    assert!(last.translation.vector.z < 0.95, "{last}");
}
