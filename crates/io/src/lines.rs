//! Lines and columns of a text, found without counting from its start.

/// Bytes between two places at which characters are counted beforehand.
const STRIDE: usize = 256;

/// Where the lines of a text begin, and how many characters come before some of its bytes: a position
/// costs the same in a file of one line as in one of many.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    /// Byte at which each line begins.
    starts: Vec<usize>,
    /// Characters before every [`STRIDE`]th byte.
    before: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let text = text.as_bytes();
        let ends = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        let mut before = vec![0];
        let mut sum = 0;
        for chunk in text.chunks(STRIDE) {
            sum += characters(chunk);
            before.push(sum);
        }
        Self {
            text,
            starts: starts.collect(),
            before,
        }
    }

    /// Line and column of a byte, both from 1; a byte behind the end is the end.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts[line - 1];
        (line, self.count(offset) - self.count(start) + 1)
    }

    /// Characters that begin before a byte.
    fn count(&self, offset: usize) -> usize {
        let stride = offset / STRIDE;
        self.before[stride] + characters(&self.text[stride * STRIDE..offset])
    }
}

/// Characters that begin in some bytes of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_counting_from_the_start() {
        let text = "µ = 1\n".repeat(70) + &"äx".repeat(400) + "\n\nend";
        let lines = Lines::new(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            let column = before[start..].chars().count() + 1;
            assert_eq!(lines.position(offset), (line, column), "{offset}");
        }
        assert_eq!(lines.position(usize::MAX), lines.position(text.len()));
        assert_eq!(Lines::new("").position(3), (1, 1));
    }
}
