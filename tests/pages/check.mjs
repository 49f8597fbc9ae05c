// Makes pages with the command and opens them in Chromium: node check.mjs BINARY [FOLDER OF SCREENSHOTS]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { MODELS } from "./tables.mjs";

const [binary, screenshots] = process.argv.slice(2).map((path) => resolve(path));
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LARGEST = 1.5e6;
const SIZES = [
  [1280, 900],
  [390, 844],
];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

function browserPath() {
  const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const found = [process.env.CHROMIUM, ...known].find((path) => path && existsSync(path));
  if (!found) throw new Error("there is no Chromium; install the package chromium, or name one in the variable CHROMIUM");
  return found;
}

/** The pages, made by the command in a folder of their own: names and files. */
function makePages(folder) {
  const run = (...args) => execFileSync(binary, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const pages = [];
  for (const [name, table, flags] of MODELS) {
    writeFileSync(join(folder, `${name}.csv`), table);
    run("fit", `${name}.csv`, ...flags, "--decay", "1e-4", "--max-evaluations", "2000", "-o", `${name}.json`);
    run("report", `${name}.json`, `${name}.csv`, "-o", `${name}.html`);
    pages.push([name, join(folder, `${name}.html`)]);
  }
  run("report", join(root, "results/paper"), "-o", "campaign.html");
  pages.push(["campaign", join(folder, "campaign.html")]);
  return pages;
}

/** What is wrong with a page at a size, in light or dark. */
async function problemsOf(browser, file, [width, height], colorScheme, picture) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => dialog.dismiss().then(() => problems.push("a dialog was opened")));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) problems.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  if (picture) await page.screenshot({ path: picture, fullPage: true });
  await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
  const wide = await page.evaluate(() => {
    const room = document.documentElement.clientWidth;
    const isOutside = (element) => element.getBoundingClientRect().right > room + 1 && !element.closest("pre, thead, svg");
    const outside = [...document.body.querySelectorAll("*")].filter(isOutside).slice(0, 3);
    return {
      scrolls: document.documentElement.scrollWidth > room,
      outside: outside.map((element) => element.outerHTML.slice(0, 120)),
    };
  });
  if (wide.scrolls || wide.outside.length) problems.push(`wider than ${width} pixels: ${wide.outside.join(" | ")}`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  for (const { id, impact, nodes } of violations.filter((v) => ["serious", "critical"].includes(v.impact))) {
    problems.push(`axe: ${id} (${impact}), ${nodes.length} times: ${nodes[0].html.slice(0, 160)}`);
  }
  problems.push(...(await sorting(page)));
  if (await page.evaluate(() => window.hacked !== undefined)) problems.push("a name was executed");
  await context.close();
  return problems;
}

/** Every sortable table is sorted by its second column, both ways. */
async function sorting(page) {
  return page.evaluate(() => {
    const problems = [];
    for (const table of document.querySelectorAll("table.sortable")) {
      const button = table.tHead.rows[0].cells[1].querySelector("button");
      const values = () => [...table.tBodies[0].rows].map((row) => row.cells[1].dataset.value ?? row.cells[1].textContent);
      const before = values();
      button.click();
      const once = values();
      button.click();
      const twice = values();
      const isMoved = new Set(before).size > 1 && once.join() === twice.join();
      if (isMoved || [...once].sort().join() !== [...before].sort().join()) {
        problems.push(`not sorted: ${table.caption.textContent}`);
      }
    }
    return problems;
  });
}

/** Without scripts, all of a page is there. */
async function withoutScripts(browser, file) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  const titles = await page.locator("thead th").allTextContents();
  const isEmpty = titles.length === 0 || titles.some((title) => title.trim() === "");
  await context.close();
  return isEmpty ? ["a table has no titles without scripts"] : [];
}

const folder = mkdtempSync(join(tmpdir(), "onefold-pages-"));
let count = 0;
const report = (what, problems) => {
  count += problems.length;
  for (const problem of problems) console.error(`${what}: ${problem}`);
};
try {
  const pages = makePages(folder);
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  const browser = await chromium.launch({ executablePath: browserPath(), args: FLAGS });
  for (const [name, file] of pages) {
    const { size } = statSync(file);
    if (size > LARGEST) report(name, [`${size} bytes are too many`]);
    for (const viewport of SIZES) {
      for (const scheme of ["light", "dark"]) {
        const picture = screenshots && join(screenshots, `${name}-${viewport[0]}-${scheme}.png`);
        const problems = await problemsOf(browser, file, viewport, scheme, picture);
        report(`${name} at ${viewport[0]} pixels, ${scheme}`, problems);
      }
    }
    report(name, await withoutScripts(browser, file));
  }
  await browser.close();
  console.log(`${pages.length} pages opened at ${SIZES.length} sizes, light and dark: ${count || "no"} problems`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = count ? 1 : 0;
