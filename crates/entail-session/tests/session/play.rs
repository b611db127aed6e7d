//! A session with its journal, driven by hand. Every command is tried, undone and made again.

use std::io;
use std::sync::Arc;

use entail_json::{Value, read_str};
use entail_kernel::{Span, Time};
use entail_session::{
    Blame, Command, CommandError, Context, ContextOptions, ContextView, Document, Executed, Limits,
    Opening, Outcome, Policy, Premise, Retraction, Session, ToolDefinition, ToolResult, Turn,
    TurnContext, TurnOutcome,
};
use entail_trace::journal::{Chain, Entry};
use entail_trace::{Bytes, CheckName, Files, PlanIndex, Subject, verify_trace};

pub(crate) const ID: &str = "0190a6f0-0000-7000-8000-000000000000";

pub(crate) const REPORT: &str = "ACME annual report. Total revenue for Q2 was $4.3 billion. \
    Total revenue for Q3 was\n$4.5 billion, a gross margin of 41.2%. Headquarters: Austin, Texas.";

pub(crate) struct Play {
    pub session: Session,
    pub journal: Vec<Entry>,
    pub documents: Vec<Arc<Document>>,
    pub clock: Time,
    pub context: Option<Arc<Context>>,
    contexts: usize,
}

pub(crate) fn policy(json: &str) -> Policy {
    Policy::read(&read_str(json).unwrap(), "").unwrap()
}

pub(crate) fn tool(json: &str) -> ToolDefinition {
    ToolDefinition::read(&read_str(json).unwrap(), "").unwrap()
}

pub(crate) fn premise(key: &str, value: impl Into<Value>, source: &str) -> Premise {
    Premise::new(key, value, source.parse().unwrap())
}

/// A session with a report, a tool and a policy.
pub(crate) fn opening(dependencies: &str) -> Opening {
    let mut opening = Opening::new("How did revenue develop from Q2 to Q3?");
    opening.policy = policy(&format!(r#"{{"dependencies":"{dependencies}"}}"#));
    opening
        .documents
        .push(("10-K".to_owned(), Arc::new(Document::new(REPORT).unwrap())));
    let definition = r#"{"description":"Revenue of a quarter.","parameters":{"type":"object",
        "properties":{"quarter":{"type":"string"}},"required":["quarter"],
        "additionalProperties":false}}"#;
    opening
        .tools
        .push(("get_revenue".to_owned(), tool(definition)));
    opening
}

impl Play {
    pub(crate) fn open(opening: Opening) -> Self {
        Self::open_with(opening, Limits::default())
    }

    pub(crate) fn open_with(opening: Opening, limits: Limits) -> Self {
        let clock = Time::from_micros(1_700_000_000_000_000).unwrap();
        let documents = opening
            .documents
            .iter()
            .map(|(_, document)| Arc::clone(document));
        let documents = documents.collect();
        let (mut session, executed) = Session::open(ID, opening, limits, clock).unwrap();
        session.confirm();
        let journal = executed.entry.into_iter().collect();
        Self {
            session,
            journal,
            documents,
            clock,
            context: None,
            contexts: 0,
        }
    }

    pub(crate) fn wait(&mut self, seconds: f64) {
        self.clock = self
            .clock
            .saturating_add(Span::from_seconds(seconds).unwrap());
        if self.session.needs_refresh(self.clock) {
            self.exec(Command::Refresh);
        }
    }

    pub(crate) fn try_exec(&mut self, command: Command) -> Result<Executed, CommandError> {
        self.clock = self.clock.saturating_add(Span::from_micros(1_000));
        let before = self.session.dump();
        let tried = self.session.execute(command.clone(), self.clock);
        assert!(tried.as_ref().is_ok_and(|done| done.entry.is_some()) == self.session.is_pending());
        self.session.undo();
        assert_eq!(
            self.session.dump(),
            before,
            "what is undone leaves nothing behind"
        );
        let mut twin = self.imaged(&self.session);
        let executed = self.session.execute(command.clone(), self.clock);
        assert_eq!(executed, tried, "the same command again does the same");
        let told = twin.execute(command, self.clock);
        assert_eq!(told, executed, "a session from an image does the same");
        self.session.confirm();
        let executed = executed?;
        self.journal.extend(executed.entry.clone());
        Ok(executed)
    }

    pub(crate) fn exec(&mut self, command: Command) -> Outcome {
        self.try_exec(command).unwrap().outcome
    }

    pub(crate) fn fail(&mut self, command: Command) -> CommandError {
        self.try_exec(command).unwrap_err()
    }

    pub(crate) fn context(&mut self) -> ContextView {
        self.contexts += 1;
        let id = format!("context-{}", self.contexts);
        let view = self
            .session
            .context(&id, self.clock, &ContextOptions::default())
            .unwrap();
        self.context = Some(Arc::new(view.context.clone()));
        view
    }

    /// A turn that answers the context last taken, or one of the present state.
    pub(crate) fn turn_command(&self, response: &str) -> Turn {
        Turn {
            response: response.to_owned(),
            context: match &self.context {
                Some(context) => TurnContext::Given(Arc::clone(context)),
                None => TurnContext::Present {
                    id: "present".to_owned(),
                },
            },
            model: Some("scripted".to_owned()),
            step_id: None,
        }
    }

    /// Posts a response to the context last taken and takes a new one.
    pub(crate) fn turn(&mut self, response: &str) -> TurnOutcome {
        let turn = self.stale_turn(response);
        self.context();
        turn
    }

    /// Posts a response to the context last taken and keeps that context.
    pub(crate) fn stale_turn(&mut self, response: &str) -> TurnOutcome {
        match self.exec(Command::Turn(self.turn_command(response))) {
            Outcome::Turn(turn) => *turn,
            other => panic!("a turn comes to {other:?}"),
        }
    }

    pub(crate) fn answer_call(&mut self, call_id: &str, value: impl Into<Value>) -> Outcome {
        self.exec(Command::ToolResults(vec![result(
            call_id,
            Ok(value.into()),
        )]))
    }

    pub(crate) fn assert(&mut self, premises: Vec<Premise>) -> Outcome {
        self.exec(Command::Premises(premises))
    }

    pub(crate) fn retract(&mut self, target: &str) -> Outcome {
        let target = target.to_owned();
        let reason = Some("restated".to_owned());
        self.exec(Command::Retract(Retraction {
            target,
            reason,
            fault: Blame::None,
        }))
    }

    pub(crate) fn put_document(&mut self, name: &str, text: &str) -> Outcome {
        let document = Arc::new(Document::new(text).unwrap());
        self.documents.push(Arc::clone(&document));
        self.exec(Command::PutDocument {
            name: name.to_owned(),
            document,
        })
    }

    pub(crate) fn is_in(&self, reference: &str) -> bool {
        let base = self.session.base();
        base.is_in(base.find(reference).expect(reference))
    }

    /// The session, rebuilt from its journal.
    pub(crate) fn replayed(&self) -> Session {
        let mut chain = Chain::start(ID);
        for entry in &self.journal {
            chain.check(entry).unwrap();
            let line = entry.to_line();
            assert_eq!(&Entry::from_line(line.as_bytes()).unwrap(), entry);
        }
        let find = |digest: &entail_json::Digest| self.document(digest);
        Session::replay(&self.journal, *self.session.limits(), find).unwrap()
    }

    /// The session as its image brings it back.
    pub(crate) fn imaged(&self, session: &Session) -> Session {
        let image = session.image().unwrap();
        let find = |digest: &entail_json::Digest| self.document(digest);
        let copy = Session::from_image(ID, &image, *session.limits(), find).unwrap();
        assert_eq!(
            copy.image(),
            Some(image),
            "an image of it is the same image"
        );
        copy
    }

    fn document(&self, digest: &entail_json::Digest) -> Option<Arc<Document>> {
        let mut documents = self.documents.iter();
        documents.find(|document| document.id() == *digest).cloned()
    }

    /// Replays the journal, whole and from the image at an entry in its midst, and compares
    /// everything observable.
    pub(crate) fn check_replay(&self) {
        let expected = self.session.dump();
        assert_eq!(
            self.replayed().dump(),
            expected,
            "replaying gives the same session"
        );
        let copy = self.imaged(&self.session);
        assert_eq!(copy.dump(), expected, "an image gives the same session");
        self.check_image_at(self.journal.len().div_ceil(2));
    }

    /// Goes on from the image at an entry by the rest of the journal.
    pub(crate) fn check_image_at(&self, entries: usize) {
        let (before, after) = self.journal.split_at(entries);
        let find = |digest: &entail_json::Digest| self.document(digest);
        let session = Session::replay(before, *self.session.limits(), find).unwrap();
        let mut copy = self.imaged(&session);
        assert_eq!(
            copy.dump(),
            session.dump(),
            "an image gives the same session"
        );
        for entry in after {
            copy.apply(entry, find).unwrap();
        }
        assert_eq!(
            copy.dump(),
            self.session.dump(),
            "and the journal goes on from it"
        );
    }

    /// The checks of the trace that fail, by name.
    pub(crate) fn failing_checks(&self) -> Vec<(&'static str, String)> {
        let trace = self.session.trace().to_jsonl();
        let files = Evidence(&self.session);
        let plan = self.session.plan();
        let subject = Subject {
            trace: &trace.as_bytes(),
            files: Some(&files),
            spec: Some(self.session.spec()),
        };
        let verification = verify_trace(subject, PlanIndex::new(&plan)).unwrap();
        let all = verification.results.all().iter();
        all.filter(|result| !result.passed())
            .map(|result| (result.name().as_str(), format!("{:?}", result.failures())))
            .collect()
    }

    pub(crate) fn passes_all_checks(&self) {
        let ten = CheckName::ALL.iter().take(10).count();
        assert_eq!(ten, 10);
        assert_eq!(self.failing_checks(), []);
    }
}

pub(crate) fn result(call_id: &str, result: Result<Value, &str>) -> ToolResult {
    ToolResult {
        call_id: call_id.to_owned(),
        result: result.map_err(str::to_owned),
    }
}

struct Evidence<'s>(&'s Session);

impl Files for Evidence<'_> {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>> {
        let file = self
            .0
            .evidence_files()
            .iter()
            .find(|file| file.path.as_str() == path);
        Ok(file.map(|file| Box::new(file.text().as_bytes()) as Box<dyn Bytes + '_>))
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.0
            .evidence_files()
            .iter()
            .for_each(|file| visit(file.path.as_str()));
        Ok(())
    }
}
