//! `EvalPlanQual`: does a row still qualify after it changed under a lock?
//!
//! The plan below `LockRows` or Modify is run once more, with exactly one row at each leaf: the newest version of the rows
//! that changed, for all other leaves the row that was joined before.

use bytes::Bytes;

use super::build::build;
use super::context::ExecContext;
use super::row::{Batch, EpqRow, EpqRows, Row, identity_key};
use crate::error::Result;
use crate::plan::node::{EpqSource, NodeRef, ScanId};
use crate::types::Value;

/// A leaf's row in its newest version.
pub struct Exchanged {
    pub scan: ScanId,
    pub key: Bytes,
    pub row: Bytes,
}

/// Runs `input` again for one of its rows, with some leaves' rows exchanged: the row as it is now, or `None` where it does
/// not qualify any more.
pub async fn recheck(
    ctx: &ExecContext,
    input: &NodeRef,
    sources: &[EpqSource],
    row: &[Value],
    exchanged: &[Exchanged],
) -> Result<Option<Row>> {
    let mut rows = EpqRows::new(ctx.plan.scan_count);
    for source in sources {
        let (scan, found) = match source {
            EpqSource::Fetch { scan, table, identity } => (
                *scan,
                fetch(
                    ctx,
                    table.storage,
                    &row[*identity],
                    exchanged.iter().find(|one| one.scan == *scan),
                )?,
            ),
            EpqSource::Copy { scan, columns } => (
                *scan,
                EpqRow::Values(columns.iter().map(|column| row[*column].clone()).collect()),
            ),
        };
        rows.set(scan, found);
    }
    let ctx = ctx.with_epq(rows);
    let mut operator = build(input, &ctx);
    let mut batch = Batch::default();
    loop {
        let more = operator.next(&ctx, 1, &mut batch).await?;
        if !batch.is_empty() {
            return Ok(Some(batch.take_row(0)));
        }
        if !more {
            return Ok(None);
        }
    }
}

fn fetch(ctx: &ExecContext, storage: crate::ids::StorageId, identity: &Value, new: Option<&Exchanged>) -> Result<EpqRow> {
    if let Some(new) = new {
        return Ok(EpqRow::Stored {
            key: new.key.clone(),
            row: new.row.clone(),
        });
    }
    let Some(key) = identity_key(identity) else {
        return Ok(EpqRow::None);
    };
    Ok(match ctx.txn.get(&ctx.view, storage, &key)? {
        Some(row) => EpqRow::Stored { key, row },
        None => EpqRow::None,
    })
}
