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
