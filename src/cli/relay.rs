//! `adoube relay`: the spectators' pages, from NATS.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use async_nats::ServerAddr;
use clap::Args;

use super::Answer;
use crate::config::Proxy;
use crate::config::nats::{no_site, server};
use crate::feed::nats::{Server, is_site};
use crate::relay;

/// Serve spectators from a stream of NATS, without boards; any number of relays
#[derive(Debug, Args)]
#[command(
    after_help = "It reads the stream that a daemon with [feeds.nats] writes, then listens, and prints its address \
                  on stdout. It keeps nothing: several behind a balancer show the same, and each may end at any \
                  time.\n\n\
                  Example:\n  adoube relay --nats nats://hall.example:4222 --listen 0.0.0.0:8065\n  \
                  adoube relay --nats tls://a.example,tls://b.example --credentials relay.creds --name live.example"
)]
pub(super) struct Relay {
    /// Server, or several of one cluster: nats://HOST:PORT or tls://HOST:PORT
    #[arg(long, value_name = "URL", required = true, value_delimiter = ',', value_parser = server)]
    nats: Vec<ServerAddr>,
    /// Where the pages are
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 8065)))]
    listen: SocketAddr,
    /// Which hall, if several share the server: the daemon's [feeds.nats] site
    #[arg(long, value_name = "SITE", value_parser = site)]
    site: Option<String>,
    /// File that says who we are: .creds, the seed of an nkey, NAME:PASSWORD, or a token
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// Certificates to trust instead of the system's
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// Our certificate
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// Its key
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Name by which the pages are asked for, beside the machine's own (can be repeated)
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Proxy or network of proxies that is believed when it says from where somebody asks (can be repeated)
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<Proxy>,
}

fn site(text: &str) -> Result<String, String> {
    if is_site(text) { Ok(text.to_owned()) } else { Err(no_site(text)) }
}

impl Relay {
    #[tokio::main]
    pub(super) async fn run(self) -> anyhow::Result<Answer> {
        for file in
            [&self.credentials, &self.tls_ca, &self.tls_certificate, &self.tls_key].into_iter().flatten()
        {
            std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        }
        // Said at once, and not after the stream was read; then the place is free again, as long as nobody else
        // takes it.
        drop(std::net::TcpListener::bind(self.listen).map_err(|error| self.busy(&error))?);
        let listen = self.listen;
        let settings = relay::Settings {
            server: Server {
                urls: self.nats.clone(),
                credentials: self.credentials.clone(),
                tls_ca: self.tls_ca.clone(),
                tls_client: self.tls_certificate.clone().zip(self.tls_key.clone()),
            },
            site: self.site.clone(),
            listen,
            names: self.name.clone(),
            proxies: self.proxy.clone(),
        };
        eprintln!("reading the stream at {}", settings.server);
        let relay = tokio::select! {
            relay = relay::Relay::start(settings) => relay.map_err(|error| self.busy(&error))?,
            ended = super::interrupted() => return ended.map(|()| Answer::Yes),
        };
        println!("http://{}/", relay.address);
        super::interrupted().await?;
        eprintln!("stopping");
        relay.stop().await;
        Ok(Answer::Yes)
    }

    fn busy(&self, error: &std::io::Error) -> anyhow::Error {
        anyhow!("{}: cannot listen there: {error}; is another adoube running?", self.listen)
    }
}
