// The two sounds of the desk, made by the browser itself: no file.

// Frequencies in hertz: two notes for an alert, three rising ones, twice, for what is critical.
const NOTES = {
  alert: [660, 880],
  critical: [740, 932, 1175, 740, 932, 1175],
};

const NOTE_S = 0.16;
const LOUDNESS = 0.25;

/** Sounds `severity` in `context`. */
export function ring(context, severity) {
  const notes = NOTES[severity] ?? NOTES.alert;
  notes.forEach((frequency, i) => note(context, frequency, context.currentTime + i * NOTE_S));
}

// Swells and fades: a tone that begins at once clicks.
function note(context, frequency, from) {
  const tone = new OscillatorNode(context, { type: "triangle", frequency });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, from);
  gain.gain.linearRampToValueAtTime(LOUDNESS, from + 0.02);
  gain.gain.linearRampToValueAtTime(0, from + NOTE_S * 1.6);
  tone.connect(gain).connect(context.destination);
  tone.start(from);
  tone.stop(from + NOTE_S * 2);
}
