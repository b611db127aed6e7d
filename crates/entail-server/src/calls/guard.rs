//! Which addresses the service may call: a model must not reach what only the service reaches.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u128,
    bits: u32,
}

/// What may be called beyond the public internet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guard(Vec<Range>);

/// A list of ranges that cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no address and no range such as `10.0.0.0/8`")]
pub(crate) struct InvalidRange(String);

/// Everything that is not on the public internet, IPv4 as IPv6 (RFC 6890 and its successors).
const PRIVATE_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

impl Guard {
    /// Reads a list of addresses and ranges, separated by commas.
    pub(crate) fn parse(list: &str) -> Result<Self, InvalidRange> {
        list.split(',')
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(|text| range(text).ok_or_else(|| InvalidRange(text.to_owned())))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether that address may be called.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        self.0.iter().any(|range| range.holds(number(address))) || is_public(address)
    }
}

impl Range {
    fn holds(self, address: u128) -> bool {
        let host = 128_u32.saturating_sub(self.bits);
        (address ^ self.first).checked_shr(host).unwrap_or(0) == 0
    }
}

/// An address as a number; IPv4 as its mapped IPv6.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

fn range(text: &str) -> Option<Range> {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse::<u32>().ok()?)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let (width, before) = if address.is_ipv4() {
        (32, 96)
    } else {
        (128, 0)
    };
    let bits = bits.unwrap_or(width);
    (bits <= width).then(|| Range {
        first: number(address),
        bits: bits.saturating_add(before),
    })
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !PRIVATE_V4.iter().any(|(first, bits)| {
        let host = 32_u32.saturating_sub(*bits);
        (address.to_bits() ^ first.to_bits())
            .checked_shr(host)
            .unwrap_or(0)
            == 0
    })
}

/// Of IPv6 only global unicast (2000::/3) is called, without what carries another address inside
/// or leads elsewhere; an address that carries an IPv4 address is judged by that.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match (a, b) {
        // NAT64.
        (0x64, 0xff9b) => (c, d, e, f) == (0, 0, 0, 0) && is_public_v4(v4(g, h)),
        // 6to4.
        (0x2002, _) => is_public_v4(v4(b, c)),
        // Teredo, benchmarking, ORCHID and the rest of 2001::/23; documentation.
        (0x2001, second) => second >= 0x200 && second != 0xdb8,
        (0x3fff, second) => second >= 0x1000,
        (first, _) => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(guard: &str, address: &str) -> bool {
        Guard::parse(guard)
            .unwrap()
            .allows(address.parse().unwrap())
    }

    #[test]
    fn what_is_not_on_the_public_internet_is_refused() {
        for address in [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.0.8",
            "198.18.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::1",
            "2001:0:1::1",
            "2001:db8::1",
            "::127.0.0.1",
            "5f00::1",
        ] {
            assert!(!allows("", address), "{address}");
        }
    }

    #[test]
    fn the_public_internet_is_allowed() {
        for address in [
            "1.1.1.1",
            "172.15.0.1",
            "172.32.0.1",
            "100.128.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(allows("", address), "{address}");
        }
    }

    #[test]
    fn an_operator_can_allow_ranges_and_nothing_beside_them() {
        let guard = "127.0.0.1, 10.0.0.0/8, fd00::/8";
        for address in ["127.0.0.1", "10.255.0.1", "::ffff:10.0.0.1", "fd12::1"] {
            assert!(allows(guard, address), "{address}");
        }
        for address in [
            "127.0.0.2",
            "11.0.0.1".replace("11", "192.168").as_str(),
            "fc00::1",
            "::1",
        ] {
            assert!(
                address.parse::<IpAddr>().is_err() || !allows(guard, address),
                "{address}"
            );
        }
        for invalid in ["10.0.0.0/33", "here", "10.0.0.0/x", "::/129"] {
            assert!(Guard::parse(invalid).is_err(), "{invalid}");
        }
    }
}
