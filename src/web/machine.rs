//! What this machine is called, and where it is.

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// Its own name, if it has one.
pub(crate) fn host_name() -> Option<String> {
    // Not from /proc/sys, of which the service sees nothing (ProcSubset=pid).
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Some(name).filter(|name| !name.is_empty() && name != "(none)")
}

/// The address by which the rest of the network reaches it, if there is a network.
pub(crate) fn address() -> Option<IpAddr> {
    // Nothing is sent: the system only says from which address it would be (RFC 5737: nobody's address).
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|address| !address.is_unspecified())
}

/// All of its addresses, loopback among them, without those that hold on one cable only.
pub(crate) fn addresses() -> BTreeSet<IpAddr> {
    let table = fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    let interfaces = fs::read_to_string("/proc/net/if_inet6").unwrap_or_default();
    let mut all: BTreeSet<IpAddr> = local_v4(&table).into_iter().map(IpAddr::V4).collect();
    all.extend(local_v6(&interfaces).into_iter().map(IpAddr::V6));
    all.extend(address());
    all.insert(Ipv4Addr::LOCALHOST.into());
    all.insert(Ipv6Addr::LOCALHOST.into());
    all
}

/// The addresses that the routing table calls local: a line with the address, and below it its kind.
fn local_v4(table: &str) -> Vec<Ipv4Addr> {
    let lines = table.lines().map(str::trim);
    let below = lines.clone().skip(1);
    let pairs = lines.zip(below).filter(|(_, kind)| *kind == "/32 host LOCAL");
    pairs.filter_map(|(leaf, _)| leaf.strip_prefix("|-- ")?.parse().ok()).collect()
}

/// The addresses of the interfaces: 32 digits, and the scope in the fourth column.
fn local_v6(interfaces: &str) -> Vec<Ipv6Addr> {
    let address = |line: &str| {
        let digits = line.split_whitespace().next()?;
        Some(Ipv6Addr::from_bits(u128::from_str_radix(digits, 16).ok()?))
    };
    let addresses = interfaces.lines().filter_map(address);
    addresses.filter(|address| !address.is_unicast_link_local()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_from_what_the_system_says() {
        let table = "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 192.0.2.7\n        /32 host LOCAL\n     \
                     |-- 192.0.2.255\n        /32 link BROADCAST\n     |-- 127.0.0.0\n        /8 host LOCAL\n";
        assert_eq!(local_v4(table), [Ipv4Addr::new(192, 0, 2, 7)]);
        let interfaces = "fe800000000000000000000000000001 02 40 20 80     eth0\n\
                          20010db8000000000000000000000007 02 40 00 80     eth0\n";
        assert_eq!(local_v6(interfaces), ["2001:db8::7".parse::<Ipv6Addr>().unwrap()]);
        assert!(addresses().contains(&IpAddr::V4(Ipv4Addr::LOCALHOST)));
    }
}
