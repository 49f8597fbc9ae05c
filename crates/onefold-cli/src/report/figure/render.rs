//! SVG with text that can be copied, and PNG.

use super::Figure;
use super::style::Scale;
use crate::failure::Failure;
use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea as _;
use plotters::style::{FontStyle, register_font};
use std::sync::Once;

/// The PNG has two pixels for each point.
const PNG_SCALE: Scale = Scale(2);

/// The font of PNG files and of all measurements, since a bare machine has none.
fn use_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::bad_input(format!("a figure cannot be drawn: {error}"))
}

impl Figure {
    pub(crate) fn svg(&self) -> Result<String, Failure> {
        use_font();
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, self.size()).into_drawing_area();
            self.draw(&area, Scale(1)).map_err(failed)?;
            area.present().map_err(failed)?;
        }
        Ok(text)
    }

    pub(crate) fn png(&self) -> Result<Vec<u8>, Failure> {
        use_font();
        let (width, height) = (PNG_SCALE.px(self.size().0), PNG_SCALE.px(self.size().1));
        let mut pixels = vec![0; (width * height * 3) as usize];
        {
            let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
            self.draw(&area, PNG_SCALE).map_err(failed)?;
            area.present().map_err(failed)?;
        }
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().and_then(|mut w| w.write_image_data(&pixels)).map_err(failed)?;
        Ok(bytes)
    }
}
