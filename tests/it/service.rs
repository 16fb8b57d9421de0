//! adoube as a service: its unit, its udev rules, and what it says to a service manager.

mod calls;
mod logs;
mod notify;
mod sockets;
mod udev;
mod unit;
