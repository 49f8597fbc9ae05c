
/** The class of a row of the table, an index into classNames. */
export function classifyRow(row) {
  return classify(encodeRow(row));
}
