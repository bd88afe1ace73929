import fc from "fast-check";
import type { BridgeTool } from "../../../lib/openapi/catalog.ts";
import { draw } from "./draw.ts";
import { type Schema, Unsatisfiable } from "./merge.ts";
import type { SchemaSet } from "./schema-set.ts";
import type { Place } from "./strings.ts";

export interface Samples {
  /** Ajv says of each that it conforms to the tool's input schema. */
  readonly values: readonly Readonly<Record<string, unknown>>[];
  /** Arguments for which no value was found, so that no call has them. */
  readonly undrawn: readonly string[];
  /** What was in the way, when none was found. */
  readonly trouble?: string;
}

/** With every optional argument, with none, and with about half of them. */
const FULLNESS = [1, 0, 0.5];
const ATTEMPTS = 12;
const BUDGET = 250;

/** Arguments for a tool, drawn at random from its input schema. */
export function sampleArguments(
  tool: BridgeTool,
  schemas: SchemaSet,
  { seed, placeOf }: { readonly seed: number; readonly placeOf: (argument: string) => Place },
): Samples {
  const schema = schemas.link(tool.inputSchema);
  const conforms = schemas.validator(schema);
  const values: Readonly<Record<string, unknown>>[] = [];
  let trouble: string | undefined;
  for (const fullness of FULLNESS) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const drawn = sampleOnce(schema, schemas, { seed: seed + attempt, fullness, placeOf });
      if (typeof drawn === "string") trouble = drawn;
      else if (conforms(drawn)) {
        values.push(drawn);
        break;
      } else trouble = JSON.stringify(conforms.errors?.[0]);
    }
  }
  const different = new Map(values.map((value) => [JSON.stringify(value), value]));
  const names = Object.keys((schema.properties ?? {}) as Schema);
  const undrawn = names.filter((name) => !values.some((value) => Object.hasOwn(value, name)));
  return { values: [...different.values()], undrawn, ...(trouble !== undefined && { trouble }) };
}

function sampleOnce(
  schema: Schema,
  schemas: SchemaSet,
  {
    seed,
    fullness,
    placeOf,
  }: { readonly seed: number; readonly fullness: number; readonly placeOf: (argument: string) => Place },
): Readonly<Record<string, unknown>> | string {
  const arbitrary = fc.gen().map((g) => {
    const budget = { left: BUDGET };
    const required = new Set((schema.required ?? []) as string[]);
    const drawn: [string, unknown][] = [];
    for (const [name, property] of Object.entries((schema.properties ?? {}) as Schema)) {
      const isDrawn = required.has(name) || fullness === 1 || (fullness > 0 && g(fc.boolean));
      if (!isDrawn) continue;
      try {
        drawn.push([name, draw({ g, schemas, fullness, place: placeOf(name), depth: 1, budget }, property)]);
      } catch (cause) {
        if (!(cause instanceof Unsatisfiable)) throw cause;
        if (required.has(name)) return `${name}: ${cause.message}`;
      }
    }
    return Object.fromEntries(drawn);
  });
  const [drawn] = fc.sample(arbitrary, { numRuns: 1, seed });
  return drawn ?? "nothing was drawn";
}
