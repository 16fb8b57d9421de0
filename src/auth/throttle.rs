//! Those who guess have to wait.
//!
//! Nobody guesses 128 bits: this is for the log, which would fill up, and for the noise that it makes.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};

/// Failures are counted for so long, in seconds.
const WINDOW_S: i64 = 60;

/// Failures of one address in that time: somebody who pastes the wrong token a few times is not stopped.
const OF_ADDRESS: u32 = 10;

/// Failures of all addresses together in that time.
const OF_ALL: u32 = 200;

/// Addresses that are remembered; when there are more, only the total counts for the new ones.
const ADDRESSES: usize = 1_024;

/// Failures since some second.
#[derive(Debug, Default, Clone, Copy)]
struct Window {
    since_s: i64,
    failures: u32,
}

impl Window {
    fn is_over(self, now_s: i64) -> bool {
        // A clock that was set back must not make anybody wait for hours.
        !(self.since_s..self.since_s + WINDOW_S).contains(&now_s)
    }

    fn count(&mut self, now_s: i64) {
        if self.is_over(now_s) {
            *self = Self { since_s: now_s, failures: 0 };
        }
        self.failures += 1;
    }

    /// Seconds to wait, if there were `most` failures.
    fn wait_s(self, most: u32, now_s: i64) -> Option<i64> {
        (self.failures >= most && !self.is_over(now_s)).then_some(self.since_s + WINDOW_S - now_s)
    }
}

/// Failed logins, by address and in total.
#[derive(Debug, Default)]
pub(super) struct Throttle {
    addresses: BTreeMap<IpAddr, Window>,
    all: Window,
}

impl Throttle {
    /// How many seconds an address has to wait before it may try again.
    pub(super) fn wait_s(&self, address: IpAddr, now_s: i64) -> Option<i64> {
        let own = self.addresses.get(&party(address)).and_then(|window| window.wait_s(OF_ADDRESS, now_s));
        // Whoever sits at the machine is not locked out by the network.
        let all = if address.to_canonical().is_loopback() { None } else { self.all.wait_s(OF_ALL, now_s) };
        own.max(all)
    }

    /// Counts a failure.
    pub(super) fn failed(&mut self, address: IpAddr, now_s: i64) {
        self.all.count(now_s);
        let party = party(address);
        if self.addresses.len() >= ADDRESSES && !self.addresses.contains_key(&party) {
            self.addresses.retain(|_, window| !window.is_over(now_s));
            if self.addresses.len() >= ADDRESSES {
                return;
            }
        }
        self.addresses.entry(party).or_default().count(now_s);
    }
}

/// Who stands behind an address: of IPv6, a whole network is one party's.
fn party(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn who_fails_too_often_waits_until_the_minute_is_over() {
        let mut throttle = Throttle::default();
        let (guesser, other) = (address("192.0.2.7"), address("192.0.2.8"));
        (0..10).for_each(|second| {
            assert_eq!(throttle.wait_s(guesser, 100 + second), None);
            throttle.failed(guesser, 100 + second);
        });
        assert_eq!(throttle.wait_s(guesser, 110), Some(50));
        assert_eq!(throttle.wait_s(other, 110), None);
        assert_eq!(throttle.wait_s(guesser, 160), None);
        assert_eq!(throttle.wait_s(guesser, 50), None, "the clock was set back");
    }

    #[test]
    fn many_addresses_count_together_and_a_network_is_one() {
        let mut throttle = Throttle::default();
        (0..=255).for_each(|last| throttle.failed(address(&format!("192.0.2.{last}")), 0));
        assert_eq!(throttle.wait_s(address("198.51.100.1"), 30), Some(30));
        assert_eq!(throttle.wait_s(address("127.0.0.1"), 30), None);
        let mut throttle = Throttle::default();
        (0..10).for_each(|last| throttle.failed(address(&format!("2001:db8::{last}")), 0));
        assert_eq!(throttle.wait_s(address("2001:db8::ffff"), 0), Some(60));
        assert_eq!(throttle.wait_s(address("2001:db8:0:1::1"), 0), None);
    }

    #[test]
    fn the_table_does_not_grow_for_ever() {
        let mut throttle = Throttle::default();
        (0..5_000_u32).for_each(|number| throttle.failed(IpAddr::V4(number.into()), 0));
        assert_eq!(throttle.addresses.len(), ADDRESSES);
        throttle.failed(address("192.0.2.1"), 61);
        assert_eq!(throttle.addresses.len(), 1);
    }
}
