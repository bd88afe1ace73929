import { kindOf, type Schema, valuesOf } from "./schema-at.ts";

/** What is said of a key: lines of words, each with a value beside it or none. */
export interface HelpLine {
  readonly words: string;
  readonly code?: string;
}

/** Longer values than this are left to the reference. */
const LONGEST = 300;

/** What there is to know about a key: what it is for, its default, accepted values, an example. */
export function helpOf(schema: Schema): readonly HelpLine[] {
  const { description, default: fallback, examples = [] } = schema;
  const values = kindOf(schema) === "scalar" ? valuesOf([schema]) : [];
  const example = examples[0];
  return [
    ...(description === undefined ? [] : [{ words: description }]),
    ...(values.length === 0 ? [] : [{ words: "Accepted:", code: values.join(", ") }]),
    ...shown("Default:", fallback),
    ...shown("Example:", example),
  ];
}

function shown(words: string, value: unknown): readonly HelpLine[] {
  if (value === undefined || isEmpty(value)) return [];
  const code = typeof value === "string" ? value : JSON.stringify(value);
  return code.length > LONGEST ? [] : [{ words, code }];
}

/** The default of a section is that there is nothing in it, which says nothing. */
function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

/** The same as an element, for tooltips. */
export function helpElement(lines: readonly HelpLine[]): HTMLElement {
  const element = document.createElement("div");
  element.className = "cm-help";
  for (const { words, code } of lines) {
    const line = document.createElement("div");
    line.append(words);
    if (code !== undefined) {
      const shownCode = document.createElement("code");
      shownCode.textContent = code;
      line.append(" ", shownCode);
    }
    element.append(line);
  }
  return element;
}
