
/** Letters of ASCII as small ones. */
function lower(text) {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const spaces = "[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*";
const around = new RegExp(`^${spaces}|${spaces}$`, "g");

/** A text without spaces around it; null where the value is missing. */
function textOf(value, marks) {
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  if (typeof value !== "string") throw new TypeError(`must be text, not ${typeof value}`);
  const text = value.replace(around, "");
  return marks.has(lower(text)) ? null : text;
}
