//! The head of the page: what the page may do, what the run was, and what it came to.

use countersign::keys::{base64url, sha256};

use super::document::Standing;
use super::html::{Html, counted};
use super::{Left, Run, SCRIPT, SOON_DAYS, STYLE, ends, keys};

pub(super) fn open(run: &Run<'_>, html: &mut Html) {
    html.markup("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\"");
    html.attribute("content", content_policy());
    html.markup(">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>Agents under ");
    html.text(name(run)).markup("</title>\n<style>").markup(STYLE).markup("</style>\n</head>\n<body>\n");
    html.markup("<header>\n<h1>Agents under <bdi>")
        .text(name(run))
        .markup("</bdi></h1>\n<dl class=\"facts\">");
    html.markup("<dt>Policy digest</dt><dd>").code(run.policy.digest()).markup("</dd>");
    html.term("Owner", run.policy.owner());
    html.markup("<dt>Decided at</dt><dd><time>").text(run.now).markup("</time></dd>");
    html.markup("<dt>Made by</dt><dd>countersign ").text(env!("CARGO_PKG_VERSION")).markup("</dd></dl>\n");
    counts(run, html);
    html.markup("<nav aria-label=\"Parts of the page\"><a href=\"#agents\">Agents</a> <a href=\"#keys\">Keys</a> <a href=\"#ends\">What ends</a> <a href=\"#codes\">Codes</a></nav>\n</header>\n<main>\n");
}

pub(super) fn close(html: &mut Html) {
    html.markup("</main>\n<script>").markup(SCRIPT).markup("</script>\n</body>\n</html>\n");
}

/// Nothing is loaded, and nothing runs but what is ours.
fn content_policy() -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        source_of(STYLE),
        source_of(SCRIPT)
    )
}

/// `sha256-` and the digest in the base64 of RFC 4648 section 4: 32 octets are 43 characters and one `=`.
pub(super) fn source_of(text: &str) -> String {
    let digest = base64url::encode(&sha256(text.as_bytes()));
    format!("sha256-{}=", digest.replace('-', "+").replace('_', "/"))
}

fn name<'f>(run: &Run<'f>) -> &'f str {
    run.policy.name().unwrap_or("a policy without name")
}

fn counts(run: &Run<'_>, html: &mut Html) {
    html.markup("<dl class=\"counts\">");
    count("Agents", run.documents.len(), "plain", html);
    for (standing, title, class) in [
        (Standing::Admitted, "Admitted", "good"),
        (Standing::Denied, "Denied", "bad"),
        (Standing::NotEnforced, "Denied, not enforced", "warn"),
        (Standing::NotFetched, "Not fetched", "bad"),
    ] {
        let number = run.documents.iter().filter(|document| document.standing() == standing).count();
        count(title, number, class, html);
    }
    let cached = run.documents.iter().filter(|document| document.is_from_cache()).count();
    count("From the cache", cached, "plain", html);
    html.markup("</dl>\n");
    let soon = |left: Left| matches!(left, Left::Soon { .. });
    let ending_keys = keys::lefts(run).into_iter().filter(|left| soon(*left)).count();
    let ending = ends::ends(run).iter().filter(|end| soon(end.left(run.now))).count();
    html.markup("<p>").text(format!("Within {SOON_DAYS} days: ")).markup("<a href=\"#keys\">");
    html.text(counted(ending_keys, "key ends", "keys end")).markup("</a>, <a href=\"#ends\">");
    html.text(counted(
        ending,
        "exception, audit mode or grace period ends",
        "exceptions, audit modes and grace periods end",
    ));
    html.markup("</a>.</p>\n");
}

fn count(title: &'static str, number: usize, class: &'static str, html: &mut Html) {
    let class = if number == 0 { "none" } else { class };
    html.markup("<div").attribute("class", class).markup("><dt>").markup(title).markup("</dt><dd>");
    html.text(number).markup("</dd></div>");
}
