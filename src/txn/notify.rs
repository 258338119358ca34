//! LISTEN and NOTIFY: who listens to what, and delivery in commit order, once durable.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use smol_str::SmolStr;
use tokio::sync::mpsc;

use crate::cancel::{Cancel, Reason};
use crate::ids::{BackendPid, Oid, Version};
use crate::storage::pipeline::Pipeline;

/// A notification as a listener gets it.
#[derive(Clone, Debug)]
pub struct Notification {
    /// Who sent it.
    pub pid: BackendPid,
    pub channel: SmolStr,
    pub payload: SmolStr,
}

struct Listener {
    pid: BackendPid,
    sender: mpsc::Sender<Notification>,
    cancel: Arc<Cancel>,
}

/// A commit's notifications, waiting to be durable.
struct Queued {
    version: Version,
    database: Oid,
    notifications: Vec<Notification>,
}

/// The listeners of all sessions.
pub struct Notifier {
    listeners: Arc<RwLock<HashMap<(Oid, SmolStr), Vec<Listener>>>>,
    queue: mpsc::UnboundedSender<Queued>,
}

impl Notifier {
    /// Starts the delivery task. Unbounded: the sequencer must never wait, and commits are bounded by their own size.
    pub(super) fn start(pipeline: Arc<Pipeline>) -> Self {
        let listeners: Arc<RwLock<HashMap<(Oid, SmolStr), Vec<Listener>>>> = Arc::default();
        let (queue, mut queued) = mpsc::unbounded_channel::<Queued>();
        let all = Arc::clone(&listeners);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                while let Some(one) = queued.recv().await {
                    pipeline.durable(one.version).await;
                    deliver(&all, &one);
                }
            });
        }
        Notifier { listeners, queue }
    }

    /// In sequence order: called on the sequencer's thread.
    pub(super) fn queue(&self, version: Version, database: Oid, notifications: Vec<Notification>) {
        // Fails only when the server stops.
        let _ = self.queue.send(Queued {
            version,
            database,
            notifications,
        });
    }

    pub fn listen(&self, database: Oid, channel: &str, pid: BackendPid, sender: mpsc::Sender<Notification>, cancel: Arc<Cancel>) {
        let mut listeners = self.listeners.write();
        let there = listeners.entry((database, SmolStr::new(channel))).or_default();
        if !there.iter().any(|one| one.pid == pid) {
            there.push(Listener { pid, sender, cancel });
        }
    }

    pub fn unlisten(&self, database: Oid, channel: &str, pid: BackendPid) {
        let mut listeners = self.listeners.write();
        let key = (database, SmolStr::new(channel));
        if let Some(there) = listeners.get_mut(&key) {
            there.retain(|one| one.pid != pid);
            if there.is_empty() {
                listeners.remove(&key);
            }
        }
    }

    pub fn unlisten_all(&self, pid: BackendPid) {
        let any = self
            .listeners
            .read()
            .values()
            .any(|there| there.iter().any(|one| one.pid == pid));
        if any {
            self.listeners.write().retain(|_, there| {
                there.retain(|one| one.pid != pid);
                !there.is_empty()
            });
        }
    }
}

fn deliver(listeners: &RwLock<HashMap<(Oid, SmolStr), Vec<Listener>>>, queued: &Queued) {
    let listeners = listeners.read();
    for notification in &queued.notifications {
        let Some(there) = listeners.get(&(queued.database, notification.channel.clone())) else {
            continue;
        };
        for listener in there {
            // A listener that has not read `NOTIFY_QUEUE_MAX` notifications is ended, rather than fed with gaps.
            if let Err(mpsc::error::TrySendError::Full(_)) = listener.sender.try_send(notification.clone()) {
                listener.cancel.raise(Reason::Terminate);
            }
        }
    }
}
