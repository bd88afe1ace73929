import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHandler } from "../../../infra/aws/handler.ts";
import { startServer } from "../../../infra/node/server.ts";
import { compiled, warningsOf } from "../../config/support.ts";
import { compiledConfiguration } from "../../infra-cloudflare/support/configuration.ts";
import { workerHarness } from "../../infra-cloudflare/support/harness.ts";
import { freePort } from "../../support/free-port.ts";
import { WITHOUT_TABLES } from "../../support/lambda-environment.ts";

const WARNING = "OAuth is off: callers have no identity and every tool is open to whoever reaches the gateway";

const document = (http: string, authorization = "") => `version: "1"
http: {${http}}
logger: {jsonOutput: true}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}${authorization}
`;
const EDGE = document('publicURL: "https://gw.example"');

function expectWarning(lines: readonly string[]): void {
  const entries = lines.filter((line) => line.includes(WARNING));
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatch(/"level":"warn"/i);
}

test.each(["", "\n  authorization: {oauth: {enabled: false}}"])(
  "a configuration without OAuth is warned about on every runtime, written as %j",
  async (authorization) => {
    for (const runtime of ["node", "workers", "lambda"] as const) {
      const warnings = await warningsOf(document('publicURL: "https://gw.example"', authorization), { runtime });
      expect(warnings).toContain(`mcpProvider.authorization.oauth.enabled: ${WARNING}`);
    }
  },
);

test("on Node the start says that OAuth is off", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-open-"));
  const lines: string[] = [];
  const server = await startServer({
    artifact: await compiled(`${document(`address: "127.0.0.1:${await freePort()}"`)}store: {path: "${folder}"}\n`),
    environment: {},
    secrets: { get: () => Promise.reject(new Error("there are no secrets")) },
    verbose: false,
    write: (line) => lines.push(line),
    announceSetupToken: () => undefined,
  });
  await server.stop();
  rmSync(folder, { recursive: true });
  expectWarning(lines);
});

test("on Lambda the start says that OAuth is off", async () => {
  const lines: string[] = [];
  const artifact = await compiled(EDGE);
  await createHandler({ artifact, environment: WITHOUT_TABLES, write: (line) => lines.push(line) });
  expectWarning(lines);
});

test("on Workers the start says that OAuth is off", async () => {
  const configuration = await compiledConfiguration(EDGE);
  const harness = workerHarness({ region: "us", configuration: configuration.path, vars: {} });
  await harness.listen();
  const answer = await harness.getWorker().fetch("/nowhere");
  await answer.body?.cancel();
  expectWarning(harness.getLogs().map(({ message }) => message));
  await harness.close();
  await configuration.remove();
});
