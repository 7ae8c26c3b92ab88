//! A small web server for one page: live from a running simulation, or a replay.
//!
//! It listens on the loopback interface unless told otherwise, answers two paths, refuses requests
//! that another web site sends through the user's browser, and gives each connection a thread with
//! limits on time and size.

mod http;
mod hub;
mod listener;

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use stiction_recording::{Frame, Header, Recording};
use tungstenite::handshake::derive_accept_key;

use crate::error::Error;
use crate::page::{self, Source};
use crate::record;
use hub::Hub;
use listener::Listener;

/// Shows a running simulation to web browsers.
///
/// Dropping the server shuts it down.
pub struct Server {
    header: Header,
    hub: Arc<Hub>,
    listener: Listener,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Server")
            .field("scene", &self.header.scene)
            .field("address", &self.listener.address())
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Listens on a loopback address; port 0 picks a free one. Other addresses are refused.
    pub fn bind(address: SocketAddr, header: Header) -> Result<Self, Error> {
        refuse_foreign(address)?;
        Self::bind_public(address, header)
    }

    /// Listens on any address: everyone who reaches it can watch. Viewers have to use the
    /// machine's IP address, not its name, because names can be pointed here by others.
    pub fn bind_public(address: SocketAddr, header: Header) -> Result<Self, Error> {
        let empty = Recording {
            header,
            frames: Vec::new(),
        };
        empty.validate()?;
        let header = empty.header;
        let mut html = Vec::new();
        page::write(&Source::Live(&header), &mut html)?;
        let hub = Arc::new(Hub::default());
        let shared = Arc::clone(&hub);
        let listener = Listener::bind(address, move |stream, local| {
            answer(stream, local, &html, Some(&shared));
        })?;
        Ok(Self {
            header,
            hub,
            listener,
        })
    }

    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// The address to open in a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address())
    }

    /// How many viewers are connected; those that went away count until the next frame.
    pub fn viewers(&self) -> usize {
        self.hub.viewers()
    }

    /// Shows a frame to all viewers. Never waits for one: a viewer that is slow misses frames, one
    /// that is gone is forgotten.
    pub fn publish(&self, frame: &Frame) -> Result<(), Error> {
        let mut bytes = Vec::with_capacity(record::size(frame));
        record::encode(&self.header, frame, &mut bytes)?;
        self.hub.publish(bytes);
        Ok(())
    }

    /// Sends viewers what they have not got yet, closes all connections and stops listening.
    /// Viewers keep what they have and can go on looking at it.
    pub fn shutdown(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.hub.close();
        self.listener.stop();
    }
}

/// Serves the page of a recording until dropped.
pub struct Replay {
    listener: Listener,
}

impl std::fmt::Debug for Replay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Replay")
            .field("address", &self.listener.address())
            .finish_non_exhaustive()
    }
}

impl Replay {
    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// The address to open in a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address())
    }

    /// Closes all connections and stops listening.
    pub fn shutdown(self) {
        drop(self);
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        self.listener.stop();
    }
}

/// Serves the page of `recording` on a loopback address; port 0 picks a free one.
pub fn serve_recording(recording: &Recording, address: SocketAddr) -> Result<Replay, Error> {
    refuse_foreign(address)?;
    serve_recording_public(recording, address)
}

/// Serves the page of `recording` on any address: everyone who reaches it can watch.
pub fn serve_recording_public(recording: &Recording, address: SocketAddr) -> Result<Replay, Error> {
    let html = page::page(recording)?.into_bytes();
    let listener = Listener::bind(address, move |stream, local| {
        answer(stream, local, &html, None);
    })?;
    Ok(Replay { listener })
}

fn refuse_foreign(address: SocketAddr) -> Result<(), Error> {
    if address.ip().to_canonical().is_loopback() {
        Ok(())
    } else {
        Err(Error::NotLoopback { address })
    }
}

/// Answers one request. What the client does wrong is the client's problem: errors end here.
fn answer(mut stream: TcpStream, local: SocketAddr, html: &[u8], hub: Option<&Hub>) {
    let text = "text/plain; charset=utf-8";
    let refuse = |stream: &mut TcpStream, (status, reason): http::Refusal, extra: &str| {
        let body = format!("{reason}\n");
        let _ = http::respond(stream, status, text, extra, body.as_bytes(), true);
    };
    let request = match http::read_request(&mut stream) {
        Ok(request) => request,
        Err(refusal) => return refuse(&mut stream, refusal, ""),
    };
    if let Err(refusal) = http::check_sender(&request, local) {
        return refuse(&mut stream, refusal, "");
    }
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        let refusal = ("405 Method Not Allowed", "only GET and HEAD");
        return refuse(&mut stream, refusal, "Allow: GET, HEAD\r\n");
    }
    match (request.path.as_str(), hub) {
        ("/", _) => {
            let policy = format!(
                "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; \
                 style-src 'unsafe-inline'; img-src data:; connect-src ws://{}; \
                 base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
                request.host
            );
            let html_type = "text/html; charset=utf-8";
            let with_body = request.method == "GET";
            let _ = http::respond(&mut stream, "200 OK", html_type, &policy, html, with_body);
        }
        ("/frames", Some(hub)) => match request.web_socket_key {
            Some(_) if !hub.has_room() => {
                let refusal = ("503 Service Unavailable", "too many viewers");
                refuse(&mut stream, refusal, "");
            }
            Some(key) => upgrade(stream, &key, hub),
            None => {
                let refusal = ("426 Upgrade Required", "this is a web socket");
                refuse(&mut stream, refusal, "Upgrade: websocket\r\n");
            }
        },
        _ => refuse(&mut stream, ("404 Not Found", "nothing here"), ""),
    }
}

/// Turns the connection into a web socket and streams frames over it.
fn upgrade(mut stream: TcpStream, key: &str, hub: &Hub) {
    use std::io::Write;
    let response = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n\r\n",
        derive_accept_key(key.as_bytes())
    );
    let ready = stream
        .set_write_timeout(Some(hub::SEND_PATIENCE))
        .and_then(|()| stream.set_nodelay(true))
        .and_then(|()| stream.write_all(response.as_bytes()));
    if ready.is_ok() {
        hub.stream_to(stream);
    }
}
