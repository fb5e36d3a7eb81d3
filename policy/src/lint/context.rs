//! Whether one rule is for every request that another is for, the source aside.

use crate::{AllowRule, WordPattern};

/// Whether `wide` takes every kind of source, tenant and use that `narrow` does.
pub(super) fn covers(wide: &AllowRule, narrow: &AllowRule) -> bool {
    let kinds = match (&wide.sources, &narrow.sources) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => narrow.iter().all(|kind| wide.contains(kind)),
    };
    kinds
        && covers_words(wide.tenants.as_deref(), narrow.tenants.as_deref())
        && covers_words(wide.uses.as_deref(), narrow.uses.as_deref())
}

/// Whether a request exists that both rules are for, the source aside.
pub(super) fn overlap(left: &AllowRule, right: &AllowRule) -> bool {
    let kinds = match (&left.sources, &right.sources) {
        (Some(left), Some(right)) => left.iter().any(|kind| right.contains(kind)),
        (None, _) | (_, None) => true,
    };
    kinds
        && words_overlap(left.tenants.as_deref(), right.tenants.as_deref())
        && words_overlap(left.uses.as_deref(), right.uses.as_deref())
}

fn covers_words(wide: Option<&[WordPattern]>, narrow: Option<&[WordPattern]>) -> bool {
    match (wide, narrow) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => narrow.iter().all(|narrow| {
            wide.iter().any(|wide| match (wide, narrow) {
                (wide, WordPattern::Exact(word)) => wide.matches(word),
                (WordPattern::Prefix(wide), WordPattern::Prefix(narrow)) => narrow.starts_with(wide.as_str()),
                (WordPattern::Exact(_), WordPattern::Prefix(_)) => false,
            })
        }),
    }
}

fn words_overlap(left: Option<&[WordPattern]>, right: Option<&[WordPattern]>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => left.iter().any(|left| right.iter().any(|right| left.overlaps(right))),
        (None, _) | (_, None) => true,
    }
}
