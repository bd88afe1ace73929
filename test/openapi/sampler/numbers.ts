import fc, { type GeneratorValue } from "fast-check";
import { type Schema, Unsatisfiable } from "./merge.ts";

const TRIES = 25;

export function drawNumber(g: GeneratorValue, schema: Schema, isInteger: boolean): number {
  const step = typeof schema.multipleOf === "number" ? schema.multipleOf : isInteger ? 1 : 0.01;
  const { least, most } = bounds(schema, isInteger ? Math.max(step, 1) : step);
  const [min, max] = [Math.ceil(least / step), Math.floor(most / step)];
  if (min > max) throw new Unsatisfiable("no number is between the bounds");
  for (let n = 0; n < TRIES; n++) {
    const value = Number((g(fc.integer, { min, max }) * step).toPrecision(15));
    const isMultiple = schema.multipleOf === undefined || Number.isInteger(value / (schema.multipleOf as number));
    if (isMultiple && (!isInteger || Number.isInteger(value))) return value === 0 ? 0 : value;
  }
  throw new Unsatisfiable("no multiple was found");
}

function bounds(schema: Schema, step: number): { readonly least: number; readonly most: number } {
  const number = (keyword: string, otherwise: number) =>
    typeof schema[keyword] === "number" ? (schema[keyword] as number) : otherwise;
  const floor = Math.max(number("minimum", -Infinity), number("exclusiveMinimum", -Infinity) + step);
  const ceiling = Math.min(number("maximum", Infinity), number("exclusiveMaximum", Infinity) - step);
  const span = 1_000_000;
  const least = Number.isFinite(floor) ? floor : Number.isFinite(ceiling) ? ceiling - span : -span;
  return { least, most: Math.min(Number.isFinite(ceiling) ? ceiling : least + 2 * span, least + 2 * span) };
}
