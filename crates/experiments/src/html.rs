//! A report as one page that needs nothing else.

use std::fmt::Write;

use crate::report::{Report, Table};

const STYLE: &str = "\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c1e21; background: #fff }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { border: 1px solid #ccc; padding: .3rem .7rem; text-align: left; vertical-align: top }
th { background: #f2f3f5 }
figure { margin: 1rem 0 } svg { max-width: 100%; height: auto }
figcaption { color: #555 }
.beside { display: grid; grid-template-columns: minmax(0, 3fr) minmax(12rem, 1fr); gap: 1rem }
.beside aside { border-left: 3px solid #ccc; padding-left: 1rem }
tr.met td:first-child { color: #176b2c } tr.not-met td:first-child { color: #b3261e }
tr.not-comparable td:first-child { color: #8a5a00 }
@media (max-width: 40rem) { .beside { grid-template-columns: 1fr } }
@media (prefers-color-scheme: dark) {
  body { color: #e4e6e8; background: #17191c }
  th { background: #26292d } th, td { border-color: #444 } figcaption { color: #aaa }
  svg { filter: invert(0.9) hue-rotate(180deg) } }";

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let title = escape(&report.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n<p>{}</p>\n",
        escape(&report.introduction)
    );
    if report.is_interrupted {
        out.push_str("<p>The run was interrupted: only what was done until then is here.</p>\n");
    }
    for section in &report.sections {
        let _ = writeln!(
            out,
            "<h2>{}</h2>\n<p>{}</p>",
            escape(&section.heading),
            escape(&section.text)
        );
        for table in section.all_tables() {
            self::table(&mut out, &table);
        }
        for figure in &section.figures {
            // The picture is ours; nothing in it comes from outside.
            let caption = escape(&figure.caption);
            let picture = format!(
                "<figure>{}<figcaption>{caption}</figcaption></figure>",
                figure.svg
            );
            if figure.paper.is_empty() {
                out.push_str(&picture);
                continue;
            }
            let _ = writeln!(
                out,
                "<div class=\"beside\">{picture}<aside><strong>The paper's</strong><p>{}</p></aside></div>",
                escape(&figure.paper)
            );
        }
    }
    if !report.films.is_empty() {
        out.push_str("<h2>Films</h2>\n<ul>\n");
        for film in &report.films {
            let _ = writeln!(
                out,
                "<li><a href=\"{}.html\">{}</a></li>",
                escape(&film.name),
                escape(&film.caption)
            );
        }
        out.push_str("</ul>\n");
    }
    out + "</body></html>\n"
}

fn table(out: &mut String, table: &Table) {
    let row = |out: &mut String, tag: &str, cells: &[String]| {
        // A row that begins with a verdict is coloured by it.
        let word = cells.first().and_then(|cell| emphasized(cell));
        match word {
            Some(word) => {
                let _ = write!(out, "<tr class=\"{}\">", word.replace(' ', "-"));
            }
            None => out.push_str("<tr>"),
        }
        for cell in cells {
            let text = match emphasized(cell) {
                Some(word) => format!("<strong>{}</strong>", escape(word)),
                None => escape(cell),
            };
            let _ = write!(out, "<{tag}>{text}</{tag}>");
        }
        out.push_str("</tr>\n");
    };
    if !table.caption.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", escape(&table.caption));
    }
    out.push_str("<table>\n");
    row(out, "th", &table.header);
    table.rows.iter().for_each(|cells| row(out, "td", cells));
    out.push_str("</table>\n");
}

/// What stands between the double stars of Markdown.
fn emphasized(cell: &str) -> Option<&str> {
    cell.strip_prefix("**")?.strip_suffix("**")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
