//! HTML in which only text of this program is markup.

use std::fmt::Display;

use crate::render::escape;

/// HTML in the making: markup is `'static`, everything else goes through [`Html::text`] or [`Html::attribute`].
#[derive(Debug, Default)]
pub(super) struct Html {
    text: String,
}

impl Html {
    /// Markup of this program, as it is.
    pub(super) fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.text.push_str(markup);
        self
    }

    /// Text of anybody. What does not show, or turns the direction of text, is written as `\u{…}`.
    pub(super) fn text(&mut self, text: impl Display) -> &mut Self {
        for character in escape(&text.to_string()).chars() {
            match character {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                '\'' => self.text.push_str("&#39;"),
                other => self.text.push(other),
            }
        }
        self
    }

    /// Text of a card, a policy or a file name: of a direction of its own.
    pub(super) fn foreign(&mut self, text: impl Display) -> &mut Self {
        self.markup("<bdi>").text(text).markup("</bdi>")
    }

    /// The same in the type of what is typed: URLs, ids, digests.
    pub(super) fn code(&mut self, text: impl Display) -> &mut Self {
        self.markup("<code><bdi>").text(text).markup("</bdi></code>")
    }

    /// ` name="value"`; the value is anybody's.
    pub(super) fn attribute(&mut self, name: &'static str, value: impl Display) -> &mut Self {
        self.markup(" ").markup(name).markup("=\"").text(value).markup("\"")
    }

    /// A row of a list of terms, if there is something to say.
    pub(super) fn term(&mut self, term: &'static str, what: Option<&str>) -> &mut Self {
        if let Some(what) = what {
            self.markup("<dt>").markup(term).markup("</dt><dd>").foreign(what).markup("</dd>");
        }
        self
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// `1 card`, `2 cards`.
pub(super) fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// The beginning of a long text: at most `most` characters, then `…`.
pub(super) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Html, shortened};

    fn text(text: &str) -> String {
        let mut html = Html::default();
        html.text(text);
        html.finish()
    }

    #[test]
    fn text_holds_no_markup() {
        assert_eq!(
            text("</script><!--<img src=x onerror='a' b=\"c\">&lt;"),
            "&lt;/script&gt;&lt;!--&lt;img src=x onerror=&#39;a&#39; b=&quot;c&quot;&gt;&amp;lt;"
        );
    }

    #[test]
    fn a_value_does_not_leave_its_attribute() {
        let mut html = Html::default();
        html.markup("<p").attribute("data-rule", "a\" onclick=\"x()\n").markup(">");
        assert_eq!(html.finish(), "<p data-rule=\"a&quot; onclick=&quot;x()\\u{a}\">");
    }

    #[test]
    fn what_does_not_show_is_shown() {
        assert_eq!(text("a\u{202e}b\0\r\u{200b}\u{2066}"), "a\\u{202e}b\\u{0}\\u{d}\\u{200b}\\u{2066}");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for plain in ["", "Büro-Agent 日本語 😀", "שלום"] {
            assert_eq!(text(plain), plain);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("日本語", 2), "日本…");
        assert_eq!(shortened("日本語", 3), "日本語");
    }
}
