//! What all transactions of a node share.

use std::sync::Arc;

use super::counters::Counter;
use super::journal::{Journal, LocalJournal};
use super::notify::Notifier;
use super::prepared::Prepared;
use super::row_ids::RowIds;
use super::sequences::Sequences;
use super::serializable::Window;
use super::snapshot::SessionLink;
use crate::clock::{Clock, SystemClock};
use crate::error::Result;
use crate::ids::{NodeId, Oid, StorageId, Xid};
use crate::lock::{Authority, LockManager};
use crate::storage::Store;
use crate::storage::dead_ranges::DeadRanges;
use crate::storage::graveyard::Graveyard;
use crate::storage::pipeline::{Pipeline, PipelineOptions, Witness};

/// Where in an xid the node's number stands, so that xids of different nodes differ.
const XID_NODE_SHIFT: u32 = 48;
const XID_BLOCK: u64 = 100_000;
const SMALL_BLOCK: u64 = 1_000;

/// Choices at start.
#[derive(Clone)]
pub struct EngineOptions {
    pub node: NodeId,
    pub pipeline: PipelineOptions,
    pub clock: Arc<dyn Clock>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        EngineOptions {
            node: NodeId(1),
            pipeline: PipelineOptions::default(),
            clock: Arc::new(SystemClock),
        }
    }
}

/// The engine under all transactions of a node.
pub struct Engine {
    pub store: Arc<dyn Store>,
    pub pipeline: Arc<Pipeline>,
    pub locks: Arc<LockManager>,
    pub journal: Arc<dyn Journal>,
    pub clock: Arc<dyn Clock>,
    pub graveyard: Arc<Graveyard>,
    pub dead_ranges: Arc<DeadRanges>,
    pub(super) serializable: Arc<Window>,
    pub(super) prepared: Prepared,
    pub(super) row_ids: RowIds,
    notifier: Notifier,
    sequences: Sequences,
    node: NodeId,
    xids: Counter,
    storages: Counter,
    oids: Counter,
}

impl Engine {
    /// Opens the engine over a store; locks of prepared transactions are held again when it returns. `authority` decides
    /// which locks this node may grant.
    pub fn open(store: Arc<dyn Store>, authority: Arc<dyn Authority>, options: EngineOptions) -> Result<Arc<Engine>> {
        let dead_ranges = Arc::new(DeadRanges::default());
        let serializable = Arc::new(Window::default());
        let witness: Arc<dyn Witness> = Arc::clone(&serializable) as Arc<dyn Witness>;
        let pipeline = Pipeline::start_with(Arc::clone(&store), options.pipeline, Arc::clone(&dead_ranges), Some(witness))?;
        let graveyard = Graveyard::start(Arc::clone(&store), Arc::clone(&pipeline))?;
        let engine = Arc::new(Engine {
            store,
            locks: Arc::new(LockManager::new(authority)),
            journal: Arc::new(LocalJournal::new(Arc::clone(&pipeline))),
            clock: options.clock,
            graveyard,
            dead_ranges,
            serializable,
            prepared: Prepared::default(),
            row_ids: RowIds::default(),
            notifier: Notifier::start(Arc::clone(&pipeline)),
            sequences: Sequences::new(Arc::clone(&pipeline)),
            node: options.node,
            xids: Counter::open(&pipeline, "xid", 1_000, XID_BLOCK)?,
            storages: Counter::open(&pipeline, "storage", 1, SMALL_BLOCK)?,
            oids: Counter::open(&pipeline, "oid", u64::from(Oid::FIRST_USER.0), SMALL_BLOCK)?,
            pipeline,
        });
        engine.recover_prepared()?;
        Ok(engine)
    }

    pub(super) fn new_xid(&self) -> Xid {
        Xid(u64::from(self.node.0) << XID_NODE_SHIFT | self.xids.next())
    }

    pub fn new_storage(&self) -> StorageId {
        StorageId(self.storages.next())
    }

    /// An OID that no user object has or had, until 2^32 of them were made.
    pub fn new_oid(&self) -> Oid {
        #[allow(clippy::cast_possible_truncation)]
        let oid = self.oids.next() as u32;
        Oid(oid)
    }

    pub fn sequences(&self) -> &Sequences {
        &self.sequences
    }

    pub fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    /// Waits until everything that a session has observed is durable.
    pub async fn durable(&self, link: &SessionLink) {
        link.pending.settle().await;
        let observed = link.observed.get();
        if self.pipeline.synced_version() < observed {
            self.journal.durable(observed).await;
        }
    }

    /// Sequences and syncs what waits, and stops the threads.
    pub fn shutdown(&self) {
        self.graveyard.shutdown();
        self.pipeline.shutdown();
    }
}
