// What a claim rests on: positions, and touches with their times.

import { kindOf } from "/assets/placement.js";
import { t } from "./words.js";
import { plyText } from "./record-values.js";

/** The positions that prove a claim, `{ ply, fen, san?, counts? }`: none where it has none. */
export function proofsOf(record, game) {
  if (record.kind !== "claim") return [];
  // Those that are alike and do not count (castling, en passant) are told apart.
  if (Array.isArray(record.positions)) return record.positions.filter(({ fen }) => fen);
  if (!Array.isArray(record.plies) || !game) return [];
  const fenAfter = (ply) => (ply === 0 ? game.start : game.moves.find((move) => move.ply === ply)?.fen);
  return record.plies.map((ply) => ({ ply, fen: fenAfter(ply) })).filter(({ fen }) => fen);
}

/** What is written over a position that proves a claim. */
export function proofText(desk, game, { ply, san, counts }) {
  const known = game?.moves.some((move) => move.ply === ply);
  const text = ply === 0 ? t("game.start") : [plyText(desk, game, ply), known ? "" : desk.san(san ?? "")].filter(Boolean).join(" ");
  return counts === false ? t("record.counts_not", { position: text }) : text;
}

/** The touches that a claim rests on, in order: `queen θ6 (2.1 s)`. */
export function touchesText(desk, { touches }) {
  if (!Array.isArray(touches)) return "";
  return touches.map(({ square, piece, at_ms, returned_ms }) => {
    const name = piece ? t(`piece.${kindOf(piece)}`) : t("piece.any");
    const held = returned_ms == null ? "" : ` (${((returned_ms - at_ms) / 1000).toFixed(1)} s)`;
    return `${name} ${desk.san(square)}${held}`;
  }).join(", ");
}
