//! Codes of the lints about signatures.

use countersign_keys::declare_codes;

declare_codes! {
    SIG_HEADER_DANGEROUS = "sig.header-dangerous" {
        what: "The protected header brings a key along (`jwk`, `x5c`, `x5u`), or its `jku` is not https, no strict URL, or of another origin than every interface of the card.",
        why: "A verifier that takes the key from there trusts whoever made the signature (RFC 7515 §10, A2A §8.4.2), and may be sent to any address.",
        example: "{\"alg\": \"ES256\", \"typ\": \"JOSE\", \"kid\": \"k1\", \"jwk\": {\"kty\": \"EC\", …}}",
        instead: "Sign with `kid` alone, or with a `jku` on the https origin of an interface. The same parameters in the unprotected header are `sig.malformed-header`.",
    }
    SIG_NO_FRESHNESS = "sig.no-freshness" {
        what: "The protected header has neither `iat` nor `exp`.",
        why: "Whoever kept an old signed version of the card can serve it for as long as the key is trusted; nothing in it tells its age.",
        example: "{\"alg\": \"ES256\", \"typ\": \"JOSE\", \"kid\": \"k1\"}",
        instead: "Sign with `--issued-at`, or with `--expires` and sign again before that time.",
    }
    SIG_FORM_UNSTABLE = "sig.form-unstable" {
        what: "The specification (form `a2a-1.0`) and the official SDKs (`sdk-1.x`, `sdk-py-1.0`) sign different octets for this card.",
        why: "A signature under one form is rejected by everyone who verifies under the other; the SDKs drop every `\"\"`, `[]`, `{}` and null (A2A §8.4.1 keeps those of REQUIRED members).",
        example: "{\"skills\": [], \"supportedInterfaces\": […], …}",
        instead: "Sign twice: `--form a2a-1.0 --form sdk-1.x`; `fix --portable` removes what means nothing and says what has to be written otherwise. What `sign` says about the signature that it has just made is `sig.not-portable`; that looks at every form.",
    }
}
