//! What kind of address a host is.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

use super::Host;

/// What kind of address a host is, by its text or its octets alone: nothing is resolved.
///
/// A class is found from the special-purpose address registries of IANA (RFC 6890). Ranges that the registries call
/// globally reachable, such as those of AS112 (RFC 7534, RFC 7535), are public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressClass {
    /// A host name. What it resolves to is not known.
    Name,
    /// A public address.
    Public,
    /// `127.0.0.0/8` (RFC 1122), `::1` (RFC 4291), `localhost` and the names below it (RFC 6761).
    Loopback,
    /// `10.0.0.0/8`, `172.16.0.0/12`, `192.168.0.0/16` (RFC 1918), `fc00::/7` (RFC 4193), `fec0::/10` (RFC 3879).
    Private,
    /// `100.64.0.0/10`, shared by a provider's customers (RFC 6598).
    Shared,
    /// `169.254.0.0/16` (RFC 3927), `fe80::/10` (RFC 4291).
    LinkLocal,
    /// `0.0.0.0/8` (RFC 1122) and `::` (RFC 4291): this host on this network.
    Unspecified,
    /// `224.0.0.0/4` (RFC 5771), `ff00::/8` (RFC 4291).
    Multicast,
    /// `192.0.2.0/24`, `198.51.100.0/24`, `203.0.113.0/24` (RFC 5737), `2001:db8::/32` (RFC 3849), `3fff::/20` (RFC 9637).
    Documentation,
    /// `198.18.0.0/15` (RFC 2544), `2001:2::/48` (RFC 5180).
    Benchmarking,
    /// IPv6 that stands for an IPv4 address: mapped and compatible (RFC 4291), translated (RFC 2765), NAT64 (RFC 6052,
    /// RFC 8215), 6to4 (RFC 3056), Teredo (RFC 4380).
    EmbeddedV4,
    /// Reserved for something else: `192.0.0.0/24` (RFC 6890), `192.88.99.0/24` (RFC 7526), `240.0.0.0/4` (RFC 1112), the
    /// rest of `2001::/23` (RFC 2928), and IPv6 outside `2000::/3` (RFC 4291).
    Reserved,
    /// The metadata service of a cloud, by address or name. It hands out credentials to whoever asks from the right machine.
    Metadata,
}

/// Addresses at which clouds serve metadata and credentials to their own machines.
const METADATA_V4: &[Ipv4Addr] = &[
    Ipv4Addr::new(169, 254, 169, 254), // most clouds
    Ipv4Addr::new(169, 254, 170, 2),   // Amazon ECS credentials
    Ipv4Addr::new(169, 254, 170, 23),  // Amazon EKS pod identity
    Ipv4Addr::new(169, 254, 0, 23),    // Tencent Cloud
    Ipv4Addr::new(169, 254, 42, 42),   // Scaleway
    Ipv4Addr::new(100, 100, 100, 200), // Alibaba Cloud
    Ipv4Addr::new(168, 63, 129, 16),   // Azure; in public address space
    Ipv4Addr::new(192, 0, 0, 192),     // Oracle Cloud, older images
];

const METADATA_V6: &[Ipv6Addr] = &[
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), // Amazon EC2
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),  // Amazon EKS pod identity
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),  // Google Cloud
    Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42),   // Scaleway
];

/// Names of the same services. The ones without a dot are found through a cloud's search domain.
const METADATA_NAMES: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.tencentyun.com",
];

impl AddressClass {
    /// The class of a host.
    #[must_use]
    pub fn of_host(host: &Host) -> Self {
        match host {
            Host::V4(address) => of_v4(*address),
            Host::V6(address) => of_v6(*address),
            Host::Name(name) => Self::of_name(name.as_str()),
        }
    }

    pub(super) fn of_name(name: &str) -> Self {
        if METADATA_NAMES.contains(&name) {
            Self::Metadata
        } else if is_below_localhost(name) {
            // RFC 6761 section 6.3: resolvers answer `localhost` and everything below it with loopback.
            Self::Loopback
        } else {
            Self::Name
        }
    }

    /// The class of an address, as a resolver returned it. IPv6 that embeds IPv4 is a class of its own, never looked into.
    #[must_use]
    pub fn of_address(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => of_v4(address),
            IpAddr::V6(address) => of_v6(address),
        }
    }
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "a host name",
            Self::Public => "a public address",
            Self::Loopback => "a loopback address",
            Self::Private => "a private address",
            Self::Shared => "a shared address (100.64.0.0/10)",
            Self::LinkLocal => "a link-local address",
            Self::Unspecified => "an unspecified address",
            Self::Multicast => "a multicast address",
            Self::Documentation => "an address for documentation",
            Self::Benchmarking => "an address for benchmarks",
            Self::EmbeddedV4 => "an IPv6 address that embeds an IPv4 address",
            Self::Reserved => "a reserved address",
            Self::Metadata => "the metadata service of a cloud",
        })
    }
}

fn is_below_localhost(name: &str) -> bool {
    name.strip_suffix("localhost").is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

fn of_v4(address: Ipv4Addr) -> AddressClass {
    if METADATA_V4.contains(&address) {
        return AddressClass::Metadata;
    }
    match address.octets() {
        [0, ..] => AddressClass::Unspecified,
        [127, ..] => AddressClass::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => AddressClass::Private,
        [100, 64..=127, ..] => AddressClass::Shared,
        [169, 254, ..] => AddressClass::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => AddressClass::Documentation,
        [198, 18 | 19, ..] => AddressClass::Benchmarking,
        [192, 0, 0, _] | [192, 88, 99, _] | [240..=255, ..] => AddressClass::Reserved,
        [224..=239, ..] => AddressClass::Multicast,
        _ => AddressClass::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> AddressClass {
    if METADATA_V6.contains(&address) {
        return AddressClass::Metadata;
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => AddressClass::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressClass::Loopback,
        // Compatible, mapped, translated, NAT64 well-known and local, Teredo, 6to4.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [0x64, 0xff9b, 0, 0, 0, 0, ..]
        | [0x64, 0xff9b, 1, ..]
        | [0x2001, 0, ..]
        | [0x2002, ..] => AddressClass::EmbeddedV4,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => AddressClass::Private,
        [0xfe80..=0xfebf, ..] => AddressClass::LinkLocal,
        [0xff00..=0xffff, ..] => AddressClass::Multicast,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressClass::Documentation,
        [0x2001, 2, 0, ..] => AddressClass::Benchmarking,
        [0x2001, 0..=0x1ff, ..] => AddressClass::Reserved,
        [0x2000..=0x3fff, ..] => AddressClass::Public,
        _ => AddressClass::Reserved,
    }
}

#[cfg(test)]
mod tests {
    use core::net::IpAddr;

    use super::{AddressClass, METADATA_V4, METADATA_V6};

    fn class(text: &str) -> AddressClass {
        AddressClass::of_address(text.parse::<IpAddr>().unwrap())
    }

    /// The first and last address of each range, and the addresses beside them.
    #[test]
    fn every_range_ends_where_its_rfc_says() {
        use AddressClass::{
            Benchmarking, Documentation, EmbeddedV4, LinkLocal, Loopback, Multicast, Private, Public,
            Reserved, Shared, Unspecified,
        };
        for (first, last, inside, before, after) in [
            ("0.0.0.0", "0.255.255.255", Unspecified, None, Some(("1.0.0.0", Public))),
            (
                "10.0.0.0",
                "10.255.255.255",
                Private,
                Some(("9.255.255.255", Public)),
                Some(("11.0.0.0", Public)),
            ),
            (
                "100.64.0.0",
                "100.127.255.255",
                Shared,
                Some(("100.63.255.255", Public)),
                Some(("100.128.0.0", Public)),
            ),
            (
                "127.0.0.0",
                "127.255.255.255",
                Loopback,
                Some(("126.255.255.255", Public)),
                Some(("128.0.0.0", Public)),
            ),
            (
                "169.254.0.0",
                "169.254.255.255",
                LinkLocal,
                Some(("169.253.255.255", Public)),
                Some(("169.255.0.0", Public)),
            ),
            (
                "172.16.0.0",
                "172.31.255.255",
                Private,
                Some(("172.15.255.255", Public)),
                Some(("172.32.0.0", Public)),
            ),
            (
                "192.0.0.0",
                "192.0.0.255",
                Reserved,
                Some(("191.255.255.255", Public)),
                Some(("192.0.1.0", Public)),
            ),
            (
                "192.0.2.0",
                "192.0.2.255",
                Documentation,
                Some(("192.0.1.255", Public)),
                Some(("192.0.3.0", Public)),
            ),
            (
                "192.88.99.0",
                "192.88.99.255",
                Reserved,
                Some(("192.88.98.255", Public)),
                Some(("192.88.100.0", Public)),
            ),
            (
                "192.168.0.0",
                "192.168.255.255",
                Private,
                Some(("192.167.255.255", Public)),
                Some(("192.169.0.0", Public)),
            ),
            (
                "198.18.0.0",
                "198.19.255.255",
                Benchmarking,
                Some(("198.17.255.255", Public)),
                Some(("198.20.0.0", Public)),
            ),
            (
                "198.51.100.0",
                "198.51.100.255",
                Documentation,
                Some(("198.51.99.255", Public)),
                Some(("198.51.101.0", Public)),
            ),
            (
                "203.0.113.0",
                "203.0.113.255",
                Documentation,
                Some(("203.0.112.255", Public)),
                Some(("203.0.114.0", Public)),
            ),
            (
                "224.0.0.0",
                "239.255.255.255",
                Multicast,
                Some(("223.255.255.255", Public)),
                Some(("240.0.0.0", Reserved)),
            ),
            ("240.0.0.0", "255.255.255.255", Reserved, Some(("239.255.255.255", Multicast)), None),
            ("::", "::", Unspecified, None, Some(("::1", Loopback))),
            ("::2", "::ffff:ffff", EmbeddedV4, Some(("::1", Loopback)), Some(("::1:0:0", Reserved))),
            (
                "::ffff:0:0",
                "::ffff:ffff:ffff",
                EmbeddedV4,
                Some(("::fffe:ffff:ffff", Reserved)),
                Some(("::1:0:0:0", Reserved)),
            ),
            (
                "::ffff:0:0:0",
                "::ffff:0:ffff:ffff",
                EmbeddedV4,
                Some(("::fffe:ffff:ffff:ffff", Reserved)),
                Some(("::ffff:1:0:0", Reserved)),
            ),
            (
                "64:ff9b::",
                "64:ff9b::ffff:ffff",
                EmbeddedV4,
                Some(("64:ff9a::", Reserved)),
                Some(("64:ff9b::1:0:0", Reserved)),
            ),
            (
                "64:ff9b:1::",
                "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
                EmbeddedV4,
                None,
                Some(("64:ff9b:2::", Reserved)),
            ),
            ("100::", "100::ffff:ffff:ffff:ffff", Reserved, None, None),
            (
                "2001::",
                "2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
                EmbeddedV4,
                Some(("2000:ffff::", Public)),
                Some(("2001:1::", Reserved)),
            ),
            (
                "2001:2::",
                "2001:2:0:ffff:ffff:ffff:ffff:ffff",
                Benchmarking,
                Some(("2001:1::", Reserved)),
                Some(("2001:2:1::", Reserved)),
            ),
            ("2001:1::", "2001:1ff:ffff::", Reserved, None, Some(("2001:200::", Public))),
            (
                "2001:db8::",
                "2001:db8:ffff::",
                Documentation,
                Some(("2001:db7::", Public)),
                Some(("2001:db9::", Public)),
            ),
            ("2002::", "2002:ffff::", EmbeddedV4, Some(("2001:ffff::", Public)), Some(("2003::", Public))),
            ("3fff::", "3fff:fff::", Documentation, Some(("3ffe::", Public)), Some(("3fff:1000::", Public))),
            ("4000::", "fbff::", Reserved, Some(("3fff:ffff::", Public)), Some(("fc00::", Private))),
            ("fc00::", "fdff::", Private, Some(("fbff::", Reserved)), Some(("fe00::", Reserved))),
            ("fe80::", "febf::", LinkLocal, Some(("fe7f::", Reserved)), Some(("fec0::", Private))),
            ("fec0::", "feff::", Private, None, Some(("ff00::", Multicast))),
            ("ff00::", "ffff:ffff::", Multicast, None, None),
        ] {
            for text in [first, last] {
                assert_eq!(class(text), inside, "{text}");
            }
            for (text, expected) in [before, after].into_iter().flatten() {
                assert_eq!(class(text), expected, "{text}");
            }
        }
    }

    #[test]
    fn metadata_addresses_are_no_other_class_and_their_neighbours_are() {
        assert_eq!(METADATA_V4.len() + METADATA_V6.len(), 12);
        for address in
            METADATA_V4.iter().copied().map(IpAddr::from).chain(METADATA_V6.iter().copied().map(IpAddr::from))
        {
            assert_eq!(AddressClass::of_address(address), AddressClass::Metadata, "{address}");
        }
        assert_eq!(class("169.254.169.253"), AddressClass::LinkLocal);
        assert_eq!(class("100.100.100.201"), AddressClass::Shared);
        assert_eq!(class("168.63.129.17"), AddressClass::Public);
        assert_eq!(class("fd00:ec2::253"), AddressClass::Private);
    }
}
