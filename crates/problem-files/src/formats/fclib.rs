//! HDF5 files in the layout of the Frictional Contact Library (FCLIB), read and written without
//! any system library.
//!
//! Layout (V. Acary, M. Brémond, T. Koziara, F. Pérignon, "FCLIB: a collection of discrete 3D
//! Frictional Contact problems", RT-0444, INRIA 2014, and the library's header):
//!
//! - `/fclib_local`: `spacedim`, matrix group `W`, `vectors/{q, mu}`;
//! - `/fclib_global`: `spacedim`, matrix groups `M` and `H`, `vectors/{f, w, mu}`;
//! - `info/{title, description, math_info}` in either; `/solution/{r, u, v}`;
//! - a matrix is `nzmax`, `m`, `n`, `nz`, `p`, `i`, `x`: compressed columns for nz = −1, compressed
//!   rows for nz = −2, else nz triplets.
//!
//! For triplets the library's comments say that `p` holds rows and `i` columns, but the programs
//! that write them store CSparse triplets, `p` columns and `i` rows. We read the latter, and the
//! former only where the latter does not fit the shape. Equality constraints (`G`, or `V` and `R`)
//! are refused.

use std::path::Path;

use hdf5_pure::{Dataset, File, FileBuilder};

use crate::checks::check_vector;
use crate::content::{Origin, ProblemFile};
use crate::csc_matrix::CscMatrix;
use crate::error::{ProblemFileError, Refusal};
use crate::reduction::{GlobalProblem, LocalProblem};

/// A solution as FCLIB stores it, in the file's component order (n, t1, t2).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FclibSolution {
    /// Reactions.
    pub r: Vec<f64>,
    /// Velocities at the contacts.
    pub u: Vec<f64>,
    /// Velocities of the degrees of freedom, empty for local problems.
    pub v: Vec<f64>,
}

/// Reads the solution stored beside a problem, if there is one.
///
/// # Errors
/// A file that cannot be read or whose solution is malformed.
pub fn read_solution(path: impl AsRef<Path>) -> Result<Option<FclibSolution>, ProblemFileError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| ProblemFileError::Read {
        file: file.clone(),
        source,
    })?;
    solution_of(&bytes).map_err(|refusal| refusal.in_file(&file))
}

/// Writes a local or global problem, with a solution if there is one.
///
/// # Errors
/// A full problem, a number that does not fit the format, or a file that cannot be written.
pub fn write(
    path: impl AsRef<Path>,
    problem: &ProblemFile,
    solution: Option<&FclibSolution>,
) -> Result<(), ProblemFileError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let bytes = to_bytes(problem, solution).map_err(|refusal| refusal.in_file(&file))?;
    std::fs::write(path, bytes).map_err(|source| ProblemFileError::Write { file, source })
}

pub(crate) fn parse(bytes: &[u8]) -> Result<ProblemFile, Refusal> {
    let file = open(bytes)?;
    let groups = file.root().groups().map_err(|e| broken("/", &e))?;
    let has = |name: &str| groups.iter().any(|group| group == name);
    if has("fclib_local") {
        let group = "fclib_local";
        check_dimension(&file, group)?;
        refuse_group(&file, group, &["V", "R"])?;
        let friction = frictions(&file, group)?;
        let q = reals(&file, &format!("{group}/vectors/q"))?;
        let delassus = matrix(&file, group, "W", q.len())?;
        LocalProblem::checked(origin(&file, group), friction, delassus, q).map(ProblemFile::Local)
    } else if has("fclib_global") {
        let group = "fclib_global";
        check_dimension(&file, group)?;
        refuse_group(&file, group, &["G"])?;
        let friction = frictions(&file, group)?;
        let f = reals(&file, &format!("{group}/vectors/f"))?;
        let w = reals(&file, &format!("{group}/vectors/w"))?;
        let mass = matrix(&file, group, "M", f.len())?;
        let directions = matrix(&file, group, "H", w.len())?;
        GlobalProblem::checked(origin(&file, group), friction, mass, directions, f, w)
            .map(ProblemFile::Global)
    } else {
        Err(Refusal::UnknownFormat {
            reason: "it is HDF5, but has neither a group fclib_local nor fclib_global".into(),
        })
    }
}

fn open(bytes: &[u8]) -> Result<File, Refusal> {
    File::from_bytes(bytes.to_vec()).map_err(|error| Refusal::UnknownFormat {
        reason: format!("its HDF5 structure is broken: {error}"),
    })
}

fn broken(element: &str, error: &hdf5_pure::Error) -> Refusal {
    Refusal::element(element, format!("cannot be read: {error}"))
}

fn check_dimension(file: &File, group: &str) -> Result<(), Refusal> {
    let element = format!("{group}/spacedim");
    match integer(file, &element)? {
        3 => Ok(()),
        other => Err(Refusal::element(
            element,
            format!("is {other}, only three-dimensional problems are supported"),
        )),
    }
}

fn refuse_group(file: &File, group: &str, names: &[&str]) -> Result<(), Refusal> {
    let present = (file.group(group).and_then(|g| g.groups())).map_err(|e| broken(group, &e))?;
    match names
        .iter()
        .find(|&&name| present.iter().any(|g| g == name))
    {
        Some(name) => Err(Refusal::element(
            format!("{group}/{name}"),
            "equality constraints are not supported in FCLIB files",
        )),
        None => Ok(()),
    }
}

/// Most numbers of one dataset: compressed, many take little room in a file, but not in the memory.
pub const MOST_NUMBERS: u64 = 50_000_000;

/// Most contacts, each of which takes some hundred bytes even where it touches nothing.
pub const MOST_CONTACTS: usize = 1_000_000;

/// The coefficients of friction, one for each contact.
fn frictions(file: &File, group: &str) -> Result<Vec<f64>, Refusal> {
    let element = format!("{group}/vectors/mu");
    let friction = reals(file, &element)?;
    match friction.len() > MOST_CONTACTS {
        true => Err(Refusal::element(
            element,
            format!("has {} contacts, more than {MOST_CONTACTS}", friction.len()),
        )),
        false => Ok(friction),
    }
}

/// A dataset of plausible size: no compression makes more than about a thousand bytes of one.
fn dataset(file: &File, element: &str) -> Result<Dataset, Refusal> {
    let dataset = file.dataset(element).map_err(|e| broken(element, &e))?;
    let shape = dataset.shape().map_err(|e| broken(element, &e))?;
    let count = shape.iter().try_fold(1u64, |a, &b| a.checked_mul(b));
    let most = file.file_size().saturating_mul(1100) / 4;
    if let Some(count) = count.filter(|&count| count <= most && count > MOST_NUMBERS) {
        return Err(Refusal::element(
            element,
            format!("has {count} numbers, more than {MOST_NUMBERS}"),
        ));
    }
    if count.is_none_or(|count| count > most) {
        return Err(Refusal::element(
            element,
            format!("claims the shape {shape:?}, more than the file can hold"),
        ));
    }
    Ok(dataset)
}

fn reals(file: &File, element: &str) -> Result<Vec<f64>, Refusal> {
    let dataset = dataset(file, element)?;
    dataset.read_f64().map_err(|e| broken(element, &e))
}

fn integers(file: &File, element: &str) -> Result<Vec<i64>, Refusal> {
    let dataset = dataset(file, element)?;
    dataset.read_i64().map_err(|e| broken(element, &e))
}

fn integer(file: &File, element: &str) -> Result<i64, Refusal> {
    match integers(file, element)?[..] {
        [value] => Ok(value),
        ref values => Err(Refusal::element(
            element,
            format!("holds {} numbers, one expected", values.len()),
        )),
    }
}

fn size(file: &File, element: &str) -> Result<usize, Refusal> {
    let value = integer(file, element)?;
    usize::try_from(value)
        .map_err(|_| Refusal::element(element, format!("is {value}, it must not be negative")))
}

fn indices(file: &File, element: &str) -> Result<Vec<usize>, Refusal> {
    let convert = |(k, value): (usize, &i64)| {
        usize::try_from(*value).map_err(|_| {
            Refusal::element(
                format!("{element}[{k}]"),
                format!("is {value}, it must not be negative"),
            )
        })
    };
    integers(file, element)?
        .iter()
        .enumerate()
        .map(convert)
        .collect()
}

/// A matrix whose number of columns is known from the vectors, so that a wrong `n` is noticed
/// before anything of that size is allocated.
fn matrix(file: &File, group: &str, name: &str, columns: usize) -> Result<CscMatrix, Refusal> {
    let at = |field: &str| format!("{group}/{name}/{field}");
    let (m, n) = (size(file, &at("m"))?, size(file, &at("n"))?);
    if n != columns {
        return Err(Refusal::element(
            at("n"),
            format!("is {n}, but the vectors have {columns} numbers"),
        ));
    }
    let storage = integer(file, &at("nz"))?;
    let p = indices(file, &at("p"))?;
    let mut i = indices(file, &at("i"))?;
    let mut x = reals(file, &at("x"))?;
    let compressed = |major: usize, minor: usize, p: Vec<usize>, i, x| {
        CscMatrix::new(minor, major, p, i, x).map_err(|(field, reason)| {
            let field = (field.replace("indptr", "p"))
                .replace("indices", "i")
                .replace("data", "x");
            Refusal::element(at(&field), reason)
        })
    };
    match storage {
        // nzmax may be larger than the number of entries.
        -1 | -2 => {
            let used = p.last().copied().unwrap_or(0);
            i.truncate(used);
            x.truncate(used);
            let (p, i, x) = sort_within(p, i, x);
            if storage == -1 {
                compressed(n, m, p, i, x)
            } else {
                // Rows of A by columns of Aᵀ. Every row needs a pointer, so m is no larger than p.
                compressed(m, n, p, i, x).map(|transposed| transposed.transpose())
            }
        }
        0.. => {
            let used = usize::try_from(storage).unwrap_or(usize::MAX);
            if [p.len(), i.len(), x.len()].iter().any(|&len| len < used) {
                return Err(Refusal::element(
                    at("nz"),
                    format!(
                        "is {used}, but p, i and x have {}, {} and {} numbers",
                        p.len(),
                        i.len(),
                        x.len()
                    ),
                ));
            }
            let (p, i) = (&p[..used], &i[..used]);
            let fits = |row: &[usize], column: &[usize]| {
                row.iter().all(|&r| r < m) && column.iter().all(|&c| c < n)
            };
            let (row, column) = if fits(i, p) || !fits(p, i) {
                (i, p)
            } else {
                (p, i)
            };
            let entries: Vec<_> = (0..used).map(|k| (row[k], column[k], x[k])).collect();
            CscMatrix::from_entries(m, n, &entries)
                .map_err(|(k, reason)| Refusal::element(at(&format!("x[{k}]")), reason))
        }
        other => Err(Refusal::element(
            at("nz"),
            format!("is {other}; −1 (columns), −2 (rows) and counts of triplets are known"),
        )),
    }
}

/// Sorts the indices within each column; FCLIB does not promise an order. Pointers that make no
/// sense are left for the matrix to refuse.
fn sort_within(p: Vec<usize>, i: Vec<usize>, x: Vec<f64>) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let sane = p.windows(2).all(|w| w[0] <= w[1])
        && p.last()
            .is_some_and(|&end| end == i.len() && end == x.len());
    if !sane {
        return (p, i, x);
    }
    let mut order: Vec<usize> = (0..i.len()).collect();
    for range in p.windows(2) {
        order[range[0]..range[1]].sort_by_key(|&k| i[k]);
    }
    let sorted_i = order.iter().map(|&k| i[k]).collect();
    let sorted_x = order.iter().map(|&k| x[k]).collect();
    (p, sorted_i, sorted_x)
}

fn origin(file: &File, group: &str) -> Origin {
    let text = |name: &str| {
        let dataset = file.dataset(&format!("{group}/info/{name}")).ok()?;
        let text = dataset.read_string().ok()?.into_iter().next()?;
        Some(text.trim_end_matches('\0').to_owned()).filter(|text| !text.is_empty())
    };
    Origin {
        name: text("title").unwrap_or_default(),
        note: text("description").map(serde_json::Value::String),
        info: text("math_info").map(serde_json::Value::String),
        ..Origin::default()
    }
}

fn solution_of(bytes: &[u8]) -> Result<Option<FclibSolution>, Refusal> {
    let problem = parse(bytes)?;
    let file = open(bytes)?;
    if file.group("solution").is_err() {
        return Ok(None);
    }
    let (rows, dofs) = match &problem {
        ProblemFile::Local(local) => (local.free_velocity.len(), 0),
        ProblemFile::Global(global) => (global.bias.len(), global.force.len()),
        ProblemFile::Full(_) => (0, 0),
    };
    let vector = |name: &str, expected: usize| {
        let element = format!("solution/{name}");
        let values = reals(&file, &element)?;
        check_vector(&element, &values, expected).map(|()| values)
    };
    Ok(Some(FclibSolution {
        r: vector("r", rows)?,
        u: vector("u", rows)?,
        v: if dofs > 0 {
            vector("v", dofs)?
        } else {
            Vec::new()
        },
    }))
}

pub(crate) fn to_bytes(
    problem: &ProblemFile,
    solution: Option<&FclibSolution>,
) -> Result<Vec<u8>, Refusal> {
    let mut builder = FileBuilder::new();
    let (name, origin, matrices, vectors): (_, _, Vec<_>, Vec<(&str, &[f64])>) = match problem {
        ProblemFile::Local(local) => (
            "fclib_local",
            &local.origin,
            vec![("W", &local.delassus)],
            vec![("q", &local.free_velocity), ("mu", &local.friction)],
        ),
        ProblemFile::Global(global) => (
            "fclib_global",
            &global.origin,
            vec![("M", &global.mass), ("H", &global.directions)],
            vec![
                ("f", &global.force),
                ("w", &global.bias),
                ("mu", &global.friction),
            ],
        ),
        ProblemFile::Full(_) => {
            return Err(Refusal::element(
                "format",
                "FCLIB holds only local and global contact problems",
            ));
        }
    };
    let mut main = builder.create_group(name);
    main.create_dataset("spacedim").with_i32_data(&[3]);
    for (name, matrix) in matrices {
        let mut group = main.create_group(name);
        let whole = |values: &[usize]| -> Result<Vec<i32>, Refusal> {
            let narrow = |&value: &usize| {
                i32::try_from(value).map_err(|_| {
                    Refusal::element(name, format!("{value} does not fit FCLIB's integers"))
                })
            };
            values.iter().map(narrow).collect()
        };
        let entries = matrix.values().len();
        for (field, value) in [
            ("nzmax", entries),
            ("m", matrix.rows()),
            ("n", matrix.columns()),
        ] {
            group.create_dataset(field).with_i32_data(&whole(&[value])?);
        }
        group.create_dataset("nz").with_i32_data(&[-1]);
        group
            .create_dataset("p")
            .with_i32_data(&whole(matrix.column_start())?);
        group
            .create_dataset("i")
            .with_i32_data(&whole(matrix.row_index())?);
        group.create_dataset("x").with_f64_data(matrix.values());
        main.add_group(group.finish());
    }
    let mut group = main.create_group("vectors");
    for (name, values) in vectors {
        group.create_dataset(name).with_f64_data(values);
    }
    main.add_group(group.finish());
    let mut group = main.create_group("info");
    let mut text = |name: &str, text: &str| {
        group
            .create_dataset(name)
            .with_strings(&[text])
            .map(|_| ())
            .map_err(|error| Refusal::element(format!("info/{name}"), error.to_string()))
    };
    text("title", &origin.name)?;
    for (name, value) in [("description", &origin.note), ("math_info", &origin.info)] {
        if let Some(serde_json::Value::String(value)) = value {
            text(name, value)?;
        }
    }
    main.add_group(group.finish());
    builder.add_group(main.finish());
    if let Some(solution) = solution {
        let mut group = builder.create_group("solution");
        for (name, values) in [("r", &solution.r), ("u", &solution.u), ("v", &solution.v)] {
            if !values.is_empty() {
                group.create_dataset(name).with_f64_data(values);
            }
        }
        builder.add_group(group.finish());
    }
    builder
        .finish()
        .map_err(|error| Refusal::element(name, error.to_string()))
}

#[cfg(test)]
#[path = "fclib_tests.rs"]
mod tests;
