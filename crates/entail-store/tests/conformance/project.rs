//! The views for dashboards.

use entail_store::{ProjectedBelief, ProjectedRejection, ProjectedTurn, Projection};

use crate::bed::{Bed, ENGINES, Line, TENANT, at};
use crate::cases;

cases![ENGINES;
    a_stretch_of_the_journal_is_projected_once,
    the_views_show_what_was_projected,
    sessions_that_lag_are_found_in_order,
    a_session_that_is_gone_is_not_projected,
];

pub(crate) fn projection(line: &Line, from: u64, to: u64, status: &str) -> Projection {
    let rejection = ProjectedRejection {
        action: Some("claim".into()),
        key: None,
        code: "formula_mismatch".into(),
        message: "re-executed to another value".into(),
    };
    Projection {
        tenant: TENANT.into(),
        session_id: line.id,
        from,
        to,
        as_of: to,
        beliefs: vec![ProjectedBelief {
            reference: "revenue@1".into(),
            key: "revenue".into(),
            value: "12345678901234567890".into(),
            source: "document:filing".into(),
            status: status.into(),
            confidence: 0.875,
        }],
        turns: (from + 1..=to)
            .map(|turn| ProjectedTurn {
                turn,
                model: (turn % 2 == 0).then(|| "model-1".into()),
                verdict: "needs_repair".into(),
                accepted: 2,
                rejected: vec![rejection.clone(), rejection.clone()],
                at: at(turn),
            })
            .collect(),
    }
}

async fn a_stretch_of_the_journal_is_projected_once(bed: Bed) {
    let line = bed.session_with(5).await;
    let first = projection(&line, 0, 3, "IN");
    assert_eq!(bed.store.projected(line.id).await.unwrap(), 0);
    assert!(bed.store.project(&first).await.unwrap());
    assert!(!bed.store.project(&first).await.unwrap());
    assert!(
        !bed.store
            .project(&projection(&line, 2, 5, "OUT"))
            .await
            .unwrap()
    );
    assert!(
        bed.store
            .project(&projection(&line, 3, 5, "OUT"))
            .await
            .unwrap()
    );
    assert_eq!(bed.store.projected(line.id).await.unwrap(), 5);
    assert_eq!(bed.ask("SELECT count(*) FROM turns").await, 5);
    assert_eq!(bed.ask("SELECT count(*) FROM rejections").await, 10);
    assert_eq!(bed.ask("SELECT count(*) FROM beliefs").await, 1);
}

async fn the_views_show_what_was_projected(bed: Bed) {
    let line = bed.session_with(4).await;
    assert!(
        bed.store
            .project(&projection(&line, 0, 2, "IN"))
            .await
            .unwrap()
    );
    assert!(
        bed.store
            .project(&projection(&line, 2, 4, "OUT"))
            .await
            .unwrap()
    );
    for (count, query) in [
        (
            1,
            "entail_beliefs WHERE status = 'OUT' AND as_of_version = 4 AND confidence = 0.875",
        ),
        (
            1,
            "entail_beliefs WHERE tenant = 'acme' AND value = '12345678901234567890'",
        ),
        (
            4,
            "entail_turns WHERE accepted = 2 AND rejected = 2 AND verdict = 'needs_repair'",
        ),
        (2, "entail_turns WHERE model IS NULL"),
        (
            2,
            "entail_turns WHERE created_at >= '2026-01-01T00:00:03.000000Z'",
        ),
        (
            8,
            "entail_rejections WHERE code = 'formula_mismatch' AND action = 'claim'",
        ),
        (
            4,
            "entail_rejections WHERE created_at < '2026-01-01T00:00:03.000000Z'",
        ),
    ] {
        assert_eq!(
            bed.ask(&format!("SELECT count(*) FROM {query}")).await,
            count,
            "{query}"
        );
    }
}

async fn sessions_that_lag_are_found_in_order(bed: Bed) {
    let (one, mut two) = (bed.session_with(2).await, bed.open_session().await);
    let lag = |line: &Line, version| (TENANT.to_owned(), line.id, version);
    let lagging = bed.store.unprojected(None, 10).await.unwrap();
    assert_eq!(lagging, [lag(&one, 0), lag(&two, 0)]);
    assert_eq!(
        bed.store.unprojected(None, 1).await.unwrap(),
        [lag(&one, 0)]
    );
    assert_eq!(
        bed.store.unprojected(Some(one.id), 1).await.unwrap(),
        [lag(&two, 0)]
    );
    for (line, to) in [(&one, 2), (&two, 1)] {
        assert!(
            bed.store
                .project(&projection(line, 0, to, "IN"))
                .await
                .unwrap()
        );
    }
    assert_eq!(bed.store.unprojected(None, 10).await.unwrap(), []);
    bed.append(&mut two).await;
    assert_eq!(
        bed.store.unprojected(None, 10).await.unwrap(),
        [lag(&two, 1)]
    );
}

async fn a_session_that_is_gone_is_not_projected(bed: Bed) {
    let line = bed.open_session().await;
    assert!(bed.store.delete_session(TENANT, line.id).await.unwrap());
    assert!(
        !bed.store
            .project(&projection(&line, 0, 1, "IN"))
            .await
            .unwrap()
    );
    assert_eq!(bed.ask("SELECT count(*) FROM projections").await, 0);
}
