import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** A real Chromium without a window. It speaks to nobody but loopback: every other name is not found. */
export async function startChromium(): Promise<Browser> {
  return playwright.launch(await chromiumOptions());
}

/** How Playwright launches it, in this process or another. */
export async function chromiumOptions() {
  return {
    executablePath: await unpackedChromium(),
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

/** In the package's own folder, so that another version of it brings its own. */
const FOLDER = fileURLToPath(new URL("../unpacked", import.meta.resolve("@sparticuz/chromium")));

/**
 * The program, unpacked once. By itself the package unpacks into the folder for temporary files and takes what it finds
 * there by name: also what an unpacking left that was cut short, or what somebody else put there.
 */
async function unpackedChromium(): Promise<string> {
  const program = join(FOLDER, "chromium");
  if (existsSync(program)) return program;
  const incomplete = await mkdtemp(`${FOLDER}-`);
  const env = { ...process.env, TMPDIR: incomplete };
  try {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, "unpack-chromium.ts")], { env });
    await rename(incomplete, FOLDER);
  } catch (error) {
    await rm(incomplete, { recursive: true });
    // Another process was faster.
    if (!existsSync(program)) throw error;
  }
  return program;
}
