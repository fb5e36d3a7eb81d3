//! The codes of this package, each with its `explain` page.

pub mod decision;
pub mod lints;
pub mod load;

use countersign_keys::declare_codes;

declare_codes! {
    CARD_VERSION_UNRECOGNIZED = "card.version-unrecognized" {
        what: "A `protocolVersion` in the card is not `X.Y` or `X.Y.Z`.",
        why: "Libraries guess differently: `1` is 1.0 to one and an error to another, so client and server would speak different protocols.",
        example: "{\"protocolVersion\": \"v1.0\"}",
        instead: "Write major and minor, in ASCII digits without leading zeros: `1.0`.",
    }
    CARD_VERSION_PATCH = "card.version-patch" {
        what: "A `protocolVersion` in the card has a patch number, which is ignored.",
        why: "A2A 1.0 section 3.6: only major and minor take part in negotiation, and a card should not name a patch.",
        example: "{\"protocolVersion\": \"0.3.0\"}",
        instead: "Write `0.3` or `1.0`.",
    }
    IFACE_VERSION_HEADER = "iface.version-header" {
        what: "An `A2A-Version` header is not exactly `X.Y`.",
        why: "A2A 1.0 section 14.2.1: the value is major and minor; a server answers anything else with VersionNotSupportedError.",
        example: "A2A-Version: 1.0.0",
        instead: "Send `A2A-Version: 1.0`.",
    }
    URL_EMPTY = "url.empty" {
        what: "The URL is an empty string.",
        why: "A client would call the place it is at, or nothing.",
        example: "{\"url\": \"\"}",
        instead: "Write the whole URL of the interface, or leave the entry out.",
    }
    URL_TOO_LONG = "url.too-long" {
        what: "The URL has more than 2048 octets.",
        why: "Clients and proxies cut or refuse long URLs at different lengths.",
        example: "https://agents.example.com/ and 2100 octets of path",
        instead: "Keep the URL short; the tenant has its own member.",
    }
    URL_CONTROL_OR_SPACE = "url.control-or-space" {
        what: "The URL holds a control character, a space, a tab or a line break.",
        why: "WHATWG parsers delete tabs and line breaks and trim the ends, others keep them, so the host differs between clients.",
        example: "https://agents.exa\tmple.com/",
        instead: "Delete the character; in a path write `%20` for a space.",
    }
    URL_NON_ASCII = "url.non-ascii" {
        what: "The URL holds a character outside ASCII.",
        why: "Clients map such characters to host names by different tables, and some look like ASCII letters.",
        example: "https://bücher.example/",
        instead: "Write the host as A-labels (`xn--bcher-kva.example`) and escape the rest in UTF-8 (`%C3%BC`).",
    }
    URL_BACKSLASH = "url.backslash" {
        what: "The URL holds a backslash.",
        why: "WHATWG parsers read it as `/`, RFC 3986 parsers do not, so they find different hosts.",
        example: "https://evil.test\\@agents.example.com/",
        instead: "Write `/`, or `%5C` in a query.",
    }
    URL_FORBIDDEN_CHAR = "url.forbidden-char" {
        what: "The URL holds a character that may not stand there unescaped: a quotation mark, an angle bracket, a caret, a backtick, a brace, a bar, or a bracket outside the host.",
        why: "RFC 3986 has no place for it; a brace is a URI template, which no client fills in.",
        example: "https://agents.example.com/{tenant}/a2a",
        instead: "Escape the character, or write the URL that the template stands for and put the tenant into `tenant`.",
    }
    URL_NOT_ABSOLUTE = "url.not-absolute" {
        what: "The URL does not start with a scheme and `://`.",
        why: "A relative reference is resolved against a place that the card does not name, and some parsers add missing slashes.",
        example: "https:agents.example.com/a2a",
        instead: "Write scheme, `://` and host; only an interface of the binding GRPC may have `host:port`.",
    }
    URL_SCHEME_UNSUPPORTED = "url.scheme-unsupported" {
        what: "The scheme is none of https, http, wss and ws.",
        why: "No A2A binding uses it, and clients that hand URLs to a general fetcher would read files or run scripts.",
        example: "file:///etc/passwd",
        instead: "Write an `https` URL.",
    }
    URL_GRPC_TARGET_SCHEME = "url.grpc-target-scheme" {
        what: "The URL of a GRPC interface is a gRPC naming target.",
        why: "gRPC libraries take it as it is, so the card would choose the resolver, a local socket or an unresolved address.",
        example: "dns://8.8.8.8/grpc.example.com:443",
        instead: "Write `host:port`, or an `https` URL.",
    }
    URL_GRPC_PORT_MISSING = "url.grpc-port-missing" {
        what: "The address of a GRPC interface has no port.",
        why: "Libraries add different ports.",
        example: "grpc.example.com",
        instead: "Write the port, also the default one: `grpc.example.com:443`.",
    }
    URL_GRPC_ADDRESS_PATH = "url.grpc-address-path" {
        what: "The `host:port` of a GRPC interface is followed by a path, a query or a fragment.",
        why: "gRPC has no place for it: libraries drop it, or take it for part of the name.",
        example: "grpc.example.com:443/a2a",
        instead: "Write `host:port` alone, or an `https` URL.",
    }
    URL_USERINFO = "url.userinfo" {
        what: "The URL has something before an `@` in front of the host.",
        why: "Readers of the text take it for the host, and a password in a card is public.",
        example: "https://agents.example.com@evil.test/",
        instead: "Delete everything up to the `@`; credentials belong to the security schemes.",
    }
    URL_BAD_AUTHORITY = "url.bad-authority" {
        what: "What stands between `://` and the path cannot be split into a host and a port.",
        why: "An IPv6 address without brackets has no clear end, so parsers find different ports.",
        example: "https://::1/",
        instead: "Write a host name, or an IPv6 address in brackets, then at most one colon with a port.",
    }
    URL_EMPTY_HOST = "url.empty-host" {
        what: "The URL has no host.",
        why: "WHATWG parsers skip extra slashes and take the first path segment for the host.",
        example: "https:///agents.example.com/a2a",
        instead: "Write the host right after `://`.",
    }
    URL_HOST_PERCENT_ENCODED = "url.host-percent-encoded" {
        what: "The host holds a percent sign.",
        why: "Some clients decode it and call another host.",
        example: "https://agents.example%2eevil.test/",
        instead: "Write the characters themselves.",
    }
    URL_HOST_TRAILING_DOT = "url.host-trailing-dot" {
        what: "The host ends with a dot.",
        why: "It names the same host in DNS, but not in TLS, HTTP and policies: it slips past lists of hosts.",
        example: "https://agents.example.com./",
        instead: "Delete the dot.",
    }
    URL_HOST_EMPTY_LABEL = "url.host-empty-label" {
        what: "The host has nothing between two dots, or starts with a dot.",
        why: "It is no host name, though some parsers let it pass and wildcards match it.",
        example: "https://agents..example.com/",
        instead: "Delete the extra dot.",
    }
    URL_HOST_TOO_LONG = "url.host-too-long" {
        what: "The host has more than 253 octets, or a label of it more than 63.",
        why: "RFC 1035 section 2.3.4: DNS has no such name.",
        example: "a label of 64 letters",
        instead: "Write a host name that DNS can hold.",
    }
    URL_HOST_BAD_ALABEL = "url.host-bad-alabel" {
        what: "A label starts with `xn--` and is not the A-label of any name.",
        why: "Decoders disagree about it; some turn it into an ordinary ASCII name.",
        example: "https://xn--example-.org/",
        instead: "Write the A-label that UTS 46 (non-transitional) gives for the name, or the ASCII name itself.",
    }
    URL_HOST_NON_LDH = "url.host-non-ldh" {
        what: "A label of the host holds a character other than a letter, a digit or a hyphen, or has a hyphen at an end.",
        why: "It is no host name (RFC 1123 section 2.1), and parsers split at different characters.",
        example: "https://agents_internal.example.com/",
        instead: "Give the host a name of letters, digits and inner hyphens.",
    }
    URL_IP_NONCANONICAL = "url.ip-noncanonical" {
        what: "The host is a number or an IP address in an unusual spelling.",
        why: "Short, octal, decimal and hexadecimal spellings are different addresses to different parsers, and slip past lists.",
        example: "https://0177.0.0.1/",
        instead: "Write IPv4 as four decimal numbers without leading zeros, and IPv6 as RFC 5952 section 4 says.",
    }
    URL_IPV6_ZONE = "url.ipv6-zone" {
        what: "The IPv6 address has a zone identifier.",
        why: "It names a network interface of one machine, so it means something else, or nothing, at a client.",
        example: "https://[fe80::1%25eth0]/",
        instead: "Write an address or a name that every client can reach.",
    }
    URL_IP_EMBEDDED_V4 = "url.ip-embedded-v4" {
        what: "The IPv6 address stands for an IPv4 address: mapped, compatible, translated, NAT64, 6to4 or Teredo.",
        why: "It reaches the IPv4 address past rules that list only IPv4.",
        example: "https://[::ffff:127.0.0.1]/",
        instead: "Write the IPv4 address.",
    }
    URL_PORT_INVALID = "url.port-invalid" {
        what: "The port is empty, 0, above 65535, has a leading zero, or is not a number.",
        why: "Parsers drop, fold or refuse it.",
        example: "https://agents.example.com:0443/",
        instead: "Write 1 to 65535 without leading zeros, or no colon.",
    }
    URL_PATH_DOT_SEGMENT = "url.path-dot-segment" {
        what: "A segment of the path is `.` or `..`, perhaps escaped or with path parameters.",
        why: "Some clients and servers resolve it and others do not, so the path that is judged is not the one that is served.",
        example: "https://agents.example.com/a2a/%2e%2e/admin",
        instead: "Write the path that is meant.",
    }
    URL_PATH_ENCODED_DELIMITER = "url.path-encoded-delimiter" {
        what: "The path holds an escaped slash, backslash or NUL.",
        why: "Servers that decode early find other segments than those that were judged.",
        example: "https://agents.example.com/a2a/..%2fadmin",
        instead: "Write the slash itself, or choose a path without it.",
    }
    URL_PATH_EMPTY_SEGMENT = "url.path-empty-segment" {
        what: "The path holds two slashes in a row.",
        why: "Some proxies merge them, so the path that is judged is not the one that is served.",
        example: "https://agents.example.com/a2a//admin",
        instead: "Write one slash.",
    }
    URL_PATH_BAD_ESCAPE = "url.path-bad-escape" {
        what: "The path holds a percent sign that two hexadecimal digits do not follow.",
        why: "Parsers keep, escape or refuse it.",
        example: "https://agents.example.com/a2a/%zz",
        instead: "Write `%25` for a percent sign.",
    }
    URL_QUERY = "url.query" {
        what: "The URL of an interface has a query.",
        why: "Clients append paths to the URL, after the query or before it, and it hides values from a rule about paths.",
        example: "https://agents.example.com/a2a?x=1",
        instead: "Move the value into the path or into `tenant`, or allow it in the rule: `query = \"allow\"`.",
    }
    URL_FRAGMENT = "url.fragment" {
        what: "The URL has a fragment.",
        why: "It is never sent, and it hides text from whoever reads the card.",
        example: "https://agents.example.com/a2a#v1",
        instead: "Delete the `#` and what follows.",
    }
    URL_PRIVATE_ADDRESS = "url.private-address" {
        what: "The host is an address outside the public address space, or `localhost`.",
        why: "A card from outside would send the client's requests, and its credentials, into the client's own network.",
        example: "https://10.0.0.5/a2a",
        instead: "Publish a public name; for the own network allow the address in the rule: `networks = [\"10.0.0.0/24\"]`.",
    }
    URL_METADATA_ADDRESS = "url.metadata-address" {
        what: "The host is the metadata service of a cloud.",
        why: "It hands out the credentials of the machine that asks. No rule can allow it.",
        example: "https://169.254.169.254/latest/meta-data",
        instead: "Write the address of the agent.",
    }
    POLICY_PATTERN_SYNTAX = "policy.pattern-syntax" {
        what: "A host pattern holds something that has no meaning there: a brace, a question mark, a wildcard in the path, an unknown scheme, port 0.",
        why: "Globs over whole URLs match hosts that nobody meant; a pattern that is half understood must not allow or deny anything.",
        example: "{api,agents}.example.com",
        instead: "Write `[scheme://]host[:port][/path]`, one pattern for each host; `*.` or `**.` may stand at the start of the host.",
    }
    POLICY_WILDCARD_POSITION = "policy.wildcard-position" {
        what: "A wildcard is not the whole left-most label of the pattern.",
        why: "`*example.com` also matches `evilexample.com`, and `example.*` any registrar's customer.",
        example: "*example.com",
        instead: "Write `*.example.com` for one label, `**.example.com` for one or more, and `example.com` for the name itself.",
    }
    POLICY_HOST_ANY = "policy.host-any" {
        what: "A pattern matches every host.",
        why: "It allows every stranger, and a reviewer must see that.",
        example: "*",
        instead: "List the hosts; or write `any-host = { reason = \"…\", until = 2026-12-31 }`.",
    }
    POLICY_PUBLIC_SUFFIX_WILDCARD = "policy.public-suffix-wildcard" {
        what: "A wildcard stands on a public suffix, on a name with public suffixes below it, or on a single label.",
        why: "Anybody can register a host that it matches.",
        example: "*.github.io",
        instead: "Write the registered name: `*.acme.github.io`, or the host itself.",
    }
    POLICY_SHARED_HOSTING_WILDCARD = "policy.shared-hosting-wildcard" {
        what: "A wildcard stands on a hosting service that gives names to anybody and is not in the public suffix list.",
        why: "Any customer of the service gets a host that it matches.",
        example: "*.azurecontainerapps.io",
        instead: "Write the host itself, or the part of the service that is yours alone.",
    }
    POLICY_NETWORK_SYNTAX = "policy.network-syntax" {
        what: "A network is not an address, a slash and a length, or the address has bits beyond the length.",
        why: "`10.20.3.4/16` may mean one address or 65536.",
        example: "10.20.3.4/16",
        instead: "Write the first address of the range: `10.20.0.0/16`.",
    }
    POLICY_VERSION_SYNTAX = "policy.version-syntax" {
        what: "An entry of `versions` is neither a protocol version nor a range of them.",
        why: "An entry that fits nothing, or that another reader takes for something else, hides which versions are spoken.",
        example: "versions = [\"v1\"]",
        instead: "Write `1.0`, or comparisons joined by commas: `>=1.0, <2.0`.",
    }
    POLICY_VERSION_RANGE_EMPTY = "policy.version-range-empty" {
        what: "No version fits a range of `versions`.",
        why: "The rule could admit nothing, and its author thinks otherwise.",
        example: "versions = [\">=1.1, <1.0\"]",
        instead: "Exchange the ends: `>=1.0, <1.1`.",
    }
}
