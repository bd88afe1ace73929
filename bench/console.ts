import { get } from "node:http";
import type { CDPSession } from "playwright-core";
import { ensureConsole } from "../infra/build/console/ensure.ts";
import { fillWithSamples } from "../test/browser/console/support/sample.ts";
import { openStage, type Stage } from "../test/browser/console/support/stage.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { kibibytes } from "./support/sizes.ts";
import { median, milliseconds } from "./support/statistics.ts";

/** How many times slower than this machine the one is that the page is read on. */
const SLOWDOWN = 4;
const SCRIPT_LIMIT = 200 * 1024;
const USABLE_LIMIT = 1_500;

/** The first page that a signed-in person opens, with nothing in the browser's cache: what it loads, and when it can be read. */
export async function benchConsole({ runs }: BenchOptions): Promise<readonly Finding[]> {
  await ensureConsole(console.log);
  const stage = await openStage();
  try {
    const owner = await stage.owner();
    await fillWithSamples(stage.server, owner);
    await owner.leave();
    const loads: Load[] = [];
    for (let run = 0; run < runs; run++) loads.push(await firstLoad(stage));
    const usable = loads.map(({ usableAfter }) => usableAfter);
    const scripts = loads[0]?.scripts ?? [];
    const compressed = await Promise.all(scripts.map(({ url }) => gzipSize(url)));
    const gzip = compressed.reduce((sum, size) => sum + size, 0);
    const wire = scripts.reduce((sum, { transferred }) => sum + transferred, 0);
    return [
      {
        what: "Console, script of the first load, gzip",
        measured: kibibytes(gzip),
        against: `${kibibytes(wire)} in ${scripts.length} files on Chromium's wire`,
        target: `≤ ${kibibytes(SCRIPT_LIMIT)}`,
        met: gzip <= SCRIPT_LIMIT,
      },
      {
        what: `Console, overview with its data, ${SLOWDOWN} × slower CPU`,
        measured: milliseconds(median(usable), 0),
        against: `${milliseconds(Math.min(...usable), 0)} to ${milliseconds(Math.max(...usable), 0)} in ${runs} loads`,
        target: `≤ ${milliseconds(USABLE_LIMIT, 0)}`,
        met: median(usable) <= USABLE_LIMIT,
      },
    ];
  } finally {
    await stage.stop();
  }
}

interface Load {
  /** Milliseconds from the beginning of the navigation. */
  readonly usableAfter: number;
  readonly scripts: readonly Script[];
}

interface Script {
  readonly url: string;
  readonly transferred: number;
}

/** In a new browser profile. */
async function firstLoad({ browser, server, storageState }: Stage): Promise<Load> {
  const context = await browser.newContext({ storageState, locale: "en-GB" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const scripts = await watchScripts(session);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.addInitScript(noteWhenUsable);
  await page.goto(`${server.url}/console/`);
  const usableAfter = await page.waitForFunction(() => window.usableAfter).then((handle) => handle.jsonValue());
  await context.close();
  return { usableAfter: usableAfter ?? Number.NaN, scripts: [...scripts.values()] };
}

declare global {
  interface Window {
    usableAfter?: number;
  }
}

/** The heading and what it is about are there, and the browser has drawn them. */
function noteWhenUsable(): void {
  const watch = new MutationObserver(() => {
    const main = document.querySelector("main");
    const isUsable =
      main?.querySelector("h1")?.textContent === "Overview" &&
      main.textContent.includes("Latest refusals") &&
      main.querySelector('[aria-label^="Loading"]') === null;
    if (!isUsable) return;
    watch.disconnect();
    requestAnimationFrame(() => {
      window.usableAfter = performance.now();
    });
  });
  watch.observe(document, { childList: true, subtree: true, attributes: true });
}

/** Scripts by their request, with the bytes that they were on the wire. */
async function watchScripts(session: CDPSession): Promise<ReadonlyMap<string, Script>> {
  const scripts = new Map<string, Script>();
  session.on("Network.responseReceived", ({ type, requestId, response }) => {
    if (type === "Script") scripts.set(requestId, { url: response.url, transferred: 0 });
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const script = scripts.get(requestId);
    if (script !== undefined) scripts.set(requestId, { ...script, transferred: encodedDataLength });
  });
  await session.send("Network.enable");
  return scripts;
}

/** Bytes of the body that a browser gets which knows gzip alone. */
function gzipSize(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { "Accept-Encoding": "gzip" } }, (response) => {
      let size = 0;
      response.on("data", (piece: Buffer) => {
        size += piece.length;
      });
      response.on("end", () => resolve(size));
    }).on("error", reject);
  });
}
