//! The words of date, time and interval input.

/// Units, also of `extract`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Decade,
    Century,
    Millennium,
    Julian,
    IsoYear,
    DayOfWeek,
    IsoDayOfWeek,
    DayOfYear,
    Epoch,
    TimeZone,
    TimeZoneHour,
    TimeZoneMinute,
    /// The filler `t` before an ISO time.
    IsoTime,
}

/// Words that stand for whole values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Now,
    Today,
    Tomorrow,
    Yesterday,
    /// `allballs`: midnight UTC.
    Midnight,
    Epoch,
    PosInfinity,
    NegInfinity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Month(i32),
    Weekday,
    Special(Special),
    Am,
    Pm,
    Ad,
    Bc,
    /// Filler.
    Ignore,
    /// `dst`, after a zone.
    Daylight,
    Unit(Unit),
    IsoTime,
}

/// Words are told apart by this many bytes.
const WORD_BYTES_MAX: usize = 10;

fn cut(word: &str) -> &str {
    word.get(..WORD_BYTES_MAX).unwrap_or(word)
}

/// A word of a date or time, lower case.
pub(super) fn date_word(word: &str) -> Option<Word> {
    Some(match cut(word) {
        "jan" | "january" => Word::Month(1),
        "feb" | "february" => Word::Month(2),
        "mar" | "march" => Word::Month(3),
        "apr" | "april" => Word::Month(4),
        "may" => Word::Month(5),
        "jun" | "june" => Word::Month(6),
        "jul" | "july" => Word::Month(7),
        "aug" | "august" => Word::Month(8),
        "sep" | "sept" | "september" => Word::Month(9),
        "oct" | "october" => Word::Month(10),
        "nov" | "november" => Word::Month(11),
        "dec" | "december" => Word::Month(12),
        "sun" | "sunday" | "mon" | "monday" | "tue" | "tues" | "tuesday" | "wed" | "weds" | "wednesday" | "thu" | "thur"
        | "thurs" | "thursday" | "fri" | "friday" | "sat" | "saturday" => Word::Weekday,
        "now" => Word::Special(Special::Now),
        "today" => Word::Special(Special::Today),
        "tomorrow" => Word::Special(Special::Tomorrow),
        "yesterday" => Word::Special(Special::Yesterday),
        "allballs" => Word::Special(Special::Midnight),
        "epoch" => Word::Special(Special::Epoch),
        "infinity" | "+infinity" => Word::Special(Special::PosInfinity),
        "-infinity" => Word::Special(Special::NegInfinity),
        "am" => Word::Am,
        "pm" => Word::Pm,
        "ad" => Word::Ad,
        "bc" => Word::Bc,
        "at" | "on" => Word::Ignore,
        "dst" => Word::Daylight,
        "t" => Word::IsoTime,
        "y" => Word::Unit(Unit::Year),
        "m" => Word::Unit(Unit::Month),
        "d" => Word::Unit(Unit::Day),
        "h" => Word::Unit(Unit::Hour),
        "mm" => Word::Unit(Unit::Minute),
        "s" => Word::Unit(Unit::Second),
        "j" | "jd" | "julian" => Word::Unit(Unit::Julian),
        "dow" => Word::Unit(Unit::DayOfWeek),
        "doy" => Word::Unit(Unit::DayOfYear),
        "isodow" => Word::Unit(Unit::IsoDayOfWeek),
        "isoyear" => Word::Unit(Unit::IsoYear),
        _ => return None,
    })
}

/// A word of an interval, lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntervalWord {
    Unit(Unit),
    Ago,
    Ignore,
}

pub(super) fn interval_word(word: &str) -> Option<IntervalWord> {
    let unit = match cut(word) {
        "@" => return Some(IntervalWord::Ignore),
        "ago" => return Some(IntervalWord::Ago),
        "us" | "usec" | "usecs" | "usecond" | "useconds" | "microsecon" => Unit::Microsecond,
        "ms" | "msec" | "msecs" | "mseconds" | "millisecon" => Unit::Millisecond,
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Second,
        "m" | "min" | "mins" | "minute" | "minutes" => Unit::Minute,
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hour,
        "d" | "day" | "days" => Unit::Day,
        "w" | "week" | "weeks" => Unit::Week,
        "mon" | "mons" | "month" | "months" => Unit::Month,
        "qtr" | "quarter" => Unit::Quarter,
        "y" | "yr" | "yrs" | "year" | "years" => Unit::Year,
        "dec" | "decs" | "decade" | "decades" => Unit::Decade,
        "c" | "cent" | "century" | "centuries" => Unit::Century,
        "mil" | "mils" | "millennia" | "millennium" => Unit::Millennium,
        "timezone" => Unit::TimeZone,
        "timezone_h" => Unit::TimeZoneHour,
        "timezone_m" => Unit::TimeZoneMinute,
        _ => return None,
    };
    Some(IntervalWord::Unit(unit))
}

/// The unit of `extract` and `date_trunc`, any case.
pub(super) fn unit_of(text: &str) -> Option<Unit> {
    let lower = text.to_ascii_lowercase();
    match interval_word(&lower) {
        Some(IntervalWord::Unit(unit)) => return Some(unit),
        Some(_) => return None,
        None => {}
    }
    match date_word(&lower)? {
        Word::Unit(unit) => Some(unit),
        Word::Special(Special::Epoch) => Some(Unit::Epoch),
        _ => None,
    }
}
