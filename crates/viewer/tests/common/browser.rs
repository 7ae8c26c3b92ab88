//! A headless Chromium, driven over its debugging protocol.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// How long anything may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page. Closed when dropped.
pub(crate) struct Browser {
    process: Child,
    folder: PathBuf,
    socket: WebSocket<TcpStream>,
    session: Option<String>,
    calls: u64,
    /// Errors the page wrote to its console or threw.
    pub(crate) errors: Vec<String>,
}

/// A folder of its own for every browser and test.
pub(crate) fn new_folder() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("stiction-viewer-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::create_dir_all(&path).expect("a folder for temporary files");
    path
}

impl Browser {
    /// Starts a browser with a window of the given size.
    pub(crate) fn start(program: &Path, width: u32, height: u32) -> Self {
        let folder = new_folder();
        let mut process = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader",
                "--remote-debugging-port=0",
                "--hide-scrollbars",
                "--disable-dev-shm-usage",
            ])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let (port, path) = debugging_address(&folder, &mut process);
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the browser listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let url = format!("ws://127.0.0.1:{port}{path}");
        let (socket, _) = tungstenite::client(url, stream).expect("the browser talks");
        let mut browser = Self {
            process,
            folder,
            socket,
            session: None,
            calls: 0,
            errors: Vec::new(),
        };
        browser.open_page(width, height);
        browser
    }

    fn open_page(&mut self, width: u32, height: u32) {
        let target = self.call("Target.createTarget", &json!({"url": "about:blank"}));
        let id = target["targetId"].clone();
        let attach = json!({"targetId": id, "flatten": true});
        let attached = self.call("Target.attachToTarget", &attach);
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Runtime", "Log", "Page"] {
            self.call(&format!("{domain}.enable"), &json!({}));
        }
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sends a command and waits for its answer; notes errors that are reported meanwhile.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.calls += 1;
        let mut command = json!({"id": self.calls, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.socket
            .send(Message::text(command.to_string()))
            .expect("the browser listens");
        loop {
            let message = self.socket.read().expect("the browser answers in time");
            let Message::Text(text) = message else {
                continue;
            };
            let value: Value = serde_json::from_str(&text).expect("the browser speaks JSON");
            self.note_errors(&value);
            if value["id"] == json!(self.calls) {
                assert!(value["error"].is_null(), "{method}: {}", value["error"]);
                return value["result"].clone();
            }
        }
    }

    fn note_errors(&mut self, value: &Value) {
        let parameters = &value["params"];
        match value["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.errors.push(parameters["exceptionDetails"].to_string());
            }
            Some("Runtime.consoleAPICalled") if parameters["type"] == "error" => {
                self.errors.push(parameters["args"].to_string());
            }
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.errors.push(parameters["entry"].to_string());
            }
            _ => {}
        }
    }

    /// Opens an address and waits until the page has drawn something.
    pub(crate) fn go(&mut self, url: &str) {
        // Only the part behind # may differ, which alone loads nothing: start from an empty page.
        self.call("Page.navigate", &json!({"url": "about:blank"}));
        self.call("Page.navigate", &json!({ "url": url }));
        self.wait_for("document.documentElement?.dataset.pictures >= 1");
    }

    /// The operating system's number of the browser.
    #[cfg_attr(
        test,
        expect(dead_code, reason = "only the measurement of speed asks for it")
    )]
    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The value of a JavaScript expression.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
        });
        let answer = self.call("Runtime.evaluate", &parameters);
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        while self.evaluate(expression) != json!(true) {
            assert!(
                start.elapsed() < PATIENCE,
                "{expression} never came true; errors: {:?}",
                self.errors
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// What the canvas shows, as 96 × 60 pixels of red, green and blue.
    pub(crate) fn picture(&mut self) -> Vec<u8> {
        self.picture_at("{ scale: 1, samples: 0, shadow: 1024, soft: 1 }")
    }

    /// The same, drawn at another quality.
    pub(crate) fn picture_at(&mut self, quality: &str) -> Vec<u8> {
        let pixels = self.evaluate(&format!(
            "(() => {{
               const canvas = document.createElement('canvas');
               Object.assign(canvas, {{ width: 96, height: 60 }});
               stiction.draw({quality});
               const context = canvas.getContext('2d', {{ willReadFrequently: true }});
               context.drawImage(stiction.view, 0, 0, 96, 60);
               return Array.from(context.getImageData(0, 0, 96, 60).data).filter((_, k) => k % 4 < 3);
             }})()",
        ));
        let pixels = pixels.as_array().expect("an array of pixels");
        pixels
            .iter()
            .map(|value| value.as_u64().unwrap_or(0) as u8)
            .collect()
    }

    /// Presses and releases a key, as the keyboard would.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key});
            if kind == "keyDown" && key.chars().count() == 1 {
                event["text"] = json!(key);
            }
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Puts fingers down at the first list of places, moves them through the others and lifts them.
    pub(crate) fn touch(&mut self, places: &[&[(f64, f64)]]) {
        for (step, fingers) in places.iter().enumerate() {
            let kind = if step == 0 { "touchStart" } else { "touchMove" };
            let points: Vec<Value> = fingers
                .iter()
                .enumerate()
                .map(|(id, (x, y))| json!({"x": x, "y": y, "id": id}))
                .collect();
            let event = json!({"type": kind, "touchPoints": points});
            self.call("Input.dispatchTouchEvent", &event);
        }
        let end = json!({"type": "touchEnd", "touchPoints": []});
        self.call("Input.dispatchTouchEvent", &end);
    }

    /// Moves the mouse with the left button down, or clicks where start and end are the same.
    pub(crate) fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        let mouse = |kind: &str, (x, y): (f64, f64), buttons: u32| json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
        self.call("Input.dispatchMouseEvent", &mouse("mousePressed", from, 1));
        self.call("Input.dispatchMouseEvent", &mouse("mouseMoved", to, 1));
        self.call("Input.dispatchMouseEvent", &mouse("mouseReleased", to, 0));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        let close = json!({"id": 0, "method": "Browser.close"});
        let asked = self.socket.send(Message::text(close.to_string())).is_ok();
        let start = Instant::now();
        while asked && start.elapsed() < Duration::from_secs(5) {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
        // Both fail when the browser has ended by itself, which is what was asked for.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The browser writes the port it chose, and a path, into its folder.
fn debugging_address(folder: &Path, process: &mut Child) -> (u16, String) {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < PATIENCE, "the browser does not start");
        if let Ok(Some(status)) = process.try_wait() {
            panic!("the browser ended with {status}");
        }
        match fs::read_to_string(folder.join("DevToolsActivePort")) {
            Ok(text) => {
                let mut lines = text.lines();
                let port = lines.next().and_then(|line| line.parse().ok());
                if let (Some(port), Some(path)) = (port, lines.next()) {
                    return (port, path.to_owned());
                }
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{error}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// How many of the pixels of two pictures differ visibly.
pub(crate) fn difference(a: &[u8], b: &[u8]) -> usize {
    assert_eq!(a.len(), b.len());
    a.chunks(3)
        .zip(b.chunks(3))
        .filter(|(p, q)| p.iter().zip(*q).any(|(x, y)| x.abs_diff(*y) > 12))
        .count()
}
