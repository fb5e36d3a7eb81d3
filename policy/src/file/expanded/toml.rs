//! The expanded form as a policy file.

use std::fmt::Write as _;

use countersign_keys::trust::{TrustedKey, UnusableKey};
use countersign_keys::{Algorithm, KeyError, Thumbprint, VerifyingKey};
use serde_json::{Map, Value};

use super::super::quote::{toml_key, toml_text};
use crate::TrustPolicy;

type Members = Map<String, Value>;

impl TrustPolicy {
    /// A policy file that means the same: defaults written out, keys in it, `extends` and `include` resolved, no comments.
    ///
    /// What is read from it has the same digest, with one exception: rules that come from a base by `extends` and lack a member
    /// without default, such as `max-age`, that the defaults of the policy have. A file has no way to say that, and the digest
    /// of what is read differs.
    ///
    /// # Errors
    ///
    /// [`KeyError::Encoding`], which no policy causes.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_policy::{Tool, TrustPolicy};
    ///
    /// let tool = Tool { version: "0.1.0", forms: &["a2a-1.0"], default_forms: &["a2a-1.0"] };
    /// let policy = TrustPolicy::read("schema = 1", "trust-policy.toml", &tool)?;
    /// let expanded = policy.to_toml()?;
    /// assert!(expanded.contains("max-signatures = 16\n"));
    /// assert_eq!(TrustPolicy::read(&expanded, "expanded.toml", &tool)?.digest(), policy.digest());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_toml(&self) -> Result<String, KeyError> {
        let trusted = self.parts.trusted.unusable();
        let keys = self.keys().iter().map(|key| &key.trusted).collect();
        let Value::Object(members) = &self.expanded().value else { return Ok(String::new()) };
        let mut writer =
            Writer { text: "schema = 1\n".to_owned(), keys, unusable: trusted.to_vec(), members };
        writer.policy()?;
        Ok(writer.text)
    }
}

struct Writer<'p> {
    text: String,
    keys: Vec<&'p TrustedKey>,
    /// Entries of sets that stand for no key, as long as they are not written.
    unusable: Vec<UnusableKey>,
    members: &'p Members,
}

impl Writer<'_> {
    fn policy(&mut self) -> Result<(), KeyError> {
        let members = self.members;
        self.plain(members, &["name", "owner"]);
        self.heading("[defaults]");
        for limits in object(members, "limits") {
            self.table(limits);
        }
        for defaults in object(members, "defaults") {
            self.plain(defaults, &["mode"]);
            for section in ["signatures", "interfaces", "auth"] {
                self.section(&format!("[defaults.{section}]"), defaults, section);
            }
            self.section("[fetch]", members, "fetch");
            self.section("[cache]", defaults, "cache");
        }
        for key in tables(members, "key") {
            self.heading("[[key]]");
            self.key(key)?;
        }
        for tombstone in tables(members, "revoked") {
            self.heading("[[key]]");
            self.plain(tombstone, &["id", "kid", "thumbprint"]);
            let revoked: Members = ["at", "reason"]
                .into_iter()
                .filter_map(|name| Some((name.to_owned(), tombstone.get(name)?.clone())))
                .collect();
            let _ = writeln!(self.text, "revoked = {}", self.inline(&revoked));
        }
        for set in tables(members, "jwks") {
            self.heading("[[jwks]]");
            self.key_set(set)?;
        }
        for (table, name) in [("[keysets]", "keysets"), ("[hostsets]", "hostsets"), ("[lints]", "lints")] {
            for named in object(members, name).filter(|named| !named.is_empty()) {
                self.heading(table);
                for (name, value) in named {
                    let _ = writeln!(self.text, "{} = {}", toml_key(name), free(value));
                }
            }
        }
        for deny in tables(members, "deny") {
            self.heading("[[deny]]");
            let has_extensions = elements(deny, "extensions").next().is_some();
            self.plain(deny, &["id", "hosts", "extensions", "reason"]);
            self.plain(deny, if has_extensions { &["when"] } else { &[] });
        }
        for rule in tables(members, "allow") {
            self.heading("[[allow]]");
            self.plain(rule, &["id", "from", "sources", "tenants", "uses", "mode", "pin"]);
            for section in ["signatures", "interfaces", "auth", "cache"] {
                self.section(&format!("[allow.{section}]"), rule, section);
            }
        }
        for exception in tables(members, "exception") {
            self.heading("[[exception]]");
            self.plain(exception, &["id", "rule", "origin", "waives", "reason", "owner", "until"]);
        }
        Ok(())
    }

    fn heading(&mut self, heading: &str) {
        let _ = writeln!(self.text, "\n{heading}");
    }

    fn section(&mut self, heading: &str, of: &Members, name: &str) {
        for section in object(of, name) {
            self.heading(heading);
            self.table(section);
        }
    }

    fn table(&mut self, members: &Members) {
        let names: Vec<&str> = members.keys().map(String::as_str).collect();
        self.plain(members, &names);
    }

    /// The members with these names, in this order, each on a line.
    fn plain(&mut self, members: &Members, names: &[&str]) {
        for name in names {
            if let Some((name, value)) = members.get(*name).and_then(|value| self.member(name, value)) {
                let _ = writeln!(self.text, "{name} = {value}");
            }
        }
    }

    fn inline(&self, members: &Members) -> String {
        let members = members.iter().filter_map(|(name, value)| self.member(name, value));
        braced(members)
    }

    /// Name and value as a policy file has them; nothing for an empty list, which no file may have.
    fn member(&self, name: &str, value: &Value) -> Option<(String, String)> {
        let (name, text) = match (name, value) {
            (_, Value::Array(list)) if list.is_empty() => return None,
            ("until" | "at" | "not-before" | "not-after", Value::String(time)) => (name, time.clone()),
            ("max-card-octets", Value::Number(octets)) => ("max-card", size(octets.as_u64()?)),
            ("max-octets", Value::Number(octets)) => (name, size(octets.as_u64()?)),
            ("credentials", _) => (name, free(value)),
            ("hosts" | "from" | "origins", Value::Array(list)) => {
                (name, bracketed(list.iter().filter_map(Value::as_str).map(|host| self.pattern(host))))
            }
            (_, Value::Number(number)) => match name.strip_suffix("-seconds") {
                Some(name) => (name, format!("\"{number}s\"")),
                None => (name, number.to_string()),
            },
            (_, Value::Object(members)) => (name, self.inline(members)),
            (_, Value::Array(list)) => {
                let element = |value: &Value| match value {
                    Value::Object(members) => self.inline(members),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                        free(value)
                    }
                };
                (name, bracketed(list.iter().map(element)))
            }
            (_, Value::Null | Value::Bool(_) | Value::String(_)) => (name, free(value)),
        };
        Some((name.to_owned(), text))
    }

    /// A host pattern, written so that it is not read as the name of a set of hosts.
    fn pattern(&self, pattern: &str) -> String {
        let is_name = object(self.members, "hostsets").any(|sets| sets.contains_key(pattern));
        toml_text(&if is_name { format!("https://{pattern}") } else { pattern.to_owned() })
    }

    fn key(&mut self, key: &Members) -> Result<(), KeyError> {
        self.plain(key, &["id", "kid"]);
        if let Some(known) = self.known(key) {
            let _ = writeln!(self.text, "jwk = {}", jwk(known, None, None)?);
        }
        self.plain(key, &["algorithms", "origins", "not-before", "not-after"]);
        Ok(())
    }

    fn known(&self, key: &Members) -> Option<&VerifyingKey> {
        let thumbprint = Thumbprint::from_text(key.get("thumbprint")?.as_str()?)?;
        self.keys.iter().find(|known| known.thumbprint() == thumbprint).map(|known| known.key())
    }

    fn key_set(&mut self, set: &Members) -> Result<(), KeyError> {
        self.plain(set, &["id", "url"]);
        if set.contains_key("keys") {
            let bound = set.contains_key("algorithms").then(|| algorithms(set));
            let mut lines = Vec::new();
            for key in tables(set, "keys") {
                if let Some(known) = self.known(key) {
                    let kid = key.get("kid").and_then(Value::as_str);
                    lines.push(jwk(known, kid, own_algorithm(known, key, bound.as_deref()))?);
                }
            }
            let most =
                set.get("max-keys").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
            let room = most.unwrap_or_default().saturating_sub(lines.len()).min(self.unusable.len());
            lines.extend(self.unusable.drain(..room).map(|key| unusable(&key)));
            let _ = writeln!(self.text, "keys = [");
            for line in lines {
                let _ = writeln!(self.text, "    {line},");
            }
            let _ = writeln!(self.text, "]");
        }
        self.plain(set, &["origins", "algorithms", "refresh-seconds", "max-keys", "pins"]);
        Ok(())
    }
}

/// The `alg` that the JWK of a set needs, so that with the algorithms of the set it may be used with those of `key`.
fn own_algorithm(known: &VerifyingKey, key: &Members, of_set: Option<&[Algorithm]>) -> Option<Algorithm> {
    let own = key.contains_key("algorithms").then(|| algorithms(key))?;
    let kind = known.kind();
    let without: Option<Vec<Algorithm>> = of_set
        .map(|of_set| of_set.iter().copied().filter(|algorithm| algorithm.key_kind() == kind).collect());
    if without.as_deref() == Some(own.as_slice()) {
        return None;
    }
    let outside = || {
        kind.algorithms().iter().copied().find(|algorithm| !of_set.unwrap_or_default().contains(algorithm))
    };
    own.first().copied().or_else(outside)
}

fn algorithms(of: &Members) -> Vec<Algorithm> {
    let mut algorithms: Vec<_> =
        elements(of, "algorithms").filter_map(|name| Algorithm::from_name(name.as_str()?)).collect();
    algorithms.sort_unstable();
    algorithms
}

/// A public JWK as an inline table.
fn jwk(key: &VerifyingKey, kid: Option<&str>, algorithm: Option<Algorithm>) -> Result<String, KeyError> {
    let members: Members =
        serde_json::from_str(&key.to_jwk(kid, algorithm)?).map_err(|_| KeyError::Encoding)?;
    Ok(braced(members.iter().map(|(name, value)| (toml_key(name), free(value)))))
}

/// An entry that stands for no key, as the original did.
fn unusable(key: &UnusableKey) -> String {
    let kid = key.kid.iter().map(|kid| ("kid".to_owned(), toml_text(kid)));
    braced(std::iter::once(("kty".to_owned(), "\"unusable\"".to_owned())).chain(kid))
}

/// A value whose names are not those of the language.
fn free(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => toml_text(text),
        Value::Array(list) => bracketed(list.iter().map(free)),
        Value::Object(members) => braced(members.iter().map(|(name, value)| (toml_key(name), free(value)))),
    }
}

/// A number of octets, which a policy file gives in KiB or MiB.
fn size(octets: u64) -> String {
    format!("\"{}KiB\"", octets / 1024)
}

fn braced(members: impl Iterator<Item = (String, String)>) -> String {
    let members: Vec<String> = members.map(|(name, value)| format!("{name} = {value}")).collect();
    if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
}

fn bracketed(elements: impl Iterator<Item = String>) -> String {
    format!("[{}]", elements.collect::<Vec<_>>().join(", "))
}

fn object<'v>(of: &'v Members, name: &str) -> impl Iterator<Item = &'v Members> + use<'v> {
    of.get(name).and_then(Value::as_object).into_iter()
}

fn elements<'v>(of: &'v Members, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    of.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn tables<'v>(of: &'v Members, name: &str) -> impl Iterator<Item = &'v Members> + use<'v> {
    elements(of, name).filter_map(Value::as_object)
}
