//! The values of attributes: numbers, counts and words, refused with their line.

use std::ops::RangeInclusive;

use nalgebra::Vector3;

use crate::error::{IoError, Result};
use crate::limits::MJCF_NUMBERS;
use crate::scene_file::suggest;
use crate::xml::Element;

/// The text of an attribute, and the element that it stands in: the one that was asked, or the
/// default that stands in for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) element: &'a Element,
    pub(super) name: &'static str,
    pub(super) text: &'a str,
}

impl<'a> Value<'a> {
    /// An attribute of an element without defaults.
    pub(super) fn of(element: &'a Element, name: &'static str) -> Option<Self> {
        element.attribute(name).map(|text| Self {
            element,
            name,
            text,
        })
    }

    pub(super) fn error(&self, problem: impl Into<String>, advice: impl Into<String>) -> IoError {
        self.element.attribute_error(self.name, problem, advice)
    }

    /// As many finite numbers as `count` allows.
    pub(super) fn list(&self, count: RangeInclusive<usize>) -> Result<Vec<f64>> {
        let mut numbers = Vec::new();
        for word in self.text.split_whitespace() {
            let number = word.parse().ok().filter(|number: &f64| number.is_finite());
            numbers.push(number.ok_or_else(|| {
                self.error(
                    format!("\"{word}\" is not a finite number"),
                    "give finite numbers with spaces between them",
                )
            })?);
            if numbers.len() > *count.end().min(&MJCF_NUMBERS) {
                break;
            }
        }
        if count.contains(&numbers.len()) && numbers.len() <= MJCF_NUMBERS {
            return Ok(numbers);
        }
        let wanted = match (*count.start(), *count.end()) {
            (1, 1) => "one number".to_owned(),
            (least, most) if least == most => format!("{least} numbers"),
            (least, usize::MAX) => format!("at least {least} numbers"),
            (least, most) => format!("{least} to {most} numbers"),
        };
        Err(self.error(
            format!("has {} numbers", self.text.split_whitespace().count()),
            format!("give {wanted}"),
        ))
    }

    /// Exactly so many numbers.
    pub(super) fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let mut out = [0.0; N];
        out.copy_from_slice(&self.list(N..=N)?);
        Ok(out)
    }

    /// Up to so many numbers; what is missing stays as in `default`.
    pub(super) fn up_to<const N: usize>(&self, default: [f64; N]) -> Result<[f64; N]> {
        let mut out = default;
        let given = self.list(1..=N)?;
        out[..given.len()].copy_from_slice(&given);
        Ok(out)
    }

    pub(super) fn vector(&self) -> Result<Vector3<f64>> {
        Ok(Vector3::from(self.numbers::<3>()?))
    }

    pub(super) fn number(&self) -> Result<f64> {
        let [number] = self.numbers()?;
        Ok(number)
    }

    pub(super) fn non_negative(&self) -> Result<f64> {
        let number = self.number()?;
        match number >= 0.0 {
            true => Ok(number),
            false => Err(self.error(format!("{number} is negative"), "give zero or more")),
        }
    }

    pub(super) fn positive(&self) -> Result<f64> {
        let number = self.number()?;
        match number > 0.0 {
            true => Ok(number),
            false => Err(self.error(
                format!("{number} is not positive"),
                "give a number above zero",
            )),
        }
    }

    /// A whole number in a range.
    pub(super) fn whole(&self, range: RangeInclusive<i64>) -> Result<i64> {
        let number = self.text.trim().parse().ok();
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                self.error(
                    format!("\"{}\" is not possible here", self.text.trim()),
                    format!(
                        "give a whole number from {} to {}",
                        range.start(),
                        range.end()
                    ),
                )
            })
    }

    /// One of some words.
    pub(super) fn word(&self, known: &[&'static str]) -> Result<&'static str> {
        let text = self.text.trim();
        let found = known.iter().find(|word| **word == text);
        found.copied().ok_or_else(|| {
            self.error(
                format!("\"{text}\" is not known"),
                suggest::advice("words", text, known.iter().copied()),
            )
        })
    }

    pub(super) fn flag(&self) -> Result<bool> {
        Ok(self.word(&["true", "false"])? == "true")
    }

    /// `None` for `auto`.
    pub(super) fn flag_or_auto(&self) -> Result<Option<bool>> {
        Ok(match self.word(&["true", "false", "auto"])? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
    }
}
