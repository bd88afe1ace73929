import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The specification belongs to the customer and is not part of the repository: a file, or the folder that it is alone in. */
const PLACE = process.env.COUNTERSIGN_SPECIFICATION;
const BESIDE_THE_REPOSITORY = join(import.meta.dirname, "../../../../shared/spec");

/** The text of the specification; undefined in a clone that has no specification beside it. */
export function specificationText(): string | undefined {
  const place = PLACE ?? BESIDE_THE_REPOSITORY;
  if (place.endsWith(".txt")) return readFileSync(place, "utf8");
  if (PLACE === undefined && !existsSync(place)) return undefined;
  const files = readdirSync(place).filter((name) => name.endsWith(".txt"));
  if (files.length !== 1)
    throw new Error(`${place} holds ${files.length} files of text instead of one, the specification.`);
  return readFileSync(join(place, files[0] ?? ""), "utf8");
}

/**
 * Every heading, sentence and row of a table, in order. A row is one text, its cells apart by `|`, and what follows its first
 * full stop is a text of its own, as any sentence.
 */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^\|[-| :]+\|$/.test(line))
    .flatMap((line) => (line.startsWith("#") ? [line] : sentencesIn(plain(line))));
}

/** Without what makes it an item of a list or a row of a table. */
function plain(line: string): string {
  if (!line.startsWith("|")) return line.replace(/^(-|\d+\.)\s+/, "");
  const cells = line.slice(1, -1).split("|");
  return cells.map((cell) => cell.trim()).join(" | ");
}

/** A full stop ends a sentence where a capital, a piece of code or a placeholder follows. */
function sentencesIn(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+(?=[A-Z`<{(])/);
}

/** Names a sentence without repeating it: the beginning of its SHA-256, hexadecimal. */
export function digestOf(sentence: string): string {
  return createHash("sha256").update(sentence.replaceAll(/\s+/g, " ").trim()).digest("hex").slice(0, 10);
}
