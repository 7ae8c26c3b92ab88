//! Our time beside Pinocchio's for the same calls on the same robots in the same run.
//!
//! `STICTION_PINOCCHIO=path/to/driver cargo bench -p stiction-dynamics --bench peers`
//! with the driver built as `benches/peers/README.md` says. Without it only our times are printed.
#![expect(clippy::print_stdout, reason = "the table is the result")]

mod robots;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use stiction_dynamics::*;

const ALGORITHMS: [&str; 7] = [
    "rnea",
    "aba",
    "crba",
    "joint_jacobians",
    "ldl_factorize",
    "rnea_derivatives",
    "aba_derivatives",
];
/// Ours and theirs take turns this many times; the medians are compared.
const ROUNDS: usize = 7;

/// Nanoseconds per call: the best of many short batches. A batch is far shorter than a scheduler's
/// time slice, so that on a busy machine some of them run undisturbed.
fn time(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 50;
    (0..400)
        .map(|_| {
            let start = Instant::now();
            (0..CALLS).for_each(|_| call());
            start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
        })
        .fold(f64::INFINITY, f64::min)
}

fn our_times(model: &Model) -> Vec<f64> {
    let (q, v, a) = robots::state(model);
    let mut data = Data::new(model);
    let mut mass = MassMatrix::new(model);
    let mut factor = LdlFactorization::new(model);
    let mut inverse = RneaDerivatives::new(model);
    let mut forward = AbaDerivatives::new(model);
    let ok = "the robot is valid";
    vec![
        time(|| {
            black_box(rnea(model, &mut data, black_box(&q), &v, &a, None).expect(ok));
        }),
        time(|| {
            black_box(aba(model, &mut data, black_box(&q), &v, &a, None).expect(ok));
        }),
        time(|| crba(model, &mut data, black_box(&q), &mut mass).expect(ok)),
        time(|| joint_jacobians(model, &mut data, black_box(&q)).expect(ok)),
        time(|| factor.factorize(model, black_box(&mass)).expect(ok)),
        time(|| {
            rnea_derivatives(model, &mut data, black_box(&q), &v, &a, None, &mut inverse)
                .expect(ok);
        }),
        time(|| {
            aba_derivatives(model, &mut data, black_box(&q), &v, &a, None, &mut forward).expect(ok);
        }),
    ]
}

/// The model and state as the driver reads them: one line per joint.
fn write_model(model: &Model) -> std::io::Result<std::path::PathBuf> {
    let mut text = String::new();
    for joint in &model.description().joints {
        let info = model.joint(&joint.name).expect("joint of the model");
        let parent = model.parent(info.body).expect("parent").index();
        let kind = match &joint.kind {
            JointKind::Free => "free",
            JointKind::Revolute { axis } if axis.x == 1.0 => "x",
            JointKind::Revolute { axis } if axis.y == 1.0 => "y",
            JointKind::Revolute { .. } => "z",
            other => unreachable!("the robots here have no {other:?}"),
        };
        let inertia = model.inertia(info.body).expect("inertia");
        let _ = write!(text, "joint {kind} {parent}");
        let mut numbers = joint.placement.rotation.transpose().as_slice().to_vec();
        numbers.extend(joint.placement.translation.iter());
        numbers.push(inertia.mass);
        numbers.extend(inertia.com().iter());
        numbers.extend(inertia.about_com().to_matrix().iter());
        for x in numbers {
            let _ = write!(text, " {x:e}");
        }
        text.push('\n');
    }
    let (q, v, a) = robots::state(model);
    for (name, values) in [("q", q), ("v", v), ("a", a)] {
        let _ = write!(text, "{name}");
        values.iter().for_each(|x| {
            let _ = write!(text, " {x:e}");
        });
        text.push('\n');
    }
    let path = std::env::temp_dir().join(format!("stiction-{}.txt", model.name()));
    std::fs::write(&path, text)?;
    Ok(path)
}

/// Runs the driver: its times by algorithm, and its RNEA torques to check that both sides
/// compute the same thing.
fn their_times(driver: &str, path: &std::path::Path) -> (BTreeMap<String, f64>, Vec<f64>) {
    let output = Command::new(driver)
        .arg(path)
        .output()
        .expect("the driver starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut times = BTreeMap::new();
    let mut torque = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        let values: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        match name {
            "torque" => torque = values,
            _ => {
                times.insert(name.to_owned(), values[0]);
            }
        }
    }
    (times, torque)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let driver = std::env::var("STICTION_PINOCCHIO").ok();
    if driver.is_none() {
        println!("STICTION_PINOCCHIO is not set: our times only (see benches/peers/README.md)");
    }
    println!("| robot | algorithm | ours (ns) | Pinocchio (ns) | ratio |\n|---|---|---|---|---|");
    for model in [robots::arm(), robots::quadruped(), robots::humanoid()] {
        let path = write_model(&model).expect("the temporary folder can be written");
        let mut ours = vec![Vec::new(); ALGORITHMS.len()];
        let mut theirs = vec![Vec::new(); ALGORITHMS.len()];
        for _ in 0..ROUNDS {
            for (all, time) in ours.iter_mut().zip(our_times(&model)) {
                all.push(time);
            }
            let Some(driver) = &driver else { continue };
            let (times, torque) = their_times(driver, &path);
            let (q, v, a) = robots::state(&model);
            let mut data = Data::new(&model);
            let expected = rnea(&model, &mut data, &q, &v, &a, None).expect("valid");
            for (x, y) in torque.iter().zip(expected) {
                assert!(
                    (x - y).abs() < 1e-9 * (1.0 + y.abs()),
                    "not the same robot: {x} and {y}"
                );
            }
            for (all, name) in theirs.iter_mut().zip(ALGORITHMS) {
                all.push(times[name]);
            }
        }
        for ((name, ours), theirs) in ALGORITHMS.iter().zip(ours).zip(theirs) {
            let ours = median(ours);
            if theirs.is_empty() {
                println!("| {} | {name} | {ours:.0} | | |", model.name());
            } else {
                let theirs = median(theirs);
                println!(
                    "| {} | {name} | {ours:.0} | {theirs:.0} | {:.2} |",
                    model.name(),
                    ours / theirs
                );
            }
        }
    }
}
