import { posix } from "node:path";
import type { RepositoryFile } from "./files.ts";

/** One file of the project imports another one, for a value or for a type alone. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** From 1. */
  readonly line: number;
}

/** `import … from "./x.ts"`, `export … from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`, also as a type. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"\n]+)"/g;

/** Every import between these source files, types included; what is imported from packages is left out. */
export function importsOf(files: readonly RepositoryFile[]): readonly Import[] {
  const known = new Set(files.map(({ path }) => path));
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(SPECIFIER)].flatMap(({ 1: specifier = "", index }) => {
      const to = posix.join(posix.dirname(path), specifier);
      if (!known.has(to)) return [];
      return [{ from: path, to, line: text.slice(0, index).split("\n").length }];
    }),
  );
}

/** Every group of nodes of which each reaches all others (Tarjan 1972), largest first; a node by itself is none. */
export function circlesOf(arrows: readonly { readonly from: string; readonly to: string }[]): readonly string[][] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const numbers = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  /** The lowest number among the open nodes that this one reaches. */
  function visit(node: string): number {
    const number = numbers.size;
    let lowest = number;
    numbers.set(node, number);
    open.push(node);
    for (const { to } of next.get(node) ?? []) {
      const seen = numbers.get(to);
      if (seen === undefined) lowest = Math.min(lowest, visit(to));
      else if (open.includes(to)) lowest = Math.min(lowest, seen);
    }
    if (lowest === number) {
      const circle = open.splice(open.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest;
  }

  for (const node of next.keys()) if (!numbers.has(node)) visit(node);
  return circles.sort((a, b) => b.length - a.length);
}
