//! Strict I-JSON (RFC 8259 with the limits of RFC 7493): octets to a tree with spans.
