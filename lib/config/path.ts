/** A place in the document: keys and list indexes from the top. */
export type Path = readonly (string | number)[];

/** `apps[0].openapi.baseURL`; the empty text is the document itself. */
export function pathText(path: Path): string {
  return path.reduce(stepText, "");
}

/** The text of a place one step below the place with this text. */
export function stepText(text: string, step: string | number): string {
  if (typeof step === "number") return `${text}[${step}]`;
  return text === "" ? step : `${text}.${step}`;
}

/** The value at a place of a plain document; undefined when there is none. */
export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

/** Replaces the value at a place that exists. */
export function setValueAt(document: unknown, path: Path, value: unknown): void {
  const parent = valueAt(document, path.slice(0, -1));
  const step = path.at(-1);
  if (typeof parent !== "object" || parent === null || step === undefined) return;
  (parent as Record<string | number, unknown>)[step] = value;
}

/** The places of a plain document that a path stands for in which `*` is every entry of a list or a mapping. */
export function placesOf(document: unknown, pattern: Path, before: Path = []): readonly Path[] {
  const [step, ...rest] = pattern;
  if (step === undefined) return document === undefined ? [] : [before];
  const steps = step === "*" ? entriesOf(document) : [step];
  return steps.flatMap((one) => placesOf(valueAt(document, [one]), rest, [...before, one]));
}

function entriesOf(value: unknown): readonly (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()];
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
