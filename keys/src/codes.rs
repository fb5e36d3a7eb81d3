//! The codes of this package, each with its `explain` page.

/// Declares codes: one constant each, and `ALL` with every one of them in the order written.
///
/// Each package declares its own; the root package joins them into one registry.
#[macro_export]
macro_rules! declare_codes {
    ($($constant:ident = $name:literal { what: $what:literal, why: $why:literal, example: $example:literal, instead: $instead:literal $(,)? })+) => {
        $(
            #[doc = concat!("`", $name, "`: ", $what)]
            pub const $constant: $crate::Code = $crate::Code::new(&$crate::Page {
                name: $name,
                what: $what,
                why: $why,
                example: $example,
                instead: $instead,
            });
        )+

        /// Every code of this package.
        pub const ALL: &[$crate::Code] = &[$($constant),+];
    };
}

declare_codes! {
    JSON_MALFORMED = "json.malformed" {
        what: "The octets are not JSON as RFC 8259 defines it, or not in UTF-8.",
        why: "Parsers repair broken JSON in different ways, so signer and verifier would read different documents.",
        example: "{\"name\": \"Agent\",}",
        instead: "Write strict JSON in UTF-8: no comments, no trailing commas, no NaN, no unescaped control characters.",
    }
    JSON_INVALID_UNICODE = "json.invalid-unicode" {
        what: "A string holds octets that are not UTF-8, or an escape that is half of a surrogate pair.",
        why: "RFC 8785 has no octets for such text; replacing it silently would change what was signed.",
        example: "{\"name\": \"\\ud83d\"}",
        instead: "Write the character itself in UTF-8, or both halves of the surrogate pair.",
    }
    JSON_DUPLICATE_MEMBER = "json.duplicate-member" {
        what: "One object holds two members with the same name, compared after unescaping.",
        why: "Some parsers take the first and some the last, so the member that was verified need not be the member that is used.",
        example: "{\"url\": \"https://evil.example\", \"url\": \"https://agent.example\"}",
        instead: "Keep one of the two members.",
    }
    JSON_INEXACT_NUMBER = "json.inexact-number" {
        what: "An integer has no exact double, so its canonical text would be another number.",
        why: "RFC 8785 writes numbers as doubles: 9007199254740993 and 9007199254740992 would share one signature.",
        example: "{\"limit\": 9007199254740993}",
        instead: "Write integers beyond 2^53 as strings, or use a value that a double holds.",
    }
    JSON_ROUNDED_NUMBER = "json.rounded-number" {
        what: "A number has more digits than a double keeps; its canonical text is the nearest double.",
        why: "The signature covers the rounded value, not the digits that were written.",
        example: "{\"ratio\": 0.1234567890123456789}",
        instead: "Write at most 17 significant digits, or a string.",
    }
    JSON_NUMBER_OVERFLOW = "json.number-overflow" {
        what: "A number is larger than any double.",
        why: "It would become infinity, which RFC 8785 cannot write.",
        example: "{\"limit\": 1e400}",
        instead: "Write the number as a string, or choose a value below 1.8e308.",
    }
    JSON_TOO_DEEP = "json.too-deep" {
        what: "More than 128 arrays and objects are open at once.",
        why: "Unbounded nesting exhausts the stack of many readers; a signature must mean the same to all of them.",
        example: "[[[[ … 129 times …",
        instead: "Flatten the value, usually something inside `params`.",
    }
    JSON_TOO_LARGE = "json.too-large" {
        what: "The document is longer than the limit, counted in octets.",
        why: "A card from a stranger must not decide how much memory its reader uses.",
        example: "a 300 KiB card under the default limit of 256 KiB",
        instead: "Make the document smaller, or raise the limit (`--max-octets`, `Limits::max_octets`).",
    }
    JSON_TRAILING_CONTENT = "json.trailing-content" {
        what: "Something other than white space follows the JSON value.",
        why: "What follows would be neither verified nor reported by readers that stop early.",
        example: "{\"name\": \"Agent\"} extra",
        instead: "Keep one JSON value per file.",
    }
    JSON_BOM = "json.bom" {
        what: "The file starts with a UTF-8 byte order mark, which was skipped.",
        why: "RFC 8259 forbids writing one, and several readers refuse it.",
        example: "EF BB BF before the first brace",
        instead: "Save the file as UTF-8 without BOM.",
    }
}
