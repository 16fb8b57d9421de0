//! Certificates for our listeners.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::config::Tls;

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or is not what it should be.
    #[error("[web.tls] {key} = \"{}\": {reason}; \"adoube cert\" makes a certificate and its key", path.display())]
    File {
        /// The key of the configuration.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The two do not belong together, or cannot be used.
    #[error("[web.tls]: the certificate and the key cannot be used together: {0}")]
    Unfit(#[from] rustls::Error),
}

/// The certificate of a pair that a listener can use.
///
/// # Errors
/// [`TlsError`] if it is none.
pub(super) fn usable(tls: &Tls) -> Result<CertificateDer<'static>, TlsError> {
    server(tls).map(|(_, certificate)| certificate)
}

/// What shakes hands with the certificate of the configuration.
///
/// # Errors
/// [`TlsError`] if there is none that can be used.
pub fn acceptor(tls: &Tls) -> Result<RustlsAcceptor, TlsError> {
    let (config, _) = server(tls)?;
    Ok(RustlsAcceptor::new(RustlsConfig::from_config(Arc::new(config))))
}

fn server(tls: &Tls) -> Result<(ServerConfig, CertificateDer<'static>), TlsError> {
    let chain = CertificateDer::pem_file_iter(&tls.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong("certificate", &tls.certificate, error))?;
    let Some(own) = chain.first().cloned() else {
        return Err(wrong("certificate", &tls.certificate, "there is no certificate in it"));
    };
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| wrong("key", &tls.key, error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    // A connection is a viewer: with HTTP/2 one could have hundreds of streams and neither the bound of viewers
    // nor the write time-out would see them.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok((config, own))
}

fn wrong(key: &'static str, path: &Path, reason: impl ToString) -> TlsError {
    TlsError::File { key, path: path.to_owned(), reason: reason.to_string() }
}
