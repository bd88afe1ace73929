import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mistakes, warningsOf } from "./support.ts";

const page = readFileSync(new URL("../../docs/web-apps.md", import.meta.url), "utf8");

/** A whole instance, and apps of others. */
const [instance = "", ...pieces] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
const secrets = { S_CORP_CLIENT_SECRET: "a secret of the instance at its provider" };

/** What the pieces with agents and programs presuppose. */
const PROVIDER = `oidcProvider: { region: us, registration: { clientIDMetadata: false } }
mcpProvider:
  enabled: true
  transports: { stream: { enabled: true, path: /mcp } }
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: https://apps.example.com/.well-known/openid-configuration
          tokenValidation:
            method: auto
            expectedAudiences: ["https://apps.example.com/mcp"]
            introspection: { clientID: gateway, clientSecret: unused, timeout: 2s }
`;

test("the first configuration of the page on web apps is served without a warning", async () => {
  expect(await mistakes(instance)).toEqual([]);
  expect(await warningsOf(instance, { secrets })).toEqual([]);
});

test("its app is ten lines", () => {
  expect(instance.slice(instance.indexOf("apps:\n")).trimEnd().split("\n").length - 1).toBeLessThanOrEqual(10);
});

test("every other app of the page is accepted and served", async () => {
  expect(pieces).toHaveLength(5);
  const head = instance.slice(0, instance.indexOf("apps:\n")) + PROVIDER;
  for (const piece of pieces) {
    expect(await mistakes(head + piece)).toEqual([]);
    const warnings = await warningsOf(head + piece, { secrets });
    expect(warnings.filter((text) => /not served|DANGEROUS|nobody/.test(text))).toEqual([]);
  }
});
