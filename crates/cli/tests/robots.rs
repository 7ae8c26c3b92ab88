//! `run`, `inspect`, `convert` and `reproduce` with robot files, as a user meets them.

mod common;

use common::{Folder, stderr, stdout, stiction};

const URDF: &str = r#"<?xml version="1.0"?>
<robot name="cart">
  <link name="rail"/>
  <link name="cart">
    <inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    <collision><geometry><box size="0.2 0.1 0.1"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="5"/>
    <dynamics damping="0.5" friction="0.3"/>
  </joint>
  <gazebo reference="cart"/>
</robot>
"#;

const MJCF: &str = r#"<mujoco model="hinge">
  <option timestep="0.005"/>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="5 5 0.1"/>
    <body name="arm" pos="0 0 1">
      <joint name="elbow" axis="0 1 0" range="-90 90" frictionloss="0.1"/>
      <geom name="rod" type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="elbow" kp="40" kv="4"/></actuator>
  <sensor><jointpos name="angle" joint="elbow"/></sensor>
  <keyframe><key name="bent" qpos="0.5" ctrl="0.5"/></keyframe>
</mujoco>
"#;

#[test]
fn urdf_and_mjcf_files_run() {
    let folder = Folder::new("robots-run");
    folder.file("cart.urdf", URDF);
    folder.file("hinge.xml", MJCF);
    let fixed = stiction(
        &folder,
        &["run", "cart.urdf", "--seconds", "0.1", "--no-output"],
    );
    assert!(fixed.status.success(), "{}", stderr(&fixed));
    // What is not done is said once, with its place.
    assert!(
        stderr(&fixed).contains("cart.urdf:13: <gazebo>"),
        "{}",
        stderr(&fixed)
    );
    let free = stiction(
        &folder,
        &[
            "run",
            "cart.urdf",
            "--base",
            "free",
            "--floor",
            "--seconds",
            "0.1",
            "--no-output",
            "--json",
        ],
    );
    assert!(free.status.success(), "{}", stderr(&free));
    assert!(
        stdout(&free).contains("\"contacts\":{\"max\":4.0"),
        "{}",
        stdout(&free)
    );

    let held = stiction(
        &folder,
        &[
            "run",
            "hinge.xml",
            "--keyframe",
            "bent",
            "--seconds",
            "1",
            "--no-output",
            "--sensors",
            "angles.csv",
        ],
    );
    assert!(held.status.success(), "{}", stderr(&held));
    let angles = folder.read("angles.csv");
    let lines: Vec<&str> = angles.lines().collect();
    assert_eq!((lines[0], lines.len()), ("time,angle", 201));
    let last: f64 = lines[200].split(',').nth(1).unwrap().parse().unwrap();
    assert!((last - 0.5).abs() < 0.05, "{last}");

    let unknown = stiction(&folder, &["run", "hinge.xml", "--keyframe", "straight"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("bent"), "{}", stderr(&unknown));
}

#[test]
fn strict_refuses_what_is_not_done() {
    let folder = Folder::new("robots-strict");
    folder.file("cart.urdf", URDF);
    let run = stiction(&folder, &["inspect", "cart.urdf", "--strict"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("<gazebo>"), "{}", stderr(&run));
}

#[test]
fn inspect_shows_the_tree_and_what_is_not_done() {
    let folder = Folder::new("robots-inspect");
    folder.file("cart.urdf", URDF);
    folder.file("hinge.xml", MJCF);
    let cart = stiction(&folder, &["inspect", "cart.urdf"]);
    assert!(cart.status.success(), "{}", stderr(&cart));
    let text = stdout(&cart);
    for words in [
        "robot cart: 2 links, 2 joints, 1 degrees of freedom",
        "└ cart: 2 kg, box, by the prismatic joint slide, from -1 to 1, friction 0.3, damping 0.5",
        "not done",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    let hinge = stiction(&folder, &["inspect", "hinge.xml", "--json"]);
    let text = stdout(&hinge);
    assert!(hinge.status.success(), "{}", stderr(&hinge));
    for words in [
        "\"actuators\":[\"servo\"]",
        "\"sensors\":[\"angle\"]",
        "<light>",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
}

#[test]
fn convert_goes_round_and_tells_what_is_lost() {
    let folder = Folder::new("robots-convert");
    folder.file("cart.urdf", URDF);
    folder.file("hinge.xml", MJCF);
    for arguments in [
        ["convert", "cart.urdf", "cart.xml"],
        ["convert", "cart.xml", "cart.toml"],
        ["convert", "cart.toml", "again.urdf"],
        ["convert", "hinge.xml", "hinge.toml"],
        ["convert", "hinge.toml", "again.xml"],
    ] {
        let run = stiction(&folder, &arguments);
        assert!(run.status.success(), "{arguments:?}: {}", stderr(&run));
    }
    let energy = |file: &str| {
        let run = stiction(
            &folder,
            &["run", file, "--seconds", "0.5", "--no-output", "--json"],
        );
        assert!(run.status.success(), "{file}: {}", stderr(&run));
        let text = stdout(&run);
        let at = text.find("\"kinetic_energy_j\":").unwrap() + 19;
        let number = &text[at..at + text[at..].find(',').unwrap()];
        number.parse::<f64>().unwrap()
    };
    // The same motion, whichever file it is told by.
    let first = energy("hinge.xml");
    for file in ["hinge.toml", "again.xml"] {
        assert!((energy(file) - first).abs() <= 1e-9 * first, "{file}");
    }
    let lossy = stiction(&folder, &["convert", "hinge.xml", "hinge.urdf"]);
    assert!(lossy.status.success(), "{}", stderr(&lossy));
    assert!(
        stderr(&lossy).contains("servo") || stderr(&lossy).contains("actuator"),
        "{}",
        stderr(&lossy)
    );
    let nowhere = stiction(&folder, &["convert", "hinge.xml", "hinge.txt"]);
    assert_eq!(nowhere.status.code(), Some(2));
}

#[test]
fn broken_robots_are_refused_with_their_line() {
    let folder = Folder::new("robots-broken");
    folder.file("bad.urdf", &URDF.replace("prismatic", "prismetic"));
    let run = stiction(&folder, &["run", "bad.urdf"]);
    assert_eq!(run.status.code(), Some(2));
    let text = stderr(&run);
    assert!(
        text.contains("bad.urdf:8") && text.contains("prismatic"),
        "{text}"
    );
    let missing = stiction(&folder, &["inspect", "nothing.urdf"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn reproduce_lists_and_writes_a_report() {
    let folder = Folder::new("reproduce");
    let list = stiction(&folder, &["reproduce"]);
    assert!(stdout(&list).contains("joint-constraints"));
    let run = stiction(
        &folder,
        &["reproduce", "joint-constraints", "--quick", "--out", "out"],
    );
    assert!(run.status.success(), "{}{}", stdout(&run), stderr(&run));
    let page = folder.read("out/report.html");
    assert!(page.contains("<svg") && page.contains("friction"));
    assert!(folder.read("out/report.md").contains("| **met** |"));
    assert!(
        folder
            .read("out/report.json")
            .contains("\"verdict\": \"met\"")
    );
    let is_verdict = |line: &str| {
        ["met: ", "not comparable: ", "wrote "]
            .iter()
            .any(|word| line.starts_with(word))
    };
    assert!(stdout(&run).lines().all(is_verdict), "{}", stdout(&run));
    let only = ["reproduce", "joint-constraints", "--only", "nothing"];
    let only = stiction(&folder, &only);
    assert_eq!(only.status.code(), Some(2));
    assert!(stderr(&only).contains("friction, limits, convergence, as-printed"));
    let unknown = stiction(&folder, &["reproduce", "nothing"]);
    assert_eq!(unknown.status.code(), Some(2));
}

const SOFT: &str = r#"
name = "cushion"
seconds = 0.02
[[bodies]]
name = "floor"
kind = "fixed"
shapes = [{ kind = "half-space" }]
[[soft]]
name = "pad"
mesh = { kind = "box", size = ["4 cm", "4 cm", "2 cm"], cells = [2, 2, 1], pattern = "five" }
position = [0, 0, "1 cm"]
young = "50 kPa"
poisson = 0.3
density = 1000
[[rod]]
name = "wire"
shape = { kind = "straight", from = [1, 0, 1], to = [1.2, 0, 1], links = 11 }
radius = "2 mm"
density = 1000
young = "1 MPa"
poisson = 0.3
links_per_piece = 6
attach = [{ body = "floor", end = "start" }]
"#;

#[test]
fn soft_bodies_and_rods_are_inspected_and_summed_up() {
    let folder = Folder::new("robots-soft");
    folder.file("cushion.toml", SOFT);
    let lines = [
        "pad: 18 nodes, 20 tetrahedra, 1 piece, 3.2000e-5 m³, angles from 54.7° to 90.0°",
        "wire: 11 links, 2 pieces, 0.2000 m, 2.5133e-3 kg",
    ];
    let inspect = stiction(&folder, &["inspect", "cushion.toml"]);
    assert!(inspect.status.success(), "{}", stderr(&inspect));
    let run = stiction(&folder, &["run", "cushion.toml", "--no-output"]);
    assert!(run.status.success(), "{}", stderr(&run));
    for (text, headings) in [
        (stdout(&inspect), ["soft bodies\n  ", "rods\n  "]),
        (stdout(&run), ["soft body ", "rod "]),
    ] {
        for (line, heading) in lines.iter().zip(headings) {
            let words = format!("{heading}{line}");
            assert!(text.contains(&words), "{words} in\n{text}");
        }
    }
    let json = stdout(&stiction(&folder, &["inspect", "cushion.toml", "--json"]));
    for words in ["\"links\":11,", "\"pieces\":2", "\"tetrahedra\":20"] {
        assert!(json.contains(words), "{words} in\n{json}");
    }
}
