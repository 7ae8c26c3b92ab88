//! Makes pages to look at, without a simulator.
//!
//! ```text
//! cargo run -p stiction-viewer --example demo -- page demo.html      every shape, a cable, a jelly
//! cargo run -p stiction-viewer --example demo -- many 200 many.html  200 bodies
//! cargo run -p stiction-viewer --example demo -- record demo.stic    the same as a recording
//! cargo run -p stiction-viewer --example demo -- live 8080           a live run on localhost
//! ```
#![expect(
    clippy::print_stdout,
    reason = "an example says where to find what it made"
)]

mod scene;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread;
use std::time::{Duration, Instant};

use stiction_recording::Recording;
use stiction_viewer::{Server, save_page};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["page", path] => write_page(&scene::everything(6.0), path),
        ["many", count, path] => write_page(&scene::many(count.parse()?, 6.0), path),
        ["record", path] => Ok(scene::everything(6.0).write(path)?),
        ["live", port] => live(port.parse()?),
        _ => Err("usage: demo page FILE | many COUNT FILE | record FILE | live PORT".into()),
    }
}

fn write_page(recording: &Recording, path: &str) -> Result<(), Box<dyn Error>> {
    save_page(recording, path)?;
    println!(
        "{path}: {} frames, {} bytes",
        recording.frames.len(),
        std::fs::metadata(path)?.len()
    );
    Ok(())
}

/// Plays the recording in real time, as a simulation would publish it.
fn live(port: u16) -> Result<(), Box<dyn Error>> {
    let recording = scene::everything(60.0);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let server = Server::bind(address, recording.header)?;
    println!("{}", server.url());
    let start = Instant::now();
    for frame in &recording.frames {
        let due = Duration::from_secs_f64(frame.time);
        thread::sleep(due.saturating_sub(start.elapsed()));
        server.publish(frame)?;
    }
    server.shutdown();
    Ok(())
}
