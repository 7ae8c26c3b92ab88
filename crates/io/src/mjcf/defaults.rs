//! Default classes: what an element does not say, its class says, or the class around that.

use std::collections::HashMap;
use std::rc::Rc;

use super::notes::Notes;
use super::value::Value;
use crate::error::Result;
use crate::scene_file::suggest;
use crate::xml::Element;

/// Kinds of actuators. In MuJoCo the defaults of all of them are one.
pub(super) const ACTUATORS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "orientation",
    "pid",
    "dcmotor",
    "plugin",
];

/// Attributes that actuators of all kinds have.
const OF_ALL_ACTUATORS: &[&str] = &[
    "ctrllimited",
    "ctrlrange",
    "forcelimited",
    "forcerange",
    "actlimited",
    "actrange",
    "gear",
];

/// The default classes of a file.
pub(super) struct Defaults<'a> {
    classes: Vec<Class<'a>>,
    by_name: HashMap<&'a str, ClassId>,
    pub(super) notes: Rc<Notes>,
}

/// A class by its index; 0 is the outermost one, `main`.
pub(super) type ClassId = usize;

#[derive(Default)]
struct Class<'a> {
    names: Vec<&'a str>,
    parent: Option<ClassId>,
    elements: Vec<&'a Element>,
}

impl<'a> Defaults<'a> {
    pub(super) fn new(root: &'a Element) -> Result<Self> {
        let mut defaults = Self {
            classes: vec![Class {
                names: vec!["main"],
                ..Class::default()
            }],
            by_name: HashMap::from([("main", 0)]),
            notes: Rc::default(),
        };
        for element in root.children_of("default") {
            if let Some(name) = element.attribute("class")
                && defaults.find(name).is_none()
            {
                defaults.classes[0].names.push(name);
                defaults.by_name.insert(name, 0);
            }
            defaults.add(element, 0)?;
        }
        Ok(defaults)
    }

    fn add(&mut self, element: &'a Element, class: ClassId) -> Result<()> {
        for child in &element.children {
            if child.tag != "default" {
                child.mark_read();
                self.classes[class].elements.push(child);
                continue;
            }
            child.mark_read();
            let Some(name) = child.attribute("class") else {
                return Err(child.error("has no class", "name it: class=\"…\""));
            };
            if self.find(name).is_some() {
                return Err(child.attribute_error(
                    "class",
                    format!("the class \"{name}\" exists already"),
                    "give another name",
                ));
            }
            self.classes.push(Class {
                names: vec![name],
                parent: Some(class),
                elements: Vec::new(),
            });
            let inner = self.classes.len() - 1;
            self.by_name.insert(name, inner);
            self.add(child, inner)?;
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Option<ClassId> {
        self.by_name.get(name).copied()
    }

    /// The class that an attribute names.
    pub(super) fn class(&self, value: Value<'_>) -> Result<ClassId> {
        self.find(value.text).ok_or_else(|| {
            let known = self
                .classes
                .iter()
                .flat_map(|class| class.names.iter().copied());
            let known: Vec<&str> = known.collect();
            value.error(
                format!("there is no default class \"{}\"", value.text),
                suggest::advice("classes", value.text, known),
            )
        })
    }

    /// The attributes of an element; `inherited` is the class that elements around it ask for.
    pub(super) fn attributes(
        &self,
        element: &'a Element,
        inherited: ClassId,
    ) -> Result<Attributes<'a>> {
        let default_tag = match element.tag.as_str() {
            "spatial" | "fixed" => "tendon",
            tag => tag,
        };
        self.attributes_of(element, default_tag, inherited)
    }

    /// The attributes of an equality, whatever its tag: those of joints and tendons in it are those
    /// of other things.
    pub(super) fn equality(&self, element: &'a Element) -> Result<Attributes<'a>> {
        self.attributes_of(element, "equality", 0)
    }

    fn attributes_of(
        &self,
        element: &'a Element,
        default_tag: &str,
        inherited: ClassId,
    ) -> Result<Attributes<'a>> {
        let class = match Value::of(element, "class") {
            Some(value) => self.class(value)?,
            None => inherited,
        };
        let is_actuator = ACTUATORS.contains(&default_tag);
        let mut levels = Vec::new();
        let mut next = Some(class);
        while let Some(class) = next {
            let class = &self.classes[class];
            for default in class.elements.iter().rev() {
                let tag = default.tag.as_str();
                if tag == default_tag || is_actuator && ACTUATORS.contains(&tag) {
                    self.notes.apply(default);
                    levels.push(*default);
                }
            }
            next = class.parent;
        }
        Ok(Attributes {
            element,
            default_tag: default_tag.to_owned(),
            levels,
            notes: self.notes.clone(),
        })
    }

    /// Marks what of the defaults needs no word.
    pub(super) fn settle(&self) {
        for default in self.classes.iter().flat_map(|class| &class.elements) {
            self.notes.settle_default(default);
        }
    }
}

/// The attributes of an element and of the defaults that stand in for what it leaves out.
pub(super) struct Attributes<'a> {
    pub(super) element: &'a Element,
    default_tag: String,
    /// Defaults, the closest first.
    levels: Vec<&'a Element>,
    pub(super) notes: Rc<Notes>,
}

impl<'a> Attributes<'a> {
    /// Of an element that has no defaults.
    pub(super) fn plain(element: &'a Element, notes: &Rc<Notes>) -> Self {
        Self {
            element,
            default_tag: String::new(),
            levels: Vec::new(),
            notes: notes.clone(),
        }
    }

    /// The element, then its defaults, the closest first.
    pub(super) fn levels(&self) -> impl Iterator<Item = &'a Element> + '_ {
        std::iter::once(self.element).chain(self.levels.iter().copied())
    }

    pub(super) fn get(&self, name: &'static str) -> Option<Value<'a>> {
        self.notes.ask(&self.default_tag, name);
        let own = Value::of(self.element, name);
        own.or_else(|| {
            let mut levels = self.levels.iter().filter(|level| {
                let of_its_kind = level.tag == self.default_tag;
                of_its_kind || OF_ALL_ACTUATORS.contains(&name)
            });
            levels.find_map(|level| {
                if !level.has(name) {
                    return None;
                }
                if level.tag != self.default_tag {
                    self.notes.ask(&level.tag, name);
                }
                Value::of(level, name)
            })
        })
    }

    /// The text of an attribute that must be there.
    pub(super) fn need(&self, name: &'static str) -> Result<Value<'a>> {
        self.get(name).ok_or_else(|| {
            let problem = format!("has no {name}");
            self.element
                .error(problem, format!("give it one: {name}=\"…\""))
        })
    }

    pub(super) fn number_or(&self, name: &'static str, default: f64) -> Result<f64> {
        self.get(name).map_or(Ok(default), |value| value.number())
    }

    pub(super) fn flag_or(&self, name: &'static str, default: bool) -> Result<bool> {
        self.get(name).map_or(Ok(default), |value| value.flag())
    }

    /// The first of the numbers of an attribute; further ones, the coefficients of a polynomial,
    /// are reported unless they are zero.
    pub(super) fn linear_or(&self, name: &'static str, default: f64) -> Result<f64> {
        let Some(value) = self.get(name) else {
            return Ok(default);
        };
        let numbers = value.list(1..=8)?;
        if numbers[1..].iter().any(|&number| number != 0.0) {
            self.notes.ignore(
                value.element,
                format!("<{} {name}> beyond its first number", value.element.tag),
                "springs and dampers are linear here",
            );
        }
        Ok(numbers[0])
    }

    /// Reads attributes that mean nothing here.
    pub(super) fn pass_over(&self, names: &[&'static str]) {
        for name in names {
            self.get(name);
        }
    }

    /// Reports an attribute unless its numbers are those that are done anyway.
    pub(super) fn report_unless(&self, name: &'static str, done: &[f64]) -> Result<()> {
        if let Some(value) = self.get(name) {
            let given = value.list(0..=usize::MAX)?;
            let same = given.len() <= done.len() && given.iter().zip(done).all(|(a, b)| a == b);
            if !same {
                self.notes.ignore_attribute(value.element, name);
            }
        }
        Ok(())
    }

    /// A range, where `limited` and `autolimits` let it count.
    pub(super) fn range(
        &self,
        limited: &'static str,
        range: &'static str,
        autolimits: bool,
    ) -> Result<Option<[f64; 2]>> {
        let value = self.get(range);
        let limited = match self.get(limited) {
            Some(value) => value.flag_or_auto()?,
            None => None,
        };
        if !limited.unwrap_or(autolimits && value.is_some()) {
            return Ok(None);
        }
        let Some(value) = value else {
            return Err(self
                .element
                .error(format!("is limited but has no {range}"), "give the range"));
        };
        let [lower, upper] = value.numbers()?;
        // MuJoCo's way of saying that there is no range.
        if lower == 0.0 && upper == 0.0 && limited != Some(true) {
            return Ok(None);
        }
        if !(lower <= upper) {
            return Err(value.error(
                format!("{lower} exceeds {upper}"),
                "give the lower bound first",
            ));
        }
        Ok(Some([lower, upper]))
    }
}
