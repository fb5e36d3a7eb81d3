//! From the members as written to what they mean.

mod defaults;
mod desk;
mod exceptions;
mod interfaces;
mod keys;
mod references;
mod rules;
mod signatures;

pub(super) use defaults::{Defaults, fetch, general};
pub(super) use desk::{Desk, HostSets};
pub(super) use exceptions::exception;
pub(super) use keys::{Keys, key, key_set};
pub(super) use references::{KeyNames, check_thresholds, refuse_overlaps, refuse_same_keys, resolve_groups};
pub(super) use rules::{allow, deny};
