import { expect, test } from "vitest";
import { circlesOf } from "./imports.ts";
import { checkLayers } from "./rules/layers.ts";

const rows: readonly { readonly name: string; readonly files: Record<string, string>; readonly finds: string[] }[] = [
  {
    name: "imports that point downward, and inside of a layer, pass",
    files: {
      "lib/gateway/call.ts": 'import { a } from "../kernel/a.ts";\nimport type { B } from "../audit/b.ts";\n',
      "lib/kernel/a.ts": "export const a = 1;\n",
      "lib/audit/b.ts": 'import { z } from "zod";\nexport interface B {}\n',
    },
    finds: [],
  },
  {
    name: "an upward import of a value is found",
    files: { "lib/kernel/a.ts": 'import { b } from "../gateway/b.ts";\n', "lib/gateway/b.ts": "export const b = 1;\n" },
    finds: ["lib/kernel/a.ts:1 imports lib/gateway/b.ts"],
  },
  {
    name: "an upward import of a type is found",
    files: {
      "lib/stores/a.ts": 'import { x } from "x";\nimport type {\n  B,\n} from "../mcp/b.ts";\n',
      "lib/mcp/b.ts": "export interface B {}\n",
    },
    finds: ["lib/stores/a.ts:4 imports lib/mcp/b.ts"],
  },
  {
    name: "an upward import that is made later, or inside of a type, is found",
    files: {
      "lib/config/a.ts": 'const b = await import("../application/b.ts");\nlet c: import("../application/b.ts").C;\n',
      "lib/application/b.ts": "export const b = 1;\n",
    },
    finds: ["lib/config/a.ts:1 imports lib/application/b.ts", "lib/config/a.ts:2 imports lib/application/b.ts"],
  },
  {
    name: "a folder without a layer is found",
    files: { "lib/helpers/a.ts": "export const a = 1;\n", "lib/a.ts": "export const a = 1;\n" },
    finds: ["lib/helpers/a.ts lies in lib/helpers", "lib/a.ts lies in lib/a.ts"],
  },
  {
    name: "a circle of files is found, also where a part of it imports types",
    files: {
      "infra/a.ts": 'import { b } from "./b.ts";\n',
      "infra/b.ts": 'import { c } from "./c.ts";\n',
      "infra/c.ts": 'import type { A } from "./a.ts";\n',
    },
    finds: ["infra/a.ts is in a circle of imports: infra/a.ts, infra/b.ts, infra/c.ts."],
  },
  {
    name: "a circle of folders in one layer is found, though its files form none",
    files: {
      "lib/audit/a.ts": 'import { b } from "../directory/b.ts";\n',
      "lib/directory/b.ts": "export const b = 1;\n",
      "lib/directory/c.ts": 'import { d } from "../audit/d.ts";\n',
      "lib/audit/d.ts": "export const d = 1;\n",
    },
    finds: ["lib/audit is in a circle of imports: lib/audit, lib/directory."],
  },
];

test.each(rows)("$name", ({ files, finds }) => {
  const found = checkLayers(Object.entries(files).map(([path, text]) => ({ path, text })));
  const texts = found.map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`} ${message}`);
  expect(texts.map((text, index) => text.slice(0, finds[index]?.length))).toEqual(finds);
});

test("two circles that share no file are told apart", () => {
  const arrows = ["a>b", "b>a", "b>c", "c>d", "d>e", "e>c"].map((arrow) => ({
    from: arrow[0] ?? "",
    to: arrow[2] ?? "",
  }));
  expect(circlesOf(arrows)).toEqual([
    ["c", "d", "e"],
    ["a", "b"],
  ]);
});
