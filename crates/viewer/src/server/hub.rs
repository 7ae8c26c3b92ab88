//! Hands frames to viewers without ever waiting for one.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Bytes, Message, WebSocket};

/// Frames a viewer may lag behind before it misses some.
const BACKLOG: usize = 32;

/// Most web sockets at once.
pub(super) const VIEWER_LIMIT: usize = 16;

/// Recent frames kept for viewers that come later, bytes.
const HISTORY_BUDGET: usize = 64 << 20;

/// How often a viewer that gets no frames is asked whether it is still there.
const PING_INTERVAL: Duration = Duration::from_secs(5);

/// How long a viewer may leave a frame in the socket before it counts as gone.
pub(super) const SEND_PATIENCE: Duration = Duration::from_secs(10);

/// What all threads of a live server share.
#[derive(Default)]
pub(super) struct Hub {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    viewers: Vec<SyncSender<Bytes>>,
    history: VecDeque<Bytes>,
    history_bytes: usize,
    closed: bool,
}

impl Hub {
    /// The lock is held for a few pushes only; a panic elsewhere leaves nothing half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a frame to every viewer that has room for it and forgets those that are gone.
    pub(super) fn publish(&self, record: Vec<u8>) {
        let record = Bytes::from(record);
        let mut state = self.state();
        state.viewers.retain(|viewer| {
            !matches!(
                viewer.try_send(record.clone()),
                Err(TrySendError::Disconnected(_))
            )
        });
        state.history_bytes += record.len();
        state.history.push_back(record);
        while state.history_bytes > HISTORY_BUDGET && state.history.len() > 1 {
            if let Some(oldest) = state.history.pop_front() {
                state.history_bytes -= oldest.len();
            }
        }
    }

    /// The frames so far and a queue of those to come; `None` when there are too many viewers.
    fn join(&self) -> Option<(Vec<Bytes>, Receiver<Bytes>)> {
        let mut state = self.state();
        if state.closed || state.viewers.len() >= VIEWER_LIMIT {
            return None;
        }
        let (sender, receiver) = sync_channel(BACKLOG);
        state.viewers.push(sender);
        Some((state.history.iter().cloned().collect(), receiver))
    }

    /// Whether another viewer would be let in.
    pub(super) fn has_room(&self) -> bool {
        let state = self.state();
        !state.closed && state.viewers.len() < VIEWER_LIMIT
    }

    /// How many viewers are connected, as of the last frame.
    pub(super) fn viewers(&self) -> usize {
        self.state().viewers.len()
    }

    /// Lets every viewer go once it has its last frames.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.viewers.clear();
    }

    /// Sends frames over an upgraded connection until the viewer or the server goes away.
    ///
    /// Viewers have nothing to say, so nothing is read: what a viewer sends stays in the operating
    /// system's buffer and costs nothing here.
    pub(super) fn stream_to(&self, stream: TcpStream) {
        let Some((history, frames)) = self.join() else {
            return;
        };
        let config = WebSocketConfig::default().write_buffer_size(0);
        let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
        for record in history {
            if socket.send(Message::Binary(record)).is_err() {
                return;
            }
        }
        loop {
            let message = match frames.recv_timeout(PING_INTERVAL) {
                Ok(record) => Message::Binary(record),
                Err(RecvTimeoutError::Timeout) => Message::Ping(Bytes::new()),
                Err(RecvTimeoutError::Disconnected) => Message::Close(None),
            };
            let last = message.is_close();
            if socket.send(message).is_err() || last {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_that_does_not_read_misses_frames_and_blocks_nobody() {
        let hub = Hub::default();
        let (history, frames) = hub.join().unwrap();
        assert!(history.is_empty());
        for k in 0..100 {
            hub.publish(vec![k; 4]);
        }
        assert_eq!(frames.try_iter().count(), BACKLOG);
        hub.publish(vec![100; 4]);
        assert_eq!(frames.try_iter().count(), 1);
        drop(frames);
        hub.publish(vec![101; 4]);
        assert_eq!(hub.viewers(), 0);
    }

    #[test]
    fn history_is_bounded_and_keeps_the_newest() {
        let hub = Hub::default();
        for k in 0..10_u8 {
            hub.publish(vec![k; HISTORY_BUDGET / 4]);
        }
        let (history, _frames) = hub.join().unwrap();
        assert_eq!(history.len(), 4);
        assert_eq!(history[3][0], 9);
    }

    #[test]
    fn viewers_are_limited() {
        let hub = Hub::default();
        let held: Vec<_> = (0..VIEWER_LIMIT).map(|_| hub.join().unwrap()).collect();
        assert!(hub.join().is_none());
        drop(held);
        hub.publish(vec![0; 4]);
        assert!(hub.join().is_some());
        hub.close();
        assert!(hub.join().is_none());
    }
}
