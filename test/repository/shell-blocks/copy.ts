import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
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
