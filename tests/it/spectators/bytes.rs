//! How many bytes go to a telephone.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use super::hall::{Spectacle, plies};
use super::{CARDS, two_rounds};
use crate::browser::{Browser, browser};

/// A door before a listener that counts the bytes which go out.
async fn counted(listener: SocketAddr) -> (SocketAddr, Arc<AtomicU64>) {
    let count = Arc::new(AtomicU64::new(0));
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, counter) = (door.local_addr().unwrap(), Arc::clone(&count));
    tokio::spawn(async move {
        loop {
            let (viewer, _) = door.accept().await.unwrap();
            let counter = Arc::clone(&counter);
            tokio::spawn(async move {
                let server = TcpStream::connect(listener).await.unwrap();
                let ((mut from_server, mut to_server), (mut from_viewer, mut to_viewer)) =
                    (server.into_split(), viewer.into_split());
                tokio::spawn(async move { tokio::io::copy(&mut from_viewer, &mut to_server).await });
                let mut bytes = [0; 16_384];
                while let Ok(length @ 1..) = from_server.read(&mut bytes).await {
                    counter.fetch_add(length as u64, Ordering::Relaxed);
                    if to_viewer.write_all(&bytes[..length]).await.is_err() {
                        break;
                    }
                }
            });
        }
    });
    (address, count)
}

/// What has gone out since the last question, when nothing more goes out.
async fn taken(count: &AtomicU64) -> u64 {
    let mut last = 0;
    loop {
        sleep(Duration::from_millis(300)).await;
        let now = count.load(Ordering::Relaxed);
        if now == last {
            return count.swap(0, Ordering::Relaxed);
        }
        last = now;
    }
}

async fn complete(browser: &Browser, cards: usize) {
    browser
        .sees(&format!("{CARDS} === {cards} && document.querySelectorAll('#grid .man').length > 20"))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_telephone_gets_the_page_with_few_bytes() {
    let Some(browser) = browser().await else { return };
    let hall = Spectacle::new().await;
    two_rounds(&hall, 20);
    let (door, count) = counted(hall.public).await;
    browser.client.set_window_size(500, 844).await.unwrap();
    browser.client.goto(&format!("http://{door}/")).await.unwrap();
    complete(&browser, 20).await;
    let cold = taken(&count).await;
    browser.client.goto(&format!("http://{door}/round/5")).await.unwrap();
    browser.client.goto(&format!("http://{door}/")).await.unwrap();
    complete(&browser, 20).await;
    taken(&count).await;
    browser.client.refresh().await.unwrap();
    complete(&browser, 20).await;
    let warm = taken(&count).await;
    // A minute: two plies at each board.
    for number in 1..=20_u64 {
        hall.play(&number.to_string(), &format!("5-{number}"), &plies(number as usize % 8).1[20..22]);
    }
    browser.sees("[...document.querySelectorAll('#grid .card-status')].every(status => status.textContent.startsWith('11… '))").await;
    let minute = taken(&count).await;
    browser.click("#grid a.card[data-board=\"1\"]").await;
    browser.sees("document.querySelectorAll('#moves .move').length === 22").await;
    let game = taken(&count).await;
    println!("bytes: cold {cold}, warm {warm}, a minute of 20 boards {minute}, one board large {game}");
    assert!(
        cold < 60_000 && warm < 30_000 && minute < 45_000 && game < 6_000,
        "{cold} {warm} {minute} {game}"
    );
    browser.close().await;
    hall.end().await;
}
