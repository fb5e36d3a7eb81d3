//! Which numbers survive RFC 8785: judged by value, not by notation.

use super::error::ErrorKind;
use super::text::clip;

/// What becomes of a literal when it is read as a double and written by ECMAScript.
pub(super) enum Survival {
    /// The text has the value of the literal.
    Exact,
    /// A fraction with more digits than a double keeps.
    Rounded,
}

/// Judges a literal that matches the grammar of RFC 8259.
pub(super) fn judge(literal: &str) -> Result<Survival, ErrorKind> {
    let double = as_double(literal);
    if double.is_infinite() {
        return Err(ErrorKind::NumberOverflow { literal: clip(literal) });
    }
    let nearest = ecmascript(double);
    let written = Decimal::of(literal);
    if written == Decimal::of(&nearest) {
        Ok(Survival::Exact)
    } else if written.is_integer() {
        Err(ErrorKind::InexactInteger { literal: clip(literal), nearest })
    } else {
        Ok(Survival::Rounded)
    }
}

/// The nearest double. The literal matches RFC 8259's grammar, which is part of what Rust's parser accepts.
pub(super) fn as_double(literal: &str) -> f64 {
    literal.parse().unwrap_or(f64::NAN)
}

/// ECMAScript `Number::toString` of a finite double.
pub(super) fn ecmascript(double: f64) -> String {
    ryu_js::Buffer::new().format_finite(double).to_owned()
}

/// A decimal number: `0.DIGITS × 10^exponent`, digits without leading and trailing zeros.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(literal: &str) -> Self {
        let (mantissa, power) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
        let (unsigned, negative) = mantissa.strip_prefix('-').map_or((mantissa, false), |rest| (rest, true));
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let all: String = [whole, fraction].concat();
        let significant = all.trim_start_matches('0');
        let leading_zeros = all.len() - significant.len();
        let digits = significant.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            // Zero has one value, whatever its sign and exponent.
            return Self { negative: false, digits, exponent: 0 };
        }
        let point = i64::try_from(whole.len()).unwrap_or(i64::MAX);
        let zeros = i64::try_from(leading_zeros).unwrap_or(i64::MAX);
        Self { negative, digits, exponent: point.saturating_sub(zeros).saturating_add(exponent(power)) }
    }

    fn is_integer(&self) -> bool {
        i64::try_from(self.digits.len()).is_ok_and(|count| count <= self.exponent)
    }
}

/// The exponent as written, or the nearest `i64`.
fn exponent(power: &str) -> i64 {
    power.parse().unwrap_or(if power.starts_with('-') { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::{ErrorKind, Survival, judge};

    fn verdict(literal: &str) -> &'static str {
        match judge(literal) {
            Ok(Survival::Exact) => "exact",
            Ok(Survival::Rounded) => "rounded",
            Err(ErrorKind::InexactInteger { .. }) => "inexact",
            Err(ErrorKind::NumberOverflow { .. }) => "overflow",
            Err(_) => "other",
        }
    }

    #[test]
    fn numbers_are_judged_by_value() {
        for (literal, expected) in [
            ("0", "exact"),
            ("-0.0", "exact"),
            ("0e999999999999999999999", "exact"),
            ("1.0", "exact"),
            ("1e2", "exact"),
            ("100e-2", "exact"),
            ("9007199254740992", "exact"),
            ("9007199254740993", "inexact"),
            ("9007199254740993.0", "inexact"),
            ("90071992547409930e-1", "inexact"),
            ("9007199254740992.5", "rounded"),
            ("18446744073709551615", "inexact"),
            ("12345678901234567890", "inexact"),
            ("12345678901234567000", "exact"),
            ("1.2e17", "exact"),
            ("1e23", "exact"),
            ("100000000000000000000000", "exact"),
            ("0.1", "exact"),
            ("0.1234567890123456789", "rounded"),
            ("333333333.33333329", "rounded"),
            ("5e-324", "exact"),
            ("1e-400", "rounded"),
            ("1e-99999999999999999999", "rounded"),
            ("1e400", "overflow"),
            ("-1e400", "overflow"),
            ("1.7976931348623157e308", "exact"),
            ("1.7976931348623159e308", "overflow"),
        ] {
            assert_eq!(verdict(literal), expected, "{literal}");
        }
    }
}
