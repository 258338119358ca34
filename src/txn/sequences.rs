//! Sequences: values in memory, a bound logged ahead of them.
//!
//! `nextval` is not transactional: a value given is gone. The bound is written 32 values ahead, so that most calls touch
//! no disk; after a crash a sequence goes on above its bound. An answer that shows a value waits until its bound is
//! durable (`SessionLink::pending`).

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::snapshot::SessionLink;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::StorageId;
use crate::storage::pipeline::{CommitBatch, Pipeline};
use crate::storage::{Space, Write};

/// Values logged ahead, as PostgreSQL's `SEQ_LOG_VALS`.
const LOG_AHEAD: i64 = 32;

/// What a sequence is, for the engine.
#[derive(Clone, Debug)]
pub struct SequenceDef {
    pub storage: StorageId,
    pub start: i64,
    pub increment: i64,
    pub min: i64,
    pub max: i64,
    pub cache: i64,
    pub cycle: bool,
}

#[derive(Clone, Copy)]
struct Current {
    value: i64,
    is_called: bool,
    /// Values that may be given before the bound has to move.
    ahead: i64,
}

/// All sequences of the node.
pub struct Sequences {
    pipeline: Arc<Pipeline>,
    current: Mutex<FxHashMap<StorageId, Current>>,
}

fn record_key(storage: StorageId) -> Bytes {
    let mut key = b"sequence/".to_vec();
    key.extend_from_slice(&storage.0.to_be_bytes());
    Bytes::from(key)
}

/// What removes a sequence's record.
pub(super) fn forget_write(storage: StorageId) -> Write {
    Write::Delete(Space::Meta, record_key(storage))
}

impl Sequences {
    pub(super) fn new(pipeline: Arc<Pipeline>) -> Self {
        Sequences {
            pipeline,
            current: Mutex::default(),
        }
    }

    fn load(&self, def: &SequenceDef) -> Result<Current> {
        let Some(stored) = self.pipeline.newest().snapshot.get(Space::Meta, &record_key(def.storage))? else {
            return Ok(Current {
                value: def.start,
                is_called: false,
                ahead: 0,
            });
        };
        let damaged = || PgError::new(sqlstate::DATA_CORRUPTED, "a stored sequence is damaged");
        let (value, called) = stored.split_first_chunk::<8>().ok_or_else(damaged)?;
        Ok(Current {
            value: i64::from_be_bytes(*value),
            is_called: called == [1],
            ahead: 0,
        })
    }

    /// The next value.
    ///
    /// # Errors
    /// 2200H at the end of a sequence that does not cycle; the sequence's name in the text is left empty for the caller.
    pub fn nextval(&self, link: &SessionLink, def: &SequenceDef) -> Result<i64> {
        let mut all = self.current.lock();
        let current = match all.get(&def.storage) {
            Some(current) => *current,
            None => self.load(def)?,
        };
        let value = if current.is_called {
            step(def, current.value)?
        } else {
            current.value
        };
        let mut next = Current {
            value,
            is_called: true,
            ahead: current.ahead - 1,
        };
        if current.ahead <= 0 {
            let (bound, ahead) = bound(def, value);
            next.ahead = ahead;
            // Under the lock: bounds are sequenced in the order of the values.
            self.log(link, def.storage, bound, true);
        }
        all.insert(def.storage, next);
        Ok(value)
    }

    /// `setval`; the caller has checked the bounds.
    pub fn setval(&self, link: &SessionLink, def: &SequenceDef, value: i64, is_called: bool) -> Result<()> {
        let mut all = self.current.lock();
        self.log(link, def.storage, value, is_called);
        all.insert(
            def.storage,
            Current {
                value,
                is_called,
                ahead: 0,
            },
        );
        Ok(())
    }

    /// `last_value` and `is_called`, as `SELECT * FROM sequence` shows them.
    pub fn last_value(&self, def: &SequenceDef) -> Result<(i64, bool)> {
        let mut all = self.current.lock();
        let current = if let Some(current) = all.get(&def.storage) {
            *current
        } else {
            let loaded = self.load(def)?;
            all.insert(def.storage, loaded);
            loaded
        };
        Ok((current.value, current.is_called))
    }

    /// The sequence is gone.
    pub(super) fn forget(&self, storage: StorageId) {
        self.current.lock().remove(&storage);
    }

    fn log(&self, link: &SessionLink, storage: StorageId, value: i64, is_called: bool) {
        let mut record = value.to_be_bytes().to_vec();
        record.push(u8::from(is_called));
        let (pending, observed) = (Arc::clone(&link.pending), Arc::clone(&link.observed));
        pending.add();
        self.pipeline.submit(CommitBatch {
            writes: vec![Write::Put(Space::Meta, record_key(storage), Bytes::from(record))],
            on_sequenced: Box::new(move |version| {
                observed.raise(version);
                pending.done();
            }),
        });
    }
}

/// The value after `value`.
fn step(def: &SequenceDef, value: i64) -> Result<i64> {
    let next = value
        .checked_add(def.increment)
        .filter(|next| (def.min..=def.max).contains(next));
    match next {
        Some(next) => Ok(next),
        None if def.cycle => Ok(if def.increment > 0 { def.min } else { def.max }),
        None => {
            let (what, bound) = if def.increment > 0 {
                ("maximum", def.max)
            } else {
                ("minimum", def.min)
            };
            Err(PgError::new(
                sqlstate::SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
                format!("nextval: reached {what} value of sequence \"\" ({bound})"),
            ))
        }
    }
}

/// The bound to log when `value` is given, and how many further values it covers.
fn bound(def: &SequenceDef, value: i64) -> (i64, i64) {
    let mut bound = value;
    let mut ahead = 0;
    let wanted = LOG_AHEAD.max(def.cache);
    while ahead < wanted {
        match bound
            .checked_add(def.increment)
            .filter(|next| (def.min..=def.max).contains(next))
        {
            Some(next) => bound = next,
            None => break,
        }
        ahead += 1;
    }
    (bound, ahead)
}
