//! Uncovered security members that can only demand more of a client than the signed ones do.

use countersign_keys::json::{Kind, Value};

use super::class::{Place, Spelled, Zone};

/// What an uncovered value of class `security` does to the demands that are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tightening {
    /// It may weaken or redirect them.
    None,
    /// It adds to them: they hold as signed, and more is asked for.
    OnlyStricter,
    /// One more alternative beside signed requirements, or one that demands nothing: a client may choose it instead.
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
        Zone::Requirements { list, spelled, depth } => requirement(place, list, spelled, depth, value),
    }
}

fn requirement(
    place: &Place<'_>,
    list: Value<'_>,
    spelled: Spelled,
    depth: usize,
    value: Value<'_>,
) -> Tightening {
    let facts = place.received.requirement_list(list);
    if !facts.is_well_formed {
        return Tightening::None;
    }
    match depth {
        // The whole list: the payload asks for nothing here. An entry that asks for nothing either adds nothing, and would
        // look like an answer to the question whether requirements were deleted.
        0 if list.elements().all(|entry| demands(entry, spelled)) => Tightening::OnlyStricter,
        1 if !facts.has_covered_entry && demands(value, spelled) => Tightening::OnlyStricter,
        0 | 1 => Tightening::Alternative,
        // A scheme name inside an entry that is covered: names of one entry are all demanded. In A2A 1.0 the names
        // stand in `schemes`, in A2A 0.3 in the entry itself.
        2 if facts.is_0_3 && value.kind() == Kind::Array => Tightening::OnlyStricter,
        3 if !facts.is_0_3 && value.kind() == Kind::Object => Tightening::OnlyStricter,
        _ => Tightening::None,
    }
}

/// Whether every client reads the entry as a demand. Readers of A2A 1.0 ignore names beside `schemes`, so that an entry
/// without it is access without authentication to them.
fn demands(entry: Value<'_>, spelled: Spelled) -> bool {
    let names = match spelled {
        Spelled::V1 => entry.member("schemes"),
        Spelled::V0_3 => Some(entry),
    };
    names.is_some_and(|names| names.kind() == Kind::Object && !names.is_empty())
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
