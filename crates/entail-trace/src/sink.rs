//! One description of a record, written either as canonical text or as a value.

use entail_json::{Number, Object, Value, write_canonical, write_float, write_string};

/// Takes a record apart. Members must come sorted by name, which makes the text canonical.
pub trait Sink {
    /// Begins an object.
    fn open(&mut self);
    /// Names the next member.
    fn name(&mut self, name: &str);
    /// Ends the innermost object.
    fn close(&mut self);
    /// Begins a list.
    fn open_list(&mut self);
    /// Ends the innermost list.
    fn close_list(&mut self);
    /// Writes a value as it is.
    fn value(&mut self, value: &Value);
    /// Writes a string.
    fn text(&mut self, text: &str);
    /// Writes an object as it is.
    fn object(&mut self, object: &Object);
    /// Writes a finite float.
    fn float(&mut self, float: f64);

    /// Writes an integer.
    fn integer(&mut self, integer: impl Into<Number>)
    where
        Self: Sized,
    {
        self.value(&Value::Number(integer.into()));
    }

    /// Writes a boolean.
    fn truth(&mut self, truth: bool) {
        self.value(&Value::Bool(truth));
    }

    /// Writes a member that is a string.
    fn text_member(&mut self, name: &str, text: &str) {
        self.name(name);
        self.text(text);
    }

    /// Writes a string, or `null`.
    fn optional_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.value(&Value::Null),
        }
    }

    /// Writes a list of strings.
    fn texts<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>)
    where
        Self: Sized,
    {
        self.open_list();
        for text in texts {
            self.text(text);
        }
        self.close_list();
    }
}

/// Appends canonical text.
pub(crate) struct TextSink<'a> {
    out: &'a mut String,
    comma: bool,
}

impl<'a> TextSink<'a> {
    pub(crate) fn new(out: &'a mut String) -> Self {
        Self { out, comma: false }
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(',');
        }
        self.comma = true;
    }
}

impl Sink for TextSink<'_> {
    fn open(&mut self) {
        self.separate();
        self.out.push('{');
        self.comma = false;
    }

    fn name(&mut self, name: &str) {
        self.separate();
        write_string(name, self.out);
        self.out.push(':');
        self.comma = false;
    }

    fn close(&mut self) {
        self.out.push('}');
        self.comma = true;
    }

    fn open_list(&mut self) {
        self.separate();
        self.out.push('[');
        self.comma = false;
    }

    fn close_list(&mut self) {
        self.out.push(']');
        self.comma = true;
    }

    fn value(&mut self, value: &Value) {
        self.separate();
        write_canonical(value, self.out);
    }

    fn text(&mut self, text: &str) {
        self.separate();
        write_string(text, self.out);
    }

    fn object(&mut self, object: &Object) {
        self.open();
        for (name, value) in object.sorted() {
            self.name(name);
            self.value(value);
        }
        self.close();
    }

    fn float(&mut self, float: f64) {
        self.separate();
        write_float(float, self.out);
    }
}

enum Open {
    Object(Object, String),
    List(Vec<Value>),
}

/// Builds a value.
#[derive(Default)]
pub(crate) struct ValueSink {
    open: Vec<Open>,
    done: Value,
}

impl ValueSink {
    pub(crate) fn finish(self) -> Value {
        self.done
    }

    fn put(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.done = value,
            Some(Open::List(items)) => items.push(value),
            Some(Open::Object(object, name)) => {
                object.insert(std::mem::take(name), value);
            }
        }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Object(object, _)) => self.put(Value::Object(object)),
            Some(Open::List(items)) => self.put(Value::Array(items)),
            None => {}
        }
    }
}

impl Sink for ValueSink {
    fn open(&mut self) {
        self.open.push(Open::Object(Object::new(), String::new()));
    }

    fn name(&mut self, name: &str) {
        if let Some(Open::Object(_, next)) = self.open.last_mut() {
            name.clone_into(next);
        }
    }

    fn close(&mut self) {
        self.end();
    }

    fn open_list(&mut self) {
        self.open.push(Open::List(Vec::new()));
    }

    fn close_list(&mut self) {
        self.end();
    }

    fn value(&mut self, value: &Value) {
        self.put(value.clone());
    }

    fn text(&mut self, text: &str) {
        self.put(Value::String(text.to_owned()));
    }

    fn object(&mut self, object: &Object) {
        self.put(Value::Object(object.clone()));
    }

    fn float(&mut self, float: f64) {
        self.put(Number::from_f64(float).map_or(Value::Null, Value::Number));
    }
}
