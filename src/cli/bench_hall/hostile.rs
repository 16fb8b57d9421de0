//! Devices that send what they like, as fast as they are read.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;

use super::generator::Told;
use adoube_core::wire::dgt::Message;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;

/// So much at a time.
const BYTES: usize = 64 * 1024;
/// Where a connection cannot be taken, the next one is waited for.
const AGAIN: Duration = Duration::from_millis(100);
const SQUARES: u8 = 64;
/// Kinds of men, and none.
const CONTENTS: u8 = 13;

/// Sends until the end: the even ones noise, the others good messages about squares, none of which is true.
pub(super) async fn send(number: usize, listener: TcpListener, mut told: watch::Receiver<Told>) {
    let mut rng = fastrand::Rng::with_seed(number as u64);
    let flood = async {
        loop {
            let Ok((mut stream, _)) = listener.accept().await else {
                sleep(AGAIN).await;
                continue;
            };
            // However long nobody reads it: that is what such a device does.
            while stream.write_all(&bytes(number, &mut rng)).await.is_ok() {}
        }
    };
    tokio::select! {
        () = flood => {}
        // Whoever told it is gone: that is the end as well.
        _ = told.wait_for(|&told| told == Told::End) => {}
    }
}

fn bytes(number: usize, rng: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BYTES);
    while bytes.len() < BYTES {
        let content = Content::from_byte(rng.u8(..CONTENTS)).unwrap_or(Content::EMPTY);
        match number % 2 {
            0 => bytes.push(rng.u8(..)),
            _ => bytes
                .extend(Message::FieldUpdate { square: Square::new(rng.u8(..SQUARES)), content }.encode()),
        }
    }
    bytes
}
