//! Arithmetic of `interval`.

use crate::error::{PgError, Result, sqlstate};
use crate::types::Interval;

const DAY_MICROS: f64 = 86_400_000_000.0;

fn out_of_range() -> PgError {
    PgError::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "interval out of range")
}

/// Field by field.
pub fn add(a: &Interval, b: &Interval) -> Result<Interval> {
    Ok(Interval {
        months: a.months.checked_add(b.months).ok_or_else(out_of_range)?,
        days: a.days.checked_add(b.days).ok_or_else(out_of_range)?,
        micros: a.micros.checked_add(b.micros).ok_or_else(out_of_range)?,
    })
}

pub fn negate(a: &Interval) -> Result<Interval> {
    Ok(Interval {
        months: a.months.checked_neg().ok_or_else(out_of_range)?,
        days: a.days.checked_neg().ok_or_else(out_of_range)?,
        micros: a.micros.checked_neg().ok_or_else(out_of_range)?,
    })
}

/// Fractions of a month spill into days of a month of 30, fractions of a day into time, as PostgreSQL's `interval_mul`.
pub fn multiply(a: &Interval, factor: f64) -> Result<Interval> {
    let months = f64::from(a.months) * factor;
    let days = f64::from(a.days) * factor;
    let fit = |value: f64| {
        #[allow(clippy::cast_possible_truncation)]
        if value.is_nan() || value.abs() > f64::from(i32::MAX) {
            Err(out_of_range())
        } else {
            Ok(value as i32)
        }
    };
    let (whole_months, mut whole_days) = (fit(months)?, fit(days)?);
    let month_days = settle((months - f64::from(whole_months)) * 30.0);
    let day_rest = settle(days - f64::from(whole_days) + month_days - month_days.trunc());
    whole_days = whole_days.checked_add(fit(month_days.trunc())?).ok_or_else(out_of_range)?;
    let (carry, rest) = if day_rest.abs() >= 1.0 {
        (day_rest.trunc(), day_rest.fract())
    } else {
        (0.0, day_rest)
    };
    whole_days = whole_days.checked_add(fit(carry)?).ok_or_else(out_of_range)?;
    #[allow(clippy::cast_precision_loss)]
    let micros = (a.micros as f64 * factor + rest * DAY_MICROS).round_ties_even();
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    if micros.is_nan() || micros.abs() >= i64::MAX as f64 {
        return Err(out_of_range());
    }
    #[allow(clippy::cast_possible_truncation)]
    Ok(Interval {
        months: whole_months,
        days: whole_days,
        micros: micros as i64,
    })
}

pub fn divide(a: &Interval, divisor: f64) -> Result<Interval> {
    if divisor == 0.0 {
        return Err(PgError::new(sqlstate::DIVISION_BY_ZERO, "division by zero"));
    }
    multiply(a, 1.0 / divisor)
}

/// Rounds away what is only noise of binary fractions.
fn settle(value: f64) -> f64 {
    (value * 1_000_000.0).round_ties_even() / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_spill_downwards() {
        // select interval '1 month' / 2, interval '3 days' * 1.5  -- PostgreSQL 15: 15 days, 4 days 12:00:00
        let month = Interval {
            months: 1,
            days: 0,
            micros: 0,
        };
        assert_eq!(
            divide(&month, 2.0).expect("fits"),
            Interval {
                months: 0,
                days: 15,
                micros: 0
            }
        );
        let days = Interval {
            months: 0,
            days: 3,
            micros: 0,
        };
        assert_eq!(
            multiply(&days, 1.5).expect("fits"),
            Interval {
                months: 0,
                days: 4,
                micros: 43_200_000_000
            }
        );
    }
}
