//! What a hub does for events that come from afar, or from long ago.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::{Frame, Fresh, Heard, Hub, Outgoing, Start, message};

/// How old what a relay shows is, while that is more than usual, and once it is no more.
pub const HEARD: &str = "heard";

impl Frame {
    /// That of an event that no hub has any more.
    pub(crate) fn past<E: Outgoing>(event: &E) -> Self {
        let (line, name) = (event.line(), event.name().as_str());
        Self {
            number: event.number(),
            position: 0,
            name,
            board: Arc::clone(event.board()),
            game: event.game().cloned(),
            message: message(None, name, &line),
            line,
            is_aside: false,
        }
    }
}

impl<E: Outgoing> Hub<E> {
    /// Becomes `other`; what is awaited stays. Who watches is cut off: he comes back, and gets everything anew.
    pub fn replace(&self, other: Self) {
        let mut other = other.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.with(|inner| {
            std::mem::swap(&mut other.published, &mut inner.published);
            other.has_awaited |= inner.has_awaited;
            *inner = other;
            let published = inner.published.borrow().clone();
            // When it was published, the games themselves do not say here.
            inner.view.await_games(&published.unwrap_or_default(), &crate::world::now().to_string());
            let _told = inner.view.boards_to_tell();
            inner.fresh = Fresh::default();
        });
    }

    /// Tells who watches how old what is shown is.
    pub fn tell_heard(&self, heard: Heard) {
        if let Ok(serde_json::Value::Object(json)) = serde_json::to_value(heard) {
            self.with(|inner| self.send_aside(inner, HEARD, &json));
        }
    }

    /// Waits, but not long, until an event is out that a viewer has had elsewhere: another relay may be ahead of
    /// this one. False if it still is: what stands here would be the past to him.
    pub async fn reach(&self, epoch: &str, number: u64, patience: Duration) -> bool {
        if !self.is_behind(epoch, number) {
            return true;
        }
        let (start, mut live) = self.subscribe(Some((epoch, number)));
        if let Start::Resume(_) = start {
            return true;
        }
        let reached = async {
            loop {
                match live.recv().await {
                    Ok(frame) if frame.number != number => {}
                    Err(RecvError::Lagged(_)) => {}
                    Ok(_) | Err(RecvError::Closed) => return,
                }
            }
        };
        let _late = timeout(patience, reached).await;
        !self.is_behind(epoch, number)
    }

    /// Nothing as late as that was let out here.
    fn is_behind(&self, epoch: &str, number: u64) -> bool {
        self.with(|inner| {
            let out = inner.out.values().max().copied().unwrap_or(0);
            inner.epoch == epoch && out < number
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::hub::PublicHub;
    use adoube_core::event::PublicEvent;

    /// Longer than anything takes here.
    const PATIENCE: Duration = Duration::from_secs(10);

    fn event(id: u64) -> PublicEvent {
        let line = format!(
            r#"{{"id":{id},"at":"","t_ms":0,"board":"1","type":"clock-read","white_ms":1,"private":1}}"#
        );
        PublicEvent::read(line.as_bytes()).unwrap()
    }

    fn hub(epoch: &str, last: u64) -> PublicHub {
        let hub = PublicHub::default();
        hub.set_epoch(epoch);
        (1..=last).for_each(|id| hub.push(&event(id)));
        hub
    }

    #[test]
    fn who_watches_a_hub_that_becomes_another_is_cut_off_and_the_next_one_sees_the_other() {
        let one = hub("a", 3);
        let (_, mut live) = one.subscribe(None);
        one.replace(hub("b", 2));
        assert!(matches!(live.try_recv(), Err(tokio::sync::broadcast::error::TryRecvError::Closed)));
        assert_eq!(one.epoch(), "b");
        let (start, mut live) = one.subscribe(Some(("b", 1)));
        assert!(matches!(start, Start::Resume(missed) if missed.len() == 1 && missed[0].number == 2));
        one.push(&event(3));
        let line = live.try_recv().unwrap().line.clone();
        assert!(!line.contains("private"), "{line}");
        assert_eq!(line, event(3).to_line());
    }

    #[tokio::test]
    async fn an_event_that_is_on_its_way_is_awaited_and_no_other() {
        let hub = Arc::new(hub("a", 3));
        for (epoch, number) in [("a", 3), ("a", 1), ("b", 9)] {
            assert!(timeout(Duration::from_secs(1), hub.reach(epoch, number, PATIENCE)).await.unwrap());
        }
        let waits = tokio::spawn({
            let hub = Arc::clone(&hub);
            async move { hub.reach("a", 5, PATIENCE).await }
        });
        tokio::task::yield_now().await;
        hub.push(&event(4));
        assert!(!waits.is_finished());
        hub.push(&event(5));
        assert!(timeout(Duration::from_secs(1), waits).await.unwrap().unwrap());
        assert!(!hub.reach("a", 9, Duration::from_millis(1)).await, "he would be shown the past");
    }
}
