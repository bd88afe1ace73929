import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import type { RunningDynamo } from "../dynamodb.ts";
import { SHARED_DYNAMO, SHARED_FOLDER } from "./variables.ts";

/** What the files of one run share: a folder for what is built once, and one DynamoDB engine as soon as a file asks. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Each project of the configuration asks.
  if (process.env[SHARED_FOLDER] !== undefined) return async () => undefined;
  const folder = await mkdtemp(join(tmpdir(), "countersign-run-"));
  let dynamo: Promise<RunningDynamo> | undefined;
  const server = createServer((_, response) => {
    dynamo ??= import("../dynamodb.ts").then(({ startDynamo }) => startDynamo());
    dynamo.then(
      ({ engine, endpoint }) => response.end(JSON.stringify({ engine, endpoint })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  process.env[SHARED_FOLDER] = folder;
  // Not in the folder: processes write what they have compiled when they end, which may be after all tests.
  process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url));
  process.env[SHARED_DYNAMO] = await listening(server);
  // In watch mode the sources have changed since the folder was filled.
  project.onTestsRerun(() => rm(folder, { recursive: true, force: true }));
  return async () => {
    server.close();
    await dynamo?.then(
      ({ stop }) => stop(),
      () => undefined,
    );
    await rm(folder, { recursive: true, force: true });
  };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
