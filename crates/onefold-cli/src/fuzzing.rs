//! What `fuzz/` needs of the command.

use crate::campaign::Campaign;
use crate::drawing;
use onefold::Model;

/// Whether a text is accepted as a campaign file.
#[must_use]
pub fn accepts_campaign(text: &str) -> bool {
    Campaign::parse(text, "fuzz.toml").is_ok()
}

/// Draws a network, as `onefold show` does.
pub fn draw(model: &Model) {
    let _ = drawing::draw(model);
}
