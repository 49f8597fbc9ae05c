
/**
 * The inputs of a row of the table: an object with the names of its columns. Numbers are numbers, all else is
 * text as in the table; dates may be `Date` objects, and yes and no booleans. null, undefined, NaN and what
 * stands for a missing value in the table are missing values.
 */
export function encodeRow(row) {
  const inputs = [];
  for (const [name, read, missing, hasIndicator] of columns) {
    if (!Object.hasOwn(row, name)) throw new RangeError(`the row has no column ${JSON.stringify(name)}`);
    let values;
    try {
      values = read(row[name]);
    } catch (e) {
      throw new e.constructor(`column ${JSON.stringify(name)}: ${e.message}`);
    }
    const isMissing = values === null;
    if (isMissing && missing === null) {
      const what = "its value is missing, and the network has no answer to that";
      throw new RangeError(`column ${JSON.stringify(name)}: ${what}`);
    }
    inputs.push(...(isMissing ? missing : values));
    if (hasIndicator) inputs.push(Number(isMissing));
  }
  return inputs;
}

/** The outputs for a row of the table, as `encodeRow` takes it. */
export function predictRow(row) {
  return predict(encodeRow(row));
}
