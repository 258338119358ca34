//! Portals: a statement with its parameters, and how far it has run. SQL cursors are portals too.

use std::sync::Arc;

use super::output::{Formats, ResultColumn};
use super::prepared::Prepared;
use crate::exec::Execution;
use crate::exec::row::Row;
use crate::types::Value;

/// How an Execute message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The tag, or `EmptyQueryResponse`, has been given to the output.
    Done,
    /// The row limit was reached.
    Suspended,
}

/// A statement that was bound, or a cursor.
pub(super) struct Portal {
    pub prepared: Arc<Prepared>,
    pub params: Arc<[Value]>,
    pub formats: Formats,
    pub columns: Option<Arc<[ResultColumn]>>,
    pub run: PortalRun,
    pub cursor: Option<CursorOptions>,
    /// Rows given so far, for the tag.
    pub rows: u64,
}

/// What DECLARE said.
#[derive(Clone, Debug)]
pub(super) struct CursorOptions {
    pub holdable: bool,
    pub binary: bool,
    /// `None`: neither SCROLL nor NO SCROLL.
    pub scroll: Option<bool>,
    pub created_micros: i64,
    pub text: Arc<str>,
    /// The transaction that made it has ended.
    pub held: bool,
}

/// How far a portal has run.
pub(super) enum PortalRun {
    /// Not yet started.
    Ready,
    /// Its plan runs; rows come on demand.
    Running(Box<Execution>),
    /// All rows are here (cursors that scroll or are held, statements with side effects run to their end): the rows,
    /// and the place of the current one (0 is before the first).
    Stored {
        rows: Vec<Row>,
        position: usize,
    },
    Finished,
}

impl Portal {
    /// Held cursors live on.
    pub(super) fn survives_commit(&self) -> bool {
        self.cursor.as_ref().is_some_and(|cursor| cursor.holdable)
    }

    /// Cursors held by an earlier transaction live on.
    pub(super) fn survives_abort(&self) -> bool {
        self.cursor.as_ref().is_some_and(|cursor| cursor.held)
    }
}
