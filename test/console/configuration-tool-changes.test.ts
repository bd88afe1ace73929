import { expect, test } from "vitest";
import { parse } from "yaml";
import { edited } from "../../console/configuration-check/edits.ts";
import type { ToolSettings } from "../../console/configuration-check/protocol.ts";

interface ToolEdit {
  /** Keys of the app `books`, which is a REST API, and of the document. */
  readonly app: object;
  readonly document?: object;
  readonly changes: readonly (readonly [original: string, from: Partial<ToolSettings>, to: Partial<ToolSettings>])[];
}

function toolEdit({
  app,
  document = {},
  changes,
}: ToolEdit): { readonly data: unknown } | { readonly refused: string } {
  const { apps = [], ...rest } = document as { readonly apps?: readonly object[] };
  const data = { ...rest, apps: [{ name: "books", type: "mcpBridge", ...app }, ...apps] };
  const result = edited(JSON.stringify(data, null, 2), {
    kind: "tools",
    app: { index: 0, name: "books" },
    changes: changes.map(([original, from, to]) => {
      const settings = { original, pattern: `GET /${original}`, aliases: [original], tags: [], isOffered: true };
      return { from: { ...settings, ...from }, to: { ...settings, ...from, ...to } };
    }),
  });
  return "text" in result ? { data: parse(result.text) } : result;
}

const inbound = (tools: readonly object[]) => ({ authorization: { inbound: { tools } } });
const entry = (name: string, ...scopes: readonly string[]) => ({ name, scopes });
const EVERY_OTHER = entry("/.*/");
const HIDDEN = { isOffered: false };

/** What `authorization.inbound.tools` becomes. Tools without an entry stay as closed, or as open, as they were. */
const CLOSED: readonly (readonly [what: string, edit: readonly object[], ToolEdit["changes"], after: unknown])[] = [
  ["the only one is emptied", [entry("pay", "s")], [["pay", { scopes: ["s"] }, { scopes: undefined }]], [entry("pay")]],
  ["the only one is hidden", [entry("pay", "s")], [["pay", { scopes: ["s"] }, HIDDEN]], [entry("pay", "s")]],
  [
    "all are hidden",
    [entry("pay", "s"), entry("get", "r")],
    [
      ["pay", { scopes: ["s"] }, HIDDEN],
      ["get", { scopes: ["r"] }, HIDDEN],
    ],
    [entry("pay", "s"), entry("get", "r")],
  ],
  [
    "the only one is hidden while another gets some",
    [entry("pay", "s")],
    [
      ["pay", { scopes: ["s"] }, HIDDEN],
      ["get", {}, { scopes: ["r"] }],
    ],
    [entry("get", "r")],
  ],
  [
    "one of two is emptied",
    [entry("pay", "s"), entry("get", "r")],
    [["pay", { scopes: ["s"] }, { scopes: undefined }]],
    [entry("pay"), entry("get", "r")],
  ],
  [
    "one is emptied that a pattern is for",
    [entry("pay", "s"), entry("/p.*/", "r")],
    [["pay", { scopes: ["s"] }, { scopes: undefined }]],
    [entry("/p.*/", "r")],
  ],
  [
    "the last beside one for all others is hidden",
    [entry("pay", "s"), EVERY_OTHER],
    [["pay", { scopes: ["s"] }, HIDDEN]],
    undefined,
  ],
];

test.each(CLOSED)("scopes of a tool open no other when %s", (_, before, changes, after) => {
  const { data } = toolEdit({ app: inbound(before), changes }) as {
    readonly data: { readonly apps: readonly object[] };
  };
  expect(data.apps[0]).toEqual(
    expect.objectContaining(after === undefined ? { type: "mcpBridge" } : inbound(after as readonly object[])),
  );
  expect(JSON.stringify(data).includes('"inbound"')).toBe(after !== undefined);
});

const stepUp = (...tools: readonly string[]) => ({
  authorization: { inbound: { stepUp: [{ tools, acr: "strong" }] } },
});
const rules = (...tools: readonly string[]) => ({ tools: { rules: [{ tools, approval: { by: "owners" } }] } });
const limits = (tool: unknown, more: object = {}) => ({
  limits: [{ name: "few", for: { ...more, tool }, rate: "1/m" }],
});
const renaming = (from: string, to: string): ToolEdit["changes"][number] => [from, {}, { name: to }];
const BOARD = { name: "board", type: "mcpProxy" };
const SWAPPED = [renaming("b", "c"), renaming("c", "b")];
const SHIFTED = [renaming("b", "c"), renaming("c", "d")];

const RENAMED: readonly (readonly [what: string, edit: ToolEdit, after: object])[] = [
  ["swapped ones", { app: stepUp("b"), changes: SWAPPED }, { apps: [stepUp("c")] }],
  ["one that takes another's", { app: stepUp("b"), changes: SHIFTED }, { apps: [stepUp("c")] }],
  [
    "one that takes another's, the other way round",
    { app: rules("b"), changes: SHIFTED.toReversed() },
    { apps: [rules("c")] },
  ],
  [
    "swapped ones with scopes",
    { app: inbound([entry("b", "x"), entry("c", "y"), EVERY_OTHER]), changes: SWAPPED },
    { apps: [inbound([entry("c", "x"), entry("b", "y"), EVERY_OTHER])] },
  ],
  [
    "one that a pattern behind its own entry is for",
    { app: inbound([entry("t", "x"), entry("/t.*/", "y")]), changes: [renaming("t", "z")] },
    { apps: [inbound([entry("z", "x"), entry("/t.*/", "y")])] },
  ],
  [
    "one that gets scopes of its own",
    { app: inbound([entry("/t.*/", "x"), EVERY_OTHER]), changes: [["t", {}, { name: "z", scopes: ["y"] }]] },
    { apps: [inbound([entry("/t.*/", "x"), entry("z", "y"), EVERY_OTHER])] },
  ],
  ["one with a limit", { app: {}, document: limits("t"), changes: [renaming("t", "z")] }, limits("z")],
  [
    "one with a limit of the app",
    {
      app: {},
      document: { apps: [BOARD], ...limits(["t", "/a.*/"], { app: "books" }) },
      changes: [renaming("t", "z")],
    },
    limits(["z", "/a.*/"], { app: "books" }),
  ],
  [
    "one with a limit that another app may need",
    { app: {}, document: { apps: [BOARD], ...limits("t") }, changes: [renaming("t", "z")] },
    limits(["t", "z"]),
  ],
  [
    "one with a limit of another app",
    {
      app: {},
      document: { apps: [BOARD], ...limits(["t", "/t.*/"], { app: "board" }) },
      changes: [renaming("t", "z")],
    },
    limits(["t", "/t.*/"], { app: "board" }),
  ],
];

test.each(RENAMED)("new names of tools keep what was said of the old ones: %s", (_, edit, after) => {
  expect(toolEdit(edit)).toMatchObject({ data: after });
});

const NOT_RENAMED: readonly (readonly [what: string, edit: ToolEdit, words: RegExp])[] = [
  [
    "step-up by a pattern",
    { app: stepUp("/delete.*/"), changes: [renaming("deleteBook", "removeBook")] },
    /^deleteBook cannot be renamed to removeBook by a form: apps\[0\]\.authorization\.inbound\.stepUp\[0\]\.tools has \/delete\.\*\/, which matches only the old name/,
  ],
  [
    "an approval by a pattern",
    { app: rules("b", "/delete.*/"), changes: [renaming("deleteBook", "removeBook")] },
    /tools\.rules\[0\]\.tools has \/delete\.\*\/, which matches only the old name/,
  ],
  [
    "an approval by a pattern that is for the new name",
    { app: rules("/delete.*/"), changes: [renaming("removeBook", "deleteBook")] },
    /tools\.rules\[0\]\.tools has \/delete\.\*\/, which matches only the new name/,
  ],
  [
    "scopes by a pattern",
    { app: inbound([entry("/t.*/", "s"), EVERY_OTHER]), changes: [renaming("t", "zz")] },
    /inbound\.tools\[0\]\.name has \/t\.\*\/, which matches only the old name/,
  ],
  [
    "scopes by a pattern in front of the own entry",
    { app: inbound([entry("/z.*/"), entry("t", "s")]), changes: [["t", { scopes: ["s"] }, { name: "zz" }]] },
    /inbound\.tools\[0\]\.name has \/z\.\*\/, which matches only the new name/,
  ],
  [
    "scopes by a pattern once its own are emptied",
    {
      app: inbound([entry("t", "a"), entry("/t.*/", "s"), EVERY_OTHER]),
      changes: [["t", { scopes: ["a"] }, { name: "zz", scopes: undefined }]],
    },
    /inbound\.tools\[1\]\.name has \/t\.\*\/, which matches only the old name/,
  ],
  [
    "scopes of its account by a pattern",
    {
      app: { authorization: { outbound: { userToken: { tools: [entry("/t.*/")] } } } },
      changes: [renaming("t", "zz")],
    },
    /userToken\.tools\[0\]\.name has/,
  ],
  [
    "its token by a pattern",
    {
      app: { authorization: { outbound: { tokenExchange: { tools: [entry("/t.*/")] } } } },
      changes: [renaming("t", "zz")],
    },
    /tokenExchange\.tools\[0\]\.name has/,
  ],
  [
    "a limit by a pattern",
    { app: {}, document: limits("/t.*/"), changes: [renaming("t", "zz")] },
    /: limits\[0\]\.for\.tool has \/t\.\*\/, which matches only the old name/,
  ],
  [
    "a limit by a pattern that is for the new name",
    { app: {}, document: limits(["a", "/z.*/"], { app: ["books"] }), changes: [renaming("t", "zz")] },
    /: limits\[0\]\.for\.tool has \/z\.\*\/, which matches only the new name/,
  ],
];

test.each(NOT_RENAMED)("a new name that would change %s is refused", (_, edit, words) => {
  expect(toolEdit(edit)).toEqual({ refused: expect.stringMatching(words) });
});

test("what names a tool that is turned off is taken out, and entries for others stay", () => {
  const group = (...tools: readonly string[]) => ({ tools, acr: "strong" });
  const app = (entries: readonly object[]) => ({
    authorization: { inbound: { stepUp: entries } },
    tools: { rules: entries },
  });
  const before = app([group("t"), group("a", "t"), group("/t.*/"), group("b")]);
  expect(toolEdit({ app: before, changes: [["t", {}, HIDDEN]] })).toMatchObject({
    data: { apps: [app([group("a"), group("/t.*/"), group("b")])] },
  });
});
