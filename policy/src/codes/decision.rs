//! Reasons of decisions: what a policy says about a card.

use countersign_keys::declare_codes;

declare_codes! {
    SIG_UNCOVERED_MEMBER = "sig.uncovered-member" {
        what: "The signature verifies, but a member of the received card has no part in the octets that were signed.",
        why: "Whoever passes the card on can change, add or delete such a member and the signature still verifies.",
        example: "a card signed under sdk-1.x with an unsigned `{}` in `supportedInterfaces`",
        instead: "Sign under a form that covers the member (`as-received` covers all), delete it, or allow its place (`--allow-uncovered POINTER`).",
    }
    SIG_ABSENT = "sig.absent" {
        what: "The card has no signature: `signatures` is absent, null or empty.",
        why: "Anyone who can write the file or the response can change any member of an unsigned card.",
        example: "{\"name\": \"Agent\", \"signatures\": []}",
        instead: "Sign the card at build time: `countersign sign card.json --key key.jwk -o signed.json`.",
    }
    SIG_THRESHOLD = "sig.threshold" {
        what: "Signatures verify, but by fewer distinct keys than demanded.",
        why: "Several entries by one key are one signer.",
        example: "two entries by one key under `--min 2`",
        instead: "Have another trusted key sign, or demand fewer.",
    }
    SIG_STALE = "sig.stale" {
        what: "A signature on the card names a known key and does not verify over the card as it is now.",
        why: "The card was changed after that key signed it, or another key made the signature; verifiers that trust only that key refuse the card. `verify` calls such a signature `sig.invalid`.",
        example: "a card whose version was raised, signed again by one of its two keys",
        instead: "Have that key sign again, or remove its entry with `--drop-stale`.",
    }
    KEY_TOO_MANY = "key.too-many" {
        what: "A JWK set that was fetched has more keys than `max-keys` of its `[[jwks]]` allows, so none of them counts.",
        why: "Whoever can add keys to the set can sign; the limit makes a set that grows unexpectedly visible.",
        example: "nine keys at the URL of a set without `max-keys`, which allows eight",
        instead: "Ask the owner of the set what the keys are for, then raise `max-keys` (at most 64) or name the keys with `pins`.",
    }
    KEY_SET_UNAVAILABLE = "key.set-unavailable" {
        what: "A JWK set of the policy could not be fetched, or what is at its URL cannot be used.",
        why: "Its keys are unknown, so no signature by them counts; what was fetched before counts only as long as the policy says.",
        example: "the server of the set answers with status 503",
        instead: "The finding names the cause; try again later, or hold the set as a `file`.",
    }
    FRESH_EXPIRED = "fresh.expired" {
        what: "The protected header has an `exp` that is not after the time of the check.",
        why: "The signer said that the signature must not be relied on from that time on.",
        example: "exp 1767225600, checked at 2026-01-01T00:00:00Z",
        instead: "Ask the publisher for a newer signature.",
    }
    AUTH_NOT_PROVABLE = "auth.not-provable" {
        what: "The card declares security schemes and no requirement, and its payload is the one that the official SDKs sign.",
        why: "Their form leaves requirements without scopes unsigned, so one may have been deleted after signing.",
        example: "{\"securitySchemes\": {\"bearer\": …}} without `securityRequirements`, signed under sdk-1.x",
        instead: "Treat the card as one that does not say how to authenticate; ask the publisher to sign under `a2a-1.0`.",
    }
    AUTH_ANONYMOUS = "auth.anonymous" {
        what: "The card lets in clients that do not authenticate: it has no security requirement, or one of its alternatives demands nothing.",
        why: "Requirements are alternatives (A2A §4.5); a client may choose the empty one, so the others protect nothing.",
        example: "{\"securityRequirements\": [{\"schemes\": {\"oauth\": {\"list\": [\"read\"]}}}, {}]}",
        instead: "Demand a declared scheme in every alternative; if the agent is meant to be open, switch the lint off for this card.",
    }
    AUTH_UNDEFINED_SCHEME = "auth.undefined-scheme" {
        what: "A security requirement names a scheme that `securitySchemes` does not have.",
        why: "No client can tell how to satisfy the requirement (A2A §4.5.1); some skip it and call without authentication.",
        example: "{\"securitySchemes\": {\"bearer\": …}, \"securityRequirements\": [{\"schemes\": {\"Bearer\": {\"list\": []}}}]}",
        instead: "Use the name under which the scheme is declared, or declare it. Names are compared exactly.",
    }
    IFACE_NONE_COMPATIBLE = "iface.none-compatible" {
        what: "The card has no interface that the client can use.",
        why: "A client must not guess: the first URL of the card may speak anything.",
        example: "a card with a GRPC interface for a client with `--accept 1.0/JSONRPC`",
        instead: "The list of what is offered says why each interface was passed over.",
    }
    IFACE_NONE_LEFT = "iface.none-left" {
        what: "No interface of the card is left to call: the trust policy allows none, or each one answered that it does not support the version.",
        why: "Trying anything else would be a guess, or a call that nobody allowed.",
        example: "a card whose only interface is on a host that `interfaces.hosts` does not list",
        instead: "Look at the reasons of each interface; after VersionNotSupportedError tell the publisher, or allow the fallback to 0.3.",
    }
    CARD_INTERFACE_INCOMPLETE = "card.interface-incomplete" {
        what: "An interface has no usable `url`, transport or protocol version: the member is missing, empty or no text.",
        why: "No client can choose the interface, and a client that guesses speaks another protocol than the server.",
        example: "{\"supportedInterfaces\": [{\"url\": \"https://agent.example/a2a\", \"protocolBinding\": \"JSONRPC\", \"protocolVersion\": \"\"}]}",
        instead: "Write all three members, such as `\"protocolVersion\": \"1.0\"`.",
    }
    CARD_UNVERSIONED = "card.unversioned" {
        what: "A card in the shape of A2A 0.3 or older does not name a version of the protocol that was published.",
        why: "SDKs guess 0.3; the server behind it may speak 0.1, 0.2 or 0.3, which differ in methods and members.",
        example: "{\"url\": \"https://agent.example/a2a\", \"capabilities\": {}, \"skills\": []}",
        instead: "Write the version that the server speaks, such as `\"protocolVersion\": \"0.3.0\"`; better, publish a card of A2A 1.0.",
    }
    ORIGIN_NO_RULE = "origin.no-rule" {
        what: "No `[[allow]]` of the policy is for the place that the card came from.",
        why: "A policy names whom to talk to; a source that nobody named is a stranger.",
        example: "a card from https://agents.other.example under `from = [\"https://agents.acme.example\"]`",
        instead: "Add an `[[allow]]` with a `from` for the source, if its owner may be talked to.",
    }
    ORIGIN_DENIED = "origin.denied" {
        what: "A `[[deny]]` of the policy hits the source of the card or a URL in it.",
        why: "What is denied by name is denied whatever else allows it.",
        example: "an interface on `x.ngrok-free.app` under `hosts = [\"**.ngrok-free.app\"]`",
        instead: "Use an agent on another host, or take the host out of the deny rule.",
    }
    TENANT_NOT_APPROVED = "tenant.not-approved" {
        what: "Rules are for the source of the card, and none of them is for this tenant.",
        why: "An agent that one tenant may talk to may see what belongs to that tenant only.",
        example: "--tenant finance under `tenants = [\"service-desk\"]`",
        instead: "Add the tenant to `tenants` of the rule, or ask for a tenant that it names.",
    }
    USE_NOT_APPROVED = "use.not-approved" {
        what: "Rules are for the source of the card and the tenant, and none of them is for this use.",
        why: "An agent that was reviewed for one use was not reviewed for another.",
        example: "--use payments under `uses = [\"certificates\"]`",
        instead: "Add the use to `uses` of the rule, or ask for a use that it names.",
    }
    SIG_KEY_OUT_OF_SCOPE = "sig.key-out-of-scope" {
        what: "The signature verifies with a key of the policy whose `origins` do not cover the source of the card.",
        why: "A key speaks for the hosts of its owner; else one partner could sign cards for the hosts of another.",
        example: "a card from https://agents.acme.example signed by a key with `origins = [\"https://agents.partner.example\"]`",
        instead: "Let the owner of the source sign the card, or add the source to the `origins` of the key.",
    }
    SIG_ALGORITHM_NOT_ALLOWED = "sig.algorithm-not-allowed" {
        what: "The signature is made with an algorithm that `signatures.algorithms` of the rule does not list.",
        why: "A list of algorithms is what keeps an old or weak one from being used for ever.",
        example: "an RS256 signature under `algorithms = [\"ES256\", \"EdDSA\"]`",
        instead: "Sign with a listed algorithm, or list the algorithm.",
    }
    SIG_NOT_CHECKED = "sig.not-checked" {
        what: "The policy says `level = \"off\"`, so no signature was looked at and everything in the card is a claim.",
        why: "Whoever can change the card on its way can change every word of it.",
        example: "signatures = { level = \"off\", reason = \"pilot\", until = 2026-12-31 }",
        instead: "Write `level = \"if-present\"`, and `level = \"require\"` as soon as the card is signed.",
    }
    IFACE_HOST_NOT_ALLOWED = "iface.host-not-allowed" {
        what: "The host of an interface matches none of `interfaces.hosts`, `interfaces.networks` and `any-host` of the rule.",
        why: "A signed card can still send a client anywhere; the list of hosts is what stops it.",
        example: "https://a2a.vendor-y.example/ under `hosts = [\"a2a.vendor-x.example\"]`",
        instead: "Add the host to `interfaces.hosts`, if its owner may be talked to.",
    }
    IFACE_OFF_ORIGIN = "iface.off-origin" {
        what: "The host of an interface is not the host that the card came from, and the rule says `hosts = \"*source\"`.",
        why: "A card copied to another place would send clients from there to hosts that nobody named.",
        example: "an interface on https://a2a.vendor-x.example in a card from https://agents.acme.example",
        instead: "List the hosts: `interfaces.hosts = [\"a2a.vendor-x.example\"]`.",
    }
    IFACE_PATH_NOT_ALLOWED = "iface.path-not-allowed" {
        what: "The path of an interface is none that the rule allows.",
        why: "One host can serve several agents, and one of them was approved.",
        example: "https://a2a.vendor-x.example/admin under `paths = [\"/a2a/\"]`",
        instead: "Add the path; one that ends in `/` stands for all below it.",
    }
    IFACE_PORT_NOT_ALLOWED = "iface.port-not-allowed" {
        what: "The port of an interface is none that the rule allows.",
        why: "Another port is another server, often one that was not meant for strangers.",
        example: "https://a2a.vendor-x.example:8443/ under `hosts = [\"a2a.vendor-x.example\"]`",
        instead: "Write the port into the pattern: `a2a.vendor-x.example:8443`.",
    }
    IFACE_SCHEME_NOT_ALLOWED = "iface.scheme-not-allowed" {
        what: "The scheme of an interface is none that the rule allows.",
        why: "Without TLS everybody on the way reads and changes what is said, credentials included.",
        example: "http://a2a.vendor-x.example/ under `schemes = [\"https\"]`",
        instead: "Serve the interface over https; for a server on the own machine there is `allow-loopback`.",
    }
    IFACE_BINDING_NOT_ALLOWED = "iface.binding-not-allowed" {
        what: "The binding of an interface is none of `interfaces.bindings`.",
        why: "A binding that was not reviewed may frame, authenticate and fail in other ways.",
        example: "`GRPC` under `bindings = [\"JSONRPC\"]`",
        instead: "Add the binding to `interfaces.bindings`, exactly as the card spells it.",
    }
    IFACE_VERSION_NOT_ALLOWED = "iface.version-not-allowed" {
        what: "The protocol version of an interface is none of `interfaces.versions`.",
        why: "An older version may lack what the owner relies on; leaving the newer interface out of a card is how clients are led to it.",
        example: "`0.3` under `versions = [\"1.0\"]`",
        instead: "Add the version to `interfaces.versions`, or write an exception with an end.",
    }
    AUTH_UNSATISFIABLE = "auth.unsatisfiable" {
        what: "The card demands authentication, and no alternative consists of schemes in `auth.schemes` only.",
        why: "The client could connect and would be refused, or would be tempted to send a credential that was not meant for this agent.",
        example: "a card that demands `apikey:query` under `auth.schemes = [\"http:bearer\"]`",
        instead: "Add the scheme to `auth.schemes`, if the client can satisfy it.",
    }
    AUTH_HOST_NOT_ALLOWED = "auth.host-not-allowed" {
        what: "A URL that clients send credentials to is neither on the host of an admitted interface nor in `auth.hosts`, or is no https URL under the strict profile.",
        why: "A card whose interfaces are fine can still send the client secret to somebody else.",
        example: "`tokenUrl` https://login.evil.test/token under `auth.hosts = [\"login.acme.example\"]`",
        instead: "Add the host to `auth.hosts`, if it belongs to whoever issues the credentials.",
    }
    EXT_DENIED = "ext.denied" {
        what: "A `[[deny]]` of the policy names an extension of the card.",
        why: "An extension changes what messages mean; the owner has decided against this one.",
        example: "a card that requires https://example.com/ext/payments/v1",
        instead: "Use an agent without the extension, or take it out of the deny rule.",
    }
    EXT_REQUIRED_UNSUPPORTED = "ext.required-unsupported" {
        what: "The card requires an extension that the client does not support.",
        why: "A2A 1.0 section 4.6: the agent may refuse or misread a client that ignores a required extension.",
        example: "`{\"uri\": \"https://example.com/ext/v1\", \"required\": true}` and a client without it",
        instead: "Support the extension in the client, or ask for an agent that does not require it.",
    }
    FRESH_TOO_OLD = "fresh.too-old" {
        what: "A signature that counts is older than `max-age`, or does not say when it was made.",
        why: "A card that was right a year ago may name an endpoint that has changed hands.",
        example: "a signature without `iat` under `max-age = \"180d\"`",
        instead: "Sign again with `--issued-at now`.",
    }
    FRESH_NOT_YET = "fresh.not-yet" {
        what: "A signature that counts was made later than now, by more than `clock-skew`.",
        why: "One of the two clocks is wrong, or the time was chosen to outlive `max-age`.",
        example: "`iat` an hour from now under `clock-skew = \"60s\"`",
        instead: "Set the clocks; sign again.",
    }
    SIG_DOWNGRADE = "sig.downgrade" {
        what: "The card is unsigned, and a signed card from the same origin was admitted before.",
        why: "Taking the signatures off a card is how a changed one gets past a rule that verifies only what is signed.",
        example: "a card without `signatures` under `level = \"if-present\"`, a week after a signed one",
        instead: "Ask the publisher for the signed card; if it signs no longer, write an exception with an end.",
    }
    PIN_FIRST_USE = "pin.first-use" {
        what: "No card of this agent was admitted before, or none that a person accepted where the rule wants that.",
        why: "Without a memory nothing tells the first card of a partner from the first card of an attacker.",
        example: "pin = { first-use = \"review\" }",
        instead: "Look at the card, and accept its digest: `countersign pin accept sha256:… --pins FILE`.",
    }
    PIN_ROLLBACK = "pin.rollback" {
        what: "The card has an older `version` or an older `iat` than one that was admitted, or nobody can say whether it has.",
        why: "An old card verifies as well as a new one; it may name an endpoint that was given up or has changed hands.",
        example: "version 1.2.0 signed and all, after 1.3.0",
        instead: "Ask the publisher for its current card; if it went back on purpose, look at the card and accept its digest.",
    }
    PIN_STRUCTURE = "pin.structure" {
        what: "Interfaces, security, capabilities, extensions, provider or unknown members are others than before, and the version is not newer.",
        why: "What a card says of where to connect and how to authenticate changes with a release, not in between.",
        example: "another `supportedInterfaces` under the version 1.2.0 that was seen before",
        instead: "Ask the publisher what changed and for a new version; or look at the card and accept its digest.",
    }
    PIN_TEXT = "pin.text" {
        what: "Texts, tags, skills or media types are others than before, and the version is not newer.",
        why: "Models read these texts as instructions; one that was reviewed says nothing about the next.",
        example: "another description of a skill under the version 1.2.0 that was seen before",
        instead: "Ask the publisher what changed and for a new version; or look at the card and accept its digest.",
    }
    PIN_REVOKED = "pin.revoked" {
        what: "A person revoked this card: its content, its octets or what its signatures are over.",
        why: "Signatures of a bad card stay good; a revocation is how its reader takes it out of use.",
        example: "`countersign pin revoke sha256:… --pins FILE`, and the card is served again",
        instead: "Get another card from the publisher. What was revoked stays revoked.",
    }
    PIN_NOT_KEPT = "pin.not-kept" {
        what: "The rule compares cards with what was seen before, and nothing is remembered in this run.",
        why: "An older card of the same source, signed and all, would be admitted.",
        example: "pin = { rollback = \"deny\" } and `admit` without `--pins`",
        instead: "Name a file that remembers: `--pins FILE`. Bound the age of signatures with `max-age`.",
    }
    PIN_DAMAGED = "pin.damaged" {
        what: "The file of pins was changed or cut, or is no file of pins, so what was seen before is not known.",
        why: "Going on without it would make every card the first one of its agent, which is what an attacker of the file wants.",
        example: "a line that was edited by hand; a file of another kind",
        instead: "Take the file from a backup. Only who wants to forget all of it starts a new one, and reviews every agent again.",
    }
    PIN_UNAVAILABLE = "pin.unavailable" {
        what: "The file of pins cannot be opened, locked, read or written.",
        why: "A card that is admitted without being remembered leaves the next one nothing to be compared with.",
        example: "a full disk, a folder that is not there",
        instead: "Make the file readable and writable; nothing is admitted before.",
    }
    IFACE_BINDING_CASE = "iface.binding-case" {
        what: "The binding is a core binding in another case.",
        why: "Bindings are compared exactly by most clients: `jsonrpc` is not `JSONRPC` to them.",
        example: "{\"protocolBinding\": \"jsonrpc\"}",
        instead: "Write `JSONRPC`, `GRPC` or `HTTP+JSON`.",
    }
}
