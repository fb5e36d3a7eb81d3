//! The whole journey of a card: signed by its publisher, verified by a client, changed by someone in between.
//!
//! `cargo run --example sign_and_verify`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::fs;

use countersign::keys::jwk;
use countersign::{KeySigner, Limits, SignTerms, TrustedKeys, UnixTime, UntrustedCard, VerifyTerms};

fn main() -> Result<(), Box<dyn Error>> {
    let limits = Limits::default();

    // The publisher signs at build time. The text of the card stays as it is, only `signatures` is added.
    let jwks = jwk::read_private(fs::read("examples/keys/demo.jwk")?, &limits)?;
    let private = jwks.entries.into_iter().next().ok_or("the file holds no key")?.key?;
    let algorithm = private.key.default_algorithm();
    let signer = KeySigner::new(private.key, algorithm)?.with_kid("demo-2026");
    let card = UntrustedCard::read(fs::read("examples/cards/route-planner.json")?, &limits)?;
    let signed = card.sign(&signer, &SignTerms::default(), &TrustedKeys::default())?;
    println!("signed: {} octets, {} signature(s)", signed.octets.len(), signed.signatures.len());

    // A client verifies what it received with keys that it has from elsewhere, at a time that it says.
    let trusted = TrustedKeys::read(fs::read("examples/keys/demo.jwks")?, "demo.jwks")?;
    let now = UnixTime::from_seconds(1_796_000_000);
    let received = UntrustedCard::read(signed.octets.clone(), &limits)?;
    let verified = received.verify(&trusted, &VerifyTerms::default(), now)?;
    println!(
        "verified under {}: {:?}",
        verified.payload().form(),
        verified.member("name").and_then(|n| n.as_text())
    );

    // Someone in between sends clients to another login page.
    let text =
        String::from_utf8(signed.octets)?.replace("https://login.maps.example", "https://login.evil.example");
    let tampered = UntrustedCard::read(text, &limits)?;
    match tampered.verify(&trusted, &VerifyTerms::default(), now) {
        Ok(_) => Err("a changed card must not verify".into()),
        Err(refused) => {
            println!("refused: {refused}");
            Ok(())
        }
    }
}
