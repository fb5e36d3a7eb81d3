//! Uncovered security members that can only demand more of a client than the signed ones do.

use countersign_keys::json::{Kind, Value};

use super::class::{Place, Zone};

/// What an uncovered value of class `security` does to the demands that are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tightening {
    /// It may weaken or redirect them.
    None,
    /// It adds to them: they hold as signed, and more is asked for.
    OnlyStricter,
    /// One more alternative beside signed requirements: a client may choose it instead.
    Alternative,
}

pub(super) fn judge(place: &Place<'_>, value: Value<'_>) -> Tightening {
    match place.zone {
        Zone::Elsewhere => Tightening::None,
        Zone::Schemes { depth: 0 }
            if value.kind() == Kind::Object && value.members().all(|(_, scheme)| is_empty_mtls(scheme)) =>
        {
            Tightening::OnlyStricter
        }
        Zone::Schemes { depth: 1 } if is_empty_mtls(value) => Tightening::OnlyStricter,
        // The `type` of a scheme whose covered members do not tell it: mutual TLS is what nothing is weaker than.
        Zone::Schemes { depth: 2 } if place.is_scheme_type() && value.as_text() == Some("mutualTLS") => {
            Tightening::OnlyStricter
        }
        Zone::Schemes { .. } => Tightening::None,
        Zone::Requirements { list, depth } => requirement(place, list, depth, value),
    }
}

fn requirement(place: &Place<'_>, list: Value<'_>, depth: usize, value: Value<'_>) -> Tightening {
    let facts = place.received.requirement_list(list);
    if !facts.is_well_formed {
        return Tightening::None;
    }
    match depth {
        // The whole list: the payload asks for nothing here.
        0 => Tightening::OnlyStricter,
        1 if facts.has_covered_entry => Tightening::Alternative,
        1 => Tightening::OnlyStricter,
        // A scheme name inside an entry that is covered: names of one entry are all demanded. In A2A 1.0 the names
        // stand in `schemes`, in A2A 0.3 in the entry itself.
        2 if facts.is_0_3 && value.kind() == Kind::Array => Tightening::OnlyStricter,
        3 if !facts.is_0_3 && value.kind() == Kind::Object => Tightening::OnlyStricter,
        _ => Tightening::None,
    }
}

/// A mutual TLS scheme that says nothing more: as A2A 1.0 writes it, as A2A 0.3 does, or as both at once.
fn is_empty_mtls(scheme: Value<'_>) -> bool {
    scheme.members().next().is_some()
        && scheme.members().all(|(name, value)| match name {
            "mtlsSecurityScheme" | "mtls_security_scheme" => {
                value.kind() == Kind::Object
                    && value.members().all(|(name, text)| name == "description" && text.is_empty())
            }
            "type" => value.as_text() == Some("mutualTLS"),
            _ => false,
        })
}
