import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorkplace, type Workplace } from "./countersign.ts";

let at: Workplace;
const claims = (more: Readonly<Record<string, unknown>> = {}) => {
  const file = join(at.folder, "claims.json");
  const said = {
    iss: at.url,
    aud: `${at.url}/mcp`,
    sub: "a-person",
    client_id: "an-agent",
    scope: "tags:read",
    ...more,
  };
  writeFileSync(file, JSON.stringify(said));
  return file;
};
const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "Tags", version: "1" },
  paths: { "/tags": { get: { operationId: "listTags", responses: { 200: { description: "Tags." } } } } },
};

beforeAll(async () => {
  at = await createWorkplace();
  const document = readFileSync(at.config, "utf8");
  const server = `${at.url}/.well-known/openid-configuration`;
  const inbound = { cel: 'agent.clientID == "an-agent"', tools: [{ name: "listTags", scopes: ["tags:read"] }] };
  const spec = { data: JSON.stringify(OPENAPI) };
  const app = {
    type: "mcpBridge",
    name: "tags",
    mode: "openapi",
    openapi: { baseURL: "https://tags.example", spec },
    authorization: { inbound },
  };
  const tokenValidation = { method: "jwt", expectedAudiences: [`${at.url}/mcp`] };
  const metadataPath = "/.well-known/oauth-protected-resource";
  const oauth = { enabled: true, metadataPath, servers: [{ wellKnownEndpoint: server, tokenValidation }] };
  const transports = { stream: { enabled: true, path: "/mcp" } };
  const mcpProvider = { enabled: true, transports, authorization: { oauth } };
  writeFileSync(
    at.config,
    `${document.trimEnd()}\n  - ${JSON.stringify(app)}\nmcpProvider: ${JSON.stringify(mcpProvider)}\n`,
  );
});
afterAll(() => at.remove());

test("explain says why a call would be made, and exits with 0", async () => {
  const { code, stdout, stderr } = await at.countersign("explain", "-tool", "tags_listTags", "-claims", claims());
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(
    [
      "token       allowed  agent an-agent for a-person",
      "tool        allowed  GET /tags of the app tags, if the person belongs to the instance's first organization, or it is the only one",
      "scopes      allowed  the token has tags:read",
      "sign-in     allowed  any will do",
      "policy      allowed  cel: allows the call",
      "lists       allowed  cel: shows the tool",
      "credential  allowed  calls carry none",
      "tags_listTags: allowed",
      "",
    ].join("\n"),
  );
});

test("explain says why not, as JSON, and exits with 1", async () => {
  const file = claims({ scope: "" });
  const { code, stdout } = await at.countersign("explain", "-tool", "tags_listTags", "-claims", file, "-json");
  expect(code).toBe(1);
  const { decision, steps } = JSON.parse(stdout) as { decision: string; steps: { step: string; decision: string }[] };
  expect(decision).toBe("denied");
  expect(steps.filter((step) => step.decision === "denied").map(({ step }) => step)).toEqual(["scopes"]);
});

test.each([
  [["-claims", "claims.json"], "-tool is required"],
  [["-tool", "tags_listTags"], "-claims is required"],
  [["-tool", "tags_listTags", "-claims", "/nowhere"], "/nowhere cannot be read"],
])("explain with %j tells what is missing", async (args, message) => {
  const { code, stdout, stderr } = await at.countersign("explain", ...args);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(message);
});
