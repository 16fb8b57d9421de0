//! `adoube cert`: a certificate for the desk, made here.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use jiff::ToSpan as _;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose, date_time_ymd};
use sha2::{Digest as _, Sha256};

use super::{Answer, qr};
use crate::auth;
use crate::config::Config;
use crate::web::machine;

/// Browsers take no certificate that is good for more than 825 days (CA/Browser Forum, Apple).
const GOOD_DAYS: i64 = 820;

/// Make a certificate for the desk
#[derive(Debug, Args)]
#[command(
    after_help = "The certificate is signed by itself: a browser asks once whether it is the right one, and \
                  shows the fingerprint that is printed here. The key is for its owner alone, who is the \
                  folder's: root makes the service's in /var/lib/adoube. Beyond localhost the desk speaks nothing but TLS.\n\n\
                  Example:\n  adoube cert --out /var/lib/adoube\n  adoube cert --name desk.example.org"
)]
pub(super) struct Cert {
    /// Folder for certificate.pem and key.pem
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,
    /// A name by which the desk is asked for, beside those of the configuration, the machine's own and its
    /// addresses (can be repeated)
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Cert {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let web = Config::load_web(self.config.as_deref())?;
        let (certificate, key) = (self.out.join("certificate.pem"), self.out.join("key.pem"));
        if let Some(there) = [&certificate, &key].into_iter().find(|path| path.exists() && !self.force) {
            bail!("{} is there already; --force replaces it", there.display());
        }
        let given: Vec<&String> = self.name.iter().chain(&web.names).collect();
        let names = names(&given);
        let pair = KeyPair::generate().context("no key")?;
        let made = parameters(&names)?.self_signed(&pair).context("no certificate")?;
        fs::create_dir_all(&self.out).with_context(|| self.out.display().to_string())?;
        write(&key, &pair.serialize_pem(), 0o600)?;
        write(&certificate, &made.pem(), 0o644)?;

        let desk = match (given.first(), web.arbiter) {
            (Some(name), arbiter) => format!("{name}:{}", arbiter.port()),
            (None, arbiter) => reachable(arbiter).to_string(),
        };
        println!("certificate: {}", certificate.display());
        println!("key:         {}", key.display());
        println!("names:       {}", names.join(", "));
        println!("SHA-256:     {}", fingerprint(made.der()));
        println!("desk:        https://{desk}/\n");
        println!("{}", qr::code(&format!("https://{desk}/"), &std::io::stdout())?);
        eprintln!("in adoube.toml:");
        eprintln!("[web.tls]");
        eprintln!("certificate = \"{}\"", absolute(&certificate).display());
        eprintln!("key = \"{}\"", absolute(&key).display());
        Ok(Answer::Yes)
    }
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

fn parameters(names: &[String]) -> anyhow::Result<CertificateParams> {
    let mut parameters = CertificateParams::new(names.to_vec())
        .with_context(|| format!("not all of these can stand in a certificate: {}", names.join(", ")))?;
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

/// The desk's address from elsewhere in the hall.
fn reachable(arbiter: SocketAddr) -> SocketAddr {
    let is_nowhere = arbiter.ip().is_unspecified() || arbiter.ip().is_loopback();
    let ip = machine::address().filter(|_| is_nowhere).unwrap_or_else(|| arbiter.ip());
    SocketAddr::new(ip, arbiter.port())
}

/// Writes a file as a whole, never readable for more than `mode` says.
fn write(path: &Path, text: &str, mode: u32) -> anyhow::Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let written = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().set_permissions(Permissions::from_mode(mode))?;
        auth::hand_over(file.as_file(), folder)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    written().with_context(|| path.display().to_string())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
