//! See `src/strict_url.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let _ = countersign_fuzz::strict_url::run(octets);
});
