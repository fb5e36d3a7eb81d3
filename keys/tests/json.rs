//! The strict reader, held against the grammar, against serde_json, and against itself.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use countersign_keys::jcs;
use countersign_keys::json::{Document, Kind, Limits, MAX_DEPTH, Value};
use proptest::prelude::*;

fn read(text: &str) -> Result<Document, countersign_keys::json::Error> {
    Document::read(text, &Limits::default())
}

fn canonical(text: &str) -> String {
    String::from_utf8(jcs::to_octets(read(text).unwrap().root())).unwrap()
}

#[test]
fn only_objects_have_members() {
    for text in [r#"["a","b"]"#, r#"["a",{"b":1}]"#, r#""a""#, "7", "null"] {
        let document = read(text).unwrap();
        assert_eq!(document.root().members().count(), 0, "{text}");
        assert!(document.root().member("a").is_none(), "{text}");
    }
    assert!(read(r#"{"a":["a","b"]}"#).unwrap().root().member("a").is_some());
}

#[test]
fn every_refusal_has_its_code_and_place() {
    for (text, code, pointer, line, column) in [
        ("", "json.malformed", "", 1, 1),
        ("  ", "json.malformed", "", 1, 3),
        ("{\"a\":1,}", "json.malformed", "/a", 1, 8),
        ("[1,]", "json.malformed", "/1", 1, 4),
        ("[1 2]", "json.malformed", "/0", 1, 4),
        ("{\"a\" 1}", "json.malformed", "/a", 1, 6),
        ("{a:1}", "json.malformed", "", 1, 2),
        ("{'a':1}", "json.malformed", "", 1, 2),
        ("[01]", "json.malformed", "/0", 1, 2),
        ("[-]", "json.malformed", "/0", 1, 3),
        ("[1.]", "json.malformed", "/0", 1, 4),
        ("[.5]", "json.malformed", "/0", 1, 2),
        ("[1e]", "json.malformed", "/0", 1, 4),
        ("[+1]", "json.malformed", "/0", 1, 2),
        ("[NaN]", "json.malformed", "/0", 1, 2),
        ("[Infinity]", "json.malformed", "/0", 1, 2),
        ("[tru]", "json.malformed", "/0", 1, 2),
        ("[\"\t\"]", "json.malformed", "/0", 1, 3),
        ("[\"\\x\"]", "json.malformed", "/0", 1, 3),
        ("[\"\\u12g4\"]", "json.malformed", "/0", 1, 3),
        ("[\"\\u+123\"]", "json.malformed", "/0", 1, 3),
        ("[\"open", "json.malformed", "/0", 1, 7),
        ("[\"open\\", "json.malformed", "/0", 1, 8),
        ("[1,\n /*c*/2]", "json.malformed", "/1", 2, 2),
        ("{\"a\":{\"b\":[0,\"\\ud800\"]}}", "json.invalid-unicode", "/a/b/1", 1, 15),
        ("[\"\\udc00\\ud800\"]", "json.invalid-unicode", "/0", 1, 3),
        ("[\"\\ud800\\u0041\"]", "json.invalid-unicode", "/0", 1, 3),
        ("{\"é\":1,\n\"\\u00e9\":2}", "json.duplicate-member", "/é", 2, 1),
        ("{\"a\":{\"x\":1,\"y\":2,\"x\":3}}", "json.duplicate-member", "/a/x", 1, 19),
        ("[9007199254740993]", "json.inexact-number", "/0", 1, 2),
        ("[1e400]", "json.number-overflow", "/0", 1, 2),
        ("{} x", "json.trailing-content", "", 1, 4),
        ("{}{}", "json.trailing-content", "", 1, 3),
        ("{}\u{feff}", "json.trailing-content", "", 1, 3),
    ] {
        let error = read(text).unwrap_err();
        let place = (error.code().name(), error.pointer(), error.span().line, error.span().column);
        assert_eq!(place, (code, pointer, line, column), "{text:?}: {error}");
    }
}

#[test]
fn a_pointer_escapes_tilde_and_slash() {
    let document = read("{\"a/b\":{\"~\":[0,1]}}").unwrap();
    let value = document.root().member("a/b").unwrap().member("~").unwrap().elements().nth(1).unwrap();
    assert_eq!(value.pointer(), "/a~1b/~0/1");
}

#[test]
fn octets_that_are_not_utf8_are_refused_where_they_stand() {
    for octets in [&b"{\"a\":\"\xff\"}"[..], b"{\"a\":\"\xc0\xaf\"}", b"{\"a\":\"\xed\xa0\x80\"}"] {
        let error = Document::read(octets, &Limits::default()).unwrap_err();
        assert_eq!((error.code().name(), error.span().start), ("json.invalid-unicode", 6), "{error}");
    }
}

#[test]
fn utf16_and_utf32_are_refused_by_name() {
    let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let error = Document::read(utf16, &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 1: the octets are UTF-16 (little-endian), expected UTF-8");
    let error = Document::read(&b"\xfe\xff\0{\0}"[..], &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("UTF-16 (big-endian)"));
}

#[test]
fn a_byte_order_mark_is_skipped_once_and_reported() {
    let document = read("\u{feff}{}").unwrap();
    assert_eq!(document.findings().iter().map(|f| f.code.name()).collect::<Vec<_>>(), ["json.bom"]);
    assert_eq!(read("\u{feff}\u{feff}{}").unwrap_err().code().name(), "json.malformed");
}

#[test]
fn the_container_limit_is_128_exactly() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(MAX_DEPTH)).is_ok());
    assert_eq!(read(&nested(MAX_DEPTH + 1)).unwrap_err().code().name(), "json.too-deep");
    let objects = format!("{}1{}", "{\"a\":".repeat(MAX_DEPTH), "}".repeat(MAX_DEPTH));
    assert!(read(&objects).is_ok());
    assert_eq!(canonical(&objects), objects);
}

#[test]
fn the_octet_limit_is_exact() {
    let limits = Limits::default().with_max_octets(4);
    assert!(Document::read("[10]", &limits).is_ok());
    assert_eq!(Document::read("[100]", &limits).unwrap_err().code().name(), "json.too-large");
}

#[test]
fn rounded_numbers_are_reported_with_what_is_signed() {
    let document = read("{\"a\":0.1,\"b\":[1e-400, 333333333.33333329]}").unwrap();
    let findings: Vec<_> = document.findings().into_iter().map(|f| (f.pointer.unwrap(), f.message)).collect();
    assert_eq!(
        findings,
        [
            ("/b/0".to_owned(), "number `1e-400` is signed as `0`".to_owned()),
            ("/b/1".to_owned(), "number `333333333.33333329` is signed as `333333333.3333333`".to_owned()),
        ]
    );
}

#[test]
fn the_examples_of_rfc_8785_come_out_octet_for_octet() {
    // RFC 8785 §3.2.2 and §3.2.3. The last literal of the first example has more digits than a double keeps.
    let input = "{\"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],\n \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n \"literals\": [null, true, false]}";
    assert_eq!(
        canonical(input),
        "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
    );
    let keys = "{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\",\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\",\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}";
    let document = read(keys).unwrap();
    let order: Vec<_> = document.root().sorted_members().map(|(_, v)| v.as_text().unwrap()).collect();
    assert_eq!(
        order,
        [
            "Carriage Return",
            "One",
            "Control",
            "Latin Small Letter O With Diaeresis",
            "Euro Sign",
            "Emoji: Grinning Face",
            "Hebrew Letter Dalet With Dagesh"
        ]
    );
}

#[test]
fn negative_zero_is_written_without_its_sign() {
    assert_eq!(canonical("[-0, -0.0, -0e5, 0]"), "[0,0,0,0]");
}

/// What serde_json made of it, as RFC 8785 text through `serde_jcs`.
fn through_serde(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    serde_jcs::to_string(&value).ok()
}

/// Why the strict reader may refuse what serde_json accepts.
const STRICTER: [&str; 4] =
    ["json.duplicate-member", "json.inexact-number", "json.too-deep", "json.number-overflow"];

fn agree(text: &str) -> Result<(), TestCaseError> {
    match (read(text), through_serde(text)) {
        // Both read it: it must mean the same. Digits serde_json rounds differently are a known flaw of its reader.
        (Ok(document), Some(oracle)) => {
            if document.findings().is_empty() {
                prop_assert_eq!(
                    String::from_utf8(jcs::to_octets(document.root())).unwrap(),
                    oracle,
                    "{}",
                    text
                );
            }
        }
        (Err(error), Some(_)) => prop_assert!(STRICTER.contains(&error.code().name()), "{}: {}", text, error),
        // serde_json counts scalars as a level.
        (Ok(_), None) => prop_assert!(text.len() > 2 * 100, "{}", text),
        (Err(_), None) => {}
    }
    Ok(())
}

fn json_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        (-1_000_000_000_000_000_i64..1_000_000_000_000_000).prop_map(serde_json::Value::from),
        (any::<f64>()).prop_filter("finite", |f| f.is_finite()).prop_map(serde_json::Value::from),
        "\\PC{0,12}".prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(serde_json::Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..8)
                .prop_map(|map| serde_json::Value::from_iter(map.into_iter())),
        ]
    })
}

fn same(left: Value<'_>, right: Value<'_>) -> bool {
    left.kind() == right.kind()
        && match left.kind() {
            Kind::Object => {
                left.members().count() == right.members().count()
                    && left
                        .members()
                        .all(|(name, value)| right.member(name).is_some_and(|other| same(value, other)))
            }
            Kind::Array => {
                left.elements().count() == right.elements().count()
                    && left.elements().zip(right.elements()).all(|(l, r)| same(l, r))
            }
            Kind::Number => left.as_f64() == right.as_f64(),
            Kind::Text => left.as_text() == right.as_text(),
            Kind::Null | Kind::Bool => left.as_bool() == right.as_bool(),
        }
}

proptest! {
    #[test]
    fn whatever_both_readers_accept_means_the_same(value in json_value()) {
        agree(&serde_json::to_string(&value).unwrap())?;
        agree(&serde_json::to_string_pretty(&value).unwrap())?;
    }

    #[test]
    fn damaged_text_is_judged_as_serde_json_judges_it(value in json_value(), at in any::<prop::sample::Index>(), octet in "[\\[\\]{},:\"\\\\0-9eE.+ntf u\\-\\n]") {
        let mut text = serde_json::to_string(&value).unwrap();
        let place = at.index(text.len() + 1);
        if text.is_char_boundary(place) {
            text.insert_str(place, &octet);
        }
        agree(&text)?;
    }

    #[test]
    fn no_octets_make_the_reader_panic(octets in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = Document::read(octets, &Limits::default());
    }

    #[test]
    fn canonical_text_is_a_fixed_point_and_reads_back_as_the_same_tree(value in json_value()) {
        let text = serde_json::to_string(&value).unwrap();
        let document = read(&text).unwrap();
        let once = jcs::to_octets(document.root());
        let again = Document::read(once.clone(), &Limits::default()).unwrap();
        prop_assert!(same(document.root(), again.root()), "{}", text);
        prop_assert_eq!(jcs::to_octets(again.root()), once);
    }
}

#[test]
fn a_zeroized_document_has_nothing_and_what_is_shared_stays() {
    use zeroize::Zeroize;

    let mut document = read(r#"{"a":["b","c"]}"#).unwrap();
    let shared = document.shared_source();
    document.zeroize();
    let root = document.root();
    assert_eq!((document.source(), root.kind(), root.members().count()), ("", Kind::Null, 0));
    assert_eq!(*shared, r#"{"a":["b","c"]}"#);
}
