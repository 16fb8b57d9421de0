//! Who can still mate from any position.

#![no_main]

#[path = "../../crates/winnable/tests/it/any.rs"]
mod any;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| any::check(bytes));
