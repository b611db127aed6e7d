//! The values of http tools' headers: taken out of a definition before the command that registers
//! it, so that no journal, bundle or event holds them, and put back when a call is made.

use entail_session::{Executor, HttpExecutor, ToolDefinition};
use uuid::Uuid;

use crate::{app::App, clock, problem::Problem};

/// What a value's place in the journal begins with; the value's id follows.
const REFERENCE: &str = "entail-secret:";

/// Stores the values of a definition's headers durably, for that session, and leaves references
/// to them in their places. The same values get the same references, so that registering a tool
/// again changes nothing.
///
/// Whatever a caller sends is a value, also what looks like a reference.
pub(crate) async fn seal(
    app: &App,
    session: Uuid,
    definition: &mut ToolDefinition,
) -> Result<(), Problem> {
    let Executor::Http(http) = &mut definition.executor else {
        return Ok(());
    };
    for (_, value) in &mut http.headers {
        let stored = app
            .store()
            .put_secret(session, clock::new_id(), value, clock::now());
        *value = format!("{REFERENCE}{}", stored.await?);
    }
    Ok(())
}

/// Puts the values of a call's headers back in the places of their references; the name of a
/// header whose value is not held. Values in clear, of journals begun by an earlier build, stay.
pub(crate) async fn unseal(
    app: &App,
    session: Uuid,
    executor: &mut HttpExecutor,
) -> Result<Option<String>, Problem> {
    for (name, value) in &mut executor.headers {
        let Some(Ok(id)) = value.strip_prefix(REFERENCE).map(Uuid::try_parse) else {
            continue;
        };
        match app.store().secret(session, id).await? {
            Some(secret) => *value = secret,
            None => return Ok(Some(name.clone())),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;

    fn definition(value: &str) -> ToolDefinition {
        ToolDefinition {
            executor: Executor::Http(HttpExecutor {
                url: "https://x.test/".to_owned(),
                method: "POST".to_owned(),
                headers: vec![("a".to_owned(), value.to_owned())],
                timeout_ms: None,
            }),
            ..ToolDefinition::default()
        }
    }

    fn http(definition: ToolDefinition) -> HttpExecutor {
        match definition.executor {
            Executor::Http(http) => http,
            Executor::Client => panic!("it is called by http"),
        }
    }

    #[tokio::test]
    async fn a_value_that_looks_like_a_reference_is_a_value_like_any_other() {
        let service = Service::start().await;
        let (app, session) = (service.app(), clock::new_id());
        let mut first = definition("planted");
        seal(app, session, &mut first).await.unwrap();
        let reference = http(first).headers[0].1.clone();
        let mut second = definition(&reference);
        seal(app, session, &mut second).await.unwrap();
        let mut second = http(second);
        assert_ne!(second.headers[0].1, reference);
        assert_eq!(unseal(app, session, &mut second).await.unwrap(), None);
        assert_eq!(second.headers[0].1, reference);
    }

    #[tokio::test]
    async fn values_in_clear_of_older_journals_are_sent_and_references_of_other_sessions_are_not() {
        let service = Service::start().await;
        let (app, session) = (service.app(), clock::new_id());
        let mut old = http(definition("Bearer in clear"));
        assert_eq!(unseal(app, session, &mut old).await.unwrap(), None);
        assert_eq!(old.headers[0].1, "Bearer in clear");
        let mut sealed = definition("planted");
        seal(app, session, &mut sealed).await.unwrap();
        let mut foreign = http(sealed);
        let unheld = unseal(app, clock::new_id(), &mut foreign).await.unwrap();
        assert_eq!(unheld.as_deref(), Some("a"));
    }
}
