//! Soft bodies and rods that a scene cannot have.

use stiction_io::scene_file::{RodLink, SoftMesh, parse};

const SCENE: &str = r#"
seconds = 1
[materials.rubber]
friction = 0.8
[[bodies]]
name = "table"
kind = "fixed"
shapes = [{ kind = "half-space" }]
"#;

const SOFT: &str = r#"
[[soft]]
name = "block"
mesh = { kind = "box", size = ["10 cm", "10 cm", "5 cm"], cells = [4, 4, 2] }
young = "50 kPa"
poisson = 0.4
density = "2 kg/m^3"
material = "rubber"
attach = [{ body = "table", box = { size = [1, 1, "1 mm"], position = [0, 0, "-2.5 cm"] } }]
"#;

const ROD: &str = r#"
[[rod]]
name = "rope"
shape = { kind = "straight", from = [0, 0, 1], to = [1, 0, 1], links = 21 }
radius = "4 mm"
density = 1200
young = "3 MPa"
poisson = 0.49
attach = [{ body = "table", end = "start" }]
"#;

/// Checks that `part`, with `old` replaced by `new`, is refused at its line, with key and words.
#[track_caller]
fn refused(part: &str, [old, new]: [&str; 2], key: &str, words: &[&str]) {
    assert!(part.contains(old), "{old}");
    let text = format!("{SCENE}{}", part.replacen(old, new, 1));
    let error = parse(&text, "bad.toml").expect_err(&text);
    let message = error.to_string();
    let line = text.lines().position(|line| line.contains(new)).unwrap() + 1;
    assert_eq!(error.position().unwrap().0, line, "{message}");
    assert_eq!(error.key(), Some(key), "{message}");
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in: {message}");
    }
}

#[test]
fn both_are_read_in_si_units() {
    let file = parse(&format!("{SCENE}{SOFT}{ROD}"), "good.toml").unwrap();
    let soft = &file.scene.soft[0];
    assert_eq!((soft.elastic.young, soft.elastic.density), (50e3, 2.0));
    assert!(matches!(&soft.mesh, SoftMesh::Box { size, .. } if size.z == 0.05));
    assert!(!soft.touch.itself && soft.touch.material.as_deref() == Some("rubber"));
    let rod = &file.scene.rods[0];
    assert_eq!(rod.elastic, Some([3e6, 0.49]));
    assert!(rod.touch.itself);
    assert_eq!(rod.attach[0].link, RodLink::Start);
}

#[test]
fn soft_bodies() {
    let cases: &[([&str; 2], &str, &[&str])] = &[
        (
            ["young =", "yung ="],
            "soft[0].yung",
            &["did you mean \"young\"?"],
        ),
        (["50 kPa", "50 kN"], "soft[0].young", &["is not a modulus"]),
        (
            ["poisson = 0.4", "poisson = 0.5"],
            "soft[0].poisson",
            &["below 1/2"],
        ),
        (
            ["\"box\"", "\"bux\""],
            "soft[0].mesh.kind",
            &["did you mean \"box\"?"],
        ),
        (
            ["[4, 4, 2]", "[4, 0, 2]"],
            "soft[0].mesh.cells[1]",
            &["at least one cell"],
        ),
        (
            ["cells = [4, 4, 2]", "radius = 2"],
            "soft[0].mesh.radius",
            &["not a key known"],
        ),
        (
            ["\"rubber\"", "\"ruber\""],
            "soft[0].material",
            &["did you mean \"rubber\"?"],
        ),
        (
            ["\"table\", box", "\"tabel\", box"],
            "soft[0].attach[0].body",
            &["did you mean \"table\"?"],
        ),
        (
            [
                "box = { size = [1, 1, \"1 mm\"]",
                "surface = \"s\", box = { size = [1, 1, 1]",
            ],
            "soft[0].attach[0]",
            &["one selection"],
        ),
        (
            ["attach =", "parts = [{ group = \"a\" }]\nattach ="],
            "soft[0].parts[0]",
            &["no groups"],
        ),
        (
            [
                "attach =",
                "hessian = \"maj\"\nlaw = \"neo-hookean\"\nattach =",
            ],
            "soft[0].hessian",
            &["neo-hookean"],
        ),
        (
            ["attach =", "hessian = \"psb\"\nattach ="],
            "soft[0].hessian",
            &["did you mean \"psd\"?"],
        ),
        (
            ["attach =", "pieces = 3\nattach ="],
            "soft[0].pieces",
            &["at least 4"],
        ),
        (
            ["attach =", "touches = false\nattach ="],
            "soft[0].material",
            &["touches = false"],
        ),
        (
            ["attach =", "linearizations = 0\nattach ="],
            "soft[0].linearizations",
            &["too small"],
        ),
        (
            ["attach =", "damping = { stiffness = \"1 m\" }\nattach ="],
            "soft[0].damping.stiffness",
            &["not a time"],
        ),
    ];
    for (change, key, words) in cases {
        // The marker of the line is the first line of the replacement.
        let first = change[1].lines().next().unwrap();
        let text = format!("{SCENE}{}", SOFT.replacen(change[0], change[1], 1));
        let error = parse(&text, "bad.toml").expect_err(&text);
        let message = error.to_string();
        assert_eq!(error.key(), Some(*key), "{message}");
        for word in *words {
            assert!(message.contains(word), "\"{word}\" is not in: {message}");
        }
        if *key != "soft[0].material" {
            let line = text.lines().position(|line| line.contains(first)).unwrap() + 1;
            assert_eq!(error.position().unwrap().0, line, "{message}");
        }
    }
    let twice = format!("{SCENE}{SOFT}{SOFT}");
    let error = parse(&twice, "bad.toml").unwrap_err();
    assert_eq!(error.key(), Some("soft[1].name"), "{error}");
}

#[test]
fn rods() {
    let stiffness = "stiffness = { EA = 1, EI = [1, 2], GJ = 1, kGA = 1 }\nattach =";
    let cases: &[([&str; 2], &str, &[&str])] = &[
        (
            ["radius =", "raduis ="],
            "rod[0].raduis",
            &["did you mean \"radius\"?"],
        ),
        (
            ["links = 21", "links = 1"],
            "rod[0].shape.links",
            &["at least 2"],
        ),
        (
            ["\"straight\"", "\"strait\""],
            "rod[0].shape.kind",
            &["did you mean \"straight\"?"],
        ),
        (
            ["end = \"start\"", "link = 21"],
            "rod[0].attach[0].link",
            &["the 21 links count from 0"],
        ),
        (
            ["end = \"start\"", "end = \"begin\""],
            "rod[0].attach[0].end",
            &["start"],
        ),
        (
            ["\"table\"", "\"tble\""],
            "rod[0].attach[0].body",
            &["did you mean \"table\"?"],
        ),
        (
            [
                "radius = \"4 mm\"",
                "section = { kind = \"tube\", outer = 1, inner = 2 }",
            ],
            "rod[0].section.inner",
            &["outer radius"],
        ),
        (
            ["radius = \"4 mm\"", "normal = [0, 0, 1]"],
            "rod[0]",
            &["cross-section"],
        ),
    ];
    for (change, key, words) in cases {
        if *key != "rod[0]" {
            refused(ROD, *change, key, words);
            continue;
        }
        let text = format!("{SCENE}{}", ROD.replacen(change[0], change[1], 1));
        let error = parse(&text, "bad.toml").unwrap_err();
        assert_eq!(error.key(), Some(*key), "{error}");
    }
    let text = format!("{SCENE}{}", ROD.replacen("attach =", stiffness, 1));
    let error = parse(&text, "bad.toml").unwrap_err();
    assert_eq!(error.key(), Some("rod[0].young"), "{error}");
    assert!(error.to_string().contains("decides nothing"), "{error}");
}
