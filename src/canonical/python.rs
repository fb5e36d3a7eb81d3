//! JSON as Python's `json.dumps(sort_keys=True, ensure_ascii=True, separators=(",", ":"))` writes it.

use countersign_keys::json::Value;

use super::recipe::Integers;

/// Appends a string, number, boolean or null.
pub(super) fn write_scalar(value: Value<'_>, integers: Integers, out: &mut Vec<u8>) {
    if let Some(text) = value.as_text() {
        write_text(text, out);
    } else if let Some(number) = value.as_f64() {
        let literal = value.raw();
        if integers == Integers::Shortest {
            return countersign_keys::jcs::write_number(number, out);
        }
        let is_integer = !literal.contains(['.', 'e', 'E']);
        // Python has no negative zero among its integers.
        let literal = if literal == "-0" { "0" } else { literal };
        match integers {
            Integers::Exact if is_integer => out.extend_from_slice(literal.as_bytes()),
            Integers::AreFloats if literal == "0" => out.extend_from_slice(b"0.0"),
            Integers::Exact | Integers::AreFloats | Integers::Shortest => {
                out.extend_from_slice(float_repr(number).as_bytes());
            }
        }
    } else {
        out.extend_from_slice(value.raw().as_bytes());
    }
}

/// Appends `text` with every character outside U+0020 to U+007E escaped, as UTF-16 code units where needed.
pub(super) fn write_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            ' '..='~' => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
        }
    }
    out.push(b'"');
}

/// `repr()` of a float: the shortest digits, an exponent below 1e-4 and from 1e16 on, always a fraction or exponent.
fn float_repr(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number == 0.0 {
        return format!("{sign}0.0");
    }
    let (digits, point) = shortest(number.abs());
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let exponent = point - 1;
    if !(-4..16).contains(&exponent) {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        let fraction = if rest.is_empty() { String::new() } else { format!(".{rest}") };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{fraction}e{exponent_sign}{:02}", exponent.unsigned_abs());
    }
    if point <= 0 {
        let zeros = usize::try_from(-point).unwrap_or(0);
        return format!("{sign}0.{}{digits}", "0".repeat(zeros));
    }
    if point >= count {
        let zeros = usize::try_from(point - count).unwrap_or(0);
        return format!("{sign}{digits}{}.0", "0".repeat(zeros));
    }
    let (whole, fraction) =
        digits.split_at_checked(usize::try_from(point).unwrap_or(0)).unwrap_or((&digits, "0"));
    format!("{sign}{whole}.{fraction}")
}

/// The shortest digits that read back as `number`, and where their decimal point is, counted from the left.
///
/// ECMAScript and Python choose the same digits; only where the point and the exponent go differs.
fn shortest(number: f64) -> (String, i32) {
    let mut buffer = ryu_js::Buffer::new();
    let text = buffer.format_finite(number);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = [whole, fraction].concat();
    let digits = all.trim_start_matches('0');
    let leading = i32::try_from(all.len() - digits.len()).unwrap_or(0);
    let point = i32::try_from(whole.len()).unwrap_or(0) + exponent - leading;
    (digits.trim_end_matches('0').to_owned(), point)
}

#[cfg(test)]
mod tests {
    use super::float_repr;

    #[test]
    fn floats_are_written_as_python_writes_them() {
        // Printed by Python 3.11.
        for (number, expected) in [
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (100.0, "100.0"),
            (123_456.789, "123456.789"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1e-7, "1e-07"),
            (1.5e-10, "1.5e-10"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.2345678901234567e19, "1.2345678901234567e+19"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (1e23, "1e+23"),
            (5e-324, "5e-324"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
        ] {
            assert_eq!(float_repr(number), expected);
        }
    }
}
