import { type Path, valueAt } from "../path.ts";

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
