//! LISTEN and UNLISTEN: transactional, they take effect at commit.

use std::sync::Arc;

use super::session::Session;
use crate::error::Result;

/// What a transaction will do to its session's channels.
#[derive(Clone, Debug)]
pub(super) enum ListenAction {
    Listen(String),
    Unlisten(String),
    UnlistenAll,
}

impl Session {
    pub(super) fn run_listen(&mut self, channel: &str) -> Result<String> {
        self.ensure_transaction();
        self.pending_listens.push(ListenAction::Listen(channel.to_owned()));
        Ok("LISTEN".to_owned())
    }

    pub(super) fn run_unlisten(&mut self, channel: Option<&str>) -> Result<String> {
        self.ensure_transaction();
        self.pending_listens.push(match channel {
            Some(channel) => ListenAction::Unlisten(channel.to_owned()),
            None => ListenAction::UnlistenAll,
        });
        Ok("UNLISTEN".to_owned())
    }

    /// Before the commit is submitted: what is notified after it must arrive.
    pub(super) fn apply_listens(&mut self) {
        let notifier = self.shared.instance.engine.notifier();
        let (database, pid) = (self.shared.database_oid, self.shared.pid());
        for action in std::mem::take(&mut self.pending_listens) {
            let mut listening = self.shared.listening.lock();
            match action {
                ListenAction::Listen(channel) => {
                    notifier.listen(
                        database,
                        &channel,
                        pid,
                        self.notifier.clone(),
                        Arc::clone(&self.shared.link.cancel),
                    );
                    listening.insert(channel);
                }
                ListenAction::Unlisten(channel) => {
                    notifier.unlisten(database, &channel, pid);
                    listening.remove(&channel);
                }
                ListenAction::UnlistenAll => {
                    notifier.unlisten_all(pid);
                    listening.clear();
                }
            }
        }
    }
}
