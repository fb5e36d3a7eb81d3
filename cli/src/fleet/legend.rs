//! What the codes of the run mean.

use countersign::codes;

use super::Run;
use super::html::Html;

pub(super) fn section(run: &Run<'_>, html: &mut Html) {
    if run.columns.columns.is_empty() {
        html.markup("<section id=\"codes\" aria-labelledby=\"codes-title\">\n<h2 id=\"codes-title\">Codes</h2>\n<p>No code was said.</p>\n</section>\n");
        return;
    }
    html.markup("<section id=\"codes\" aria-labelledby=\"codes-title\">\n<h2 id=\"codes-title\">Codes</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"codes-title\"><table class=\"sortable\"><thead><tr><th scope=\"col\">Code</th><th scope=\"col\" data-sort=\"number\">Agents</th><th scope=\"col\">What it says</th><th scope=\"col\">What to do</th></tr></thead><tbody>\n");
    for column in &run.columns.columns {
        html.markup("<tr><th scope=\"row\">").code(column.code).markup("</th><td class=\"number\"");
        html.attribute("data-order", column.marks.len()).markup(">").text(column.marks.len());
        let page = codes::find(column.code).map(|code| code.page());
        for text in [page.map(|page| page.what), page.map(|page| page.instead)] {
            html.markup("</td><td>").text(text.unwrap_or("–"));
        }
        html.markup("</td></tr>\n");
    }
    html.markup("</tbody></table></div>\n</section>\n");
}
