import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkText } from "../../console/configuration-check/check.ts";
import { namedDocuments } from "../../console/configuration-check/named-documents.ts";
import { prepare, render } from "../../console/configuration-check/prepare.ts";
import { loadConfiguration } from "../../infra/node/load-configuration.ts";
import { ConfigurationError } from "../../lib/config/messages.ts";
import { shownDocument } from "../../lib/deployment/document.ts";
import type { ConfigurationDocument } from "../../lib/management/schemas/deployment.ts";
import { NAMES, readPlan } from "../policy/rego/documents.ts";

const QUICKSTART = "examples/quickstart/countersign.yaml";

async function check(
  text: string,
  files: Readonly<Record<string, string>> = {},
  around?: Parameters<typeof checkText>[2],
) {
  return checkText(
    text,
    namedDocuments({ files, mayFetch: false }, new Map(), () => undefined),
    around,
  );
}

test("a configuration with its documents compiles to what the command makes of it", async () => {
  const text = await readFile(QUICKSTART, "utf8");
  const [named] = (await check(text)).result.documents;
  const uri = named?.uri ?? "";
  const openapi = await readFile(`examples/quickstart/${uri.slice("file://".length)}`, "utf8");
  const { artifact, result } = await check(text, { [uri]: openapi });
  expect(result).toMatchObject({ isValid: true, documents: [{ uri, state: "given" }] });
  const { source, ...compiled } = await loadConfiguration(QUICKSTART);
  expect(artifact).toEqual({ ...compiled, source: "countersign.yaml" });
});

test("mistakes have the words, the lines and the order of the command", async () => {
  const text = (await readFile(QUICKSTART, "utf8"))
    .replace("oidcProvider:", "oidcProvidr:")
    .replace("enabled: true", "enabled: perhaps");
  const { artifact, result } = await check(text);
  expect(artifact).toBeUndefined();
  const here = result.messages.filter(({ message }) => !message.startsWith("cannot be read"));
  const folder = await mkdtemp(join(tmpdir(), "countersign-check-"));
  await writeFile(join(folder, "countersign.yaml"), text);
  const refused = await loadConfiguration(join(folder, "countersign.yaml")).catch((error: unknown) => error);
  await rm(folder, { recursive: true });
  expect(refused).toBeInstanceOf(ConfigurationError);
  const theirs = (refused as ConfigurationError).messages.filter(
    ({ message }) => !message.startsWith("cannot be read"),
  );
  expect(here.map(({ line, column, path, message }) => ({ line, column, path, message }))).toEqual(
    theirs.map(({ line, column, path, message }) => ({ line, column, path, message })),
  );
  expect(here.length).toBeGreaterThan(1);
});

test("a secret that is not shown is told at its line, and keeps nobody from comparing", async () => {
  const text = `# (a secret)\n${await readFile(QUICKSTART, "utf8")}`.replace("unused within one process", "(a secret)");
  const [{ uri } = { uri: "" }] = (await check(text)).result.documents;
  const openapi = await readFile(`examples/quickstart/${uri.slice("file://".length)}`, "utf8");
  const { isValid, messages } = (await check(text, { [uri]: openapi })).result;
  const line = text.split("\n").findIndex((one) => one.includes("clientSecret: (a secret)")) + 1;
  const told = messages.filter(({ message }) => message.startsWith("(a secret) stands"));
  expect([isValid, told]).toMatchObject([true, [{ line, column: 29, tone: "warning", isHere: true }]]);
});

test("a secret that is not shown stays as it is in use, is no difference, and is a mistake where none is in use", async () => {
  const secret = `keySecret: ${"k".repeat(43)}`;
  const text = `oidcProvider:\n  region: us\n  discovery:\n    issuer: https://us.example\n  ${secret}\n`;
  const written = `version: "1"\n${text}`;
  const { artifact: inUse } = await check(written);
  if (inUse === undefined) throw new Error("It has mistakes.");
  const { document: keeps } = shownDocument(inUse);
  const hidden = written.replace(secret, "keySecret: (a secret)");
  const { result, artifact } = await check(hidden, {}, { keeps });
  expect(result).toMatchObject({ isValid: true, messages: [] });
  if (artifact === undefined) throw new Error("It has mistakes.");
  const prepared = prepare(artifact, keeps);
  expect(prepared.changes).toEqual([]);
  expect(prepared.artifact).toMatchObject({
    document: { oidcProvider: { keySecret: "(a secret)" } },
    placeholders: [],
  });
  expect(prepared.tryable).toMatchObject({ document: { oidcProvider: { keySecret: null } } });

  const elsewhere = await check(`${hidden}console:\n  setupToken: (a secret)\n`, {}, { keeps });
  const message = expect.stringContaining("none is in use here");
  expect(elsewhere.result).toMatchObject({
    isValid: false,
    messages: [{ line: 8, column: 15, path: "console.setupToken", message, tone: "mistake", isHere: true }],
  });
});

test("a document on another host is not asked for before the person says so", async () => {
  const text =
    "apps:\n  - name: a\n    type: mcpBridge\n    openapi:\n      spec:\n        uri: https://api.example/openapi.json\n";
  const { result } = await check(text);
  expect(result.documents).toEqual([
    { uri: "https://api.example/openapi.json", state: "missing", reason: expect.stringContaining("another host") },
  ]);
});

test("a policy that OPA's command would have to compile is refused with what to do", async () => {
  const policy = (opa: string) =>
    `apps:\n  - name: a\n    type: mcp\n    authorization:\n      inbound:\n        opa:\n          ${opa}\n`;
  const { result } = await check(policy("file: policy.rego"));
  expect(result.messages.map(({ message }) => message)).toContainEqual(
    expect.stringContaining("a browser does not have"),
  );
  const planned = await check(policy("plan: plan.json"));
  expect(planned.result.documents).toMatchObject([{ uri: "file://plan.json", state: "missing" }]);
});

test("changes and hazards are told against the document that is in use", async () => {
  const text = (enabled: boolean) =>
    `version: v1\nhttp:\n  publicURL: https://a.example\nconsole:\n  enabled: ${enabled}\n`;
  const { artifact } = await check(text(false));
  if (artifact === undefined) throw new Error("It has mistakes.");
  const inUse = { version: "v1", http: { publicURL: "https://a.example" }, console: { enabled: true } };
  const { changes, hazards } = prepare(artifact, inUse);
  expect(changes).toEqual([{ path: "console.enabled", from: "true", to: "false" }]);
  expect(hazards.map(({ word }) => word)).toEqual(["no-console"]);
  expect(prepare(artifact, undefined)).toEqual({ changes: [], hazards: [], artifact, tryable: artifact });
});

describe("what is in use serves where documents are not here", () => {
  const BOOKS = JSON.stringify({
    ...{ openapi: "3.1.0", info: { title: "Books", version: "1" }, servers: [{ url: "https://books.example" }] },
    paths: { "/books": { get: { operationId: "listBooks", responses: { 200: { description: "All." } } } } },
  });
  const ELSEWHERE = BOOKS.replace('"get":{', '"get":{"servers":[{"url":"https://other.example"}],');
  const text = (app: string, more = "") =>
    `version: v1\nhttp:\n  publicURL: https://a.example\nmcpProvider:\n  enabled: true\n${more}apps:\n  - name: books\n    type: mcpBridge\n${app}`;
  const named = "    openapi:\n      spec:\n        uri: file://books.json\n";
  const held = "    upstream:\n      headers:\n        X-Key: <books.key>\n";

  /** What the API shows of a configuration that is in use, with what was compiled for it. */
  const inUse = async (written: string, files: Readonly<Record<string, string>> = {}) => {
    const { artifact, result } = await check(written, files);
    if (artifact === undefined) throw new Error(JSON.stringify(result.messages));
    const { catalogs, policies } = artifact;
    return { ...shownDocument(artifact), catalogs, ...(policies && { policies }) } as unknown as ConfigurationDocument;
  };
  const checkBeside = (written: string, before: ConfigurationDocument, files = {}) =>
    checkText(
      written,
      namedDocuments({ files, mayFetch: false }, new Map(), () => undefined),
      { inUse: before },
    );

  test.each([
    ["the text as it was written", text(named + held), text(named + held)],
    ["other limits", text(named), text(named, "limits:\n  - name: all\n    rate: 10/s\n")],
    ["another secret in a header", text(named + held), text((named + held).replace("books.key", "books.other"))],
    ["another base URL", text(named), text(`${named}      baseURL: https://new.example\n`)],
    [
      "another policy",
      text(named),
      text(`${named}    authorization:\n      inbound:\n        rules: [{cel: "true"}]\n`),
    ],
  ])("%s: tools stay as they are in use", async (_, before, after) => {
    const shown = await inUse(before, { "file://books.json": BOOKS });
    const { artifact, result } = await checkBeside(after, shown);
    expect(result).toMatchObject({
      ...{ isValid: true, isLacking: true, tools: 1, documents: [{ uri: "file://books.json", state: "in-use" }] },
    });
    const compiled = await check(after, { "file://books.json": BOOKS });
    expect(artifact).toEqual(compiled.artifact);
  });

  test("a text inside of the configuration, which nobody is shown, stays as it is in use", async () => {
    const shown = await inUse(text(`    openapi:\n      spec:\n        data: '${BOOKS}'\n`));
    const rendered = render(shown.document);
    expect(rendered).not.toContain("spec");
    const { artifact, result } = await checkBeside(rendered, shown);
    expect([result.isValid, result.isLacking, result.tools]).toEqual([true, true, 1]);
    expect(artifact && prepare(artifact, shown.document).changes).toEqual([]);
  });

  test.each([
    ["another choice of operations", text(`${named}      exclude: [nothing]\n`), BOOKS],
    ["another name of a tool", text(`${named}      overrides: {listBooks: {name: find}}\n`), BOOKS],
    ["another namespace", text(`    toolNamespace: {name: b_}\n${named}`), BOOKS],
    ["another header", text(named + held), BOOKS],
    ["another document", text(named.replace("books.json", "more.json")), BOOKS],
    ["another name of the app", text(named).replace("name: books", "name: library"), BOOKS],
    ["another base URL, and operations elsewhere", text(`${named}      baseURL: https://new.example\n`), ELSEWHERE],
    ["a mistake in the document's place", text("    openapi:\n      spec:\n        uri: 5\n"), BOOKS],
  ])("%s: the document is needed", async (_, after, document) => {
    const shown = await inUse(text(named), { "file://books.json": document });
    const { artifact, result } = await checkBeside(after, shown);
    expect(artifact).toBeUndefined();
    expect(result.messages.map(({ path }) => path)).toContainEqual(expect.stringContaining("openapi.spec"));
  });

  test("another kind of credential: the document is needed, which says what it takes", async () => {
    const key = (credential: string) => text(`${named}    upstream:\n      auth:\n        key: ${credential}\n`);
    const components = { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } };
    const document = JSON.stringify({ ...JSON.parse(BOOKS), components, security: [{ key: [] }] });
    const shown = await inUse(key("{value: <a.b>}"), { "file://books.json": document });
    expect((await checkBeside(key("{value: <c.d>}"), shown)).artifact).toBeDefined();
    expect((await checkBeside(key("{username: a, password: <a.b>}"), shown)).artifact).toBeUndefined();
  });

  test("a document that is given is compiled anew", async () => {
    const shown = await inUse(text(named), { "file://books.json": BOOKS });
    const more = BOOKS.replace(
      '"/books":',
      '"/authors":{"get":{"operationId":"listAuthors","responses":{}}},"/books":',
    );
    const { result } = await checkBeside(text(named), shown, { "file://books.json": more });
    expect(result).toMatchObject({ isLacking: false, tools: 2, documents: [{ state: "given" }] });
  });

  test("a policy in Rego stays as it is in use, wherever it stands in the app, and no other does", async () => {
    const policy = (path: string, more = "") =>
      `version: v1\nhttp:\n  publicURL: https://a.example\nmcpProvider:\n  enabled: true\napps:\n  - name: files\n    type: mcpProxy\n    upstream:\n      stream:\n        url: https://mcp.example/mcp\n    authorization:\n      inbound:\n        rules:\n${more}          - opa:\n              plan: ${path}\n`;
    const plan = readPlan(NAMES[0] ?? "");
    const shown = await inUse(policy("plan.json"), { "file://plan.json": JSON.stringify(plan) });
    const { artifact, result } = await checkBeside(policy("plan.json", '          - cel: "true"\n'), shown);
    expect(result).toMatchObject({ isValid: true, documents: [{ uri: "file://plan.json", state: "in-use" }] });
    expect(artifact?.policies).toEqual({ files: { "rules[1].opa": { plan, data: {}, traps: [] } } });
    expect((await checkBeside(policy("other.json"), shown)).artifact).toBeUndefined();
  });

  test.each(["https://a.example/books.json?key=s3cret", "https://user:s3cret@a.example/books.json"])(
    "%s is kept nowhere: it may open a door",
    async (uri) => {
      const { artifact } = await check(text(named.replace("file://books.json", uri)), { [uri]: BOOKS });
      expect(artifact).toBeDefined();
      expect(JSON.stringify(artifact)).not.toContain("s3cret");
    },
  );
});
