import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { changedSource } from "../../../infra/node/bundle-sources.ts";
import { SHARED_COMMAND } from "./variables.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Beside `dist/node`, which somebody may be running: what the bundle names by its place is found from here, too. */
const FOLDER = "dist/node-in-tests";
const COMMAND = join(ROOT, FOLDER, "countersign.js");

let own: Promise<string> | undefined;

/**
 * The command for Node as production runs it, bundled from the sources as they are: it starts in half the time of the
 * sources. Made once in a run of the tests, when the first file asks.
 */
export async function commandFile(): Promise<string> {
  const address = process.env[SHARED_COMMAND];
  if (address === undefined) {
    // Both regions ask at once.
    own ??= bundledCommand();
    return own;
  }
  const answer = await fetch(address);
  const said = await answer.text();
  if (!answer.ok) throw new Error(said);
  return said;
}

/** The same, made by this process unless a run before this one has left it. */
export async function bundledCommand(): Promise<string> {
  if (isCurrent()) return COMMAND;
  const { bundleBesideSources } = await import("../../../infra/build/node-bundle.ts");
  const made = join(ROOT, await bundleBesideSources(`${FOLDER}-${process.pid}`));
  await putInPlace(made);
  return COMMAND;
}

/** Another run may have made it meanwhile, and use it: then that one stays. A folder is never moved onto one with files. */
async function putInPlace(made: string): Promise<void> {
  const place = join(ROOT, FOLDER);
  try {
    await rename(made, place);
  } catch (cause) {
    if (!existsSync(place)) throw cause;
    if (isCurrent()) return rm(made, { recursive: true });
    await rm(place, { recursive: true, force: true });
    await rename(made, place);
  }
}

function isCurrent(): boolean {
  return existsSync(COMMAND) && changedSource(ROOT, join(ROOT, FOLDER)) === undefined;
}
