import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface RepositoryFile {
  /** Relative to the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** One broken rule. */
export interface Finding {
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** Every text file of the project. */
export function readRepository(): readonly RepositoryFile[] {
  return listRepository()
    .map((path) => ({ path, text: readFileSync(root + path, "utf8") }))
    .filter((file) => !file.text.includes("\0"));
}

/** The paths of what git tracks or would add. */
export function listRepository(): readonly string[] {
  const listing = gitLsFiles();
  return [...new Set(listing.split("\0"))].filter((path) => path !== "" && existsSync(root + path)).sort();
}

function gitLsFiles(): string {
  try {
    return execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (cause) {
    throw new NoRepositoryError(cause);
  }
}

/** This is no git clone, or there is no git. */
export class NoRepositoryError extends Error {
  constructor(cause: unknown) {
    super("The repository's own rules need git and a clone: they look at the files that git lists.", { cause });
    this.name = "NoRepositoryError";
  }
}

/** Numbers the lines that match, from one. */
export function matchingLines(file: RepositoryFile, pattern: RegExp): readonly { line: number; match: string }[] {
  return file.text.split("\n").flatMap((text, index) => {
    const match = pattern.exec(text);
    return match === null ? [] : [{ line: index + 1, match: match[0] }];
  });
}
