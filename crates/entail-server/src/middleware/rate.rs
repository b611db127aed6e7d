//! Rate limits: so many requests a second for each API key, or where there are none for each
//! address, with a burst. Off until configured.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    extract::{ConnectInfo, Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use uuid::Uuid;

use crate::{
    caller::Caller,
    clock,
    config::Settings,
    limits::RATE_CALLERS,
    problem::{Code, Problem},
};

/// Who is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Counted {
    Key(Uuid),
    Address(Option<IpAddr>),
}

/// The limits, and where each caller stands.
///
/// Of each caller only a time is kept: that at which its allowance is whole again (the generic
/// cell rate algorithm). A request moves it by one interval; one that would move it further ahead
/// than the burst allows is refused.
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    interval: i64,
    ahead: i64,
    whole_at: Arc<Mutex<HashMap<Counted, i64>>>,
}

impl Rates {
    /// The limits of these settings, if there are any.
    pub(crate) fn new(settings: &Settings) -> Option<Self> {
        let per_second = i64::from(settings.rate_limit_per_s);
        let interval = 1_000_000_i64.checked_div(per_second)?;
        let burst = i64::from(settings.rate_limit_burst.max(1));
        Some(Self {
            interval,
            ahead: interval.saturating_mul(burst.saturating_sub(1)),
            whole_at: Arc::default(),
        })
    }

    /// Takes one request from a caller's allowance; else how long it has to wait, in
    /// microseconds.
    fn take(&self, counted: Counted, now: i64) -> Result<(), i64> {
        let mut whole_at = self.whole_at.lock().unwrap_or_else(PoisonError::into_inner);
        if whole_at.len() >= RATE_CALLERS {
            whole_at.retain(|_, time| *time > now);
        }
        let standing = whole_at.entry(counted).or_insert(now);
        let ahead = (*standing).max(now).saturating_sub(now);
        if ahead > self.ahead {
            return Err(ahead.saturating_sub(self.ahead));
        }
        *standing = (*standing).max(now).saturating_add(self.interval);
        Ok(())
    }
}

/// Refuses callers who are too fast.
pub(crate) async fn bound(State(rates): State<Rates>, request: Request, next: Next) -> Response {
    let key = request
        .extensions()
        .get::<Caller>()
        .and_then(|caller| caller.key);
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let counted = match key {
        Some(key) => Counted::Key(key),
        None => Counted::Address(peer.map(|peer| peer.0.ip())),
    };
    if matches!(request.uri().path(), "/livez" | "/readyz" | "/metrics") {
        return next.run(request).await;
    }
    match rates.take(counted, clock::now_micros()) {
        Ok(()) => next.run(request).await,
        Err(wait) => {
            let seconds = u32::try_from(wait / 1_000_000)
                .unwrap_or(u32::MAX)
                .saturating_add(1);
            Problem::new(
                Code::RateLimited,
                "too many requests; come back after `retry-after`",
            )
            .retry_after(seconds)
            .into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(per_second: u32, burst: u32) -> Option<Rates> {
        Rates::new(&Settings {
            rate_limit_per_s: per_second,
            rate_limit_burst: burst,
            ..Settings::default()
        })
    }

    #[test]
    fn a_burst_is_let_through_and_then_one_request_an_interval() {
        let rates = rates(10, 3).unwrap();
        let caller = Counted::Key(Uuid::from_u128(1));
        for _ in 0..3 {
            assert_eq!(rates.take(caller, 0), Ok(()));
        }
        assert_eq!(rates.take(caller, 0), Err(100_000));
        assert_eq!(rates.take(Counted::Key(Uuid::from_u128(2)), 0), Ok(()));
        assert_eq!(rates.take(caller, 100_000), Ok(()));
        assert!(rates.take(caller, 100_000).is_err());
        for _ in 0..3 {
            assert_eq!(rates.take(caller, 10_000_000), Ok(()));
        }
        assert!(rates.take(caller, 10_000_000).is_err());
    }

    #[test]
    fn without_a_limit_nothing_is_counted() {
        assert!(rates(0, 5).is_none());
    }

    #[tokio::test]
    async fn a_caller_who_is_too_fast_is_told_when_to_come_back() {
        let settings = Settings {
            rate_limit_per_s: 1,
            rate_limit_burst: 2,
            ..Settings::default()
        };
        let service = crate::testing::Service::with(settings).await;
        for _ in 0..2 {
            assert_eq!(service.get("/sessions").await.status, 200);
        }
        let refused = service.get("/sessions").await;
        assert_eq!(
            (refused.status, refused.code()),
            (429, "rate_limited".to_owned())
        );
        assert_eq!(refused.headers["retry-after"], "1");
        assert_eq!(service.get("/livez").await.status, 200);
    }
}
