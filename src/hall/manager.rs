//! What the service manager is told, as systemd has it (`sd_notify(3)`). Without `NOTIFY_SOCKET` nobody is told
//! anything.

use std::time::Duration;

use sd_notify::NotifyState;

/// How long the manager waits for a sign of life, if it does.
pub(super) fn watchdog() -> Option<Duration> {
    // Who waits for nothing wants no signs of life.
    sd_notify::watchdog_enabled().filter(|limit| !limit.is_zero())
}

/// We are there: the journal is recovered and the pages can be asked.
pub fn ready() {
    notify(&[NotifyState::Ready]);
}

/// We are still on our way in, and need so much more time; `how_far` we are.
pub(super) fn starting(more: Duration, how_far: &str) {
    let more_us = u32::try_from(more.as_micros()).unwrap_or(u32::MAX);
    notify(&[NotifyState::ExtendTimeoutUsec(more_us), NotifyState::Status(how_far)]);
}

/// The configuration is being read again; [`ready`] ends that.
pub fn reloading() {
    // Newer managers want to know since when.
    match NotifyState::monotonic_usec_now() {
        Ok(now) => notify(&[NotifyState::Reloading, now]),
        Err(_) => notify(&[NotifyState::Reloading]),
    }
}

/// We are on our way out.
pub fn stopping() {
    notify(&[NotifyState::Stopping]);
}

/// A heartbeat came through; `status` is how we stand, if that is new.
pub(super) fn alive(status: Option<&str>) {
    match status {
        Some(status) => notify(&[NotifyState::Watchdog, NotifyState::Status(status)]),
        None => notify(&[NotifyState::Watchdog]),
    }
}

/// Signs of life while the daemon begins anew: the manager has heard that it is there, and goes on waiting for them.
pub async fn signs_of_life() {
    let Some(limit) = watchdog() else { return };
    loop {
        alive(None);
        tokio::time::sleep(limit / 2).await;
    }
}

fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager does not hear us");
    }
}
