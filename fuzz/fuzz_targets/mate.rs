//! Who can still mate from any position.

#![no_main]

#[path = "../../tests/it/mates_check.rs"]
mod mates_check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mates_check::check(bytes));
