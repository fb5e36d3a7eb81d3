//! Two patterns beside each other: what both match, and whether one matches all that the other does.

use super::{AllowPattern, Depth, HostPattern, Parts, PortPattern, depth, path_matches};
use crate::url::{Host, HostName};

impl AllowPattern {
    /// A URL that both patterns match; [`None`] where there is none.
    ///
    /// A host of 253 octets is not extended to one that a wildcard below it matches.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> Option<String> {
        let (left, right) = (&self.parts, &other.parts);
        if left.scheme != right.scheme {
            return None;
        }
        let host = common_host(&left.host, &right.host)?;
        let port = match (left.port, right.port) {
            (PortPattern::Any, port) | (port, PortPattern::Any) => port,
            (one, other) if one == other => one,
            (_, _) => return None,
        };
        let port = match port {
            PortPattern::Exact(port) => format!(":{port}"),
            PortPattern::Default | PortPattern::Any => String::new(),
        };
        let path = match (&left.path, &right.path) {
            (Some(one), Some(other)) if path_matches(one, other) => other,
            (Some(one), Some(other)) if path_matches(other, one) => one,
            (Some(_), Some(_)) => return None,
            (Some(path), None) | (None, Some(path)) => path,
            (None, None) => "",
        };
        Some(format!("{}://{host}{port}{path}", left.scheme.name()?))
    }

    /// Whether this pattern matches every URL that `other` does.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_policy::AllowPattern;
    ///
    /// let wide = AllowPattern::read("**.example.com")?;
    /// assert!(wide.covers(&AllowPattern::read("*.agents.example.com/a2a/")?));
    /// assert!(!wide.covers(&AllowPattern::read("example.com")?));
    /// # Ok::<(), countersign_policy::PatternError>(())
    /// ```
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let (wide, narrow) = (&self.parts, &other.parts);
        let covers_path = match (&wide.path, &narrow.path) {
            (None, _) => true,
            (Some(wide), Some(narrow)) => path_matches(wide, narrow),
            // The path of a URL is at least `/`.
            (Some(wide), None) => wide == "/",
        };
        wide.scheme == narrow.scheme
            && covers_host(&wide.host, &narrow.host)
            && (wide.port == PortPattern::Any || wide.port == narrow.port)
            && covers_path
    }

    /// Scheme, host and port: of two patterns that are equally specific only those with the same can overlap.
    pub(crate) fn without_path(&self) -> String {
        Self { parts: Parts { path: None, ..self.parts.clone() } }.to_string()
    }
}

fn common_host(left: &HostPattern, right: &HostPattern) -> Option<String> {
    match (left, right) {
        (HostPattern::Exact(host), pattern) | (pattern, HostPattern::Exact(host)) => {
            pattern.holds(host).then(|| host.to_string())
        }
        (HostPattern::OneLabel(one), HostPattern::OneLabel(other)) => {
            (one == other).then(|| format!("a.{one}"))
        }
        (HostPattern::OneLabel(one), HostPattern::AnyDepth(any)) => {
            (below(one, any) != Below::No).then(|| format!("a.{one}"))
        }
        (HostPattern::AnyDepth(any), HostPattern::OneLabel(one)) => {
            (below(one, any) != Below::No).then(|| format!("a.{one}"))
        }
        (HostPattern::AnyDepth(one), HostPattern::AnyDepth(other)) => {
            match (below(one, other), below(other, one)) {
                (Below::Yes | Below::Same, _) => Some(format!("a.{one}")),
                (Below::No, Below::Yes | Below::Same) => Some(format!("a.{other}")),
                (Below::No, Below::No) => None,
            }
        }
    }
}

fn covers_host(wide: &HostPattern, narrow: &HostPattern) -> bool {
    match (wide, narrow) {
        (pattern, HostPattern::Exact(host)) => pattern.holds(host),
        (HostPattern::OneLabel(wide), HostPattern::OneLabel(narrow)) => wide == narrow,
        (HostPattern::AnyDepth(wide), HostPattern::OneLabel(narrow) | HostPattern::AnyDepth(narrow)) => {
            below(narrow, wide) != Below::No
        }
        (HostPattern::Exact(_), HostPattern::OneLabel(_) | HostPattern::AnyDepth(_))
        | (HostPattern::OneLabel(_), HostPattern::AnyDepth(_)) => false,
    }
}

#[derive(PartialEq)]
enum Below {
    No,
    Same,
    Yes,
}

fn below(name: &HostName, base: &HostName) -> Below {
    match depth(&Host::Name(name.clone()), base) {
        Depth::Elsewhere => Below::No,
        Depth::Apex => Below::Same,
        Depth::Below(_) => Below::Yes,
    }
}

#[cfg(test)]
mod tests {
    use super::AllowPattern;
    use crate::{LoopbackNames, StrictUrl, UrlUse};

    const PATTERNS: &[&str] = &[
        "example.com",
        "http://example.com",
        "example.com:8443",
        "example.com:*",
        "example.com/",
        "example.com/a2a/",
        "example.com/a2a/v1",
        "example.com/a2a",
        "a.example.com",
        "*.example.com",
        "**.example.com",
        "*.b.example.com",
        "**.b.example.com/a2a/",
        "**.a.example.com",
        "192.0.2.7",
        "[2001:db8::1]:8443",
        "other.example",
    ];

    const URLS: &[&str] = &[
        "https://example.com",
        "http://example.com",
        "https://example.com:8443/x",
        "https://example.com/a2a",
        "https://example.com/a2a/v1",
        "https://a.example.com",
        "https://a.b.example.com/a2a/v1",
        "https://a.a.b.example.com/a2a/v1",
        "https://192.0.2.7/",
        "https://[2001:db8::1]:8443/",
        "https://other.example/",
    ];

    fn matches(pattern: &str, url: &str) -> bool {
        let url = StrictUrl::read(url, UrlUse::Interface).unwrap();
        AllowPattern::read(pattern).unwrap().allows(&url, LoopbackNames::Refused)
    }

    #[test]
    fn what_overlaps_has_a_common_url_and_what_does_not_has_none() {
        for left in PATTERNS {
            for right in PATTERNS {
                let overlap = AllowPattern::read(left).unwrap().overlap(&AllowPattern::read(right).unwrap());
                match overlap {
                    Some(url) => assert!(matches(left, &url) && matches(right, &url), "{left} {right} {url}"),
                    None => {
                        assert!(
                            !URLS.iter().any(|url| matches(left, url) && matches(right, url)),
                            "{left} {right}"
                        )
                    }
                }
            }
        }
    }

    #[test]
    fn a_pattern_covers_another_if_it_matches_all_of_it() {
        for wide in PATTERNS {
            for narrow in PATTERNS {
                let (one, other) = (AllowPattern::read(wide).unwrap(), AllowPattern::read(narrow).unwrap());
                if one.covers(&other) {
                    assert!(one.overlap(&other).is_some(), "{wide} {narrow}");
                    let lost = URLS.iter().find(|url| matches(narrow, url) && !matches(wide, url));
                    assert_eq!(lost, None, "{wide} {narrow}");
                }
            }
        }
    }

    #[test]
    fn covering_looks_at_every_part() {
        let covers =
            |wide, narrow| AllowPattern::read(wide).unwrap().covers(&AllowPattern::read(narrow).unwrap());
        for (wide, narrow) in [
            ("example.com", "example.com/a2a/"),
            ("example.com/", "example.com"),
            ("example.com/a2a/", "example.com/a2a/v1"),
            ("example.com:*", "example.com:8443"),
            ("*.example.com", "a.example.com"),
            ("**.example.com", "*.example.com"),
            ("**.example.com", "**.b.example.com"),
        ] {
            assert!(covers(wide, narrow), "{wide} {narrow}");
            assert!(!covers(narrow, wide) || wide == "example.com/", "{narrow} {wide}");
        }
        assert!(!covers("*.example.com", "**.example.com"));
        assert!(!covers("*.example.com", "*.b.example.com"));
        assert!(!covers("**.example.com", "example.com"));
        assert!(!covers("http://example.com", "https://example.com"));
    }
}
