//! Attacks that no policy can let in.

/// An attack that no policy can let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeldByProgram {
    /// What the attacker does.
    pub what: &'static str,
    /// What stops it.
    pub why: &'static str,
}

macro_rules! held {
    ($($what:literal => $why:literal;)+) => {
        impl HeldByProgram {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self { what: $what, why: $why },)+];
        }
    };
}

held! {
    "the header names its own key set (`jku`)" => "no key comes from a header, and nothing is fetched for one";
    "the header carries its own key (`jwk`, `x5c`, `x5u`)" => "no key comes from a header";
    "two keys have one `kid`" => "`kid` only narrows; keys are told apart by their thumbprints";
    "`kid` is a path, a query or a URL" => "`kid` is compared and used for nothing else";
    "a public key is used as the secret of a MAC" => "no MAC is implemented, and the key decides the algorithm";
    "`alg` is `none` in any spelling" => "there is no such algorithm";
    "the signature is degenerate or in another encoding" => "strict base64url, lengths and verification";
    "`min` is zero, or more than there are keys" => "such a policy cannot be loaded";
    "thousands of signatures" => "more than `max-signatures` are never looked at";
    "members that no signature covers" => "only what is covered is handed on; uncovered members are reported";
    "members that some readers take for one another" => "such a card is refused";
    "one member twice" => "such a card is refused";
    "numbers that readers round differently, broken Unicode" => "such a card is refused";
    "an unknown `crit`, or `b64`" => "such a signature is malformed";
    "members of the unprotected header override the protected one" => "only the protected header is read";
    "a revoked key signs" => "a revoked key never counts, whatever time a signature names";
    "a signature after its `exp`" => "it is invalid";
    "the card is changed between check and use" => "admission hands out the card that was judged";
    "no signature of the needed kind passes for success" => "every group needs its number of distinct keys";
    "a host name that looks like another" => "hosts are compared as A-labels";
    "the name of a scheme asks for a credential" => "credentials are bound to the rule, not to names of the card";
}
