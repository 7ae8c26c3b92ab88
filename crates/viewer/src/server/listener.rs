//! Accepts connections, gives each a thread, and can end them all.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::Error;

/// Most connections at once; more are closed unanswered.
const CONNECTION_LIMIT: usize = 64;

/// How long an answer may wait for a client that does not read.
const SEND_PATIENCE: Duration = Duration::from_secs(20);

/// How long connections may take to finish by themselves when the server stops.
const FAREWELL: Duration = Duration::from_millis(500);

/// A listening socket with a thread of its own.
pub(super) struct Listener {
    address: SocketAddr,
    connections: Arc<Connections>,
    thread: Option<JoinHandle<()>>,
}

/// The open connections, kept so that they can be closed from outside.
#[derive(Default)]
struct Connections {
    stopping: AtomicBool,
    open: Mutex<HashMap<u64, TcpStream>>,
}

impl Connections {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, TcpStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// Listens on `address` and calls `answer` with each connection and the address it came to.
    pub(super) fn bind(
        address: SocketAddr,
        answer: impl Fn(TcpStream, SocketAddr) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let refused = |source| Error::Bind { address, source };
        let socket = TcpListener::bind(address).map_err(refused)?;
        let address = socket.local_addr().map_err(refused)?;
        let connections = Arc::new(Connections::default());
        let shared = Arc::clone(&connections);
        let thread = thread::Builder::new()
            .name("stiction-viewer".into())
            .spawn(move || accept(&socket, &shared, &Arc::new(answer)))
            .map_err(refused)?;
        Ok(Self {
            address,
            connections,
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops listening; connections get a moment to finish, then are closed.
    pub(super) fn stop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        self.connections.stopping.store(true, Ordering::SeqCst);
        // `accept` waits for a connection: here it is.
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        let own = SocketAddr::new(ip, self.address.port());
        if TcpStream::connect_timeout(&own, FAREWELL).is_ok() {
            // A thread that panicked has nothing left to wait for.
            let _ = thread.join();
        }
        let deadline = Instant::now() + FAREWELL;
        while !self.connections.open().is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        for stream in self.connections.open().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn accept<A>(socket: &TcpListener, connections: &Arc<Connections>, answer: &Arc<A>)
where
    A: Fn(TcpStream, SocketAddr) + Send + Sync + 'static,
{
    for number in 0.. {
        let accepted = socket.accept();
        if connections.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            // Out of file handles, or the client left already: do not spin.
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        let Some((copy, local)) = prepare(&stream) else {
            continue;
        };
        {
            let mut open = connections.open();
            if open.len() >= CONNECTION_LIMIT {
                continue; // dropping the stream closes it
            }
            open.insert(number, copy);
        }
        let entry = Entry {
            connections: Arc::clone(connections),
            number,
        };
        let answer = Arc::clone(answer);
        // When no thread can be had, the closure is dropped and with it stream and entry.
        let _ = thread::Builder::new()
            .name("stiction-viewer connection".into())
            .spawn(move || {
                let _entry = entry;
                answer(stream, local);
            });
    }
}

fn prepare(stream: &TcpStream) -> Option<(TcpStream, SocketAddr)> {
    stream.set_write_timeout(Some(SEND_PATIENCE)).ok()?;
    Some((stream.try_clone().ok()?, stream.local_addr().ok()?))
}

/// Ends a connection and takes it off the list, also when its thread panics.
struct Entry {
    connections: Arc<Connections>,
    number: u64,
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(stream) = self.connections.open().remove(&self.number) {
            // What the client still sends is of no interest; it shall see the end of the answer.
            let _ = stream.shutdown(Shutdown::Write);
        }
    }
}
