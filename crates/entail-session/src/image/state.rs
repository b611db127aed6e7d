//! Everything of a session beside its belief base and its trace.

use std::sync::Arc;

use entail_contract::Problem;
use entail_json::Digest;
use entail_kernel::base::SetId;
use entail_kernel::image::{Malformed, Reader, Writer};
use entail_kernel::text::Document;

use super::ImageError;
use super::fields::{read_call, read_document, read_event, write_call, write_event};
use crate::call::CallState;
use crate::event::Event;
use crate::feedback::Feedback;
use crate::outcome::Verdict;
use crate::state::{AnswerRecord, State, TurnRecord};
use crate::tool::Tool;

impl State {
    /// Documents come first, so that they can be got without reading the rest.
    pub(super) fn write_image(&self, out: &mut Writer) {
        let versions = self.documents.iter();
        let digests: Vec<Digest> = versions
            .flat_map(|(_, versions)| versions.iter().map(crate::DocumentVersion::sha256))
            .collect();
        out.list(digests.iter(), Writer::digest);
        let names: Vec<_> = self.documents.iter().collect();
        out.list(names.into_iter(), |out, (name, versions)| {
            out.text(name);
            out.count(versions.len());
        });
        write_event(
            out,
            &Event::Patched {
                options: Box::new((*self.options).clone()),
            },
        );
        out.maybe(self.plan.as_deref(), Writer::value);
        out.maybe(self.closed.as_ref(), |out, closing| {
            write_event(out, &Event::Closed(closing.clone()));
        });
        out.list(self.tools.values(), |out, tool| {
            let put = Event::ToolPut {
                name: tool.name().to_owned(),
                definition: Box::new(tool.definition().clone()),
                order: tool.order().to_vec(),
            };
            write_event(out, &put);
        });
        let calls: Vec<_> = self.calls.iter().collect();
        out.list(calls.into_iter(), |out, call| {
            write_call(out, &call.opened);
            out.number(call.version);
            write_call_state(out, call.state);
        });
        write_problems(out, &self.feedback.rejections);
        write_problems(out, &self.feedback.errors);
        out.list(self.answers.iter(), |out, answer| {
            out.number(answer.turn);
            out.text(&answer.reference);
        });
        out.list(self.turns.iter(), write_turn);
        out.count(self.rejections);
        out.maybe(self.shown, |out, set| out.number(set.number().into()));
    }
}

/// The digests of all documents.
pub(super) fn read_documents(from: &mut Reader<'_>) -> Result<Vec<Digest>, Malformed> {
    from.list(32, Reader::digest)
}

pub(super) fn read(
    from: &mut Reader<'_>,
    documents: &mut dyn FnMut(&Digest) -> Option<Arc<Document>>,
) -> Result<State, ImageError> {
    let mut state = State::new();
    let mut digests = read_documents(from)?.into_iter();
    let names = from.list(2, |from| Ok((from.text()?, from.number32()?)))?;
    for (name, versions) in names {
        for _ in 0..versions {
            let digest = digests
                .next()
                .ok_or(from.fault("more versions than documents"))?;
            state
                .documents
                .push(name, read_document(documents, digest)?);
        }
    }
    read_options(from, &mut state)?;
    for _ in 0..from.count(8)? {
        read_tool(from, &mut state)?;
    }
    for _ in 0..from.count(16)? {
        let opened = Arc::new(read_call(from)?);
        let version = from.number()?;
        let id = opened.call_id.clone();
        state.calls.push(opened, version);
        match read_call_state(from)? {
            CallState::Pending => {}
            settled => {
                state.calls.settle(&id, settled);
            }
        }
    }
    state.feedback = Feedback {
        rejections: read_problems(from)?,
        errors: read_problems(from)?,
    };
    state.answers = from.list(2, |from| {
        Ok(AnswerRecord {
            turn: from.number()?,
            reference: from.text()?.to_owned(),
        })
    })?;
    state.turns = from.list(7, read_turn)?;
    let rejections = from.number()?;
    state.rejections = usize::try_from(rejections).unwrap_or(usize::MAX);
    state.shown = from.maybe(Reader::number32)?.map(SetId::from_number);
    Ok(state)
}

fn read_options(from: &mut Reader<'_>, state: &mut State) -> Result<(), Malformed> {
    let Event::Patched { options } = read_event(from)? else {
        return Err(from.fault("options that are none"));
    };
    state.options = Arc::from(options);
    state.plan = from.maybe(Reader::value)?.map(Arc::new);
    state.closed = match from.maybe(read_event)? {
        None => None,
        Some(Event::Closed(closing)) => Some(closing),
        Some(_) => return Err(from.fault("a closing that is none")),
    };
    Ok(())
}

fn read_tool(from: &mut Reader<'_>, state: &mut State) -> Result<(), Malformed> {
    let Event::ToolPut {
        name,
        definition,
        order,
    } = read_event(from)?
    else {
        return Err(from.fault("a tool that is none"));
    };
    let tool = Tool::with_order(&name, *definition, order)
        .map_err(|_| from.fault("a tool whose parameters cannot be used"))?;
    state.tools.insert(name, Arc::new(tool));
    Ok(())
}

fn write_problems(out: &mut Writer, problems: &[Problem]) {
    out.list(problems.iter(), |out, problem| {
        let refused = Event::Refused {
            problem: problem.clone(),
            statement: None,
        };
        write_event(out, &refused);
    });
}

fn read_problems(from: &mut Reader<'_>) -> Result<Vec<Problem>, Malformed> {
    from.list(8, |from| match read_event(from)? {
        Event::Refused { problem, .. } => Ok(problem),
        _ => Err(from.fault("a rejection that is none")),
    })
}

fn write_call_state(out: &mut Writer, state: CallState) {
    match state {
        CallState::Pending => out.byte(0),
        CallState::Returned { sha256 } => {
            out.byte(1);
            out.digest(&sha256);
        }
        CallState::Failed { sha256 } => {
            out.byte(2);
            out.digest(&sha256);
        }
        CallState::Abandoned => out.byte(3),
    }
}

fn read_call_state(from: &mut Reader<'_>) -> Result<CallState, Malformed> {
    Ok(match from.byte()? {
        0 => CallState::Pending,
        1 => CallState::Returned {
            sha256: from.digest()?,
        },
        2 => CallState::Failed {
            sha256: from.digest()?,
        },
        3 => CallState::Abandoned,
        _ => return Err(from.fault("no state of a call")),
    })
}

fn write_turn(out: &mut Writer, turn: &TurnRecord) {
    out.number(turn.turn);
    out.signed(turn.at.micros());
    out.text(&turn.model);
    out.text(&turn.context_id);
    out.byte(turn.verdict as u8);
    out.count(turn.accepted);
    out.count(turn.rejected);
}

fn read_turn(from: &mut Reader<'_>) -> Result<TurnRecord, Malformed> {
    let size = |from: &mut Reader<'_>| {
        from.number()
            .map(|size| usize::try_from(size).unwrap_or(usize::MAX))
    };
    Ok(TurnRecord {
        turn: from.number()?,
        at: from.time()?,
        model: from.text()?.to_owned(),
        context_id: from.text()?.to_owned(),
        verdict: read_verdict(from)?,
        accepted: size(from)?,
        rejected: size(from)?,
    })
}

fn read_verdict(from: &mut Reader<'_>) -> Result<Verdict, Malformed> {
    let byte = from.byte()?;
    Verdict::ALL
        .into_iter()
        .find(|verdict| *verdict as u8 == byte)
        .ok_or(from.fault("no verdict"))
}
