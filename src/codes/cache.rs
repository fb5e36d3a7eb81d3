//! Codes about the store that instances share.

use countersign_keys::declare_codes;

declare_codes! {
    CACHE_ADDRESS = "cache.address" {
        what: "The address of the shared store is not one that is understood.",
        why: "A store that cannot be named cannot be asked; the text may hold a password, so it is not shown.",
        example: "localhost:6379",
        instead: "Write `redis://HOST:PORT`, `redis://USER:PASSWORD@HOST:PORT/DATABASE` or `redis+unix:///PATH`.",
    }
    CACHE_KEY_TOO_SHORT = "cache.key-too-short" {
        what: "The key that entries of the shared store are authenticated with has less than 32 octets.",
        why: "Whoever guesses the key writes cards that instances load as their own (RFC 2104 §3).",
        example: "the octets of a password",
        instead: "Make 32 random octets and give them to every instance, and to nobody else.",
    }
    CACHE_NOT_ADMITTED = "cache.not-admitted" {
        what: "The answer that was to be shared is no admission of this card for this request.",
        why: "A card that is shared before it is admitted replaces one that was.",
        example: "the denial of an unsigned card",
        instead: "Store the answer of the admission, with the card that it is about.",
    }
    CACHE_TOO_LARGE = "cache.too-large" {
        what: "The card with its endorsements is larger than what is shared.",
        why: "Every load of it takes memory and time that whoever serves the card decides on.",
        example: "a card of 600 KiB under the default limit of 512 KiB",
        instead: "Raise `max_value_octets`, or leave the card unshared: instances fetch it themselves.",
    }
    CACHE_UNREACHABLE = "cache.unreachable" {
        what: "The shared store did not answer in time, refused, or answered something else than was asked for.",
        why: "A revocation that does not reach the store does not reach the other instances.",
        example: "nothing listens at 127.0.0.1:6379",
        instead: "Check the address and the store; call `revoke` again when it is back.",
    }
}
