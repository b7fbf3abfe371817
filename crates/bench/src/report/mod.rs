//! The results of a benchmark, and their forms.
//!
//! A [`Benchmark`] declares what it is; a [`Report`] is plain data, which is written as JSON as it stands. All other
//! forms are views of it, made of the same tables.
//!
//! * [`record`]: what varies and what is measured, with units. `fields`: what several benchmarks measure.
//! * [`table`]: tables for a terminal and for a page. [`page`]: one page, with the plots of [`plot`].
//! * [`mod@format`]: times and counts with units.

pub(crate) mod fields;
pub mod format;
pub mod page;
pub mod plot;
pub mod record;
pub mod table;

pub use record::{Field, Fields, Record, Unit};
pub use table::{Mark, Terminal, TextCell, TextTable};

use self::fields::FAILURES;
use super::environment::Environment;
use super::monitor::{Interrupted, Monitor};
use maud::Markup;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The name of the page in the folder that a report is written to.
pub const PAGE: &str = "report.html";

/// A benchmark: how its reports are told.
pub struct Benchmark {
    /// The name.
    pub name: &'static str,
    /// The heading of its page.
    pub heading: &'static str,
    /// The first paragraph of its page.
    pub lead: fn(&Report) -> String,
    /// The way of measuring, in words.
    pub method: fn(&Report) -> String,
    /// The report as text.
    pub text: fn(&Report, Terminal) -> String,
    /// The sections of its page.
    pub sections: fn(&Report) -> Markup,
}

impl Serialize for &'static Benchmark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// The results of one run.
#[derive(Clone, Serialize)]
pub struct Report {
    /// The benchmark.
    pub benchmark: &'static Benchmark,
    /// The environment of the run.
    pub environment: Environment,
    /// Whether the run was interrupted before its end.
    pub interrupted: bool,
    /// What was measured.
    #[serde(flatten)]
    pub results: Record,
    /// Pictures of what was measured, for the page.
    #[serde(skip)]
    pub pictures: Vec<CaptionedPicture>,
    /// Whether some result is wrong.
    #[serde(skip)]
    pub has_failed: bool,
}

/// A picture with its caption.
#[derive(Clone)]
pub struct CaptionedPicture {
    /// What it shows.
    pub name: String,
    /// More about it.
    pub caption: String,
    /// The picture, as SVG.
    pub svg: String,
}

impl Report {
    /// A report of this process, without values.
    pub fn new(benchmark: &'static Benchmark, fields: &[Field]) -> Report {
        Report {
            benchmark,
            environment: Environment::current(),
            interrupted: false,
            results: Record::of(fields),
            pictures: Vec::new(),
            has_failed: false,
        }
    }

    /// Measures until the end or an interruption.
    #[must_use]
    pub fn measure(
        mut self,
        monitor: &mut Monitor<'_>,
        run: impl FnOnce(&mut Report, &mut Monitor<'_>) -> Result<(), Interrupted>,
    ) -> Report {
        self.interrupted = run(&mut self, monitor).and_then(|()| monitor.check()).is_err();
        self
    }

    /// Tells a wrong result.
    pub fn fail(&mut self, failure: impl Into<String>) {
        self.results.push(FAILURES, failure.into());
        self.has_failed = true;
    }

    /// The wrong results, in words.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.results.list(FAILURES).iter().filter_map(Value::as_str)
    }

    /// The report as indented JSON.
    ///
    /// # Panics
    ///
    /// Never: a report has only string keys.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_value(self).expect("a report has only string keys");
        record::strip(&mut json);
        format!("{json:#}\n")
    }

    /// The report as text.
    pub fn to_text(&self, terminal: Terminal) -> String {
        (self.benchmark.text)(self, terminal)
    }
}
