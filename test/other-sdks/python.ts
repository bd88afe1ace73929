import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Missing, missingIfUnreachable } from "./missing.ts";
import { type Ended, runToEnd } from "./process.ts";

export const PYTHON = join(import.meta.dirname, "python");

/** Git does not see it: an environment is made once for each list of versions. */
const KEPT = join(import.meta.dirname, ".venv");
/** In the folder of an environment whose installation came to its end. */
const COMPLETE = "complete";
const INSTALL_WITHIN_S = 300;

/** The files in `python/requirements`, which name the exact version of each package. */
export const ENVIRONMENTS = ["mcp-1", "mcp-2", "fastmcp-2", "fastmcp-4"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/**
 * A Python with the packages of a list.
 *
 * @returns the path of its interpreter
 * @throws Missing without Python 3.10 with `venv`, or where PyPI is not reached
 */
export async function pythonOf(environment: Environment): Promise<string> {
  const requirements = join(PYTHON, "requirements", `${environment}.txt`);
  const version = await interpreterVersion();
  const key = createHash("sha256")
    .update(version)
    .update(await readFile(requirements))
    .digest("hex")
    .slice(0, 12);
  const folder = join(KEPT, `${environment}-${key}`);
  const interpreter = join(folder, "bin", "python");
  if (existsSync(join(folder, COMPLETE))) return interpreter;
  await mkdir(KEPT, { recursive: true });
  await rm(folder, { recursive: true, force: true });
  const venv = await python("python3", ["-m", "venv", folder]);
  if (venv.code !== 0) throw new Missing(`Python makes no environments: ${venv.output.trim().slice(0, 300)}`);
  // Only what is listed, and nothing that would have to be built here.
  const flags = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--quiet", "--retries=1"];
  const installed = await python(interpreter, ["-m", "pip", "install", ...flags, "--requirement", requirements]);
  if (installed.code !== 0) throw missingIfUnreachable(`${environment} could not be installed.`, installed.output);
  await writeFile(join(folder, COMPLETE), "");
  return interpreter;
}

async function interpreterVersion(): Promise<string> {
  const asked = await python("python3", ["-c", "import sys; print(sys.version_info[:3] >= (3, 10), sys.version)"]);
  if (asked.code === "ENOENT") throw new Missing("There is no Python: `python3` is not a program here.");
  if (!asked.stdout.startsWith("True")) throw new Missing(`Python is older than 3.10: ${asked.output.trim()}`);
  return asked.stdout;
}

function python(command: string, args: readonly string[]): Promise<Ended> {
  return runToEnd({ command, args, variables: { PYTHONNOUSERSITE: "1" }, home: PYTHON }, INSTALL_WITHIN_S);
}
