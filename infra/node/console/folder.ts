import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Names a folder with a build of the Console, in the place of `dist/console` of this package; nothing is built then. */
export const CONSOLE_BUILD_VARIABLE = "COUNTERSIGN_CONSOLE_BUILD";

/** The folder that the Console is served from, as an absolute path. */
export function consoleFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return givenConsoleFolder(environment) ?? fileURLToPath(new URL("../../../dist/console", import.meta.url));
}

/** The folder of a build that whoever starts this brings along. */
export function givenConsoleFolder(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = environment[CONSOLE_BUILD_VARIABLE];
  return given === undefined || given === "" ? undefined : resolve(given);
}
