//! Patches of cards (RFC 6902).

use json_patch::Patch;
use serde_json::Value;

/// Longest patched card: 4 MiB.
const MAX_OCTETS: usize = 4 * 1024 * 1024;

/// The card with the patch. It is written anew: without white space, members in the order of their names, numbers as JSON
/// numbers of the same value. None of this changes a canonical form.
pub(super) fn apply(card: &[u8], patch: &str) -> Result<Vec<u8>, String> {
    let mut card: Value = serde_json::from_slice(card).map_err(|error| error.to_string())?;
    let patch: Patch = serde_json::from_str(patch).map_err(|error| error.to_string())?;
    let mut octets = serde_json::to_vec(&card).map_err(|error| error.to_string())?;
    // One by one, because each may double the card.
    for (index, operation) in patch.0.iter().enumerate() {
        json_patch::patch(&mut card, std::slice::from_ref(operation))
            .map_err(|error| format!("operation {index} at `{}`: {}", error.path, error.kind))?;
        octets = serde_json::to_vec(&card).map_err(|error| error.to_string())?;
        if octets.len() > MAX_OCTETS {
            return Err(format!(
                "operation {index} makes a card of {} octets, more than {MAX_OCTETS}",
                octets.len()
            ));
        }
    }
    Ok(octets)
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn patched(card: &str, patch: &str) -> Result<String, String> {
        apply(card.as_bytes(), patch).map(|octets| String::from_utf8(octets).unwrap())
    }

    #[test]
    fn each_operation_does_what_rfc_6902_says() {
        let card = r#"{"a":{"b":[1,2]},"c":"x"}"#;
        for (patch, expected) in [
            (r#"[{"op":"add","path":"/a/b/-","value":null}]"#, r#"{"a":{"b":[1,2,null]},"c":"x"}"#),
            (r#"[{"op":"remove","path":"/a"}]"#, r#"{"c":"x"}"#),
            (r#"[{"op":"replace","path":"/c","value":{}}]"#, r#"{"a":{"b":[1,2]},"c":{}}"#),
            (r#"[{"op":"move","from":"/c","path":"/a/c"}]"#, r#"{"a":{"b":[1,2],"c":"x"}}"#),
            (r#"[{"op":"copy","from":"/c","path":"/d"}]"#, r#"{"a":{"b":[1,2]},"c":"x","d":"x"}"#),
            (r#"[{"op":"test","path":"/c","value":"x"}]"#, card),
        ] {
            assert_eq!(patched(card, patch).as_deref(), Ok(expected), "{patch}");
        }
    }

    #[test]
    fn a_patch_that_does_not_fit_is_refused() {
        for patch in [
            r#"[{"op":"remove","path":"/b"}]"#,
            r#"[{"op":"replace","path":"/b","value":1}]"#,
            r#"[{"op":"test","path":"/a","value":2}]"#,
            r#"[{"op":"add","path":"/b/c","value":1}]"#,
        ] {
            assert!(patched(r#"{"a":1}"#, patch).is_err(), "{patch}");
        }
    }

    #[test]
    fn a_patch_that_doubles_the_card_is_stopped() {
        let copies: Vec<_> =
            (0..40).map(|index| format!(r#"{{"op":"copy","from":"/x","path":"/x/b{index}"}}"#)).collect();
        let error = patched(r#"{"x":{"a":"long enough"}}"#, &format!("[{}]", copies.join(","))).unwrap_err();
        assert!(error.contains("more than 4194304"), "{error}");
    }

    #[test]
    fn numbers_keep_their_value() {
        let numbers = "0.1,1e21,1.7976931348623157e308,5e-324,0.30000000000000004,9007199254740991,-0.5,1.0";
        let written = patched(&format!(r#"{{"n":[{numbers}]}}"#), "[]").unwrap();
        let written = written.strip_prefix(r#"{"n":["#).and_then(|text| text.strip_suffix("]}")).unwrap();
        let values = |text: &str| text.split(',').map(|number| number.parse().unwrap()).collect::<Vec<f64>>();
        assert_eq!(values(written), values(numbers));
    }
}
