//! Lines without a network: what a simulation of a whole hall plugs its boards into.

use std::cell::RefCell;
use std::collections::BTreeMap;

use tokio::io::{DuplexStream, duplex};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{LinkError, Port, Stream};

/// The name of the machine at which they are.
pub(crate) const HOST: &str = "simulated";

/// Bytes that lie on a line while nobody reads.
const LINE: usize = 64;

thread_local! {
    /// Who answers, by port. The whole hall is on one thread.
    static PLUGGED: RefCell<BTreeMap<u16, UnboundedSender<DuplexStream>>> = const { RefCell::new(BTreeMap::new()) };
}

/// From now on somebody answers at that port.
pub(crate) fn plug(port: u16) -> UnboundedReceiver<DuplexStream> {
    let (calls, called) = unbounded_channel();
    PLUGGED.with_borrow_mut(|plugged| plugged.insert(port, calls));
    called
}

/// Opens a line to a port there; `None` if it is somewhere else.
pub(super) fn open(port: &Port) -> Option<Result<Box<dyn Stream>, LinkError>> {
    let Port::Tcp { host, port: number } = port else { return None };
    if host != HOST {
        return None;
    }
    let (near, far) = duplex(LINE);
    let answers =
        PLUGGED.with_borrow(|plugged| plugged.get(number).is_some_and(|calls| calls.send(far).is_ok()));
    let missing = LinkError::Unreachable { port: port.to_string(), reason: "nobody is there".to_owned() };
    Some(if answers { Ok(Box::new(near)) } else { Err(missing) })
}
