//! What the checks of one file share: its text, the faults, and readers of words, lists, times and patterns.

use std::collections::BTreeMap;
use std::ops::Range;

use countersign_keys::{Algorithm, Code, Thumbprint};

use super::super::error::PolicyFault;
use super::super::nearest::suggestion;
use super::super::scalar;
use super::super::text::Text;
use super::super::written::{At, Date, Texts, Words};
use super::super::{Files, Tool};
use crate::codes::load as codes;
use crate::{AllowPattern, DenyPattern, Network, PatternError, Placed, PolicyPlace, UnixTime};

/// Named sets of host patterns.
pub(in crate::file) type HostSets = BTreeMap<String, Placed<Vec<String>>>;

/// The checks of one file write their faults here.
pub(in crate::file) struct Desk<'d> {
    pub(in crate::file) text: &'d Text,
    pub(in crate::file) tool: &'d Tool,
    pub(in crate::file) files: &'d dyn Files,
    pub(in crate::file) host_sets: &'d HostSets,
    pub(in crate::file) faults: &'d mut Vec<PolicyFault>,
    /// Where private keys are written.
    pub(in crate::file) black: &'d mut Vec<PolicyPlace>,
}

impl Desk<'_> {
    pub(in crate::file) fn place(&self, range: &Range<usize>) -> PolicyPlace {
        self.text.place(range)
    }

    pub(in crate::file) fn fault(&mut self, code: Code, range: &Range<usize>, message: impl Into<String>) {
        let fault = PolicyFault::new(code, self.place(range), message);
        self.faults.push(fault);
    }

    pub(in crate::file) fn invalid(&mut self, range: &Range<usize>, message: impl Into<String>) {
        self.fault(codes::POLICY_INVALID, range, message);
    }

    /// The value that stands for a word.
    pub(in crate::file) fn word<T: Copy>(&mut self, at: &At<String>, words: &[(&str, T)]) -> Option<T> {
        let found = words.iter().find(|(word, _)| *word == at.value).map(|(_, value)| *value);
        if found.is_none() {
            self.unknown_word(at, words.iter().map(|(word, _)| *word));
        }
        found
    }

    pub(in crate::file) fn unknown_word<'w>(
        &mut self,
        at: &At<String>,
        known: impl Iterator<Item = &'w str> + Clone,
    ) {
        let message = format!("`{}` is not known here", at.value);
        let mut fault = PolicyFault::new(codes::POLICY_INVALID, self.place(&at.range), message);
        fault.help = suggestion(&at.value, known);
        self.faults.push(fault);
    }

    /// A list that is not empty, of different texts that are not empty.
    pub(in crate::file) fn list<'t>(&mut self, texts: &'t Texts) -> &'t [At<String>] {
        if texts.value.is_empty() {
            self.invalid(&texts.range, "the list is empty");
        }
        for text in &texts.value {
            self.text(text);
        }
        &texts.value
    }

    /// A text that is not empty and has no control characters.
    pub(in crate::file) fn text(&mut self, at: &At<String>) -> String {
        if at.value.trim().is_empty() {
            self.invalid(&at.range, "the text is empty");
        } else if at.value.chars().any(char::is_control) {
            self.invalid(&at.range, "the text has a control character");
        }
        at.value.clone()
    }

    pub(in crate::file) fn seconds(&mut self, at: &At<String>) -> Option<i64> {
        let read = scalar::seconds(&at.value);
        read.map_err(|error| self.invalid(&at.range, error.to_string())).ok()
    }

    pub(in crate::file) fn octets(&mut self, at: &At<String>) -> Option<usize> {
        let read = scalar::octets(&at.value);
        read.map_err(|error| self.invalid(&at.range, error.to_string())).ok()
    }

    /// A date as its last second.
    pub(in crate::file) fn last_second(&mut self, at: &At<Date>) -> Option<UnixTime> {
        let read = scalar::last_second(&at.value.0);
        read.map_err(|error| self.invalid(&at.range, error.to_string())).ok()
    }

    /// A date as its first second.
    pub(in crate::file) fn first_second(&mut self, at: &At<Date>) -> Option<UnixTime> {
        let read = scalar::first_second(&at.value.0);
        read.map_err(|error| self.invalid(&at.range, error.to_string())).ok()
    }

    /// A number in a range.
    pub(in crate::file) fn number(&mut self, at: &At<i64>, least: usize, most: usize) -> Option<usize> {
        let number = usize::try_from(at.value).ok().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            self.invalid(&at.range, format!("{} is not between {least} and {most}", at.value));
        }
        number
    }

    pub(in crate::file) fn algorithms(&mut self, texts: &Texts) -> Vec<Algorithm> {
        let mut algorithms = Vec::new();
        for text in self.list(texts) {
            match Algorithm::from_name(&text.value) {
                Some(algorithm) => algorithms.push(algorithm),
                None => self.unknown_word(text, Algorithm::ALL.iter().map(|algorithm| algorithm.name())),
            }
        }
        algorithms.sort_unstable();
        algorithms.dedup();
        algorithms
    }

    pub(in crate::file) fn thumbprint(&mut self, at: &At<String>) -> Option<Thumbprint> {
        let thumbprint = Thumbprint::from_text(&at.value);
        if thumbprint.is_none() {
            let message = format!("`{}` is no RFC 7638 thumbprint: 43 characters of base64url", at.value);
            self.invalid(&at.range, message);
        }
        thumbprint
    }

    /// Host patterns; a name of `[hostsets]` stands for its patterns, each at the place of the name.
    pub(in crate::file) fn allow_patterns(&mut self, words: &At<Words>) -> Vec<Placed<AllowPattern>> {
        let words = self.words(words);
        self.patterns(words, AllowPattern::read)
    }

    /// The same for what is denied.
    pub(in crate::file) fn deny_patterns(&mut self, words: &At<Words>) -> Vec<Placed<DenyPattern>> {
        let words = self.words(words);
        self.patterns(words, DenyPattern::read)
    }

    /// Patterns of one kind; names of `[hostsets]` are resolved.
    pub(in crate::file) fn patterns<T>(
        &mut self,
        words: Vec<(String, Range<usize>)>,
        read: fn(&str) -> Result<T, PatternError>,
    ) -> Vec<Placed<T>> {
        let mut patterns = Vec::new();
        for (text, range) in words {
            let place = self.place(&range);
            let Some(members) = self.host_sets.get(&text) else {
                match read(&text) {
                    Ok(pattern) => patterns.push(Placed::new(pattern, place)),
                    Err(error) => self.pattern_fault(&text, place, &error),
                }
                continue;
            };
            for member in &members.value {
                match read(member) {
                    Ok(pattern) => patterns.push(Placed::new(pattern, place.clone())),
                    Err(error) => {
                        let message = format!("the set `{text}` holds `{member}`: {error}");
                        let fault = PolicyFault::new(error.code(), members.place.clone(), message);
                        self.faults.push(fault.with_related(place.clone(), "used here"));
                    }
                }
            }
        }
        patterns
    }

    fn pattern_fault(&mut self, text: &str, place: PolicyPlace, error: &PatternError) {
        let mut fault = PolicyFault::new(error.code(), place, format!("the host pattern `{text}`: {error}"));
        if !text.contains(['.', ':', '/', '*']) && !self.host_sets.is_empty() {
            fault.help = suggestion(text, self.host_sets.keys().map(String::as_str));
        }
        self.faults.push(fault);
    }

    /// The words, which are at least one.
    pub(in crate::file) fn words(&mut self, words: &At<Words>) -> Vec<(String, Range<usize>)> {
        match &words.value {
            Words::One(word) => {
                let at = At { value: word.clone(), range: words.range.clone() };
                vec![(self.text(&at), words.range.clone())]
            }
            Words::Many(many) => {
                let texts = At { value: many.clone(), range: words.range.clone() };
                self.list(&texts).iter().map(|text| (text.value.clone(), text.range.clone())).collect()
            }
        }
    }

    pub(in crate::file) fn networks(&mut self, texts: &Texts) -> Vec<Placed<Network>> {
        let mut networks = Vec::new();
        for text in self.list(texts) {
            match Network::read(&text.value) {
                Ok(network) => networks.push(self.text.placed(text, network)),
                Err(error) => self.fault(error.code(), &text.range, error.to_string()),
            }
        }
        networks
    }
}
