//! A game as GIF: a frame for the start and one for each ply, in which only those squares are drawn that
//! changed.

use std::collections::{BTreeMap, BTreeSet};

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::board::{Shown, Square};
use super::png::{DrawError, drawn};

/// A move is seen so long, in hundredths of a second.
const MOVE_CS: u16 = 80;

/// So long the end is.
const END_CS: u16 = 500;

/// Colours of a GIF: a dozen, and what lies between them at the edges. The last one stands for "as before".
const COLOURS: usize = 63;
const AS_BEFORE: u8 = 63;

type Rgb = [u8; 3];

/// The positions one after the other, each square `side` pixels wide.
pub(super) fn animation(positions: &[Shown], side: u16) -> Result<Vec<u8>, DrawError> {
    let kinds: BTreeSet<Square> =
        positions.iter().flat_map(|shown| shown.squares()).copied().flatten().collect();
    let mut drawings = BTreeMap::new();
    for kind in kinds {
        let pixels = drawn(&kind.svg(), u32::from(side))?;
        let colours = pixels.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
        drawings.insert(kind, colours.collect::<Vec<Rgb>>());
    }
    let palette = Palette::of(&drawings);
    let tiles: BTreeMap<Square, Vec<u8>> = drawings
        .into_iter()
        .map(|(kind, colours)| (kind, colours.iter().map(|colour| palette.places[colour]).collect()))
        .collect();
    let columns = positions.first().map_or(0, Shown::columns);
    let width = length(columns, side);
    let mut encoder = Encoder::new(Vec::new(), width, width, &palette.bytes())?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut before = None;
    for (index, shown) in positions.iter().enumerate() {
        let delay = if index + 1 == positions.len() { END_CS } else { MOVE_CS };
        encoder.write_frame(&Frame { delay, ..frame(shown, before, &tiles, side) })?;
        before = Some(shown);
    }
    Ok(encoder.into_inner()?)
}

/// The rectangle around the squares of `shown` that are not as `before`, with nothing but them in it.
fn frame(
    shown: &Shown,
    before: Option<&Shown>,
    tiles: &BTreeMap<Square, Vec<u8>>,
    side: u16,
) -> Frame<'static> {
    let is_other =
        |index: usize| before.is_none_or(|before| before.squares()[index] != shown.squares()[index]);
    let (squares, wide) = (shown.squares(), shown.columns());
    let is_there = |index: usize| squares[index].is_some();
    let changed: Vec<usize> =
        (0..squares.len()).filter(|&index| is_there(index) && is_other(index)).collect();
    let bounds = |coordinate: &dyn Fn(usize) -> usize| {
        let all = || changed.iter().map(|&index| coordinate(index));
        // Nothing changed: any square, as it was.
        (all().min().unwrap_or(0), all().max().unwrap_or(0))
    };
    let ((left, right), (top, bottom)) = (bounds(&|index| index % wide), bounds(&|index| index / wide));
    let (columns, rows, pixels) = (right - left + 1, bottom - top + 1, usize::from(side));
    let mut buffer = vec![AS_BEFORE; columns * rows * pixels * pixels];
    for &index in &changed {
        let Some(tile) = squares[index].and_then(|square| tiles.get(&square)) else { continue };
        let (x, y) = ((index % wide - left) * pixels, (index / wide - top) * pixels);
        for (row, line) in tile.chunks_exact(pixels).enumerate() {
            let at = (y + row) * columns * pixels + x;
            buffer[at..at + pixels].copy_from_slice(line);
        }
    }
    Frame {
        dispose: DisposalMethod::Keep,
        transparent: Some(AS_BEFORE),
        left: length(left, side),
        top: length(top, side),
        width: length(columns, side),
        height: length(rows, side),
        buffer: buffer.into(),
        ..Frame::default()
    }
}

// A row has 14 squares at most, and the pixels of a picture are counted in u16.
fn length(squares: usize, side: u16) -> u16 {
    u16::try_from(squares).map_or(0, |squares| squares * side)
}

/// The colours that are used most, and for every other one that which is nearest to it.
#[derive(Debug)]
struct Palette {
    colours: Vec<Rgb>,
    places: BTreeMap<Rgb, u8>,
}

impl Palette {
    fn of(drawings: &BTreeMap<Square, Vec<Rgb>>) -> Self {
        let mut counts = BTreeMap::<Rgb, u32>::new();
        for colour in drawings.values().flatten() {
            *counts.entry(*colour).or_default() += 1;
        }
        // Of colours that differ by little, one is enough.
        let mut groups = BTreeMap::<Rgb, (u32, u32, Rgb)>::new();
        for (&colour, &count) in &counts {
            let group = groups.entry(colour.map(|value| value >> 4)).or_default();
            group.0 += count;
            if count > group.1 {
                (group.1, group.2) = (count, colour);
            }
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.sort_unstable_by(|one, other| other.cmp(one));
        let colours: Vec<Rgb> = groups.into_iter().take(COLOURS).map(|(.., colour)| colour).collect();
        let places = counts.into_keys().map(|colour| (colour, nearest(&colours, colour))).collect();
        Self { colours, places }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colours.concat();
        bytes.resize(3 * (COLOURS + 1), 0);
        bytes
    }
}

fn nearest(colours: &[Rgb], colour: Rgb) -> u8 {
    let distance = |other: &Rgb| -> u32 {
        other.iter().zip(colour).map(|(&one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
    };
    let place = colours.iter().enumerate().min_by_key(|(_, other)| distance(other));
    place.and_then(|(place, _)| u8::try_from(place).ok()).unwrap_or_default()
}
