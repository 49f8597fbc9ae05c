
/** The input of a number; null where it is missing. */
function number(value) {
  if (value === null || value === undefined) return null;
  if (typeof value !== "number") throw new TypeError(`must be a number, not ${typeof value}`);
  return Number.isNaN(value) ? null : [value];
}
