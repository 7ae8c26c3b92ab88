//! Who touches whom and how, as MuJoCo has it: `<exclude>`, `priority`, `condim`, `<pair>`.

use stiction_collision::{ContactMaterial, Material};
use stiction_io::scene_file::SceneFile;
use stiction_io::{ModelOptions, mjcf};

fn read(text: &str) -> SceneFile {
    mjcf::parse(text, "model.xml", &ModelOptions::default()).unwrap()
}

/// A floor and a box on it, with these attributes.
fn floor_and_box(floor: &str, body: &str, contact: &str) -> SceneFile {
    read(&format!(
        r#"<mujoco><worldbody><geom name="f" type="plane" size="1 1 1" {floor}/>
        <body name="a" pos="0 0 0.099"><freejoint/><geom name="g" type="box" size=".1 .1 .1" {body}/></body>
        </worldbody>{contact}</mujoco>"#
    ))
}

fn materials(file: &SceneFile) -> [Material; 2] {
    ["world", "a"].map(|name| {
        let body = file
            .scene
            .bodies
            .iter()
            .find(|body| body.name == name)
            .unwrap();
        file.scene.materials[body.shapes[0].material.as_ref().unwrap()]
    })
}

/// `contact.friction[0]` and `contact.dim` of MuJoCo 4.0.0 for the first contact of the two geoms: with
/// `mujoco.mj_forward` on exactly these models.
const REFERENCE: &[(&str, &str, f64, i32)] = &[
    (r#"friction="1""#, r#"friction="0.1" priority="1""#, 0.1, 3),
    (r#"friction="0.5" condim="3""#, r#"condim="1""#, 1.0, 3),
    (
        r#"friction="0.5" condim="1""#,
        r#"condim="1" friction="0.9""#,
        0.9,
        1,
    ),
    (
        r#"friction="0.5" condim="3" priority="1""#,
        r#"condim="1""#,
        0.5,
        3,
    ),
    (r#"friction="0.5""#, r#"condim="1" priority="2""#, 1.0, 1),
    (
        r#"friction="0.5" priority="-1""#,
        r#"friction="0.2""#,
        0.2,
        3,
    ),
    (
        r#"friction="0.5" condim="6" priority="-1""#,
        r#"friction="0.2" condim="4""#,
        0.2,
        4,
    ),
    (r#"friction="0.5" solmix="3""#, r#"friction="0.2""#, 0.5, 3),
    (r#"friction="0.5" solmix="0""#, r#"friction="0.2""#, 0.5, 3),
];

#[test]
fn friction_between_geoms_is_mujocos() {
    for &(floor, body, friction, condim) in REFERENCE {
        let [a, b] = materials(&floor_and_box(floor, body, ""));
        let ContactMaterial { friction_along, .. } = a.combine(&b, [None; 2]);
        let expected = if condim == 1 { 0.0 } else { friction };
        assert_eq!(friction_along, expected, "{floor} and {body}");
    }
}

/// Likewise for pairs, which do not ask their geoms at all: what they leave out is 1 and `condim` 3.
const PAIRS: &[(&str, &str, &str, f64)] = &[
    (r#"friction="0.5""#, r#"friction="0.2""#, "", 1.0),
    (
        r#"friction="0.5" condim="1""#,
        r#"condim="1""#,
        r#"friction="0.7""#,
        0.7,
    ),
    (
        r#"friction="0.5" priority="1""#,
        r#"friction="0.9""#,
        "",
        1.0,
    ),
    (
        r#"friction="0.5" priority="1" condim="1""#,
        "",
        r#"friction="0.7 0.3""#,
        0.7,
    ),
    (
        r#"friction="0.5""#,
        r#"friction="0.2""#,
        r#"condim="1""#,
        0.0,
    ),
    (
        r#"contype="0" conaffinity="0""#,
        "",
        r#"condim="3" friction="0.1 0.1""#,
        0.1,
    ),
];

#[test]
fn a_pair_says_its_own_friction() {
    for &(floor, body, pair, friction) in PAIRS {
        let contact = format!(r#"<contact><pair geom1="f" geom2="g" {pair}/></contact>"#);
        let file = floor_and_box(floor, body, &contact);
        let found = &file.scene.contact_pairs[0];
        assert_eq!(found.friction, Some(friction), "{floor}, {body}, {pair}");
        assert_eq!(found.shapes, ["world/f", "a/g"]);
    }
}

#[test]
fn a_pair_of_what_moves_as_one_is_told() {
    for inside in ["", "<body name=\"b\">"] {
        let end = if inside.is_empty() { "" } else { "</body>" };
        let file = read(&format!(
            r#"<mujoco><worldbody><body name="a"><freejoint/><geom name="f" size=".1"/>{inside}<geom name="g" size=".1"/>{end}
            </body></worldbody><contact><pair geom1="f" geom2="g" condim="1"/></contact></mujoco>"#
        ));
        assert!(file.scene.contact_pairs.is_empty());
        assert_eq!(file.ignored.len(), 1, "{:?}", file.ignored);
        assert!(
            file.ignored[0]
                .to_string()
                .contains("<pair> of geoms that move as one")
        );
    }
}

#[test]
fn an_exclude_is_about_bodies_and_not_about_what_is_welded_to_them() {
    let model = |joint: &str| {
        format!(
            r#"<mujoco model="m"><worldbody>
            <body name="a" pos="0 0 0.5">{joint}<geom name="big" type="box" size=".1 .1 .1"/>
              <body name="tool" pos="0.5 0 0"><geom name="small" type="box" size=".05 .05 .05"/></body></body>
            <body name="b" pos="0 0 0.15"><freejoint/><geom name="other" type="box" size=".1 .1 .1"/></body>
            </worldbody><contact><exclude body1="tool" body2="b"/><exclude body1="b" body2="b"/></contact></mujoco>"#
        )
    };
    let links = read(&model(r#"<joint type="slide" axis="0 0 1"/>"#));
    assert_eq!(links.scene.exclude[0], ["m/tool", "b"]);
    // A free body takes in what is welded to it: only its shapes can be told apart.
    let free = read(&model("<freejoint/>"));
    assert_eq!(free.scene.exclude[0], ["a/small", "b"]);
    let text = stiction_io::scene_file::to_toml(&free.scene);
    let again = stiction_io::scene_file::parse(&text, "again.toml").unwrap();
    assert_eq!(again.scene.exclude, free.scene.exclude);
    assert_eq!(again.scene.materials, free.scene.materials);
}

#[test]
fn what_is_missing_of_condim_four_and_six_is_told() {
    let told = |floor: &str| {
        let file = floor_and_box(floor, "", "");
        let lines = file.ignored.iter().map(ToString::to_string);
        lines.collect::<Vec<_>>().join("\n")
    };
    assert!(told(r#"condim="4""#).contains("<geom condim=\"4\">: nothing brakes spinning"));
    assert!(told(r#"condim="6""#).contains("rolls on a level floor never stops"));
    assert_eq!(told(r#"condim="3" priority="2""#), "");
    assert!(told(r#"solmix="2""#).contains("weighs solref and solimp"));
    let text = r#"<mujoco><worldbody><geom size="1" condim="2"/></worldbody></mujoco>"#;
    let error = mjcf::parse(text, "m.xml", &ModelOptions::default()).unwrap_err();
    assert!(error.to_string().contains("give 1, 3, 4 or 6"), "{error}");
}

#[test]
fn neighbours_with_several_joints_never_touch_nor_what_is_welded_to_them() {
    let file = read(
        r#"<mujoco model="m"><worldbody><body name="a"><joint/><geom size="1"/>
        <body name="a2"><geom size="1"/></body>
        <body name="b"><joint axis="1 0 0"/><joint axis="0 1 0"/><geom size="1"/>
        <body name="b2"><geom size="1"/></body></body></body></worldbody></mujoco>"#,
    );
    let mut pairs = file.scene.exclude.clone();
    pairs.sort();
    let pair = |a: &str, b: &str| [format!("m/{a}"), format!("m/{b}")];
    assert_eq!(
        pairs,
        [
            pair("a", "b"),
            pair("a", "b2"),
            pair("a2", "b"),
            pair("a2", "b2")
        ]
    );
}
