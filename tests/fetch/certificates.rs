//! Who is believed to be the server, and who the client is.

use countersign::fetch::{
    ClientCertificate, Fetch, FetchError, HttpsFetch, Roots, TlsFault, TlsTerms, TlsTermsError,
};

use crate::server::{Authority, BODY, CARD, Fixed, HOST, Identity, Server, Validity};

fn fault(fetch: &HttpsFetch, server: &Server) -> Option<TlsFault> {
    let error = fetch.fetch(&server.request()).unwrap_err();
    if let FetchError::Tls { fault, .. } = error { Some(fault) } else { None }
}

fn with(identity: &Identity) -> Server {
    Server::answering(identity, CARD)
}

#[test]
fn a_certificate_for_another_host_is_refused() {
    let authority = Authority::new("one");
    let fetch = authority.fetch(&["127.0.0.1"]);
    for names in [
        &["echo.other.example"][..],
        &["cards.example"],
        &["*.example"],
        &["*.echo.cards.example"],
        &["127.0.0.1"],
    ] {
        let server = with(&authority.server(names, Validity::Now));
        assert_eq!(fault(&fetch, &server), Some(TlsFault::WrongName), "{names:?}");
        assert!(server.requests().is_empty(), "nothing was asked");
    }
    for names in [&[HOST][..], &["*.cards.example"], &["other.example", HOST]] {
        let server = with(&authority.server(names, Validity::Now));
        assert_eq!(fetch.fetch(&server.request()).unwrap().octets, BODY, "{names:?}");
    }
}

#[test]
fn a_certificate_outside_its_time_is_refused() {
    let authority = Authority::new("one");
    let fetch = authority.fetch(&["127.0.0.1"]);
    let expired = with(&authority.server(&[HOST], Validity::Past));
    assert_eq!(fault(&fetch, &expired), Some(TlsFault::Expired));
    let early = with(&authority.server(&[HOST], Validity::Future));
    assert_eq!(fault(&fetch, &early), Some(TlsFault::NotYetValid));
    let error = fetch.fetch(&expired.request()).unwrap_err();
    assert_eq!(error.code().name(), "fetch.tls");
    assert!(error.to_string().ends_with("no TLS connection: the certificate has expired"), "{error}");
}

#[test]
fn only_the_authorities_that_were_given_are_believed() {
    let (ours, other) = (Authority::new("ours"), Authority::new("other"));
    let server = with(&ours.server(&[HOST], Validity::Now));
    assert_eq!(fault(&other.fetch(&["127.0.0.1"]), &server), Some(TlsFault::UnknownIssuer));
    let fetch = |roots: Roots| {
        HttpsFetch::with_tls(TlsTerms::default().with_roots(roots))
            .unwrap()
            .with_resolver(Fixed::new(&["127.0.0.1"]))
    };
    assert_eq!(fault(&fetch(Roots::Public), &server), Some(TlsFault::UnknownIssuer));
    let both = fetch(Roots::PublicAnd(ours.pem.clone().into_bytes()));
    assert_eq!(both.fetch(&server.request()).unwrap().octets, BODY);
    let several = fetch(Roots::Only(format!("{}\n{}", other.pem, ours.pem).into_bytes()));
    assert_eq!(several.fetch(&server.request()).unwrap().octets, BODY);
}

#[test]
fn what_is_not_tls_is_a_handshake_that_failed() {
    let authority = Authority::new("one");
    let plain = Server::raw("127.0.0.1", |mut stream| {
        let _ = std::io::Write::write_all(&mut stream, CARD);
    });
    assert_eq!(fault(&authority.fetch(&["127.0.0.1"]), &plain), Some(TlsFault::Handshake));
    let silent = Server::raw("127.0.0.1", drop);
    let error = authority.fetch(&["127.0.0.1"]).fetch(&silent.request()).unwrap_err();
    assert!(
        matches!(error, FetchError::Tls { .. } | FetchError::Unreachable { connected: true, .. }),
        "{error}"
    );
}

#[test]
fn a_client_certificate_is_shown_where_the_server_asks() {
    let (authority, strangers) = (Authority::new("one"), Authority::new("strangers"));
    let server = Server::for_clients_of(&authority, &authority.server(&[HOST], Validity::Now));
    let as_client_of = |authority: &Authority| {
        let client = authority.client();
        ClientCertificate::from_pem(client.pem.as_bytes(), client.key.serialize_pem().as_bytes()).unwrap()
    };
    let known = authority.fetch_as(TlsTerms::default().with_client(as_client_of(&authority)), &["127.0.0.1"]);
    assert_eq!(known.fetch(&server.request()).unwrap().octets, BODY);

    let nobody = authority.fetch(&["127.0.0.1"]);
    assert_eq!(fault(&nobody, &server), Some(TlsFault::Alert { number: 116 }));
    let stranger =
        authority.fetch_as(TlsTerms::default().with_client(as_client_of(&strangers)), &["127.0.0.1"]);
    assert!(matches!(fault(&stranger, &server), Some(TlsFault::Alert { .. })));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn certificates_and_keys_that_do_not_fit_are_errors_at_once() {
    let authority = Authority::new("one");
    let (client, other) = (authority.client(), authority.client());
    let key = client.key.serialize_pem();
    let fault = |chain: &str, key: &str| {
        let made = ClientCertificate::from_pem(chain.as_bytes(), key.as_bytes());
        made.map(|_| ()).unwrap_err()
    };
    assert_eq!(fault(&client.pem, &other.key.serialize_pem()), TlsTermsError::OtherKey);
    assert_eq!(fault("", &key), TlsTermsError::NoCertificate);
    assert_eq!(fault(&client.pem, &client.pem), TlsTermsError::NoKey);
    assert_eq!(fault(&client.pem, ""), TlsTermsError::NoKey);
    let cut: String = client.pem.lines().take(3).collect::<Vec<_>>().join("\n");
    assert!(matches!(
        fault(&cut, &key),
        TlsTermsError::NoCertificate | TlsTermsError::BadCertificate { number: 1 }
    ));
    let roots = Roots::Only(b"no certificate".to_vec());
    let error = HttpsFetch::with_tls(TlsTerms::default().with_roots(roots)).unwrap_err();
    assert_eq!((error, error.code().name()), (TlsTermsError::NoCertificate, "fetch.credentials"));
}

#[test]
fn no_key_and_no_credential_is_shown() {
    let authority = Authority::new("one");
    let client = authority.client();
    let pem = client.key.serialize_pem();
    let certificate = ClientCertificate::from_pem(client.pem.as_bytes(), pem.as_bytes()).unwrap();
    let terms = TlsTerms::default().with_client(certificate);
    let shown = format!("{terms:?} {:?}", authority.fetch_as(terms.clone(), &["127.0.0.1"]));
    for octets in client.key.serialize_der().windows(8) {
        let as_numbers = octets.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        assert!(!shown.contains(&as_numbers));
    }
    assert!(!shown.contains(pem.lines().nth(1).unwrap()));
    assert!(shown.contains("ClientCertificate { certificates: 1, .. }"), "{shown}");
}
