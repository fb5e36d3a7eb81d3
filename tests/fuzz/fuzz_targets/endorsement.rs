//! See `src/endorsement.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let _ = countersign_fuzz::endorsement::run(octets);
});
