//! Drawing.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Why something could not be drawn.
#[derive(Debug, thiserror::Error)]
pub(super) enum DrawError {
    /// It is no SVG.
    #[error("the drawing cannot be read: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// It has no size.
    #[error("no picture is {0} pixels wide")]
    Size(u32),
    /// As PNG.
    #[error("no PNG could be written: {0}")]
    Png(String),
    /// As GIF.
    #[error("no GIF could be written: {0}")]
    Gif(#[from] gif::EncodingError),
}

/// `svg`, `width` pixels wide.
pub(super) fn drawn(svg: &str, width: u32) -> Result<Pixmap, DrawError> {
    let tree = Tree::from_str(svg, &Options::default())?;
    let scale = width as f32 / tree.size().width();
    // Sizes are those of a picture on a screen.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let height = (tree.size().height() * scale).round() as u32;
    let mut pixels = Pixmap::new(width, height).ok_or(DrawError::Size(width))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Ok(pixels)
}

/// The same as PNG.
pub(super) fn png(svg: &str, width: u32) -> Result<Vec<u8>, DrawError> {
    drawn(svg, width)?.encode_png().map_err(|error| DrawError::Png(error.to_string()))
}
