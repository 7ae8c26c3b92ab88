//! The contact problems of a run's steps as files, solved again and measured.

mod common;

use common::{Folder, stderr, stdout, stiction};

const BOX_ON_FLOOR: &str = r#"<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
</mujoco>"#;

const SLIDER: &str = r#"<robot name="slider">
  <link name="rail"/>
  <link name="cart"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/><dynamics friction="1"/></joint>
</robot>"#;

const SCENE: &str = r#"seconds = 1.0

[[bodies]]
name = "floor"
kind = "fixed"

[[bodies.shapes]]
kind = "half-space"

[[bodies]]
name = "ball"
kind = "free"
mass = "1 kg"
position = [0, 0, "10 cm"]

[[bodies.shapes]]
kind = "sphere"
radius = "10 cm"
"#;

fn files(folder: &Folder, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.0.join(name)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn every_so_many_steps_are_written_and_solved_again_from_their_guess() {
    let folder = Folder::new("recorded");
    let arguments = ["run", "box-tower", "--seconds", "0.1", "--no-output"];
    let run = stiction(
        &folder,
        &[&arguments[..], &["--problems", "a/steps", "--every", "8"]].concat(),
    );
    assert!(run.status.success(), "{}", stderr(&run));
    assert!(
        stdout(&run).contains("wrote 3 problems in a/steps"),
        "{}",
        stdout(&run)
    );
    let expected = [0, 8, 16].map(|step| format!("step_{step:06}_island_0.json"));
    assert_eq!(files(&folder, "a/steps"), expected);

    let iterations = |extra: &[&str]| {
        let last = "a/steps/step_000016_island_0.json";
        let arguments = [&["solve", last, "--json", "--tolerance", "1e-6"], extra].concat();
        let output = stiction(&folder, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(answer["name"], "box-tower, step 16, island 0");
        answer["inner_iterations"].as_u64().unwrap()
    };
    assert_eq!(
        iterations(&[]),
        0,
        "the tower rests: the last step's impulses are the answer"
    );
    assert!(iterations(&["--cold"]) > 0);
}

#[test]
fn files_of_every_kind_record_their_steps() {
    let folder = Folder::new("recorded-files");
    for (file, text) in [
        ("box.xml", BOX_ON_FLOOR),
        ("slider.urdf", SLIDER),
        ("ball.toml", SCENE),
    ] {
        folder.file(file, text);
        let steps = format!("{file}-steps");
        let arguments = [
            "run",
            file,
            "--seconds",
            "0.02",
            "--no-output",
            "--problems",
            &steps,
        ];
        let run = stiction(&folder, &arguments);
        assert!(run.status.success(), "{file}: {}", stderr(&run));
        assert!(!files(&folder, &steps).is_empty(), "{file}");
        let solve = stiction(&folder, &["solve", &steps]);
        assert_eq!(solve.status.code(), Some(0), "{file}: {}", stdout(&solve));
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_refused_before_anything_runs() {
    let folder = Folder::new("recorded-nowhere");
    folder.file("taken", "");
    let arguments = [
        "run",
        "box-slide",
        "--no-output",
        "--problems",
        "taken/steps",
    ];
    let run = stiction(&folder, &arguments);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        stderr(&run).contains("taken/steps: the folder"),
        "{}",
        stderr(&run)
    );
    assert_eq!(stdout(&run), "");
    let alone = stiction(&folder, &["run", "box-slide", "--every", "2"]);
    assert_eq!(alone.status.code(), Some(2), "--every is about --problems");
}

#[test]
fn the_worth_of_stages_is_measured_on_recorded_and_generated_problems() {
    let folder = Folder::new("stages");
    let arguments = ["run", "box-slide", "--seconds", "0.02", "--no-output"];
    stiction(
        &folder,
        &[&arguments[..], &["--problems", "steps", "--quiet"]].concat(),
    );
    for solver in ["canal", "subadmm"] {
        let arguments = ["bench", "stages", "steps", "--solver", solver, "--json"];
        let output = stiction(&folder, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let found: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(found["solver"], solver);
        assert_eq!(found["problems"], files(&folder, "steps").len());
        assert!(found["stages"].as_array().unwrap().len() > 2);
        assert!(found["stages"][0]["without"]["lost"].is_array(), "{found}");
    }
    let arguments = ["bench", "stages", "--generated", "1", "--time-budget", "5"];
    let output = stiction(&folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).contains(" of 6 solved"),
        "{}",
        stdout(&output)
    );
    assert_eq!(
        stiction(&folder, &["bench", "stages"]).status.code(),
        Some(2)
    );
}
