import type { Finding, RepositoryFile } from "../files.ts";

export type ShellBlockUse =
  /** Started, left running until it prints its last line, then interrupted: has to end with 0. */
  | { readonly kind: "serves" }
  /** Runs to its end while the block before it that serves still does. */
  | { readonly kind: "meanwhile" }
  /** Runs to its end by itself. */
  | { readonly kind: "alone" }
  | { readonly kind: "exempt"; readonly reason: string };

export interface ShellBlock {
  readonly path: string;
  /** Line of the fence. */
  readonly line: number;
  readonly text: string;
  readonly use: ShellBlockUse | undefined;
}

const FENCE = /^( *)```(?:sh|bash|shell|console|zsh)\s*$/;

/**
 * The shell blocks of a page. The comment in the line above a fence says what the runner does with the block:
 * `<!-- runs: serves -->`, `<!-- runs: meanwhile -->`, `<!-- runs: alone -->` or `<!-- exempt: why -->`.
 */
export function shellBlocks({ path, text }: RepositoryFile): readonly ShellBlock[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const indent = FENCE.exec(line)?.[1]?.length;
    if (indent === undefined) return [];
    const end = lines.findIndex((other, at) => at > index && other.trim() === "```");
    const body = lines.slice(index + 1, end).map((content) => content.slice(indent));
    return [{ path, line: index + 1, text: body.join("\n"), use: readUse(lines[index - 1] ?? "") }];
  });
}

/** Every shell block of the README and the docs runs or says why it does not. */
export function checkShellBlocks(files: readonly RepositoryFile[]): readonly Finding[] {
  return files
    .filter(isPage)
    .flatMap(shellBlocks)
    .filter((block) => block.use === undefined)
    .map(({ path, line }) => ({
      path,
      line,
      message: "The comment above this shell block has to say how it runs or why it is exempt.",
    }));
}

export function isPage({ path }: RepositoryFile): boolean {
  return path === "README.md" || /^docs\/.*\.md$/.test(path);
}

function readUse(comment: string): ShellBlockUse | undefined {
  const runs = /^\s*<!-- runs: (serves|meanwhile|alone) -->\s*$/.exec(comment)?.[1];
  if (runs !== undefined) return { kind: runs as "serves" | "meanwhile" | "alone" };
  const reason = /^\s*<!-- exempt: (.{10,}) -->\s*$/.exec(comment)?.[1];
  return reason === undefined ? undefined : { kind: "exempt", reason };
}
