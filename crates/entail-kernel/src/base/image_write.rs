//! A base as an image: what its history left, without what follows from that.
//!
//! Labels, tables, chains and counters are not written: reading makes them anew, so they cannot
//! disagree with the rest.

use super::nodes::{BeliefNode, JustificationNode, NONE};
use super::{Base, Citation, Event, JustificationId, SetId, Source};
use crate::Time;
use crate::confidence::Totals;
use crate::image::Writer;

/// What a justification has beside what every one has, as bits.
pub(super) mod part {
    pub(in crate::base) const CONFIDENCE: u64 = 1;
    pub(in crate::base) const VALID_UNTIL: u64 = 1 << 1;
    pub(in crate::base) const HALF_LIFE: u64 = 1 << 2;
    pub(in crate::base) const UNLESS: u64 = 1 << 3;
    pub(in crate::base) const INPUTS: u64 = 1 << 4;
    pub(in crate::base) const RULE_VERSION: u64 = 1 << 5;
    pub(in crate::base) const FORMULA: u64 = 1 << 6;
    pub(in crate::base) const CITATION: u64 = 1 << 7;
    pub(in crate::base) const NOTE: u64 = 1 << 8;
}

impl Base {
    /// Writes everything that [`read_image`](Self::read_image) needs to make the same base. Linear
    /// in the base. Events that were not yet taken out are not part of it.
    ///
    /// ```
    /// use entail_kernel::base::Premise;
    /// use entail_kernel::image::{Reader, Writer};
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// base.assert(Premise::new("a", 1_i64, "human:h".parse()?), Time::EPOCH)?;
    /// let mut image = Writer::default();
    /// base.write_image(&mut image);
    /// let copy = Base::read_image(&mut Reader::new(&image.into_bytes()))?;
    /// assert_eq!(copy.dump(), base.dump());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_image(&self, out: &mut Writer) {
        let graph = &self.graph;
        out.value(&Event::Configured(Box::new(self.settings.clone())).to_json());
        list(out, graph.names.len(), graph.names.iter(), |out, name| {
            out.text(name);
        });
        list(
            out,
            graph.sources.len(),
            graph.sources.iter(),
            |out, node| {
                write_source(out, &node.source);
            },
        );
        list(out, graph.keys.len(), graph.keys.iter(), |out, key| {
            out.text(&key.text);
        });
        let mut time = 0;
        list(
            out,
            graph.beliefs.len(),
            graph.beliefs.iter(),
            |out, node| {
                write_belief(out, node, &mut time);
            },
        );
        out.count(graph.sets.len());
        for set in (0..graph.sets.len()).map(SetId::next) {
            write_handle(out, graph.sets.at(set).parent);
            out.list(graph.own_edges(set).iter(), |out, edge| {
                out.number(edge.belief.0.into());
            });
        }
        let mut time = 0;
        out.count(graph.links.len());
        for id in (0..graph.links.len()).map(JustificationId::next) {
            self.write_justification(out, id, &mut time);
        }
        self.write_orders(out);
        self.ledger.write_image(out);
        self.rules.write_image(out);
        out.list(self.woken.iter(), |out, key| out.number(key.0.into()));
        out.number(self.resolutions.into());
    }

    fn write_justification(&self, out: &mut Writer, id: JustificationId, time: &mut i64) {
        let (link, node) = (self.graph.links.at(id), self.graph.justifications.at(id));
        let extra = node.extra.as_deref();
        let unless: Vec<_> = self.graph.unless(id).collect();
        out.number(parts(node, !unless.is_empty()));
        out.number(link.belief.0.into());
        out.byte(node.kind as u8);
        out.number(node.source.0.into());
        write_handle(out, link.set);
        out.flag(link.is_expired);
        write_time(out, node.created_at, time);
        if let Some(confidence) = node.confidence() {
            out.float(confidence);
        }
        if node.expires() {
            out.signed(node.valid_until);
        }
        if node.half_life > 0 {
            out.signed(node.half_life);
        }
        if !unless.is_empty() {
            out.list(unless.iter(), |out, key| out.number(key.0.into()));
        }
        if !node.inputs().is_empty() {
            out.list(node.inputs().iter(), |out, key| out.number(key.0.into()));
        }
        let Some(extra) = extra else { return };
        if let Some(version) = extra.rule_version {
            out.number(version.into());
        }
        if let Some(formula) = &extra.formula {
            out.text(formula);
        }
        if let Some(citation) = &extra.citation {
            write_citation(out, citation);
        }
        if let Some(note) = &extra.note {
            out.text(note);
        }
    }

    /// The justifications of those beliefs whose premises were given again and so moved.
    fn write_orders(&self, out: &mut Writer) {
        let moved: Vec<_> = (0_u32..)
            .zip(self.graph.beliefs.iter())
            .filter(|(_, node)| !node.justifications.as_slice().is_sorted())
            .collect();
        out.list(moved.into_iter(), |out, (belief, node)| {
            out.number(belief.into());
            out.list(node.justifications.as_slice().iter(), |out, id| {
                out.number((*id).into());
            });
        });
    }
}

fn list<T>(
    out: &mut Writer,
    len: usize,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Writer, T),
) {
    out.count(len);
    for item in items {
        write(out, item);
    }
}

/// A handle, or none: 0 for none.
fn write_handle(out: &mut Writer, handle: u32) {
    out.number(if handle == NONE {
        0
    } else {
        u64::from(handle) + 1
    });
}

/// A time, as the distance from the one before.
fn write_time(out: &mut Writer, time: Time, before: &mut i64) {
    out.signed(time.micros().saturating_sub(*before));
    *before = time.micros();
}

fn parts(node: &JustificationNode, has_unless: bool) -> u64 {
    let extra = node.extra.as_deref();
    let has = |is: bool, part: u64| if is { part } else { 0 };
    has(node.confidence().is_some(), part::CONFIDENCE)
        | has(node.expires(), part::VALID_UNTIL)
        | has(node.half_life > 0, part::HALF_LIFE)
        | has(has_unless, part::UNLESS)
        | has(!node.inputs().is_empty(), part::INPUTS)
        | extra.map_or(0, |extra| {
            has(extra.rule_version.is_some(), part::RULE_VERSION)
                | has(extra.formula.is_some(), part::FORMULA)
                | has(extra.citation.is_some(), part::CITATION)
                | has(extra.note.is_some(), part::NOTE)
        })
}

fn write_source(out: &mut Writer, source: &Source) {
    out.byte(source.kind as u8);
    out.text(&source.name);
    out.maybe(source.arguments.as_ref(), Writer::value);
    out.maybe(source.quote.as_deref(), Writer::text);
    out.maybe(source.origin.as_deref(), Writer::text);
}

fn write_belief(out: &mut Writer, node: &BeliefNode, time: &mut i64) {
    out.number(node.key.0.into());
    out.value(&node.value);
    out.maybe(node.claim.as_deref(), Writer::text);
    out.maybe(node.metadata.as_deref(), Writer::object);
    write_time(out, node.created_at, time);
    out.maybe(node.retraction.as_deref(), |out, retraction| {
        out.maybe(retraction.reason.as_deref(), Writer::text);
        out.signed(retraction.at.micros());
    });
}

fn write_citation(out: &mut Writer, citation: &Citation) {
    out.number(citation.version.into());
    out.digest(&citation.document);
    out.number(citation.start);
    out.number(citation.end);
    out.digest(&citation.digest);
}

/// What is known of a source as of a time.
pub(crate) fn write_totals(out: &mut Writer, totals: &Totals) {
    out.float(totals.correct);
    out.float(totals.total);
    out.signed(totals.as_of.micros());
}
