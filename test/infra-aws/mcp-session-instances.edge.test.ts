import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHandler } from "../../infra/aws/handler.ts";
import { setUpOwner } from "../behaviour/fixture.ts";
import { mcpConfiguration } from "../behaviour/mcp/configuration.ts";
import { answerTo, readEvents } from "../behaviour/mcp/events.ts";
import { startAgent } from "../behaviour/mcp/fixture.ts";
import { openSession, post, request, terminate } from "../behaviour/mcp/session.ts";
import { compile, functionEnvironment, ORIGIN_SECRET } from "../runtimes/lambda.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import type { RunningRegion } from "../support/runtime.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { invokeInProcess, provideAwslambda } from "./support/in-process-runtime.ts";
import { openPublicDomain, type PublicDomain } from "./support/public-domain.ts";

describe("a session on Lambda", () => {
  let dynamo: RunningDynamo;
  let upstream: Upstream;
  let domain: PublicDomain;
  /** From now on another instance of the function answers. */
  let replace: () => Promise<void>;
  beforeAll(async () => {
    provideAwslambda();
    dynamo = await joinDynamo();
    upstream = await startUpstream();
    domain = await openPublicDomain(ORIGIN_SECRET);
    const tables = await dynamo.createTables();
    const artifact = await compile(mcpConfiguration({ hasLegacy: false }));
    replace = async () => {
      const environment = {
        ...functionEnvironment("us", domain.url, tables, dynamo),
        UPSTREAM_URL: upstream.url,
      };
      domain.serve(invokeInProcess(await createHandler({ artifact, environment, write: () => undefined })));
    };
    await replace();
  });
  afterAll(async () => {
    await domain.close();
    await upstream.stop();
    await dynamo.stop();
  });

  test("goes on in another instance with all that was agreed, and is over in all of them when it ends", async () => {
    const region: RunningRegion = { region: "us", url: domain.url, logs: () => [] };
    const agent = await startAgent(await setUpOwner(region));
    const session = await openSession(region, agent.stream);
    await answerTo(await post(region, request("logging/setLevel", { level: "info" }), session.headers));
    await replace();
    const call = request("tools/call", { name: "upstream_listTags", arguments: {} });
    const messages = await readEvents(await post(region, call, session.headers)).rest();
    expect(messages).toMatchObject([{ method: "notifications/message", params: { level: "info" } }, { id: 1 }]);
    expect((await terminate(region, session.headers)).status).toBe(204);
    await replace();
    expect((await post(region, request("ping"), session.headers)).status).toBe(404);
  });
});
