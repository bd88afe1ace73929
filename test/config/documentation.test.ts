import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { documentSchema } from "../../lib/config/schema/document.ts";
import { mistakes } from "./support.ts";

const PAGE = new URL("../../docs/configuration.md", import.meta.url);

/** As much of a zod definition as it takes to list its keys. */
interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly options?: readonly Schema[];
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
}

interface Schema {
  readonly _zod: { readonly def: Definition };
}

function keysOf(schema: Schema): readonly string[] {
  const { type, innerType, element, options, shape, catchall } = schema._zod.def;
  if (innerType !== undefined) return keysOf(innerType);
  if (element !== undefined) return keysOf(element);
  if (type === "union") return (options ?? []).flatMap(keysOf);
  // Open mappings are the formats of others, for example a JWK.
  if (catchall?._zod.def.type === "unknown") return [];
  return Object.entries(shape ?? {}).flatMap(([key, value]) => [key, ...keysOf(value)]);
}

test("every key of the schema is in the documentation", async () => {
  const page = await readFile(PAGE, "utf8");
  const keys = new Set(keysOf(documentSchema as unknown as Schema));
  expect(keys.size).toBeGreaterThan(80);
  expect([...keys].filter((key) => !new RegExp(`\\b${key}\\b`).test(page))).toEqual([]);
});

test("every key that the documentation calls not supported is refused as such", async () => {
  const page = await readFile(PAGE, "utf8");
  const section = page.slice(page.indexOf("### Not supported by this version"));
  for (const [, key] of section.matchAll(/`((?:tls|telemetry|connectors|(?:http|store|audit|console)\.\w+))`/g)) {
    const [top, inner] = (key as string).split(".");
    const found = await mistakes(`version: 1\n${top}: {${inner === undefined ? "" : `${inner}: x`}}`);
    expect(found).toEqual([expect.stringContaining(`${key}: not supported by this version`)]);
  }
});
