//! Keys of sets that are fetched: what a document gives to its set, and for how long.

#![expect(clippy::unwrap_used, reason = "tests")]

use countersign_keys::trust::KeyStatus;
use countersign_policy::{FetchedKeys, FetchedKeysError, KeySet, Tool, TrustPolicy, UnixTime};

const FIRST: &str =
    r#"{"kty":"OKP","crv":"Ed25519","kid":"first","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
const FIRST_THUMBPRINT: &str = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
const SECOND: &str = r#"{"kty":"EC","crv":"P-256","kid":"second","x":"F4sTcspXnEIzQwpklu8SOpoE_jFF5fgmAZ2mFhMWjC8","y":"aUc6YoQtJpsU77ey_PsSGoAFP87_wE5sxWKlEYRIou8"}"#;
const PRIVATE: &str = r#"{"kty":"OKP","crv":"Ed25519","kid":"first","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#;
const SHARED: &str = r#"{"kty":"oct","kid":"secret","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ"}"#;

fn policy(terms: &str, more: &str) -> TrustPolicy {
    let text = format!(
        "schema = 1\n[[jwks]]\nid = \"partner\"\nurl = \"https://keys.partner.example/jwks.json\"\n\
         origins = [\"https://agents.partner.example\"]\n{terms}\n\
         [[allow]]\nid = \"partner\"\nfrom = [\"https://agents.partner.example\"]\n{more}"
    );
    let tool = Tool { version: "1.0.0", forms: &["a2a-1.0"], default_forms: &["a2a-1.0"] };
    TrustPolicy::read(&text, "policy.toml", &tool).unwrap()
}

fn set(policy: &TrustPolicy) -> &KeySet {
    policy.key_sets().first().unwrap()
}

fn jwks(keys: &[&str]) -> String {
    format!("{{\"keys\":[{}]}}", keys.join(","))
}

fn read(policy: &TrustPolicy, keys: &[&str]) -> Result<FetchedKeys, FetchedKeysError> {
    set(policy).read(jwks(keys))
}

fn code(result: Result<FetchedKeys, FetchedKeysError>) -> &'static str {
    result.unwrap_err().code().name()
}

#[test]
fn the_keys_count_until_the_second_that_was_given() {
    let policy = policy("", "");
    let fetched = read(&policy, &[FIRST]).unwrap();
    let until = UnixTime::from_seconds(1_000);
    let with = policy.with_fetched_keys([(&fetched, until)]);
    let [key] = with.keys() else { panic!("one key") };
    assert!(key.trusted.check_at(999).is_ok());
    assert!(key.trusted.check_at(1_000).is_err());
    assert_eq!(*key.trusted.status(), KeyStatus::Active);
    assert_eq!(key.id, "partner");
    assert!(policy.keys().is_empty(), "the policy itself is as before");
    assert_eq!(with.digest(), policy.digest());
    assert_ne!(with.key_epoch(UnixTime::from_seconds(999)), policy.key_epoch(UnixTime::from_seconds(999)));
}

#[test]
fn more_keys_than_allowed_give_none() {
    let two = policy("max-keys = 2", "");
    assert_eq!(read(&two, &[FIRST, SECOND]).unwrap().keys().len(), 2);
    let one = policy("max-keys = 1", "");
    assert_eq!(code(read(&one, &[FIRST, SECOND])), "key.too-many");
}

#[test]
fn only_pinned_keys_count() {
    let policy = policy(&format!("pins = [\"{FIRST_THUMBPRINT}\"]"), "");
    let fetched = read(&policy, &[FIRST, SECOND]).unwrap();
    let [key] = fetched.keys() else { panic!("one key") };
    assert_eq!(key.trusted.kid(), Some("first"));
    assert!(fetched.answers_to("first") && !fetched.answers_to("second"));
}

#[test]
fn a_set_with_a_private_or_shared_key_gives_none() {
    let policy = policy("", "");
    assert_eq!(code(read(&policy, &[SECOND, PRIVATE])), "key.private-in-public-set");
    assert_eq!(code(read(&policy, &[SECOND, SHARED])), "key.private-in-public-set");
    assert!(read(&policy, &[SECOND, FIRST]).is_ok());
}

#[test]
fn a_key_alone_is_no_set() {
    let policy = policy("", "");
    assert_eq!(code(set(&policy).read(FIRST)), "key.not-a-key-set");
    assert_eq!(code(set(&policy).read("<html></html>")), "key.unreadable");
}

#[test]
fn algorithms_of_the_set_bind_its_keys() {
    let policy = policy("algorithms = [\"ES256\"]", "");
    let fetched = read(&policy, &[FIRST, SECOND]).unwrap();
    let allowed: Vec<_> = fetched.keys().iter().map(|key| key.trusted.algorithms().unwrap().len()).collect();
    assert_eq!(allowed, [0, 1]);
}

#[test]
fn a_key_of_the_policy_keeps_its_scope() {
    let more = format!(
        "[[key]]\nid = \"own\"\norigins = [\"https://elsewhere.example\"]\njwk = {}\n",
        FIRST.replace("\":", "\" = ")
    );
    let policy = policy("", &more);
    let fetched = read(&policy, &[FIRST, SECOND]).unwrap();
    let with = policy.with_fetched_keys([(&fetched, UnixTime::from_seconds(1_000))]);
    let ids: Vec<&str> = with.keys().iter().map(|key| key.id.as_str()).collect();
    assert_eq!(ids, ["own", "partner"]);
}

#[test]
fn a_tombstone_holds_for_a_fetched_key() {
    let more = format!(
        "[[key]]\nid = \"gone\"\nkid = \"first\"\nthumbprint = \"{FIRST_THUMBPRINT}\"\n\
         origins = [\"https://agents.partner.example\"]\n\
         revoked = {{ at = 2026-02-11T09:00:00Z, reason = \"compromised\" }}\n"
    );
    let policy = policy("", &more);
    let fetched = read(&policy, &[FIRST]).unwrap();
    let with = policy.with_fetched_keys([(&fetched, UnixTime::from_seconds(1_000))]);
    let refused = with.trusted_keys().select("first", countersign_keys::Algorithm::EdDsa, 500);
    assert_eq!(refused.unwrap_err().code().name(), "sig.revoked-key");
}
