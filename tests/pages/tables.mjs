// Tables for the pages, by seed: each has something that a page must cope with.

/** Random numbers from 0 to 1: mulberry32. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const quoted = (field) => `"${String(field).replaceAll('"', '""')}"`;
const csv = (rows) => rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));

/** A regression with dates, words, yes and no, and missing values. */
function houses() {
  const random = generator(1);
  const districts = ["north", "south", "east", "old town"];
  const row = () => {
    const days = Math.floor(random() * 900);
    const day = new Date(Date.UTC(2021, 0, 1 + days)).toISOString().slice(0, 10);
    const [area, place, garden] = [30 + 150 * random(), Math.floor(random() * 4), random() < 0.5];
    const price = 1500 * area * (1 + 0.2 * place) + 20000 * garden + 60 * days + 9000 * (random() - 0.5);
    return [day, districts[place], random() < 0.07 ? "" : area.toFixed(1), garden ? "yes" : "no", price.toFixed(0)];
  };
  return csv([["day sold", "district", "area in m²", "garden", "price"], ...times(300, row)]);
}

/** Two classes that overlap. */
function customers() {
  const random = generator(2);
  const row = () => {
    const [age, plan, calls] = [18 + Math.floor(60 * random()), Math.floor(3 * random()), Math.floor(12 * random())];
    const p = 1 / (1 + Math.exp(2 - 0.25 * calls - 1.1 * (plan === 0)));
    return [age, ["basic", "plus", "family"][plan], calls, random() < p ? "left" : "stayed"];
  };
  return csv([["age", "plan", "calls to the hotline", "outcome"], ...times(400, row)]);
}

/** What strangers may write into headers, classes and cells. */
export const HOSTILE = {
  names: [
    "</script><script>window.hacked=1</script>",
    "\"><img src=x onerror=window.hacked=1>",
    "a'*/b\\",
    "=cmd()",
    "\u001b[31mred\u202e",
  ],
  target: "</title></style><script>window.hacked=1</script>",
  classes: ["<svg onload=window.hacked=1>", "*/ --></style>", "{{7*7}}${7*7}"],
  words: ["<b onclick=window.hacked=1>x</b>", "=HYPERLINK(1)", "\"'\\"],
};

function hostile() {
  const random = generator(3);
  const row = () => {
    const x = times(4, () => 2 * random() - 1);
    const kind = (x[0] > 0) + (x[1] > 0.3);
    return [...x.map((v) => v.toFixed(3)), HOSTILE.words[Math.floor(3 * random())], HOSTILE.classes[kind]];
  };
  return csv([[...HOSTILE.names, HOSTILE.target], ...times(200, row)]);
}

/** Many inputs and ten classes. */
function digits() {
  const random = generator(4);
  const row = () => {
    const digit = Math.floor(10 * random());
    const pixel = (i) => Math.round(8 + 6 * Math.sin((digit + 1) * (i + 1)) + 4 * (random() - 0.5));
    return [...times(64, pixel), `digit ${digit}`];
  };
  return csv([[...times(64, (i) => `pixel_${Math.floor(i / 8)}_${i % 8}`), "digit"], ...times(400, row)]);
}

/** Name, table and flags of `fit`. */
export const MODELS = [
  ["houses", houses(), ["--hidden", "4", "--linear-part"]],
  ["customers", customers(), ["--hidden", "3"]],
  ["hostile", hostile(), ["--hidden", "3"]],
  ["digits", digits(), ["--hidden", "12"]],
];
