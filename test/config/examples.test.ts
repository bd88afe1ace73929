import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadConfiguration } from "../../infra/node/load-configuration.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";

const example = (name: string) =>
  loadConfiguration(fileURLToPath(new URL(`../../examples/${name}/countersign.yaml`, import.meta.url)));

describe("the edge example", () => {
  test.each([
    ["workers", "us"],
    ["workers", "uk"],
    ["lambda", "us"],
    ["lambda", "uk"],
  ] as const)("starts on %s in %s without a warning", async (runtime, region) => {
    const environment = {
      PUBLIC_URL: `https://${region}.example`,
      REGION: region,
      UPSTREAM_URL: "https://library.example",
      CS_COUNTERSIGN_SETUP_TOKEN: "a setup token of some length",
      CS_COUNTERSIGN_ID_SECRET: "dGVzdC1zZWNyZXQtZm9yLWNsaWVudC1pZHMtMzJieXQ",
    };
    const secrets = environmentSecrets(environment)("env://CS_");
    const artifact = JSON.parse(JSON.stringify(await example("edge")));
    const { configuration, warnings } = await resolveConfiguration(artifact, { environment, secrets, runtime });
    expect(warnings).toEqual([]);
    expect(configuration).toMatchObject({
      oidcProvider: { region, issuer: `https://${region}.example` },
      mcpProvider: {
        stream: { path: "/mcp", resource: `https://${region}.example/mcp` },
        oauth: { servers: [{ introspection: { tokenPrefix: `cst_${region}_` } }] },
      },
      apps: [{ baseURL: "https://library.example" }],
    });
  });
});

test("the quickstart starts without environment, secrets and warnings", async () => {
  const artifact = await example("quickstart");
  expect(artifact.placeholders).toEqual([]);
  const secrets = environmentSecrets({})("env://");
  const { warnings } = await resolveConfiguration(artifact, { environment: {}, secrets, runtime: "node" });
  expect(warnings).toEqual([]);
});
