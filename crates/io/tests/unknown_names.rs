//! What a format does not know is an error with a suggestion, or listed.

use stiction_io::{ModelOptions, mjcf, urdf};

fn mjcf_error(text: &str) -> String {
    let read = mjcf::parse(text, "m.xml", &ModelOptions::default());
    read.unwrap_err().to_string()
}

#[test]
fn mjcf_is_checked_by_mujocos_schema() {
    for (text, expected) in [
        (
            "<mujoco><worldbody>\n<bdy/></worldbody></mujoco>",
            "m.xml:2:1: bdy: is no element of <worldbody>; did you mean \"body\"?",
        ),
        (
            "<mujoco><worldbody>\n<geom typ=\"box\"/></worldbody></mujoco>",
            "m.xml:2:7: geom: typ: is no attribute of <geom>; did you mean \"type\"?",
        ),
        (
            "<mujoco><worldbdy/></mujoco>",
            "worldbdy: is no element of <mujoco>; did you mean \"worldbody\"?",
        ),
        (
            "<mujoco><default><default class=\"a\"><geom frictoin=\"1\"/></default></default></mujoco>",
            "frictoin: is no attribute of <geom>; did you mean \"friction\"?",
        ),
        (
            "<mujoco><worldbody><frame><replicate count=\"2\"><geom size=\"1\" sizes=\"2\"/></replicate></frame></worldbody></mujoco>",
            "sizes: is no attribute of <geom>",
        ),
        (
            "<mujoco><default><geom/><geom/></default></mujoco>",
            "geom: is there twice",
        ),
        (
            "<mujoco><geom/></mujoco>",
            "geom: is no element of <mujoco>",
        ),
        (
            "<mujoco><worldbody><light><body/></light></worldbody></mujoco>",
            "body: is no element of <light>",
        ),
    ] {
        let error = mjcf_error(text);
        assert!(error.contains(expected), "{text}\n{error}");
    }
    // Known, and not done: listed.
    let text = r#"<mujoco><option apirate="100" jacobian="dense"/><visual><map znear="1"/></visual>
        <worldbody><light/><geom size="1" margin="0.1"/></worldbody></mujoco>"#;
    let file = mjcf::parse(text, "m.xml", &ModelOptions::default()).unwrap();
    let list: Vec<&str> = file.ignored.iter().map(|one| one.what.as_str()).collect();
    for what in ["<option apirate>", "<visual>", "<light>", "<geom margin>"] {
        assert!(list.contains(&what), "{what}: {list:?}");
    }
}

#[test]
fn urdf_lists_what_it_does_not_know_and_refuses_what_is_almost_known() {
    let robot = |inside: &str| {
        let text = format!("<robot name=\"r\"><link name=\"a\">{inside}</link></robot>");
        urdf::parse(&text, "r.urdf", &ModelOptions::default())
    };
    let file = robot("<vendor_extension version=\"3\"/><contact/>").unwrap();
    assert_eq!(file.ignored.len(), 2, "{:?}", file.ignored);
    assert!(
        file.ignored[0]
            .to_string()
            .contains("<vendor_extension>: is not known here")
    );
    for (inside, expected) in [
        (
            "<colision/>",
            "colision: is no element of <link>; did you mean <collision>?",
        ),
        ("<inertal/>", "did you mean <inertial>?"),
        (
            "<inertial><mass value=\"1\" valu=\"2\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>",
            "valu: is no attribute of <mass>; did you mean \"value\"?",
        ),
    ] {
        let error = robot(inside).unwrap_err().to_string();
        assert!(error.contains(expected), "{inside}\n{error}");
    }
}

#[test]
fn an_impossible_inertia_is_told_in_scene_files_as_in_urdf() {
    let text = r#"seconds = 1
        [[bodies]]
        name = "plate"
        kind = "free"
        inertia = { mass = 1, diagonal = [1, 1, 5] }
        shapes = [{ kind = "sphere", radius = 1 }]"#;
    let file = stiction_io::scene_file::parse(text, "s.toml").unwrap();
    let told: Vec<String> = file.ignored.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        ["s.toml:2:9: an inertia that breaks the triangle inequality: of body \"plate\" first, is used as it is given".replace("2:9", "2")]
    );
    let possible = text.replace("[1, 1, 5]", "[1, 1, 2]");
    let file = stiction_io::scene_file::parse(&possible, "s.toml").unwrap();
    assert!(file.ignored.is_empty());
}

#[test]
fn deep_files_are_refused_by_their_readers() {
    let deep = |tag: &str| format!("<{tag}>").repeat(16_000) + &format!("</{tag}>").repeat(16_000);
    let bodies = format!("<mujoco><worldbody>{}</worldbody></mujoco>", deep("body"));
    assert!(mjcf_error(&bodies).contains("nested more than 200 levels deep"));
    let options = ModelOptions::default();
    let robot = format!("<robot name=\"r\">{}</robot>", deep("link"));
    assert!(urdf::parse(&robot, "r.urdf", &options).is_err());
    let dae = format!("<COLLADA>{}</COLLADA>", deep("node"));
    assert!(stiction_io::mesh::parse_dae(dae.as_bytes(), "m.dae").is_err());
    let toml = format!("a = {}{}", "[".repeat(16_000), "]".repeat(16_000));
    assert!(stiction_io::scene_file::parse(&toml, "s.toml").is_err());
    let gltf = format!("{}{}", "[".repeat(16_000), "]".repeat(16_000));
    let folder = std::path::Path::new("");
    assert!(stiction_io::mesh::parse_gltf(gltf.as_bytes(), "m.gltf", folder).is_err());
}
