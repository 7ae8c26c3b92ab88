//! Wavefront OBJ.

use super::{MeshData, point, refuse};
use crate::error::Result;

pub(super) fn parse(text: &str, file: &str) -> Result<MeshData> {
    let mut mesh = MeshData::default();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => mesh.vertices.push(point(&mut words, file, number)?),
            Some("f") => {
                let corners = words
                    .map(|word| corner(word, mesh.vertices.len(), file, number))
                    .collect::<Result<Vec<u32>>>()?;
                if corners.len() < 3 {
                    return Err(refuse(file, number, "a face needs at least three corners"));
                }
                for pair in corners[1..].windows(2) {
                    mesh.faces.push([corners[0], pair[0], pair[1]]);
                }
            }
            // Normals, texture, groups and materials don't matter here.
            _ => {}
        }
    }
    if mesh.faces.is_empty() {
        return Err(refuse(
            file,
            text.lines().count().max(1),
            "there is no face",
        ));
    }
    Ok(mesh)
}

/// Index of a corner such as `7`, `7/1/3` or `-1`: from 1, or from the end if negative.
fn corner(word: &str, vertices: usize, file: &str, line: usize) -> Result<u32> {
    let first = word.split('/').next().unwrap_or("");
    let bad = |reason: &str| refuse(file, line, format!("corner \"{word}\" {reason}"));
    let index: i64 = first.parse().map_err(|_| bad("is not a whole number"))?;
    let from_zero = if index < 0 {
        (vertices as i64).checked_add(index)
    } else {
        index.checked_sub(1)
    };
    from_zero
        .filter(|&i| i >= 0 && (i as u64) < vertices as u64)
        .and_then(|i| u32::try_from(i).ok())
        .ok_or_else(|| bad(&format!("is none of the {vertices} vertices so far")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_become_fans_and_indices_may_count_from_the_end() {
        let text = "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -4 -3 -2\n";
        let mesh = parse(text, "square.obj").unwrap();
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.faces, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
    }

    #[test]
    fn mistakes_are_named_by_line() {
        for (text, expected) in [
            ("v 0 0\n", "bad.obj:1: a vertex needs three numbers"),
            ("v 0 0 inf\n", "bad.obj:1: \"inf\" is not a finite number"),
            (
                "v 0 0 0\nf 1 2 1\n",
                "bad.obj:2: corner \"2\" is none of the 1 vertices",
            ),
            ("v 0 0 0\nf 1 1\n", "bad.obj:2: a face needs at least three"),
            (
                "v 0 0 0\nf 1 x 1\n",
                "bad.obj:2: corner \"x\" is not a whole number",
            ),
            ("f -9223372036854775808 1 1\n", "none of the 0 vertices"),
            ("", "bad.obj:1: there is no face"),
        ] {
            let message = parse(text, "bad.obj").unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
