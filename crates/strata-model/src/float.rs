//! Floats as Python writes them.

/// `repr` of a float: the shortest digits that read back to the same value; exponent form below 1e-4 and from
/// 1e16 on, with a sign and at least two exponent digits.
pub fn float_repr(value: f64) -> String {
    decimal(value, -4, 2)
}

/// A float as pydantic writes it to JSON: as [`float_repr`], but exponent form only below 1e-5 and without padding.
pub fn pydantic_float(value: f64) -> String {
    decimal(value, -5, 1)
}

fn decimal(value: f64, min_exponent: i32, exponent_digits: usize) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let scientific = shortest(value);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value != 0.0 && (exponent < min_exponent || exponent >= 16) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:0exponent_digits$}", exponent.unsigned_abs());
    }
    let n_digits = mantissa.bytes().filter(u8::is_ascii_digit).count() as i32;
    let n_decimals = (n_digits - 1 - exponent).max(1) as usize;
    format!("{value:.n_decimals$}")
}

/// The fewest digits that read back to the same value, in exponent form. Of two that are as near, Rust takes the
/// larger and Python the even one.
fn shortest(value: f64) -> String {
    let shortest = format!("{value:e}");
    let n_digits = shortest.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
    let rounded = format!("{value:.n_decimals$e}", n_decimals = n_digits - 1);
    if rounded.parse() == Ok(value) { rounded } else { shortest }
}
