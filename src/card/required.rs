//! Which REQUIRED members a card lacks.

use countersign_keys::json::Ancestry;

use super::UntrustedCard;
use super::walk::{LegacyMembers, Met, Schema, walk};

impl UntrustedCard {
    /// JSON Pointers of the members that the schema of the card's shape demands and that are absent or null.
    ///
    /// Legacy cards without a non-empty `supportedInterfaces` are held against A2A 0.3, all others against A2A 1.0. Does
    /// not check types, and counts empty members as present.
    #[must_use]
    pub fn missing_members(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let schema = Schema::of(self, self.shape(None));
        walk(self.root(), schema, LegacyMembers::Skipped, &mut |met| {
            if let Met::Missing { object, member, .. } = met {
                missing.push((object.id(), member.name));
            }
        });
        let ancestry = Ancestry::of(self.document(), missing.len());
        missing.into_iter().map(|(object, name)| format!("{}/{name}", ancestry.pointer(object))).collect()
    }
}
