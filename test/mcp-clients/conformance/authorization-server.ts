import { deepStrictEqual, ok } from "node:assert/strict";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { authProviderConfiguration } from "../../behaviour/request-flow/configuration.ts";
import { signInByHttp } from "../../behaviour/request-flow/sign-in.ts";
import { startRequestFlow } from "../../behaviour/request-flow/under-test.ts";
import { node } from "../../runtimes/node.ts";
import { freePort } from "../../support/free-port.ts";
import type { Check } from "../check.ts";
import { runProgram } from "../program.ts";

const SCRIPT = "@modelcontextprotocol/conformance/dist/index.js";
const CLIENT_ID = "conformance";

/** A public agent that the configuration knows; its port on loopback is its own affair (RFC 8252 §7.3). */
const AGENT = `apps:
  - type: oidc
    name: conformance suite
    clientID: ${CLIENT_ID}
    public: true
    redirectURLs: [http://127.0.0.1/callback]
    authentication: { idps: [company] }
    allowedAudiences: ["{{ env.PEER_URL }}/mcp"]
`;

/** The suite's scenarios for authorization servers, with a person who signs in at the company when the suite asks. */
export function authorizationServerChecks(home: string): readonly Check[] {
  return [
    {
      name: "conformance of the authorization server: metadata and authorization code, nothing fails or is left out",
      run: async () => {
        const flow = await startRequestFlow(node, authProviderConfiguration.replace("apps:\n", AGENT));
        try {
          const outcomes = await runScenarios(flow.authProvider.url, `${flow.gateway.url}/mcp`, home);
          deepStrictEqual(
            outcomes.map(({ id, status }) => `${id}: ${status}`).sort(),
            [
              "authorization-code-grant: SUCCESS",
              "authorization-server-metadata-cimd: SUCCESS",
              "authorization-server-metadata: SUCCESS",
            ],
            JSON.stringify(outcomes),
          );
        } finally {
          await flow.stop();
        }
      },
    },
  ];
}

interface Outcome {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

async function runScenarios(issuer: string, resource: string, home: string): Promise<readonly Outcome[]> {
  const folder = await mkdtemp(join(home, "authorization-"));
  const port = String(await freePort());
  const redirectURL = `http://127.0.0.1:${port}/callback`;
  let arriving: Promise<unknown> | undefined;
  const { stdout, stderr } = await runProgram(
    SCRIPT,
    ["authorization", "--url", issuer, "--client-id", CLIENT_ID, "--resource", resource, "--port", port, "-o", folder],
    {
      home,
      onStdout: (text) => {
        const page = text
          .split("\n")
          .find((line) => line.startsWith(`${issuer}/oauth2/authorize?`) && line.includes("state="));
        if (page === undefined || !text.includes("Waiting") || arriving !== undefined) return;
        // The suite's own server takes the parameters: what a browser would do with the redirect.
        arriving = signInByHttp(new URL(page), redirectURL).then((parameters) => fetch(`${redirectURL}?${parameters}`));
        arriving.catch(() => undefined);
      },
    },
  );
  await arriving;
  const scenarios = await readdir(folder);
  ok(scenarios.length > 0, `no scenario ran:\n${stdout}\n${stderr}`);
  const results = await Promise.all(scenarios.map((name) => readFile(join(folder, name, "checks.json"), "utf8")));
  return results.flatMap((text) => JSON.parse(text) as readonly Outcome[]);
}
