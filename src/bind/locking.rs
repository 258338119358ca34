//! FOR UPDATE and its kin: which rels are marked, how strongly, and where that is refused (`transformLockingClause`).

use super::Binder;
use super::tree::{Distinct, From, Group, MarkWait, Query, RelKind, RowMark};
use crate::error::{PgError, Result, sqlstate};
use crate::lock::{RecordMode, RelationMode};
use crate::parse::{LockStrength, LockWait, LockingClause};

impl Binder<'_> {
    /// Marks the rels of a query for its locking clauses.
    pub(super) fn lock_rows(&mut self, query: &mut Query, clauses: &[LockingClause]) -> Result<()> {
        for clause in clauses {
            check_lockable(query, clause.strength)?;
            if clause.of.is_empty() {
                let visible: Vec<usize> = (0..query.rels.len())
                    .filter(|at| in_from(&query.from, *at) && self.is_lockable(query, *at))
                    .collect();
                for at in visible {
                    mark(query, at, clause.strength, clause.wait)?;
                }
                continue;
            }
            for name in &clause.of {
                if name.schema().is_some() {
                    return Err(PgError::new(
                        sqlstate::SYNTAX_ERROR,
                        format!("{} must specify unqualified relation names", clause.strength.as_str()),
                    )
                    .at(name.position));
                }
                let at = self.locked_rel(query, clause.strength, name.name(), name.position)?;
                mark(query, at, clause.strength, clause.wait)?;
            }
        }
        Ok(())
    }

    fn is_lockable(&self, query: &Query, at: usize) -> bool {
        matches!(query.rels[at].kind, RelKind::Table { .. } | RelKind::Subquery { .. })
    }

    /// The rel that a name after OF means.
    fn locked_rel(&self, query: &Query, strength: LockStrength, name: &str, position: u32) -> Result<usize> {
        let level = self.level_ref();
        let refuse = |what: &str| {
            Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("{} cannot be applied to {what}", strength.as_str()),
            )
            .at(position))
        };
        if let Some(item) = level.items.iter().find(|item| item.rel_visible && item.name == name) {
            let Some(at) = item.rel else {
                return refuse("a join");
            };
            return match &query.rels[at].kind {
                RelKind::Table { .. } | RelKind::Subquery { .. } => Ok(at),
                RelKind::Sequence(_) => Ok(at),
                RelKind::Values(_) => refuse("VALUES"),
                RelKind::Functions { .. } => refuse("a function"),
                RelKind::Cte { .. } => refuse("a WITH query"),
                RelKind::Join => refuse("a join"),
            };
        }
        Err(PgError::new(
            sqlstate::UNDEFINED_TABLE,
            format!("relation \"{name}\" in {} clause not found in FROM clause", strength.as_str()),
        )
        .at(position))
    }
}

/// `CheckSelectLocking`.
fn check_lockable(query: &Query, strength: LockStrength) -> Result<()> {
    let what = if query.set_operation.is_some() {
        "UNION/INTERSECT/EXCEPT"
    } else if !matches!(query.distinct, Distinct::No) {
        "DISTINCT clause"
    } else if !matches!(query.group, Group::None) {
        "GROUP BY clause"
    } else if query.having.is_some() {
        "HAVING clause"
    } else if query.has_aggregates {
        "aggregate functions"
    } else if query.has_windows {
        "window functions"
    } else if query.has_set_returning {
        "set-returning functions in the target list"
    } else {
        return Ok(());
    };
    Err(PgError::new(
        sqlstate::FEATURE_NOT_SUPPORTED,
        format!("{} is not allowed with {what}", strength.as_str()),
    ))
}

fn in_from(from: &[From], rel: usize) -> bool {
    from.iter().any(|from| from_has(from, rel))
}

fn from_has(from: &From, rel: usize) -> bool {
    match from {
        From::Rel(at) => *at == rel,
        From::Join { left, right, .. } => from_has(left, rel) || from_has(right, rel),
    }
}

fn record_mode(strength: LockStrength) -> RecordMode {
    match strength {
        LockStrength::KeyShare => RecordMode::KeyShare,
        LockStrength::Share => RecordMode::Share,
        LockStrength::NoKeyUpdate => RecordMode::NoKeyUpdate,
        LockStrength::Update => RecordMode::Update,
    }
}

fn mark_wait(wait: LockWait) -> MarkWait {
    match wait {
        LockWait::Block => MarkWait::Block,
        LockWait::Skip => MarkWait::SkipLocked,
        LockWait::NoWait => MarkWait::NoWait,
    }
}

/// Marks one rel; a sub-select's own rels are marked through.
fn mark(query: &mut Query, at: usize, strength: LockStrength, wait: LockWait) -> Result<()> {
    match &mut query.rels[at].kind {
        RelKind::Table { lock, table, .. } => {
            if table.virtual_source.is_some() {
                return Ok(());
            }
            *lock = (*lock).max(RelationMode::RowShare);
            add_mark(query, at, strength, wait);
            Ok(())
        }
        RelKind::Subquery { query: inner, .. } => mark_all(inner, strength, wait),
        RelKind::Sequence(sequence) => Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("cannot lock rows in sequence \"{}\"", sequence.name),
        )),
        _ => Ok(()),
    }
}

/// FOR UPDATE of a sub-select: of everything in it.
fn mark_all(query: &mut Query, strength: LockStrength, wait: LockWait) -> Result<()> {
    check_lockable(query, strength)?;
    let inside: Vec<usize> = (0..query.rels.len()).filter(|at| in_from(&query.from, *at)).collect();
    for at in inside {
        mark(query, at, strength, wait)?;
    }
    Ok(())
}

/// `applyLockingClause`: the strongest mode, and the most impatient wait, win.
fn add_mark(query: &mut Query, at: usize, strength: LockStrength, wait: LockWait) {
    let (mode, wait) = (record_mode(strength), mark_wait(wait));
    match query.row_marks.iter_mut().find(|mark| mark.rel == at) {
        Some(found) => {
            found.mode = found.mode.max(mode);
            found.wait = stronger_wait(found.wait, wait);
        }
        None => query.row_marks.push(RowMark { rel: at, mode, wait }),
    }
}

fn stronger_wait(a: MarkWait, b: MarkWait) -> MarkWait {
    match (a, b) {
        (MarkWait::NoWait, _) | (_, MarkWait::NoWait) => MarkWait::NoWait,
        (MarkWait::SkipLocked, _) | (_, MarkWait::SkipLocked) => MarkWait::SkipLocked,
        (MarkWait::Block, MarkWait::Block) => MarkWait::Block,
    }
}
