//! Scene files become worlds that run.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use stiction_io::scene_file::{parse, to_toml};
use stiction_scenes::{Options, Scene, SettingsDescription, from_scene_file, load};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn scene(text: &str) -> Scene {
    from_scene_file(&parse(text, "test.toml").unwrap(), &Options::default()).unwrap()
}

fn examples() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(project().join("examples/scenes")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    files
}

/// The first block of TOML in the description of the format.
fn documented_example() -> String {
    let docs = std::fs::read_to_string(project().join("docs/scene-files.md")).unwrap();
    let start = docs.find("```toml\n").unwrap() + "```toml\n".len();
    let length = docs[start..].find("```").unwrap();
    docs[start..start + length].to_owned()
}

#[test]
fn the_example_files_run() {
    let files = examples();
    assert!(files.len() >= 3);
    for file in files {
        let mut scene = load(&file, &Options::default()).unwrap();
        for _ in 0..50 {
            scene
                .world
                .step()
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
        assert!(scene.seconds > 0.0);
    }
}

#[test]
fn the_documented_example_runs() {
    let mut scene = scene(&documented_example());
    assert_eq!((scene.name.as_str(), scene.seconds), ("workbench", 2.0));
    for _ in 0..20 {
        scene.world.step().unwrap();
    }
}

#[test]
fn written_examples_make_the_same_world() {
    for file in examples() {
        let first = stiction_io::scene_file::read(&file).unwrap();
        let second = parse(&to_toml(&first.scene), "written.toml").unwrap();
        assert_eq!(first.scene, second.scene, "{}", file.display());
    }
}

#[test]
fn the_dominoes_fall_one_after_another() {
    let mut scene = load(
        project().join("examples/scenes/dominoes.toml"),
        &Options::default(),
    )
    .unwrap();
    let world = &mut scene.world;
    let last = world.find_body("domino 8").unwrap();
    let tilt = |world: &stiction_sim::World, body| {
        let up = world.pose(body).unwrap().rotation * stiction_sim::Vector3::z();
        up.z.clamp(-1.0, 1.0).acos()
    };
    while world.time() < 0.1 {
        world.step().unwrap();
    }
    assert!(tilt(world, last) < 0.01, "the last one stands at first");
    while world.time() < scene.seconds {
        world.step().unwrap();
    }
    assert!(
        tilt(world, last) > 0.5,
        "and lies in the end, at {} rad",
        tilt(world, last)
    );
}

#[test]
fn options_override_the_file() {
    let text =
        "seconds = 3\n[settings]\nsolver = \"pgs\"\ntime_step = \"1 ms\"\ntheta = \"midpoint\"\n";
    let file = parse(text, "test.toml").unwrap();
    let plain = from_scene_file(&file, &Options::default()).unwrap();
    assert_eq!(plain.world.solver_name(), "pgs");
    assert_eq!(
        (plain.seconds, plain.world.settings().time_step),
        (3.0, 1e-3)
    );
    assert_eq!(plain.world.settings().theta, 0.5);
    let options = Options {
        settings: SettingsDescription {
            solver: Some("canal".to_owned()),
            time_step: Some(0.01),
            tolerance: Some(1e-5),
            theta: Some(0.0),
            ..SettingsDescription::default()
        },
        seconds: Some(7.0),
        ..Options::default()
    };
    let changed = from_scene_file(&file, &options).unwrap();
    assert_eq!(changed.world.solver_name(), "canal");
    assert_eq!(
        (changed.seconds, changed.world.settings().time_step),
        (7.0, 0.01)
    );
    assert_eq!(changed.world.settings().tolerance, 1e-5);
    assert_eq!(changed.world.settings().theta, 0.0);
    let bad = Options {
        settings: SettingsDescription {
            time_step: Some(-1.0),
            ..SettingsDescription::default()
        },
        ..Options::default()
    };
    assert!(from_scene_file(&file, &bad).is_err());
}

#[test]
fn masses_come_from_shapes() {
    let scene = scene(
        "seconds = 1\n\
         [[bodies]]\nname = \"a\"\nkind = \"free\"\ndensity = \"2 g/cm^3\"\n\
         shapes = [{ kind = \"box\", size = [0.1, 0.2, 0.3] }, { kind = \"box\", size = [0.1, 0.1, 0.1], position = [1, 0, 0] }]\n\
         [[bodies]]\nname = \"b\"\nkind = \"free\"\nmass = 3\nshapes = [{ kind = \"pot\", radius = 0.1, height = 0.1, thickness = 0.02 }]\n",
    );
    let mass = |name| {
        scene
            .world
            .mass(scene.world.find_body(name).unwrap())
            .unwrap()
    };
    assert!((mass("a") - 2000.0 * (0.006 + 0.001)).abs() < 1e-9);
    assert_eq!(mass("b"), 3.0);
}

#[test]
fn a_pd_controller_reaches_its_target_and_a_driven_body_its_velocity() {
    let mut scene = scene(
        "seconds = 1\n[settings]\ngravity = [0, 0, 0]\n\
         [[bodies]]\nname = \"belt\"\nkind = \"driven\"\n\
         [[robots]]\nname = \"arm\"\nposition = [0, 0, 1]\n\
         [[robots.links]]\nname = \"rod\"\ninertia = { mass = 1, diagonal = [0.1, 0.1, 0.1] }\n\
         [[robots.links]]\nname = \"tip\"\ninertia = { mass = 1, diagonal = [0.1, 0.1, 0.1] }\n\
         [[robots.joints]]\nname = \"hinge\"\nkind = \"revolute\"\nparent = \"world\"\nchild = \"rod\"\naxis = [0, 1, 0]\ninitial = \"10 deg\"\n\
         [[robots.joints]]\nname = \"fix\"\nkind = \"fixed\"\nparent = \"rod\"\nchild = \"tip\"\nposition = [0, 0, -1]\n\
         [[controllers]]\nkind = \"pd\"\nrobot = \"arm\"\njoint = \"hinge\"\nstiffness = 100\ndamping = 30\n\
         target = { times = [0, 0.1], values = [\"10 deg\", \"40 deg\"] }\n\
         [[controllers]]\nkind = \"drive\"\nbody = \"belt\"\nvelocity = { mean = [1, 0, 0], amplitude = [1, 0, 0], frequency = 1 }\n",
    );
    let world = &mut scene.world;
    let arm = world.find_robot("arm").unwrap();
    assert!(
        (world.joint_state(arm, "hinge").unwrap().position - 10_f64.to_radians()).abs() < 1e-12
    );
    while world.time() < 3.0 - 1e-9 {
        world.step().unwrap();
    }
    assert!((world.joint_state(arm, "hinge").unwrap().position - 40_f64.to_radians()).abs() < 1e-3);
    // ∫ (1 + sin 2πt) over whole periods is the time.
    let belt = world.find_body("belt").unwrap();
    assert!((world.pose(belt).unwrap().translation.x - 3.0).abs() < 1e-3);
}

#[test]
fn joints_in_the_world_hold_links_and_bodies_where_they_are() {
    let mut scene = scene(
        "seconds = 1\n\
         [[bodies]]\nname = \"hook\"\nkind = \"fixed\"\nposition = [0.5, 0, 2]\n\
         [[bodies]]\nname = \"bob\"\nkind = \"free\"\ninertia = { mass = 1, diagonal = [0.1, 0.1, 0.1] }\nposition = [1.5, 0, 2]\n\
         [[joints]]\nname = \"pin\"\nkind = \"hinge\"\nbodies = [\"hook\", \"bob\"]\nat = { position = [0.5, 0, 2], rotation = { z_axis = [0, 1, 0] } }\n",
    );
    let world = &mut scene.world;
    let bob = world.find_body("bob").unwrap();
    while world.time() < 0.5 {
        world.step().unwrap();
        let apart =
            world.pose(bob).unwrap().translation.vector - stiction_sim::Vector3::new(0.5, 0.0, 2.0);
        assert!((apart.norm() - 1.0).abs() < 5e-3, "{apart}");
    }
    assert!(world.pose(bob).unwrap().translation.z < 1.5);
}

#[test]
fn meshes_are_relative_to_the_file_and_forces_push() {
    let folder = std::env::temp_dir().join(format!("stiction-scene-file-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    let tetrahedron =
        "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("meshes/t.obj"), tetrahedron).unwrap();
    let text = "seconds = 1\n[settings]\ngravity = [0, 0, 0]\n[[bodies]]\nname = \"t\"\nkind = \"free\"\ndensity = 6000\n\
                [[bodies.shapes]]\nkind = \"mesh\"\nfile = \"meshes/t.obj\"\nscale = 0.001\n\
                [[controllers]]\nkind = \"force\"\nbody = \"t\"\nforce = [2, 0, 0]\n";
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).unwrap();
    let mut scene = load(&path, &Options::default()).unwrap();
    let body = scene.world.find_body("t").unwrap();
    assert!((scene.world.mass(body).unwrap() - 1.0).abs() < 1e-9);
    while scene.world.time() < 0.5 - 1e-9 {
        scene.world.step().unwrap();
    }
    assert!((scene.world.velocity(body).unwrap().linear.x - 1.0).abs() < 1e-6);

    std::fs::write(&path, text.replace("t.obj", "u.obj")).unwrap();
    let message = load(&path, &Options::default()).err().unwrap().to_string();
    assert!(
        message.contains("scene.toml:8:1: bodies[0].shapes[0]: ") && message.contains("u.obj"),
        "{message}"
    );
    std::fs::write(
        folder.join("meshes/t.obj"),
        tetrahedron.replace("f 1 3 2\n", ""),
    )
    .unwrap();
    std::fs::write(&path, text).unwrap();
    let message = load(&path, &Options::default()).err().unwrap().to_string();
    assert!(
        message.contains("bodies[0].shapes[0]: mesh \"mesh\""),
        "{message}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_only_a_world_can_refuse_has_a_line_too() {
    for (text, expected) in [
        (
            "seconds = 1\n[settings]\nsolver = \"canel\"\n",
            "test.toml:3:10: settings.solver: ",
        ),
        (
            "seconds = 1\n\n[[bodies]]\nname = \"a\"\nkind = \"free\"\nmass = 1\nshapes = [{ kind = \"half-space\" }]\n",
            "test.toml:3:1: bodies[0]: ",
        ),
        (
            "seconds = 1\n[[robots]]\nname = \"r\"\nlinks = [{ name = \"a\" }]\n\
             joints = [{ name = \"j\", kind = \"fixed\", parent = \"world\", child = \"a\" }]\n\
             [[controllers]]\nkind = \"force\"\nbody = \"r/a\"\nforce = [1, 0, 0]\n",
            "test.toml:6:1: controllers[0]: ",
        ),
    ] {
        let file = parse(text, "test.toml").unwrap();
        let message = from_scene_file(&file, &Options::default())
            .err()
            .unwrap()
            .to_string();
        assert!(message.starts_with(expected), "{message}");
    }
    let missing = load("no/such/file.toml", &Options::default())
        .err()
        .unwrap()
        .to_string();
    assert!(missing.starts_with("no/such/file.toml: "), "{missing}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Numbers of the documented example changed at random: refused, or a world.
    #[test]
    fn changed_numbers_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize), 1..4),
    ) {
        let mut text = documented_example();
        let values = ["0", "-1", "1e-6", "1e6", "1e-12", "3", "1e300", "0.001"];
        for (place, value) in changes {
            let digits: Vec<usize> = text
                .char_indices()
                .filter(|&(_, letter)| letter.is_ascii_digit())
                .map(|(at, _)| at)
                .collect();
            let at = digits[place.index(digits.len())];
            text.replace_range(at..=at, values[value]);
        }
        if let Ok(file) = parse(&text, "changed.toml")
            && let Ok(mut scene) = from_scene_file(&file, &Options::default())
        {
            let _ = scene.world.step();
        }
    }
}

/// A ball falls through the hole of a ring into a bowl turned from an outline, another into a pit.
#[test]
fn solids_named_by_their_distances_carry_what_falls_on_them() {
    let text = r#"
seconds = 1.0
[[bodies]]
name = "bowl"
kind = "fixed"
shapes = [{ kind = "revolution", outline = [[0, 0], [0.1, 0], [0.1, 0.05], [0.09, 0.05], [0.02, 0.01], [0, 0.01]] }]
[[bodies]]
name = "ring"
kind = "fixed"
position = [0, 0, 0.12]
shapes = [{ kind = "torus", radius = 0.08, tube = 0.02 }]
[[bodies]]
name = "table"
kind = "fixed"
position = [1, 0, 0]
[[bodies.shapes]]
kind = "difference"
blend = 0.005
parts = [
  { kind = "box", size = [0.3, 0.3, 0.1], position = [0, 0, -0.05] },
  { kind = "sphere", radius = 0.06, position = [0, 0, 0.02] },
]
[[bodies]]
name = "ball"
kind = "free"
mass = 0.1
position = [0.005, 0, 0.2]
shapes = [{ kind = "sphere", radius = 0.03 }]
[[bodies]]
name = "marble"
kind = "free"
mass = 0.1
position = [1.0, 0, 0.05]
shapes = [{ kind = "sphere", radius = 0.02 }]
"#;
    let mut world = scene(text).world;
    while world.time() < 1.0 {
        world.step().unwrap();
    }
    let height = |name: &str| {
        let body = world.find_body(name).unwrap();
        world.pose(body).unwrap().translation.z
    };
    // The floor of the bowl is 1 cm thick.
    assert!((height("ball") - 0.04).abs() < 1e-3, "{}", height("ball"));
    // A pit of 6 cm around a point 2 cm above the table.
    assert!(
        (height("marble") + 0.02).abs() < 1e-3,
        "{}",
        height("marble")
    );
}
