//! Secrets that nobody guesses, and what is kept of them.

use sha2::{Digest as _, Sha256};

/// 128 bits: nobody tries them all, so that a plain hash is enough to keep them by.
const BYTES: usize = 16;

/// A new secret, 32 hexadecimal digits.
///
/// # Errors
/// The system gives no random bits.
pub(crate) fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(adoube_core::capture::hex_from_bytes(&bytes))
}

/// What is kept of a secret: its SHA-256, hexadecimal. Comparing it tells nothing about the secret, however
/// long it takes.
pub(crate) fn digest(secret: &str) -> String {
    adoube_core::capture::hex_from_bytes(&Sha256::digest(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{digest, secret};

    #[test]
    fn secrets_are_long_and_never_the_same() {
        let (one, other) = (secret().unwrap(), secret().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
        // FIPS 180-4, the example of one block.
        assert_eq!(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
