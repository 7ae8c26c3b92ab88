//! Measures how many pictures a second the page draws in headless Chromium with software rendering.
//!
//! ```text
//! cargo run --release -p stiction-viewer --example frame_rate -- 200
//! ```
#![expect(clippy::print_stdout, reason = "the measurement is printed")]

#[path = "../tests/common/browser.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod browser;
#[path = "demo/scene.rs"]
#[expect(dead_code, reason = "only one of the scenes is measured")]
mod scene;

use std::error::Error;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use browser::{Browser, new_folder};
use stiction_test_support::outside;

const WARM_UP: Duration = Duration::from_secs(4);
const MEASURED: Duration = Duration::from_secs(6);

fn main() -> Result<(), Box<dyn Error>> {
    let bodies = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "200".into())
        .parse()?;
    let chromium = outside::chromium().ok_or("no Chromium on the path")?;
    let folder = new_folder();
    let path = folder.join("page.html");
    fs::write(&path, stiction_viewer::page(&scene::many(bodies, 60.0))?)?;
    for (width, height) in [(1280, 720), (1920, 1080), (390, 844)] {
        let mut browser = Browser::start(&chromium, width, height);
        browser.go(&format!("file://{}#play=1", path.display()));
        thread::sleep(WARM_UP); // the page finds the quality that this machine can draw
        let work = cpu_seconds(browser.process_id());
        let before = browser.evaluate("stiction.pictures").as_u64().unwrap_or(0);
        let start = Instant::now();
        thread::sleep(MEASURED);
        let after = browser.evaluate("stiction.pictures").as_u64().unwrap_or(0);
        let pictures = (after - before) as f64;
        let rate = pictures / start.elapsed().as_secs_f64();
        let work = 1e3 * (cpu_seconds(browser.process_id()) - work) / pictures;
        let pixels = browser.evaluate("`${stiction.view.width} × ${stiction.view.height}`");
        println!(
            "{bodies} bodies, window {width} × {height}, drawn at {}: {rate:.1} pictures a second, \
             {work:.0} ms of processor time each",
            pixels.as_str().unwrap_or("?")
        );
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Processor time that a process and those it started have used, by what Linux says of them; 0 elsewhere.
fn cpu_seconds(root: u32) -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0; // of every Linux in use
    let stat = |process: u32| -> Option<(u32, f64)> {
        let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: f64 =
            fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
        Some((fields.get(1)?.parse().ok()?, ticks / TICKS_PER_SECOND))
    };
    let processes: Vec<(u32, u32, f64)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|process| stat(process).map(|(parent, seconds)| (process, parent, seconds)))
        .collect();
    let mut family = vec![root];
    let mut total = 0.0;
    while let Some(member) = family.pop() {
        for &(process, parent, seconds) in &processes {
            if process == member {
                total += seconds;
            }
            if parent == member {
                family.push(process);
            }
        }
    }
    total
}
