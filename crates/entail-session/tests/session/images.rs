//! Images: refused when they are not what they were, and of one form.

use entail_json::sha256;
use entail_session::{IMAGE_FORMAT, Image, ImageError, Limits, Session};
use proptest::prelude::*;

use super::play::{ID, Play, opening, premise};

/// A session with something of everything.
fn rich() -> Play {
    let mut play = Play::open(opening("conservative"));
    play.context();
    play.turn(
        r#"[{"type":"cite","document":"10-K","key":"q2","quote":"Q2 was $4.3 billion","value":4300000000},
            {"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q3"},"key":"q3"},
            {"type":"claim","key":"big","value":true},
            {"type":"claim","key":"c","value":2,"formula":"{nothing} + 1"}]"#,
    );
    let call = play.session.calls().next().unwrap().id().to_owned();
    play.answer_call(&call, 4_500_000_000_i64);
    play.assert(vec![
        premise("q2", 4_300_000_000_i64, "human:h"),
        premise("gone", "x", "assumption:a"),
    ]);
    play.put_document("10-K", "Total revenue for Q2 was $4.4 billion.");
    play.retract("gone");
    play.turn(r#"[{"type":"answer","text":"It rose.","follows_from":["q2","q3"]}]"#);
    play
}

fn read(play: &Play, image: &Image) -> Result<Session, ImageError> {
    let find = |digest: &entail_json::Digest| {
        let mut documents = play.documents.iter();
        documents.find(|document| document.id() == *digest).cloned()
    };
    Session::from_image(ID, image, Limits::default(), find)
}

/// The same image with other bytes, under the digest of those.
fn forged(image: &Image, bytes: Vec<u8>) -> Image {
    Image {
        sha256: sha256(&bytes),
        bytes,
        ..image.clone()
    }
}

#[test]
fn a_session_with_something_of_everything_comes_back_at_every_entry() {
    let play = rich();
    for entries in 1..=play.journal.len() {
        play.check_image_at(entries);
    }
}

#[test]
fn an_image_names_the_documents_that_it_needs() {
    let play = rich();
    let image = play.session.image().unwrap();
    let mut expected: Vec<_> = play
        .documents
        .iter()
        .map(|document| document.id())
        .collect();
    expected.sort_unstable();
    assert_eq!(image.documents(), Ok(expected));
    let error = Session::from_image(ID, &image, Limits::default(), |_| None).unwrap_err();
    assert!(
        matches!(error, ImageError::MissingDocument { .. }),
        "{error}"
    );
}

#[test]
fn a_session_with_an_unconfirmed_commit_has_no_image() {
    let mut play = rich();
    let retract = entail_session::Command::Restore {
        target: "gone".to_owned(),
    };
    play.session.execute(retract, play.clock).unwrap();
    assert_eq!(play.session.image(), None);
    play.session.undo();
    assert!(play.session.image().is_some());
}

#[test]
fn an_image_of_another_form_session_version_or_history_is_refused() {
    let play = rich();
    let image = play.session.image().unwrap();
    let refused = |change: fn(&mut Image)| {
        let mut other = image.clone();
        change(&mut other);
        read(&play, &other).unwrap_err().word()
    };
    assert_eq!(
        refused(|image| image.format = IMAGE_FORMAT + 1),
        "unknown_format"
    );
    assert_eq!(refused(|image| image.bytes[9] ^= 1), "damaged");
    assert_eq!(refused(|image| image.bytes.truncate(100)), "damaged");
    assert_eq!(refused(|image| image.version -= 1), "foreign");
    assert_eq!(refused(|image| image.head = sha256(b"other")), "foreign");
    let other = "0190a6f0-0000-7000-8000-000000000001";
    let error = Session::from_image(other, &image, Limits::default(), |_| None).unwrap_err();
    assert_eq!(error, ImageError::Foreign { what: "session" });
    assert!(read(&play, &image).is_ok());
}

#[test]
fn an_image_that_goes_on_after_its_end_or_ends_before_is_malformed() {
    let play = rich();
    let image = play.session.image().unwrap();
    let mut longer = image.bytes.clone();
    longer.push(0);
    let error = read(&play, &forged(&image, longer)).unwrap_err();
    assert_eq!(error.word(), "malformed");
    for end in (0..image.bytes.len()).step_by(7) {
        let cut = forged(&image, image.bytes[..end].to_vec());
        assert!(read(&play, &cut).is_err(), "{end}");
        let _ = cut.documents();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_forged_image_is_refused_or_read_without_panic(
        at in any::<prop::sample::Index>(),
        byte in 1_u8..,
    ) {
        thread_local!(static RICH: (Play, Image) = {
            let play = rich();
            let image = play.session.image().unwrap();
            (play, image)
        });
        RICH.with(|(play, image)| {
            let mut bytes = image.bytes.clone();
            let at = at.index(bytes.len());
            bytes[at] ^= byte;
            if let Ok(session) = read(play, &forged(image, bytes)) {
                let _ = (session.dump(), session.heap_bytes());
            }
        });
    }
}

/// What changes the form of an image has to raise [`IMAGE_FORMAT`], or a build would read what
/// another one wrote in its own way.
#[test]
fn the_form_of_an_image_is_the_one_its_number_stands_for() {
    let image = rich().session.image().unwrap();
    let expected = include_str!("images.sha256").trim();
    assert_eq!(
        format!("{} {}", image.format, image.sha256),
        expected,
        "an image is written in another way: raise `IMAGE_FORMAT`, and write the line on the left \
         into `images.sha256`"
    );
}

#[test]
fn what_a_session_takes_of_memory_follows_what_it_holds() {
    let mut play = Play::open(opening("declared"));
    let empty = play.session.heap_bytes();
    let premises = (0..1_000_usize).map(|n| premise(&format!("key:{n}"), n, "tool:t"));
    play.assert(premises.collect());
    let full = play.session.heap_bytes();
    let image = play.session.image().unwrap().bytes.len();
    assert!(full > empty + 1_000 * 500, "{empty} {full}");
    assert!(full < empty + 1_000 * 4_000, "{empty} {full}");
    assert!(image > 100_000 && image < full, "{image} {full}");
}
