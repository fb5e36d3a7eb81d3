use super::{Endorsement, without_signatures};
use countersign_keys::json::Limits;

const DIGEST: &str = "5de78ca7c97798eb3c5a206e121b59715aad8039234c56b66f9ba9c1b8f8c336";
const ENTRY: &str = r#"{"protected":"e30","signature":"c2ln"}"#;

fn with(schema: &str, digest: &str, signatures: &str) -> String {
    format!(r#"{{"schema":{schema},"payload_sha256":{digest},"signatures":{signatures}}}"#)
}

fn good() -> String {
    with("\"countersign.endorsement/1\"", &format!("\"{DIGEST}\""), &format!("[{ENTRY}]"))
}

/// The code and the JSON Pointer of the refusal.
fn refused(text: impl Into<Vec<u8>>) -> (&'static str, String) {
    let error = Endorsement::read(text, &Limits::default()).unwrap_err();
    (error.code().name(), error.pointer().to_owned())
}

#[test]
fn an_endorsement_names_its_payload_and_has_entries() {
    let endorsement = Endorsement::read(good(), &Limits::default()).unwrap();
    assert_eq!(endorsement.claimed_payload_sha256(), DIGEST);
    assert_eq!(endorsement.entries().count(), 1);
    assert!(endorsement.findings().is_empty());
    let spaced = good().replace(',', " ,\r\n\t");
    assert!(Endorsement::read(spaced, &Limits::default()).is_ok());
}

#[test]
fn every_member_must_be_there_and_have_its_type() {
    let schema = "\"countersign.endorsement/1\"";
    let digest = format!("\"{DIGEST}\"");
    let entries = format!("[{ENTRY}]");
    for (text, pointer) in [
        ("[]".to_owned(), ""),
        ("null".to_owned(), ""),
        ("{}".to_owned(), ""),
        (good().replace("\"schema\":\"countersign.endorsement/1\",", ""), ""),
        (good().replace(&format!("\"payload_sha256\":{digest},"), ""), ""),
        (good().replace(&format!(",\"signatures\":{entries}"), ""), ""),
        (with("1", &digest, &entries), "/schema"),
        (with("null", &digest, &entries), "/schema"),
        (with(schema, "null", &entries), "/payload_sha256"),
        (with(schema, "5", &entries), "/payload_sha256"),
        (with(schema, &digest, "null"), "/signatures"),
        (with(schema, &digest, ENTRY), "/signatures"),
        (with(schema, &digest, "[]"), "/signatures"),
        (with(schema, &digest, "[\"e30.e30.c2ln\"]"), "/signatures/0"),
        (with(schema, &digest, &format!("[{ENTRY},null]")), "/signatures/1"),
        (with(schema, &digest, "[{\"protected\":\"e30\"}]"), "/signatures/0"),
        (with(schema, &digest, "[{\"signature\":\"c2ln\"}]"), "/signatures/0"),
        (with(schema, &digest, "[{\"protected\":{},\"signature\":\"c2ln\"}]"), "/signatures/0/protected"),
        (with(schema, &digest, "[{\"protected\":\"e30\",\"signature\":null}]"), "/signatures/0/signature"),
    ] {
        assert_eq!(refused(text.clone()), ("endorsement.malformed", pointer.to_owned()), "{text}");
    }
}

#[test]
fn a_digest_has_one_spelling() {
    let upper = DIGEST.to_uppercase();
    let prefixed = format!("sha256:{DIGEST}");
    let spaced = DIGEST.replacen('5', " ", 1);
    for digest in
        ["", "5de78c", &upper, &prefixed, &spaced, &DIGEST.replace('5', "g"), &format!("{DIGEST}00")]
    {
        let text = good().replace(DIGEST, digest);
        assert_eq!(refused(text), ("endorsement.malformed", "/payload_sha256".to_owned()), "{digest}");
    }
    // The text counts, not how it is escaped.
    assert!(
        Endorsement::read(good().replace(DIGEST, &DIGEST.replace('5', "\\u0035")), &Limits::default())
            .is_ok()
    );
}

#[test]
fn another_schema_is_refused_whatever_else_is_in_the_file() {
    for schema in ["countersign.endorsement/2", "countersign.endorsement/1 ", "Countersign.endorsement/1", ""]
    {
        let text = good().replace("countersign.endorsement/1", schema);
        assert_eq!(refused(text), ("endorsement.unknown-schema", "/schema".to_owned()), "{schema}");
    }
    let text = "{\"expires\":1,\"schema\":\"countersign.verification/1\"}";
    assert_eq!(refused(text), ("endorsement.unknown-schema", "/schema".to_owned()));
}

#[test]
fn members_outside_the_schema_are_refused() {
    let code = "endorsement.unknown-member";
    assert_eq!(refused(good().replace("{\"schema\"", "{\"x\":1,\"schema\"")), (code, "/x".to_owned()));
    assert_eq!(refused(good().replace("}]}", "}],\"Signatures\":[]}")), (code, "/Signatures".to_owned()));
    assert_eq!(
        refused(good().replace("\"signature\"", "\"header\":{},\"signature\"")),
        (code, "/signatures/0/header".to_owned())
    );
}

#[test]
fn what_is_not_strict_json_is_refused() {
    for (text, code) in [
        (good().replace("{\"schema\"", "{\"schema\":\"\",\"schema\""), "json.duplicate-member"),
        (good().replace("\"signature\"", "\"protected\":\"x\",\"signature\""), "json.duplicate-member"),
        (good().replace("\"schema\":", "\"sch\\u0065ma\":\"\",\"schema\":"), "json.duplicate-member"),
        (format!("{}x", good()), "json.trailing-content"),
        (String::new(), "json.malformed"),
        ("[".repeat(200), "json.too-deep"),
    ] {
        assert_eq!(refused(text.clone()).0, code, "{text}");
    }
    assert_eq!(refused(&b"{\"schema\":\"\xFF\"}"[..]).0, "json.invalid-unicode");
    let large = Endorsement::read(good(), &Limits::default().with_max_octets(good().len() - 1)).unwrap_err();
    assert_eq!(large.code().name(), "json.too-large");
    assert!(Endorsement::read(good(), &Limits::default().with_max_octets(good().len())).is_ok());
}

#[test]
fn at_most_sixteen_signatures_are_read() {
    let many = |count: usize| good().replace(ENTRY, &vec![ENTRY; count].join(","));
    assert_eq!(Endorsement::read(many(16), &Limits::default()).unwrap().entries().count(), 16);
    assert_eq!(refused(many(17)), ("endorsement.too-many", "/signatures".to_owned()));
}

#[test]
fn a_refusal_names_line_and_column_and_what_was_expected() {
    let text = good().replace(",\"payload_sha256\"", ",\n  \"payload_sha256\"").replace(DIGEST, "5d");
    let error = Endorsement::read(text, &Limits::default()).unwrap_err();
    assert_eq!((error.span().line, error.span().column), (2, 20));
    assert_eq!(
        error.to_string(),
        "line 2, column 20, at `/payload_sha256`: expected a SHA-256 digest: 64 hexadecimal digits in lower case"
    );
}

#[test]
fn what_is_written_has_the_members_that_are_read() {
    let text = without_signatures(DIGEST);
    assert_eq!(refused(text.clone()), ("endorsement.malformed", String::new()));
    let whole = text.replace("\"\n}", &format!("\",\"signatures\":[{ENTRY}]}}"));
    assert!(Endorsement::read(whole, &Limits::default()).is_ok());
}
