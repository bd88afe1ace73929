import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { listRepository, root } from "../files.ts";

/** The project's files as a fresh clone would have them, in a git repository of its own: nothing installed, nothing built. */
export function copyRepository(folder: string): void {
  for (const path of listRepository()) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, path), target);
  }
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
}

/** What programs keep among the packages while they run. */
const CACHE = ".cache";

/**
 * Puts what one copy has installed and built into another that has neither. The packages' files are links to the same
 * data, so that thousands of them take seconds.
 */
export function copyInstalled(from: string, to: string): void {
  const packages = join(from, "node_modules");
  if (!existsSync(packages)) return;
  const installed = readdirSync(packages).filter((name) => name !== CACHE);
  mkdirSync(join(to, "node_modules"));
  execFileSync("cp", ["-al", "-t", join(to, "node_modules"), ...installed], { cwd: packages });
  if (existsSync(join(from, "dist"))) execFileSync("cp", ["-a", join(from, "dist"), to]);
}
