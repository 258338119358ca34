//! Operators of ranges.

use std::cmp::Ordering;

use super::{Bound, Range, subtype_of};
use crate::error::{PgError, Result, sqlstate};
use crate::types::compare::compare_as;
use crate::types::{Value, oid};

/// An end of a range as a point on the line: no lower bound is before everything, an excluded lower bound just after
/// its value, an excluded upper bound just before it.
#[derive(Clone, Copy)]
enum End<'a> {
    Lower(Option<&'a Bound>),
    Upper(Option<&'a Bound>),
}

impl End<'_> {
    /// -1 and 1 for the infinities.
    fn infinity(self) -> i32 {
        match self {
            End::Lower(None) => -1,
            End::Upper(None) => 1,
            _ => 0,
        }
    }

    /// -1 just before the value, 0 at it, 1 just after it.
    fn nudge(self) -> i32 {
        match self {
            End::Lower(Some(bound)) if !bound.included => 1,
            End::Upper(Some(bound)) if !bound.included => -1,
            _ => 0,
        }
    }

    fn value(self) -> Option<Value> {
        match self {
            End::Lower(bound) | End::Upper(bound) => bound.map(|bound| bound.value.clone()),
        }
    }
}

impl Range {
    fn compare_ends(&self, a: End<'_>, b: End<'_>) -> Ordering {
        match (a.value(), b.value()) {
            (Some(x), Some(y)) => self.compare_values(&x, &y).then(a.nudge().cmp(&b.nudge())),
            _ => a.infinity().cmp(&b.infinity()),
        }
    }

    fn compare_values(&self, a: &Value, b: &Value) -> Ordering {
        compare_as(subtype_of(self.ty).unwrap_or(oid::TEXT), a, b)
    }

    fn low(&self) -> End<'_> {
        End::Lower(self.lower.as_ref())
    }

    fn high(&self) -> End<'_> {
        End::Upper(self.upper.as_ref())
    }

    /// `range @> element`.
    pub fn contains_value(&self, value: &Value) -> bool {
        if self.empty {
            return false;
        }
        let after_lower = self
            .lower
            .as_ref()
            .is_none_or(|low| match self.compare_values(&low.value, value) {
                Ordering::Less => true,
                Ordering::Equal => low.included,
                Ordering::Greater => false,
            });
        let before_upper = self
            .upper
            .as_ref()
            .is_none_or(|high| match self.compare_values(value, &high.value) {
                Ordering::Less => true,
                Ordering::Equal => high.included,
                Ordering::Greater => false,
            });
        after_lower && before_upper
    }

    /// `self @> other`.
    pub fn contains(&self, other: &Range) -> bool {
        if other.empty {
            return true;
        }
        !self.empty && self.compare_ends(self.low(), other.low()).is_le() && self.compare_ends(self.high(), other.high()).is_ge()
    }

    /// `self && other`.
    pub fn overlaps(&self, other: &Range) -> bool {
        !self.empty
            && !other.empty
            && self.compare_ends(self.low(), other.high()).is_le()
            && self.compare_ends(other.low(), self.high()).is_le()
    }

    /// `self << other`.
    pub fn is_before(&self, other: &Range) -> bool {
        !self.empty && !other.empty && self.compare_ends(self.high(), other.low()).is_lt()
    }

    /// `self &< other`: does not extend to the right of the other.
    pub fn is_not_right_of(&self, other: &Range) -> bool {
        !self.empty && !other.empty && self.compare_ends(self.high(), other.high()).is_le()
    }

    /// `self &> other`: does not extend to the left of the other.
    pub fn is_not_left_of(&self, other: &Range) -> bool {
        !self.empty && !other.empty && self.compare_ends(self.low(), other.low()).is_ge()
    }

    /// `self -|- other`.
    pub fn is_adjacent(&self, other: &Range) -> bool {
        let touch = |high: &Option<Bound>, low: &Option<Bound>| match (high, low) {
            (Some(high), Some(low)) => high.included != low.included && self.compare_values(&high.value, &low.value).is_eq(),
            _ => false,
        };
        !self.empty && !other.empty && (touch(&self.upper, &other.lower) || touch(&other.upper, &self.lower))
    }

    fn lesser_lower<'a>(&'a self, other: &'a Range) -> Option<&'a Bound> {
        if self.compare_ends(self.low(), other.low()).is_le() {
            self.lower.as_ref()
        } else {
            other.lower.as_ref()
        }
    }

    fn greater_lower<'a>(&'a self, other: &'a Range) -> Option<&'a Bound> {
        if self.compare_ends(self.low(), other.low()).is_ge() {
            self.lower.as_ref()
        } else {
            other.lower.as_ref()
        }
    }

    fn lesser_upper<'a>(&'a self, other: &'a Range) -> Option<&'a Bound> {
        if self.compare_ends(self.high(), other.high()).is_le() {
            self.upper.as_ref()
        } else {
            other.upper.as_ref()
        }
    }

    fn greater_upper<'a>(&'a self, other: &'a Range) -> Option<&'a Bound> {
        if self.compare_ends(self.high(), other.high()).is_ge() {
            self.upper.as_ref()
        } else {
            other.upper.as_ref()
        }
    }

    /// `range_merge`: the smallest range that contains both.
    pub fn merge(&self, other: &Range) -> Result<Range> {
        if self.empty {
            return Ok(other.clone());
        }
        if other.empty {
            return Ok(self.clone());
        }
        Range::new(self.ty, self.lesser_lower(other).cloned(), self.greater_upper(other).cloned())
    }

    /// `self + other`.
    pub fn union(&self, other: &Range) -> Result<Range> {
        let apart = !self.empty && !other.empty && !self.overlaps(other) && !self.is_adjacent(other);
        if apart {
            return Err(PgError::new(
                sqlstate::DATA_EXCEPTION,
                "result of range union would not be contiguous",
            ));
        }
        self.merge(other)
    }

    /// `self * other`.
    pub fn intersect(&self, other: &Range) -> Result<Range> {
        if !self.overlaps(other) {
            return Ok(Range::empty(self.ty));
        }
        Range::new(self.ty, self.greater_lower(other).cloned(), self.lesser_upper(other).cloned())
    }

    /// `self - other`.
    pub fn minus(&self, other: &Range) -> Result<Range> {
        if !self.overlaps(other) {
            return Ok(self.clone());
        }
        let keeps_left = self.compare_ends(self.low(), other.low()).is_lt();
        let keeps_right = self.compare_ends(self.high(), other.high()).is_gt();
        let flip = |bound: &Option<Bound>| {
            bound.as_ref().map(|bound| Bound {
                value: bound.value.clone(),
                included: !bound.included,
            })
        };
        match (keeps_left, keeps_right) {
            (true, true) => Err(PgError::new(
                sqlstate::DATA_EXCEPTION,
                "result of range difference would not be contiguous",
            )),
            (true, false) => Range::new(self.ty, self.lower.clone(), flip(&other.lower)),
            (false, true) => Range::new(self.ty, flip(&other.upper), self.upper.clone()),
            (false, false) => Ok(Range::empty(self.ty)),
        }
    }
}
