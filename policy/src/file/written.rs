//! The members of a policy file, as written. The comments are the descriptions in the JSON Schema.

mod at;
mod choice;
#[cfg(feature = "schema")]
mod words;

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) use at::{At, Date};
pub(super) use choice::{JwkMember, Switch, Words, WrittenAnyHosts, WrittenMode};

/// A list of texts, each with its place.
pub(super) type Texts = At<Vec<At<String>>>;

/// The members of a public JWK.
pub(super) type WrittenJwk = BTreeMap<String, At<JwkMember>>;

/// Only what says whether the rest can be read.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct WrittenHead {
    pub(super) schema: Option<At<i64>>,
    pub(super) min_tool: Option<At<String>>,
}

/// Declares members of tables: every one optional unless its type says otherwise, and no other allowed.
macro_rules! tables {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)+ })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Deserialize)]
        #[cfg_attr(feature = "schema", derive(JsonSchema))]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub(super) struct $name {
            $($(#[$field_meta])* pub(super) $field: $type,)+
        }
    )+};
}

tables! {
    /// A trust policy: whose AgentCards this client accepts, and what it demands of them.
    struct WrittenPolicy {
        /// Version of this language: 1.
        #[expect(dead_code, reason = "read by itself, before the rest")]
        schema: i64,
        /// Name of the policy.
        name: Option<String>,
        /// Who answers for it.
        owner: Option<String>,
        /// Oldest version of countersign that may read the file, such as `0.1.0`.
        #[expect(dead_code, reason = "read by itself, before the rest")]
        min_tool: Option<String>,
        /// A policy that this one may tighten and not loosen.
        extends: Option<At<WrittenExtends>>,
        /// Files with definitions: `key`, `jwks`, `keysets`, `hostsets`, `exception`.
        include: Option<Texts>,
        /// What holds for every rule that does not say otherwise.
        defaults: Option<At<WrittenDefaults>>,
        /// How cards and key sets are fetched.
        fetch: Option<At<WrittenFetch>>,
        /// How long decisions may be remembered.
        cache: Option<At<WrittenCache>>,
        /// Keys, and keys that must not count any more.
        key: Option<Vec<At<WrittenKey>>>,
        /// JWK sets: URL, file or keys, and scope.
        jwks: Option<Vec<At<WrittenJwks>>>,
        /// Ids of keys and JWK sets by the name of a set.
        keysets: Option<BTreeMap<String, Texts>>,
        /// Host patterns by the name of a set.
        hostsets: Option<BTreeMap<String, Texts>>,
        /// What is denied, whatever else allows it.
        deny: Option<Vec<At<WrittenDeny>>>,
        /// What is allowed. The most specific `from` decides which rule holds.
        allow: Option<Vec<At<WrittenAllow>>>,
        /// Demands that one source need not meet for a time.
        exception: Option<Vec<At<WrittenException>>>,
        /// `allow`, `warn` or `error` by the name of a policy lint; `*` stands for all others.
        #[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = words::lint_levels())))]
        lints: Option<BTreeMap<String, At<String>>>,
    }

    /// A file with definitions, to be included.
    struct WrittenDefinitions {
        /// Version of this language: 1.
        #[expect(dead_code, reason = "read by itself, before the rest")]
        schema: Option<i64>,
        /// Oldest version of countersign that may read the file, such as `0.1.0`.
        #[expect(dead_code, reason = "read by itself, before the rest")]
        min_tool: Option<String>,
        /// Further files with definitions.
        include: Option<Texts>,
        /// Keys, and keys that must not count any more.
        key: Option<Vec<At<WrittenKey>>>,
        /// JWK sets: URL, file or keys, and scope.
        jwks: Option<Vec<At<WrittenJwks>>>,
        /// Ids of keys and JWK sets by the name of a set.
        keysets: Option<BTreeMap<String, Texts>>,
        /// Host patterns by the name of a set.
        hostsets: Option<BTreeMap<String, Texts>>,
        /// Demands that one source need not meet for a time.
        exception: Option<Vec<At<WrittenException>>>,
    }

    /// A policy that is a floor.
    struct WrittenExtends {
        /// The file, relative to this one, inside its folder.
        path: At<String>,
        /// SHA-256 of its octets, 64 hexadecimal digits.
        sha256: Option<At<String>>,
    }

    /// What holds for every rule that does not say otherwise.
    struct WrittenDefaults {
        /// `enforce`, or a table with `audit = true`, `reason` and `until`. Default: `enforce`.
        mode: Option<At<WrittenMode>>,
        /// How far clocks may differ, for `not-before` and `iat`. Default: `60s`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::DURATION)))]
        clock_skew: Option<At<String>>,
        /// Longest card. Default: `256KiB`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::SIZE)))]
        max_card: Option<At<String>>,
        /// Most signatures on a card, 1 to 16. Default: 16.
        max_signatures: Option<At<i64>>,
        /// Demands on signatures.
        signatures: Option<At<WrittenSignatures>>,
        /// Demands on interfaces.
        interfaces: Option<At<WrittenInterfaces>>,
        /// Demands on authentication.
        auth: Option<At<WrittenAuth>>,
    }

    /// Denials are reported and not enforced.
    struct WrittenAudit {
        /// `true`.
        audit: At<Switch>,
        /// Why.
        reason: Option<At<String>>,
        /// The last day, or second, that it holds.
        until: Option<At<Date>>,
    }

    /// Demands on signatures.
    struct WrittenSignatures {
        /// `require`, `if-present` or `off`; the last two need `reason` and `until`. Default: `require`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["require", "if-present", "off"])))]
        level: Option<At<String>>,
        /// Why the level is weaker than `require`.
        reason: Option<At<String>>,
        /// The last day, or second, of the weaker level.
        until: Option<At<Date>>,
        /// Keys of which some must have signed. Default: one key whose origins cover the source.
        require: Option<At<WrittenGroup>>,
        /// Several such groups, each of which must have signed.
        all_of: Option<At<Vec<At<WrittenGroup>>>>,
        /// The algorithms that count. Default: every one that countersign knows.
        #[cfg_attr(feature = "schema", schemars(extend("items" = words::algorithms())))]
        algorithms: Option<Texts>,
        /// The canonical forms that count.
        forms: Option<Texts>,
        /// A trusted key's signature that does not verify beside one that does: `report` or `deny`. Default: `report`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["report", "deny"])))]
        stale: Option<At<String>>,
        /// Members that no counted signature covers: `strip` or `deny`. Default: `strip`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["strip", "deny"])))]
        uncovered: Option<At<String>>,
        /// Members that may be unsigned for a time.
        allow_uncovered: Option<At<WrittenAllowance>>,
        /// Oldest `iat` that counts. Default: any.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::DURATION)))]
        max_age: Option<At<String>>,
    }

    /// Keys of which some must have signed.
    struct WrittenGroup {
        /// `*origin`, the id of a key, JWK set or key set, or a list of ids.
        keys: At<Words>,
        /// How many distinct keys. Default: 1.
        min: Option<At<i64>>,
    }

    /// Members that may be unsigned for a time.
    struct WrittenAllowance {
        /// JSON Pointers into the card (RFC 6901).
        pointers: Texts,
        /// Why.
        reason: Option<At<String>>,
        /// The last day, or second, that it holds.
        until: Option<At<Date>>,
    }

    /// Demands on interfaces.
    struct WrittenInterfaces {
        /// `https`, `http`, `wss`, `ws`. Default: `https`, which stands for the gRPC `host:port` too.
        #[cfg_attr(feature = "schema", schemars(extend("items" = words::schemes())))]
        schemes: Option<Texts>,
        /// `*source`, the name of a set of hosts, or a list of patterns and names of sets. Default: `*source`.
        hosts: Option<At<Words>>,
        /// Paths; one that ends in `/` stands for all below it. Default: any.
        paths: Option<Texts>,
        /// Protocol versions, such as `1.0` or `>=1.0, <2.0`. Default: `1.0`.
        versions: Option<Texts>,
        /// Bindings. Default: `JSONRPC`, `GRPC`, `HTTP+JSON`.
        bindings: Option<Texts>,
        /// Whether a URL may have a query: `deny` or `allow`. Default: `deny`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["deny", "allow"])))]
        query: Option<At<String>>,
        /// Whether this machine may be called, over http too. Default: `false`.
        allow_loopback: Option<At<Switch>>,
        /// Ranges of addresses that an interface may have as its host. Default: none.
        networks: Option<Texts>,
        /// Whether any public host will do; a table with `reason` and `until`. Default: `false`.
        any_host: Option<At<WrittenAnyHosts>>,
        /// What a failing interface means: `drop` or `deny-card`. Default: `drop`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["drop", "deny-card"])))]
        other: Option<At<String>>,
    }

    /// Any public host, for a time.
    struct WrittenAnyHost {
        /// Why.
        reason: Option<At<String>>,
        /// The last day, or second, that it holds.
        until: Option<At<Date>>,
    }

    /// Demands on authentication.
    struct WrittenAuth {
        /// A card that lets in everybody: `allow`, `report` or `deny`. Default: `report`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["allow", "report", "deny"])))]
        anonymous: Option<At<String>>,
        /// What the client can satisfy, such as `http:bearer` or `oauth2:client_credentials`. Default: any.
        schemes: Option<Texts>,
        /// Hosts of token and other credential URLs, beside the hosts of the admitted interfaces. Default: none.
        hosts: Option<At<Words>>,
        /// Our credential by the name that the card gives its scheme.
        credentials: Option<BTreeMap<String, At<String>>>,
    }

    /// How cards and key sets are fetched.
    struct WrittenFetch {
        /// Most redirects. Default: 0.
        redirects: Option<At<i64>>,
        /// Longest time for one document. Default: `5s`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::DURATION)))]
        timeout: Option<At<String>>,
        /// Longest document. Default: `256KiB`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::SIZE)))]
        max_octets: Option<At<String>>,
        /// Accepted content types. Default: `application/json`, `application/a2a+json`.
        content_types: Option<Texts>,
        /// Which addresses are connected to: `public`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["public"])))]
        addresses: Option<At<String>>,
        /// Ranges of private addresses that may be reached beside public ones. Default: none.
        networks: Option<Texts>,
    }

    /// How long decisions may be remembered.
    struct WrittenCache {
        /// An admission. Default: `1h`; `0` is never.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::DURATION)))]
        max_ttl: Option<At<String>>,
        /// A denial, at most 30 s. Default: `30s`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::DURATION)))]
        negative: Option<At<String>>,
        /// How long the last answer is used while the source cannot be reached. Default: `0s`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::DURATION)))]
        stale_if_error: Option<At<String>>,
    }

    /// A key and what it may speak for, or a key that must not count any more.
    struct WrittenKey {
        /// Name of the key in this policy.
        id: At<String>,
        /// The `kid` that signatures must name.
        kid: Option<At<String>>,
        /// The public JWK.
        jwk: Option<At<WrittenJwk>>,
        /// A file with one public JWK or PEM key, relative to this one, inside its folder.
        file: Option<At<String>>,
        /// RFC 7638 thumbprint, for a revoked key.
        thumbprint: Option<At<String>>,
        /// The algorithms that it may be used with. Default: all of its kind.
        #[cfg_attr(feature = "schema", schemars(extend("items" = words::algorithms())))]
        algorithms: Option<Texts>,
        /// Sources whose cards it may sign.
        origins: Option<At<Words>>,
        /// From when on it counts.
        not_before: Option<At<Date>>,
        /// Until when it counts.
        not_after: Option<At<Date>>,
        /// That the key does not count any more, since when, and why.
        revoked: Option<At<WrittenRevoked>>,
    }

    /// That a key does not count any more.
    struct WrittenRevoked {
        /// Since when.
        at: At<Date>,
        /// `compromised` or `superseded`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["compromised", "superseded"])))]
        reason: At<String>,
    }

    /// A set of keys with one scope.
    struct WrittenJwks {
        /// Name of the set in this policy.
        id: At<String>,
        /// Where it is fetched.
        url: Option<At<String>>,
        /// The file that holds it, relative to this one, inside its folder.
        file: Option<At<String>>,
        /// The public JWKs themselves.
        keys: Option<At<Vec<At<WrittenJwk>>>>,
        /// Sources whose cards its keys may sign.
        origins: Option<At<Words>>,
        /// The algorithms that its keys may be used with. Default: all.
        #[cfg_attr(feature = "schema", schemars(extend("items" = words::algorithms())))]
        algorithms: Option<Texts>,
        /// Time between two fetches. Default: `10m`.
        #[cfg_attr(feature = "schema", schemars(extend("pattern" = words::DURATION)))]
        refresh: Option<At<String>>,
        /// Most keys; a set with more is not used. Default: 8.
        max_keys: Option<At<i64>>,
        /// RFC 7638 thumbprints of the only keys that count. Default: none, all count.
        pins: Option<Texts>,
    }

    /// What is denied.
    struct WrittenDeny {
        /// Name of the rule.
        id: At<String>,
        /// Hosts, of the source and of every URL of the card.
        hosts: Option<At<Words>>,
        /// URIs of extensions.
        extensions: Option<Texts>,
        /// Whether an extension counts that is `declared`, or only one that is `required`. Default: `declared`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["declared", "required"])))]
        when: Option<At<String>>,
        /// Why.
        reason: At<String>,
    }

    /// What is allowed.
    struct WrittenAllow {
        /// Name of the rule.
        id: At<String>,
        /// Sources that it is for.
        from: Option<At<Words>>,
        /// `well-known`, `url`, `file` or `registry:NAME`. Default: any.
        sources: Option<Texts>,
        /// Tenants, exact or with one `*` at the end. Default: any and none.
        tenants: Option<Texts>,
        /// Uses, exact or with one `*` at the end. Default: any and none.
        uses: Option<Texts>,
        /// `enforce`, or a table with `audit = true`, `reason` and `until`.
        mode: Option<At<WrittenMode>>,
        /// Demands on signatures.
        signatures: Option<At<WrittenSignatures>>,
        /// Demands on interfaces.
        interfaces: Option<At<WrittenInterfaces>>,
        /// Demands on authentication.
        auth: Option<At<WrittenAuth>>,
        /// What is compared with what was seen before.
        pin: Option<At<WrittenPin>>,
        /// How long the answer may be remembered.
        cache: Option<At<WrittenCache>>,
    }

    /// What is compared with what was seen before.
    struct WrittenPin {
        /// A card that was never seen: `accept` or `review`. Default: `accept`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["accept", "review"])))]
        first_use: Option<At<String>>,
        /// An older version or signature: `report` or `deny`. Default: `deny`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["report", "deny"])))]
        rollback: Option<At<String>>,
        /// Other interfaces or demands without a newer version: `report` or `deny`. Default: `deny`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["report", "deny"])))]
        structure: Option<At<String>>,
        /// Other texts: `report` or `deny`. Default: `report`.
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["report", "deny"])))]
        text: Option<At<String>>,
    }

    /// A demand that one source need not meet for a time.
    struct WrittenException {
        /// Name of the exception.
        id: At<String>,
        /// Id of the rule.
        rule: At<String>,
        /// The source: scheme, host and port.
        origin: At<String>,
        /// Codes of what is waived; never an integrity code.
        waives: Texts,
        /// Why.
        reason: Option<At<String>>,
        /// Who answers for it.
        owner: Option<At<String>>,
        /// The last day, or second, that it holds.
        until: Option<At<Date>>,
    }
}
