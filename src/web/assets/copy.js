// Puts a link where others can have it.

/** Copies `text`, or lets the reader share it; answers with whether it was copied. */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  // A page in the hall's own network has no certificate, and so no clipboard but the old one.
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "heard";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
