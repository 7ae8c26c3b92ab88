//! Ten simulated minutes of a scene, with the memory in use after each: it does not grow.
//!
//! `cargo run --release -p stiction-scenes --example long_run -- dish-piling 10`
#![expect(clippy::print_stdout, reason = "a program for people to read")]

use stiction_scenes::{Options, build};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "dish-piling".to_owned());
    let minutes: u32 = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let mut world = build(&name, &Options::default())?.world;
    for minute in 1..=minutes {
        while world.time() < 60.0 * f64::from(minute) {
            world.step()?;
        }
        println!(
            "{minute} min: {} MiB resident, residual {:.1e} m/s",
            resident()?,
            world.report().residual
        );
    }
    Ok(())
}

/// Resident memory in MiB, where the system tells.
fn resident() -> Result<String, Box<dyn std::error::Error>> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return Ok("unknown".to_owned());
    };
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: f64 = match line.and_then(|line| line.split_whitespace().next()) {
        Some(text) => text.parse()?,
        None => return Ok("unknown".to_owned()),
    };
    Ok(format!("{:.1}", kilobytes / 1024.0))
}
