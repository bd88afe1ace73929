import { execFile } from "node:child_process";
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientSnippets } from "../../console/mcp-clients/client-snippets.ts";
import { keyFileName } from "../../console/pages/api-client/key-file-name.ts";
import { pythonSnippet } from "../../console/pages/api-client/snippets/python.ts";
import { shellSnippet } from "../../console/pages/api-client/snippets/shell.ts";
import type { Snippet, SnippetFacts } from "../../console/pages/api-client/snippets/snippet.ts";
import { typescriptSnippet } from "../../console/pages/api-client/snippets/typescript.ts";
import { tokenUse } from "../../console/pages/api-client/snippets/use-token.ts";
import { createWorkplace, INTROSPECTOR, type Workplace } from "../cli/countersign.ts";

const ROOT = join(import.meta.dirname, "../..");
const SCOPES = ["audit:read", "notes:read"];
const run = promisify(execFile);

let at: Workplace;
let server: { stop(): Promise<void> };
let facts: SnippetFacts;
beforeAll(async () => {
  at = await createWorkplace();
  appendFileSync(at.config, gateway(at.url));
  const resource = `${at.url}/mcp`;
  const keyFile = keyFileName("Zoë's ledger", "-bc_123456789");
  const create = ["client", "create", "-name", "Ledger", "-scopes", SCOPES.join(","), "-resources", resource];
  const made = await at.countersign(...create, "-keyOut", join(at.folder, keyFile));
  facts = { issuer: at.url, clientId: JSON.parse(made.stdout).clientId, keyFile, resource };
  symlinkSync(join(ROOT, "node_modules"), join(at.folder, "node_modules"));
  symlinkSync(join(ROOT, "infra/node/countersign.js"), join(at.folder, "countersign"));
  server = await at.serve();
});
afterAll(async () => {
  await server?.stop();
  at?.remove();
});

test.each([
  ["the shell", shellSnippet],
  ["TypeScript", typescriptSnippet],
])("the snippet for %s gets a token for the gateway, which lists the tools", async (_, write) => {
  expect(await paste(write(facts), facts.resource)).toContain('"notes_listNotes"');
});

test.each([
  ["the shell", shellSnippet],
  ["TypeScript", typescriptSnippet],
])("the snippet for %s gets a token for the management API, which reads the audit log", async (_, write) => {
  const page = JSON.parse(await paste(write({ ...facts, resource: undefined }), undefined));
  expect(page.items).toContainEqual(expect.objectContaining({ type: "token.issued", agent: facts.clientId }));
});

test("the snippet for Python gets a token where its libraries are, and is Python wherever that is", async () => {
  const snippet = pythonSnippet(facts);
  if (await succeeds("python3 -c 'import jwt, requests'")) {
    expect(await paste(snippet, facts.resource)).toContain('"notes_listNotes"');
  } else if (await succeeds("python3 --version")) {
    writeFileSync(join(at.folder, "get_token.py"), snippet.code);
    expect(await succeeds("python3 -m py_compile get_token.py")).toBe(true);
  }
});

test("the snippet for an agent in TypeScript lists the tools with a token", async () => {
  writeFileSync(join(at.folder, "agent.mjs"), clientSnippet("TypeScript", "token"));
  const { stdout } = await shell(`${shellSnippet(facts).code}\nexport COUNTERSIGN_TOKEN="$TOKEN"\nnode agent.mjs`);
  expect(stdout).toContain("'notes_listNotes'");
});

test("the snippet for an agent in Python is Python", async () => {
  writeFileSync(join(at.folder, "agent.py"), clientSnippet("Python", "token"));
  if (await succeeds("python3 --version")) expect(await succeeds("python3 -m py_compile agent.py")).toBe(true);
});

test("the page about agents has the snippets of the Console", () => {
  const page = readFileSync(join(ROOT, "docs/agents.md"), "utf8");
  const files = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => JSON.parse(text));
  for (const { code } of clientSnippets("https://gateway.example.com/mcp", "person", "ledger")) {
    if (code.startsWith("{")) expect(files).toContainEqual(JSON.parse(code));
    else expect(page).toContain(code);
  }
});

test.each([
  ["Cursor", "person", { mcpServers: { countersign: { url: "https://a.example/mcp" } } }],
  ["VS Code", "person", { servers: { countersign: { type: "http", url: "https://a.example/mcp" } } }],
  [
    "Cursor",
    "token",
    { mcpServers: { countersign: { headers: { Authorization: `Bearer \${env:COUNTERSIGN_TOKEN}` } } } },
  ],
  [
    "VS Code",
    "token",
    {
      inputs: [{ type: "promptString", id: "token", password: true }],
      servers: { countersign: { headers: { Authorization: `Bearer \${input:token}` } } },
    },
  ],
] as const)("the file for %s, %s, is JSON in its own form", (client, signIn, file) => {
  expect(JSON.parse(clientSnippet(client, signIn, "https://a.example/mcp"))).toMatchObject(file);
});

function clientSnippet(client: string, signIn: "person" | "token", url = `${at.url}/mcp`): string {
  return clientSnippets(url, signIn).find((one) => one.client === client)?.code ?? "";
}

test("names that would be code to a shell or a program stay what they are", async () => {
  const strange = 'it\'s $(touch broken) "quoted" \\ #';
  const { stdout } = await shell(
    `countersign() { printf '%s' "$7"; }\n${shellSnippet({ ...facts, keyFile: strange }).code.slice("TOKEN=$(".length, -1)}`,
  );
  expect(stdout).toBe(strange);
  for (const write of [typescriptSnippet, pythonSnippet]) {
    expect(write({ ...facts, keyFile: strange }).code).toContain(JSON.stringify(strange));
  }
});

test("a private key's file is named in plain characters after its client and its fingerprint", () => {
  expect(keyFileName("Nightly ledger", "mFksiWakqz8fhnD0")).toBe("Nightly-ledger-mFksiWak.pem");
  expect(keyFileName("Zoë's / ../ledger\u202E", "-b_456789")).toBe("Zoe-s-..-ledger--b_45678.pem");
  expect(keyFileName("帳簿", "abcdefghij")).toBe("api-client-abcdefgh.pem");
});

test("nothing is called with a token that may read nothing", () => {
  expect(tokenUse(instance(), ["sessions:write"], undefined)).toBeUndefined();
});

/** The snippet and what stands below it, in one shell, in the folder with the key; resolves with what it prints. */
async function paste({ code, file, run: setToken }: Snippet, resource: string | undefined): Promise<string> {
  if (file !== undefined) writeFileSync(join(at.folder, file), code);
  const { stdout } = await shell(["set -e", setToken ?? code, tokenUse(instance(), SCOPES, resource)?.code].join("\n"));
  return stdout;
}

function shell(script: string) {
  const PATH = [at.folder, dirname(process.execPath), process.env.PATH].join(delimiter);
  return run("sh", ["-c", script], { cwd: at.folder, env: { PATH } });
}

function succeeds(script: string): Promise<boolean> {
  return shell(script).then(
    () => true,
    () => false,
  );
}

function instance() {
  const mcp = `${at.url}/mcp`;
  return { managementAudience: `${at.url}/api/v1`, mcpURLs: [mcp], resources: [{ url: mcp, name: "MCP" }] };
}

const gateway = (url: string) => `
  - type: mcpBridge
    name: notes
    mode: openapi
    openapi:
      spec:
        uri: file://${join(ROOT, "test/support/upstream.openapi.yaml")}
      baseURL: http://127.0.0.1:9
    authorization:
      inbound:
        tools:
          - name: /.*/
            scopes: [notes:read]
      outbound:
        type: unprotected
mcpProvider:
  enabled: true
  serverName: Notes
  transports:
    stream:
      enabled: true
      path: /mcp
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: ${url}/.well-known/openid-configuration
          tokenValidation:
            method: introspection
            expectedAudiences:
              - ${url}/mcp
            introspection:
              clientID: ${INTROSPECTOR.clientId}
              clientSecret: ${INTROSPECTOR.secret}
              timeout: 2s
              tokenPrefix: cst_us_
`;
