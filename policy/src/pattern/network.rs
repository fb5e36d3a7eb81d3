//! Networks: ranges of addresses.

use core::net::IpAddr;
use std::fmt;

use super::{Mismatch, PatternError};

/// A range of IPv4 or IPv6 addresses (RFC 4632, RFC 4291 section 2.3): `10.20.0.0/16`, `2001:db8::/32`.
///
/// Addresses of the other version are never inside; IPv6 that embeds IPv4 is not looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network {
    address: IpAddr,
    length: u8,
}

impl Network {
    /// Reads `address/length`, the address in its one text.
    ///
    /// # Errors
    ///
    /// [`PatternError::Network`] for anything else, and for an address with bits beyond the length.
    pub fn read(text: &str) -> Result<Self, PatternError> {
        let fault = || PatternError::Network { text: text.to_owned() };
        let (address, length) = text.split_once('/').ok_or_else(fault)?;
        let network = Self {
            address: address.parse().map_err(|_| fault())?,
            length: length.parse().map_err(|_| fault())?,
        };
        // Both parts have one text only: no `+8`, `08` or long IPv6.
        if network.to_string() == text && network.masked(network.address) == Some(bits(network.address)) {
            Ok(network)
        } else {
            Err(fault())
        }
    }

    /// Whether `address` is inside.
    ///
    /// # Errors
    ///
    /// [`Mismatch::Network`] if it is not.
    pub fn matches(&self, address: IpAddr) -> Result<(), Mismatch> {
        let is_inside =
            address.is_ipv4() == self.address.is_ipv4() && self.masked(address) == Some(bits(self.address));
        if is_inside { Ok(()) } else { Err(Mismatch::Network { address }) }
    }

    /// Whether every address of `other` is inside.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.length <= other.length && self.matches(other.address).is_ok()
    }

    /// Whether it holds every address of its version.
    pub(crate) const fn holds_all(&self) -> bool {
        self.length == 0
    }

    /// The bits of `address` up to the length; nothing if the length is beyond the address.
    fn masked(&self, address: IpAddr) -> Option<u128> {
        let width: u8 = if address.is_ipv4() { 32 } else { 128 };
        let beyond = width.checked_sub(self.length)?;
        let mask = u128::MAX.checked_shl(u32::from(beyond)).unwrap_or(0);
        Some(bits(address) & mask)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}
