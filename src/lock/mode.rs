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

/// A set of modes of one kind of target: bit `n` is the mode whose [`Mode::index`] is `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModeSet(pub u8);

impl ModeSet {
    pub const EMPTY: ModeSet = ModeSet(0);

    pub fn contains(self, index: u8) -> bool {
        self.0 & (1 << index) != 0
    }

    pub fn intersects(self, other: ModeSet) -> bool {
        self.0 & other.0 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn with(self, index: u8) -> ModeSet {
        ModeSet(self.0 | 1 << index)
    }

    #[must_use]
    pub fn without(self, index: u8) -> ModeSet {
        ModeSet(self.0 & !(1 << index))
    }

    #[must_use]
    pub fn union(self, other: ModeSet) -> ModeSet {
        ModeSet(self.0 | other.0)
    }

    /// The indexes in the set, weakest mode first.
    pub fn indexes(self) -> impl Iterator<Item = u8> {
        (0..8).filter(move |&index| self.contains(index))
    }
}

/// PostgreSQL 15 docs, table 13.2: row `n` holds the modes that conflict with mode `n`, both from ACCESS SHARE on.
const RELATION_CONFLICTS: [ModeSet; 8] = [
    ModeSet(0b1000_0000), // ACCESS SHARE
    ModeSet(0b1100_0000), // ROW SHARE
    ModeSet(0b1111_0000), // ROW EXCLUSIVE
    ModeSet(0b1111_1000), // SHARE UPDATE EXCLUSIVE
    ModeSet(0b1110_1100), // SHARE
    ModeSet(0b1111_1100), // SHARE ROW EXCLUSIVE
    ModeSet(0b1111_1110), // EXCLUSIVE
    ModeSet(0b1111_1111), // ACCESS EXCLUSIVE
];

/// PostgreSQL 15 docs, table 13.3, from FOR KEY SHARE on.
const RECORD_CONFLICTS: [ModeSet; 4] = [
    ModeSet(0b1000), // FOR KEY SHARE
    ModeSet(0b1100), // FOR SHARE
    ModeSet(0b1110), // FOR NO KEY UPDATE
    ModeSet(0b1111), // FOR UPDATE
];

const ADVISORY_CONFLICTS: [ModeSet; 2] = [ModeSet(0b10), ModeSet(0b11)];

const KEY_CONFLICTS: ModeSet = ModeSet(0b1);

/// Which conflict matrix counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Relation,
    Record,
    Advisory,
    Key,
}

impl Kind {
    /// The modes that conflict with the mode of that index.
    pub fn conflicts(self, index: u8) -> ModeSet {
        match self {
            Kind::Relation => RELATION_CONFLICTS[usize::from(index)],
            Kind::Record => RECORD_CONFLICTS[usize::from(index)],
            Kind::Advisory => ADVISORY_CONFLICTS[usize::from(index)],
            Kind::Key => KEY_CONFLICTS,
        }
    }

    /// The modes that a holder of the mode of that index holds with it. Only record modes form a chain.
    pub fn covered_by(self, index: u8) -> ModeSet {
        match self {
            Kind::Record => ModeSet((2 << index) - 1),
            Kind::Relation | Kind::Advisory | Kind::Key => ModeSet(1 << index),
        }
    }

    /// The mode of that index; `index` comes from [`Mode::index`] of the same kind.
    pub fn mode(self, index: u8) -> Mode {
        match self {
            Kind::Relation => Mode::Relation(RelationMode::ALL[usize::from(index)]),
            Kind::Record => Mode::Record(RecordMode::ALL[usize::from(index)]),
            Kind::Advisory => Mode::Advisory(AdvisoryMode::ALL[usize::from(index)]),
            Kind::Key => Mode::Key,
        }
    }
}

impl RelationMode {
    pub const ALL: [RelationMode; 8] = [
        RelationMode::AccessShare,
        RelationMode::RowShare,
        RelationMode::RowExclusive,
        RelationMode::ShareUpdateExclusive,
        RelationMode::Share,
        RelationMode::ShareRowExclusive,
        RelationMode::Exclusive,
        RelationMode::AccessExclusive,
    ];
}

impl RecordMode {
    pub const ALL: [RecordMode; 4] = [
        RecordMode::KeyShare,
        RecordMode::Share,
        RecordMode::NoKeyUpdate,
        RecordMode::Update,
    ];
}

impl AdvisoryMode {
    pub const ALL: [AdvisoryMode; 2] = [AdvisoryMode::Share, AdvisoryMode::Exclusive];
}

impl Mode {
    pub fn kind(self) -> Kind {
        match self {
            Mode::Relation(_) => Kind::Relation,
            Mode::Record(_) => Kind::Record,
            Mode::Advisory(_) => Kind::Advisory,
            Mode::Key => Kind::Key,
        }
    }

    /// The mode's place among those of its kind, from 0.
    pub fn index(self) -> u8 {
        match self {
            Mode::Relation(mode) => mode as u8 - 1,
            Mode::Record(mode) => mode as u8 - 1,
            Mode::Advisory(mode) => mode as u8 - 1,
            Mode::Key => 0,
        }
    }

    pub fn conflicts_with(self, other: Mode) -> bool {
        self.kind() == other.kind() && self.kind().conflicts(self.index()).contains(other.index())
    }

    /// The name in `pg_locks.mode` and in a deadlock's detail. Record modes bear the names of the table-level locks
    /// that PostgreSQL takes on the tuple for them (`tupleLockExtraInfo` in heapam.c).
    pub fn pg_name(self) -> &'static str {
        match self {
            Mode::Relation(RelationMode::AccessShare) | Mode::Record(RecordMode::KeyShare) => "AccessShareLock",
            Mode::Relation(RelationMode::RowShare) | Mode::Record(RecordMode::Share) => "RowShareLock",
            Mode::Relation(RelationMode::RowExclusive) => "RowExclusiveLock",
            Mode::Relation(RelationMode::ShareUpdateExclusive) => "ShareUpdateExclusiveLock",
            Mode::Relation(RelationMode::Share) | Mode::Advisory(AdvisoryMode::Share) => "ShareLock",
            Mode::Relation(RelationMode::ShareRowExclusive) => "ShareRowExclusiveLock",
            Mode::Relation(RelationMode::Exclusive)
            | Mode::Record(RecordMode::NoKeyUpdate)
            | Mode::Advisory(AdvisoryMode::Exclusive)
            | Mode::Key => "ExclusiveLock",
            Mode::Relation(RelationMode::AccessExclusive) | Mode::Record(RecordMode::Update) => "AccessExclusiveLock",
        }
    }
}
