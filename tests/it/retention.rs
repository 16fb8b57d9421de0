//! Old files of the journal go while the daemon runs, and whoever looks later is told.

use adoube::journal::{InputKind, Journal, Submission, walk};
use adoube_core::station::CORE;
use adoube_rules::stamp::Stamp;

use crate::daemon::{PATIENCE, Site, awaited};
use crate::http::get;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_files_go_and_the_log_and_verify_say_so() {
    let site = Site::new(1.0, &["tcp://127.0.0.1:1".to_owned()]);
    let journal = site.path().join("journal");
    let (handle, _) = Journal::open(&journal, CORE, drop).unwrap();
    for day in ["2026-01-05", "2026-01-06", "2026-01-07"] {
        let utc_ns = Stamp::parse_utc(&format!("{day}T12:00:00Z")).unwrap();
        let stamp = Stamp { mono_ns: 0, utc_ns };
        let (board, kind, data) = ("9".into(), InputKind::Link, b"lost".to_vec());
        handle.submit(Submission { board, stamp, kind, data, events: Vec::new() }).await.unwrap();
        handle.settled().await.unwrap();
    }
    tokio::task::spawn_blocking(move || handle.close()).await.unwrap();
    let is_there = |number: u32| journal.join(format!("{number:04}.db")).exists();
    assert!((1..=3).all(is_there));

    site.change("[journal]\n", "[journal]\nretention = \"30 days\"\n");
    let daemon = site.start();
    let is_told =
        async || (site.log().matches("a file of the journal was removed").count() >= 2).then_some(());
    awaited("two files to be removed", PATIENCE, is_told).await;
    // The third is still the last, unless the next one was begun before they were looked at.
    assert_eq!([1, 2].map(is_there), [false, false]);
    assert_eq!(get(site.desk, "/readyz").await.status, 200);
    let is_written = async || {
        let mut is_written = false;
        let _errors = walk(&journal, |walked| is_written |= walked.board == "1");
        (is_there(4) && is_written).then_some(())
    };
    awaited("a newer file that holds something", PATIENCE, is_written).await;
    daemon.kill();
    // Started again, it goes on where it was; by now a newer file is the last.
    let _daemon = site.start();
    let is_gone = async || (!is_there(3)).then_some(());
    awaited("the third file to be removed", PATIENCE, is_gone).await;
    let verified = site.adoube(&["verify"]);
    let said = String::from_utf8(verified.stderr).unwrap();
    assert!(verified.status.success() && said.contains("as [journal] retention has it"), "{said}");
}
