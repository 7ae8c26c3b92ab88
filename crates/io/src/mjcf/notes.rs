//! What was looked at and what was left out, gathered while a file is read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::scene_file::Ignored;
use crate::xml::Element;

use super::reasons::reasons;

/// Gathered while a file is read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Default element and attribute that were looked up for an element of that kind.
    asked: RefCell<BTreeMap<String, BTreeSet<&'static str>>>,
    /// Default elements that apply to an element of the file.
    applied: RefCell<HashSet<usize>>,
    ignored: RefCell<Vec<Ignored>>,
    /// Element and message that are counted already: a default counts once, however many use it.
    counted: RefCell<HashSet<(usize, String)>>,
}

fn address(element: &Element) -> usize {
    std::ptr::from_ref(element).addr()
}

impl Notes {
    pub(super) fn ask(&self, tag: &str, attribute: &'static str) {
        let mut asked = self.asked.borrow_mut();
        if let Some(attributes) = asked.get_mut(tag) {
            attributes.insert(attribute);
        } else {
            asked.insert(tag.to_owned(), BTreeSet::from([attribute]));
        }
    }

    pub(super) fn apply(&self, default: &Element) {
        self.applied.borrow_mut().insert(address(default));
    }

    /// Something that is not done, with the reason of the common table.
    pub(super) fn ignore_attribute(&self, element: &Element, attribute: &str) {
        let reason = reasons(&element.tag, Some(attribute)).unwrap_or("is not done here");
        self.ignore(element, format!("<{} {attribute}>", element.tag), reason);
    }

    /// Something that is not done.
    pub(super) fn ignore(&self, element: &Element, what: impl Into<String>, reason: &str) {
        let what = what.into();
        let here = (address(element), format!("{what}{reason}"));
        if !self.counted.borrow_mut().insert(here) {
            return;
        }
        let mut ignored = self.ignored.borrow_mut();
        match ignored
            .iter_mut()
            .find(|other| other.what == what && other.reason == reason)
        {
            Some(other) => other.count += 1,
            None => ignored.push(Ignored {
                what,
                reason: reason.to_owned(),
                count: 1,
                first: (element.file.to_string(), element.line),
            }),
        }
    }

    /// Marks what of a default needs no word: all of it where it applies to nothing, else what
    /// elements of its kind are asked for, whether or not they say it themselves.
    pub(super) fn settle_default(&self, default: &Element) {
        if !self.applied.borrow().contains(&address(default)) {
            default.mark_all_read();
            return;
        }
        if let Some(attributes) = self.asked.borrow().get(&default.tag) {
            let said = default.attribute_names();
            let known: Vec<&str> = said.filter(|name| attributes.contains(name)).collect();
            for attribute in known {
                default.attribute(attribute);
            }
        }
    }

    pub(super) fn into_ignored(self) -> Vec<Ignored> {
        self.ignored.into_inner()
    }
}
