//! The server against clients that are polite, foreign, broken, slow or gone.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use stiction_recording::{Body, Frame, Header, Pose, Recording};
use stiction_viewer::{Error, Server, serve_recording};
use tungstenite::handshake::client::Request;
use tungstenite::{Message, WebSocket};

fn loopback() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

fn header() -> Header {
    Header {
        scene: "served".into(),
        bodies: vec![Body {
            name: "ball".into(),
            mass: 1.0,
            ..Body::default()
        }],
        ..Header::default()
    }
}

fn frame(time: f64) -> Frame {
    Frame {
        time,
        poses: vec![Pose::at([0.0, 0.0, time])],
        velocities: vec![[0.0; 6]],
        ..Frame::default()
    }
}

fn server() -> Server {
    Server::bind(loopback(), header()).unwrap()
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

/// Sends bytes and reads all of the answer; a connection that is cut gives what came before.
fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    let _ = stream.write_all(bytes); // the server may have hung up already
    let mut answer = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        answer.extend_from_slice(&chunk[..count]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(address: SocketAddr, path: &str, extra: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{extra}\r\n");
    exchange(address, request.as_bytes())
}

fn status(answer: &str) -> &str {
    answer.lines().next().unwrap_or("")
}

/// A web socket as a browser opens it, with or without an origin.
fn watch(address: SocketAddr, origin: Option<&str>) -> Result<WebSocket<TcpStream>, String> {
    let mut request = Request::builder()
        .uri(format!("ws://{address}/frames"))
        .header("Host", address.to_string())
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    if let Some(origin) = origin {
        request = request.header("Origin", origin);
    }
    tungstenite::client(request.body(()).unwrap(), connect(address))
        .map(|(socket, _)| socket)
        .map_err(|error| error.to_string())
}

/// The time in the next frame, or `None` at the end.
fn next_time(socket: &mut WebSocket<TcpStream>) -> Option<f64> {
    loop {
        match socket.read().ok()? {
            Message::Binary(record) => {
                return Some(f64::from_le_bytes(record[4..12].try_into().unwrap()));
            }
            Message::Close(_) => return None,
            _ => {}
        }
    }
}

#[test]
fn the_page_and_nothing_else_is_served() {
    let server = server();
    let address = server.address();
    let answer = get(address, "/", "");
    assert_eq!(status(&answer), "HTTP/1.1 200 OK");
    assert!(answer.contains("<title>served · stiction</title>"));
    assert!(answer.contains("Content-Security-Policy: default-src 'none'"));
    assert!(answer.ends_with("</html>\n"), "the page is whole");
    for path in [
        "/index.html",
        "/../Cargo.toml",
        "/%2e%2e/secret",
        "//",
        "/?x",
        "/frames/",
        "http://127.0.0.1/",
        "*",
    ] {
        assert_eq!(
            status(&get(address, path, "")),
            "HTTP/1.1 404 Not Found",
            "{path}"
        );
    }
    assert_eq!(
        status(&get(address, "/frames", "")),
        "HTTP/1.1 426 Upgrade Required"
    );
    let post = format!("POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\n\r\n");
    let answer = exchange(address, post.as_bytes());
    assert_eq!(status(&answer), "HTTP/1.1 405 Method Not Allowed");
    let head = format!("HEAD / HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let answer = exchange(address, head.as_bytes());
    assert_eq!(status(&answer), "HTTP/1.1 200 OK");
    assert!(answer.ends_with("\r\n\r\n"), "no body");
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let server = server();
    let address = server.address();
    let forbidden = "HTTP/1.1 403 Forbidden";
    // A name that an attacker points at this machine.
    let rebound = format!(
        "GET / HTTP/1.1\r\nHost: evil.example:{}\r\n\r\n",
        address.port()
    );
    assert_eq!(status(&exchange(address, rebound.as_bytes())), forbidden);
    let answer = exchange(address, b"GET / HTTP/1.1\r\n\r\n");
    assert_eq!(status(&answer), "HTTP/1.1 400 Bad Request");
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "file://",
    ] {
        let answer = get(address, "/", &format!("Origin: {origin}\r\n"));
        assert_eq!(status(&answer), forbidden, "{origin}");
        assert!(watch(address, Some(origin)).is_err(), "{origin}");
    }
    let own = format!("Origin: http://{address}\r\n");
    assert_eq!(status(&get(address, "/", &own)), "HTTP/1.1 200 OK");
    assert!(watch(address, Some(&format!("http://{address}"))).is_ok());
    assert!(watch(address, None).is_ok(), "a program that is no browser");
}

#[test]
fn other_addresses_have_to_be_asked_for() {
    let everywhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let error = Server::bind(everywhere, header()).unwrap_err();
    assert!(matches!(error, Error::NotLoopback { .. }), "{error}");
    let error = serve_recording(&Recording::default(), everywhere).unwrap_err();
    assert!(matches!(error, Error::NotLoopback { .. }), "{error}");

    let public = Server::bind_public(everywhere, header()).unwrap();
    let near = SocketAddr::from((Ipv4Addr::LOCALHOST, public.address().port()));
    assert_eq!(status(&get(near, "/", "")), "HTTP/1.1 200 OK");

    let taken = Server::bind(near, header()).unwrap_err();
    assert!(matches!(taken, Error::Bind { .. }), "{taken}");
}

#[test]
fn malformed_requests_are_survived() {
    let server = server();
    let address = server.address();
    let host = format!("Host: {address}\r\n");
    let endless = vec![b'a'; 200_000];
    let long_field = format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "y".repeat(100_000));
    let many_fields = format!("GET / HTTP/1.1\r\n{host}{}\r\n", "X: y\r\n".repeat(100));
    let cases: [(&[u8], &str); 9] = [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400"), // the start of TLS
        (b"\0\0\0\0\r\n\r\n", "400"),
        (b"GET\r\n\r\n", "400"),
        (b"GET / HTTP/9.9\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
        (&endless, ""), // refused or cut off, not kept in memory
        (long_field.as_bytes(), ""),
        (many_fields.as_bytes(), "431"),
    ];
    for (request, expected) in cases {
        let answer = exchange(address, request);
        let shown = String::from_utf8_lossy(&request[..request.len().min(40)]).into_owned();
        assert!(!status(&answer).contains("200"), "{shown:?}: {answer}");
        assert!(status(&answer).contains(expected), "{shown:?}: {answer}");
    }
    // Clients that connect and leave, at once or in the middle of a request.
    for bytes in [&b""[..], b"GET / HT"] {
        let mut stream = connect(address);
        stream.write_all(bytes).unwrap();
        stream.shutdown(Shutdown::Both).unwrap();
    }
    assert_eq!(
        status(&get(address, "/", "")),
        "HTTP/1.1 200 OK",
        "still there"
    );
}

#[test]
fn silent_connections_do_not_keep_others_out() {
    let server = server();
    let address = server.address();
    let silent: Vec<TcpStream> = (0..40).map(|_| connect(address)).collect();
    assert_eq!(status(&get(address, "/", "")), "HTTP/1.1 200 OK");
    drop(silent);
}

#[test]
fn viewers_get_what_was_and_what_comes() {
    let server = server();
    server.publish(&frame(1.0)).unwrap();
    server.publish(&frame(2.0)).unwrap();
    let mut early = watch(server.address(), None).unwrap();
    assert_eq!(next_time(&mut early), Some(1.0));
    assert_eq!(next_time(&mut early), Some(2.0));
    server.publish(&frame(3.0)).unwrap();
    assert_eq!(next_time(&mut early), Some(3.0));
    let mut late = watch(server.address(), None).unwrap();
    assert_eq!(next_time(&mut late), Some(1.0));

    server.publish(&frame(4.0)).unwrap();
    server.shutdown();
    assert_eq!(
        next_time(&mut early),
        Some(4.0),
        "the last frame still arrives"
    );
    assert_eq!(next_time(&mut early), None);
    assert!(TcpStream::connect(early.get_ref().peer_addr().unwrap()).is_err());
}

#[test]
fn a_frame_of_the_wrong_size_is_refused() {
    let server = server();
    let error = server.publish(&Frame::default()).unwrap_err();
    assert!(
        matches!(error, Error::FrameSize { field: "poses", .. }),
        "{error}"
    );
}

#[test]
fn slow_and_vanished_viewers_do_not_hold_up_the_simulation() {
    // Large frames, so that a viewer that does not read fills its socket soon.
    let bodies = 20_000;
    let big = Header {
        bodies: vec![Body::default(); bodies],
        ..Header::default()
    };
    let server = Server::bind(loopback(), big.clone()).unwrap();
    let mut frame = Frame::resting(&big);
    let slow = watch(server.address(), None).unwrap();
    let gone = watch(server.address(), None).unwrap();
    drop(gone);

    // The simulating thread publishes far more than sockets can hold; it must come to an end although
    // nobody reads, long before the patience with a slow viewer is over.
    let (done, finished) = mpsc::channel();
    let publisher = thread::spawn(move || {
        for k in 0..100 {
            frame.time = f64::from(k);
            server.publish(&frame).unwrap();
        }
        let _ = done.send(());
        server
    });
    finished
        .recv_timeout(Duration::from_secs(8))
        .expect("publishing does not wait for viewers");
    let server = publisher.join().unwrap();

    // A viewer that reads is served beside the one that does not.
    let mut reading = watch(server.address(), None).unwrap();
    assert!(next_time(&mut reading).is_some());
    drop(slow);
    let start = Instant::now();
    server.shutdown();
    assert!(
        start.elapsed() < Duration::from_secs(8),
        "shutdown waits for nobody"
    );
}

#[test]
fn there_is_a_limit_to_viewers() {
    let server = server();
    let address = server.address();
    let mut watching: Vec<_> = (0..16).map(|_| watch(address, None).unwrap()).collect();
    server.publish(&frame(0.0)).unwrap();
    for socket in &mut watching {
        assert_eq!(next_time(socket), Some(0.0));
    }
    let error = watch(address, None).unwrap_err();
    assert!(error.contains("503"), "{error}");
    assert_eq!(server.viewers(), 16);
}

#[test]
fn a_replay_is_a_page_with_its_data() {
    let recording = Recording {
        header: header(),
        frames: vec![frame(0.0), frame(1.0)],
    };
    let replay = serve_recording(&recording, loopback()).unwrap();
    let answer = get(replay.address(), "/", "");
    assert_eq!(status(&answer), "HTTP/1.1 200 OK");
    assert!(answer.contains("\"live\":false"));
    assert_eq!(
        status(&get(replay.address(), "/frames", "")),
        "HTTP/1.1 404 Not Found"
    );
    let address = replay.address();
    replay.shutdown();
    assert!(TcpStream::connect(address).is_err());
}
