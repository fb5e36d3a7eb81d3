//! Whom to talk to: a card that the trust policy admits is called, a card that verifies as well and comes from a host that
//! the policy does not name is not.
//!
//! `cargo run --example admit`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::fs;
use std::path::Path;

use countersign::{
    AdmissionRequest, AdmittedInterface, Limits, SelectTerms, Source, TrustPolicy, TrustedKeys, UnixTime,
    UntrustedCard, VerifyTerms, load_policy,
};

const NOW: UnixTime = UnixTime::from_seconds(1_796_000_000);

fn main() -> Result<(), Box<dyn Error>> {
    let policy = load_policy(Path::new("examples/trust-policy.toml"))?;
    let octets = fs::read("examples/cards/signed.json")?;

    let called = talk_to(&octets, "https://agents.maps.example/.well-known/agent-card.json", &policy)?;
    if !called {
        return Err("the card of the publisher must be admitted".into());
    }

    // The same card at another host. Its signature is as good as before.
    let keys = TrustedKeys::read(fs::read("examples/keys/demo.jwks")?, "demo.jwks")?;
    UntrustedCard::read(octets.clone(), &Limits::default())?.verify(&keys, &VerifyTerms::default(), NOW)?;
    let called = talk_to(&octets, "https://agents.other.example/.well-known/agent-card.json", &policy)?;
    if called {
        return Err("a host that the policy does not name must not be talked to".into());
    }
    Ok(())
}

/// Calls the agent if the policy admits its card. Whether it did.
fn talk_to(octets: &[u8], url: &str, policy: &TrustPolicy) -> Result<bool, Box<dyn Error>> {
    let accept = vec!["1.0/JSONRPC".parse()?];
    let mut request = AdmissionRequest::new(Source::at(url)?);
    request.accept = Some(accept.clone());
    let card = UntrustedCard::read(octets, &Limits::default())?;
    match card.admit(policy, &request, &[], NOW) {
        Ok(admitted) => {
            let selection = admitted.select(&SelectTerms::accepting(accept));
            let interface = selection.interface().ok_or("no interface for this client")?;
            dispatch(interface);
            Ok(true)
        }
        Err(denied) => {
            println!("denied: {url}");
            for reason in &denied.decision().reasons {
                println!("  [{}] {}", reason.code, reason.message);
            }
            for signature in &denied.decision().signatures {
                for reason in &signature.reasons {
                    println!("  signature {}: [{}] {}", signature.index, reason.code, reason.message);
                }
            }
            println!("  nothing was called");
            Ok(false)
        }
    }
}

/// Where a client would connect. Only a card that was admitted has an interface to give.
fn dispatch(interface: &AdmittedInterface) {
    println!(
        "calling {} with {} {}, until {}",
        interface.url(),
        interface.binding(),
        interface.version(),
        interface.expires_at()
    );
}
