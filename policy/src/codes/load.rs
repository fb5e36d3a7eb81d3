//! Why a policy file is refused.

use countersign_keys::declare_codes;

declare_codes! {
    POLICY_SYNTAX = "policy.syntax" {
        what: "The policy file is not TOML, or not UTF-8.",
        why: "A policy that is half read would allow or deny by accident, so nothing of it is used.",
        example: "from = [\"https://agents.acme.example\"",
        instead: "Correct the place that is named; a text stands in quotation marks, a date and a number do not.",
    }
    POLICY_INVALID = "policy.invalid" {
        what: "A member has a value that it cannot have: another type, an unknown word, an empty list, a number out of its range, or it is missing or stands beside a member that excludes it.",
        why: "A policy means what it says or nothing: a guess would allow or deny what nobody wrote.",
        example: "uncovered = \"ignore\"",
        instead: "Write what the message expects; the guide to the trust policy lists every member with its values.",
    }
    POLICY_UNKNOWN_FIELD = "policy.unknown-field" {
        what: "A table has a member that does not exist, or that belongs elsewhere.",
        why: "A misspelt demand would be no demand, and nobody would notice.",
        example: "[[key]]\norigin = [\"https://agents.acme.example\"]",
        instead: "Write the name that is suggested: `origins`.",
    }
    POLICY_UNSUPPORTED_SCHEMA = "policy.unsupported-schema" {
        what: "The file is written for another schema, or `min-tool` names a newer countersign.",
        why: "An older program would not know the demands that the file makes.",
        example: "schema = 2",
        instead: "Use the version that `min-tool` names, or write `schema = 1`.",
    }
    POLICY_UNREADABLE_FILE = "policy.unreadable-file" {
        what: "A file that the policy names cannot be read, or holds something else than the policy says.",
        why: "A rule without its keys denies everything, and one without its base would allow too much.",
        example: "file = \"keys/missing.jwk\"",
        instead: "Write the path relative to the file that names it, with `/`.",
    }
    POLICY_DUPLICATE_ID = "policy.duplicate-id" {
        what: "Two keys, sets, rules or exceptions of the policy have one id.",
        why: "Rules and decisions name them by id, so one of the two would be meant by accident.",
        example: "two [[allow]] with id = \"acme\"",
        instead: "Give each its own id.",
    }
    POLICY_INCLUDE_LOOP_OR_ESCAPE = "policy.include-loop-or-escape" {
        what: "A file of the policy includes or extends itself, lies outside the folder of the policy, or is not the one whose SHA-256 `extends` names.",
        why: "Whoever can change a file outside the reviewed folder could change the policy.",
        example: "include = [\"../keys.toml\"]",
        instead: "Keep the files in the folder of the policy, and write the new digest after a review of the base.",
    }
    POLICY_OVERLAPPING_ALLOW = "policy.overlapping-allow" {
        what: "Two rules are equally specific for one source, kind of source, tenant and use.",
        why: "One of them would be picked by accident.",
        example: "two rules with from = [\"https://agents.acme.example\"]",
        instead: "Join them, or give them different `sources`, `tenants` or `uses`.",
    }
    POLICY_UNKNOWN_KEY_REF = "policy.unknown-key-ref" {
        what: "A rule or a key set names a key, JWK set or key set that the policy does not have.",
        why: "The demand could never be met, or would be met by fewer keys than it says.",
        example: "require = { keys = \"acme-relase\" }",
        instead: "Write the id of a `[[key]]` or `[[jwks]]`, or the name of a `[keysets]`.",
    }
    POLICY_UNKNOWN_RULE_REF = "policy.unknown-rule-ref" {
        what: "An exception names a rule that the policy does not have.",
        why: "It would have no effect, and its author thinks otherwise.",
        example: "rule = \"vendor-x-secuirty\"",
        instead: "Write the id of an `[[allow]]`.",
    }
    POLICY_KEY_WITHOUT_SCOPE = "policy.key-without-scope" {
        what: "A key or JWK set has no `origins`.",
        why: "A key without scope would speak for everybody.",
        example: "[[key]]\nid = \"acme\"\nfile = \"acme.jwk\"",
        instead: "Write the sources whose cards it may sign: `origins = [\"https://agents.acme.example\"]`.",
    }
    POLICY_ALG_KEY_MISMATCH = "policy.alg-key-mismatch" {
        what: "`algorithms` of a key names one that no key of its kind can be used with, or that its JWK excludes.",
        why: "Signatures under that algorithm could never count, and the author thinks otherwise.",
        example: "algorithms = [\"ES384\"] for a P-256 key",
        instead: "Write the algorithms of the kind of key: `ES256` for P-256, `EdDSA` for Ed25519.",
    }
    POLICY_SAME_KEY_TWICE = "policy.same-key-twice" {
        what: "One key, by its RFC 7638 thumbprint, stands in the policy under two ids or twice in one set.",
        why: "It would seem to be two signers, and have two scopes.",
        example: "two [[key]] with one `x` and `y`",
        instead: "Keep one entry with all its `origins`.",
    }
    POLICY_PRIVATE_KEY_IN_POLICY = "policy.private-key-in-policy" {
        what: "A policy, or a key file that it names, holds a private or shared key.",
        why: "Whoever can read the policy could sign in the owner's name; the key must count as disclosed.",
        example: "jwk = { kty = \"EC\", crv = \"P-256\", x = \"…\", y = \"…\", d = \"…\" }",
        instead: "Replace the key, and write only what `countersign key public` prints.",
    }
    POLICY_THRESHOLD_EXCEEDS_KEYS = "policy.threshold-exceeds-keys" {
        what: "A group demands more distinct keys than the policy has for it.",
        why: "No card could ever meet the rule.",
        example: "require = { keys = [\"acme\"], min = 2 }",
        instead: "Add keys, or demand fewer. For `*origin` the `origins` of the keys must cover the `from` of the rule.",
    }
    POLICY_UNSIGNED_IN_ENFORCE = "policy.unsigned-in-enforce" {
        what: "A `level` weaker than `require`, or `allow-uncovered`, has no `reason` or no `until`.",
        why: "A weaker demand that nobody explains and that never ends is the demand.",
        example: "signatures = { level = \"if-present\" }",
        instead: "Write `reason` and `until` beside it: `until = 2026-12-31`.",
    }
    POLICY_AUDIT_WITHOUT_END = "policy.audit-without-end" {
        what: "`mode` is audit, without `reason` or `until`.",
        why: "A trial that never ends enforces nothing.",
        example: "mode = { audit = true }",
        instead: "Write `mode = { audit = true, reason = \"…\", until = 2026-12-31 }`.",
    }
    POLICY_EXCEPTION_MISSING_REASON = "policy.exception-missing-reason" {
        what: "An exception lacks `reason`, `owner` or `until`.",
        why: "Nobody could tell later why it is there, whom to ask, and when it may go.",
        example: "[[exception]] without `owner`",
        instead: "Write all three.",
    }
    POLICY_EXCEPTION_TOO_WIDE = "policy.exception-too-wide" {
        what: "An exception is for more than one origin, or waives an integrity code.",
        why: "What proves that a card is the publisher's cannot be waived, and an exception is for one source.",
        example: "waives = [\"sig.invalid\"]",
        instead: "Name one scheme, host and port, and a code of a demand of the rule.",
    }
    POLICY_EXTENDS_LOOSENED = "policy.extends-loosened" {
        what: "A policy demands less than the one that it extends, or allows more.",
        why: "The base is a floor: whoever owns it relies on it.",
        example: "schemes = [\"https\", \"http\"] over a base with schemes = [\"https\"]",
        instead: "Write the same or a narrower value, or have the base changed by its owner.",
    }
}
