//! Pages that need nothing but themselves: one head and one style for all.
//!
//! `page.css` has the style of what several pages have: text, tables, buttons, figures, boards, in light and in dark. A page
//! adds that of what it alone has.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A page without its content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Page<'p> {
    /// The subject, as a tab of the browser shows it.
    pub title: &'p str,
    /// CSS in addition to that of all pages.
    pub style: &'p str,
    /// JavaScript that runs when the content is there; empty for none.
    pub script: &'p str,
    /// Seconds until the browser loads the page again; `None` for never.
    pub refresh: Option<u32>,
}

impl Page<'_> {
    /// The page with this content of its body.
    pub fn around(&self, content: &Markup) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    @if let Some(seconds) = self.refresh { meta http-equiv="refresh" content=(seconds); }
                    title { (self.title) }
                    // Without it browsers ask for a file that is not there.
                    link rel="icon" href="data:,";
                    style { (PreEscaped(include_str!("page.css"))) (PreEscaped(self.style)) }
                }
                body {
                    (content)
                    @if !self.script.is_empty() { script { (PreEscaped(self.script)) } }
                }
            }
        };
        page.into_string()
    }
}

/// A table with these titles of its columns and rows. Where it is wider than the page it scrolls, but for its first column.
pub fn table(titles: &[&str], rows: &Markup) -> Markup {
    html! {
        div.scroll { table { thead { tr { @for title in titles { th { (title) } } } } tbody { (rows) } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_needs_nothing_else() {
        let content = html! { (table(&["role", "goal"], &html! { tr { th { "x" } td { "100" } } })) };
        let page = Page { title: "a < b", script: "run()", ..Page::default() }.around(&content);
        for part in ["<title>a &lt; b</title>", "<link rel=\"icon\" href=\"data:,\">", "<script>run()</script>"] {
            assert!(page.contains(part), "{part}");
        }
        for outside in ["http", "url(", "@import", "src="] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(!page.contains("refresh") && page.contains("<div class=\"scroll\"><table><thead>"));
    }
}
