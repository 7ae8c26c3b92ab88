//! `run`, `scenes`, `compare` and `export` as a user meets them.

mod common;

use std::process::Command;

use common::{Folder, stderr, stdout, stiction};

#[test]
fn a_run_writes_recording_and_page_and_prints_a_summary() {
    let folder = Folder::new("run");
    let run = stiction(
        &folder,
        &["run", "box-slide", "--seconds", "0.2", "--profile"],
    );
    assert!(run.status.success(), "{}", stderr(&run));
    let text = stdout(&run);
    for word in [
        "time (ms)",
        "iterations",
        "residual",
        "penetration",
        "solve",
        "box-slide.html",
    ] {
        assert!(text.contains(word), "{word} in {text}");
    }
    assert_eq!(folder.files(), ["box-slide.html", "box-slide.stic"]);
    assert!(folder.read("box-slide.html").starts_with("<!DOCTYPE html>"));

    let export = stiction(&folder, &["export", "box-slide.stic"]);
    assert!(export.status.success(), "{}", stderr(&export));
    let table = folder.read("box-slide.csv");
    // The first frame, twelve more in 0.2 s, and the header.
    assert_eq!(table.lines().count(), 14, "{table}");
    assert!(folder.files().contains(&"box-slide.npz".to_owned()));
    assert!(folder.files().contains(&"box-slide.json".to_owned()));
}

#[test]
fn json_is_one_object_and_repeats_to_the_digit() {
    let folder = Folder::new("json");
    let run = || {
        let arguments = [
            "run",
            "spheres",
            "--seconds",
            "0.1",
            "--no-output",
            "--json",
        ];
        let output = stiction(&folder, &[&arguments[..], &["--seed", "7"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let text = stdout(&output);
        assert_eq!(text.lines().count(), 1);
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let (first, second) = (run(), run());
    assert_eq!(first["outcome"], "finished");
    assert_eq!(first["steps"], 24);
    assert_eq!(first["kinetic_energy_j"], second["kinetic_energy_j"]);
    assert!(folder.files().is_empty());
}

#[test]
fn plots_and_tables_are_written_where_asked() {
    let folder = Folder::new("outputs");
    let arguments = [
        "run",
        "rolling",
        "--seconds",
        "0.1",
        "--no-output",
        "--quiet",
        "--csv",
        "r.csv",
        "--plot",
        "r.svg",
    ];
    let run = stiction(&folder, &arguments);
    assert!(run.status.success(), "{}", stderr(&run));
    assert_eq!(stdout(&run), "");
    assert!(folder.read("r.svg").starts_with("<svg"));
    assert!(folder.read("r.csv").starts_with("time"));
    assert_eq!(folder.files(), ["r.csv", "r.svg"]);
}

#[test]
fn compare_shows_solvers_side_by_side() {
    let folder = Folder::new("compare");
    let arguments = [
        "compare",
        "mass-ratio",
        "--solvers",
        "canal,pgs",
        "--seconds",
        "0.5",
        "--plot",
        "c.svg",
    ];
    let compare = stiction(&folder, &arguments);
    assert!(compare.status.success(), "{}", stderr(&compare));
    let text = stdout(&compare);
    let line = |solver: &str| text.lines().find(|line| line.starts_with(solver)).unwrap();
    let column = |solver: &str, index: usize| -> f64 {
        line(solver)
            .split_whitespace()
            .nth(index)
            .unwrap()
            .parse()
            .unwrap()
    };
    // A tonne on a gram: exact with canal, through the floor with Gauss–Seidel.
    assert!(column("canal", 5) < 1e-5, "{text}");
    assert!(column("pgs", 5) > 1e-3, "{text}");
    assert!(folder.read("c.svg").contains("pgs"));
}

#[test]
fn scenes_are_listed_with_a_line_each() {
    let folder = Folder::new("scenes");
    let scenes = stiction(&folder, &["scenes"]);
    let text = stdout(&scenes);
    for name in ["dish-piling", "bolt-nut", "grip", "chain", "newton-cradle"] {
        assert!(text.lines().any(|line| line.starts_with(name)), "{text}");
    }
}

#[test]
fn bad_requests_are_answered_clearly_and_leave_nothing_behind() {
    let folder = Folder::new("errors");
    let table: [(&[&str], &str); 8] = [
        (&["run", "dish-pilling"], "did you mean \"dish-piling\""),
        (&["run", "missing.toml"], "missing.toml"),
        (
            &["run", "rolling", "--solver", "canel"],
            "did you mean \"canal\"",
        ),
        (&["run", "rolling", "--dt=-1"], "positive"),
        (
            &["run", "rolling", "--html", "no/such/folder/x.html"],
            "no/such/folder",
        ),
        (
            &["run", "rolling", "--record", "no/such/folder/x.stic"],
            "no/such/folder",
        ),
        (&["export", "missing.stic"], "missing.stic"),
        (&["compare", "rolling", "--solvers", "nobody"], "nobody"),
    ];
    for (arguments, expected) in table {
        let output = stiction(&folder, arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(stdout(&output).is_empty());
    }
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}

#[test]
fn a_broken_recording_is_refused_by_name() {
    let folder = Folder::new("broken");
    std::fs::write(folder.0.join("noise.stic"), b"not a recording").unwrap();
    let export = stiction(&folder, &["export", "noise.stic"]);
    assert_eq!(export.status.code(), Some(2));
    assert!(
        stderr(&export).contains("noise.stic"),
        "{}",
        stderr(&export)
    );
    assert_eq!(folder.files(), ["noise.stic"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_with_what_was_simulated() {
    let folder = Folder::new("interrupt");
    let child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["run", "box-tower", "--seconds", "100000"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Long enough for the first steps, however slow the machine.
    while folder.files().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", stderr(&ended));
    // A page that there was no time for is named with the command that makes it.
    let page = stderr(&ended).contains("--html box-tower.html");
    match page {
        true => assert_eq!(folder.files(), ["box-tower.stic"]),
        false => assert_eq!(folder.files(), ["box-tower.html", "box-tower.stic"]),
    }
    let export = stiction(&folder, &["export", "box-tower.stic", "--csv", "t.csv"]);
    assert!(
        export.status.success() && stderr(&export).is_empty(),
        "{}",
        stderr(&export)
    );
}

#[cfg(unix)]
#[test]
fn view_serves_a_live_scene_on_the_loopback_address() {
    use std::io::{BufRead, BufReader, Read, Write};

    let folder = Folder::new("view");
    let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["view", "box-slide", "--no-browser"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line
        .trim()
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    write!(
        stream,
        "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<!DOCTYPE html>"));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert!(child.wait().unwrap().success());
}

/// What is wrong at the start is named; figures of joints and energy are in the summary.
#[test]
fn a_run_names_what_is_wrong_at_the_start_and_where_energy_went() {
    let folder = Folder::new("start");
    let scene = folder.file(
        "start.toml",
        r#"
seconds = 0.1
[settings]
gravity = [0, 0, 0]
[[bodies]]
name = "a"
kind = "free"
mass = 1e-3
[[bodies.shapes]]
name = "ball"
kind = "sphere"
radius = 0.1
[[bodies]]
name = "b"
kind = "free"
mass = 1e12
position = [0, 0, 0.198]
[[bodies.shapes]]
name = "ball"
kind = "sphere"
radius = 0.1
[[bodies]]
name = "far"
kind = "free"
mass = 1.0
position = [5, 0, 0]
velocity = [0, 1, 0]
[[bodies.shapes]]
name = "ball"
kind = "sphere"
radius = 0.1
[[bodies]]
name = "post"
kind = "fixed"
[[joints]]
name = "rod"
kind = "distance"
length = 1.0
bodies = ["post", "far"]
anchor_a = { position = [4, 0, 0.5] }
"#,
    );
    let run = stiction(&folder, &["run", &scene, "--no-output", "--json"]);
    assert!(run.status.success(), "{}", stderr(&run));
    let said = stderr(&run);
    assert!(
        said.contains("overlap at the start: ") && said.contains("by 2.00 mm"),
        "{said}"
    );
    assert!(
        said.contains("\"b\" (1.0e12 kg) is 1e15 times as heavy as"),
        "{said}"
    );
    // The rod starts open: it is closed in the first step.
    let summary: serde_json::Value = serde_json::from_str(&stdout(&run)).unwrap();
    assert!(
        summary["joint_error_m"]["max"].as_f64().unwrap() < 1e-5,
        "{summary}"
    );
    let works = summary["work_j"].as_object().unwrap();
    let sum: f64 = works.values().map(|work| work.as_f64().unwrap()).sum();
    let change = summary["energy_change_j"].as_f64().unwrap();
    assert!((sum - change).abs() < 1e-9, "{summary}");
    assert!(works.contains_key("contacts") && works.contains_key("integration"));
}

/// Soft bodies and rods over time: as many files as frames, listed with their times.
#[test]
fn deformed_meshes_are_written_over_time() {
    let folder = Folder::new("meshes");
    let scene = folder.file(
        "soft.toml",
        r#"
seconds = 0.1
settings = { time_step = 0.01 }
[[bodies]]
name = "floor"
kind = "fixed"
shapes = [{ kind = "half-space" }]
[[soft]]
name = "a block"
mesh = { kind = "box", size = [0.1, 0.1, 0.06], cells = [2, 2, 1] }
position = [0, 0, 0.03]
young = "50 kPa"
poisson = 0.3
density = 1000
[[rod]]
name = "rope"
shape = { kind = "straight", from = [0.5, 0, 1], to = [0.5, 0, 0.4], links = 5 }
radius = "4 mm"
density = 1200
young = "3 MPa"
poisson = 0.49
attach = [{ body = "floor", end = "start" }]
"#,
    );
    let run = |options: &[&str]| {
        let all = [&["run", &scene, "--no-output", "--fps", "20"], options].concat();
        stiction(&folder, &all)
    };
    let output = run(&["--vtu", "vtu", "--obj", "obj"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("wrote 6 meshes in vtu"));
    let names = |name: &str| {
        let files = std::fs::read_dir(folder.0.join(name)).unwrap();
        let mut names: Vec<_> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let frames = |name: &str, ending: &str| {
        (0..3)
            .map(|frame| format!("{name}_0000{frame}.{ending}"))
            .collect::<Vec<_>>()
    };
    let mut expected = vec!["a-block.pvd".to_owned(), "rope.pvd".to_owned()];
    expected.extend(frames("a-block", "vtu"));
    expected.extend(frames("rope", "vtu"));
    expected.sort();
    assert_eq!(names("vtu"), expected);
    assert_eq!(names("obj"), frames("a-block", "obj"));
    let list = folder.read("vtu/rope.pvd");
    assert!(list.contains("timestep=\"0.05") && list.contains("file=\"rope_00001.vtu\""));
    let block = folder.read("vtu/a-block_00002.vtu");
    for field in [
        "displacement",
        "velocity",
        "von_mises",
        "stress",
        "volume_ratio",
    ] {
        assert!(block.contains(&format!("Name=\"{field}\"")), "{field}");
    }

    // A scene without any, and a folder that cannot be one.
    let output = stiction(&folder, &["run", "rolling", "--no-output", "--vtu", "none"]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("has neither soft bodies nor rods"));
    assert!(!folder.files().contains(&"none".to_owned()));
    let output = run(&["--vtu", "soft.toml"]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("soft.toml"), "{}", stderr(&output));
}
