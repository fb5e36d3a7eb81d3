//! Which addresses may be reached.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use countersign_policy::{AddressClass, FetchTerms, Network};

use crate::{Code, codes};

/// Judges addresses, as a resolver returned them: public ones may be reached, and those of the networks that are listed.
///
/// The classes are those of [`AddressClass`]. An IPv6 address that stands for an IPv4 address is refused unless a listed
/// network holds it as it is written. The metadata service of a cloud is refused always, also where it is embedded in an
/// IPv6 address.
///
/// For a client of one's own: resolve once, judge all addresses, dial exactly these. A name that is resolved again to dial
/// may lead elsewhere.
///
/// # Examples
///
/// ```
/// use countersign::fetch::AddressGuard;
/// use countersign::policy::Network;
///
/// let guard = AddressGuard::new([Network::read("10.20.0.0/16")?]);
/// assert!(guard.judge("10.20.0.7".parse()?).is_ok());
/// assert!(guard.judge("10.21.0.7".parse()?).is_err());
/// assert!(guard.judge_all(["1.1.1.1".parse()?, "127.0.0.1".parse()?]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressGuard {
    networks: Vec<Network>,
}

/// An address that must not be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{address} is {class}")]
#[non_exhaustive]
pub struct AddressRefused {
    /// The address.
    pub address: IpAddr,
    /// Its class.
    pub class: AddressClass,
}

impl AddressGuard {
    /// Public addresses, and those of `networks`.
    #[must_use]
    pub fn new(networks: impl IntoIterator<Item = Network>) -> Self {
        Self { networks: networks.into_iter().collect() }
    }

    /// The guard that `[fetch]` describes.
    #[must_use]
    pub fn of(terms: &FetchTerms) -> Self {
        Self::new(terms.networks.iter().map(|placed| placed.value))
    }

    /// The networks that may be reached beside public addresses.
    #[must_use]
    pub fn networks(&self) -> &[Network] {
        &self.networks
    }

    /// Judges one address.
    ///
    /// # Errors
    ///
    /// [`AddressRefused`] if it must not be reached.
    pub fn judge(&self, address: IpAddr) -> Result<(), AddressRefused> {
        let class = AddressClass::of_address(address);
        if class == AddressClass::Metadata || embeds_metadata(address) {
            return Err(AddressRefused { address, class: AddressClass::Metadata });
        }
        let is_listed = || self.networks.iter().any(|network| network.matches(address).is_ok());
        if class == AddressClass::Public || is_listed() {
            Ok(())
        } else {
            Err(AddressRefused { address, class })
        }
    }

    /// Judges every address that a name resolves to: one that must not be reached refuses all.
    ///
    /// # Errors
    ///
    /// [`AddressRefused`] for the first.
    pub fn judge_all(&self, addresses: impl IntoIterator<Item = IpAddr>) -> Result<(), AddressRefused> {
        addresses.into_iter().try_for_each(|address| self.judge(address))
    }
}

impl AddressRefused {
    /// The public code.
    #[must_use]
    pub const fn code(&self) -> Code {
        codes::fetch::FETCH_ADDRESS
    }
}

fn embeds_metadata(address: IpAddr) -> bool {
    let IpAddr::V6(address) = address else { return false };
    embedded(address)
        .into_iter()
        .any(|embedded| AddressClass::of_address(IpAddr::V4(embedded)) == AddressClass::Metadata)
}

/// The IPv4 addresses that an address of the class [`AddressClass::EmbeddedV4`] may stand for: in its last 32 bits, plain or
/// inverted (Teredo, RFC 4380 section 4), or after the first 16 (6to4, RFC 3056 section 2).
fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    if AddressClass::of_address(IpAddr::V6(address)) != AddressClass::EmbeddedV4 {
        return Vec::new();
    }
    let [_, second, third, .., seventh, eighth] = address.segments();
    let pair = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    vec![pair(seventh, eighth), pair(!seventh, !eighth), pair(second, third)]
}

#[cfg(test)]
mod tests {
    use core::net::IpAddr;

    use countersign_policy::{AddressClass, Network};

    use super::AddressGuard;

    fn refused(guard: &AddressGuard, address: &str) -> Option<AddressClass> {
        guard.judge(address.parse::<IpAddr>().unwrap()).err().map(|refused| refused.class)
    }

    fn guard(networks: &[&str]) -> AddressGuard {
        AddressGuard::new(networks.iter().map(|text| Network::read(text).unwrap()))
    }

    #[test]
    fn public_addresses_pass_and_every_other_class_is_refused() {
        let guard = AddressGuard::default();
        assert_eq!(refused(&guard, "1.1.1.1"), None);
        assert_eq!(refused(&guard, "2606:4700::1111"), None);
        for (address, class) in [
            ("127.0.0.1", AddressClass::Loopback),
            ("::1", AddressClass::Loopback),
            ("10.0.0.1", AddressClass::Private),
            ("fd12::1", AddressClass::Private),
            ("100.64.0.1", AddressClass::Shared),
            ("169.254.1.1", AddressClass::LinkLocal),
            ("fe80::1", AddressClass::LinkLocal),
            ("0.0.0.0", AddressClass::Unspecified),
            ("224.0.0.1", AddressClass::Multicast),
            ("192.0.2.1", AddressClass::Documentation),
            ("198.18.0.1", AddressClass::Benchmarking),
            ("240.0.0.1", AddressClass::Reserved),
            ("::ffff:1.1.1.1", AddressClass::EmbeddedV4),
            ("64:ff9b::101:101", AddressClass::EmbeddedV4),
            ("169.254.169.254", AddressClass::Metadata),
            ("fd00:ec2::254", AddressClass::Metadata),
        ] {
            assert_eq!(refused(&guard, address), Some(class), "{address}");
        }
    }

    #[test]
    fn a_listed_network_opens_its_own_addresses_only() {
        let guard = guard(&["127.0.0.0/8"]);
        assert_eq!(refused(&guard, "127.0.0.1"), None);
        assert_eq!(refused(&guard, "::1"), Some(AddressClass::Loopback));
        assert_eq!(refused(&guard, "::ffff:127.0.0.1"), Some(AddressClass::EmbeddedV4));
        assert_eq!(refused(&guard, "10.0.0.1"), Some(AddressClass::Private));
    }

    #[test]
    fn metadata_services_are_refused_whatever_is_listed() {
        let guard = guard(&["0.0.0.0/0", "::/0"]);
        assert_eq!(refused(&guard, "10.0.0.1"), None);
        assert_eq!(refused(&guard, "::ffff:10.0.0.1"), None);
        for address in [
            "169.254.169.254",
            "168.63.129.16",
            "fd00:ec2::254",
            "::ffff:169.254.169.254",
            "::169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "2001:0:1::5601:5601",
        ] {
            assert_eq!(refused(&guard, address), Some(AddressClass::Metadata), "{address}");
        }
    }

    #[test]
    fn one_bad_address_refuses_all() {
        let guard = AddressGuard::default();
        let addresses = ["1.1.1.1", "10.0.0.1", "127.0.0.1"].map(|text| text.parse::<IpAddr>().unwrap());
        let refused = guard.judge_all(addresses).unwrap_err();
        assert_eq!(refused.to_string(), "10.0.0.1 is a private address");
        assert_eq!(refused.code().name(), "fetch.address");
        assert!(guard.judge_all(addresses.into_iter().take(1)).is_ok());
    }
}
