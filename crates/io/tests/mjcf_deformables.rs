//! `<flexcomp>` and `<composite>`: what becomes of them, and what is said about the rest.

use stiction_io::ModelOptions;
use stiction_io::mjcf::parse;
use stiction_io::scene_file::{NodeSelection, RodLink, SceneFile, SoftMesh};

fn read(inside: &str) -> Result<SceneFile, String> {
    let text = format!("<mujoco model=\"m\">\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>");
    parse(&text, "m.xml", &ModelOptions::default()).map_err(|error| error.to_string())
}

fn ignored(file: &SceneFile) -> Vec<String> {
    file.ignored.iter().map(ToString::to_string).collect()
}

#[test]
fn a_solid_grid_is_a_soft_body_of_its_mass() {
    let file = read(
        r#"<geom type="plane" size="1 1 .1"/>
<flexcomp name="s" type="grid" dim="3" count="10 10 10" spacing=".01111 .01111 .01111"
  pos="0 0 .06" mass="1" radius=".001">
<elasticity young="1e5" poisson=".3" damping=".01"/>
<contact selfcollide="none"/><edge equality="false"/>
</flexcomp>"#,
    )
    .unwrap();
    let soft = &file.scene.soft[0];
    assert_eq!(soft.name, "s");
    let made = soft.mesh.make(std::path::Path::new("")).unwrap();
    assert_eq!(
        (made.mesh.nodes().len(), made.mesh.tets().len()),
        (1000, 4374)
    );
    let mass = soft.elastic.density * made.mesh.volume();
    assert!((mass - 1.0).abs() < 1e-12, "{mass}");
    assert_eq!((soft.elastic.young, soft.elastic.poisson), (1e5, 0.3));
    assert_eq!(soft.elastic.damping.stiffness, 0.01);
    assert_eq!(soft.pose.translation.vector.z, 0.06);
    assert!(soft.touch.touches && !soft.touch.itself);
    assert_eq!(
        ignored(&file),
        ["m.xml:5: <flexcomp radius>: the surface is where the nodes are"]
    );
}

#[test]
fn pins_fix_nodes_to_the_body_around() {
    let file = read(
        r#"<body name="hand" pos="1 0 0"><freejoint/><geom size="0.1"/>
<flexcomp name="s" type="grid" dim="3" count="3 2 2" spacing=".1 .1 .1" quat="0 1 0 0">
<elasticity young="1e5"/>
<pin id="0" range="1 2" grid="2 1 1" gridrange="1 0 0 1 1 1"/>
</flexcomp></body>"#,
    )
    .unwrap();
    let soft = &file.scene.soft[0];
    assert_eq!(soft.attach[0].body, "hand");
    let all = [0, 1, 2, 4, 5, 6, 7, 11].to_vec();
    assert_eq!(soft.attach[0].nodes, NodeSelection::Numbers(all));
    assert_eq!(soft.pose.translation.vector.x, 1.0);
    assert!(soft.touch.itself);
}

#[test]
fn other_solids_are_read_and_the_world_is_a_body_to_pin_to() {
    let file = read(
        r#"<flexcomp name="b" type="box" dim="3" count="3 3 3" spacing=".1 .1 .1">
<plugin plugin="mujoco.elasticity.solid"><config key="young" value="1e4"/><config key="poisson" value="0.2"/></plugin>
<pin id="0"/></flexcomp>
<flexcomp name="e" type="ellipsoid" dim="3" count="5 5 5" spacing=".1 .1 .1"><elasticity young="1e5"/></flexcomp>
<flexcomp name="d" type="direct" dim="3" point="0 0 0 1 0 0 0 1 0 0 0 1" element="0 2 1 3" scale="2 2 2">
<elasticity young="1e5"/><contact contype="0" conaffinity="0"/></flexcomp>"#,
    )
    .unwrap();
    let [b, e, d] = &file.scene.soft[..] else {
        panic!("{}", file.scene.soft.len());
    };
    assert_eq!((b.elastic.young, b.elastic.poisson), (1e4, 0.2));
    assert_eq!(b.attach[0].body, "world");
    assert!(file.scene.bodies.iter().any(|body| body.name == "world"));
    for soft in [b, e, d] {
        let mesh = soft.mesh.make(std::path::Path::new("")).unwrap().mesh;
        assert!((soft.elastic.density * mesh.volume() - 1.0).abs() < 1e-12);
    }
    assert!(matches!(&d.mesh, SoftMesh::Inline { tets, .. } if tets == &[[0, 2, 3, 1]]));
    assert!(!d.touch.touches);
}

#[test]
fn a_cable_is_a_rod_with_the_stiffness_of_its_plugin() {
    let file = read(
        r#"<body name="post" pos="0 0 1">
<composite prefix="c" type="cable" curve="s" count="11 1 1" size="1" initial="none">
<plugin plugin="mujoco.elasticity.cable">
<config key="twist" value="1e7"/><config key="bend" value="4e6"/><config key="vmax" value="0.05"/>
</plugin>
<joint kind="main" damping=".015"/>
<geom type="capsule" size=".005" density="2000"/>
</composite></body>"#,
    )
    .unwrap();
    let cable = &file.scene.rods[0];
    assert_eq!((cable.name.as_str(), cable.density), ("c", 2000.0));
    assert_eq!(cable.attach[0].body, "post");
    assert_eq!(cable.attach[0].link, RodLink::Start);
    let (rod, poses) = cable.make().unwrap();
    assert_eq!(rod.link_count(), 11);
    assert!((poses[10].translation.vector - nalgebra::Vector3::new(1.0, 0.0, 1.0)).norm() < 1e-12);
    let second = std::f64::consts::FRAC_PI_4 * 0.005_f64.powi(4);
    let stiffness = rod.profile().stiffness;
    assert!((stiffness.bend[0] / (4e6 * second) - 1.0).abs() < 1e-12);
    assert!((stiffness.twist / (2e7 * second) - 1.0).abs() < 1e-12);
    // A joint's damper of 0.015 N·m·s/rad over 0.1 m.
    let time = rod.damping().strain[3];
    assert!((time * stiffness.bend[0] / 0.1 - 0.015).abs() < 1e-12);
    assert_eq!(ignored(&file).len(), 1, "{:?}", ignored(&file));
}

#[test]
fn what_says_something_else_is_listed_by_line() {
    let file = read(
        r#"<flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1"/>
<flexcomp name="string" type="grid" dim="1" count="3 1 1" spacing=".1 .1 .1"/>
<flexcomp name="loose" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1"/>
<composite type="particle" count="2 2 2" spacing="1"/>"#,
    )
    .unwrap();
    assert!(file.scene.soft.is_empty() && file.scene.rods.is_empty());
    let lines = ignored(&file);
    for (line, words) in lines.iter().zip([
        "m.xml:3: <flexcomp> of dimension 2",
        "m.xml:4: <flexcomp> of dimension 1",
        "m.xml:5: <flexcomp> without elasticity",
        "m.xml:6: <composite> of another type",
    ]) {
        assert!(line.starts_with(words), "{words}: {line}");
    }
    assert_eq!(lines.len(), 4, "{lines:?}");
}

#[test]
fn what_is_impossible_is_refused_at_its_line() {
    let flex = |attributes: &str, inside: &str| {
        format!("<flexcomp name=\"s\" dim=\"3\" {attributes}>\n{inside}</flexcomp>")
    };
    let elastic = "<elasticity young=\"1e5\"/>";
    for (text, words) in [
        (
            flex("type=\"gird\"", elastic),
            "m.xml:3:28: flexcomp \"s\": type: \"gird\"",
        ),
        (flex("count=\"3 0 3\"", elastic), "count: is not possible"),
        (flex("count=\"3 1 3\"", elastic), "no solid cell"),
        (
            flex("count=\"9999 9999 9999\"", elastic),
            "count: is not possible",
        ),
        (
            flex("", "<elasticity young=\"1e5\" poisson=\"0.5\"/>"),
            "m.xml:4:",
        ),
        (flex("mass=\"0\"", elastic), "mass: 0 is not positive"),
        (
            flex("", &format!("{elastic}<pin id=\"1000\"/>")),
            "id: 1000 is not possible",
        ),
        (
            flex("", &format!("{elastic}<pin gridrange=\"0 0 0\"/>")),
            "gridrange: has 3 numbers",
        ),
        (flex("type=\"gmsh\" file=\"no.msh\"", elastic), "file: "),
        (
            flex(
                "type=\"direct\" point=\"0 0 0\" element=\"0 1 2 3\"",
                elastic,
            ),
            "no point 1",
        ),
    ] {
        let error = read(&text).expect_err(&text);
        assert!(
            error.contains(words) && error.starts_with("m.xml:"),
            "{words}: {error}"
        );
    }
}
