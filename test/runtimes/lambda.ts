import { paginateScan } from "@aws-sdk/client-dynamodb";
import { TABLE_VARIABLES, type TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { ORIGIN_SECRET_VARIABLE } from "../../infra/aws/front.ts";
import { createHandler } from "../../infra/aws/handler.ts";
import { regoCompiler } from "../../infra/node/files/rego-compiler.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { formatMessage } from "../../lib/config/messages.ts";
import { invokeInProcess, provideAwslambda } from "../infra-aws/support/in-process-runtime.ts";
import { openPublicDomain } from "../infra-aws/support/public-domain.ts";
import { LOCAL_CREDENTIALS, LOCAL_REGION, type RunningDynamo } from "../support/dynamodb.ts";
import {
  documentOf,
  ID_SECRET,
  KEY_SECRET,
  NOT_STARTED,
  type RegionsOptions,
  type RunningRegion,
  type RunningRegions,
  type RuntimeUnderTest,
  SETUP_TOKEN,
} from "../support/runtime.ts";

export const ORIGIN_SECRET = "origin-secret-for-tests";

/** The Lambda function in this process, one handler a region, behind what AWS puts in front, on a DynamoDB engine. */
export function lambda(dynamo: () => RunningDynamo): RuntimeUnderTest {
  return { name: "lambda", start: (options) => start(dynamo(), options) };
}

async function start(dynamo: RunningDynamo, options: RegionsOptions): Promise<RunningRegions> {
  provideAwslambda();
  const [usDomain, ukDomain] = [await openPublicDomain(ORIGIN_SECRET), await openPublicDomain(ORIGIN_SECRET)];
  const us = await startRegion("us", usDomain, ukDomain.url, dynamo, options);
  const uk = options.alone ? undefined : await startRegion("uk", ukDomain, usDomain.url, dynamo, options);
  return {
    us: us.running,
    uk: uk?.running ?? NOT_STARTED,
    stop: async () => {
      await Promise.all([us.stop(), uk?.stop() ?? ukDomain.close()]);
    },
  };
}

async function startRegion(
  region: "us" | "uk",
  domain: Awaited<ReturnType<typeof openPublicDomain>>,
  peerURL: string,
  dynamo: RunningDynamo,
  options: RegionsOptions,
): Promise<{ readonly running: RunningRegion; stop(): Promise<void> }> {
  const { variables, consoleBuild } = options;
  const tables = await dynamo.createTables();
  const lines: string[] = [];
  const handler = await createHandler({
    artifact: await compile(documentOf(region, options)),
    environment: { ...functionEnvironment(region, domain.url, tables, dynamo), PEER_URL: peerURL, ...variables },
    write: (line) => lines.push(line),
    ...(consoleBuild !== undefined && { consoleFolder: consoleBuild }),
  });
  domain.serve(invokeInProcess(handler));
  const stored = () => itemsIn(dynamo, tables);
  return { running: { region, url: domain.url, logs: () => lines, stored }, stop: () => domain.close() };
}

/** As text. Neither engine writes them to a file. */
async function itemsIn(dynamo: RunningDynamo, tables: TableNames): Promise<Buffer> {
  const client = dynamo.client();
  const items: unknown[] = [];
  for (const TableName of Object.values(tables)) {
    for await (const page of paginateScan({ client }, { TableName })) items.push(...(page.Items ?? []));
  }
  client.destroy();
  return Buffer.from(JSON.stringify(items));
}

/** What a function of a region finds in its environment. */
export function functionEnvironment(
  region: "us" | "uk",
  publicURL: string,
  tables: TableNames,
  { endpoint }: Pick<RunningDynamo, "endpoint">,
): Readonly<Record<string, string>> {
  return {
    AWS_REGION: LOCAL_REGION,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    [TABLE_VARIABLES.records]: tables.records,
    [TABLE_VARIABLES.sessions]: tables.sessions,
    [TABLE_VARIABLES.audit]: tables.audit,
    [ORIGIN_SECRET_VARIABLE]: ORIGIN_SECRET,
    PUBLIC_URL: publicURL,
    REGION: region,
    STORE_PATH: "not used",
    LISTEN_ADDRESS: "127.0.0.1:1",
    SVC_SECRET_PROVIDER: "env://TEST_",
    TEST_COUNTERSIGN_SETUP_TOKEN: SETUP_TOKEN,
    TEST_COUNTERSIGN_ID_SECRET: ID_SECRET,
    TEST_COUNTERSIGN_KEY_SECRET: KEY_SECRET,
  };
}

/** Through JSON, as the artifact reaches the function. */
export async function compile(text: string): Promise<ConfigurationArtifact> {
  const readDocument = (uri: string) => Promise.reject(new Error(`${uri} is not part of the test`));
  const compiled = await compileConfiguration(text, {
    file: "countersign.yaml",
    readDocument,
    rego: regoCompiler("/", {}),
  });
  if ("errors" in compiled) throw new Error(compiled.errors.map(formatMessage).join("\n"));
  return JSON.parse(JSON.stringify(compiled.artifact)) as ConfigurationArtifact;
}
