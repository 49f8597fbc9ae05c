
/** The ends of prediction intervals for encoded inputs: arrays `low` and `high`. */
export function interval(input) {
  const outputs = predict(input);
  return { low: outputs.map((y, n) => y - halfWidths[n]), high: outputs.map((y, n) => y + halfWidths[n]) };
}
