//! Numbers that are never used twice, not even after a crash.
//!
//! A counter writes an upper bound ahead of itself; after a start it goes on above that. The bound goes through the
//! pipeline before anything that uses the numbers does, so no number is durable before its bound is.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use crate::error::{PgError, Result, sqlstate};
use crate::storage::pipeline::{CommitBatch, Pipeline};
use crate::storage::{Space, StoreSnapshot, Write};

/// A counter with its persisted bound.
pub(super) struct Counter {
    pipeline: Arc<Pipeline>,
    key: Bytes,
    block: u64,
    state: Mutex<State>,
}

struct State {
    next: u64,
    bound: u64,
}

impl Counter {
    /// Goes on where the store says, from `first` in a new store; `block` numbers are reserved at once.
    pub(super) fn open(pipeline: &Arc<Pipeline>, name: &str, first: u64, block: u64) -> Result<Self> {
        let key = Bytes::from(format!("counter/{name}"));
        let next = read(&*pipeline.newest().snapshot, &key)?.unwrap_or(first);
        Ok(Counter {
            pipeline: Arc::clone(pipeline),
            key,
            block,
            state: Mutex::new(State { next, bound: next }),
        })
    }

    pub(super) fn next(&self) -> u64 {
        let mut state = self.state.lock();
        let number = state.next;
        state.next += 1;
        if number >= state.bound {
            state.bound = number + self.block;
            let value = Bytes::copy_from_slice(&state.bound.to_be_bytes());
            // Under the lock, so that bounds are sequenced in order.
            self.pipeline.submit(CommitBatch {
                writes: vec![Write::Put(Space::Meta, self.key.clone(), value)],
                on_sequenced: Box::new(|_| {}),
            });
        }
        number
    }
}

fn read(snapshot: &dyn StoreSnapshot, key: &[u8]) -> Result<Option<u64>> {
    let Some(stored) = snapshot.get(Space::Meta, key)? else {
        return Ok(None);
    };
    let bytes: [u8; 8] = stored
        .as_ref()
        .try_into()
        .map_err(|_| PgError::new(sqlstate::DATA_CORRUPTED, "a stored counter is damaged"))?;
    Ok(Some(u64::from_be_bytes(bytes)))
}
