//! `inet` and `cidr`, held as their canonical text.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::invalid_syntax;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::{Value, oid};

/// `AF_INET` and the number after it, as PostgreSQL sends them.
const FAMILY_V4: u8 = 2;
const FAMILY_V6: u8 = 3;

/// An address and the bits of its network.
struct Network {
    address: IpAddr,
    bits: u8,
}

fn width(address: &IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

impl Network {
    fn parse(text: &str, is_cidr: bool) -> Option<Network> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address = match address.parse::<IpAddr>() {
            Ok(address) => address,
            // `cidr` takes the first bytes alone: `10.1` is 10.1.0.0/16.
            Err(_) if is_cidr => return Network::parse_short(address, bits),
            Err(_) => return None,
        };
        let bits = match bits {
            Some(bits) if bits.bytes().all(|byte| byte.is_ascii_digit()) => bits.parse().ok()?,
            Some(_) => return None,
            None => width(&address),
        };
        (bits <= width(&address)).then_some(Network { address, bits })
    }

    fn parse_short(address: &str, bits: Option<&str>) -> Option<Network> {
        let mut bytes = [0_u8; 4];
        let mut count = 0;
        for part in address.trim_end_matches('.').split('.') {
            *bytes.get_mut(count)? = part.parse().ok()?;
            count += 1;
        }
        let bits = match bits {
            Some(bits) => bits.parse().ok().filter(|bits| *bits <= 32)?,
            None => count as u8 * 8,
        };
        Some(Network {
            address: IpAddr::V4(Ipv4Addr::from(bytes)),
            bits,
        })
    }

    /// Whether bits to the right of the network's are set.
    fn has_host_bits(&self) -> bool {
        match self.address {
            IpAddr::V4(v4) => u32::from(v4).checked_shl(u32::from(self.bits)).unwrap_or(0) != 0,
            IpAddr::V6(v6) => u128::from(v6).checked_shl(u32::from(self.bits)).unwrap_or(0) != 0,
        }
    }

    fn text(&self, is_cidr: bool) -> String {
        if is_cidr || self.bits != width(&self.address) {
            format!("{}/{}", self.address, self.bits)
        } else {
            self.address.to_string()
        }
    }
}

pub(super) fn inet_in(ty: Oid, text: &str) -> Result<Value> {
    let is_cidr = ty == oid::CIDR;
    let name = if is_cidr { "cidr" } else { "inet" };
    let network = Network::parse(text, is_cidr).ok_or_else(|| invalid_syntax(name, text))?;
    if is_cidr && network.has_host_bits() {
        return Err(PgError::new(
            sqlstate::INVALID_TEXT_REPRESENTATION,
            format!("invalid cidr value: \"{text}\""),
        )
        .detail("Value has bits set to right of mask."));
    }
    Ok(Value::text(network.text(is_cidr)))
}

/// Appends family, bits, whether `cidr`, and the address with its length.
pub(super) fn inet_send(ty: Oid, text: &str, out: &mut Vec<u8>) -> Result<()> {
    let is_cidr = ty == oid::CIDR;
    let network = Network::parse(text, is_cidr).ok_or_else(|| PgError::internal(format!("not an address: {text}")))?;
    let head = |family: u8, len: u8| [family, network.bits, u8::from(is_cidr), len];
    match network.address {
        IpAddr::V4(v4) => {
            out.extend_from_slice(&head(FAMILY_V4, 4));
            out.extend_from_slice(&v4.octets());
        }
        IpAddr::V6(v6) => {
            out.extend_from_slice(&head(FAMILY_V6, 16));
            out.extend_from_slice(&v6.octets());
        }
    }
    Ok(())
}

pub(super) fn inet_recv(ty: Oid, bytes: &[u8]) -> Result<Value> {
    let is_cidr = ty == oid::CIDR;
    let invalid = |what: &str| {
        let name = if is_cidr { "cidr" } else { "inet" };
        PgError::new(
            sqlstate::INVALID_BINARY_REPRESENTATION,
            format!("invalid {what} in external \"{name}\" value"),
        )
    };
    let [family, bits, _, len, address @ ..] = bytes else {
        return Err(invalid("length"));
    };
    let address = match *family {
        FAMILY_V4 => <[u8; 4]>::try_from(address).map(|octets| IpAddr::V4(Ipv4Addr::from(octets))),
        FAMILY_V6 => <[u8; 16]>::try_from(address).map(|octets| IpAddr::V6(Ipv6Addr::from(octets))),
        _ => return Err(invalid("address family")),
    }
    .map_err(|_| invalid("length"))?;
    if *bits > width(&address) {
        return Err(invalid("bits"));
    }
    if *len * 8 != width(&address) {
        return Err(invalid("length"));
    }
    let network = Network { address, bits: *bits };
    Ok(Value::text(network.text(is_cidr)))
}
