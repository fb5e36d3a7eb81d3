//! `jcs-numbers.json`: doubles and their ECMAScript text, as V8 printed it.

use countersign::Limits;
use countersign::keys::jcs;
use countersign::keys::json::Document;

use crate::support::file;

#[test]
fn every_double_has_the_text_that_v8_gives_it() {
    let family = file("jcs-numbers");
    let numbers = family.get("numbers").and_then(serde_json::Value::as_array).unwrap();
    for number in numbers {
        let part = |index| number.get(index).and_then(serde_json::Value::as_str).unwrap();
        let (double, expected) = (f64::from_bits(u64::from_str_radix(part(0), 16).unwrap()), part(1));
        let mut text = Vec::new();
        jcs::write_number(double, &mut text);
        assert_eq!(String::from_utf8(text).unwrap(), expected, "{}", part(0));
        // Read as a literal, it is its own canonical form.
        let document = Document::read(expected, &Limits::default()).unwrap();
        assert_eq!(jcs::to_octets(document.root()), expected.as_bytes(), "{}", part(0));
        assert_eq!(document.root().as_f64(), Some(double), "{}", part(0));
    }
    assert_eq!(numbers.len(), 234);
}
