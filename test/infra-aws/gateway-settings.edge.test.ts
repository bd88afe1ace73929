import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHandler, type LambdaHandler } from "../../infra/aws/handler.ts";
import { answerOf, manage, setUpOwner } from "../behaviour/fixture.ts";
import { compile, functionEnvironment, ORIGIN_SECRET } from "../runtimes/lambda.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { eventually } from "../support/eventually.ts";
import { invokeInProcess, provideAwslambda } from "./support/in-process-runtime.ts";
import { openPublicDomain, type PublicDomain } from "./support/public-domain.ts";

const YAML = `
version: "1"
http: {publicURL: "{{ env.PUBLIC_URL }}"}
health: {location: /status}
console: {enabled: true, setupToken: <countersign.setup-token>}
oidcProvider: {region: us, keySecret: <countersign.key-secret>, apiClients: {idSecret: <countersign.id-secret>}}
mcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp}}}
`;

describe("settings of the gateway on Lambda", () => {
  let dynamo: RunningDynamo;
  let domain: PublicDomain;
  let environment: Readonly<Record<string, string>>;
  beforeAll(async () => {
    provideAwslambda();
    dynamo = await joinDynamo();
    domain = await openPublicDomain(ORIGIN_SECRET);
    environment = functionEnvironment("us", domain.url, await dynamo.createTables(), dynamo);
  });
  afterAll(async () => {
    await domain.close();
    await dynamo.stop();
  });

  const instance = async (text = YAML, more: Readonly<Record<string, string>> = {}): Promise<LambdaHandler> =>
    createHandler({
      artifact: await compile(text),
      environment: { ...environment, ...more },
      write: () => undefined,
    });
  /** From now on this instance of the function answers. */
  const served = (handler: LambdaHandler) => domain.serve(invokeInProcess(handler));
  const statusAt = async (path: string, method = "POST") => {
    const response = await fetch(domain.url + path, { method });
    await response.text();
    return response.status;
  };

  test("reach instances that run already and those that start, and close the gateway where they do not fit", async () => {
    const [first, second] = [await instance(), await instance()];
    served(first);
    const owner = await setUpOwner({ region: "us", url: domain.url, logs: () => [] });
    expect((await answerOf(manage(owner, "PUT", "/gateway-settings", { streamPath: "/agents" }))).status).toBe(200);
    expect(await statusAt("/mcp")).toBe(404);
    served(second);
    // Any other answer than 404 is one of the endpoint.
    await eventually(
      () => statusAt("/agents"),
      (status) => status !== 404,
    );
    expect(await statusAt("/mcp")).toBe(404);
    served(await instance());
    expect(await statusAt("/mcp")).toBe(404);
    expect(await statusAt("/agents")).not.toBe(404);
    served(await instance(YAML.replace("/status", "/agents")));
    expect(await statusAt("/mcp")).toBe(404);
    expect((await answerOf(fetch(`${domain.url}/agents`))).body).toEqual({
      status: "down",
      components: [{ name: "gateway-settings", status: "down" }],
    });
  });

  test("that cannot be read are no start: every path is 503", async () => {
    served(await instance(YAML, { RECORDS_TABLE: "countersign-nowhere" }));
    expect([await statusAt("/status", "GET"), await statusAt("/mcp")]).toEqual([503, 503]);
  });
});
