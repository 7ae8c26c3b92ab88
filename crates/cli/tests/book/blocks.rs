//! Code blocks of a page.

/// A fenced block.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// Words behind the fence, such as `toml` and `file=slope.toml`.
    pub(crate) info: Vec<String>,
    pub(crate) text: String,
}

impl Block {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.info.iter().any(|known| known == word)
    }

    /// What stands behind `key=`.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        let prefix = format!("{key}=");
        self.info.iter().find_map(|word| word.strip_prefix(&prefix))
    }
}

/// All fenced blocks of a page, also indented ones.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for line in page.lines() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(info), None) => {
                let info = info.split([',', ' ']).map(str::to_owned).collect();
                let text = String::new();
                open = Some(Block { info, text });
            }
            (None, Some(block)) => {
                block.text += line;
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a code block that does not end");
    found
}

/// The page without its code blocks.
pub(crate) fn prose(page: &str) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in page.lines() {
        let fence = line.trim_start().starts_with("```");
        if !inside && !fence {
            out += line;
            out.push('\n');
        }
        inside ^= fence;
    }
    out
}

#[test]
fn blocks_have_their_words() {
    let page = "a\n```toml,file=x.toml\nk = 1\n```\nb\n   ```sh\n   stiction scenes\n   ```\n";
    let found = blocks(page);
    assert_eq!(found.len(), 2);
    assert!(found[0].is("toml") && found[0].value("file") == Some("x.toml"));
    assert_eq!(found[1].text, "   stiction scenes\n");
    assert_eq!(prose(page), "a\nb\n");
}
