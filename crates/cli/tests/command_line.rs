//! The command as a user meets it: exit codes, what goes to which stream, error messages.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::{Folder, stderr, stdout};

fn stiction(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(arguments)
        .output()
        .expect("the command starts")
}

/// One contact pressed down and pushed sideways: W = diag(1, 2, 2), slides.
fn local(name: &str, push: f64) -> String {
    format!(
        r#"{{"name":"{name}","kind":"local","dimension":3,"component_order":"normal,tangent1,tangent2",
        "n_contacts":1,"mu":[0.5],"q":[-1.0,{push},0.0],
        "W":{{"format":"csc","shape":[3,3],"indptr":[0,1,2,3],"indices":[0,1,2],"data":[1.0,2.0,2.0]}}}}"#
    )
}

fn lines(output: &Output) -> Vec<serde_json::Value> {
    stdout(output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

#[test]
fn without_files_the_bundled_example_is_solved() {
    let output = stiction(&["solve"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("box_on_slope") && stdout(&output).contains("converged"));
    assert_eq!(stderr(&output), "");
}

#[test]
fn json_is_pure_and_answers_in_the_files_order() {
    let folder = Folder::new("json");
    let file = folder.file("slides.json", &local("slides", 3.0));
    let output = stiction(&["solve", &file, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines = lines(&output);
    assert_eq!(lines.len(), 1);
    let answer = &lines[0];
    assert_eq!(answer["name"], "slides");
    assert_eq!(answer["outcome"], "converged");
    assert_eq!(answer["sym"], false);
    assert!(answer["time_us"].as_f64().unwrap() > 0.0);
    assert!(answer["iterations"].is_u64() && answer["solver"].is_string());
    assert!(answer["residuals"]["natural"].as_f64().unwrap() <= 1e-8);
    // By hand: r_n = 1 stops the approach, r_t = −0.5 opposes the sliding; (n, t1, t2).
    let r: Vec<f64> = serde_json::from_value(answer["r"].clone()).unwrap();
    for (value, expected) in r.iter().zip([1.0, -0.5, 0.0]) {
        assert!((value - expected).abs() < 1e-7, "{r:?}");
    }
}

#[test]
fn answers_can_be_fed_back_as_a_warm_start() {
    let folder = Folder::new("warm");
    let file = folder.file("slides.json", &local("slides", 3.0));
    let cold = stiction(&["solve", &file, "--json", "--tolerance", "1e-10"]);
    let answers = folder.file("answers.jsonl", &stdout(&cold));
    let warm = stiction(&["solve", &file, "--json", "--warm-start", &answers]);
    assert_eq!(warm.status.code(), Some(0), "{}", stderr(&warm));
    let iterations = |output: &Output| lines(output)[0]["iterations"].as_u64().unwrap();
    assert!(iterations(&warm) <= iterations(&cold));
    let nonsense = folder.file("nonsense.jsonl", "{\"name\":1}\n");
    let refused = stiction(&["solve", &file, "--warm-start", &nonsense]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("nonsense.jsonl, line 1"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn what_does_not_converge_exits_with_one() {
    // One sweep is not enough for two boxes on top of each other.
    let output = stiction(&["solve", "--solver", "pgs", "--max-iterations", "1"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(
        stdout(&output).contains("out of iterations"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_bad_file_is_named_and_the_others_are_still_solved() {
    let folder = Folder::new("bad");
    folder.file("good.json", &local("good", 0.1));
    folder.file("bad.json", &local("bad", 0.1).replace("[0.5]", "[-0.5]"));
    folder.file("other.json", "{\"something\": \"else\"}");
    let output = stiction(&["solve", folder.0.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(lines(&output).len(), 1);
    let complaints = stderr(&output);
    assert!(
        complaints.contains("bad.json: mu[0]: is -0.5"),
        "{complaints}"
    );
    assert!(
        complaints.contains("skipped") && complaints.contains("other.json"),
        "{complaints}"
    );
    let named = stiction(&["solve", &folder.path("other.json")]);
    assert_eq!(named.status.code(), Some(2));
    let missing = stiction(&["solve", &folder.path("missing.json")]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        stderr(&missing).contains("missing.json: cannot be read"),
        "{}",
        stderr(&missing)
    );
}

#[test]
fn an_unknown_solver_is_answered_with_the_nearest_and_the_list() {
    let output = stiction(&["solve", "--solver", "cannal"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("did you mean \"canal\"?") && text.contains("pgs"),
        "{text}"
    );
    assert_eq!(stdout(&output), "");
}

#[test]
fn bad_usage_exits_with_two() {
    for arguments in [
        &["solve", "--tolerance", "-1"][..],
        &["solve", "--time-budget", "soon"],
        &["sing"],
        &[],
    ] {
        assert_eq!(stiction(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn every_solver_is_listed() {
    let output = stiction(&["solvers"]);
    assert_eq!(output.status.code(), Some(0));
    for name in ["canal", "canal-paper", "convex", "pgs", "jacobi"] {
        assert!(
            stdout(&output)
                .lines()
                .any(|line| line.split_whitespace().next() == Some(name)),
            "{name} is missing"
        );
    }
}

#[test]
fn declarations_are_a_table_or_json_with_every_solver() {
    let names: Vec<String> = stdout(&stiction(&["solvers"]))
        .lines()
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    let table = stiction(&["solvers", "--table"]);
    assert_eq!(table.status.code(), Some(0));
    let table = stdout(&table);
    let json = lines(&stiction(&["solvers", "--json"]));
    assert_eq!(json.len(), names.len());
    for (name, object) in names.iter().zip(&json) {
        assert!(
            table
                .lines()
                .any(|line| line.starts_with(&format!("{name} "))),
            "{name}"
        );
        assert_eq!(object["name"], *name);
        assert!(!object["laws"].as_array().unwrap().is_empty());
    }
    let convex = json
        .iter()
        .find(|object| object["name"] == "pgs-ccp")
        .unwrap();
    assert_eq!(convex["relaxes"], serde_json::json!(["Signorini"]));
}

#[test]
fn the_criterion_can_be_named_and_a_test_of_a_paper_is_reported_as_one() {
    let solve = |arguments: &[&str]| {
        let output = stiction(&[&["solve", "--json", "--solver", "jacobi"], arguments].concat());
        (output.status.code(), lines(&output).remove(0))
    };
    let (code, answer) = solve(&["--criterion", "velocity-change", "--tolerance", "1e-2"]);
    assert_eq!(
        (code, &answer["outcome"]),
        (Some(1), &"stopped".into()),
        "{answer}"
    );
    assert_eq!(answer["reason"], "velocity-change");
    assert_eq!(answer["criterion"], "velocity-change");
    let (code, answer) = solve(&["--criterion", "consensus"]);
    assert_eq!(
        (code, &answer["outcome"]),
        (Some(1), &"failed".into()),
        "{answer}"
    );
    let (code, answer) = solve(&["--criterion", "paper", "--tolerance", "1e-4", "--no-rescue"]);
    assert_eq!(
        (code, &answer["outcome"]),
        (Some(0), &"converged".into()),
        "{answer}"
    );
    assert!(answer["stages"].is_array());
    let unknown = stiction(&["solve", "--criterion", "beauty"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        stderr(&unknown).contains("split-change"),
        "{}",
        stderr(&unknown)
    );
}

#[test]
fn plots_are_written_for_one_and_for_many_problems() {
    let folder = Folder::new("plots");
    folder.file("a.json", &local("a", 0.1));
    folder.file("b.json", &local("b", 3.0));
    let draw = |input: &str, name: &str| {
        let plot = folder.path(name);
        let output = stiction(&["solve", input, "--solver", "canal,pgs", "--plot", &plot]);
        assert!(Path::new(&plot).exists(), "{}", stderr(&output));
        std::fs::read_to_string(plot).unwrap()
    };
    let convergence = draw(&folder.path("b.json"), "convergence.svg");
    assert!(convergence.starts_with("<svg") && convergence.contains("iterations"));
    assert!(convergence.contains("time (ms)") && convergence.contains("pgs"));
    let profile = draw(folder.0.to_str().unwrap(), "profile.svg");
    assert!(profile.contains("time / best time") && profile.contains("canal"));
    let nowhere = stiction(&["solve", "--plot", &folder.path("no/such/folder.svg")]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(stderr(&nowhere).contains("cannot be written"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_solve_and_what_was_solved_is_kept() {
    use std::io::{BufRead, BufReader};

    let folder = Folder::new("interrupt-solve");
    let file = folder.file("slides.json", &local("slides", 3.0));
    // The same problem over and over: seconds of work, however fast the machine.
    let files = vec![file.as_str(); 15_000];
    let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["solve", "--json"])
        .args(&files)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(answers.next().is_some());
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(kill.success());
    let more = answers.count();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(more + 1 < files.len(), "{more}");
    assert!(
        stderr(&output).contains("interrupted"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn completions_are_written() {
    let output = stiction(&["completions", "bash"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("stiction"));
}
