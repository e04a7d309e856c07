// A photograph of a page: node shot.mjs PAGE PICTURE WIDTH HEIGHT light|dark TIME [ROW]
// TIME is what the browser's clock says; ROW is the id of a workaround to open and photograph alone.
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [file, picture, width, height, colorScheme, time, row] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) }, colorScheme });
await page.clock.setFixedTime(new Date(time));
await page.goto(pathToFileURL(file).href + (row ? `#w-${row}` : ""));
await page.waitForFunction(() => document.getElementById("age").textContent !== "");
await new Promise((done) => setTimeout(done, 500)); // what is scrolled into view is painted a little later
await (row ? page.locator(`details.row:has(#w-${row})`) : page).screenshot({ path: picture });
await browser.close();
