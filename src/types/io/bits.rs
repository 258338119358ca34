//! `bit` and `bit varying`.

use std::sync::Arc;

use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::Value;
use crate::types::cast::check_bit_length;

fn bad_digit(digit: char, kind: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_TEXT_REPRESENTATION,
        format!("\"{digit}\" is not a valid {kind} digit"),
    )
}

/// `0101`, `b0101` or `x5`.
pub(super) fn bits_in(ty: Oid, typmod: i32, text: &str) -> Result<Value> {
    // The length is checked before the digits.
    let bits = match text.as_bytes().first() {
        Some(b'x' | b'X') => (text.len() as u32 - 1) * 4,
        Some(b'b' | b'B') => text.len() as u32 - 1,
        _ => text.len() as u32,
    };
    check_bit_length(ty, typmod, bits)?;
    if let Some(digits) = text.strip_prefix(['x', 'X']) {
        let mut bytes = Vec::with_capacity(digits.len().div_ceil(2));
        for (at, c) in digits.chars().enumerate() {
            let digit = c.to_digit(16).ok_or_else(|| bad_digit(c, "hexadecimal"))? as u8;
            match bytes.last_mut() {
                Some(last) if at % 2 == 1 => *last |= digit,
                _ => bytes.push(digit << 4),
            }
        }
        return Ok(Value::Bit(Arc::new((digits.len() as u32 * 4, bytes))));
    }
    let digits = text.strip_prefix(['b', 'B']).unwrap_or(text);
    let mut bytes = vec![0_u8; digits.len().div_ceil(8)];
    for (at, c) in digits.chars().enumerate() {
        match c {
            '0' => {}
            '1' => bytes[at / 8] |= 0x80 >> (at % 8),
            _ => return Err(bad_digit(c, "binary")),
        }
    }
    Ok(Value::Bit(Arc::new((digits.len() as u32, bytes))))
}

pub(super) fn bits_out(bits: &(u32, Vec<u8>), out: &mut String) {
    for at in 0..bits.0 as usize {
        let set = bits.1.get(at / 8).is_some_and(|byte| byte & (0x80 >> (at % 8)) != 0);
        out.push(if set { '1' } else { '0' });
    }
}
