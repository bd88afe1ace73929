import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { setUpOwner } from "../behaviour/fixture.ts";
import { mcpConfiguration } from "../behaviour/mcp/configuration.ts";
import { answerTo, readEvents } from "../behaviour/mcp/events.ts";
import { type Agent, startAgent } from "../behaviour/mcp/fixture.ts";
import { listen, openSession, post, request, terminate } from "../behaviour/mcp/session.ts";
import { workerVariables } from "../runtimes/workerd.ts";
import { freePort } from "../support/free-port.ts";
import type { RunningRegion } from "../support/runtime.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { startBareWorkerd } from "./support/bare-workerd.ts";
import { bundledWorker } from "./support/bundle.ts";
import { type CompiledConfiguration, compiledConfiguration } from "./support/configuration.ts";
import { openFront } from "./support/front.ts";
import { workerHarness } from "./support/harness.ts";

const CALL = request("tools/call", { name: "upstream_listTags", arguments: {} });

describe("sessions of agents on Workers go on with all that was agreed", () => {
  let upstream: Upstream;
  let configuration: CompiledConfiguration;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    upstream = await startUpstream();
    configuration = await compiledConfiguration(mcpConfiguration({ hasLegacy: true }));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });
  afterAll(async () => {
    await upstream.stop();
    await configuration.remove();
  });

  const variables = (url: string) =>
    workerVariables("us", url, { configuration: "", variables: { UPSTREAM_URL: upstream.url } });

  /** A session with a log level and an open stream, before and after what happens to it. */
  const outlives = async (url: string, happen: (sessionHash: string) => Promise<void>) => {
    const region: RunningRegion = { region: "us", url, logs: () => [] };
    const agent: Agent = await startAgent(await setUpOwner(region));
    const session = await openSession(region, agent.stream);
    await answerTo(await post(region, request("logging/setLevel", { level: "info" }), session.headers));
    const stream = readEvents(await listen(region, session.headers));
    await stream.next();
    await happen(createHash("sha256").update(session.id).digest("base64url"));
    // The stream has ended or broken off: its client opens another.
    await stream.rest().catch(() => []);
    const messages = await readEvents(await post(region, CALL, session.headers)).rest();
    expect(messages).toMatchObject([{ method: "notifications/message", params: { level: "info" } }, { id: 1 }]);
    const again = readEvents(await listen(region, session.headers));
    expect((await again.next())?.id).toEqual(expect.any(String));
    expect((await terminate(region, session.headers)).status).toBe(204);
    expect(await again.next()).toBeUndefined();
  };

  test("when the session's object was evicted", async () => {
    const front = await openFront();
    const harness = workerHarness({
      region: "us",
      configuration: configuration.path,
      vars: variables(front.url),
    });
    stops.push(front.close, harness.close);
    front.forwardTo(Number((await harness.listen()).url.port));
    const evict = (name: string) =>
      harness.getWorker().evictDurableObject("MCP_SESSIONS", { name, webSockets: "close" });
    await outlives(front.url, evict);
  });

  test("when the whole Worker was killed", async () => {
    const port = await freePort();
    const front = await openFront();
    const bundle = await bundledWorker(configuration.path);
    const workerd = await startBareWorkerd({ port, bundle: bundle.path, variables: variables(front.url) });
    stops.push(bundle.remove, front.close, workerd.stop);
    front.forwardTo(port);
    await outlives(front.url, async () => {
      await workerd.kill();
      await workerd.restart();
    });
  });
});
