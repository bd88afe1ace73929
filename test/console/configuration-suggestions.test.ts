import { describe, expect, test } from "vitest";
import { helpOf } from "../../console/pages/configuration-editor/help.ts";
import type { Schema } from "../../console/pages/configuration-editor/schema-at.ts";
import { schemaOfKey, suggestionsAt } from "../../console/pages/configuration-editor/suggestions.ts";
import { placeAt } from "../../console/pages/configuration-editor/yaml-place.ts";
import { documentJsonSchema, publishedSchema } from "../../lib/config/json-schema.ts";

/** As the worker makes it. */
const SCHEMA = publishedSchema(documentJsonSchema()) as Schema;

/** What is offered at the end of a text. */
function offered(text: string): readonly string[] {
  const place = placeAtEnd(text);
  return place === undefined ? [] : suggestionsAt(SCHEMA, place).map(({ label }) => label);
}

function placeAtEnd(text: string) {
  const lines = text.split("\n");
  return placeAt(lines, lines.length - 1, lines.at(-1)?.length ?? 0);
}

describe("what the editor offers", () => {
  test("keys at the top, without those that are there", () => {
    expect(offered("version: v1\nlogger:\n  level: info\n")).toEqual(
      expect.arrayContaining(["apps", "http", "oidcProvider", "limits"]),
    );
    expect(offered("logger:\n  level: info\n")).not.toContain("logger");
  });

  test("keys of a section, and values of a key", () => {
    expect(offered("logger:\n  ")).toEqual(expect.arrayContaining(["level", "jsonOutput"]));
    expect(offered("logger:\n  level: ")).toEqual(["debug", "info", "warn", "error"]);
    expect(offered("console:\n  enabled: ")).toEqual(["true", "false"]);
  });

  test("the kinds of apps, and keys of the kind that is written alone", () => {
    expect(offered("apps:\n  - type: ")).toEqual(expect.arrayContaining(["mcpProxy", "mcpBridge", "proxy"]));
    const ofBridge = offered("apps:\n  - name: a\n    type: mcpBridge\n    ");
    expect(ofBridge).toContain("openapi");
    expect(offered("apps:\n  - name: a\n    type: proxy\n    ")).not.toContain("openapi");
    expect(offered("apps:\n  - name: a\n    ")).toContain("openapi");
    expect(offered("apps:\n  - name: a\n    type: mcpBridge\n    openapi:\n      spec:\n        ")).toEqual(
      expect.arrayContaining(["uri", "data"]),
    );
  });

  test("nothing where the schema knows nothing", () => {
    expect(offered("nothing:\n  of: ")).toEqual([]);
    expect(offered("__proto__:\n  ")).toEqual([]);
    expect(offered("constructor:\n  ")).toEqual([]);
  });

  test("a scalar is written beside its key, a section below it", () => {
    const all = suggestionsAt(SCHEMA, placeAtEnd("console:\n  ") as NonNullable<ReturnType<typeof placeAt>>);
    expect(all.find(({ label }) => label === "enabled")?.text).toBe("enabled: ");
    const top = suggestionsAt(SCHEMA, placeAtEnd("") as NonNullable<ReturnType<typeof placeAt>>);
    expect(top.find(({ label }) => label === "apps")?.text).toBe("apps:");
  });

  test("help says what a key is for, what it takes and what it is without", () => {
    const place = placeAtEnd("logger:\n  level: ");
    const schema = place === undefined ? undefined : schemaOfKey(SCHEMA, place);
    const help = helpOf(schema ?? {});
    expect(help[0]?.words.length).toBeGreaterThan(5);
    expect(help).toContainEqual({ words: "Accepted:", code: "debug, info, warn, error" });
    expect(help).toContainEqual({ words: "Default:", code: "info" });
  });
});
