//! Documents, quotes of them, and whether a quote states a value.
//!
//! A [`Document`] is folded once (see [`folding`]) and looked up in its folded form; what comes
//! back is always a span of the original bytes. [`states`] then decides whether a text states a
//! value, by reading its [`figures`](mod@figures).
//!
//! ```
//! use entail_kernel::text::{Document, states};
//! use entail_json::Value;
//!
//! let report = Document::new("Total revenue\n  for Q2 was “$4.3 billion”.")?;
//! let quote = report.find("REVENUE for Q2 was \"$4.3 billion\"").ok_or("not found")?;
//! assert_eq!(&report.text()[quote.span.clone()], "revenue\n  for Q2 was “$4.3 billion”");
//!
//! let claim = Value::Number(4_400_000_000_i64.into());
//! let refusal = report.states(&quote, &claim).unwrap_err();
//! assert_eq!(refusal.to_string(), "the quote states 4.3 billion, the claim says 4400000000");
//! assert!(states(&Value::Number(4_300_000_000_i64.into()), "$4.3 billion").is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod characters;
mod decimal;
mod document;
pub mod figures;
pub mod folding;
mod runs;
mod search;
mod statement;

pub use decimal::Decimal;
pub use document::{Document, DocumentTooLarge, QuoteMatch};
pub use figures::{Figure, figures};
pub use statement::{NotStated, states};
