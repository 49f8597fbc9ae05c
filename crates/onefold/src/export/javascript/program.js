// Checks an exported network on rows with known outputs: ends with 1 where one differs by more than rounding.

const network = await import(new URL(encodeURIComponent(FILE), import.meta.url));

// Of each row its values, the outputs, and the class where there is one that rounding cannot change.
const cases = ROWS;
const tolerance = TOLERANCES;

let wrong = 0;
let largest = 0;
cases.forEach(([row, outputs, expected], n) => {
  const found = network.FUNCTION(row);
  const differences = outputs.map((y, o) => Math.abs(found[o] - y));
  largest = Math.max(largest, ...differences);
  const isSame = found.length === outputs.length && differences.every((d, o) => d <= tolerance[o]);
  if (!isSame || (expected !== null && network.CLASSIFY(row) !== expected)) {
    console.log(`row ${n}: ${found} instead of ${outputs}: ${JSON.stringify(row)}`);
    wrong += 1;
  }
});
const right = `${cases.length - wrong} of ${cases.length} rows are right`;
console.log(`${right}; largest difference ${largest.toExponential(1)}`);
process.exitCode = wrong > 0 || cases.length === 0 ? 1 : 0;
