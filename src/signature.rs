//! Signatures of a card: made and verified.

mod splice;
