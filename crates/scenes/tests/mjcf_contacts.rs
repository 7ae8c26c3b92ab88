//! Contacts of MJCF models in motion: what is excluded, and whose friction counts.

use stiction_io::{ModelOptions, mjcf};
use stiction_scenes::{Options, Scene, from_scene_file};

fn scene(text: &str, keyframe: Option<&str>) -> Scene {
    let file = mjcf::parse(text, "model.xml", &ModelOptions::default()).unwrap();
    let options = Options {
        keyframe: keyframe.map(str::to_owned),
        ..Options::default()
    };
    from_scene_file(&file, &options).unwrap()
}

/// A box above another, on slides, with a tool welded beside it; the tool is excluded.
fn stack(joint: &str, below: &str) -> Scene {
    scene(
        &format!(
            r#"<mujoco model="m"><worldbody><geom type="plane" size="1 1 1"/>
            <body name="a" pos="0 0 0.5">{joint}<geom type="box" size=".1 .1 .1"/>
              <body name="tool" pos="0.5 0 0"><geom type="box" size=".05 .05 .05"/></body></body>
            <body name="b" pos="{below} 0 0.15">{joint}<geom type="box" size=".1 .1 .1"/></body>
            </worldbody><contact><exclude body1="tool" body2="b"/></contact></mujoco>"#
        ),
        None,
    )
}

#[test]
fn a_body_does_not_fall_through_what_only_its_tool_is_kept_from() {
    for (joint, name) in [
        (r#"<joint type="slide" axis="0 0 1"/>"#, "m/a"),
        ("<freejoint/>", "a"),
    ] {
        let height = |below: &str| {
            let mut scene = stack(joint, below);
            for _ in 0..400 {
                scene.world.step().unwrap();
            }
            let body = scene.world.find_body(name).unwrap();
            scene.world.pose(body).unwrap().translation.z
        };
        // On the other box, which lies on the floor.
        let on_top = height("0");
        assert!((on_top - 0.3).abs() < 2e-3, "{joint}: {on_top}");
    }
    // Above the other box is only the tool, which goes through it.
    let mut scene = stack(r#"<joint type="slide" axis="0 0 1"/>"#, "0.5");
    for _ in 0..400 {
        scene.world.step().unwrap();
    }
    let body = scene.world.find_body("m/a").unwrap();
    let height = scene.world.pose(body).unwrap().translation.z;
    assert!((height - 0.1).abs() < 2e-3, "{height}");
}

#[test]
fn a_box_slides_by_the_friction_of_the_geom_of_higher_priority() {
    let distance = |floor: &str, body: &str| {
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1" {floor}/>
            <body name="a" pos="0 0 0.1"><freejoint/><geom type="box" size=".1 .1 .1" {body}/></body>
            </worldbody><keyframe><key name="k" qpos="0 0 0.1 1 0 0 0" qvel="1 0 0 0 0 0"/></keyframe></mujoco>"#
        );
        let mut scene = scene(&text, Some("k"));
        for _ in 0..800 {
            scene.world.step().unwrap();
        }
        let body = scene.world.find_body("a").unwrap();
        scene.world.pose(body).unwrap().translation.x
    };
    // v²/(2 μ g) with μ = 0.1 takes 1.02 s; each other case stops earlier.
    let slid = |mu: f64| 1.0 / (2.0 * mu * 9.81);
    for (floor, body, mu) in [
        (r#"friction="1""#, r#"friction="0.1" priority="1""#, 0.1),
        (r#"friction="1""#, r#"friction="0.2""#, 1.0),
        (r#"friction="0.3" priority="1""#, r#"friction="0.9""#, 0.3),
        (r#"friction="0.4""#, r#"friction="0.5" condim="1""#, 0.5),
    ] {
        let found = distance(floor, body);
        assert!((found - slid(mu)).abs() < 6e-3, "{floor}, {body}: {found}");
    }
    // Both without friction.
    let free = distance(r#"condim="1""#, r#"condim="1""#);
    assert!((free - 1.6).abs() < 1e-9, "{free}");
}
