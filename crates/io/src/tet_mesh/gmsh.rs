//! Gmsh's MSH, versions 2 and 4.
//!
//! <https://gmsh.info/doc/texinfo/gmsh.html#MSH-file-format>: sections between `$Name` and `$EndName`.
//! Version 2 gives each element its physical group; version 4 gives it an entity, and the entity its groups.

use std::collections::{BTreeMap, HashMap, HashSet};

use nalgebra::Point3;

use super::words::Words;
use super::{Group, SurfaceGroup, TetMeshFile};
use crate::error::Result;
use crate::mesh::{MeshData, refuse};

/// Numbers of the kinds of elements that are used.
const TRIANGLE: i64 = 2;
const QUADRILATERAL: i64 = 3;
const TETRAHEDRON: i64 = 4;

/// How many nodes an element of a kind has, and what it is called if it is a solid or curved that is not
/// read.
fn kind(number: i64) -> Option<(usize, Option<&'static str>)> {
    Some(match number {
        1 => (2, None),
        // Curves of order 2 to 4 among them.
        TRIANGLE | 8 => (3, None),
        QUADRILATERAL | TETRAHEDRON | 26 => (4, None),
        5 => (8, Some("a hexahedron")),
        6 => (6, Some("a prism")),
        7 => (5, Some("a pyramid")),
        9 => (6, Some("a triangle of order 2")),
        10 => (9, Some("a quadrilateral of order 2")),
        11 => (10, Some("a tetrahedron of order 2")),
        15 => (1, None),
        16 => (8, Some("a quadrilateral of order 2")),
        21 => (10, Some("a triangle of order 3")),
        27 => (5, None),
        29 => (20, Some("a tetrahedron of order 3")),
        30 => (35, Some("a tetrahedron of order 4")),
        31 => (56, Some("a tetrahedron of order 5")),
        _ => return None,
    })
}

/// What a file holds, as it says it.
#[derive(Default)]
pub(super) struct Gmsh {
    /// Places by the file's numbers, which need not be consecutive.
    nodes: HashMap<u64, usize>,
    places: Vec<Point3<f64>>,
    elements: Vec<Element>,
    /// Numbers of the nodes of all elements, also of those that are not kept.
    touched: HashSet<u64>,
    /// Names of groups by dimension and number.
    names: HashMap<(i64, i64), String>,
    /// Groups of entities by dimension and number.
    entities: HashMap<(i64, i64), i64>,
}

struct Element {
    tag: u64,
    line: usize,
    kind: i64,
    group: i64,
    nodes: Vec<u64>,
}

pub(super) fn parse(bytes: &[u8], file: &str) -> Result<Gmsh> {
    let mut words = Words::new(bytes, file);
    let mut mesh = Gmsh::default();
    let mut version = None;
    while let Some(word) = words.word() {
        let Some(section) = word.strip_prefix('$') else {
            return Err(words.wrong(format!(
                "\"{word}\" where a section such as $Nodes should begin"
            )));
        };
        match (section, version) {
            ("MeshFormat", _) => version = Some(format(&mut words)?),
            ("Comments", _) => {}
            (_, None) => return Err(words.wrong("the file does not begin with $MeshFormat")),
            ("PhysicalNames", Some(_)) => mesh.read_names(&mut words)?,
            ("Entities", Some(Version::V41)) => mesh.read_entities(&mut words, 3)?,
            ("Entities", Some(Version::V40)) => mesh.read_entities(&mut words, 6)?,
            ("Nodes", Some(Version::V2)) => mesh.read_nodes_2(&mut words)?,
            ("Nodes", Some(version)) => mesh.read_nodes_4(&mut words, version)?,
            ("Elements", Some(Version::V2)) => mesh.read_elements_2(&mut words)?,
            ("Elements", Some(version)) => mesh.read_elements_4(&mut words, version)?,
            // Periodic pairs, partitions, fields: not needed here.
            _ => {}
        }
        if !words.skip_past(&format!("$End{section}")) {
            return Err(words.wrong(format!("the file ends before $End{section}")));
        }
    }
    match version {
        Some(_) => Ok(mesh),
        None => Err(words.wrong("there is no $MeshFormat: this is no file of Gmsh")),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    V2,
    V40,
    V41,
}

/// Reads the header; numbers are bytes from then on if it says so.
fn format(words: &mut Words<'_>) -> Result<Version> {
    let number = words.word().unwrap_or("");
    let version = match number {
        "2" | "2.0" | "2.1" | "2.2" => Version::V2,
        "4" | "4.0" => Version::V40,
        "4.1" => Version::V41,
        _ => {
            return Err(words.wrong(format!(
                "version \"{number}\" is not read; save the mesh as version 2.2 or 4.1"
            )));
        }
    };
    let is_binary = match words.int("0 for text or 1 for binary")? {
        0 => false,
        1 => true,
        other => return Err(words.wrong(format!("{other} is neither 0 for text nor 1 for binary"))),
    };
    let size = words.int("the size of a number")?;
    if is_binary {
        if size != 8 {
            return Err(words.wrong(format!("numbers of {size} bytes are not read, only of 8")));
        }
        if version == Version::V40 {
            return Err(words.wrong("binary files of version 4.0 are not read; save as 4.1"));
        }
        words.end_line();
        words.become_binary();
        if words.int("the number one")? != 1 {
            return Err(words.wrong("the bytes of its numbers run the other way (big-endian)"));
        }
    }
    Ok(version)
}

impl Gmsh {
    fn read_names(&mut self, words: &mut Words<'_>) -> Result<()> {
        for _ in 0..words.text_count("the number of names")? {
            let mut number = |what: &str| {
                let word = words.word().unwrap_or("");
                word.parse::<i64>()
                    .map_err(|_| words.wrong(format!("\"{word}\" is not {what}")))
            };
            let dimension = number("a dimension")?;
            let group = number("the number of a group")?;
            let name = words.rest_of_line();
            self.names
                .insert((dimension, group), name.trim_matches('"').to_owned());
        }
        Ok(())
    }

    /// Entities with their groups; points have `point_numbers` coordinates.
    fn read_entities(&mut self, words: &mut Words<'_>, point_numbers: usize) -> Result<()> {
        self.start(words);
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = words.count("a number of entities")?;
        }
        for (dimension, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                let tag = words.int("the number of an entity")?;
                let numbers = if dimension == 0 { point_numbers } else { 6 };
                for _ in 0..numbers {
                    words.float("a coordinate")?;
                }
                for place in 0..words.count("a number of groups")? {
                    // Negative where the group runs against the entity.
                    let group = words.int("the number of a group")?.abs();
                    if place == 0 {
                        self.entities.insert((dimension as i64, tag), group);
                    } else if dimension == 3 {
                        return Err(words.wrong(format!(
                            "volume {tag} is in more than one group; which material it has is not clear"
                        )));
                    }
                }
                if dimension > 0 {
                    for _ in 0..words.count("a number of entities around")? {
                        words.int("the number of an entity")?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Binary numbers follow the line of the section's name.
    fn start(&self, words: &mut Words<'_>) {
        if words.is_binary() {
            words.end_line();
        }
    }

    fn read_nodes_2(&mut self, words: &mut Words<'_>) -> Result<()> {
        let count = words.text_count("the number of nodes")?;
        self.start(words);
        for _ in 0..count {
            let tag = words.int("the number of a node")?;
            let place = place(words)?;
            self.add_node(words, tag as u64, place)?;
        }
        Ok(())
    }

    fn read_nodes_4(&mut self, words: &mut Words<'_>, version: Version) -> Result<()> {
        self.start(words);
        let blocks = words.count("the number of blocks of nodes")?;
        words.count("the number of nodes")?;
        if version == Version::V41 {
            words.size("the smallest number of a node")?;
            words.size("the largest number of a node")?;
        }
        for _ in 0..blocks {
            words.int("a dimension")?;
            words.int("the number of an entity")?;
            if words.int("whether nodes have parameters")? != 0 {
                return Err(words.wrong("nodes with parameters are not read; save without them"));
            }
            let count = words.count("the number of nodes of a block")?;
            match version {
                Version::V41 => {
                    let tags = (0..count)
                        .map(|_| words.size("the number of a node"))
                        .collect::<Result<Vec<u64>>>()?;
                    for tag in tags {
                        let place = place(words)?;
                        self.add_node(words, tag, place)?;
                    }
                }
                _ => {
                    for _ in 0..count {
                        let tag = words.size("the number of a node")?;
                        let place = place(words)?;
                        self.add_node(words, tag, place)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn add_node(&mut self, words: &Words<'_>, tag: u64, place: Point3<f64>) -> Result<()> {
        if self.nodes.insert(tag, self.places.len()).is_some() {
            return Err(words.wrong(format!("node {tag} is there twice")));
        }
        self.places.push(place);
        Ok(())
    }

    fn read_elements_2(&mut self, words: &mut Words<'_>) -> Result<()> {
        let count = words.text_count("the number of elements")?;
        self.start(words);
        let mut left = count;
        while left > 0 {
            let header = |words: &mut Words<'_>| {
                let kind = words.int("the kind of an element")?;
                let count = if words.is_binary() {
                    words.int("a number of elements")?
                } else {
                    1
                };
                Ok((kind, count, words.int("the number of tags")?))
            };
            // A text has its header in each line, behind the number of the element.
            let mut line = words.line();
            let mut tag = if words.is_binary() {
                0
            } else {
                words.int("the number of an element")?
            };
            let (kind, many, tags) = header(words)?;
            let (Ok(many @ 1..), Ok(tags @ 0..100)) =
                (usize::try_from(many), usize::try_from(tags))
            else {
                return Err(words.wrong(format!("{many} elements with {tags} tags")));
            };
            for _ in 0..many.min(left) {
                if words.is_binary() {
                    line = words.line();
                    tag = words.int("the number of an element")?;
                }
                let mut group = 0;
                for place in 0..tags {
                    let value = words.int("a tag of an element")?;
                    group = if place == 0 { value } else { group };
                }
                self.add_element(words, line, tag as u64, kind, group, |words| {
                    words.int("the number of a node").map(|node| node as u64)
                })?;
            }
            left = left.saturating_sub(many);
        }
        Ok(())
    }

    fn read_elements_4(&mut self, words: &mut Words<'_>, version: Version) -> Result<()> {
        self.start(words);
        let blocks = words.count("the number of blocks of elements")?;
        words.count("the number of elements")?;
        if version == Version::V41 {
            words.size("the smallest number of an element")?;
            words.size("the largest number of an element")?;
        }
        for _ in 0..blocks {
            let first = words.int("the dimension or number of an entity")?;
            let second = words.int("the number or dimension of an entity")?;
            let entity = match version {
                Version::V41 => (first, second),
                _ => (second, first),
            };
            let kind = words.int("the kind of elements")?;
            let count = words.count("the number of elements of a block")?;
            let group = self.entities.get(&entity).copied().unwrap_or(0);
            for _ in 0..count {
                let line = words.line();
                let tag = words.size("the number of an element")?;
                self.add_element(words, line, tag, kind, group, |words| {
                    words.size("the number of a node")
                })?;
            }
        }
        Ok(())
    }

    fn add_element(
        &mut self,
        words: &mut Words<'_>,
        line: usize,
        tag: u64,
        number: i64,
        group: i64,
        node: impl Fn(&mut Words<'_>) -> Result<u64>,
    ) -> Result<()> {
        let Some((count, refused)) = kind(number) else {
            return Err(words.wrong(format!("element {tag} is of the unknown kind {number}")));
        };
        if let Some(what) = refused {
            return Err(words.wrong(format!(
                "element {tag} is {what}; only tetrahedra, triangles and quadrilaterals of order 1 are read"
            )));
        }
        let nodes = (0..count)
            .map(|_| node(words))
            .collect::<Result<Vec<u64>>>()?;
        self.touched.extend(&nodes);
        if [TRIANGLE, QUADRILATERAL, TETRAHEDRON].contains(&number) {
            self.elements.push(Element {
                tag,
                line,
                kind: number,
                group,
                nodes,
            });
        }
        Ok(())
    }

    /// Places of an element's nodes, by their order in the file.
    fn corners<const N: usize>(&self, element: &Element, file: &str) -> Result<[usize; N]> {
        let mut corners = [0; N];
        for (corner, tag) in corners.iter_mut().zip(&element.nodes) {
            *corner = *self.nodes.get(tag).ok_or_else(|| {
                let problem = format!("element {} has node {tag}, which is not there", element.tag);
                refuse(file, element.line, problem)
            })?;
        }
        Ok(corners)
    }

    fn name(&self, dimension: i64, group: i64) -> String {
        match (self.names.get(&(dimension, group)), group) {
            (Some(name), _) => name.clone(),
            (None, 0) => String::new(),
            (None, group) => group.to_string(),
        }
    }

    pub(super) fn tetrahedra(&self, file: &str) -> Result<TetMeshFile> {
        let mut tets = Vec::new();
        let mut tags = Vec::new();
        let mut groups: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        let mut used = vec![false; self.places.len()];
        for element in self
            .elements
            .iter()
            .filter(|element| element.kind == TETRAHEDRON)
        {
            let corners: [usize; 4] = self.corners(element, file)?;
            let [a, b, c, d] = corners.map(|corner| self.places[corner]);
            let volume = (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0;
            if !(volume > 0.0) {
                let problem = format!(
                    "element {} is {}: its volume is {volume:e}",
                    element.tag,
                    if volume < 0.0 {
                        "turned inside out"
                    } else {
                        "flat"
                    }
                );
                return Err(refuse(file, element.line, problem));
            }
            corners.iter().for_each(|&corner| used[corner] = true);
            groups
                .entry(element.group)
                .or_default()
                .push(tets.len() as u32);
            tets.push(corners);
            tags.push(element.tag);
        }
        if tets.is_empty() {
            return Err(refuse(
                file,
                1,
                "there is no tetrahedron; mesh the volume too",
            ));
        }
        if let Some(tag) = self
            .nodes
            .keys()
            .filter(|tag| !self.touched.contains(*tag))
            .min()
        {
            let problem = format!("node {tag} belongs to no element; leave it out");
            return Err(refuse(file, 1, problem));
        }
        // Nodes of other elements alone, such as those of curves and points, are left out.
        let mut numbers = vec![u32::MAX; used.len()];
        let mut nodes = Vec::new();
        for (place, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            numbers[place] = nodes.len() as u32;
            nodes.push(self.places[place]);
        }
        let mut surfaces: BTreeMap<i64, Vec<[u32; 3]>> = BTreeMap::new();
        for (group, corners) in self.triangles(file)? {
            if corners.iter().all(|&corner| used[corner]) {
                surfaces
                    .entry(group)
                    .or_default()
                    .push(corners.map(|corner| numbers[corner]));
            }
        }
        Ok(TetMeshFile {
            nodes,
            tets: tets
                .iter()
                .map(|tet| tet.map(|corner| numbers[corner]))
                .collect(),
            tags,
            groups: (groups.into_iter())
                .map(|(group, tets)| Group {
                    name: self.name(3, group),
                    tets,
                })
                .collect(),
            surfaces: (surfaces.into_iter())
                .map(|(group, triangles)| SurfaceGroup {
                    name: self.name(2, group),
                    triangles,
                })
                .collect(),
        })
    }

    pub(super) fn surface(&self, file: &str) -> Result<MeshData> {
        let faces: Vec<[u32; 3]> = (self.triangles(file)?.into_iter())
            .map(|(_, corners)| corners.map(|corner| corner as u32))
            .collect();
        match faces.is_empty() {
            true => Err(refuse(file, 1, "there is no triangle")),
            false => Ok(MeshData {
                vertices: self.places.clone(),
                faces,
            }),
        }
    }

    /// Triangles, and quadrilaterals as two each, with their groups.
    fn triangles(&self, file: &str) -> Result<Vec<(i64, [usize; 3])>> {
        let mut triangles = Vec::new();
        for element in &self.elements {
            match element.kind {
                TRIANGLE => triangles.push((element.group, self.corners(element, file)?)),
                QUADRILATERAL => {
                    let [a, b, c, d] = self.corners(element, file)?;
                    triangles.extend([[a, b, c], [a, c, d]].map(|half| (element.group, half)));
                }
                _ => {}
            }
        }
        Ok(triangles)
    }
}

fn place(words: &mut Words<'_>) -> Result<Point3<f64>> {
    Ok(Point3::new(
        words.float("a coordinate of a node")?,
        words.float("a coordinate of a node")?,
        words.float("a coordinate of a node")?,
    ))
}
