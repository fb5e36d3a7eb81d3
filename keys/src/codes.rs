//! The codes of this package, each with its `explain` page.

/// Declares codes: one constant each, and `ALL` with every one of them in the order written.
///
/// Each package declares its own; the root package joins them into one registry.
#[macro_export]
macro_rules! declare_codes {
    ($($constant:ident = $name:literal { what: $what:literal, why: $why:literal, example: $example:literal, instead: $instead:literal $(,)? })+) => {
        $(
            #[doc = concat!("`", $name, "`: ", $what)]
            pub const $constant: $crate::Code = $crate::Code::new(&$crate::Page {
                name: $name,
                what: $what,
                why: $why,
                example: $example,
                instead: $instead,
            });
        )+

        /// Every code of this package.
        pub const ALL: &[$crate::Code] = &[$($constant),+];
    };
}

declare_codes! {
    JSON_MALFORMED = "json.malformed" {
        what: "The octets are not JSON as RFC 8259 defines it, or not in UTF-8.",
        why: "Parsers repair broken JSON in different ways, so signer and verifier would read different documents.",
        example: "{\"name\": \"Agent\",}",
        instead: "Write strict JSON in UTF-8: no comments, no trailing commas, no NaN, no unescaped control characters.",
    }
    JSON_INVALID_UNICODE = "json.invalid-unicode" {
        what: "A string holds octets that are not UTF-8, or an escape that is half of a surrogate pair.",
        why: "RFC 8785 has no octets for such text; replacing it silently would change what was signed.",
        example: "{\"name\": \"\\ud83d\"}",
        instead: "Write the character itself in UTF-8, or both halves of the surrogate pair.",
    }
    JSON_DUPLICATE_MEMBER = "json.duplicate-member" {
        what: "One object holds two members with the same name, compared after unescaping.",
        why: "Some parsers take the first and some the last, so the member that was verified need not be the member that is used.",
        example: "{\"url\": \"https://evil.example\", \"url\": \"https://agent.example\"}",
        instead: "Keep one of the two members.",
    }
    JSON_INEXACT_NUMBER = "json.inexact-number" {
        what: "An integer has no exact double, so its canonical text would be another number.",
        why: "RFC 8785 writes numbers as doubles: 9007199254740993 and 9007199254740992 would share one signature.",
        example: "{\"limit\": 9007199254740993}",
        instead: "Write integers beyond 2^53 as strings, or use a value that a double holds.",
    }
    JSON_ROUNDED_NUMBER = "json.rounded-number" {
        what: "A number has more digits than a double keeps; its canonical text is the nearest double.",
        why: "The signature covers the rounded value, not the digits that were written.",
        example: "{\"ratio\": 0.1234567890123456789}",
        instead: "Write at most 17 significant digits, or a string.",
    }
    JSON_NUMBER_OVERFLOW = "json.number-overflow" {
        what: "A number is larger than any double.",
        why: "It would become infinity, which RFC 8785 cannot write.",
        example: "{\"limit\": 1e400}",
        instead: "Write the number as a string, or choose a value below 1.8e308.",
    }
    JSON_TOO_DEEP = "json.too-deep" {
        what: "More than 128 arrays and objects are open at once.",
        why: "Unbounded nesting exhausts the stack of many readers; a signature must mean the same to all of them.",
        example: "[[[[ … 129 times …",
        instead: "Flatten the value, usually something inside `params`.",
    }
    JSON_TOO_LARGE = "json.too-large" {
        what: "The document is longer than the limit, counted in octets.",
        why: "A card from a stranger must not decide how much memory its reader uses.",
        example: "a 300 KiB card under the default limit of 256 KiB",
        instead: "Make the document smaller, or raise the limit (`--max-octets`, `Limits::max_octets`).",
    }
    JSON_TRAILING_CONTENT = "json.trailing-content" {
        what: "Something other than white space follows the JSON value.",
        why: "What follows would be neither verified nor reported by readers that stop early.",
        example: "{\"name\": \"Agent\"} extra",
        instead: "Keep one JSON value per file.",
    }
    JSON_BOM = "json.bom" {
        what: "The file starts with a UTF-8 byte order mark, which was skipped.",
        why: "RFC 8259 forbids writing one, and several readers refuse it.",
        example: "EF BB BF before the first brace",
        instead: "Save the file as UTF-8 without BOM.",
    }
    KEY_UNREADABLE = "key.unreadable" {
        what: "The file or value is not a key in a form that is read here.",
        why: "A key file that is read wrongly is worse than one that is refused.",
        example: "a certificate, an OpenSSH key, or a PEM file whose END line is missing",
        instead: "Give a PEM file (PKCS#8, SEC 1, PKCS#1 or SPKI), a JWK or a JWK set; the message names the `openssl` command that converts what was found.",
    }
    KEY_ENCRYPTED = "key.encrypted" {
        what: "The private key is encrypted, and was not opened.",
        why: "It needs its password, under a scheme that is read here: AES-CBC with PBKDF2 and HMAC-SHA-2, or with scrypt.",
        example: "-----BEGIN ENCRYPTED PRIVATE KEY----- without `--key-password-file`, or encrypted with 3DES",
        instead: "Give the password with `--key-password-file` or `--key-password-env`; the message names the `openssl` command where the scheme is not read. To verify, give the public half.",
    }
    KEY_UNUSABLE = "key.unusable" {
        what: "The key was read, but it contradicts itself or is of a kind, size or purpose that cannot sign or verify here.",
        why: "RFC 7517 and RFC 7518 fix lengths, curves and purposes; accepting less lets different verifiers see different keys.",
        example: "{\"kty\": \"EC\", \"crv\": \"P-256\", \"x\": \"… 31 octets …\", \"y\": \"…\"}",
        instead: "Export the key again with a tool that keeps leading zeros, or use a key meant for signatures (`use` is `sig`).",
    }
    KEY_WEAK = "key.weak" {
        what: "The key is too weak: RSA under 2048 bits or with exponent 1, or a small-order Ed25519 key.",
        why: "Signatures under such a key can be forged.",
        example: "an RSA key of 1024 bits",
        instead: "Make a new key: `countersign key generate`.",
    }
    KEY_WRONG_CURVE = "key.wrong-curve" {
        what: "The key is on a curve that no supported algorithm uses.",
        why: "secp256k1 and P-256 keys have the same size and look alike; X25519 keys cannot sign.",
        example: "{\"kty\": \"EC\", \"crv\": \"secp256k1\", …}",
        instead: "Use a key on P-256, P-384, P-521 or Ed25519.",
    }
    KEY_PAIR_MISMATCH = "key.pair-mismatch" {
        what: "The private part of a key belongs to another public part than the one written beside it.",
        why: "Signatures would verify under a key that nobody published, or leak the private key.",
        example: "a private JWK whose `x` was copied from another key",
        instead: "Export the key pair again from where it was made.",
    }
    KEY_PRIVATE_IN_PUBLIC_SET = "key.private-in-public-set" {
        what: "A key that is used for verifying carries private members.",
        why: "Whoever can read the file can sign in the owner's name; the key must count as disclosed.",
        example: "{\"kty\": \"EC\", …, \"d\": \"…\"} in a published JWK set",
        instead: "Replace the key, and publish only what `countersign key public` writes.",
    }
    KEY_NOT_A_KEY_SET = "key.not-a-key-set" {
        what: "The JSON is neither a JWK set, `{\"keys\": […]}`, nor a single JWK.",
        why: "Guessing which part of a document holds the keys would make trust depend on the guess.",
        example: "[{\"kty\": \"EC\", …}]",
        instead: "Wrap the JWKs as `{\"keys\": […]}` (RFC 7517 5).",
    }
    KEY_AMBIGUOUS = "key.ambiguous" {
        what: "Several different keys share one `kid`.",
        why: "The `kid` should name one key; here each that fits is tried.",
        example: "two EC keys with \"kid\": \"k1\" in one set",
        instead: "Give each key its own `kid`, for example its RFC 7638 thumbprint.",
    }
    KEY_CERTIFICATE_IGNORED = "key.certificate-ignored" {
        what: "The JWK carries `x5c`, `x5u` or a certificate thumbprint, which is not evaluated.",
        why: "Trust comes from the key set that was given, not from a certificate chain inside it.",
        example: "{\"kty\": \"RSA\", …, \"x5c\": [\"MII…\"]}",
        instead: "Nothing, if the key itself is trusted; validity dates of the certificate do not apply.",
    }
    SIG_MALFORMED = "sig.malformed" {
        what: "`signatures` is no list, an entry is no object with `protected` and `signature`, or the signature value is not strict base64url or has the wrong length for its algorithm.",
        why: "RFC 7518 fixes the length; ECDSA signatures in DER form, padded or stripped ones are different octets.",
        example: "\"signature\": \"MEUCIQ…\" (DER) under ES256",
        instead: "Write `signatures` as a list of `{\"protected\": …, \"signature\": …}`; for ECDSA the value is r and s at fixed length, base64url without padding.",
    }
    SIG_MALFORMED_HEADER = "sig.malformed-header" {
        what: "The protected header is not strict base64url of a JSON object with the members it must have, or the unprotected header contradicts it.",
        why: "RFC 7515 makes the header part of what is signed; reading it leniently lets two verifiers disagree about it.",
        example: "a protected header with two `alg` members",
        instead: "Sign again; `alg` and `kid` are text, each name occurs once and in one of the two headers only.",
    }
    SIG_MISSING_KID = "sig.missing-kid" {
        what: "The protected header has no `kid`, or an empty one.",
        why: "A2A requires `kid`; without it a verifier would have to try every key it knows.",
        example: "{\"alg\": \"ES256\", \"typ\": \"JOSE\"}",
        instead: "Sign again with a `kid` in the protected header.",
    }
    SIG_CRITICAL_HEADER = "sig.critical-header" {
        what: "A header carries `crit` or `b64`.",
        why: "Both change what the signature means; no such extension is defined for AgentCards.",
        example: "{\"alg\": \"ES256\", \"kid\": \"k1\", \"crit\": [\"b64\"], \"b64\": false}",
        instead: "Sign again without `crit` and `b64`.",
    }
    SIG_ALGORITHM_UNSUPPORTED = "sig.algorithm-unsupported" {
        what: "The `alg` of the protected header is not an algorithm that is supported.",
        why: "`none` and HMAC prove nothing about a publisher; other names are unknown here. Names are exact.",
        example: "{\"alg\": \"HS256\", …}",
        instead: "Sign with ES256, ES384, ES512, EdDSA, Ed25519, PS256, PS384, PS512, RS256, RS384 or RS512.",
    }
    SIG_ALGORITHM_KEY_MISMATCH = "sig.algorithm-key-mismatch" {
        what: "The `alg` of the protected header does not fit the key that its `kid` names.",
        why: "The key decides the algorithm; a header that could choose would be an attack surface.",
        example: "\"alg\": \"ES384\" with a P-256 key, or \"alg\": \"RS256\" with a JWK that says PS256",
        instead: "Publisher: sign with the algorithm of the key. Verifier: check that the trusted key is the one that the publisher names.",
    }
    SIG_UNKNOWN_KEY = "sig.unknown-key" {
        what: "No trusted key has the `kid` of the protected header.",
        why: "Only keys that the verifier already trusts count; keys named or carried by the signature never do.",
        example: "\"kid\": \"2027\" when the key set knows only \"2026\"",
        instead: "Get the publisher's current key set through a channel you trust.",
    }
    SIG_EXPIRED_KEY = "sig.expired-key" {
        what: "The trusted key that the signature names is past the end of its validity.",
        why: "A2A 8.4.3 forbids expired keys; a key kept for longer than planned is more likely to have leaked.",
        example: "`not-after` of the key is yesterday",
        instead: "Have the card signed with the publisher's current key, or extend the validity if that is what you mean.",
    }
    SIG_NOT_YET_VALID_KEY = "sig.not-yet-valid-key" {
        what: "The validity of the trusted key that the signature names has not begun.",
        why: "The owner of the policy said from when on the key counts.",
        example: "`not-before` of the key is tomorrow",
        instead: "Wait, or correct the date or the clock.",
    }
    SIG_REVOKED_KEY = "sig.revoked-key" {
        what: "The trusted key that the signature names is revoked.",
        why: "Whoever else has the key could have made the signature at any claimed time; revocation wins over everything.",
        example: "status `revoked` for a key whose private part leaked",
        instead: "Have the card signed with another key of the publisher.",
    }
    SIG_INVALID = "sig.invalid" {
        what: "The signature does not verify under the trusted key.",
        why: "The content was changed after signing, or another key made the signature.",
        example: "a card whose URL was rewritten by a gateway",
        instead: "Get the card as it was signed, or have it signed again after the last change.",
    }
    SIG_TYP_MISSING = "sig.typ-missing" {
        what: "The protected header has no `typ`.",
        why: "A2A recommends `typ` `JOSE`; some verifiers insist on it.",
        example: "{\"alg\": \"ES256\", \"kid\": \"k1\"}",
        instead: "Sign with `typ` `JOSE`.",
    }
    SIG_TYP_UNUSUAL = "sig.typ-unusual" {
        what: "The `typ` of the protected header is neither `JOSE` nor `JOSE+JSON`.",
        why: "Some verifiers insist on `JOSE`.",
        example: "{\"alg\": \"ES256\", \"kid\": \"k1\", \"typ\": \"JWT\"}",
        instead: "Sign with `typ` `JOSE`.",
    }
    SIG_JKU_NULL = "sig.jku-null" {
        what: "The `jku` of the protected header is null; it counts as absent.",
        why: "RFC 7515 wants a URL there; null is what some signers write when no URL was given.",
        example: "{\"alg\": \"ES256\", \"kid\": \"k1\", \"jku\": null}",
        instead: "Leave `jku` out.",
    }
}
