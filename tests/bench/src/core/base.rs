//! The belief base: building, taking back, and how the cost follows the region of a change.

use entail_kernel::{
    Base, Time,
    base::{BaseError, Fault, Premise, Source, SourceKind, Step},
};

use crate::{
    Measured, Outcome,
    measure::{fresh, once, repeated},
    table::Table,
};

/// What the same work takes a Python implementation, in seconds.
mod python {
    pub(super) const BUILD: f64 = 0.198;
    pub(super) const FAN: f64 = 0.116;
    pub(super) const CHAIN: f64 = 0.105;
    pub(super) const CHANGE: f64 = 46e-6;
}

/// Justifications in the fan and in the chain.
pub(crate) const STEPS: usize = 10_000;
const LONG: usize = 1_000_000;

/// Sizes of the bases in which the local change is made.
pub(crate) const SIZES: [usize; 4] = [1_000, 10_000, 100_000, LONG];

/// Beliefs in the region of the local change.
pub(crate) const REGION: usize = 10;

pub(crate) const NOW: Time = Time::EPOCH;

pub(crate) fn measure(table: &mut Table) -> Outcome {
    table.heading("10,000 justifications");
    table.compared("building them", building(chain)?, python::BUILD, "Python");
    table.compared(
        "retracting and restoring what a fan rests on",
        there_and_back(fan)?,
        python::FAN,
        "Python",
    );
    table.compared(
        "… what a chain rests on",
        there_and_back(chain)?,
        python::CHAIN,
        "Python",
    );

    table.heading("one local change, a region of 10 beliefs");
    for size in SIZES {
        let (both, base) = local_change(size)?;
        // A change is either half.
        let change = both / 2.0;
        table.compared(
            format!("in a base of {size}"),
            change,
            python::CHANGE,
            "Python",
        );
        if size == LONG {
            bytes_each(table, &base, size);
        }
    }
    table.heading("a chain of 1,000,000 beliefs");
    long_chain(table)
}

fn model() -> Source {
    Source::new(SourceKind::Model, "m")
}

pub(crate) fn premise(base: &mut Base, key: &str) -> Result<(), BaseError> {
    let source = Source::new(SourceKind::Tool, "t");
    base.assert(Premise::new(key, 1_i64, source), NOW).map(drop)
}

/// A premise, and steps that each rest on the one before.
pub(crate) fn chain(steps: usize) -> Result<Base, BaseError> {
    let mut base = Base::default();
    premise(&mut base, "k0")?;
    for step in 1..=steps {
        let from = [format!("k{}", step - 1)];
        base.justify(Step::new(format!("k{step}"), 1_i64, model(), from), NOW)?;
        base.take_events();
    }
    Ok(base)
}

/// A premise, and steps that each rest on it.
pub(crate) fn fan(steps: usize) -> Result<Base, BaseError> {
    let mut base = Base::default();
    premise(&mut base, "k0")?;
    for step in 1..=steps {
        base.justify(Step::new(format!("k{step}"), 1_i64, model(), ["k0"]), NOW)?;
        base.take_events();
    }
    Ok(base)
}

/// Short chains side by side, so many beliefs in all.
fn islands(beliefs: usize) -> Result<Base, BaseError> {
    let mut base = Base::default();
    for island in 0..beliefs / REGION {
        premise(&mut base, &format!("i{island}:0"))?;
        for step in 1..REGION {
            let from = [format!("i{island}:{}", step - 1)];
            base.justify(
                Step::new(format!("i{island}:{step}"), 1_i64, model(), from),
                NOW,
            )?;
        }
        base.take_events();
    }
    Ok(base)
}

/// Retracts a ref and restores it. Returns the most beliefs that one of the two touched.
fn toggle(base: &mut Base, target: &str) -> Result<usize, BaseError> {
    base.retract(target, None, Fault::None, NOW)?;
    let touched = base.work().beliefs;
    base.restore(target, NOW)?;
    base.take_events();
    Ok(touched.max(base.work().beliefs))
}

/// How a graph of so many justifications is made.
type Make = fn(usize) -> Result<Base, BaseError>;

/// The time it takes to build [`STEPS`] justifications.
pub(crate) fn building(make: Make) -> Measured<f64> {
    make(STEPS)?;
    Ok(fresh(|| (), |()| make(STEPS)))
}

/// The time it takes to retract and to restore what [`STEPS`] justifications rest on.
pub(crate) fn there_and_back(make: Make) -> Measured<f64> {
    let mut base = make(STEPS)?;
    let touched = toggle(&mut base, "k0@1")?;
    if touched != STEPS + 1 || base.all_in().len() != STEPS + 1 {
        return Err(format!("{touched} beliefs were touched, not {}", STEPS + 1).into());
    }
    Ok(repeated(|| toggle(&mut base, "k0@1")))
}

/// The time it takes to retract and to restore a premise with [`REGION`] beliefs behind it, in a
/// base of that size, and the base.
pub(crate) fn local_change(size: usize) -> Measured<(f64, Base)> {
    let mut base = islands(size)?;
    let target = format!("i{}:0@1", size / REGION / 2);
    let touched = toggle(&mut base, &target)?;
    if touched != REGION {
        return Err(format!("{touched} beliefs were touched, not {REGION}").into());
    }
    Ok((repeated(|| toggle(&mut base, &target)), base))
}

pub(crate) fn bytes_each(table: &mut Table, base: &Base, size: usize) {
    table.count(
        "bytes a belief, its key, value and justification included",
        base.heap_bytes() / size,
        "",
    );
}

fn long_chain(table: &mut Table) -> Outcome {
    let before = resident();
    let (time, base) = once(|| chain(LONG));
    let mut base = base?;
    table.time("building it", time, "");
    if let (Some(before), Some(after)) = (before, resident()) {
        let bytes = after.saturating_sub(before) / LONG;
        table.count("resident bytes a belief, spare room included", bytes, "");
    }
    let (time, gone) = once(|| base.retract("k0@1", None, Fault::None, NOW));
    gone?;
    table.time(
        "retracting its premise",
        time,
        format!("{} believed", base.all_in().len()),
    );
    let (time, back) = once(|| base.restore("k0@1", NOW));
    back?;
    table.time(
        "restoring it",
        time,
        format!("{} believed", base.all_in().len()),
    );
    let last = base.current(&format!("k{LONG}"))?;
    let (time, proof) = once(|| base.proof(&[last], NOW));
    table.time("proving its end", time, format!("{} steps", proof.len()));
    let (time, text) = once(|| proof.to_text());
    table.time(
        "writing the proof as text",
        time,
        format!("{} MB", text.len() / 1_000_000),
    );
    let (time, json) = once(|| entail_json::to_canonical(&proof.to_json()));
    table.time(
        "writing it as JSON",
        time,
        format!("{} MB", json.len() / 1_000_000),
    );
    Ok(())
}

/// Bytes of memory this process holds, where the system tells.
fn resident() -> Option<usize> {
    /// The size of a page on the systems that tell.
    const PAGE: usize = 4_096;
    let statistics = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = statistics.split_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(PAGE)
}
