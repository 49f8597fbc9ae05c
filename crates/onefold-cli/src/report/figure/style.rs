//! Sizes and colours.

use onefold::Method;
use plotters::style::RGBColor;

/// Width and height in points.
pub(super) const WIDTH: u32 = 760;
pub(super) const HEIGHT: u32 = 460;

pub(super) const BLACK: RGBColor = RGBColor(0, 0, 0);
pub(super) const GREY: RGBColor = RGBColor(136, 136, 136);
pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const VERMILLION: RGBColor = RGBColor(213, 94, 0);

/// Colours that the colour-blind can tell apart, on white and on black (Okabe and Ito 2008).
const PALETTE: [RGBColor; 8] = [
    BLACK,
    VERMILLION,
    BLUE,
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(240, 228, 66),
];

/// The colour of a method, by its place in the list of all; after the palette's end it begins again, each
/// time nearer to grey.
pub(super) fn colour(method: Method) -> RGBColor {
    let place = Method::all().position(|m| m == method).unwrap_or(0);
    let RGBColor(red, green, blue) = PALETTE[place % PALETTE.len()];
    let rounds = (place / PALETTE.len()) as u32;
    let greyed = |channel: u8| ((u32::from(channel) + rounds * u32::from(GREY.0)) / (1 + rounds)) as u8;
    RGBColor(greyed(red), greyed(green), greyed(blue))
}

/// Pixels for each point.
#[derive(Clone, Copy)]
pub(super) struct Scale(pub(super) u32);

impl Scale {
    pub(super) fn px(self, points: u32) -> u32 {
        points * self.0
    }

    pub(super) fn font(self) -> (&'static str, u32) {
        ("sans-serif", self.px(15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_colour_of_its_own_and_the_papers_keep_theirs() {
        let of_paper = [Method::DE, Method::DE_SB, Method::CMA_ES].map(colour);
        assert_eq!(of_paper, [VERMILLION, BLUE, RGBColor(0, 158, 115)]);
        for (i, a) in Method::all().enumerate() {
            for b in Method::all().take(i) {
                assert_ne!(colour(a), colour(b), "{a} and {b}");
            }
        }
    }
}
