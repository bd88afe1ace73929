import type { JsonSchema } from "../../../lib/config/json-schema.ts";
import { documentKeys, type ReferenceKey } from "./keys.ts";

/** Around what is generated in the page. */
export const BEGIN = "<!-- The keys: generated from the schema by `npm run build:reference`. -->";
export const END = "<!-- The end of the keys. -->";

const HEADER = ["key", "accepted", "default", "meaning", "example"];
const RULE = HEADER.map(() => "---");

/** The page with its tables of keys as the schema has them. Throws where the page has no place for them. */
export function withKeys(page: string, schema: JsonSchema): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the page has no lines "${BEGIN}" and "${END}"`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${tables(schema)}\n\n${page.slice(end)}`;
}

function tables(schema: JsonSchema): string {
  const keys = documentKeys(schema);
  const sections = Map.groupBy(keys, ({ section }) => section);
  return [...sections].map(([section, rows]) => [`### \`${section}\``, "", ...table(rows)].join("\n")).join("\n\n");
}

function table(keys: readonly ReferenceKey[]): string[] {
  return [HEADER, RULE, ...keys.map(cells)].map((row) => `| ${row.join(" | ")} |`);
}

function cells({ key, accepted, required, default: written, meaning, example }: ReferenceKey): string[] {
  const fallback = required ? "required" : written === undefined ? "–" : code(written);
  return [
    `\`${key}\``,
    text(shortened(accepted)),
    fallback,
    text(meaning ?? ""),
    example === undefined ? "" : code(example),
  ];
}

function code(value: unknown): string {
  const written = typeof value === "string" ? value : JSON.stringify(value);
  return `\`${written.replaceAll("|", "\\|").replaceAll("`", "'")}\``;
}

/** Messages give examples; the page has a column for them. */
function shortened(accepted: string): string {
  return accepted.replace(/,? (?:such as|for example) .*/, "");
}

/** Cells cannot hold a line break or a bar. */
function text(value: string): string {
  return value.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").replaceAll("<", "&lt;");
}
