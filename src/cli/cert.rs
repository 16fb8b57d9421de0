//! `adoube cert`: a certificate for the desk, made here.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::{Answer, qr};
use crate::config::{Config, Tls};
use crate::web::certificate::{self, Certificate};
use crate::web::machine;

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
        let Tls { certificate, key } = certificate::files(&self.out);
        if let Some(there) = [&certificate, &key].into_iter().find(|path| path.exists() && !self.force) {
            bail!("{} is there already; --force replaces it", there.display());
        }
        let given: Vec<&String> = self.name.iter().chain(&web.names).collect();
        let Certificate { names, fingerprint, .. } = certificate::make(&self.out, &given)?;

        let desk = match (given.first(), web.arbiter) {
            (Some(name), arbiter) => format!("{name}:{}", arbiter.port()),
            (None, arbiter) => reachable(arbiter).to_string(),
        };
        println!("certificate: {}", certificate.display());
        println!("key:         {}", key.display());
        println!("names:       {}", names.join(", "));
        println!("SHA-256:     {fingerprint}");
        println!("desk:        https://{desk}/\n");
        println!("{}", qr::code(&format!("https://{desk}/"), &std::io::stdout())?);
        eprintln!("in adoube.toml:");
        eprintln!("[web.tls]");
        eprintln!("certificate = \"{}\"", absolute(&certificate).display());
        eprintln!("key = \"{}\"", absolute(&key).display());
        Ok(Answer::Yes)
    }
}

/// The desk's address from elsewhere in the hall.
fn reachable(arbiter: SocketAddr) -> SocketAddr {
    let is_nowhere = arbiter.ip().is_unspecified() || arbiter.ip().is_loopback();
    let ip = machine::address().filter(|_| is_nowhere).unwrap_or_else(|| arbiter.ip());
    SocketAddr::new(ip, arbiter.port())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
