//! Reads doubles as 16 hexadecimal digits, one a line, and writes each with its RFC 8785 text.
//!
//! `node tests/node/numbers.mjs generate 1000 1 | cargo run --release --example jcs_numbers`

use std::io::{self, BufRead, BufWriter, Write};

use countersign::keys::jcs;

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let bits = u64::from_str_radix(&line, 16).map_err(io::Error::other)?;
        let mut text = Vec::new();
        jcs::write_number(f64::from_bits(bits), &mut text);
        write!(out, "{line} ")?;
        out.write_all(&text)?;
        writeln!(out)?;
    }
    out.flush()
}
