//! Integration tests: adoube from the outside, one module a subject.
//!
//! They are one binary, so that they link once. Real recordings and games are read from the shared
//! test data where they are (see [`data`]); everything else needs nothing but the repository.

// Clippy knows test functions, but not the helpers that only they call.
#![allow(clippy::unwrap_used)]

mod acts;
#[cfg(feature = "daemon")]
mod alternatives;
mod arrows;
#[cfg(feature = "daemon")]
mod axe;
#[cfg(feature = "daemon")]
mod bad_input;
#[cfg(feature = "daemon")]
mod bench_inference;
#[cfg(feature = "daemon")]
mod bench_position;
mod board;
#[cfg(feature = "daemon")]
mod browser;
mod bus;
#[cfg(feature = "daemon")]
mod bus_line;
#[cfg(feature = "daemon")]
mod carrying;
mod children;
mod claims;
#[cfg(feature = "daemon")]
mod control;
#[cfg(feature = "daemon")]
mod daemon;
mod data;
#[cfg(feature = "daemon")]
mod delay;
#[cfg(feature = "daemon")]
mod demo;
mod depth;
#[cfg(feature = "daemon")]
mod desk_data;
#[cfg(feature = "daemon")]
mod discovery;
#[cfg(feature = "daemon")]
mod disk;
#[cfg(feature = "daemon")]
mod doctor;
mod draws;
#[cfg(feature = "daemon")]
mod event_schemas;
mod evidence;
#[cfg(feature = "daemon")]
mod explain;
#[cfg(feature = "daemon")]
mod feeds;
#[cfg(feature = "daemon")]
mod fleet;
mod four;
#[cfg(feature = "daemon")]
mod four_board;
mod four_doc;
#[cfg(feature = "daemon")]
mod four_feeds;
#[cfg(feature = "daemon")]
mod four_game;
#[cfg(feature = "daemon")]
mod four_hands;
#[cfg(feature = "daemon")]
mod hall;
#[cfg(feature = "daemon")]
mod hall_doc;
mod hands;
#[cfg(feature = "daemon")]
mod http;
#[cfg(feature = "daemon")]
mod kill;
mod lamps;
mod laws;
mod laws_doc;
mod laws_properties;
mod legality;
#[cfg(feature = "daemon")]
mod lichess;
#[cfg(feature = "daemon")]
mod links;
#[cfg(feature = "daemon")]
mod livechess;
mod mate_lines;
#[cfg(feature = "daemon")]
mod metrics;
#[cfg(feature = "daemon")]
mod nats;
mod open_board;
#[cfg(feature = "daemon")]
mod openapi;
mod other_boards;
#[cfg(feature = "daemon")]
mod pairings;
mod perft;
#[cfg(feature = "daemon")]
mod pgn;
#[cfg(feature = "daemon")]
mod pictures;
mod pinned;
#[cfg(feature = "daemon")]
mod play;
#[cfg(feature = "daemon")]
mod played;
#[cfg(feature = "daemon")]
mod position;
mod press_times;
mod properties;
#[cfg(feature = "daemon")]
mod public_hall;
#[cfg(feature = "daemon")]
mod publish_at;
mod recordings;
mod recovery;
#[cfg(feature = "daemon")]
mod relay;
#[cfg(feature = "daemon")]
mod roles;
#[cfg(feature = "daemon")]
mod rounds;
mod rounds_process;
#[cfg(feature = "daemon")]
mod routes_public;
mod scenarios;
mod seen;
#[cfg(feature = "daemon")]
mod service;
mod sick;
mod situations;
mod slots;
#[cfg(feature = "daemon")]
mod spectators;
#[cfg(feature = "daemon")]
mod starting;
mod tls;
#[cfg(feature = "daemon")]
mod two_lines;
mod undoing;
#[cfg(feature = "daemon")]
mod waiting;
#[cfg(feature = "daemon")]
mod webhook;
mod words;
