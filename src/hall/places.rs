//! Places of a listener: for so many connections at one time, and not all of them for one address.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Viewers at one time; more have to wait until one goes. One that watches quietly takes some 30 KiB, so that
/// these fit into a small machine; whoever has more spectators has relays.
const VIEWERS: usize = 16_384;

/// Of one address: a whole hall of spectators behind one router, and three quarters of the places are left for
/// everybody else.
const OF_ADDRESS: usize = VIEWERS / 4;

/// The places of one listener. Clones are the same ones.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    all: Arc<Semaphore>,
    taken: Arc<Mutex<BTreeMap<IpAddr, usize>>>,
    count: usize,
    of_address: usize,
}

/// How many are connected to a listener.
#[derive(Debug, Clone)]
pub struct Viewers(Places);

impl Viewers {
    /// How many.
    #[must_use]
    pub fn count(&self) -> usize {
        // One place is kept for the next who comes.
        (self.0.count - self.0.all.available_permits()).saturating_sub(1)
    }
}

/// A place that is free again with this value.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    _seat: Option<Seat>,
}

/// One of those that an address has.
#[derive(Debug)]
struct Seat {
    address: IpAddr,
    taken: Arc<Mutex<BTreeMap<IpAddr, usize>>>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

impl Default for Places {
    fn default() -> Self {
        Self::new(VIEWERS, OF_ADDRESS)
    }
}

impl Places {
    /// `count` places, and `of_address` of them at the most for one address.
    pub(crate) fn new(count: usize, of_address: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(count)), taken: Arc::default(), count, of_address }
    }

    pub(crate) fn viewers(&self) -> Viewers {
        Viewers(self.clone())
    }

    /// A place for whoever comes next.
    pub(crate) async fn next(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.all).acquire_owned().await.expect("the semaphore is never closed")
    }

    /// A place at once for somebody from `address`; `None` if there is none, or that address has its share.
    pub(crate) fn try_seat(&self, address: IpAddr) -> Option<Place> {
        self.seat(Arc::clone(&self.all).try_acquire_owned().ok()?, address)
    }

    /// The place for somebody from `address`; `None` if that address has its share.
    pub(crate) fn seat(&self, permit: OwnedSemaphorePermit, address: IpAddr) -> Option<Place> {
        let Some(address) = shared(address) else { return Some(Place { _permit: permit, _seat: None }) };
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(address).or_insert(0);
        if *count >= self.of_address {
            return None;
        }
        *count += 1;
        drop(taken);
        Some(Place { _permit: permit, _seat: Some(Seat { address, taken: Arc::clone(&self.taken) }) })
    }
}

impl From<OwnedSemaphorePermit> for Place {
    /// Of somebody without an address.
    fn from(permit: OwnedSemaphorePermit) -> Self {
        Self { _permit: permit, _seat: None }
    }
}

/// What is counted as one address: of IPv6 what one household gets. On this machine there is no limit but that
/// of the listener: everybody who comes through a proxy that is not known as one comes from there.
fn shared(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        address if address.is_loopback() => None,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Some(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into())
        }
        address => Some(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_address_leaves_places_for_others() {
        let places = Places::new(10, 2);
        let sit = async |address: &str| places.seat(places.next().await, address.parse().unwrap());
        let first = sit("192.0.2.1").await.unwrap();
        let _second = sit("::ffff:192.0.2.1").await.unwrap();
        assert!(sit("192.0.2.1").await.is_none(), "its share");
        let _other = sit("192.0.2.2").await.unwrap();
        assert!(places.try_seat([192, 0, 2, 1].into()).is_none(), "its share");
        drop(first);
        let _again = sit("192.0.2.1").await.unwrap();
        let mut local = Vec::new();
        for _ in 0..5 {
            local.push(sit("127.0.0.1").await.unwrap());
        }
        let _household = [sit("2001:db8::1").await.unwrap(), sit("2001:db8::2").await.unwrap()];
        assert!(places.all.try_acquire().is_err(), "ten are ten");
    }

    #[tokio::test]
    async fn a_refused_one_takes_no_place() {
        let places = Places::new(2, 1);
        let _sits = places.seat(places.next().await, [192, 0, 2, 1].into()).unwrap();
        for _ in 0..5 {
            assert!(places.seat(places.next().await, [192, 0, 2, 1].into()).is_none());
        }
        let _next = places.next().await;
        assert_eq!(places.viewers().count(), 1);
    }
}
