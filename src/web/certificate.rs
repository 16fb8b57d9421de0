//! A certificate for the desk, made here and signed by itself.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use jiff::ToSpan as _;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose, date_time_ymd};
use sha2::{Digest as _, Sha256};

use super::machine;
use super::tls::{TlsError, usable};
use crate::auth;
use crate::config::Tls;

/// Browsers take no certificate that is good for more than 825 days (CA/Browser Forum, Apple).
const GOOD_DAYS: i64 = 820;

/// A certificate that was made.
#[derive(Debug)]
pub(crate) struct Certificate {
    /// Every name and address that stands in it.
    pub(crate) names: Vec<String>,
    /// Its SHA-256, as browsers show it.
    pub(crate) fingerprint: String,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CertificateError {
    /// A name.
    #[error("not all of these can stand in a certificate: {names}: {error}")]
    Name {
        /// All of them.
        names: String,
        /// What is wrong.
        error: rcgen::Error,
    },
    /// The key.
    #[error("no key: {0}")]
    Key(rcgen::Error),
    /// Those that are there.
    #[error(transparent)]
    There(#[from] TlsError),
    /// A file.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Where they lie in a folder.
pub(crate) fn files(folder: &Path) -> Tls {
    Tls { certificate: folder.join("certificate.pem"), key: folder.join("key.pem") }
}

/// The fingerprint of the pair that lies in `folder`; without any file of it, it is made.
///
/// # Errors
/// [`CertificateError`]: what lies there is no pair that the desk can use, or none can be made.
pub(crate) fn there_or_made(folder: &Path) -> Result<String, CertificateError> {
    let tls = files(folder);
    if tls.certificate.exists() || tls.key.exists() {
        return Ok(fingerprint(&usable(&tls)?));
    }
    Ok(make(folder, &[])?.fingerprint)
}

/// Makes both in `folder`, for the machine's own names and addresses and those that are given, and replaces what is
/// there. The key is for its owner alone, who is the folder's.
///
/// # Errors
/// [`CertificateError`]
pub(crate) fn make(folder: &Path, given: &[&String]) -> Result<Certificate, CertificateError> {
    let tls = files(folder);
    let names = names(given);
    let pair = KeyPair::generate().map_err(CertificateError::Key)?;
    let made = parameters(&names)?.self_signed(&pair).map_err(CertificateError::Key)?;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| CertificateError::Io { path, error }
    };
    fs::create_dir_all(folder).map_err(io(folder))?;
    store(&tls.key, folder, &pair.serialize_pem(), 0o600).map_err(io(&tls.key))?;
    store(&tls.certificate, folder, &made.pem(), 0o644).map_err(io(&tls.certificate))?;
    Ok(Certificate { names, fingerprint: fingerprint(made.der()) })
}

/// Every name and address by which the desk may be asked for.
fn names(given: &[&String]) -> Vec<String> {
    let host = machine::host_name();
    let own = host.into_iter().flat_map(|name| [format!("{name}.local"), name]);
    let addresses = machine::addresses().into_iter().map(|address| address.to_string());
    let given = given.iter().map(|name| (*name).clone());
    let mut names: Vec<String> = Vec::new();
    for name in given.chain(own).chain(["localhost".to_owned()]).chain(addresses) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn parameters(names: &[String]) -> Result<CertificateParams, CertificateError> {
    let named = |error| CertificateError::Name { names: names.join(", "), error };
    let mut parameters = CertificateParams::new(names.to_vec()).map_err(named)?;
    parameters.distinguished_name.push(DnType::CommonName, "adoube");
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let today = crate::world::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let day = |date: jiff::civil::Date| {
        // Months and days of a calendar fit.
        date_time_ymd(date.year().into(), date.month().unsigned_abs(), date.day().unsigned_abs())
    };
    // Clocks in the hall may be a day behind.
    parameters.not_before = day(today.saturating_sub(1.day()));
    parameters.not_after = day(today.saturating_add(GOOD_DAYS.days()));
    Ok(parameters)
}

/// As browsers show it.
fn fingerprint(der: &[u8]) -> String {
    let bytes: Vec<String> = Sha256::digest(der).iter().map(|byte| format!("{byte:02X}")).collect();
    bytes.join(":")
}

/// Writes a file of the state folder as a whole, never readable for more than `mode` says; it is the folder's owner's.
///
/// # Errors
/// It cannot be written.
pub(super) fn store(path: &Path, folder: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(Permissions::from_mode(mode))?;
    auth::hand_over(file.as_file(), folder)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
