//! Lock modes and their conflict matrices (PostgreSQL 15 docs, tables 13.2 and 13.3).

/// Modes of a relation lock, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum RelationMode {
    AccessShare = 1,
    RowShare = 2,
    RowExclusive = 3,
    ShareUpdateExclusive = 4,
    Share = 5,
    ShareRowExclusive = 6,
    Exclusive = 7,
    AccessExclusive = 8,
}

/// Modes of a record lock, weakest first; each covers the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum RecordMode {
    KeyShare = 1,
    Share = 2,
    NoKeyUpdate = 3,
    Update = 4,
}

/// Modes of an advisory lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum AdvisoryMode {
    Share = 1,
    Exclusive = 2,
}

/// A mode of any kind of target. A key target has one mode only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    Relation(RelationMode),
    Record(RecordMode),
    Advisory(AdvisoryMode),
    Key,
}
