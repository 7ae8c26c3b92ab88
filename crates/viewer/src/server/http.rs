//! As much of HTTP/1.1 as serving one page takes, with hard limits on everything a client sends.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// The longest request head that is read, bytes.
const HEAD_LIMIT: usize = 16 << 10;

/// The most header fields that are read.
const FIELD_LIMIT: usize = 64;

/// How long a client may take to send its request.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the server needs of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) host: String,
    pub(super) origin: Option<String>,
    /// The key of a web socket upgrade, where one is asked for.
    pub(super) web_socket_key: Option<String>,
}

/// A refusal: status line and a sentence.
pub(super) type Refusal = (&'static str, &'static str);

/// Reads and parses a request head, or says what to answer instead.
pub(super) fn read_request(stream: &mut TcpStream) -> Result<Request, Refusal> {
    let deadline = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut chunk = [0; 1024];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(("408 Request Timeout", "the request took too long"));
        }
        let count = match stream.read(&mut chunk) {
            Ok(0) => return Err(("400 Bad Request", "the request ends early")),
            Ok(count) => count,
            Err(_) => return Err(("408 Request Timeout", "the request took too long")),
        };
        head.extend_from_slice(&chunk[..count]);
        if let Some(request) = parse(&head)? {
            return Ok(request);
        }
        if head.len() > HEAD_LIMIT {
            return Err((
                "431 Request Header Fields Too Large",
                "the request head is too long",
            ));
        }
    }
}

/// Parses a request head; `None` means that more of it is needed.
fn parse(head: &[u8]) -> Result<Option<Request>, Refusal> {
    let mut fields = [httparse::EMPTY_HEADER; FIELD_LIMIT];
    let mut parsed = httparse::Request::new(&mut fields);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err((
                "431 Request Header Fields Too Large",
                "too many header fields",
            ));
        }
        Err(_) => return Err(("400 Bad Request", "this is not HTTP/1.1")),
    }
    let unique = |name: &str| -> Result<Option<String>, Refusal> {
        let mut found = parsed
            .headers
            .iter()
            .filter(|field| field.name.eq_ignore_ascii_case(name));
        let Some(field) = found.next() else {
            return Ok(None);
        };
        if found.next().is_some() {
            return Err(("400 Bad Request", "a header field is given twice"));
        }
        match std::str::from_utf8(field.value) {
            Ok(text) => Ok(Some(text.trim().to_owned())),
            Err(_) => Err(("400 Bad Request", "a header field is not text")),
        }
    };
    let upgrade = unique("upgrade")?.is_some_and(|to| to.eq_ignore_ascii_case("websocket"));
    let key = unique("sec-websocket-key")?;
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: parsed.path.unwrap_or_default().to_owned(),
        host: unique("host")?.ok_or(("400 Bad Request", "the Host field is missing"))?,
        origin: unique("origin")?,
        web_socket_key: key.filter(|_| upgrade),
    };
    Ok(Some(request))
}

/// Refuses what another web site would send through the user's browser.
///
/// A page of another site can make the browser connect here, directly (then `Origin` names that
/// site) or by giving its own name this machine's address (then `Host` bears that name). So `Host`
/// has to be the very address the connection arrived at, or `localhost` on the loopback interface,
/// and `Origin`, where the browser gives one, has to be the same place.
pub(super) fn check_sender(request: &Request, local: SocketAddr) -> Result<(), Refusal> {
    if !is_own_host(&request.host, local) {
        return Err(("403 Forbidden", "this server has another address"));
    }
    match &request.origin {
        Some(origin) if !origin.eq_ignore_ascii_case(&format!("http://{}", request.host)) => {
            Err(("403 Forbidden", "other sites may not read this"))
        }
        _ => Ok(()),
    }
}

fn is_own_host(host: &str, local: SocketAddr) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        // the last colon of `[::1]` is inside the brackets
        Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
        _ => (host, Some(80)),
    };
    if port != Some(local.port()) {
        return false;
    }
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let own = local.ip().to_canonical();
    if name.eq_ignore_ascii_case("localhost") {
        return own.is_loopback();
    }
    name.parse::<IpAddr>()
        .is_ok_and(|address| address.to_canonical() == own)
}

/// Sends a whole response and ends the connection.
pub(super) fn respond(
    stream: &mut TcpStream,
    status: &str,
    content_type: &str,
    extra: &str,
    body: &[u8],
    with_body: bool,
) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\
         Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n{extra}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if with_body {
        stream.write_all(body)?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_hosts() {
        let v4: SocketAddr = "127.0.0.1:8000".parse().unwrap();
        let v6: SocketAddr = "[::1]:8000".parse().unwrap();
        let lan: SocketAddr = "192.168.1.5:80".parse().unwrap();
        for (host, local, own) in [
            ("127.0.0.1:8000", v4, true),
            ("localhost:8000", v4, true),
            ("LocalHost:8000", v4, true),
            ("[::1]:8000", v6, true),
            ("localhost:8000", v6, true),
            ("192.168.1.5", lan, true),
            ("192.168.1.5:80", lan, true),
            ("localhost", lan, false),
            ("127.0.0.1:8001", v4, false),
            ("127.0.0.1", v4, false),
            ("127.0.0.1.evil.example:8000", v4, false),
            ("evil.example:8000", v4, false),
            ("localhost.evil.example:8000", v4, false),
            ("", v4, false),
            (":8000", v4, false),
            ("[", v4, false),
        ] {
            assert_eq!(is_own_host(host, local), own, "{host:?} at {local}");
        }
    }

    #[test]
    fn heads_are_parsed_or_refused() {
        let request = parse(b"GET / HTTP/1.1\r\nHost: localhost:1\r\nOrigin: null\r\n\r\n");
        let request = request.unwrap().unwrap();
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            ("GET", "/")
        );
        assert_eq!(request.origin.as_deref(), Some("null"));
        assert!(parse(b"GET / HTTP/1.1\r\nHost: a").unwrap().is_none());
        assert!(parse(b"GET / HTTP/1.1\r\n\r\n").is_err());
        assert!(parse(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").is_err());
        assert!(parse(b"\x16\x03\x01\x02\x00").is_err());
        assert!(parse(b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n").is_err());
    }
}
