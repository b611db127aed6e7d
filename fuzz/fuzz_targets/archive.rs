//! The archive readers on any bytes.

#![no_main]

use entail_trace::{Expectations, Files, Tar, gunzip, verify_bundle};
use libfuzzer_sys::fuzz_target;

const LIMIT: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let mut unpacked = Vec::new();
    if gunzip(bytes, &mut unpacked, LIMIT).is_ok() {
        check(&unpacked);
    }
    assert!(unpacked.len() as u64 <= LIMIT);
    check(bytes);
});

fn check(archive: &[u8]) {
    let Ok(tar) = Tar::open(archive, LIMIT) else { return };
    let mut paths = Vec::new();
    tar.visit_paths(&mut |path| paths.push(path.to_owned())).expect("it was walked before");
    for path in &paths {
        assert!(!path.starts_with('/') && !path.split('/').any(|step| step == ".."));
        let file = tar.open(path).expect("readable").expect("it was listed");
        assert!(file.length().expect("known") <= LIMIT);
    }
    let _ = verify_bundle(&tar, &Expectations::default());
}
