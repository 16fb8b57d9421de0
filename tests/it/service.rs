//! adoube as a service: its unit, its udev rules, and what it says to a service manager.

mod calls;
mod logs;
pub(crate) mod notify;
pub(crate) mod sockets;
mod udev;
mod unit;
