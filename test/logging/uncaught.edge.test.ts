import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { TABLE_VARIABLES } from "../../infra/aws/dynamodb/tables.ts";
import { startServer } from "../../infra/node/server.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { behaviourConfiguration } from "../behaviour/configuration.ts";
import { openFaultyProduct } from "../infra-cloudflare/support/faulty.ts";
import { compile, lambda } from "../runtimes/lambda.ts";
import { workerVariables } from "../runtimes/workerd.ts";
import { joinDynamo } from "../support/dynamodb.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";

/** Needs the store to find out that there is no such session. */
const PATH = "/api/v1/me";
const HEADERS = { Cookie: `__Host-countersign-console=${"aB3_".repeat(10)}abc` };
/** Milliseconds in which the engine of a runtime starts. */
const PATIENCE = 120_000;
const UPSTREAM_URL = "http://127.0.0.1:9";

interface Failing {
  send(): Promise<{ readonly status: number; readonly headers: Headers; text(): Promise<string> }>;
  logs(): readonly string[];
}

/** One entry of level error with the stack, and an answer that tells nothing but the id to look for. */
async function expectOneEntry({ send, logs }: Failing): Promise<void> {
  const answer = await send();
  const body = await answer.text();
  expect(answer.status, body).toBe(500);
  const requestId = answer.headers.get("X-Request-Id");
  expect(JSON.parse(body)).toEqual({
    type: "urn:countersign:problem:internal",
    title: "Internal error",
    status: 500,
    detail: "The request could not be completed.",
    instance: `urn:countersign:request:${requestId}`,
  });
  const entriesOf = async () =>
    logs()
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      .filter((entry) => entry.requestId === requestId);
  const entries = await eventually(entriesOf, (found) => found.some(({ msg }) => msg === "request"));
  expect(entries.map(({ level, msg }) => [level, msg])).toEqual([
    ["error", "request failed"],
    ["info", "request"],
  ]);
  expect(entries[0]?.error).toMatch(/\n\s+at /);
  expect(body).not.toContain(String(entries[0]?.error).split("\n")[0]);
}

test(
  "on Node, what nobody foresaw is one entry with its stack, and an answer without",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-uncaught-"));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const lines: string[] = [];
    const environment = {
      ...workerVariables("us", url, { configuration: "", variables: { UPSTREAM_URL } }),
      LISTEN_ADDRESS: `127.0.0.1:${port}`,
      STORE_PATH: folder,
    };
    const server = await startServer({
      artifact: await compile(behaviourConfiguration),
      environment,
      secrets: environmentSecrets(environment)("env://TEST_"),
      verbose: false,
      write: (line) => lines.push(line),
    });
    const database = new DatabaseSync(join(folder, "countersign.db"));
    database.exec("DROP TABLE browser_sessions");
    database.close();
    await expectOneEntry({ send: () => fetch(`${url}${PATH}`, { headers: HEADERS }), logs: () => lines });
    await server.stop();
    rmSync(folder, { recursive: true });
  },
  PATIENCE,
);

test(
  "on Workers, what nobody foresaw is one entry with its stack, and an answer without",
  async () => {
    const url = "https://us.example";
    const variables = workerVariables("us", url, { configuration: "", variables: { UPSTREAM_URL } });
    const product = await openFaultyProduct(behaviourConfiguration, variables);
    await product.set({ binding: "REGISTRY", method: "getBrowserSession", how: "refuse" });
    const send = async () => (await product.worker.fetch(PATH, { headers: HEADERS })) as unknown as Response;
    await expectOneEntry({ send, logs: () => product.logs().flatMap((text) => text.split("\n")) });
    await product.close();
  },
  PATIENCE,
);

test(
  "on Lambda, what nobody foresaw is one entry with its stack, and an answer without",
  async () => {
    const dynamo = await joinDynamo();
    const variables = { UPSTREAM_URL, [TABLE_VARIABLES.sessions]: "a-table-that-does-not-exist" };
    const { us, stop } = await lambda(() => dynamo).start({ configuration: behaviourConfiguration, variables });
    await expectOneEntry({ send: () => fetch(`${us.url}${PATH}`, { headers: HEADERS }), logs: us.logs });
    await stop();
    await dynamo.stop();
  },
  PATIENCE,
);
