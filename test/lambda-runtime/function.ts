import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TABLE_VARIABLES } from "../../infra/aws/dynamodb/tables.ts";
import { ORIGIN_SECRET_VARIABLE } from "../../infra/aws/front.ts";
import { openPublicDomain } from "../infra-aws/support/public-domain.ts";
import { LOCAL_CREDENTIALS, LOCAL_REGION, type RunningDynamo } from "../support/dynamodb.ts";
import { ID_SECRET, type RunningRegion, SETUP_TOKEN } from "../support/runtime.ts";
import { type RuntimeApi, startRuntimeApi } from "./runtime-api.ts";

/** One instance of the built function under AWS's runtime interface client, behind its public domain. */
export interface RunningFunction {
  readonly region: RunningRegion;
  readonly api: RuntimeApi;
  stop(): Promise<void>;
}

const BUNDLE = fileURLToPath(new URL("../../dist/lambda/us/", import.meta.url));
const RUNTIME_CLIENT = fileURLToPath(new URL("node_modules/aws-lambda-ric/index.mjs", import.meta.url));
const ORIGIN_SECRET = "origin-secret-for-tests";

export async function startFunction(dynamo: RunningDynamo, upstreamURL: string): Promise<RunningFunction> {
  if (!existsSync(`${BUNDLE}handler.mjs`)) throw new Error("dist/lambda/us is missing: run `npm run build` first");
  if (!existsSync(RUNTIME_CLIENT))
    throw new Error("aws-lambda-ric is missing: run `npm ci` in test/lambda-runtime first");
  const domain = await openPublicDomain(ORIGIN_SECRET);
  const api = await startRuntimeApi();
  const tables = await dynamo.createTables();
  const lines: string[] = [];
  const child = spawn(process.execPath, [RUNTIME_CLIENT], {
    cwd: BUNDLE,
    stdio: ["ignore", "pipe", "pipe"],
    // What Lambda and serverless.yml give the function, and nothing of this process.
    env: {
      PATH: process.env.PATH ?? "",
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: "countersign",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "1024",
      AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/countersign",
      AWS_LAMBDA_LOG_STREAM_NAME: "local",
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      LAMBDA_TASK_ROOT: BUNDLE,
      _HANDLER: "handler.handler",
      AWS_REGION: LOCAL_REGION,
      AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      [TABLE_VARIABLES.records]: tables.records,
      [TABLE_VARIABLES.sessions]: tables.sessions,
      [TABLE_VARIABLES.audit]: tables.audit,
      [ORIGIN_SECRET_VARIABLE]: ORIGIN_SECRET,
      REGION: "us",
      PUBLIC_URL: domain.url,
      UPSTREAM_URL: upstreamURL,
      SVC_SECRET_PROVIDER: "env://CS_",
      CS_COUNTERSIGN_SETUP_TOKEN: SETUP_TOKEN,
      CS_COUNTERSIGN_ID_SECRET: ID_SECRET,
    },
  });
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (text: string) => lines.push(...text.split("\n")));
  }
  child.once("exit", (code) => api.lost(new Error(`the function ended with ${code}:\n${lines.join("\n")}`)));
  await api.ready;
  domain.serve(api.invoke);
  return {
    region: { region: "us", url: domain.url, logs: () => lines },
    api,
    stop: async () => {
      await end(child);
      await domain.close();
      api.close();
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}
