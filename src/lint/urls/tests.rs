use crate::{Finding, Limits, LintTerms, Profile, UntrustedCard};

fn findings(text: &str) -> Vec<Finding> {
    let card = UntrustedCard::read(text, &Limits::default()).unwrap();
    card.lint(&LintTerms { profile: Profile::Publish, ..LintTerms::default() })
}

/// Codes about URLs, each with its level, of an interface with this URL and binding.
fn of_interface(url: &str, binding: &str) -> Vec<String> {
    let card = format!(
        r#"{{"supportedInterfaces":[{{"url":"{url}","protocolBinding":"{binding}","protocolVersion":"1.0"}}]}}"#
    );
    told(&findings(&card), "/supportedInterfaces/0/url")
}

fn told(findings: &[Finding], pointer: &str) -> Vec<String> {
    let here = findings.iter().filter(|finding| finding.pointer.as_deref() == Some(pointer));
    here.map(|finding| format!("{} {}", finding.level, finding.code)).collect()
}

#[test]
fn an_interface_is_public_https_and_spelled_as_it_is_compared() {
    for (url, expected) in [
        ("https://a.example/x", vec![]),
        ("wss://a.example/x", vec![]),
        ("http://a.example/x", vec!["error iface.not-https"]),
        ("http://127.0.0.1:8080/x", vec!["warning iface.not-https", "warning url.private-address"]),
        ("https://10.0.0.7/x", vec!["warning url.private-address"]),
        ("https://agent.internal/x", vec!["warning card.private-endpoint"]),
        ("https://agent/x", vec!["warning card.private-endpoint"]),
        ("https://international.example/x", vec![]),
        ("https://169.254.169.254/x", vec!["error url.metadata-address"]),
        ("HTTPS://A.example:443/x", vec!["info iface.url-spelling"]),
        ("https://u@a.example/x", vec!["error url.userinfo"]),
        ("/x", vec!["error url.not-absolute"]),
        ("https://{tenant}.a.example/x", vec!["error url.forbidden-char"]),
        ("https://a.example/x?y=1", vec!["error url.query"]),
        ("https://a.example/.well-known/agent-card.json", vec!["warning card.suspicious-url"]),
    ] {
        assert_eq!(of_interface(url, "JSONRPC"), expected, "{url}");
    }
}

#[test]
fn grpc_is_host_and_port() {
    for (url, expected) in [
        ("a.example:443", vec![]),
        ("a.example", vec!["warning iface.grpc-form"]),
        ("https://a.example", vec!["warning iface.grpc-form"]),
        ("dns:///a.example:443", vec!["error url.grpc-target-scheme"]),
        ("u@a.example:443", vec!["error url.userinfo"]),
    ] {
        assert_eq!(of_interface(url, "GRPC"), expected, "{url}");
    }
}

#[test]
fn a_secret_before_the_at_sign_is_not_told() {
    let card = r#"{"supportedInterfaces":[{"url":"https://user:hunter2@a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}"#;
    for finding in findings(card).iter().filter(|finding| finding.code.name() == "url.userinfo") {
        assert!(!format!("{finding:?}").contains("hunter2"));
    }
}

#[test]
fn credentials_go_to_https_in_both_generations() {
    let flow = |url: &str| {
        format!(r#"{{"authorizationUrl":"https://a.example/auth","tokenUrl":"{url}","scopes":{{}}}}"#)
    };
    let current = |url: &str| {
        format!(
            r#"{{"supportedInterfaces":[{{}}],"securitySchemes":{{"s":{{"oauth2SecurityScheme":{{"flows":{{"authorizationCode":{}}}}}}}}}}}"#,
            flow(url)
        )
    };
    let place = "/securitySchemes/s/oauth2SecurityScheme/flows/authorizationCode/tokenUrl";
    for (url, expected) in [
        ("https://a.example/token?x=1", vec![]),
        ("http://a.example/token", vec!["error auth.not-https"]),
        ("https://a.example/token#x", vec!["error url.fragment"]),
        ("https://10.0.0.7/token", vec!["warning url.private-address"]),
    ] {
        assert_eq!(told(&findings(&current(url)), place), expected, "{url}");
    }
    let legacy = r#"{"url":"https://a.example","capabilities":{},"skills":[],"protocolVersion":"0.3.0",
        "securitySchemes":{"s":{"type":"openIdConnect","openIdConnectUrl":"http://a.example/openid"}}}"#;
    assert_eq!(told(&findings(legacy), "/securitySchemes/s/openIdConnectUrl"), ["error auth.not-https"]);
}

#[test]
fn what_people_open_is_https_and_never_a_script() {
    for (url, expected) in [
        ("https://a.example/docs?x=1#y", vec![]),
        ("http://a.example/docs", vec!["warning card.info-url-profile"]),
        ("data:image/png;base64,AA", vec!["warning card.info-url-profile"]),
        ("JavaScript:alert(1)", vec!["error card.info-url-profile"]),
        ("docs.html", vec!["warning card.info-url-profile"]),
    ] {
        let card = format!(r#"{{"supportedInterfaces":[{{}}],"documentationUrl":"{url}"}}"#);
        assert_eq!(told(&findings(&card), "/documentationUrl"), expected, "{url}");
    }
}
