import { Validator } from "@cfworker/json-schema";
import { isSchema, kindOf, resolved, type Schema } from "./schema.ts";

/** What stands in the fields of a schema: texts, entries of a list, members by name. An empty text is no value. */
export type Draft = string | readonly Draft[] | { readonly [name: string]: Draft };

/** Mistakes by the JSON Pointer of what they are about. */
export type Mistakes = Readonly<Record<string, string>>;

export interface Collected {
  /** Undefined where no field has a value. */
  readonly value: unknown;
  readonly mistakes: Mistakes;
}

/** Nothing is filled in. */
export function emptyDraft(given: unknown, root: Schema): Draft {
  const { kind } = kindOf(resolved(given, root));
  return kind === "list" ? [] : kind === "object" ? {} : "";
}

/** Reads the fields, and checks what they say against the whole schema. */
export function collect(draft: Draft, root: Schema): Collected {
  const mistakes: Record<string, string> = {};
  const value = readDraft(draft, root, "", { root, mistakes }) ?? {};
  return { value, mistakes: { ...mistakesOf(value, root), ...mistakes } };
}

interface Reading {
  readonly root: Schema;
  readonly mistakes: Record<string, string>;
}

function readDraft(draft: Draft | undefined, given: unknown, at: string, reading: Reading): unknown {
  const schema = resolved(given, reading.root);
  const kind = kindOf(schema);
  if (kind.kind === "object" && isMembers(draft)) {
    const members = Object.entries(kind.properties).flatMap(([name, member]) => {
      const value = readDraft(draft[name], member, `${at}/${escaped(name)}`, reading);
      return value === undefined ? [] : [[name, value] as const];
    });
    return members.length === 0 ? undefined : Object.fromEntries(members);
  }
  if (kind.kind === "list" && Array.isArray(draft)) {
    return draft.length === 0
      ? undefined
      : draft.map(
          (entry: Draft, index) =>
            readDraft(entry, kind.items, `${at}/${index}`, reading) ?? emptyOf(kind.items, reading),
        );
  }
  if (typeof draft !== "string" || draft === "") return undefined;
  const read = READERS[kind.kind as keyof typeof READERS] ?? READERS.json;
  const value = kind.kind === "choice" ? kind.values[Number(draft)] : read(draft);
  if (value === MISTAKEN) reading.mistakes[at] = WORDS[kind.kind as keyof typeof WORDS] ?? WORDS.json;
  return value === MISTAKEN ? undefined : value;
}

/** An entry of a list is there, also where nothing was written. */
function emptyOf(items: unknown, { root }: Reading): unknown {
  const { kind } = kindOf(resolved(items, root));
  return kind === "object" ? {} : kind === "list" ? [] : kind === "text" ? "" : null;
}

const MISTAKEN = Symbol("mistaken");

const READERS = {
  text: (text: string): unknown => text,
  boolean: (text: string): unknown => text === "true",
  number: (text: string): unknown => numberOf(text),
  integer: (text: string): unknown => numberOf(text),
  json: (text: string): unknown => parsed(text),
};

const WORDS = { number: "Write a number.", integer: "Write a whole number.", json: "This is no JSON." } as const;

function numberOf(text: string): unknown {
  const value = Number(text.trim());
  return text.trim() === "" || !Number.isFinite(value) ? MISTAKEN : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return MISTAKEN;
  }
}

function isMembers(draft: Draft | undefined): draft is { readonly [name: string]: Draft } {
  return isSchema(draft);
}

/** The fields of a value. What fits no field is written as JSON there. */
export function draftOf(value: unknown, given: unknown, root: Schema): Draft {
  const kind = kindOf(resolved(given, root));
  if (value === undefined) return emptyDraft(given, root);
  switch (kind.kind) {
    case "object":
      if (!isSchema(value)) return {};
      return Object.fromEntries(
        Object.entries(kind.properties).map(([name, member]) => [
          name,
          draftOf(Object.hasOwn(value, name) ? value[name] : undefined, member, root),
        ]),
      );
    case "list":
      return Array.isArray(value) ? value.map((entry) => draftOf(entry, kind.items, root)) : [];
    case "choice": {
      const index = kind.values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value));
      return index === -1 ? "" : String(index);
    }
    case "json":
      return JSON.stringify(value, null, 2);
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}

/** The value of a text that is JSON, and what is wrong with it. */
export function collectText(text: string, root: Schema): Collected {
  const value = parsed(text);
  if (value === MISTAKEN || !isSchema(value)) return { value: undefined, mistakes: { "": "Write one JSON object." } };
  return { value, mistakes: mistakesOf(value, root) };
}

/** What the schema does not accept, each at the deepest place that is told. */
export function mistakesOf(value: unknown, root: Schema): Mistakes {
  const { errors } = new Validator(root as ConstructorParameters<typeof Validator>[0], "2020-12", false).validate(
    value,
  );
  const mistakes: Record<string, string> = {};
  for (const { keyword, error, instanceLocation } of errors) {
    if (AROUND.has(keyword)) continue;
    const at = instanceLocation.slice(1);
    const missing = keyword === "required" ? /"(.*)"/.exec(error)?.[1] : undefined;
    const place = missing === undefined ? at : `${at}/${escaped(missing)}`;
    mistakes[place] ??=
      missing === undefined ? error.replace(/^Instance /, "It ").replace(/^String /, "The text ") : "It is required.";
  }
  return mistakes;
}

/** Only say that something within is not right. */
const AROUND: ReadonlySet<string> = new Set(["properties", "items", "$ref", "allOf", "additionalProperties"]);

/** RFC 6901 §3. */
export function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
