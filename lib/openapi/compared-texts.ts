import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { Catalog } from "./catalog.ts";
import { isPartReference } from "./catalog-texts.ts";

/** Numbers of what tools share, by its text: the same text has the same number in all catalogs that are compared. */
export type SharedNumbers = Map<string, number>;

/**
 * All that a catalog says, as texts by what they are: `tools[ledger/pay]`, `parts of tools[ledger/3]`, `security schemes of tools[ledger]`.
 * Two catalogs with the same texts are the same to those who call their tools, wherever their parts stand.
 *
 * @param numbers of all catalogs that are compared; grows
 */
export function comparedTexts(catalog: Catalog, app: string, numbers: SharedNumbers): readonly ComparedText[] {
  try {
    return textsOf(catalog, app, createNumbering(catalog.parts, numbers));
  } catch {
    // Its texts are no JSON, or a part is in itself. As they stand they say all, too.
    const texts = textsOf(catalog, app, { read: (text) => text, all: () => [] });
    return [...texts, [`parts of tools[${app}]`, canonicalJson(catalog.parts)]];
  }
}

export type ComparedText = readonly [what: string, text: string];

interface Numbering {
  /** The value of a text, with the numbers of parts in their place. */
  readonly read: (text: string) => unknown;
  readonly all: () => readonly (readonly [number: number, text: string])[];
}

function textsOf(catalog: Catalog, app: string, { read, all }: Numbering): readonly ComparedText[] {
  const { tools, definitions, parts: _, ...rest } = catalog;
  const schemas = (kind: "input" | "output") =>
    Object.entries(definitions[kind]).map(([name, text]): ComparedText => {
      return [`${kind} schemas of tools[${app}/${name}]`, canonicalJson(read(text))];
    });
  return [
    ...tools.map((tool): ComparedText => {
      return [`tools[${app}/${tool.name}]`, canonicalJson({ ...tool, details: read(tool.details) })];
    }),
    ...schemas("input"),
    ...schemas("output"),
    ...all().map(([number, text]): ComparedText => [`parts of tools[${app}/${number}]`, text]),
    ...Object.entries(rest).flatMap(([key, value]): readonly ComparedText[] => {
      const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
      return value === undefined || isEmpty ? [] : [[`${words(key)} of tools[${app}]`, canonicalJson(value)]];
    }),
  ];
}

function words(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Numbers parts by what they say, those in them first. */
function createNumbering(parts: readonly string[], numbers: SharedNumbers): Numbering {
  const known = new Map<number, number>();
  const open = new Set<number>();
  const texts = new Map<number, string>();

  function numberOf(place: number): number {
    const found = known.get(place);
    if (found !== undefined) return found;
    if (open.has(place)) throw new Error("a part is in itself");
    open.add(place);
    const text = canonicalJson(read(parts[place] ?? "null"));
    const number = numbers.get(text) ?? numbers.size + 1;
    numbers.set(text, number);
    known.set(place, number);
    texts.set(number, text);
    return number;
  }

  function read(text: string): unknown {
    return inside(JSON.parse(text));
  }

  function inside(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(numbered);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, numbered(member)]));
  }

  function numbered(value: unknown): unknown {
    return isPartReference(value) ? { $part: numberOf(value.$part) } : inside(value);
  }

  return {
    read,
    all: () => {
      parts.forEach((_, place) => void numberOf(place));
      return [...texts];
    },
  };
}
