//! Functions that wait: `pg_sleep`, advisory locks. Run between evaluations, woken by the session's cancel flag.

use std::time::Duration;

use super::context::ExecContext;
use crate::error::{PgError, Result};
use crate::functions::Waiting;
use crate::lock::{AdvisoryKey, AdvisoryMode};
use crate::txn::Wait;
use crate::types::Value;

/// Runs one call.
pub async fn run(ctx: &ExecContext, waiting: Waiting, args: &[Value]) -> Result<Value> {
    match waiting {
        Waiting::Sleep => sleep(ctx, args).await,
        Waiting::AdvisoryLock { session, shared, wait } => {
            let mode = if shared {
                AdvisoryMode::Share
            } else {
                AdvisoryMode::Exclusive
            };
            let how = if wait { Wait::Block } else { Wait::NoWait };
            let got = ctx
                .txn
                .lock_advisory(advisory_key(args)?, mode, session, how, &ctx.timeouts)
                .await?;
            Ok(if wait { Value::text("") } else { Value::Bool(got) })
        }
    }
}

async fn sleep(ctx: &ExecContext, args: &[Value]) -> Result<Value> {
    let seconds = match args.first() {
        Some(Value::Float8(seconds)) => *seconds,
        Some(Value::Interval(interval)) => {
            let days = f64::from(interval.months) * 30.0 + f64::from(interval.days);
            #[allow(clippy::cast_precision_loss)]
            let micros = interval.micros as f64;
            days * 86_400.0 + micros / 1e6
        }
        _ => 0.0,
    };
    if seconds > 0.0 {
        let time = Duration::try_from_secs_f64(seconds.min(1e9)).unwrap_or_default();
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            reason = ctx.cancel.raised() => return Err(reason.error()),
        }
    }
    Ok(Value::text(""))
}

/// The key of an advisory lock function's arguments.
pub fn advisory_key(args: &[Value]) -> Result<AdvisoryKey> {
    match args {
        [Value::Int8(key)] => Ok(AdvisoryKey::Big(*key)),
        [Value::Int4(first), Value::Int4(second)] => Ok(AdvisoryKey::Pair(*first, *second)),
        _ => Err(PgError::internal(format!("not the arguments of an advisory lock: {args:?}"))),
    }
}
