//! Time as a trait, so that pure parts can be run under a simulated clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Microseconds from the Unix epoch to 2000-01-01 00:00 UTC, PostgreSQL's epoch.
pub const POSTGRES_EPOCH_UNIX_MICROS: i64 = 946_684_800_000_000;

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// Wall-clock time in microseconds since 2000-01-01 00:00 UTC.
    fn now_micros(&self) -> i64;
    /// Time since an arbitrary start; never goes back.
    fn monotonic(&self) -> Duration;
}

/// The machine's clocks.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_micros(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX) - POSTGRES_EPOCH_UNIX_MICROS
    }

    fn monotonic(&self) -> Duration {
        use std::sync::OnceLock;
        use std::time::Instant;
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}
