//! Whatever happens on a board and to its link.

#![no_main]

#[path = "../../tests/it/acts.rs"]
mod acts;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acts::check(bytes));
