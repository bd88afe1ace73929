import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Located } from "./locate.ts";

/** A copy of the project in which one file at a time has a defect. */
export interface Tree {
  readonly root: string;
  /** Does the work on a tree with the defect, and takes the defect away afterwards. */
  with<T>(defect: Located, original: string, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

/** @param paths what to copy; packages are linked */
export function copyTree(from: string, paths: readonly string[]): Tree {
  const root = mkdtempSync(join(tmpdir(), "countersign-mutants-"));
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(from, path), join(root, path));
  }
  linkPackages(from, root);
  return {
    root,
    async with(defect, original, work) {
      writeFileSync(join(root, defect.path), defect.text);
      try {
        return await work();
      } finally {
        writeFileSync(join(root, defect.path), original);
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The folder is the copy's own: caches that tools keep in it do not meet those of the project. */
function linkPackages(from: string, root: string): void {
  const packages = join(from, "node_modules");
  mkdirSync(join(root, "node_modules"));
  for (const name of readdirSync(packages)) {
    if (!name.startsWith(".") || name === ".bin") symlinkSync(join(packages, name), join(root, "node_modules", name));
  }
}
