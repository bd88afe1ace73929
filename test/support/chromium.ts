import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** A real Chromium without a window. It speaks to nobody but loopback: every other name is not found. */
export async function startChromium(): Promise<Browser> {
  return playwright.launch(await chromiumOptions());
}

/** How Playwright launches it, in this process or another. */
export async function chromiumOptions() {
  return {
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((argument) => !FRAGILE.includes(argument)), ...QUIET],
    headless: true,
  };
}

const QUIET = [
  "--disable-background-networking",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE *.localhost",
];

/** In one process for everything, the end of one page is the end of all. */
const FRAGILE = ["--single-process", "--no-zygote"];
