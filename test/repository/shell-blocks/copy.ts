import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
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

/**
 * Puts what one copy has installed and built into another that has neither. The packages' files are links to the same
 * data, so that thousands of them take seconds.
 */
export function copyInstalled(from: string, to: string): void {
  for (const [name, how] of [
    ["node_modules", "-al"],
    ["dist", "-a"],
  ] as const) {
    if (existsSync(join(from, name))) execFileSync("cp", [how, join(from, name), to]);
  }
}
