//! The commands, one file each.

pub(crate) mod admit;
pub(crate) mod cache;
pub(crate) mod canonicalize;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod inspect;
pub(crate) mod key;
pub(crate) mod lint;
pub(crate) mod pin;
pub(crate) mod policy;
pub(crate) mod security;
pub(crate) mod select;
pub(crate) mod shell;
pub(crate) mod sign;
pub(crate) mod verify;
