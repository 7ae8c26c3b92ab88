//! Scenes survive writing and reading; no text makes the reader panic.

mod common;

use proptest::prelude::*;
use stiction_io::scene_file::{parse, to_toml};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_scene_that_is_written_reads_the_same(seed in any::<u64>()) {
        let scene = common::random_scene(seed);
        let text = to_toml(&scene);
        let read = parse(&text, "written.toml");
        prop_assert!(read.is_ok(), "{}\n{text}", read.unwrap_err());
        prop_assert_eq!(&read.unwrap().scene, &scene);
    }

    #[test]
    fn spoiled_scenes_are_read_or_refused(
        seed in any::<u64>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..5_usize, any::<char>()), 1..6),
    ) {
        let mut letters: Vec<char> = to_toml(&common::random_scene(seed)).chars().collect();
        for (place, what, letter) in edits {
            let at = place.index(letters.len().max(1)).min(letters.len().saturating_sub(1));
            match what {
                _ if letters.is_empty() => letters.push(letter),
                0 => drop(letters.remove(at)),
                1 => letters.insert(at, letter),
                2 => letters[at] = ['[', ']', '{', '}', '"', '=', '.', '-', 'e', '9'][letter as usize % 10],
                3 => letters.truncate(at),
                _ => {
                    let end = (at + 30).min(letters.len());
                    let copy: Vec<char> = letters[at..end].to_vec();
                    letters.splice(at..at, copy);
                }
            }
        }
        let text: String = letters.into_iter().collect();
        if let Err(error) = parse(&text, "spoiled.toml") {
            let (line, column) = error.position().expect("errors of texts have a place");
            prop_assert!(line >= 1 && line <= text.lines().count() + 1 && column >= 1);
            prop_assert!(error.to_string().starts_with("spoiled.toml:"), "{error}");
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
        prop_assert!(parse(&text, "any.toml").is_err());
    }

    #[test]
    fn any_value_is_read_or_refused(value in "[-+0-9a-z.\\[\\]{}\", _=]{0,30}", key in 0..9_usize) {
        let keys = ["seconds", "name", "settings", "materials.a.friction", "bodies", "exclude", "joints", "robots", "controllers"];
        let _ = parse(&format!("seconds = 1\n{} = {value}", keys[key]), "any.toml");
    }
}

#[test]
fn deep_nesting_is_refused_without_exhausting_the_stack() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let text = format!(
            "seconds = {}1{}",
            open.repeat(100_000),
            close.repeat(100_000)
        );
        assert!(parse(&text, "deep.toml").is_err());
    }
    let dotted = format!("a{} = 1", ".a".repeat(100_000));
    assert!(parse(&dotted, "deep.toml").is_err());
}

#[test]
fn numbers_may_be_whole_long_or_in_other_bases() {
    let scene =
        |seconds: &str| parse(&format!("seconds = {seconds}"), "n.toml").map(|f| f.scene.seconds);
    assert_eq!(scene("3"), Ok(3.0));
    assert_eq!(scene("1_000.5"), Ok(1000.5));
    assert_eq!(scene("0x10"), Ok(16.0));
    assert_eq!(scene("\"2 min\""), Ok(120.0));
    assert_eq!(scene("2.5e-1"), Ok(0.25));
}
