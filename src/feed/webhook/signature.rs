//! The signature of a delivery.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use adoube_core::capture::hex_from_bytes;

/// `t=SECONDS,v1=HEX`: HMAC-SHA256 over the time, a point, and the body. The time is signed with it, so
/// that a delivery that somebody recorded cannot be sent again tomorrow.
#[must_use]
pub fn signature(secret: &[u8], at_s: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(format!("{at_s}.").as_bytes());
    mac.update(body);
    format!("t={at_s},v1={}", hex_from_bytes(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::signature;

    /// The expected value is what `printf 7.x | openssl dgst -sha256 -hmac Jefe` says.
    #[test]
    fn it_is_hmac_sha256_over_time_and_body() {
        assert_eq!(
            signature(b"Jefe", 7, b"x"),
            "t=7,v1=90855e9032d6166b9ee389b66d32d3423879e259ee44a45208c6599dd22283b2"
        );
        assert_ne!(signature(b"Jefe", 7, b"x"), signature(b"Jefe", 7, b"y"));
        assert_ne!(signature(b"Jefe", 7, b"x")[4..], signature(b"Jefe", 8, b"x")[4..]);
        assert_ne!(signature(b"Jefe", 7, b"x"), signature(b"Jeff", 7, b"x"));
    }
}
