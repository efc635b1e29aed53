//! What the app says without being asked, and those who listen.
//!
//! A subscriber reads as fast as it likes, and nobody waits for it. What it has not read is kept short: of two messages
//! about the same thing the newer one is enough. One that lags far behind is told so ([`Notification::Missed`]) and asks
//! again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::Notify;

use crate::api::job::{JobState, Notification};

/// Messages that wait for one subscriber, at most.
const MOST_WAITING: usize = 256;

/// Tells everybody who listens. Subscriptions end with it.
#[derive(Debug, Default)]
pub struct Notifications {
    subscribers: Mutex<Vec<Weak<Mailbox>>>,
}

/// All notifications since it was made, for one reader. Dropping it ends it.
#[derive(Debug)]
pub struct Subscription {
    mailbox: Arc<Mailbox>,
}

#[derive(Debug, Default)]
struct Mailbox {
    mail: Mutex<Mail>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Mail {
    waiting: VecDeque<Notification>,
    /// Nothing comes after what waits.
    is_over: bool,
}

impl Notifications {
    /// Hears everything from now on.
    pub fn subscribe(&self) -> Subscription {
        let mailbox: Arc<Mailbox> = Arc::default();
        self.lock().push(Arc::downgrade(&mailbox));
        Subscription { mailbox }
    }

    /// Returns whether anybody listens.
    pub fn tell(&self, notification: &Notification) -> bool {
        let mut subscribers = self.lock();
        subscribers.retain(|subscriber| {
            let mailbox = subscriber.upgrade();
            mailbox.inspect(|mailbox| mailbox.change(|mail| mail.add(notification.clone()))).is_some()
        });
        !subscribers.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Mailbox>>> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Notifications {
    fn drop(&mut self) {
        for mailbox in self.lock().iter().filter_map(Weak::upgrade) {
            mailbox.change(|mail| mail.is_over = true);
        }
    }
}

impl Subscription {
    /// The next one, once it is there. `None` at the end of the app.
    pub async fn next(&mut self) -> Option<Notification> {
        loop {
            {
                let mut mail = self.mailbox.lock();
                if let Some(next) = mail.waiting.pop_front() {
                    return Some(next);
                }
                if mail.is_over {
                    return None;
                }
            }
            // What arrives in between is remembered: there is one reader.
            self.mailbox.arrived.notified().await;
        }
    }

    /// The next one, if it is there.
    pub fn try_next(&mut self) -> Option<Notification> {
        self.mailbox.lock().waiting.pop_front()
    }
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Mail)) {
        change(&mut self.lock());
        self.arrived.notify_one();
    }
}

impl Mail {
    fn add(&mut self, notification: Notification) {
        let subject = Subject::of(&notification);
        // The newer one says all that the older one did, and stands behind what was said before it.
        let same = self.waiting.iter().position(|known| Subject::of(known) == subject);
        same.map(|at| self.waiting.remove(at));
        self.waiting.push_back(notification);
        if self.waiting.len() > MOST_WAITING {
            // What can be asked for again is let go. What cannot is rare; of it, too, the newest is kept.
            self.waiting.retain(|known| {
                matches!(
                    known,
                    Notification::Open { .. } | Notification::Lesson { .. } | Notification::Begun { .. }
                )
            });
            let n_old = self.waiting.len().saturating_sub(MOST_WAITING / 2);
            self.waiting.drain(..n_old);
            self.waiting.push_front(Notification::Missed);
        }
    }
}

/// What a message is about: the newer one of two about the same thing says all that the older one did.
#[derive(PartialEq)]
enum Subject<'n> {
    /// That a job began, that it moved, and that it ended are three things.
    JobBegan(&'n str),
    JobMoved(&'n str),
    JobEnded(&'n str),
    Sessions,
    Changed(&'n str),
    Begun(&'n str, &'n [String]),
    Analysis(&'n str),
    Findings(&'n str),
    Run(&'n str),
    Home,
    Capture,
    /// A window shows one session.
    Open,
    Lesson,
    Missed,
}

impl<'n> Subject<'n> {
    fn of(notification: &'n Notification) -> Self {
        match notification {
            Notification::Job { job } => match job.state {
                JobState::Running if job.seconds_elapsed > 0.0 => Self::JobMoved(&job.job),
                JobState::Running => Self::JobBegan(&job.job),
                JobState::Done | JobState::Cancelled | JobState::Failed => Self::JobEnded(&job.job),
            },
            Notification::Sessions => Self::Sessions,
            Notification::Changed { session } => Self::Changed(session),
            Notification::Begun { session, after } => Self::Begun(session, after),
            Notification::Analysis { session, .. } => Self::Analysis(session),
            Notification::Findings { session } => Self::Findings(session),
            Notification::Run { run } => Self::Run(run),
            Notification::Home => Self::Home,
            Notification::Capture => Self::Capture,
            Notification::Open { .. } => Self::Open,
            Notification::Lesson { .. } => Self::Lesson,
            Notification::Missed => Self::Missed,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn compiled(session: usize, compiled_calls: u32) -> Notification {
        Notification::Analysis { session: session.to_string(), compiled_calls, calls: 1000 }
    }

    fn read(subscription: &mut Subscription) -> Vec<Notification> {
        std::iter::from_fn(|| subscription.try_next()).collect()
    }

    #[test]
    fn of_what_was_not_read_the_newest_is_kept() {
        let notifications = Notifications::default();
        let mut slow = notifications.subscribe();
        for calls in 0..10_000 {
            notifications.tell(&compiled(1, calls));
            notifications.tell(&compiled(2, calls));
            notifications.tell(&Notification::Sessions);
        }
        let said = read(&mut slow);
        assert!(
            matches!(
                &said[..],
                [
                    Notification::Analysis { compiled_calls: 9_999, .. },
                    Notification::Analysis { compiled_calls: 9_999, .. },
                    Notification::Sessions
                ]
            ),
            "{said:?}"
        );
    }

    #[test]
    fn who_lags_far_behind_is_told_and_keeps_what_cannot_be_asked_for() {
        let notifications = Notifications::default();
        let mut slow = notifications.subscribe();
        notifications.tell(&Notification::Open { session: "7".into() });
        for session in 0..10 * MOST_WAITING {
            notifications.tell(&compiled(session, 1));
        }
        let said = read(&mut slow);
        assert!(said.len() <= MOST_WAITING);
        let [Notification::Missed, Notification::Open { session }, rest @ ..] = &said[..] else {
            panic!("{said:?}")
        };
        assert_eq!(session, "7");
        let last = (10 * MOST_WAITING - 1).to_string();
        assert!(matches!(rest.last(), Some(Notification::Analysis { session, .. }) if *session == last));
    }

    #[tokio::test]
    async fn a_subscription_waits_and_ends_with_the_app() {
        let notifications = Notifications::default();
        let mut listens = notifications.subscribe();
        let heard = tokio::spawn(async move {
            let mut heard = Vec::new();
            while let Some(said) = listens.next().await {
                heard.push(said);
            }
            heard.len()
        });
        tokio::task::yield_now().await;
        assert!(notifications.tell(&Notification::Sessions));
        tokio::task::yield_now().await;
        notifications.tell(&compiled(1, 1));
        drop(notifications);
        assert_eq!(heard.await.unwrap(), 2);
    }

    #[test]
    fn nobody_listens_once_the_subscription_is_gone() {
        let notifications = Notifications::default();
        drop(notifications.subscribe());
        assert!(!notifications.tell(&Notification::Sessions));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whoever reads now and then, and asks again when it missed something, knows in the end what there is to know.
        #[test]
        fn a_slow_reader_knows_the_newest_in_the_end(
            steps in prop::collection::vec((0..2 * MOST_WAITING, 0..50_u32, 0..20_usize), 1..700)
        ) {
            let notifications = Notifications::default();
            let mut slow = notifications.subscribe();
            let (mut so, mut known) = (BTreeMap::new(), BTreeMap::new());
            let mut take = |said: Notification, so: &BTreeMap<String, u32>| match said {
                Notification::Analysis { session, compiled_calls, .. } => {
                    known.insert(session, compiled_calls);
                }
                Notification::Missed => known.clone_from(so),
                _ => {}
            };
            for (session, calls, luck) in steps {
                so.insert(session.to_string(), calls);
                notifications.tell(&compiled(session, calls));
                if luck == 0 && let Some(said) = slow.try_next() {
                    take(said, &so);
                }
            }
            for said in read(&mut slow) {
                take(said, &so);
            }
            prop_assert_eq!(known, so);
        }
    }
}
