//! QR codes on a terminal: an address gets onto a telephone without typing.

use std::io::IsTerminal;

use anyhow::Context as _;
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

/// The code of a text, in half blocks, for `out`.
pub(super) fn code(text: &str, out: &impl IsTerminal) -> anyhow::Result<String> {
    let code = QrCode::new(text).context("too long for a QR code")?.render::<Dense1x2>().build();
    if !out.is_terminal() {
        return Ok(code);
    }
    // Black on white, whatever the terminal's colours are.
    let lines: Vec<String> = code.lines().map(|line| format!("\x1b[30;107m{line}\x1b[0m")).collect();
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn a_code_is_made_of_half_blocks() {
        let nowhere = std::fs::File::open("/dev/null").unwrap();
        let code = code("https://192.0.2.7:8064/#login=0123456789abcdef0123456789abcdef", &nowhere).unwrap();
        let widths: std::collections::BTreeSet<usize> =
            code.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths.len(), 1, "{code}");
        assert!(code.chars().all(|half| " ▀▄█\n".contains(half)) && code.contains('▀'), "{code}");
    }
}
