//! What a run writes, where, and what it leaves alone.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Folder, stderr, stdout, stiction};

/// A ball thrown over a floor.
fn ball(speed: f64) -> String {
    format!(
        r#"seconds = 0.05
[[bodies]]
name = "floor"
kind = "fixed"
shapes = [{{ kind = "half-space" }}]
[[bodies]]
name = "ball"
kind = "free"
mass = 2
position = [0, 0, 1]
velocity = [{speed}, 0, 0]
shapes = [{{ kind = "sphere", radius = 0.1 }}]
"#
    )
}

const ARM: &str = r#"seconds = 0.02
[[robots]]
name = "arm"
[[robots.links]]
name = "rod"
inertia = { mass = 1, diagonal = [0.1, 0.1, 0.1] }
[[robots.links]]
name = "ball"
inertia = { mass = 1, diagonal = [0.1, 0.1, 0.1] }
[[robots.joints]]
name = "shoulder, left"
kind = "revolute"
parent = "world"
child = "rod"
axis = [1, 0, 0]
[[robots.joints]]
name = "wrist"
kind = "spherical"
parent = "rod"
child = "ball"
position = [0, 0, -1]
"#;

#[test]
fn files_are_called_after_the_file_of_a_scene() {
    let folder = Folder::new("outputs-names");
    folder.file("one ball.toml", &ball(1.0));
    folder.file("two.toml", &ball(2.0));
    for file in ["one ball.toml", "two.toml"] {
        let run = stiction(&folder, &["run", file]);
        assert!(run.status.success(), "{}", stderr(&run));
    }
    assert_eq!(
        folder.files(),
        [
            "one ball.html",
            "one ball.stic",
            "one ball.toml",
            "two.html",
            "two.stic",
            "two.toml"
        ]
    );
}

#[test]
fn the_first_frame_has_its_statistics() {
    let folder = Folder::new("outputs-start");
    folder.file("ball.toml", &ball(3.0));
    let run = stiction(
        &folder,
        &["run", "ball.toml", "--no-output", "--csv", "t.csv"],
    );
    assert!(run.status.success(), "{}", stderr(&run));
    let table = folder.read("t.csv");
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let (titles, first) = (lines.next().unwrap(), lines.next().unwrap());
    let value = |name: &str| -> f64 {
        let column = titles.iter().position(|title| *title == name).unwrap();
        first[column].parse().unwrap()
    };
    assert_eq!(value("time"), 0.0);
    assert!((value("kinetic_energy") - 9.0).abs() < 1e-12);
    assert!((value("potential_energy") - 2.0 * 9.81).abs() < 1e-9);
}

#[test]
fn tables_and_arrays_name_joints() {
    let folder = Folder::new("outputs-joints");
    folder.file("arm.toml", ARM);
    let run = stiction(&folder, &["run", "arm.toml"]);
    assert!(run.status.success(), "{}", stderr(&run));
    let export = stiction(&folder, &["export", "arm.stic"]);
    assert!(export.status.success(), "{}", stderr(&export));
    let table = folder.read("arm.csv");
    let titles = table.lines().next().unwrap();
    let names = "\"arm/shoulder, left\",arm/wrist.qx,arm/wrist.qy,arm/wrist.qz,arm/wrist.qw";
    assert!(titles.ends_with(names), "{titles}");
    let arrays = std::fs::read(folder.0.join("arm.npz")).unwrap();
    let has = |words: &[u8]| arrays.windows(words.len()).any(|part| part == words);
    let wide: Vec<u8> = "arm/wrist.qw"
        .chars()
        .flat_map(|letter| u32::from(letter).to_le_bytes())
        .collect();
    assert!(has(b"joint_names.npy") && has(&wide));
}

#[test]
fn numbers_that_cannot_be_are_answered_with_advice() {
    let folder = Folder::new("outputs-advice");
    for (arguments, advice) in [
        (["--dt", "-1"], "give one such as 0.002"),
        (["--dt", "nan"], "give one such as 0.002"),
        (
            ["--seconds", "0"],
            "leave out --seconds for the scene's own",
        ),
        (["--seconds", "-2"], "a run takes a positive time"),
        (["--fps", "-60"], "give one such as 60"),
        (["--tolerance", "-1"], "a positive number is needed"),
        (["--seed", "-1"], "invalid value '-1' for '--seed <SEED>'"),
        (
            ["--max-iterations", "-1"],
            "invalid value '-1' for '--max-iterations <COUNT>'",
        ),
        (["--contact-reuse", "-1"], "not negative"),
        (["--dt", "1e300"], "does not fit into a run of"),
        (["--seconds", "1e-9"], "give a smaller --dt"),
        (["--seconds", "1e300"], "more steps than can be counted"),
    ] {
        let run = stiction(&folder, &[&["run", "rolling"], &arguments[..]].concat());
        assert_eq!(run.status.code(), Some(2));
        assert!(stderr(&run).contains(advice), "{}", stderr(&run));
    }
    assert!(folder.files().is_empty());
}

#[test]
fn an_error_of_the_system_is_told_once() {
    let folder = Folder::new("outputs-once");
    for target in ["--html", "--csv", "--plot", "--record"] {
        let run = stiction(&folder, &["run", "rolling", target, "no/folder/file"]);
        assert_eq!(run.status.code(), Some(2));
        let text = stderr(&run);
        assert_eq!(text.matches("os error").count(), 1, "{text}");
        assert_eq!(text.matches("no/folder/file").count(), 1, "{text}");
    }
    let solve = stiction(&folder, &["solve", "missing.json"]);
    assert_eq!(stderr(&solve).matches("os error").count(), 1);
    let view = stiction(&folder, &["export", "missing.stic"]);
    assert_eq!(stderr(&view).matches("os error").count(), 1);
    assert_eq!(stderr(&view).matches("missing.stic").count(), 1);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_read_only_files_are_not_harmed() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    let folder = Folder::new("outputs-harm");
    folder.file("ball.toml", &ball(1.0));
    let write = |target: &str, name: &str| {
        let target = format!("{target}={name}");
        stiction(&folder, &["run", "ball.toml", "--no-output", &target])
    };
    let targets = ["--html", "--csv", "--plot", "--record"];
    folder.file("kept", "precious");
    std::fs::set_permissions(folder.0.join("kept"), PermissionsExt::from_mode(0o400)).unwrap();
    for target in targets {
        let refused = write(target, "kept");
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            stderr(&refused).contains("read-only"),
            "{}",
            stderr(&refused)
        );
    }
    assert_eq!(folder.read("kept"), "precious");
    folder.file("real", "old");
    symlink("real", folder.0.join("link")).unwrap();
    for target in targets {
        let written = write(target, "link");
        assert!(written.status.success(), "{}", stderr(&written));
        let kind = std::fs::symlink_metadata(folder.0.join("link")).unwrap();
        assert!(kind.is_symlink());
        assert_ne!(std::fs::read(folder.0.join("real")).unwrap(), b"old");
        folder.file("real", "old");
    }
    for target in targets {
        let written = write(target, "/dev/null");
        assert!(written.status.success(), "{}", stderr(&written));
    }
    assert!(
        std::fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
    let through = stiction(
        &folder,
        &[
            "run",
            "ball.toml",
            "--no-output",
            "--quiet",
            "--csv=/dev/stdout",
        ],
    );
    assert!(
        stdout(&through).starts_with("time,"),
        "{}",
        stdout(&through)
    );
}

#[test]
fn without_output_a_failed_step_leaves_nothing_either() {
    let folder = Folder::new("outputs-nothing");
    // Faster than any machine, into a floor.
    let text = ball(9e14).replace("position = [0, 0, 1]", "position = [0, 0, 0.1]");
    let text = text.replace(
        "velocity = [900000000000000, 0, 0]",
        "velocity = [9e14, 0, -9e14]",
    );
    folder.file("fast.toml", &text);
    let run = stiction(&folder, &["run", "fast.toml", "--no-output"]);
    assert_eq!(run.status.code(), Some(1), "{}", stderr(&run));
    assert_eq!(folder.files(), ["fast.toml"]);
}

#[cfg(unix)]
#[test]
fn a_request_to_terminate_ends_a_run_and_keeps_what_was_recorded() {
    let folder = Folder::new("outputs-terminate");
    let child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["run", "box-tower", "--seconds", "100000", "--json"])
        .args(["--csv", "t.csv", "--plot", "t.svg"])
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let recording = folder.0.join("box-tower.stic");
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    while size(&recording) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let first = size(&recording);
    while size(&recording) == first {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-TERM", &id]).status().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert!(kill.success() && ended.status.success());
    assert!(stdout(&ended).contains("\"outcome\":\"interrupted\""));
    // What there was no time for is not there at all, and is named with the command that makes it.
    let files = folder.files();
    assert!(files.contains(&"box-tower.stic".to_owned()), "{files:?}");
    for name in ["box-tower.html", "t.csv", "t.svg"] {
        let is_there = files.iter().any(|file| file == name);
        assert_ne!(
            is_there,
            stderr(&ended).contains(name),
            "{}",
            stderr(&ended)
        );
    }
    let known = ["box-tower.html", "box-tower.stic", "t.csv", "t.svg"];
    assert!(
        files.iter().all(|file| known.contains(&file.as_str())),
        "{files:?}"
    );
    let export = stiction(&folder, &["export", "box-tower.stic", "--json", "t.json"]);
    assert!(export.status.success(), "{}", stderr(&export));
}

/// Waits for a condition, a minute at most.
#[cfg(unix)]
fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let begin = std::time::Instant::now();
    while !is_there() {
        assert!(begin.elapsed().as_secs() < 60, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[cfg(unix)]
#[test]
fn an_export_that_is_interrupted_leaves_no_half_of_a_file() {
    let folder = Folder::new("outputs-export-interrupted");
    let made = stiction(
        &folder,
        &[
            "run",
            "box-tower",
            "--seconds",
            "1",
            "--record",
            "t.stic",
            "--html",
            "t.html",
        ],
    );
    assert!(made.status.success(), "{}", stderr(&made));
    let before = folder.files();
    // The pipe that nobody reads keeps the export from ending.
    let made = Command::new("mkfifo").arg(folder.0.join("pipe")).status();
    assert!(made.unwrap().success());
    let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["export", "t.stic", "--npz", "t.npz", "--json", "pipe"])
        .current_dir(&folder.0)
        .spawn()
        .unwrap();
    wait_for("the first file", || {
        folder.files().contains(&"t.npz".to_owned())
    });
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut files = folder.files();
    files.retain(|file| !["pipe", "t.npz"].contains(&file.as_str()));
    assert_eq!(files, before);
}

#[cfg(unix)]
#[test]
fn commands_that_are_still_loading_end_at_a_signal() {
    let folder = Folder::new("outputs-loading");
    let bodies = (0..60_000)
        .map(|k| format!("<body pos=\"{k} 0 0\"><freejoint/><geom size=\"0.1\"/></body>\n"));
    let text = format!(
        "<mujoco><worldbody>{}</worldbody></mujoco>",
        bodies.collect::<String>()
    );
    folder.file("many.xml", &text);
    let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["compare", "many.xml", "--seconds", "1000"])
        .current_dir(&folder.0)
        .spawn()
        .unwrap();
    // Long enough to listen, too short to load.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    let begin = std::time::Instant::now();
    let kill = Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(kill.success());
    child.wait().unwrap();
    // A tenth of a second on a machine that does nothing else.
    assert!(begin.elapsed().as_secs() < 2, "{:?}", begin.elapsed());
}

#[cfg(unix)]
#[test]
fn a_recording_is_not_waited_for_in_a_pipe() {
    let folder = Folder::new("outputs-pipe-read");
    let made = Command::new("mkfifo").arg(folder.0.join("pipe")).status();
    assert!(made.unwrap().success());
    folder.file("empty.stic", "");
    for (name, problem) in [("pipe", "it is no file"), ("empty.stic", "it is empty")] {
        let export = stiction(&folder, &["export", name, "--csv", "t.csv"]);
        assert_eq!(export.status.code(), Some(2));
        assert!(stderr(&export).contains(problem), "{}", stderr(&export));
    }
}

#[test]
fn convert_does_not_write_over_meshes_that_it_reads() {
    let folder = Folder::new("outputs-convert-meshes");
    std::fs::create_dir(folder.0.join("meshes")).unwrap();
    // The name that the surface of shape "b" gets.
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    folder.file("meshes/cup-b.obj", mesh);
    let scene = r#"seconds = 1
        [[bodies]]
        name = "cup"
        kind = "free"
        mass = 1
        shapes = [
            { name = "a", kind = "mesh", file = "meshes/cup-b.obj" },
            { name = "b", kind = "hull", points = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]] },
        ]"#;
    folder.file("cup.toml", scene);
    let run = stiction(&folder, &["convert", "cup.toml", "cup.urdf"]);
    assert_eq!(run.status.code(), Some(2), "{}", stderr(&run));
    assert!(
        stderr(&run).contains("the scene reads it"),
        "{}",
        stderr(&run)
    );
    assert_eq!(folder.read("meshes/cup-b.obj"), mesh);
    std::fs::create_dir(folder.0.join("new")).unwrap();
    let run = stiction(&folder, &["convert", "cup.toml", "new/cup.urdf"]);
    assert!(run.status.success(), "{}", stderr(&run));
    // What is there already, word for word, may be there.
    let run = stiction(&folder, &["convert", "new/cup.urdf", "new/again.urdf"]);
    assert!(run.status.success(), "{}", stderr(&run));
}

#[test]
fn no_command_writes_what_it_reads_or_one_file_twice() {
    let folder = Folder::new("outputs-clash");
    let text = ball(1.0);
    folder.file("ball.toml", &text);
    let made = stiction(
        &folder,
        &[
            "run",
            "ball.toml",
            "--record",
            "ball.stic",
            "--problems",
            "p",
        ],
    );
    assert!(made.status.success(), "{}", stderr(&made));
    let recording = std::fs::read(folder.0.join("ball.stic")).unwrap();
    let refused = |arguments: &[&str], words: &[&str]| {
        let run = stiction(&folder, arguments);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        for word in words {
            assert!(
                stderr(&run).contains(word),
                "{arguments:?}: {}",
                stderr(&run)
            );
        }
        assert_eq!(folder.read("ball.toml"), text, "{arguments:?}");
        assert_eq!(
            std::fs::read(folder.0.join("ball.stic")).unwrap(),
            recording
        );
    };
    for option in ["--csv", "--html", "--plot", "--record"] {
        refused(
            &["run", "ball.toml", "--no-output", option, "./ball.toml"],
            &[option, "is what is read"],
        );
    }
    refused(
        &[
            "run",
            "ball.toml",
            "--no-output",
            "--csv",
            "t",
            "--plot",
            "./t",
        ],
        &["--csv and --plot both write ./t"],
    );
    refused(
        &["run", "ball.toml", "--csv", "ball.html"],
        &["--html and --csv both write"],
    );
    refused(
        &["export", "ball.stic", "--json", "ball.stic"],
        &["is what is read"],
    );
    refused(&["convert", "ball.toml", "ball.toml"], &["is what is read"]);
    refused(
        &[
            "compare",
            "ball.toml",
            "--solvers",
            "canal",
            "--plot",
            "ball.toml",
        ],
        &["is what is read"],
    );
    let problems = folder.0.join("p");
    if let Some(problem) = std::fs::read_dir(problems).unwrap().next() {
        let problem = problem.unwrap().path();
        let problem = problem.to_str().unwrap();
        refused(&["solve", problem, "--plot", problem], &["is what is read"]);
    }
}

#[test]
fn what_fails_before_a_run_leaves_what_was_there() {
    let folder = Folder::new("outputs-before");
    folder.file("rolling.stic", "old");
    for arguments in [
        ["--sensors", "s.csv"],
        ["--vtu", "v"],
        ["--plot", "no/folder/p.svg"],
    ] {
        let run = stiction(&folder, &[&["run", "rolling"], &arguments[..]].concat());
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        assert_eq!(folder.files(), ["rolling.stic"], "{arguments:?}");
        assert_eq!(folder.read("rolling.stic"), "old");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_is_a_file_is_appended_to() {
    let folder = Folder::new("outputs-append");
    folder.file("ball.toml", &ball(1.0));
    folder.file("log", "before\n");
    let log = std::fs::OpenOptions::new()
        .append(true)
        .open(folder.0.join("log"))
        .unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["run", "ball.toml", "--no-output", "--csv", "/dev/stdout"])
        .current_dir(&folder.0)
        .stdout(log)
        .status()
        .unwrap();
    assert!(run.success());
    let text = folder.read("log");
    assert!(text.starts_with("before\ntime,"), "{text}");
    assert!(text.ends_with("wrote /dev/stdout\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn meshes_over_time_follow_links_and_refuse_what_is_read_only() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new("outputs-meshes");
    let scene = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/scenes/cushion.toml"
    );
    std::fs::create_dir(folder.0.join("v")).unwrap();
    folder.file("real", "old");
    symlink("../real", folder.0.join("v/cushion_00000.vtu")).unwrap();
    let arguments = [
        "run",
        scene,
        "--no-output",
        "--seconds",
        "0.01",
        "--vtu",
        "v",
    ];
    let run = stiction(&folder, &arguments);
    assert!(run.status.success(), "{}", stderr(&run));
    assert!(folder.0.join("v/cushion_00000.vtu").is_symlink());
    assert!(folder.read("real").starts_with("<?xml"));
    let list = folder.0.join("v/cushion.pvd");
    std::fs::set_permissions(&list, PermissionsExt::from_mode(0o400)).unwrap();
    let refused = stiction(&folder, &arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("read-only"),
        "{}",
        stderr(&refused)
    );
}
