//! Joins the files under `page/` and the data into one HTML document.

use std::io::Write;
use std::path::Path;

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use stiction_recording::{Header, Recording, write_atomically};

use crate::error::Error;
use crate::record;

const DOCUMENT: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/style.css");

/// The scripts share one scope and are joined in this order: a file uses names of those before it.
const SCRIPTS: [&str; 17] = [
    include_str!("../page/math.js"),
    include_str!("../page/data.js"),
    include_str!("../page/geometry.js"),
    include_str!("../page/shaders.js"),
    include_str!("../page/graphics.js"),
    include_str!("../page/merged.js"),
    include_str!("../page/bodies.js"),
    include_str!("../page/deformables.js"),
    include_str!("../page/contacts.js"),
    include_str!("../page/camera.js"),
    include_str!("../page/renderer.js"),
    include_str!("../page/timeline.js"),
    include_str!("../page/plots.js"),
    include_str!("../page/inspector.js"),
    include_str!("../page/input.js"),
    include_str!("../page/live.js"),
    include_str!("../page/app.js"),
];

/// Frames are thinned out until they fit into this many bytes, before compression.
const FRAME_BUDGET: usize = 256 << 20;

/// What the page shows besides the header.
pub(crate) enum Source<'a> {
    /// A recording, embedded.
    Recording(&'a Recording),
    /// Frames that arrive over a web socket of the server that serves the page.
    Live(&'a Header),
}

/// A self-contained HTML page that shows `recording`.
///
/// Positions are embedded as f32. Of a very long recording every second, third, … frame is
/// embedded so that a browser can hold it; the page says so.
pub fn page(recording: &Recording) -> Result<String, Error> {
    let mut bytes = Vec::new();
    write_page(recording, &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes the page of [`page`] to any sink; use a buffered one for files.
pub fn write_page(recording: &Recording, sink: impl Write) -> Result<(), Error> {
    recording.validate()?;
    write(&Source::Recording(recording), sink)
}

/// Writes the page of [`page`] to a file, all of it or nothing.
pub fn save_page(recording: &Recording, path: impl AsRef<Path>) -> Result<(), Error> {
    let html = page(recording)?;
    write_atomically(path.as_ref(), |sink| Ok(sink.write_all(html.as_bytes())?))?;
    Ok(())
}

/// Writes the page for either source.
pub(crate) fn write(source: &Source<'_>, mut sink: impl Write) -> Result<(), Error> {
    let header = match source {
        Source::Recording(recording) => &recording.header,
        Source::Live(header) => header,
    };
    let mut rest = DOCUMENT;
    // Each marker is looked for only in the document's own remainder, never in inserted data.
    while let Some((before, after)) = rest.split_once("<!--{") {
        sink.write_all(before.as_bytes())?;
        let (marker, after) = after.split_once("}-->").unwrap_or((after, ""));
        match marker {
            "title" => write!(sink, "{}", escaped(&header.scene))?,
            "style" => sink.write_all(STYLE.as_bytes())?,
            "header" => sink.write_all(json_for_script(header)?.as_bytes())?,
            "settings" => write!(sink, "{}", settings(source))?,
            "frames" => write_frames(source, &mut sink)?,
            "scripts" => write_scripts(&mut sink)?,
            _ => {}
        }
        rest = after;
    }
    sink.write_all(rest.as_bytes())?;
    sink.flush()?;
    Ok(())
}

fn write_scripts(sink: &mut impl Write) -> Result<(), Error> {
    sink.write_all(b"(() => {\n\"use strict\";\n")?;
    for script in SCRIPTS {
        sink.write_all(script.as_bytes())?;
        sink.write_all(b"\n")?;
    }
    sink.write_all(b"})();\n")?;
    Ok(())
}

/// JSON that may stand inside a `<script>` element: no `<` can end it early.
fn json_for_script(header: &Header) -> Result<String, Error> {
    Ok(serde_json::to_string(header)?.replace('<', "\\u003c"))
}

fn settings(source: &Source<'_>) -> serde_json::Value {
    match source {
        Source::Recording(recording) => serde_json::json!({
            "live": false,
            "stride": stride(recording),
        }),
        Source::Live(_) => serde_json::json!({ "live": true, "stride": 1 }),
    }
}

/// Every how many-th frame is embedded.
fn stride(recording: &Recording) -> usize {
    let total: usize = recording.frames.iter().map(record::size).sum();
    stride_for(total)
}

fn stride_for(bytes: usize) -> usize {
    bytes.div_ceil(FRAME_BUDGET).max(1)
}

fn write_frames(source: &Source<'_>, sink: &mut impl Write) -> Result<(), Error> {
    let Source::Recording(recording) = source else {
        return Ok(());
    };
    let frames = recording.frames.iter().step_by(stride(recording));
    let packed = record::pack(&recording.header, frames)?;
    let mut base64 = EncoderWriter::new(sink, &STANDARD);
    let mut deflate = DeflateEncoder::new(&mut base64, Compression::default());
    deflate.write_all(&packed)?;
    deflate.finish()?;
    base64.finish()?;
    Ok(())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_recordings_are_thinned_to_the_budget() {
        assert_eq!(stride_for(0), 1);
        assert_eq!(stride_for(FRAME_BUDGET), 1);
        assert_eq!(stride_for(FRAME_BUDGET + 1), 2);
        assert_eq!(stride_for(10 * FRAME_BUDGET), 10);
    }

    #[test]
    fn the_page_asks_the_network_for_nothing() {
        let html = page(&Recording::default()).unwrap();
        for word in [
            "http://", "https://", " src=", "@import", "url(", "fetch(", "import(",
        ] {
            assert!(!html.contains(word), "{word}");
        }
        assert!(!html.contains("<!--{"), "every marker is filled in");
    }

    #[test]
    fn data_cannot_leave_its_place() {
        let mut recording = Recording::default();
        recording.header.scene = "</title></script><!--{scripts}--><b>\u{2028}&".into();
        let html = page(&recording).unwrap();
        let plain = page(&Recording::default()).unwrap();
        assert_eq!(
            html.matches("</script>").count(),
            plain.matches("</script>").count()
        );
        assert!(html.contains("<title>&lt;/title&gt;&lt;/script&gt;"));
        assert_eq!(html.matches("class App").count(), 1);
    }
}
