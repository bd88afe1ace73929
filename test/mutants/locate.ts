import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutant.ts";

export interface Source {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Where a defect goes: `text` is the whole file with it. */
export interface Located {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const PRODUCT = ["lib", "functions", "infra", "console"];

/** The sources of the product, of which each defect is a change. */
export function productSources(root: string): readonly Source[] {
  return listed(root, PRODUCT)
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The paths under `root` that git tracks or would add. */
export function listed(root: string, folders: readonly string[] = []): readonly string[] {
  const all = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", ...folders];
  const deleted = new Set(git(root, ["ls-files", "-z", "--deleted"]));
  return git(root, all).filter((path) => !deleted.has(path));
}

function git(root: string, parameters: readonly string[]): readonly string[] {
  const text = execFileSync("git", parameters, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return text.split("\0").filter((path) => path !== "");
}

/**
 * Finds a defect's place by its code alone, so that it is found after its file was moved, merged or formatted anew.
 *
 * @throws where the code stands nowhere, or more than once
 */
export function locate(
  { id, find, replace }: Pick<Mutant, "id" | "find" | "replace">,
  sources: readonly Source[],
): Located {
  const pattern = patternOf(find);
  const places = sources.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => ({ path, text, from: match.index, to: match.index + match[0].length })),
  );
  const [place, ...others] = places;
  if (place === undefined) throw new Error(`${id}: its code stands nowhere in ${PRODUCT.join(", ")}`);
  if (others.length > 0) {
    throw new Error(`${id}: its code stands ${places.length} times: ${places.map(({ path }) => path).join(", ")}`);
  }
  const { path, text, from, to } = place;
  return {
    path,
    line: text.slice(0, from).split("\n").length,
    text: text.slice(0, from) + replace + text.slice(to),
  };
}

/** Words and signs in their order, whatever white space is between them, and with or without trailing commas. */
function patternOf(code: string): RegExp {
  const tokens = code.match(/[\w$]+|[^\w$\s]/g) ?? [];
  const parts = tokens.map((token, index) => {
    const isCloser = /^[)\]}]$/.test(token) && tokens[index - 1] !== ",";
    const escaped = token.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    const between = index > 0 && isWord(token) && isWord(tokens[index - 1]) ? "\\s+" : "\\s*";
    return `${index === 0 ? "" : between}${isCloser ? ",?\\s*" : ""}${escaped}`;
  });
  const [begin, end] = [isWord(tokens[0]) ? "(?<![\\w$])" : "", isWord(tokens.at(-1)) ? "(?![\\w$])" : ""];
  return new RegExp(begin + parts.join("") + end, "g");
}

function isWord(token: string | undefined): boolean {
  return token !== undefined && /^[\w$]/.test(token);
}
