//! The report of a run over many agents: one HTML page that needs nothing else, no network among it.
//!
//! What cards, policies and file names say is text on it and never markup; a Content-Security-Policy allows the one style
//! sheet and the one script by their digests, and nothing else. Without the script the page is complete: it filters and
//! sorts only.

mod card;
mod document;
mod ends;
mod head;
mod html;
mod keys;
mod legend;
mod marks;
mod matrix;
#[cfg(test)]
mod tests;

use std::path::Path;

use countersign::{TrustPolicy, UnixTime};

use crate::failure::Failure;
use crate::output;
use document::Document;
use html::Html;
use marks::Columns;

const STYLE: &str = include_str!("fleet/page.css");
const SCRIPT: &str = include_str!("fleet/page.js");

const SECONDS_PER_DAY: i64 = 86_400;
/// What ends within so many days is marked.
const SOON_DAYS: i64 = 30;

/// What a run over many agents came to.
pub(crate) struct Fleet<'f> {
    /// One JSON document an agent, in the order of the run: `countersign.decision/1`, or `countersign.failure/1` where
    /// nothing could be fetched.
    pub(crate) documents: Vec<String>,
    /// What was decided by.
    pub(crate) policy: &'f TrustPolicy,
    /// The time of the run.
    pub(crate) now: UnixTime,
}

/// The documents as read, and what the parts of the page share.
struct Run<'f> {
    documents: &'f [Document],
    columns: Columns<'f>,
    policy: &'f TrustPolicy,
    now: UnixTime,
}

impl Fleet<'_> {
    /// The page.
    pub(crate) fn page(&self) -> String {
        let documents: Vec<Document> = self.documents.iter().map(|line| Document::read(line)).collect();
        let columns = Columns::of(&documents);
        let run = Run { documents: &documents, columns, policy: self.policy, now: self.now };
        let mut html = Html::default();
        head::open(&run, &mut html);
        matrix::section(&run, &mut html);
        keys::section(&run, &mut html);
        ends::section(&run, &mut html);
        legend::section(&run, &mut html);
        head::close(&mut html);
        html.finish()
    }

    /// Writes the page to a file, whole or not at all.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        output::replace_file(path, self.page().as_bytes())
    }
}

/// Whole days from `from` to `to`, rounded down.
fn days(from: UnixTime, to: UnixTime) -> i64 {
    to.seconds().saturating_sub(from.seconds()).div_euclid(SECONDS_PER_DAY)
}

/// What is left until a last second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Ended { days: i64 },
    Soon { days: i64 },
    Later { days: i64 },
}

impl Left {
    fn until(last: UnixTime, now: UnixTime) -> Self {
        match days(now, last) {
            _ if now > last => Self::Ended { days: days(last, now) },
            days if days < SOON_DAYS => Self::Soon { days },
            days => Self::Later { days },
        }
    }

    /// The class of the style sheet.
    const fn class(self) -> &'static str {
        match self {
            Self::Ended { .. } => "ended",
            Self::Soon { .. } => "soon",
            Self::Later { .. } => "later",
        }
    }

    /// A cell that says it in words and in colour.
    fn cell(self, html: &mut Html) {
        html.markup("<td").attribute("class", format!("number {}", self.class()));
        let order = match self {
            Self::Ended { days } => days.saturating_neg(),
            Self::Soon { days } | Self::Later { days } => days,
        };
        html.attribute("data-order", order).markup(">");
        match self {
            Self::Ended { days } => html.markup("ended ").text(days).markup(" d ago"),
            Self::Soon { days } | Self::Later { days } => html.text(days).markup(" d"),
        };
        html.markup("</td>");
    }
}
