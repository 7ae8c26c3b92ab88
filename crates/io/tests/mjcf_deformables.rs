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
fn a_string_is_a_rod_that_stretches_as_its_edges_and_turns_about_its_pins() {
    let file = read(
        r#"<body name="hand" pos="0 0 1"><freejoint/><geom size="0.1"/>
<flexcomp name="s" type="grid" dim="1" count="6 1 1" spacing=".1 .1 .1" mass="0.3" radius=".004">
<edge stiffness="50" damping="0.2"/><pin id="0"/></flexcomp></body>
<flexcomp name="d" type="direct" dim="1" point="0 0 1 .1 0 1 .2 0 1" element="0 1 1 2" mass="0.1">
<edge equality="true"/></flexcomp>"#,
    )
    .unwrap();
    let [s, d] = &file.scene.rods[..] else {
        panic!("{}", file.scene.rods.len());
    };
    assert_eq!((s.name.as_str(), s.attach[0].body.as_str()), ("s", "hand"));
    assert!(s.attach[0].pivot && s.attach[0].link == RodLink::Number(0));
    let (rod, poses) = s.make().unwrap();
    assert_eq!(rod.link_count(), 6);
    assert!((poses[0].translation.vector - nalgebra::Vector3::new(-0.25, 0.0, 1.0)).norm() < 1e-12);
    assert!((rod.mass() - 0.3).abs() < 1e-12);
    // Force over the stretch of one edge, and over its rate.
    let stretch = rod.profile().stiffness.stretch;
    assert!((stretch / 0.1 - 50.0).abs() < 1e-9);
    assert!((stretch / 0.1 * rod.damping().strain[2] - 0.2).abs() < 1e-12);
    assert_eq!(s.section.contact_radius(), 0.004);
    // A ten-thousandth under its own weight.
    let stretch = d.make().unwrap().0.profile().stiffness.stretch;
    assert!((stretch / (0.1 * 9.81 * 1e4) - 1.0).abs() < 1e-12);
    assert_eq!(ignored(&file).len(), 2, "{:?}", ignored(&file));
}

/// As MuJoCo writes a `<flexcomp>` that it has taken apart.
#[test]
fn a_flex_of_bodies_is_a_soft_body_and_its_bodies_are_no_links() {
    let node = |name: &str, at: &str| {
        format!(
            "<body name=\"{name}\" pos=\"{at}\"><inertial pos=\"0 0 0\" mass=\"0.25\" diaginertia=\"1e-6 1e-6 1e-6\"/>\
             <joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 1 0\"/><joint type=\"slide\"/></body>"
        )
    };
    let text = format!(
        "<mujoco model=\"m\"><worldbody><body name=\"post\" pos=\"0 0 1\"><geom size=\".1\"/></body>\n{}{}{}{}{}</worldbody>\n\
         <deformable><flex name=\"s\" dim=\"3\" radius=\".001\" body=\"post a b c\" vertex=\"0 0 0.2 0 0 0 0 0 0 0 0 0\" element=\"0 1 2 3\">\
         <elasticity young=\"1e5\" poisson=\".3\"/></flex>\n\
         <flex name=\"r\" dim=\"1\" body=\"d e\" element=\"1 0\"><edge damping=\"0.01\"/></flex></deformable>\n\
         <equality><flex flex=\"r\"/></equality></mujoco>",
        node("a", "1 0 1.2"),
        node("b", "0 1 1.2"),
        node("c", "0 0 2.2"),
        node("d", "0 0 5"),
        node("e", "0.5 0 5"),
    );
    let file = parse(&text, "m.xml", &ModelOptions::default()).unwrap();
    assert!(file.scene.robots.is_empty(), "nodes are no links");
    let soft = &file.scene.soft[0];
    let mesh = soft.mesh.make(std::path::Path::new("")).unwrap().mesh;
    assert!((mesh.nodes()[0] - nalgebra::Vector3::new(0.0, 0.0, 1.2)).norm() < 1e-12);
    assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-12);
    // A node of 0.25 kg weighs as much as one that is fixed.
    assert!((soft.elastic.density / 6.0 - 1.0).abs() < 1e-12);
    assert_eq!(soft.attach[0].body, "post");
    assert_eq!(soft.attach[0].nodes, NodeSelection::Numbers(vec![0]));
    let string = &file.scene.rods[0];
    let (rod, _) = string.make().unwrap();
    assert!((rod.mass() - 0.5).abs() < 1e-12 && rod.link_count() == 2);
    assert!(rod.profile().stiffness.stretch > 1e4);
}

#[test]
fn what_says_something_else_is_listed_by_line() {
    let file = read(
        r#"<flexcomp name="cloth" type="grid" count="3 3 1" spacing=".1 .1 .1"/>
<flexcomp name="string" type="grid" dim="1" count="3 1 1" spacing=".1 .1 .1"/>
<flexcomp name="ring" type="circle" dim="1" count="9 1 1" spacing=".1 .1 .1"><edge stiffness="9"/></flexcomp>
<flexcomp name="loose" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1"/>
<composite type="particle" count="2 2 2" spacing="1"/>"#,
    )
    .unwrap();
    assert!(file.scene.soft.is_empty() && file.scene.rods.is_empty());
    let lines = ignored(&file);
    for (line, words) in lines.iter().zip([
        "m.xml:3: <flexcomp> of dimension 2",
        "m.xml:4: a string without edges",
        "m.xml:5: <flexcomp type=\"circle\"> of dimension 1",
        "m.xml:6: <flexcomp> without elasticity",
        "m.xml:7: <composite> of another type",
    ]) {
        assert!(line.starts_with(words), "{words}: {line}");
    }
    assert_eq!(lines.len(), 5, "{lines:?}");
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
