use super::{Fallback, Preference, ProtocolChoice, SelectTerms, VersionNotSupported};
use crate::{Limits, UntrustedCard};

const OLD: &str = r#"{"url":"https://a.example/v0","protocolBinding":"JSONRPC","protocolVersion":"0.3"}"#;
const NEW: &str = r#"{"url":"https://a.example/v1","protocolBinding":"JSONRPC","protocolVersion":"1.0"}"#;
const REST: &str = r#"{"url":"https://a.example/r1","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}"#;

fn envelope(entries: &[&str]) -> UntrustedCard {
    card(&format!(r#"{{"supportedInterfaces":[{}]}}"#, entries.join(",")))
}

fn legacy(members: &str) -> UntrustedCard {
    card(&format!(r#"{{{members},"capabilities":{{}},"skills":[]}}"#))
}

fn card(text: &str) -> UntrustedCard {
    UntrustedCard::read(text, &Limits::default()).unwrap()
}

fn terms(accept: &[&str]) -> SelectTerms {
    SelectTerms::accepting(accept.iter().map(|text| text.parse().unwrap()))
}

/// The end of the URL that is selected and why, or the codes.
fn answer(card: &UntrustedCard, terms: &SelectTerms) -> String {
    shown(&card.view().select(terms))
}

fn shown(selection: &super::Selection<'_>) -> String {
    match selection.interface() {
        Some(interface) => {
            let url = interface.claim.claimed_url.unwrap();
            format!("{} {}", url.rsplit('/').next().unwrap(), interface.because.name())
        }
        None => selection.codes().iter().map(|code| code.name()).collect::<Vec<_>>().join(" "),
    }
}

fn passed_over(card: &UntrustedCard, terms: &SelectTerms) -> Vec<&'static str> {
    let selection = card.view().select(terms);
    selection.offered().map(|offer| offer.codes.first().map_or("-", |code| code.name())).collect()
}

#[test]
fn auto_looks_at_every_1_0_interface_before_0_3_and_needs_leave_to_fall_back() {
    let both = ["1.0/JSONRPC", "0.3/JSONRPC"];
    let mut terms = terms(&both);
    assert_eq!(answer(&envelope(&[OLD, NEW]), &terms), "v1 card-order");
    assert_eq!(answer(&envelope(&[OLD]), &terms), "iface.none-compatible");
    assert_eq!(passed_over(&envelope(&[OLD]), &terms), ["iface.fallback-denied"]);
    terms.fallback = Fallback::Allow;
    assert_eq!(answer(&envelope(&[OLD]), &terms), "v0 fallback-without-1.x");
    assert_eq!(answer(&envelope(&[OLD, NEW]), &terms), "v1 card-order");
    terms.protocol = ProtocolChoice::V1;
    assert_eq!(answer(&envelope(&[OLD]), &terms), "iface.none-compatible");
    terms.protocol = ProtocolChoice::V0_3;
    assert_eq!(answer(&envelope(&[NEW, OLD]), &terms), "v0 card-order");
}

#[test]
fn a_client_of_0_3_only_needs_no_leave() {
    assert_eq!(answer(&envelope(&[NEW, OLD]), &terms(&["0.3/JSONRPC"])), "v0 card-order");
    assert_eq!(
        passed_over(&envelope(&[NEW, OLD]), &terms(&["0.3/JSONRPC"])),
        ["iface.version-not-accepted", "-"]
    );
}

#[test]
fn a_client_of_a_newer_version_falls_back_only_with_leave() {
    let mut terms = terms(&["2.0/JSONRPC", "0.3/JSONRPC"]);
    assert_eq!(answer(&envelope(&[OLD]), &terms), "iface.none-compatible");
    terms.fallback = Fallback::Allow;
    assert_eq!(answer(&envelope(&[OLD]), &terms), "v0 fallback-without-1.x");
}

#[test]
fn only_a_version_that_is_not_supported_leads_on() {
    let refusal = || VersionNotSupported::from_json_rpc(r#"{"error":{"code":-32009}}"#).unwrap();
    let mut terms = terms(&["1.0/JSONRPC", "1.0/HTTP+JSON", "0.3/JSONRPC"]);
    let card = envelope(&[OLD, NEW, REST]);
    let deny = card.view().select(&terms).after(refusal());
    assert_eq!(shown(&deny), "r1 version-not-supported");
    assert_eq!(shown(&deny.after(refusal())), "iface.none-left");
    terms.fallback = Fallback::Allow;
    let allow = card.view().select(&terms).after(refusal()).after(refusal());
    assert_eq!(shown(&allow), "v0 fallback-after-version-not-supported");
    let codes: Vec<_> = allow.offered().flat_map(|offer| offer.codes).map(|code| code.name()).collect();
    assert_eq!(codes, ["iface.refused-version", "iface.refused-version"]);
    assert_eq!(shown(&allow.after(refusal()).after(refusal())), "iface.none-left");
}

#[test]
fn strict_1_0_never_falls_back() {
    let refusal = || VersionNotSupported::from_grpc(9, "VERSION_NOT_SUPPORTED", "a2a-protocol.org").unwrap();
    let mut terms = terms(&["1.0/JSONRPC", "0.3/JSONRPC"]);
    terms.fallback = Fallback::Allow;
    terms.protocol = ProtocolChoice::V1;
    assert_eq!(shown(&envelope(&[NEW, OLD]).view().select(&terms).after(refusal())), "iface.none-left");
}

#[test]
fn other_failures_are_no_proof() {
    let info = |reason: &str, domain: &str, kind: &str| {
        format!(
            r#"{{"error":{{"code":400,"details":[{{"@type":"type.googleapis.com/{kind}","reason":"{reason}","domain":"{domain}"}}]}}}}"#
        )
    };
    let good = info("VERSION_NOT_SUPPORTED", "a2a-protocol.org", "google.rpc.ErrorInfo");
    assert!(VersionNotSupported::from_http(400, good.as_str()).is_ok());
    assert!(VersionNotSupported::from_http(500, good.as_str()).is_err());
    assert!(VersionNotSupported::from_http(400, format!("{good} ").replace("}}", "}")).is_err());
    for other in [
        info("UNSUPPORTED_OPERATION", "a2a-protocol.org", "google.rpc.ErrorInfo"),
        info("VERSION_NOT_SUPPORTED", "evil.example", "google.rpc.ErrorInfo"),
        info("VERSION_NOT_SUPPORTED", "a2a-protocol.org", "google.rpc.Help"),
        "{}".to_owned(),
        r#"{"error":{"code":400}}"#.to_owned(),
        String::new(),
    ] {
        assert!(VersionNotSupported::from_http(400, other.as_str()).is_err(), "{other}");
    }
    for body in [
        r#"{"error":{"code":-32601}}"#,
        r#"{"error":{"code":"-32009"}}"#,
        r#"{"result":{"code":-32009}}"#,
        r#"{"result":{},"error":{"code":-32009}}"#,
        "[]",
        "",
    ] {
        assert!(VersionNotSupported::from_json_rpc(body).is_err(), "{body}");
    }
    for (code, reason, domain) in
        [(12, "VERSION_NOT_SUPPORTED", "a2a-protocol.org"), (9, "VERSION_NOT_SUPPORTED", "a2a-protocol.org")]
    {
        assert!(VersionNotSupported::from_grpc(code, reason, domain).is_ok());
        assert!(VersionNotSupported::from_grpc(14, reason, domain).is_err());
        assert!(VersionNotSupported::from_grpc(code, "", domain).is_err());
        assert!(VersionNotSupported::from_grpc(code, reason, "").is_err());
    }
}

#[test]
fn the_order_is_the_cards_the_versions_or_the_clients() {
    let newer = NEW.replace("1.0", "1.1").replace("v1", "v11");
    let card = envelope(&[REST, NEW, &newer]);
    let mut terms = terms(&["1.0/JSONRPC", "1.0/HTTP+JSON", "1.1/JSONRPC"]);
    assert_eq!(answer(&card, &terms), "r1 card-order");
    terms.prefer = Preference::Newest;
    assert_eq!(answer(&card, &terms), "v11 newest");
    terms.prefer = Preference::Client;
    assert_eq!(answer(&card, &terms), "v1 client-order");
    assert_eq!(passed_over(&card, &terms), ["iface.not-first", "-", "iface.not-first"]);
}

#[test]
fn an_interface_that_lacks_something_or_is_off_profile_does_not_fit_and_spoils_no_other() {
    let entries = [
        r#"{"url":"https://a.example","protocolBinding":"JSONRPC"}"#,
        r#"{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":"v1"}"#,
        r#"{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":1.0}"#,
        r#"{"url":"https://a.example","protocolVersion":"1.0"}"#,
        r#"{"protocolBinding":"JSONRPC","protocolVersion":"1.0"}"#,
        r#"{"url":"/relative","protocolBinding":"JSONRPC","protocolVersion":"1.0"}"#,
        r#"{"url":"https://u@a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}"#,
        r#"{"url":"a.example:443","protocolBinding":"GRPC","protocolVersion":"1.0"}"#,
        r#"{"url":"https://a.example","protocolBinding":"REST","protocolVersion":"1.0"}"#,
        "7",
        NEW,
    ];
    assert_eq!(
        passed_over(&envelope(&entries), &terms(&["1.0/JSONRPC"])),
        [
            "card.interface-incomplete",
            "card.version-unrecognized",
            "card.version-unrecognized",
            "card.interface-incomplete",
            "card.interface-incomplete",
            "url.not-absolute",
            "url.userinfo",
            "iface.binding-not-accepted",
            "iface.binding-not-accepted",
            "card.interface-incomplete",
            "-",
        ]
    );
}

#[test]
fn legacy_members_are_0_3_and_only_if_the_card_says_so() {
    let members = |version: &str| {
        format!(
            r#""url":"https://a.example/v0",{version}"additionalInterfaces":[{{"url":"https://a.example/v0","transport":"JSONRPC"}},{{"url":"https://a.example/r0","transport":"HTTP+JSON"}}]"#
        )
    };
    let accept = terms(&["0.3/HTTP+JSON", "0.3/JSONRPC"]);
    let old = legacy(&members(r#""protocolVersion":"0.3.0","#));
    assert_eq!(answer(&old, &accept), "v0 card-order");
    assert_eq!(passed_over(&old, &accept), ["-", "iface.duplicate", "iface.not-first"]);
    let findings = old.view().select(&accept).findings();
    let codes: Vec<_> = findings.iter().map(|finding| finding.code.name()).collect();
    assert_eq!(codes, ["card.version-patch", "iface.default-transport"]);
    assert_eq!(
        passed_over(&legacy(&members(r#""protocolVersion":"0.2","#)), &accept).first(),
        Some(&"iface.version-not-accepted")
    );
    assert_eq!(answer(&legacy(&members("")), &accept), "iface.none-compatible");
    let mut assumed = accept.clone();
    assumed.assumed = Some(crate::ProtocolVersion::V0_3);
    assert_eq!(answer(&legacy(&members("")), &assumed), "v0 card-order");
    let claims_1 = legacy(&members(r#""protocolVersion":"1.0","#));
    assert_eq!(answer(&claims_1, &terms(&["1.0/JSONRPC"])), "card.legacy-shape iface.none-compatible");
}

#[test]
fn a_default_transport_is_for_members_that_are_unset() {
    for (transport, fits) in [
        ("", true),
        (r#""preferredTransport":null,"#, true),
        (r#""preferredTransport":"","#, true),
        (r#""preferredTransport":7,"#, false),
    ] {
        let card = legacy(&format!(r#"{transport}"url":"https://a.example/v0","protocolVersion":"0.3""#));
        assert_eq!(card.view().select(&terms(&["0.3/JSONRPC"])).interface().is_some(), fits, "{transport}");
    }
}

#[test]
fn what_goes_with_the_interface_follows_version_and_binding() {
    for (entry, accept, version, media_type) in [
        (NEW, "1.0/JSONRPC", Some("1.0"), Some("application/json")),
        (REST, "1.0/HTTP+JSON", Some("1.0"), Some("application/a2a+json")),
        (OLD, "0.3/JSONRPC", None, Some("application/json")),
        (
            r#"{"url":"a.example:443","protocolBinding":"grpc","protocolVersion":"1.0"}"#,
            "1.0/GRPC",
            Some("1.0"),
            Some("application/grpc"),
        ),
        (
            r#"{"url":"wss://a.example/s","protocolBinding":"https://b.example/ws","protocolVersion":"1.0"}"#,
            "1.0/https://b.example/ws",
            Some("1.0"),
            None,
        ),
    ] {
        let card = envelope(&[entry]);
        let selection = card.view().select(&terms(&[accept]));
        let interface = selection.interface().unwrap();
        assert_eq!(interface.a2a_version().as_deref(), version, "{entry}");
        assert_eq!(interface.media_type(), media_type, "{entry}");
    }
}

#[test]
fn what_a_client_speaks_is_a_version_and_a_binding() {
    for text in ["JSONRPC", "1.0/", "/JSONRPC", "1/JSONRPC", "1.0.0/JSONRPC", "v1.0/JSONRPC", ""] {
        assert!(text.parse::<countersign_policy::Accepted>().is_err(), "{text}");
    }
    assert_eq!("1.0/HTTP+JSON".parse::<countersign_policy::Accepted>().unwrap().to_string(), "1.0/HTTP+JSON");
}
