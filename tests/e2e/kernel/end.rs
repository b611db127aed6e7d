//! What a session holds at the end of a case.

use std::collections::BTreeSet;

use entail_json::{Object, Value};

use crate::{
    play::Player,
    reading::{list, member, members, refs, same, segment, split, text, texts},
};

impl Player<'_> {
    /// Compares everything that the vectors tell of the end.
    pub(crate) fn compare_end(&self, end: &Value) -> Result<(), String> {
        let page = self.beliefs("?limit=1000")?;
        let beliefs = list(&page, "items")?;
        let confidences = member(end, "confidence")?;
        let given = members(end, "confidence")?.map(|(name, _)| name.to_owned());
        same("beliefs", refs(&page)?, given.collect())?;
        for listed in beliefs {
            let name = text(listed, "ref")?;
            let given = member(confidences, name)?;
            let whole = self.get(&format!("/beliefs/{}", segment(name)))?;
            for shown in [listed, &whole] {
                self.agree(&format!("confidence of {name}"), shown, given)?;
                supported(shown).map_err(|fault| format!("{name}: {fault}"))?;
            }
            let why = whole.get("why_out").map(why_out).transpose()?;
            let given = member(end, "why_out")?.get(name);
            if why.as_ref() != given {
                return Err(format!("why {name} is out: {why:?}, not {given:?}"));
            }
            let path = format!("/beliefs/{}/dependents?limit=1000", segment(name));
            let given = texts(member(end, "dependents")?, name)?;
            same(
                &format!("dependents of {name}"),
                refs(&self.get(&path)?)?,
                given,
            )?;
        }
        let conflicts = self.get("/conflicts?limit=1000")?;
        let conflicts = list(&conflicts, "items")?.iter();
        let keys = conflicts.map(|conflict| text(conflict, "key").map(str::to_owned));
        let keys = keys.collect::<Result<_, String>>()?;
        same("conflicts", keys, texts(end, "conflicts")?)?;
        let stale = refs(&self.beliefs("?stale=true&limit=1000")?)?;
        same("stale", stale, texts(end, "stale")?)?;
        self.compare_reliabilities(end)
    }

    /// A session shows how reliable a source is by what a new word of it weighs: a premise for
    /// those that state some, a step from what is certain for a model.
    fn compare_reliabilities(&self, end: &Value) -> Result<(), String> {
        let certain = Value::from([
            ("key", "certain".into()),
            ("value", true.into()),
            ("source", "human:nobody-else".into()),
            ("confidence", 1_i64.into()),
        ]);
        self.state("premises", &certain)?;
        for (at, (source, given)) in members(end, "reliability")?.enumerate() {
            let mut word = Object::from([
                ("key", format!("word:{at}").into()),
                ("value", true.into()),
                ("source", source.into()),
            ]);
            let path = if source.starts_with("model:") {
                word.insert("antecedents", ["certain"].into_iter().collect());
                "justifications"
            } else {
                "premises"
            };
            let stated = self.state(path, &word.into())?;
            let shown = self.get(&format!("/beliefs/{}", segment(&stated)))?;
            self.agree(&format!("reliability of {source}"), &shown, given)?;
        }
        Ok(())
    }

    fn state(&self, path: &str, body: &Value) -> Result<String, String> {
        let refs = self.post(path, body)?;
        let refs = refs.map_err(|code| format!("{body}: {code}"))?;
        refs.into_iter()
            .next()
            .ok_or_else(|| format!("{body}: no ref"))
    }

    fn agree(&self, what: &str, shown: &Value, given: &Value) -> Result<(), String> {
        let number = |value: &Value| value.as_f64().ok_or_else(|| format!("{what}: {value}"));
        let (found, given) = (number(member(shown, "confidence")?)?, number(given)?);
        if (found - given).abs() <= self.tolerance() {
            return Ok(());
        }
        Err(format!("{what}: {found}, not {given}"))
    }
}

/// What is believed has one justification that supports it, what is not has none.
fn supported(belief: &Value) -> Result<(), String> {
    let is_in = text(belief, "status")? == "IN";
    let supports = |given: &&Value| given.get("supporting").and_then(Value::as_bool) == Some(true);
    let supporting = list(belief, "justifications")?.iter().filter(supports);
    let count = supporting.count();
    if count == usize::from(is_in) {
        return Ok(());
    }
    Err(format!("{count} of its justifications support it"))
}

/// Why a belief is out as the vectors tell it: keys for refs, and no reason and no time.
fn why_out(shown: &Value) -> Result<Value, String> {
    let mut told = Object::new();
    for name in ["retracted", "expired"] {
        if let Some(given) = shown.get(name) {
            told.insert(name, given.clone());
        }
    }
    if shown.get("lost").is_some() {
        let refs = texts(shown, "lost")?;
        let keys = refs.iter().map(|name| split(name).map(|(key, _)| key));
        let keys = keys.collect::<Result<BTreeSet<_>, _>>()?;
        told.insert("lost", keys.into_iter().collect());
    }
    if shown.get("defeated_by").is_some() {
        let keys = BTreeSet::from_iter(texts(shown, "defeated_by")?);
        told.insert("defeated_by", keys.into_iter().collect());
    }
    Ok(told.into())
}
