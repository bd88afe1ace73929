import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import type { RunningDynamo } from "../dynamodb.ts";
import { bundledCommand } from "./command.ts";
import { SHARED_COMMAND, SHARED_DYNAMO, SHARED_FOLDER } from "./variables.ts";

/** What the files of one run share: a folder for what is built once, and as soon as a file asks one DynamoDB engine, and the command for Node. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Each project of the configuration asks.
  if (process.env[SHARED_FOLDER] !== undefined) return async () => undefined;
  const folder = await mkdtemp(join(tmpdir(), "countersign-run-"));
  let dynamo: Promise<RunningDynamo> | undefined;
  let command: Promise<string> | undefined;
  const asked: Readonly<Record<string, () => Promise<string>>> = {
    "/dynamo": async () => {
      dynamo ??= import("../dynamodb.ts").then(({ startDynamo }) => startDynamo());
      const { engine, endpoint } = await dynamo;
      return JSON.stringify({ engine, endpoint });
    },
    "/command": () => {
      command ??= bundledCommand();
      return command;
    },
  };
  const server = createServer(({ url = "" }, response) => {
    asked[url]?.().then(
      (answer) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  process.env[SHARED_FOLDER] = folder;
  // Not in the folder: processes write what they have compiled when they end, which may be after all tests.
  process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL("../../../node_modules/.cache/compiled", import.meta.url));
  const address = await listening(server);
  process.env[SHARED_DYNAMO] = `${address}/dynamo`;
  process.env[SHARED_COMMAND] = `${address}/command`;
  // In watch mode the sources have changed since.
  project.onTestsRerun(async () => {
    command = undefined;
    await rm(folder, { recursive: true, force: true });
  });
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
