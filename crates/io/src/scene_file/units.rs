//! Quantities with units: `"5 mm"`, `"30 deg"`, `"2 kN/m"`.

use std::f64::consts::PI;

/// What a number measures: a power for each of metre, kilogram, second and radian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dimension {
    /// What it is called.
    pub(super) name: &'static str,
    /// Its SI unit, empty for a plain number.
    pub(super) unit: &'static str,
    /// An example with another unit.
    pub(super) example: &'static str,
    powers: Powers,
}

type Powers = [i32; 4];

const fn dimension(
    name: &'static str,
    unit: &'static str,
    example: &'static str,
    powers: Powers,
) -> Dimension {
    Dimension {
        name,
        unit,
        example,
        powers,
    }
}

pub(super) const PLAIN: Dimension = dimension("number", "", "", [0, 0, 0, 0]);
/// A number of a joint whose coordinates have different units, so that no unit fits them all.
pub(super) const MIXED: Dimension = dimension("number in SI units", "", "", [0, 0, 0, 0]);
pub(super) const LENGTH: Dimension = dimension("length", "m", "5 mm", [1, 0, 0, 0]);
pub(super) const MASS: Dimension = dimension("mass", "kg", "45 g", [0, 1, 0, 0]);
pub(super) const TIME: Dimension = dimension("time", "s", "2 ms", [0, 0, 1, 0]);
pub(super) const ANGLE: Dimension = dimension("angle", "rad", "30 deg", [0, 0, 0, 1]);
pub(super) const SPEED: Dimension = dimension("speed", "m/s", "5 cm/s", [1, 0, -1, 0]);
pub(super) const TURN_RATE: Dimension =
    dimension("angular speed", "rad/s", "90 deg/s", [0, 0, -1, 1]);
pub(super) const ACCELERATION: Dimension =
    dimension("acceleration", "m/s^2", "981 cm/s^2", [1, 0, -2, 0]);
pub(super) const FORCE: Dimension = dimension("force", "N", "2 kN", [1, 1, -2, 0]);
pub(super) const TORQUE: Dimension = dimension("torque", "N*m", "20 mN*m", [2, 1, -2, 0]);
pub(super) const STIFFNESS: Dimension = dimension("stiffness", "N/m", "2 kN/m", [0, 1, -2, 0]);
pub(super) const DAMPING: Dimension = dimension("damping", "N*s/m", "3 N*s/m", [0, 1, -1, 0]);
pub(super) const TURN_STIFFNESS: Dimension = dimension(
    "rotational stiffness",
    "N*m/rad",
    "50 N*m/rad",
    [2, 1, -2, -1],
);
pub(super) const TURN_DAMPING: Dimension = dimension(
    "rotational damping",
    "N*m*s/rad",
    "2 N*m*s/rad",
    [2, 1, -1, -1],
);
pub(super) const INERTIA: Dimension = dimension("inertia", "kg*m^2", "120 g*cm^2", [2, 1, 0, 0]);
pub(super) const DENSITY: Dimension = dimension("density", "kg/m^3", "7.8 g/cm^3", [-3, 1, 0, 0]);
pub(super) const COMPLIANCE: Dimension = dimension("compliance", "m/N", "1 um/N", [0, -1, 2, 0]);
pub(super) const CREEP: Dimension = dimension(
    "tangential compliance",
    "m/(N*s)",
    "1 mm/s/N",
    [0, -1, 1, 0],
);
pub(super) const FREQUENCY: Dimension = dimension("frequency", "Hz", "200 mHz", [0, 0, -1, 0]);
pub(super) const PRESSURE: Dimension = dimension("modulus", "Pa", "100 kPa", [-1, 1, -2, 0]);
pub(super) const BENDING: Dimension =
    dimension("bending stiffness", "N*m^2", "20 N*mm^2", [3, 1, -2, 0]);
pub(super) const RATE: Dimension = dimension("rate", "1/s", "4 1/s", [0, 0, -1, 0]);
pub(super) const RATE_SQUARED: Dimension =
    dimension("rate squared", "1/s^2", "4 1/s^2", [0, 0, -2, 0]);
pub(super) const PITCH: Dimension = dimension("pitch", "m/rad", "5 mm/turn", [1, 0, 0, -1]);

/// Why a text is not a quantity of the wanted dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnitError(pub(super) String);

/// Units by name, their value in SI and their powers.
const UNITS: &[(&str, f64, Powers)] = &[
    ("m", 1.0, [1, 0, 0, 0]),
    ("g", 1e-3, [0, 1, 0, 0]),
    ("s", 1.0, [0, 0, 1, 0]),
    ("rad", 1.0, [0, 0, 0, 1]),
    ("deg", PI / 180.0, [0, 0, 0, 1]),
    ("°", PI / 180.0, [0, 0, 0, 1]),
    ("turn", 2.0 * PI, [0, 0, 0, 1]),
    ("rev", 2.0 * PI, [0, 0, 0, 1]),
    ("rpm", PI / 30.0, [0, 0, -1, 1]),
    ("min", 60.0, [0, 0, 1, 0]),
    ("h", 3600.0, [0, 0, 1, 0]),
    ("t", 1e3, [0, 1, 0, 0]),
    ("Hz", 1.0, [0, 0, -1, 0]),
    ("N", 1.0, [1, 1, -2, 0]),
    ("Pa", 1.0, [-1, 1, -2, 0]),
    ("J", 1.0, [2, 1, -2, 0]),
    ("W", 1.0, [2, 1, -3, 0]),
];

/// Prefixes and their value.
const PREFIXES: &[(&str, f64)] = &[
    ("n", 1e-9),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
];

impl Dimension {
    /// The value in SI of a text such as `"5 mm"`.
    pub(super) fn parse(&self, text: &str) -> Result<f64, UnitError> {
        let text = text.trim();
        let (number, unit) = split(text)?;
        if unit.is_empty() {
            return Err(UnitError(format!("\"{text}\" is text without a unit")));
        }
        let (factor, powers) = parse_unit(unit)?;
        if !self.accepts(powers) {
            return Err(UnitError(format!(
                "\"{text}\" is not {}",
                self.with_article()
            )));
        }
        Ok(number * factor)
    }

    /// Angles have no dimension in SI: where other units are there too, `rad` may be left out.
    fn accepts(&self, powers: Powers) -> bool {
        let same = self.powers[..3] == powers[..3];
        let mechanical = self.powers[0] != 0 || self.powers[1] != 0;
        same && (self.powers[3] == powers[3] || (mechanical && powers[3] == 0))
    }

    fn with_article(&self) -> String {
        let article = if self.name.starts_with(['a', 'i']) {
            "an"
        } else {
            "a"
        };
        format!("{article} {}", self.name)
    }

    /// What to write instead.
    pub(super) fn advice(&self) -> String {
        match (self.unit, self.example) {
            ("", _) => format!("give {} without a unit", self.with_article()),
            (unit, example) => {
                let what = self.with_article();
                format!("give {what} as a number in {unit} or as text such as \"{example}\"")
            }
        }
    }
}

/// Number at the start of a text, and the rest.
fn split(text: &str) -> Result<(f64, &str), UnitError> {
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    let mut end = text.find(|c| !numeric(c)).unwrap_or(text.len());
    // A unit may begin with a letter that numbers know too.
    while end > 0 {
        if let Ok(number) = text[..end].parse() {
            return Ok((number, text[end..].trim_start()));
        }
        end -= 1;
    }
    Err(UnitError(format!(
        "\"{text}\" does not begin with a number"
    )))
}

/// Value in SI and powers of a unit such as `N*s/m` or `kg·m²`.
fn parse_unit(text: &str) -> Result<(f64, Powers), UnitError> {
    let mut value = 1.0;
    let mut powers = [0; 4];
    let mut sign = 1;
    let mut rest = text;
    loop {
        let end = rest
            .find(|c: char| matches!(c, '*' | '/' | '·' | '⋅') || c.is_whitespace())
            .unwrap_or(rest.len());
        let (factor, after) = rest.split_at(end);
        let (unit, of_unit, exponent) = parse_factor(factor, text)?;
        value *= unit.powi(sign * exponent);
        for (sum, power) in powers.iter_mut().zip(of_unit) {
            *sum += sign * exponent * power;
        }
        let after = after.trim_start();
        let Some(separator) = after.chars().next() else {
            return Ok((value, powers));
        };
        sign = if separator == '/' { -1 } else { 1 };
        let skipped = if matches!(separator, '*' | '/' | '·' | '⋅') {
            separator.len_utf8()
        } else {
            0
        };
        rest = after[skipped..].trim_start();
    }
}

/// One factor such as `kN`, `m^2` or `1`: value, powers, exponent.
fn parse_factor(factor: &str, whole: &str) -> Result<(f64, Powers, i32), UnitError> {
    let unknown = || UnitError(format!("\"{whole}\" is not a unit known here"));
    if factor == "1" {
        return Ok((1.0, [0; 4], 1));
    }
    let (name, exponent) = if let Some((name, exponent)) = factor.split_once('^') {
        (name, exponent.parse().ok().filter(|e: &i32| e.abs() <= 9))
    } else if let Some(name) = factor.strip_suffix('²') {
        (name, Some(2))
    } else if let Some(name) = factor.strip_suffix('³') {
        (name, Some(3))
    } else {
        (factor, Some(1))
    };
    let exponent = exponent.ok_or_else(unknown)?;
    let find = |name: &str| UNITS.iter().find(|unit| unit.0 == name);
    if let Some(&(_, value, powers)) = find(name) {
        return Ok((value, powers, exponent));
    }
    for &(prefix, scale) in PREFIXES {
        if let Some(&(_, value, powers)) = name.strip_prefix(prefix).and_then(find) {
            return Ok((scale * value, powers, exponent));
        }
    }
    Err(unknown())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(dimension: Dimension, text: &str, expected: f64) {
        let value = dimension.parse(text).unwrap();
        assert!(
            (value - expected).abs() <= 1e-12 * expected.abs(),
            "{text} is {value}"
        );
    }

    #[test]
    fn units_become_si() {
        close(LENGTH, "5 mm", 5e-3);
        close(LENGTH, "-2.5e1cm", -0.25);
        close(LENGTH, "3 µm", 3e-6);
        close(MASS, "45 g", 0.045);
        close(MASS, "1.5 t", 1500.0);
        close(ANGLE, "30 deg", PI / 6.0);
        close(ANGLE, "90°", PI / 2.0);
        close(TIME, "2 min", 120.0);
        close(TIME, "1 ms", 1e-3);
        close(SPEED, "36 km/h", 10.0);
        close(TURN_RATE, "60 rpm", 2.0 * PI);
        close(STIFFNESS, "2 kN/m", 2000.0);
        close(DAMPING, "3 N·s/m", 3.0);
        close(DAMPING, "3 N s/m", 3.0);
        close(TURN_STIFFNESS, "7 N*m/rad", 7.0);
        close(TURN_STIFFNESS, "7 N*m", 7.0);
        close(INERTIA, "2 g·cm²", 2e-7);
        close(INERTIA, "2 kg*m^2", 2.0);
        close(DENSITY, "7.8 g/cm^3", 7800.0);
        close(COMPLIANCE, "1 um/N", 1e-6);
        close(FREQUENCY, "4 1/s", 4.0);
        close(PITCH, "5 mm/turn", 5e-3 / (2.0 * PI));
        close(ACCELERATION, "9.81 m/s/s", 9.81);
    }

    #[test]
    fn wrong_dimensions_and_nonsense_are_refused() {
        for (dimension, text) in [
            (MASS, "3 m"),
            (LENGTH, "3 kg"),
            (ANGLE, "3 m"),
            (TURN_RATE, "3 1/s"),
            (FREQUENCY, "3 rad/s"),
            (LENGTH, "3"),
            (LENGTH, "mm"),
            (LENGTH, ""),
            (LENGTH, "3 parsec"),
            (LENGTH, "3 m^"),
            (LENGTH, "3 m^99999999999"),
            (LENGTH, "3 m//s"),
            (LENGTH, "3 m/"),
            (PLAIN, "3 m"),
            (LENGTH, "é m"),
        ] {
            assert!(dimension.parse(text).is_err(), "{text}");
        }
    }
}
