import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { givenConsoleFolder } from "../../node/console/folder.ts";
import { isConsoleCurrent } from "./current.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Builds the Console unless it is built from the sources as they are, or somebody brought a build along. It is built in a
 * process of its own, so that this one does not keep what building takes. Rejects with what the build printed.
 *
 * @param announce is told before it begins: it takes some seconds
 */
export async function ensureConsole(announce: (line: string) => void): Promise<void> {
  if (givenConsoleFolder(process.env) !== undefined || (await isConsoleCurrent(ROOT))) return;
  announce("Building the Console…");
  // Whatever this process is run for: browsers get the production build.
  const env = { ...process.env, NODE_ENV: "production" };
  try {
    await promisify(execFile)(process.execPath, [fileURLToPath(new URL("../console.ts", import.meta.url))], {
      cwd: ROOT,
      env,
    });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`The Console could not be built:\n${stdout}${stderr}`);
  }
}
