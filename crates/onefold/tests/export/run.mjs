// Runs exported modules; programs.rs says on what, and what it wants to see.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

for (const line of readFileSync("list", "utf8").trim().split("\n")) {
  const [name, rowsOf, inputs, outputs, classification] = line.split(" ");
  const model = await import(pathToFileURL(`${name}.mjs`));
  if (model.name !== name) throw new Error(`${name} calls itself ${model.name}`);
  const bytes = readFileSync(`${rowsOf}.rows`);
  const rows = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const results = [];
  for (let at = 0; at < rows.length; at += Number(inputs)) {
    const row = rows.subarray(at, at + Number(inputs));
    results.push(...model.predict(row), classification === "true" ? model.classify(Array.from(row)) : -1);
  }
  writeFileSync(`${name}.results`, new Float64Array(results));
  const names = [...model.inputNames, ...(classification === "true" ? model.classNames : model.outputNames)];
  writeFileSync(`${name}.names`, names.map((text) => text + "\0").join(""));
  try {
    model.predict([]);
  } catch (e) {
    if (e instanceof RangeError) continue;
  }
  throw new Error(`${name} accepted a row without inputs`);
}
