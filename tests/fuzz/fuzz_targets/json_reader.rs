//! The strict JSON reader against serde_json.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let _ = countersign_fuzz::json_reader::run(octets);
});
