//! What is wrong or unwise in a policy that can be loaded.

use countersign_keys::declare_codes;

declare_codes! {
    POLICY_UNREACHABLE_RULE = "policy.unreachable-rule" {
        what: "No card is ever admitted under the rule: for every source of its `from` a deny rule or a more specific rule comes first.",
        why: "Its author thinks that it allows something, and its demands protect nothing.",
        example: "[[allow]] from = [\"shop.acme.example\"] beside [[deny]] hosts = [\"**.acme.example\"]",
        instead: "Delete the rule, or narrow the one that the message names.",
    }
    POLICY_DUPLICATE_RULE = "policy.duplicate-rule" {
        what: "Two deny rules say the same, or a pattern stands in one list twice.",
        why: "Whoever changes one of the two thinks that the other is gone.",
        example: "hosts = [\"agents.acme.example\", \"AGENTS.acme.example\"]",
        instead: "Delete one of the two.",
    }
    POLICY_REDUNDANT_RULE = "policy.redundant-rule" {
        what: "Without the rule every card would get the same answer: a wider rule demands, or denies, the same.",
        why: "Two places must be changed where one is meant.",
        example: "[[deny]] hosts = [\"a.tunnels.example\"] beside [[deny]] hosts = [\"**.tunnels.example\"]",
        instead: "Delete the rule, unless it is there to keep its demands when the wider rule changes.",
    }
    POLICY_ALLOW_FULLY_DENIED = "policy.allow-fully-denied" {
        what: "A deny rule denies every host that `interfaces.hosts` of a rule lists.",
        why: "The rule can admit no interface, and its author thinks otherwise.",
        example: "interfaces.hosts = [\"a.ngrok-free.app\"] beside [[deny]] hosts = [\"**.ngrok-free.app\"]",
        instead: "Delete the rule, or narrow the deny rule that the message names.",
    }
    POLICY_EMPTY_ALLOW_SET = "policy.empty-allow-set" {
        what: "The policy has no `[[allow]]`, or a rule has demands that no card can meet together.",
        why: "Everything is denied, and nobody said so.",
        example: "interfaces.schemes = [\"https\"], interfaces.hosts = [\"http://agents.acme.example\"]",
        instead: "Add an `[[allow]]`, or change one of the demands that exclude each other; to deny everything on purpose, suppress this with a comment.",
    }
    POLICY_BROAD_WILDCARD = "policy.broad-wildcard" {
        what: "A pattern matches every name below a registered domain, at any depth, or every port.",
        why: "A forgotten host, a customer's page or another service on the same machine is then an agent.",
        example: "**.acme.example or agents.acme.example:*",
        instead: "Write `*.acme.example` for one label, a name below the domain, and the port.",
    }
    POLICY_HTTP_SCHEME = "policy.http-scheme" {
        what: "Something may be called, or a card may come, over http or ws: an error outside this machine.",
        why: "Whoever is on the way reads the credentials and changes the messages; no signature on a card protects a call.",
        example: "interfaces.schemes = [\"https\", \"http\"]",
        instead: "Serve it over https; for development use `allow-loopback` in a policy of its own.",
    }
    POLICY_IP_LITERAL = "policy.ip-literal" {
        what: "A pattern of an allow rule is an IP address.",
        why: "Addresses change owners without notice, and few certificates name them.",
        example: "from = [\"https://203.0.113.7\"]",
        instead: "Write the host name; for the own network write the range in `interfaces.networks`.",
    }
    POLICY_PATTERN_NOT_CANONICAL = "policy.pattern-not-canonical" {
        what: "A pattern is not spelled as it is compared: upper case, a label outside ASCII, the default port.",
        why: "A reviewer who searches for a host does not find it.",
        example: "https://Agents.Acme.example:443",
        instead: "Write `https://agents.acme.example`; `lint --fix` does.",
    }
    POLICY_MIXED_SCRIPT_HOST = "policy.mixed-script-host" {
        what: "A label of an allowed host has letters of several scripts, or only letters that look like Latin ones.",
        why: "It looks like a host that it is not, and a reviewer lets it pass.",
        example: "аcme.example with a Cyrillic а",
        instead: "Write the host in letters of one script, and compare its `xn--` form with what the partner says.",
    }
    POLICY_APEX_PROBABLY_MISSING = "policy.apex-probably-missing" {
        what: "A wildcard is listed in `from` and the name below it is not, though a key or a test case is for that name.",
        why: "A wildcard never stands for the name itself.",
        example: "from = [\"*.acme.example\"] and a key with origins = [\"acme.example\"]",
        instead: "List both: `from = [\"*.acme.example\", \"acme.example\"]`.",
    }
    POLICY_UNUSED_KEY = "policy.unused-key" {
        what: "No rule can need the key or set of keys: none names it, and its origins are those of no rule with `*origin`.",
        why: "A key that nobody watches counts again as soon as a rule is added for its origins.",
        example: "a [[key]] that stayed after its rule was deleted",
        instead: "Delete it. A key that must not count any more gets `revoked` instead.",
    }
    POLICY_EXPIRED_KEY = "policy.expired-key" {
        what: "The `not-after` of a key has passed, and rules cannot be met without it.",
        why: "Every card under these rules is denied.",
        example: "not-after = 2026-11-01 in the only key of a rule",
        instead: "Add the publisher's new key, then delete this one.",
    }
    POLICY_KEY_EXPIRES_SOON = "policy.key-expires-soon" {
        what: "The `not-after` of a key is within 30 days; within 7 days this is a warning.",
        why: "Cards that only this key signed are denied from then on.",
        example: "not-after = 2026-12-05, looked at on 2026-12-01",
        instead: "Get the publisher's next key, and list both until the old one ends.",
    }
    POLICY_KEY_SCOPE_MISSES_RULE = "policy.key-scope-misses-rule" {
        what: "Too few of the keys that a rule needs have origins that cover one of its sources.",
        why: "Every card from that source is denied, whoever signed it.",
        example: "from = [\"b.example\"], signatures.require = { keys = [\"k\"] }, and k has origins = [\"a.example\"]",
        instead: "Add the source to the `origins` of the key, or take it out of the rule.",
    }
    POLICY_WEAK_ALGORITHM = "policy.weak-algorithm" {
        what: "An RSA key has fewer than 3072 bits, or signatures with the padding of PKCS #1 v1.5 count (RS256, RS384, RS512).",
        why: "NIST SP 800-57 gives 2048 bits until 2030; the old padding has no proof, and its checks have been broken repeatedly.",
        example: "algorithms = [\"RS256\"]",
        instead: "Have the publisher sign with ES256, EdDSA or PS256, then list only that.",
    }
    POLICY_SINGLE_SIGNER_EVERYTHING = "policy.single-signer-everything" {
        what: "One key is in every group of an `all-of`, so its signature alone meets all of them.",
        why: "Several groups say that several parties must sign.",
        example: "all-of = [{ keys = [\"a\", \"b\"] }, { keys = [\"a\"] }]",
        instead: "Name different keys in each group, or write one group with `min`.",
    }
    POLICY_JWKS_UNPINNED_WIDE = "policy.jwks-unpinned-wide" {
        what: "A set of keys is fetched, may speak for several origins or a wildcard, and has no `pins`.",
        why: "Whoever can change that one document signs for all of them.",
        example: "[[jwks]] url = \"https://keys.acme.example/jwks.json\", origins = [\"*.acme.example\"]",
        instead: "Write the thumbprints of its keys in `pins`, or one set for each origin.",
    }
    POLICY_TTL_EXCEEDS_KEY_LIFE = "policy.ttl-exceeds-key-life" {
        what: "`max-ttl` is longer than what is left of a key, or than the time between two fetches of a set of keys.",
        why: "A key that is taken out of its set goes on counting in what is remembered.",
        example: "max-ttl = \"1h\" beside refresh = \"10m\"",
        instead: "Write a `max-ttl` of at most `refresh`.",
    }
    POLICY_REVOKED_KEY_NEEDED = "policy.revoked-key-needed" {
        what: "A rule cannot be met without a key that is revoked.",
        why: "A revoked key never counts, so every card under the rule is denied.",
        example: "require = { keys = [\"acme-2025\"] } and acme-2025 has `revoked`",
        instead: "Name the key that took its place.",
    }
    POLICY_EXCEPTION_EXPIRED = "policy.exception-expired" {
        what: "The `until` of an exception has passed.",
        why: "It has no effect any more; a new date without a new look would bring it back.",
        example: "until = 2026-06-30, looked at on 2026-12-01",
        instead: "Delete it.",
    }
    POLICY_EXCEPTION_EXPIRES_SOON = "policy.exception-expires-soon" {
        what: "An exception ends within 14 days.",
        why: "What it waives is denied from then on.",
        example: "until = 2026-12-10, looked at on 2026-12-01",
        instead: "Ask its owner whether the demand is met by then.",
    }
    POLICY_EXCEPTION_TOO_LONG = "policy.exception-too-long" {
        what: "An exception lasts for more than 180 days from now.",
        why: "Nobody looks at it again, and it becomes the rule.",
        example: "until = 2030-12-31",
        instead: "Write a date within 180 days, or change the rule.",
    }
    POLICY_GRACE_ENDS_SOON = "policy.grace-ends-soon" {
        what: "Something weaker than the default (audit mode, `if-present`, `off`, `allow-uncovered`, `any-host`) ends within 14 days.",
        why: "Cards that pass today are denied from then on.",
        example: "mode = { audit = true, reason = \"roll-out\", until = 2026-12-10 }, looked at on 2026-12-01",
        instead: "Run `countersign admit` with `--at` after the end, and see who would be denied.",
    }
    POLICY_GRACE_TOO_LONG = "policy.grace-too-long" {
        what: "Something weaker than the default (audit mode, `if-present`, `off`, `allow-uncovered`, `any-host`) lasts for more than 180 days from now.",
        why: "Nobody looks at it again, and it becomes the rule.",
        example: "signatures = { level = \"off\", reason = \"pilot\", until = 2099-12-31 }",
        instead: "Write a date within 180 days.",
    }
    POLICY_EXCEPTION_UNUSED = "policy.exception-unused" {
        what: "An exception is for a source that its rule is not for, or no test case needs it.",
        why: "It waits for a card that nobody had in mind.",
        example: "origin = \"https://b.example\" for a rule with from = [\"a.example\"]",
        instead: "Delete it, correct its origin, or add the test case that needs it.",
    }
    POLICY_VERSION_WITH_PATCH = "policy.version-with-patch" {
        what: "An entry of `versions` has a patch number, which is ignored.",
        why: "A2A 1.0 section 3.6: only major and minor take part, so `1.0.1` does not shut out 1.0.0.",
        example: "versions = [\"1.0.0\"]",
        instead: "Write `1.0`; `lint --fix` does.",
    }
    POLICY_BINDING_UNKNOWN = "policy.binding-unknown" {
        what: "An entry of `bindings` is none of JSONRPC, GRPC, HTTP+JSON and no URI.",
        why: "Bindings are compared exactly, so no interface ever has it.",
        example: "bindings = [\"JSON-RPC\"]",
        instead: "Write `JSONRPC`, `GRPC`, `HTTP+JSON` or the URI of a custom binding (A2A 1.0 section 12.7).",
    }
    POLICY_AUTH_HOST_MISSING = "policy.auth-host-missing" {
        what: "OAuth or OpenID Connect is listed in `auth.schemes`, and `auth.hosts` is empty.",
        why: "Tokens mostly come from a host of their own; a card that names one is denied.",
        example: "auth.schemes = [\"oauth2:client_credentials\"]",
        instead: "List the token host: `auth.hosts = [\"login.acme.example\"]`.",
    }
    POLICY_RULE_WITHOUT_TEST = "policy.rule-without-test" {
        what: "No test case reaches a rule, or all that do have one and the same answer.",
        why: "A change that opens or closes the rule is not noticed.",
        example: "a policy test file with cases that are admitted only",
        instead: "Add a case that the rule admits and one that it denies.",
    }
    POLICY_UNUSED_SUPPRESSION = "policy.unused-suppression" {
        what: "A comment `a2a: allow(CODE)` suppresses nothing, or names no lint.",
        why: "It would hide the next finding, which nobody has looked at.",
        example: "# a2a: allow(unused-key) above a key that is used",
        instead: "Delete the comment; `lint --fix` does.",
    }
}
