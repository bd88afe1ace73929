import { LineCounter, parseAllDocuments } from "yaml";
import { isAboutTag, type Position, plainDocument, type YamlDocument } from "./plain.ts";
import { syntaxMistakes } from "./syntax-error.ts";

export const MAX_CHARACTERS = 1_048_576;
/** The parser compares every key with every other; `plain.ts` looks for duplicates in linear time. */
const OPTIONS = { uniqueKeys: false } as const;

/**
 * Reads one YAML 1.2 document. Hostile input ends in an error: the size, the depth and what aliases expand to are bounded.
 * Errors never quote the document.
 */
export function readYaml(text: string, file: string): YamlDocument {
  const fail = (message: string, [line, column]: Position = [1, 1]): YamlDocument => ({
    ...EMPTY,
    errors: [{ file, line, column, path: "", message }],
  });
  if (text.length > MAX_CHARACTERS) return fail(`found ${text.length} characters; accepted: at most ${MAX_CHARACTERS}`);
  const character = unprintable(text);
  if (character !== undefined) return fail(character.message, positionOf(text, character.offset));

  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "silent",
    ...OPTIONS,
  });
  if (!Array.isArray(documents) || documents[0] === undefined) return fail("the document is empty");
  const [first, second] = documents;
  if (second !== undefined)
    return fail("found more than one YAML document; accepted: one", lineOf(lines, second.range[0]));

  const { version, explicit } = first.directives?.yaml ?? {};
  if (explicit && version !== "1.2") return fail(`found the directive %YAML ${version}; accepted: 1.2, or none`);

  const problems = [...first.errors, ...first.warnings];
  const errors = syntaxMistakes(first, problems).map(({ offset, message }) => {
    const [line, column] = lineOf(lines, offset);
    return { file, line, column, path: "", message };
  });
  if (problems.some(({ code }) => code !== "TAG_RESOLVE_FAILED")) return { ...EMPTY, errors };
  // A tag leaves the document in one piece: what else is wrong with it can be told at once.
  const plain = plainDocument(first, file, (offset) => lineOf(lines, offset));
  if (plain.document === undefined && errors.length + plain.errors.length === 0) return fail("the document is empty");
  const isToldOnce = errors.length === 0 || plain.errors.some(isAboutTag);
  return isToldOnce ? plain : { ...plain, errors: [...errors, ...plain.errors] };
}

const EMPTY: YamlDocument = { document: undefined, placeholders: [], positions: {}, keyPositions: {}, errors: [] };

function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset).split(/\r\n|\n/);
  return [before.length, (before.at(-1)?.length ?? 0) + 1];
}

function lineOf(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return [Math.max(line, 1), Math.max(col, 1)];
}

/** What YAML 1.2 section 5.1 leaves out: control characters but tab and line breaks, halves of surrogate pairs, and two more. */
const NOT_PRINTABLE = /[^\P{Cc}\t\n\r\u0085]|\p{Cs}|[\uFFFE\uFFFF]/u;

/** The first character that no YAML document holds: where it is, and what to say. */
function unprintable(text: string): { readonly offset: number; readonly message: string } | undefined {
  const match = NOT_PRINTABLE.exec(text);
  if (match === null) return undefined;
  const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  const message = `found the character U+${code}; accepted: printable text, or an escape in double quotes`;
  return { offset: match.index, message };
}
