//! Names below which anybody may get a host: public suffixes and shared hosting.

use psl::Psl as _;

use super::PatternError;
use crate::url::HostName;

/// The release of the public suffix list that patterns were read with: the crate and its version.
pub const PUBLIC_SUFFIX_LIST: &str = "psl 2.1.247";

/// Hosting that the public suffix list does not know, and how many labels below the name still belong to nobody in
/// particular (a region, a cluster).
const SHARED_HOSTING: &[(&str, usize)] = &[
    ("app.github.dev", 0),
    ("app.n8n.cloud", 0),
    ("azurecontainerapps.io", 1),
    ("azuredatabricks.net", 0),
    ("cloudapp.azure.com", 1),
    ("code.run", 0),
    ("containers.appdomain.cloud", 1),
    ("devtunnels.ms", 1),
    ("gitpod.io", 1),
    ("glitch.me", 0),
    ("gradio.live", 0),
    ("hana.ondemand.com", 2),
    ("kinsta.app", 0),
    ("koyeb.app", 0),
    ("lhr.life", 0),
    ("loca.lt", 0),
    ("modal.run", 0),
    ("my.salesforce.com", 0),
    ("pinggy.link", 2),
    ("proxy.runpod.net", 0),
    ("scalingo.io", 1),
    ("server.smithery.ai", 0),
    ("serveo.net", 0),
    ("service-now.com", 0),
    ("share.zrok.io", 0),
    ("snowflakecomputing.com", 1),
];

/// Refuses a wildcard right below `base` where strangers could be matched by it.
///
/// Names that the list does not know (`internal`, `corp`) are refused only where they are one label long.
pub(super) fn refuse_shared(base: &HostName) -> Result<(), PatternError> {
    // RFC 6761 section 6.3: names below `localhost` belong to the machine itself.
    if base.as_str() == "localhost" {
        return Ok(());
    }
    let mut labels = Labels { labels: base.as_str().rsplit('.'), asked_beyond: false };
    let suffix = psl::List.find(&mut labels);
    let is_suffix = suffix.typ.is_some() && suffix.len == base.as_str().len();
    if base.labels().nth(1).is_none() || is_suffix || labels.asked_beyond {
        return Err(PatternError::PublicSuffixWildcard { base: base.to_string() });
    }
    match SHARED_HOSTING.iter().find(|(hosting, below)| is_shared(base.as_str(), hosting, *below)) {
        Some((hosting, _)) => Err(PatternError::SharedHostingWildcard { base: base.to_string(), hosting }),
        None => Ok(()),
    }
}

/// The name that somebody registered, which `name` is or stands below; none for a public suffix itself.
///
/// Of names that the public suffix list does not know it is the last two labels.
///
/// # Examples
///
/// ```
/// use countersign_policy::{Host, registrable_domain};
///
/// let host = Host::read("a.agents.example.co.uk")?;
/// assert_eq!(host.name().and_then(registrable_domain), Some("example.co.uk"));
/// # Ok::<(), countersign_policy::UrlError>(())
/// ```
#[must_use]
pub fn registrable_domain(name: &HostName) -> Option<&str> {
    psl::domain_str(name.as_str())
}

/// Whether the name stands below a suffix that the public suffix list knows.
pub(crate) fn is_below_public_suffix(name: &HostName) -> bool {
    let is_known =
        |suffix: psl::Suffix<'_>| suffix.is_known() && suffix.as_bytes().len() < name.as_str().len();
    psl::suffix(name.as_str().as_bytes()).is_some_and(is_known)
}

/// Whether `base` is the hosting, at most `below` labels below it, or above it.
fn is_shared(base: &str, hosting: &str, below: usize) -> bool {
    let above_and_left = |name: &str, end: &str| match name.strip_suffix(end) {
        Some("") => Some(0),
        Some(left) => left.strip_suffix('.').map(|left| left.split('.').count()),
        None => None,
    };
    above_and_left(base, hosting).is_some_and(|labels| labels <= below)
        || above_and_left(hosting, base).is_some()
}

/// Labels from right to left, and whether one was asked for after the last.
///
/// The compiled list asks for a label only where a rule goes on below the labels so far: asked beyond the last label of a
/// name, a suffix lies below that name. Were a release of the list to ask more often, more wildcards would be refused.
struct Labels<'a> {
    labels: std::str::RSplit<'a, char>,
    asked_beyond: bool,
}

impl<'a> Iterator for Labels<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let label = self.labels.next().map(str::as_bytes);
        self.asked_beyond |= label.is_none();
        label
    }
}
