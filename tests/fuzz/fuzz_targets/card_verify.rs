//! See `src/card_verify.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let _ = countersign_fuzz::card_verify::run(octets);
});
