import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { TABLE_VARIABLES } from "../infra/aws/dynamodb/tables.ts";
import { lambdaSize } from "../infra/build/lambda-bundle.ts";
import { LOCAL_CREDENTIALS, LOCAL_REGION, startDynamo } from "../test/support/dynamodb.ts";
import { build, EDGE_VARIABLES } from "./support/edge.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { kibibytes } from "./support/sizes.ts";
import { median, milliseconds } from "./support/statistics.ts";

const BUNDLE = fileURLToPath(new URL("../dist/lambda/us/handler.mjs", import.meta.url));
const LIMIT = 300;

const VARIABLES = {
  ...EDGE_VARIABLES,
  AWS_REGION: LOCAL_REGION,
  AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
  ORIGIN_SECRET: "origin-secret-of-the-benchmark",
};

/**
 * What Lambda's init phase runs of ours: importing the bundle until it exports a handler that is ready to serve, with
 * the configuration resolved and the gateway's settings read, from DynamoDB on this machine. Node's own start is not in it, as Lambda's runtime has started it before.
 */
export async function benchLambda({ runs }: BenchOptions): Promise<readonly Finding[]> {
  for (const script of ["configuration.ts", "lambda.ts"]) build(script);
  const { plain, compressed } = await lambdaSize(dirname(BUNDLE));
  const starts = await timeInits(runs);
  const typical = median(starts);
  return [
    {
      what: "Lambda bundle, gzip",
      measured: kibibytes(compressed),
      against: `${kibibytes(plain)} plain`,
    },
    {
      what: "Lambda init",
      measured: milliseconds(typical, 0),
      against: `${milliseconds(Math.min(...starts), 0)} to ${milliseconds(Math.max(...starts), 0)} in ${runs} processes`,
      target: `≤ ${milliseconds(LIMIT, 0)}`,
      met: typical <= LIMIT,
    },
  ];
}

/** Prints the milliseconds, unless the handler could only answer 503: then the log line that says why comes first. */
const INIT = `
globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: { from: (stream) => stream } };
const startedAt = performance.now();
await import(process.env.BUNDLE);
console.log(performance.now() - startedAt);
`;

async function timeInits(count: number): Promise<readonly number[]> {
  const dynamo = await startDynamo();
  try {
    const { records, sessions, audit } = await dynamo.createTables();
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      [TABLE_VARIABLES.records]: records,
      [TABLE_VARIABLES.sessions]: sessions,
      [TABLE_VARIABLES.audit]: audit,
    };
    return Array.from({ length: count }, () => timeInit(environment));
  } finally {
    await dynamo.stop();
  }
}

function timeInit(environment: Readonly<Record<string, string>>): number {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", INIT], {
    encoding: "utf8",
    env: { ...VARIABLES, ...environment, BUNDLE },
  });
  const time = Number(stdout);
  if (stdout === "" || Number.isNaN(time)) throw new Error(`the function did not start: ${stdout}${stderr}`);
  return time;
}
