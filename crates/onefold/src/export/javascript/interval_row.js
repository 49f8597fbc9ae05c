
/** The ends of prediction intervals for a row of the table: arrays `low` and `high`. */
export function intervalRow(row) {
  return interval(encodeRow(row));
}
