// The squares of a board as data: which there are, what they are called, and where they lie for whom.

const LETTERS = "abcdefghijklmn";

/** A board of `size` by `size` squares without `missing` by `missing` of them in each corner. */
class Geometry {
  constructor(size, missing, isDarkCorner) {
    Object.assign(this, { size, missing, isDarkCorner });
    /** How many seats there are: the board is turned from one to the next. */
    this.seats = missing > 0 ? 4 : 2;
    this.files = LETTERS.slice(0, size);
    /** All squares, as sensors number them: rank by rank from the first, file by file. */
    this.squares = [];
    for (let rank = 0; rank < size; rank++) {
      for (let file = 0; file < size; file++) {
        if (this.has(file, rank)) this.squares.push(this.files[file] + (rank + 1));
      }
    }
    this.known = new Set(this.squares);
  }

  /** Whether there is a square that far to the right and that far up, or down: the corners are all alike. */
  has(x, y) {
    const inside = (i) => i >= this.missing && i < this.size - this.missing;
    return x >= 0 && y >= 0 && x < this.size && y < this.size && (inside(x) || inside(y));
  }

  /** The way from the first file and the first rank to `square`. */
  place(square) {
    return [this.files.indexOf(square[0]), Number(square.slice(1)) - 1];
  }

  /** Column and row of `square` from the upper left, for whom the seat `seat` is below: 0 White or South, then clockwise. */
  cell(square, seat) {
    const [file, rank] = this.place(square);
    const last = this.size - 1;
    const quarter = (seat * 4) / this.seats;
    return [[file, last - rank], [last - rank, last - file], [last - file, rank], [rank, file]][quarter];
  }

  /** Whether `square` is a dark one. */
  isDark(square) {
    const [file, rank] = this.place(square);
    return ((file + rank) % 2 === 0) === this.isDarkCorner;
  }
}

/** The board of chess. */
export const CHESS = new Geometry(8, 0, true);

/** The board of four players; it has a light square at South's right hand, unless its position says otherwise. */
export const FOUR = new Geometry(14, 3, false);
const DARK = new Geometry(14, 3, true);

/** The board on which the position `fen` stands; null if it is none that is known here. */
export function geometryOf(fen) {
  const [placement, ...fields] = (fen ?? "").split(" ");
  const ranks = placement.split("/").length;
  if (ranks === CHESS.size) return CHESS;
  if (ranks !== FOUR.size) return null;
  return /^[rwbk]{4}-dark$/.test(fields.at(-1) ?? "") ? DARK : FOUR;
}
