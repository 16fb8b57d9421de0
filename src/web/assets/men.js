// The chess men: six shapes of our own, each for every army.
//
// A shape is drawn in a square of 100 by 100 units and stands on y = 88. It has a body and perhaps balls on it
// (filled and outlined: x, y, radius), marks (lines on the body) and eyes (dots). `place` lets the men fill
// their square, with a little air around. Colours come from style.css. Where four armies play, Red stands on a `foot`
// drawn whole and Blue on one drawn as a row of dashes: that tells them apart without colours, too.
//
// What stands between the braces is JSON: the server draws its pictures from the same shapes.
export const MEN = {
  "place": "translate(-3.2 -2.1) scale(1.064)",
  "foot": { "d": "M27.5 82.5 H72.5", "width": 6.5, "dashes": { "red": "", "blue": "9" } },
  "shapes": {
    "p": {
      "body": [
        "M50 19 A13.5 13.5 0 0 1 60 41.6 L66 47 Q66 51 61 51 C61 63 67 70 74 77 V88 H26 V77 C33 70 39 63 39 51 Q34 51 34 47 L40 41.6 A13.5 13.5 0 0 1 50 19 Z"
      ],
      "balls": [],
      "marks": [
        "M41 51 H59",
        "M31 77 H69"
      ],
      "eyes": []
    },
    "n": {
      "body": [
        "M33 88 C32 72 43 66 48 56 C42 61 36 61 31 64 C28 70 22 72 18 68 C14 65 13 60 16 56 L27 40 C28 33 32 28 37 25 L36 13 L46 21 C66 22 80 42 80 88 Z"
      ],
      "balls": [],
      "marks": [
        "M52 28 C66 34 71 54 71 80",
        "M49 56 C53 52 54 48 54 45"
      ],
      "eyes": [[38, 37, 3.2], [21, 60, 2]]
    },
    "b": {
      "body": [
        "M50 9 A6.5 6.5 0 0 1 54 20.6 C65 29 71 39 69 49 C68 56 64 60 61 63 L65 68 Q65 72 60 72 C61 76 65 78 76 79 V88 H24 V79 C35 78 39 76 40 72 Q35 72 35 68 L39 63 C36 60 32 56 31 49 C29 39 35 29 46 20.6 A6.5 6.5 0 0 1 50 9 Z"
      ],
      "balls": [],
      "marks": [
        "M59 27 L47 44",
        "M40 63 H60",
        "M41 72 H59"
      ],
      "eyes": []
    },
    "r": {
      "body": [
        "M25 18 H38 V26 H44 V18 H56 V26 H62 V18 H75 V38 L66 46 L68 69 L76 77 V88 H24 V77 L32 69 L34 46 L25 38 Z"
      ],
      "balls": [],
      "marks": [
        "M27 38 H73",
        "M35 46 H65",
        "M33 69 H67"
      ],
      "eyes": []
    },
    "q": {
      "body": [
        "M27 67 L13 34 L32 48 L31.5 23 L44 46 L50 18 L56 46 L68.5 23 L68 48 L87 34 L73 67 L75 77 V88 H25 V77 Z"
      ],
      "balls": [[13, 31, 5.5], [31.5, 20, 5.5], [50, 15, 5.5], [68.5, 20, 5.5], [87, 31, 5.5]],
      "marks": [
        "M28 67 Q50 60 72 67",
        "M26 77 Q50 71 74 77"
      ],
      "eyes": []
    },
    "k": {
      "body": [
        "M46.5 8 H53.5 V13.5 H59.5 V20.5 H53.5 V30 H46.5 V20.5 H40.5 V13.5 H46.5 Z",
        "M27 67 C10 56 12 34 30 33 C40 33 46 37 50 42 C54 37 60 33 70 33 C88 34 90 56 73 67 L75 77 V88 H25 V77 Z",
        "M50 50 C42 42 41 32 50 27 C59 32 58 42 50 50 Z"
      ],
      "balls": [],
      "marks": [
        "M28 67 Q50 60 72 67",
        "M26 77 Q50 71 74 77",
        "M50 50 V62"
      ],
      "eyes": []
    }
  }
};
