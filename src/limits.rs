//! Every maximum of the server in one place. PostgreSQL's where PostgreSQL has one.

/// Identifier length in bytes; longer ones are truncated with a notice (`NAMEDATALEN - 1`).
pub const IDENTIFIER_BYTES_MAX: usize = 63;
/// Columns of a table (`MaxHeapAttributeNumber`).
pub const TABLE_COLUMNS_MAX: usize = 1600;
/// Columns of a result (`MaxTupleAttributeNumber`).
pub const TARGET_COLUMNS_MAX: usize = 1664;
/// Columns of an index (`INDEX_MAX_KEYS`).
pub const INDEX_COLUMNS_MAX: usize = 32;
/// Arguments of a function (`FUNC_MAX_ARGS`).
pub const FUNCTION_ARGUMENTS_MAX: usize = 100;
/// Parameters of a statement in one Bind message.
pub const PARAMETERS_MAX: usize = 65_535;
/// Dimensions of an array (`MAXDIM`).
pub const ARRAY_DIMENSIONS_MAX: usize = 6;
/// Bytes of one frontend message, header excluded (PostgreSQL: `PQ_LARGE_MESSAGE_LIMIT`).
pub const MESSAGE_BYTES_MAX: usize = (1 << 30) - 1;
/// Bytes of the startup packet (`MAX_STARTUP_PACKET_LENGTH`).
pub const STARTUP_BYTES_MAX: usize = 10_000;
/// Bytes of one value (`MaxAllocSize`).
pub const VALUE_BYTES_MAX: usize = 0x3fff_ffff;
/// Nesting of expressions and sub-selects before 54001.
pub const NESTING_MAX: usize = 1_000;
/// Bytes of an index key before 54000.
pub const INDEX_KEY_BYTES_MAX: usize = 64 * 1024;
/// Bytes a transaction may buffer before 54000.
pub const TRANSACTION_BYTES_MAX: usize = 256 << 20;
/// Bytes of a commit's writes from which on it does not go through the log in one batch (`storage::large`).
pub const LARGE_COMMIT_BYTES: usize = 8 << 20;
/// What a write costs the store beside its key and value, in bytes.
pub const WRITE_OVERHEAD_BYTES: usize = 64;
/// Locks that the lock table holds before 53200.
pub const LOCKS_MAX: usize = 20_000_000;
/// Rows an operator hands over at once.
pub const BATCH_ROWS_MAX: usize = 1_024;
/// Payload of NOTIFY in bytes (`NOTIFY_PAYLOAD_MAX_LENGTH` - 1).
pub const NOTIFY_PAYLOAD_BYTES_MAX: usize = 7_999;
/// Notifications queued for one session before the oldest listener is disconnected with 53400.
pub const NOTIFY_QUEUE_MAX: usize = 100_000;
/// Commits waiting for the sequencer before further ones wait for room.
pub const COMMIT_QUEUE_MAX: usize = 65_536;
