// How long a page takes to open and to answer, in milliseconds: node time.mjs PAGE SEARCH
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [file, search] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const painted = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
for (let run = 0; run < 3; run += 1) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" }); // CPU time, whatever else the machine does
  const took = {};
  const timed = async (name, work) => {
    const start = performance.now();
    await work();
    await painted(page);
    took[name] = Math.round(performance.now() - start);
  };
  await timed("open", () => page.goto(pathToFileURL(file).href));
  const { metrics } = await session.send("Performance.getMetrics");
  took["open, CPU of the page"] = Math.round(1000 * metrics.find((each) => each.name === "TaskDuration").value);
  const before = await page.locator("#shown").textContent();
  await timed("search", async () => {
    await page.locator("#search").fill(search);
    await page.waitForFunction((old) => document.getElementById("shown").textContent !== old, before);
  });
  await timed("clear", () => page.locator("#clear").click());
  await timed("sort", () => page.locator("#sort").selectOption("carried"));
  console.log(JSON.stringify(took));
  await page.close();
}
await browser.close();
