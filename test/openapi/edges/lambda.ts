import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleLambda } from "../../../infra/build/lambda-bundle.ts";
import { functionEnvironment } from "../../runtimes/lambda.ts";
import { startDynamo } from "../../support/dynamodb.ts";
import { converse } from "./conversation.ts";
import type { EdgeUsage } from "./edge.ts";

const PROGRAM = fileURLToPath(new URL("lambda-process.ts", import.meta.url));
/** Old space of the function's heap, MiB: an eighth of what `serverless.yml` gives. */
const OLD_SPACE = 128;

/** The bundled function as Lambda's runtime would call it, on a DynamoDB engine, with a heap that is kept small. */
export async function useLambda(artifact: string, upstreamURL: string): Promise<EdgeUsage> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-edges-"));
  const dynamo = await startDynamo();
  try {
    await writeFile(join(folder, "artifact.json"), artifact);
    await bundleLambda({ configuration: join(folder, "artifact.json"), folder: join(folder, "function") });
    const environment = functionEnvironment("us", "set by the process", await dynamo.createTables(), dynamo);
    return await inFunction(join(folder, "function/handler.mjs"), { ...environment, UPSTREAM_URL: upstreamURL });
  } finally {
    await dynamo.stop();
    await rm(folder, { recursive: true });
  }
}

async function inFunction(bundle: string, environment: Readonly<Record<string, string>>): Promise<EdgeUsage> {
  const child = spawn(process.execPath, [`--max-old-space-size=${OLD_SPACE}`, PROGRAM, bundle], {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const told = async () => (await Promise.race([once(child, "message"), exited.then(ended)]))[0] as unknown;
  try {
    const conversation = await converse((await told()) as string);
    child.send("measure");
    const memory = (await told()) as Pick<EdgeUsage, "resident" | "heap">;
    return { conversation, ...memory };
  } finally {
    child.kill();
    await exited;
  }
}

function ended(): never {
  throw new Error("the function's process ended before it was asked to");
}
