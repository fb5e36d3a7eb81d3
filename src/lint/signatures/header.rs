//! What a protected header asks a verifier to do.

use countersign_keys::Algorithm;
use countersign_keys::jws::ProtectedHeader;
use countersign_policy::{Origin, Scheme, StrictUrl, UrlUse};

use super::{ALGORITHM_UNSUPPORTED, Entry, HEADER_DANGEROUS, NO_FRESHNESS};
use crate::lint::Subject;
use crate::lint::report::{Remark, Report, quoted};

pub(super) fn check(subject: &Subject<'_>, entry: &Entry<'_>, report: &mut Report<'_>) {
    let Some(header) = &entry.claim.header else { return };
    if header.algorithm().is_none() {
        report.add(&ALGORITHM_UNSUPPORTED, entry.protected(), unsupported(&header.alg));
    }
    if let [first, rest @ ..] = header.supplied_keys.as_slice() {
        let names = rest.iter().fold(format!("`{first}`"), |names, name| format!("{names}, `{name}`"));
        let message = format!("the protected header brings a key along ({names}): whoever signs chooses it");
        report.add(&HEADER_DANGEROUS, entry.protected(), Remark::new(message));
    }
    if let Some(fault) = header.jku.as_deref().and_then(|jku| fault_of_jku(subject, jku)) {
        report.add(&HEADER_DANGEROUS, entry.protected(), Remark::new(fault));
    }
    if tells_no_time(header) {
        let message =
            "the protected header has neither `iat` nor `exp`: the signature counts for as long as the key";
        report.add(&NO_FRESHNESS, entry.protected(), Remark::new(message));
    }
}

fn unsupported(alg: &str) -> Remark {
    let remark = Remark::new(format!("algorithm {} is not supported", quoted(alg)));
    if let Some(meant) = Algorithm::ALL.iter().find(|known| known.name().eq_ignore_ascii_case(alg)) {
        return remark.help(format!("names of algorithms are exact: sign again with `{meant}`"));
    }
    if alg.eq_ignore_ascii_case("none") {
        return remark.help("`none` signs nothing: delete the entry, or sign with a key");
    }
    if alg.get(..2).is_some_and(|family| family.eq_ignore_ascii_case("HS")) {
        return remark
            .help("whoever can check an HMAC can also make one: sign with a key pair, for example ES256");
    }
    remark
}

/// Why keys should not be got from there. Nothing is fetched.
fn fault_of_jku(subject: &Subject<'_>, jku: &str) -> Option<String> {
    let url = match StrictUrl::read(jku, UrlUse::Credential) {
        Ok(url) => url,
        Err(error) => return Some(format!("`jku` cannot be followed: {error}")),
    };
    if url.scheme() != Scheme::Https {
        return Some(format!("`jku` is {}, expected https", quoted(jku)));
    }
    let origin = url.origin();
    let is_home = subject.view.claimed_interfaces().iter().any(|interface| {
        let is_grpc = interface.binding == Some("GRPC");
        let url_use = if is_grpc { UrlUse::GrpcInterface } else { UrlUse::InterfaceWithQuery };
        let url = interface.claimed_url.and_then(|url| StrictUrl::read(url, url_use).ok());
        url.is_some_and(|url| is_same_server(&url.origin(), &origin))
    });
    let message = || format!("`jku` {} has another origin than every interface of the card", quoted(jku));
    (!is_home).then(message)
}

/// A WebSocket interface over TLS shares host and port with https.
fn is_same_server(interface: &Origin, jku: &Origin) -> bool {
    let is_secure = matches!(interface.scheme, Scheme::Https | Scheme::Wss);
    is_secure && interface.host == jku.host && interface.port == jku.port
}

fn tells_no_time(header: &ProtectedHeader) -> bool {
    header.iat.is_none() && header.exp.is_none()
}
