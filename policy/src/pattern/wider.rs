//! The patterns that cover a pattern, as texts: what an index of patterns is asked for.

use std::fmt::Write as _;

use super::{AllowPattern, DenyPattern, HostPattern, Parts, PortPattern, path_matches};
use crate::url::{Host, Scheme};

/// What stands before the name of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wildcard {
    None,
    OneLabel,
    AnyDepth,
}

impl AllowPattern {
    /// The wildcard, and the host after it.
    pub(crate) fn host_parts(&self) -> (Wildcard, Host) {
        self.parts.host.parts()
    }

    /// The texts of all patterns that match everything this one does, its own among them.
    pub(crate) fn wider(&self) -> Vec<String> {
        let Parts { scheme, host, port, path } = &self.parts;
        let hosts = wider_hosts(host);
        let ports = match port {
            PortPattern::Any => vec![PortPattern::Any],
            PortPattern::Default | PortPattern::Exact(_) => vec![*port, PortPattern::Any],
        };
        let mut paths = vec![""];
        match path.as_deref() {
            // The path of a URL begins with `/`.
            None => paths.push("/"),
            Some(path) => {
                let prefixes = path.match_indices('/').map(|(at, _)| at.saturating_add(1));
                paths.extend(prefixes.filter_map(|end| path.get(..end)));
                paths.extend((!path.ends_with('/')).then_some(path));
            }
        }
        let mut texts = Vec::new();
        for host in &hosts {
            for port in &ports {
                let mut start = String::new();
                if let Some(name) = scheme.name().filter(|_| *scheme != Scheme::Https) {
                    start = format!("{name}://");
                }
                start.push_str(host);
                let written = match port {
                    PortPattern::Default => Ok(()),
                    PortPattern::Exact(port) => write!(start, ":{port}"),
                    PortPattern::Any => write!(start, ":*"),
                };
                debug_assert!(written.is_ok(), "a String takes every text");
                texts.extend(paths.iter().map(|path| format!("{start}{path}")));
            }
        }
        texts
    }

    /// Whether a URL that matches can have this path, which stands for all below it where it ends in `/`.
    pub(crate) fn meets_path(&self, path: &str) -> bool {
        self.parts.path.as_ref().is_none_or(|own| path_matches(own, path) || path_matches(path, own))
    }

    /// The texts of all patterns of denied hosts that deny every host of this one.
    pub(crate) fn denied_by(&self) -> Vec<String> {
        denied_by(&self.parts.host)
    }
}

impl DenyPattern {
    /// The texts of all patterns that deny every host of this one, its own among them.
    pub(crate) fn wider(&self) -> Vec<String> {
        denied_by(&self.host)
    }
}

impl HostPattern {
    fn parts(&self) -> (Wildcard, Host) {
        match self {
            Self::Exact(host) => (Wildcard::None, host.clone()),
            Self::OneLabel(base) => (Wildcard::OneLabel, Host::Name(base.clone())),
            Self::AnyDepth(base) => (Wildcard::AnyDepth, Host::Name(base.clone())),
        }
    }
}

fn wider_hosts(host: &HostPattern) -> Vec<String> {
    let any_depth = |name: &str| names_from(name).map(|name| format!("**.{name}")).collect::<Vec<_>>();
    match host {
        HostPattern::AnyDepth(base) => any_depth(base.as_str()),
        HostPattern::OneLabel(base) => {
            let mut hosts = any_depth(base.as_str());
            hosts.push(format!("*.{base}"));
            hosts
        }
        HostPattern::Exact(host) => {
            let mut hosts = vec![host.to_string()];
            if let Some((_, above)) = host.name().and_then(|name| name.as_str().split_once('.')) {
                hosts.push(format!("*.{above}"));
                hosts.extend(any_depth(above));
            }
            hosts
        }
    }
}

fn denied_by(host: &HostPattern) -> Vec<String> {
    let mut hosts = wider_hosts(host);
    if let HostPattern::Exact(Host::Name(name)) = host {
        hosts.push(format!("**.{name}"));
    }
    hosts
}

/// The name, and every name above it.
pub(crate) fn names_from(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.split_once('.').map(|(_, above)| above))
}

#[cfg(test)]
mod tests {
    use crate::{AllowPattern, DenyPattern, Host};

    const PATTERNS: &[&str] = &[
        "example.com",
        "http://example.com",
        "example.com:8443",
        "example.com:*",
        "example.com/",
        "example.com/a2a/",
        "example.com/a2a/v1",
        "a.example.com",
        "*.example.com",
        "**.example.com",
        "*.b.example.com:*",
        "**.b.example.com/a2a/",
        "192.0.2.7",
        "[2001:db8::1]:8443",
    ];

    #[test]
    fn the_wider_texts_are_those_of_the_patterns_that_cover_it() {
        for narrow in PATTERNS.iter().map(|text| AllowPattern::read(text).unwrap()) {
            let wider = narrow.wider();
            for wide in PATTERNS.iter().map(|text| AllowPattern::read(text).unwrap()) {
                assert_eq!(wider.contains(&wide.to_string()), wide.covers(&narrow), "{wide} {narrow}");
            }
        }
    }

    #[test]
    fn the_wider_texts_of_a_denied_host_deny_at_least_the_same() {
        let hosts = ["example.com", "a.example.com", "a.b.example.com", "a.a.b.example.com", "192.0.2.7"];
        let hosts: Vec<Host> = hosts.iter().map(|host| Host::read(host).unwrap()).collect();
        let patterns =
            ["example.com", "*.example.com", "**.example.com", "*.b.example.com", "**.b.example.com"];
        for narrow in patterns.map(|text| DenyPattern::read(text).unwrap()) {
            for wide in patterns.map(|text| DenyPattern::read(text).unwrap()) {
                let covers = hosts.iter().all(|host| wide.denies(host) || !narrow.denies(host));
                if narrow.wider().contains(&wide.to_string()) {
                    assert!(covers, "{wide} {narrow}");
                }
            }
            assert!(narrow.wider().contains(&narrow.to_string()));
        }
    }
}
