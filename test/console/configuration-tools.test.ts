import { expect, test } from "vitest";
import { checkText } from "../../console/configuration-check/check.ts";
import { documentFacts } from "../../console/configuration-check/document-facts.ts";
import { edited } from "../../console/configuration-check/edits.ts";
import { namedDocuments } from "../../console/configuration-check/named-documents.ts";
import { toolsOf } from "../../console/configuration-check/tools-of-app.ts";
import { appNameOf } from "../../console/pages/configuration-editor/app-name.ts";

const responses = { 200: { description: "Done." } };
const URI = "https://books.example/openapi.json";
const API = {
  openapi: "3.1.0",
  info: { title: "Books", version: "1" },
  servers: [{ url: "/v1" }],
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      login: { type: "http", scheme: "basic" },
      certificate: { type: "mutualTLS" },
    },
  },
  paths: {
    "/books": {
      get: { operationId: "listBooks", summary: "All books", tags: ["reading"], responses },
      delete: { operationId: "burnBooks", tags: ["burning"], responses },
      trace: { responses },
    },
  },
};

function documents(api: unknown = API) {
  const files = { [URI]: typeof api === "string" ? api : JSON.stringify(api) };
  return namedDocuments({ files, mayFetch: false }, new Map(), () => undefined);
}

test("a document tells its tools, what is left out and why, where the API is and what it asks for", async () => {
  expect(await documentFacts(URI, documents())).toEqual({
    tools: [
      expect.objectContaining({ name: "listBooks", operation: "GET /books", isReadOnly: true, isDestructive: false }),
      expect.objectContaining({
        name: "burnBooks",
        operation: "DELETE /books",
        isReadOnly: false,
        isDestructive: true,
      }),
    ],
    leftOut: [{ operation: "TRACE /books", reason: "unsupported method" }],
    ...{ title: "Books", serverURL: "https://books.example/v1" },
    schemes: [
      { name: "key", kind: "apiKey" },
      { name: "login", kind: "basic" },
    ],
    problems: [],
  });
});

test.each([
  ["is none", "nothing", /./],
  ["is broken", '{"openapi": ', /Line 1/],
  ["has no paths", { openapi: "3.1.0" }, /info/],
])("a document that %s is told in words", async (_, api, words) => {
  const { tools, problems } = await documentFacts(URI, documents(api));
  expect([tools, problems.join()]).toEqual([[], expect.stringMatching(words)]);
});

const BRIDGE = `apps:
  - name: books
    type: mcpBridge
    openapi:
      spec: { uri: ${URI} }
`;

const SETTINGS: readonly (readonly [what: string, keys: string, tool: object])[] = [
  ["nothing", "", { settings: { original: "listBooks", pattern: "GET /books", isOffered: true } }],
  ["its operationId in exclude", "      exclude: [listBooks]\n", { settings: { isOffered: false } }],
  ["its tag in exclude", "      exclude: [reading]\n", { settings: { isOffered: false }, hiddenBy: "reading" }],
  ["another tag in include", "      include: [burning]\n", { settings: { isOffered: false } }],
  ["a pattern in include", "      include: ['/GET .*/']\n", { settings: { isOffered: true } }],
  [
    "a new name with scopes of its own and of others",
    "      overrides: { listBooks: { name: books, description: Mine } }\n    authorization:\n      inbound:\n        tools:\n          - { name: books, scopes: [a] }\n          - { name: /.*/, scopes: [b] }\n",
    { settings: { name: "books", description: "Mine", scopes: ["a"] } },
  ],
  [
    "scopes of a pattern",
    "    authorization:\n      inbound:\n        tools: [{ name: /list.*/, scopes: [b] }]\n",
    { scopesOfPattern: { name: "/list.*/", scopes: ["b"] } },
  ],
];

test.each(SETTINGS)("a tool has %s", async (_, keys, tool) => {
  const { tools } = await toolsOf(BRIDGE + keys, { index: 0, name: "books" }, [], documents());
  expect(tools.find(({ settings }) => settings.original === "listBooks")).toMatchObject(tool);
});

/** Tools are named by method and path, by operationId, by tags with others, and by patterns. */
test.each([
  ["include: [GET /books, DELETE /books]", "include: [DELETE /books]"],
  ["include: [GET /books, reading]", "include: [GET /books, reading]\n      exclude:\n        - GET /books"],
  ["include: [reading, burning]", "include: [reading, burning]\n      exclude:\n        - GET /books"],
  ["include: [GET /books, listBooks]", "include: [GET /books, listBooks]\n      exclude:\n        - GET /books"],
  ["include: [GET /books, /read.*/]", "include: [GET /books, /read.*/]\n      exclude:\n        - GET /books"],
])("a tool that is turned off with %s is not offered any more", async (before, after) => {
  const place = { index: 0, name: "books" };
  const settingsOf = async (text: string) => {
    const { tools } = await toolsOf(text, place, [], documents());
    return tools.map(({ settings }) => settings);
  };
  const text = `${BRIDGE}      ${before}\n`;
  const [from] = await settingsOf(text);
  if (from === undefined) throw new Error("The document has tools.");
  const off = edited(text, { kind: "tools", app: place, changes: [{ from, to: { ...from, isOffered: false } }] });
  expect(off).toEqual({ text: `${BRIDGE}      ${after}\n` });
  expect(await settingsOf("text" in off ? off.text : "")).toMatchObject([{ isOffered: false }, {}]);
});

test("the tools of an MCP server are those that it has told and those that the text names", async () => {
  const text = `apps:
  - name: board
    type: mcpProxy
    upstream: { stream: { url: https://board.example/mcp } }
    tools: { exclude: [burnNotices, /get.*/] }
`;
  const { tools } = await toolsOf(
    text,
    { index: 0, name: "board" },
    [{ name: "getNotice", annotations: { readOnlyHint: true } }],
    documents(),
  );
  expect(tools).toMatchObject([
    { settings: { original: "getNotice", isOffered: false }, hiddenBy: "/get.*/", isReadOnly: true },
    { settings: { original: "burnNotices", isOffered: false } },
  ]);
});

test("apps are listed also where the text has mistakes", async () => {
  const { result } = await checkText(
    `${BRIDGE}  - name: 3\n  - type: mcpProxy\n    upstream: { sse: {} }\n`,
    documents(),
  );
  expect(result).toMatchObject({
    isValid: false,
    hasGateway: false,
    apps: [
      { name: "books", type: "mcpBridge" },
      { name: "", type: "other" },
      { name: "", type: "mcpProxy" },
    ],
  });
});

test.each([
  ["https://books.example.com/openapi.json", "books"],
  ["https://api.books.example/v3/api-docs", "books"],
  ["https://example.com/specs/book-store.openapi.yaml", "book-store"],
  ["file://my%20books.json", "my_books"],
  ["https://mcp.board.example/mcp", "board2"],
  ["nothing", "app"],
  ["file://openapi.yaml", "library", "The Library API 1.0"],
  ["http://localhost:8081/openapi.json", "petstore", "Swagger Petstore - OpenAPI 3.0"],
  ["file://openapi.yaml", "app", "API"],
])("an app with the address %s can be called %s", (address, name, title?: string) => {
  expect(appNameOf(address, [{ name: "board", type: "mcpProxy" }], title)).toBe(name);
});
