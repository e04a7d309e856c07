// Drives a page in headless Chromium and prints what it saw as one JSON object: node check.mjs PAGE [SHOTS-FOLDER]
// Every check is a name and what was found wrong; an empty list is a pass.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";
import { chromium } from "playwright-core";

const [page_file, shots] = process.argv.slice(2);
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const address = pathToFileURL(page_file).href;
const flags = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags });
const found = {};

async function open({ width = 1280, height = 900, scheme = "light", hash = "", at, script = true } = {}) {
  // The page's own policy forbids what a test injects; `bypassCSP` is for axe, never for the checks of the policy.
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, javaScriptEnabled: script });
  const page = await context.newPage();
  const seen = { console: [], requests: [] };
  page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => seen.console.push(`error: ${error.message}`));
  page.on("request", (request) => { if (request.url() !== address + hash) seen.requests.push(request.url()); });
  page.on("dialog", (dialog) => { seen.console.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  if (at) await page.clock.setFixedTime(new Date(at));
  await page.goto(address + hash);
  return { page, seen, close: () => context.close() };
}

async function quiet() {
  const { page, seen, close } = await open();
  await page.locator("#open").click();
  await page.locator("#theme").click();
  await page.waitForTimeout(300);
  await close();
  found.console = seen.console;
  found.requests = seen.requests;
}

async function accessible() {
  found.axe = [];
  for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 390], ["dark", 390]]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP: true });
    const page = await context.newPage();
    await page.goto(address);
    await page.locator("#open").click();
    await page.addScriptTag({ path: axe });
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const each of violations) {
      found.axe.push(`${scheme} ${width}: ${each.id}: ${each.help}: ${each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
    }
    await context.close();
  }
}

async function keyboard() {
  const wrong = (found.keyboard = []);
  const { page, close } = await open();
  const expect = (condition, what) => { if (!condition) wrong.push(what); };
  const shown = async () => (await page.locator("#shown").textContent()).split(" ")[0];
  const all = await shown();
  const reached = [];
  for (let step = 0; step < 400; step += 1) {
    await page.keyboard.press("Tab");
    const now = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const visible = outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
      return { name: element.id || element.closest("details.row")?.querySelector(".body").id || element.textContent.trim().slice(0, 30), tag: element.tagName, visible };
    });
    if (now === null) break;
    reached.push(now);
    if (now.tag === "FOOTER") break;
  }
  const names = new Set(reached.map((each) => each.name));
  for (const id of ["theme", "search", "stage", "decision", "owner", "sort", "late", "clear", "open"]) expect(names.has(id), `Tab does not reach #${id}`);
  const rows = await page.locator("details.row .body").evaluateAll((bodies) => bodies.map((body) => body.id));
  for (const id of rows.slice(0, 50)) expect(names.has(id), `Tab does not reach the row ${id}`);
  for (const each of reached) expect(each.visible, `no focus ring on ${each.tag} ${each.name}`);

  await page.locator("#search").focus();
  await page.keyboard.type(rows[0].slice(2));
  await page.waitForFunction((before) => document.getElementById("shown").textContent.split(" ")[0] !== before, all);
  expect(Number(await shown()) >= 1, "the search hides what it should find");
  await page.locator("#clear").focus();
  await page.keyboard.press("Enter");
  expect((await shown()) === all, "Enter on Clear does not bring all rows back");
  await page.locator("#stage").focus();
  await page.keyboard.press("ArrowDown");
  const stage = await page.locator("#stage").inputValue();
  const stages = await page.locator("details.row:not([hidden]) .stage").evaluateAll((each) => each.map((one) => one.firstChild.data));
  expect(stage !== "" && stages.length > 0 && stages.every((one) => one === stage), "the filter by stage shows others");
  await page.locator("#clear").press("Space");
  await page.locator("#late").press("Space");
  const late = await page.locator("details.row:not([hidden])").evaluateAll((each) => each.every((one) => "late" in one.dataset));
  expect(late, "overdue only shows others");
  await page.locator("#clear").press("Enter");
  await page.locator("#sort").selectOption("id");
  const order = await page.locator("details.row .body").evaluateAll((each) => each.map((one) => one.id));
  expect(JSON.stringify(order) === JSON.stringify([...order].sort((one, other) => one.localeCompare(other, "en", { numeric: true }))), "not sorted by name");
  await page.locator("#clear").press("Enter");
  expect((await page.locator("details.row .body").first().getAttribute("id")) === rows[0], "Clear does not bring the order back");
  const first = page.locator("details.row").first();
  await first.locator("> summary").press("Enter");
  expect((await first.getAttribute("open")) !== null, "Enter does not open a row");
  await first.locator("> summary").press("Space");
  expect((await first.getAttribute("open")) === null, "Space does not close a row");
  await page.locator("#theme").press("Enter");
  expect((await page.evaluate(() => document.documentElement.dataset.theme)) === "dark", "the switch does not switch");
  expect((await page.locator("#theme").getAttribute("aria-pressed")) === "true", "the switch does not say so");
  await page.waitForTimeout(500); // the browser writes its storage in its own time
  await page.reload();
  expect((await page.evaluate(() => document.documentElement.dataset.theme)) === "dark", "the switch is forgotten");
  await close();

  const last = rows.at(-1);
  const deep = await open({ hash: `#${last}` });
  const opened = await deep.page.locator(`#${CSS_escape(last)}`).isVisible();
  expect(opened, `#${last} does not open its row`);
  await deep.close();
}
const CSS_escape = (id) => id.replace(/[^\w-]/g, (char) => `\\${char}`);

async function layout() {
  const wrong = (found.layout = []);
  // 200 % zoom of a window is half as many pixels across; 320 is what WCAG asks for.
  for (const width of [1280, 640, 390, 320]) {
    const { page, close } = await open({ width });
    await page.locator("#open").click();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) wrong.push(`at ${width} pixels the page is ${wide} wide`);
    const small = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((each) => !each.closest("svg") && each.childNodes.length && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && parseFloat(getComputedStyle(each).fontSize) < 11).map((each) => each.tagName));
    if (small.length) wrong.push(`at ${width} pixels text under 11 pixels: ${[...new Set(small)]}`);
    await close();
  }
}

async function age() {
  const wrong = (found.age = []);
  const made = new Date(process.env.MADE_AT).getTime();
  for (const [hours, loud, text] of [[3, false, "Made 3 hours ago."], [47, false, "Made 47 hours ago."], [100, true, "Out of date: this page is 4 days old, though one is due every 24 hours. Whatever makes it has stopped."]]) {
    const { page, close } = await open({ at: made + hours * 3600000 });
    const said = await page.locator("#age").textContent();
    const isLoud = await page.locator("#age").evaluate((each) => each.classList.contains("loud"));
    if (said !== text || isLoud !== loud) wrong.push(`after ${hours} hours: ${said} (${isLoud ? "loud" : "calm"})`);
    await close();
  }
}

async function withoutScript() {
  const wrong = (found.withoutScript = []);
  const { page, close } = await open({ script: false });
  if (await page.locator(".tools").isVisible()) wrong.push("tools that cannot work are shown");
  if (!(await page.locator("details.row").first().isVisible())) wrong.push("the rows are not shown");
  await close();
}

async function print() {
  const wrong = (found.print = []);
  const { page, close } = await open();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  if (await page.locator("details.row:not([open])").count()) wrong.push("rows stay closed in print");
  await page.emulateMedia({ media: "print" });
  if (await page.locator(".tools").isVisible()) wrong.push("tools are printed");
  const pdf = await page.pdf({ format: "A4" });
  if (pdf.subarray(0, 5).toString() !== "%PDF-") wrong.push("no PDF");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  if (await page.locator("details.row[open]").count()) wrong.push("rows stay open after print");
  await close();
}

async function photographs() {
  if (!shots) return;
  for (const [name, width] of [["desktop", 1280], ["phone", 390]]) {
    for (const scheme of ["light", "dark"]) {
      const { page, close } = await open({ width, height: width === 390 ? 844 : 900, scheme, at: process.env.MADE_AT });
      await page.screenshot({ path: path.join(shots, `${name}-${scheme}.png`) });
      await page.locator("details.row > summary").first().click();
      await page.locator("details.row").first().screenshot({ path: path.join(shots, `${name}-${scheme}-row.png`) });
      await close();
    }
  }
}

for (const check of [quiet, accessible, keyboard, layout, age, withoutScript, print, photographs]) {
  try {
    await check();
  } catch (error) {
    found[`${check.name} broke`] = [String(error).slice(0, 600)];
  }
}
await browser.close();
console.log(JSON.stringify(found, null, 1));
