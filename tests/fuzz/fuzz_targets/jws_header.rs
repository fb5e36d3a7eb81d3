//! See `src/jws_header.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let _ = countersign_fuzz::jws_header::run(octets);
});
