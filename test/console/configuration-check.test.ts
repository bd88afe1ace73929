import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkText } from "../../console/configuration-check/check.ts";
import { namedDocuments } from "../../console/configuration-check/named-documents.ts";
import { prepare } from "../../console/configuration-check/prepare.ts";
import { loadConfiguration } from "../../infra/node/load-configuration.ts";
import { ConfigurationError } from "../../lib/config/messages.ts";

const QUICKSTART = "examples/quickstart/countersign.yaml";

async function check(text: string, files: Readonly<Record<string, string>> = {}) {
  return checkText(
    text,
    namedDocuments({ files, mayFetch: false }, new Map(), () => undefined),
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
  expect(prepare(artifact, undefined)).toEqual({ changes: [], hazards: [], artifact });
});
