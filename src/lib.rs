//! The daemon and its commands: everything with side effects around the pure core.
//!
//! ```text
//! link      serial, TCP, pty                          side effects in
//!   │ bytes and the time of their arrival
//! wire … table, in `adoube_core`                      pure
//!   │ events
//! journal   durable before visible
//!   │
//! feed, web pages, PGN, live events                   side effects out
//! ```
//!
//! `hall` is what the services of one hall share, `daemon` starts and stops them. What a board says and what is made of it
//! is [`adoube_core`], the Laws are [`adoube_rules`], and the boards of demonstrations and tests are [`adoube_sim`].

pub mod auth;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod drill;
pub mod feed;
pub mod hall;
pub mod journal;
pub mod link;
pub mod play;
mod process;
pub mod relay;
pub mod web;
mod world;
